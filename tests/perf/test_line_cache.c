/* perf/line_cache.h: hits, misses and replacement on sequences that can be counted by hand. */
#include "perf/line_cache.h"
#include "test.h"

/* The line of that number; nothing there is read. */
static const void *line(int64_t number) { return (const void *)(uintptr_t)(number * 64); }

static void touch(spw_line_cache *c, int64_t number) { spw_line_cache_access(c, line(number), 8); }

TEST(a_line_is_fetched_once_for_all_of_its_bytes) {
    OWN(spw_line_cache) c;
    assert_ok(spw_line_cache_create(65536, &c));
    for (int64_t i = 0; i < 800; i++)
        spw_line_cache_access(&c, (const void *)(uintptr_t)(6400 + 8 * i), 8);
    assert_true(c.fetched == 100 && c.next == 99);
    spw_line_cache_access(&c, (const void *)(uintptr_t)(6400 + 60), 8); /* two lines, both there */
    assert_true(c.fetched == 100);
    spw_line_cache_access(&c, (const void *)(uintptr_t)(640000 + 60), 8); /* two that are not */
    assert_true(c.fetched == 102 && c.next == 100);
}

TEST(the_least_recently_used_of_sixteen_goes) {
    OWN(spw_line_cache) c;
    assert_ok(spw_line_cache_create(4096, &c));    /* 4 sets */
    for (int k = 0; k < 16; k++) touch(&c, 4 * k); /* all in set 0 */
    touch(&c, 1);                                  /* in set 1: disturbs nobody */
    assert_true(c.fetched == 17);
    touch(&c, 0);  /* a hit: now 4 is the oldest */
    touch(&c, 64); /* takes its place */
    assert_true(c.fetched == 18);
    touch(&c, 0);
    assert_true(c.fetched == 18);
    touch(&c, 4);
    assert_true(c.fetched == 19);
    spw_line_cache_restart(&c);
    touch(&c, 64);
    assert_true(c.fetched == 0 && c.next == 0);
}

/* Sixteen streams side by side go on each, whatever order they take turns in; a seventeenth drives all out. */
TEST(lines_that_follow_are_counted_in_each_stream) {
    for (int64_t streams = 1; streams <= 17; streams++) {
        OWN(spw_line_cache) c;
        assert_ok(spw_line_cache_create(65536, &c));
        for (int64_t k = 0; k < 20; k++)
            for (int64_t s = 0; s < streams; s++) touch(&c, 1000 * (1 + s) + k);
        assert_true(c.fetched == 20.0 * (double)streams);
        assert_true(c.next == (streams > 16 ? 0 : 19.0 * (double)streams));
    }
}

/* A cyclic sweep over one line more than fits leaves nothing for the next sweep. */
TEST(sweeps_that_do_not_fit_find_nothing) {
    for (int64_t lines = 1024; lines <= 2048; lines *= 2) {
        OWN(spw_line_cache) c;
        assert_ok(spw_line_cache_create(65536, &c));
        for (int sweep = 0; sweep < 3; sweep++)
            for (int64_t k = 0; k < lines; k++) touch(&c, k);
        assert_true(c.fetched == (lines > 1024 ? 3.0 * (double)lines : (double)lines));
    }
}

TEST(sizes_are_powers_of_two) {
    OWN(spw_line_cache) c = {.n_sets = 1};
    assert_int_equal(spw_line_cache_create(100000, &c), SPW_ERR_ARG);
    assert_int_equal(spw_line_cache_create(3072, &c), SPW_ERR_ARG);
    assert_int_equal(spw_line_cache_create(0, &c), SPW_ERR_ARG);
    assert_int_equal(spw_line_cache_create(-1024, &c), SPW_ERR_ARG);
    assert_null(c.lines);
    assert_int_equal(spw_line_cache_size(0), 65536);
    assert_int_equal(spw_line_cache_size(16 * 65536 - 1), 65536);
    assert_int_equal(spw_line_cache_size(16 * 65536), 131072);
    assert_int_equal(spw_line_cache_size(4000000), 262144);
    spw_line_cache_destroy(NULL);
}

/* Target regions on a device that is played: what is mapped arrives, what is not does not. */

#include "../../exercises/16-symgs/driver_offload.c"
#include "test.h"

enum { N = 100 };

static void begin_or_skip(void) {
    if (spw_offload_begin(NULL)) return;
    print_message("skipped: target regions of this compiler leave no call behind: not watched\n");
    skip();
}

static void fill(double *v, double first) {
    for (int i = 0; i < N; i++) v[i] = first + i;
}

TEST(a_region_gets_what_goes_there_and_gives_what_comes_back) {
    double a[N], b[N], *const from = a, *const to = b;
    int away = 1;
    spw_offload watch;
    fill(a, 1);
    fill(b, 1000);
    begin_or_skip();
#pragma omp target teams distribute parallel for if (target                                        \
                                                     : away) map(to                                \
                                                                 : from [0:N]) map(from            \
                                                                                   : to [10:20])
    for (int i = 10; i < 30; i++) to[i] = 2 * from[i];
    spw_offload_end(&watch);
    for (int i = 0; i < N; i++) assert_true(b[i] == (i >= 10 && i < 30 ? 2 * (1 + i) : 1000 + i));
    assert_string_equal(watch.trouble, "");
    assert_int_equal(watch.regions, 1);
    assert_int_equal(watch.on_host, 0);
    assert_int_equal(watch.to, 8 * N);
    assert_int_equal(watch.from, 8 * 20);
}

TEST(what_is_mapped_to_does_not_come_back_and_from_brings_rubbish) {
    double a[N], b[N], *const there = a, *const back = b;
    int away = 1;
    spw_offload watch;
    fill(a, 1);
    fill(b, 1);
    begin_or_skip();
#pragma omp target if (away) map(to : there [0:N]) map(from : back [0:N])
    {
        there[3] = 0;
        back[3] = 7;
    }
    spw_offload_end(&watch);
    assert_true(a[3] == 4);
    assert_true(b[3] == 7);
    assert_true(b[4] != 5);
    assert_int_equal(watch.to, 8 * N);
    assert_int_equal(watch.from, 8 * N);
}

TEST(the_if_that_says_no_keeps_a_region_on_the_host) {
    double a[N], *const v = a;
    int away = 0;
    spw_offload watch;
    fill(a, 1);
    begin_or_skip();
#pragma omp target if (away) map(to : v [0:N])
    v[3] = 0;
    spw_offload_end(&watch);
    assert_true(a[3] == 0); /* the host's own memory */
    assert_int_equal(watch.regions, 0);
    assert_int_equal(watch.on_host, 1);
    assert_int_equal(watch.to + watch.from, 0);
}

TEST(in_a_data_region_nothing_is_copied_twice) {
    double a[N], *const v = a;
    int away = 1;
    spw_offload watch;
    fill(a, 1);
    begin_or_skip();
#pragma omp target data if (away) map(tofrom : v [0:N])
    {
        for (int k = 0; k < 3; k++) {
#pragma omp target if (away) map(tofrom : v [0:N])
            v[5] += 1;
        }
        assert_true(a[5] == 6); /* nothing has come back yet */
#pragma omp target update from(v [5:1])
        assert_true(a[5] == 9);
    }
    spw_offload_end(&watch);
    assert_true(a[5] == 9);
    assert_int_equal(watch.regions, 3);
    assert_int_equal(watch.to, 8 * N);
    assert_int_equal(watch.from, 8 * N + 8);
}

TEST(enter_data_and_exit_data_do_the_same) {
    double a[N], b[N], *const v = a, *const u = b;
    int away = 1;
    spw_offload watch;
    fill(a, 1);
    fill(b, 1);
    begin_or_skip();
#pragma omp target enter data if (away) map(to : v [0:N]) map(to : u [0:N])
    for (int k = 0; k < 3; k++) {
#pragma omp target if (away) map(tofrom : v [0:N], u [0:N])
        v[5] += u[0];
    }
#pragma omp target exit data if (away) map(from : v [0:N]) map(release : u [0:N])
    spw_offload_end(&watch);
    assert_true(a[5] == 9);
    assert_string_equal(watch.trouble, "");
    assert_int_equal(watch.regions, 3);
    assert_int_equal(watch.to, 2 * 8 * N);
    assert_int_equal(watch.from, 8 * N);
}

TEST(what_is_resident_is_not_counted_and_may_differ) {
    double a[N], b[N], sum[1] = {0}, *const v = a, *const out = sum;
    int away = 1;
    spw_offload watch;
    fill(a, 1);
    memset(b, 0, sizeof b);
    b[7] = 42;
    begin_or_skip();
    spw_offload_resident(a, sizeof a, b);
#pragma omp target if (away) map(to : v [0:N]) map(from : out [0:1])
    out[0] = v[7];
    spw_offload_end(&watch);
    assert_true(sum[0] == 42);
    assert_int_equal(watch.to, 0);
    assert_int_equal(watch.from, 8);
}

TEST(a_pointer_without_a_map_and_other_bounds_are_trouble) {
    double a[N], b[N], *const v = a, *volatile hidden = b;
    double *const other = hidden;
    int away = 1;
    spw_offload watch;
    fill(a, 1);
    fill(b, 1);
    begin_or_skip();
#pragma omp target if (away) map(tofrom : v [0:N])
    v[0] = other[0] + 10;
    spw_offload_end(&watch);
    assert_says(watch.trouble, "no map clause names");
    assert_true(a[0] == 1); /* the region has not run */

    begin_or_skip();
    spw_offload_resident(a, sizeof a / 2, a);
#pragma omp target if (away) map(tofrom : v [0:N])
    v[0] = 10;
    spw_offload_end(&watch);
    assert_says(watch.trouble, "the same bounds");
    assert_true(a[0] == 1);
}

TEST(without_a_watch_regions_run_as_ever) {
    double a[N], *const v = a;
    fill(a, 1);
#pragma omp target data map(tofrom : v [0:N]) if (0)
    {
#pragma omp target teams distribute parallel for if (target : 0) map(tofrom : v [0:N])
        for (int i = 0; i < N; i++) v[i] += 1;
    }
    for (int i = 0; i < N; i++) assert_true(a[i] == 2 + i);
}

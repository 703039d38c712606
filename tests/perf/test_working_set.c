/* The working set of a measurement: the rule on invented machines, and this machine. */

#include "perf/working_set.h"
#include "test.h"

#define MIB (INT64_C(1) << 20)
#define GB  INT64_C(1000000000)

static void check_is(int64_t got, int64_t bytes) {
    assert_true(got <= bytes && got > bytes - 4096);
    assert_int_equal(got % 4096, 0);
}

TEST(the_example_of_the_header_holds) {
    check_is(spw_working_set_for(32 * MIB, 24 * GB), 256000000);
    check_is(spw_working_set_for(96 * MIB, 24 * GB), 402653184);
    check_is(spw_working_set_for(32 * MIB, 1 * GB), 125000000);
}

TEST(an_unknown_cache_gives_the_smallest_set) {
    check_is(spw_working_set_for(0, 24 * GB), 256000000);
}

TEST(an_absurd_cache_gives_the_largest_set) {
    check_is(spw_working_set_for(4000 * MIB, 100 * GB), 1000000000);
    check_is(spw_working_set_for(INT64_MAX, INT64_MAX), 1000000000);
}

TEST(memory_limits_it_and_a_page_is_the_least) {
    check_is(spw_working_set_for(4000 * MIB, 4 * GB), 500000000);
    assert_int_equal(spw_working_set_for(32 * MIB, 0), 4096);
    assert_int_equal(spw_working_set_for(32 * MIB, 100), 4096);
}

TEST(this_machine_gives_the_same_answer_twice) {
    const int64_t bytes = spw_default_working_set();
    assert_true(bytes >= 4096 && bytes <= GB);
    assert_int_equal(bytes, spw_default_working_set());
}

/* The working set of a measurement: the rule on invented machines, and this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/working_set.h"

#define MIB (INT64_C(1) << 20)
#define GB  INT64_C(1000000000)

static void check_is(int64_t got, int64_t bytes)
{
    assert_true(got <= bytes && got > bytes - 4096);
    assert_int_equal(got % 4096, 0);
}

static void the_example_of_the_header_holds(void **state)
{
    (void)state;
    check_is(spw_working_set_for(32 * MIB, 24 * GB), 256000000);
    check_is(spw_working_set_for(96 * MIB, 24 * GB), 402653184);
    check_is(spw_working_set_for(32 * MIB, 1 * GB), 125000000);
}

static void an_unknown_cache_gives_the_smallest_set(void **state)
{
    (void)state;
    check_is(spw_working_set_for(0, 24 * GB), 256000000);
}

static void an_absurd_cache_gives_the_largest_set(void **state)
{
    (void)state;
    check_is(spw_working_set_for(4000 * MIB, 100 * GB), 1000000000);
    check_is(spw_working_set_for(INT64_MAX, INT64_MAX), 1000000000);
}

static void memory_limits_it_and_a_page_is_the_least(void **state)
{
    (void)state;
    check_is(spw_working_set_for(4000 * MIB, 4 * GB), 500000000);
    assert_int_equal(spw_working_set_for(32 * MIB, 0), 4096);
    assert_int_equal(spw_working_set_for(32 * MIB, 100), 4096);
}

static void this_machine_gives_the_same_answer_twice(void **state)
{
    (void)state;
    const int64_t bytes = spw_default_working_set();
    assert_true(bytes >= 4096 && bytes <= GB);
    assert_int_equal(bytes, spw_default_working_set());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header_holds),
        cmocka_unit_test(an_unknown_cache_gives_the_smallest_set),
        cmocka_unit_test(an_absurd_cache_gives_the_largest_set),
        cmocka_unit_test(memory_limits_it_and_a_page_is_the_least),
        cmocka_unit_test(this_machine_gives_the_same_answer_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

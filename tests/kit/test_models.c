/* kit/models.h: the first difference that fits is told, to within the slack, and nothing else. */
#include "kit/models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const spw_cost truth = {.load = 100, .store = 40, .flop = 10};

static const spw_known_cost known[] = {
    {NAN, 0, 0, "never"},        {8, 0, 0, "more loads"},
    {0, -16, 0, "fewer stores"}, {8, 0, 0, "hidden by the first of its kind"},
    {-4, 4, -5, "all at once"},
};

static bool told(spw_cost got, double slack, char *text, int size)
{
    memset(text, 'x', (size_t)size);
    text[size - 1] = 0;
    return spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, slack, text,
                               size);
}

static void assert_told(double load, double store, double flop, double slack, const char *expected)
{
    char text[40];
    assert_true(told((spw_cost){.load = load, .store = store, .flop = flop}, slack, text, 40));
    assert_string_equal(text, expected);
}

static void assert_silent(double load, double store, double flop, double slack)
{
    char text[4];
    assert_false(told((spw_cost){.load = load, .store = store, .flop = flop}, slack, text, 4));
    assert_string_equal(text, "xxx");
}

static void the_first_that_fits_is_told(void **state)
{
    (void)state;
    assert_told(108, 40, 10, 0.5, "more loads");
    assert_told(100, 24, 10, 0.5, "fewer stores");
    assert_told(96, 44, 5, 0.5, "all at once");
}

static void differences_add_up_to_the_slack(void **state)
{
    (void)state;
    assert_told(108.25, 39.75, 10, 0.5, "more loads");
    assert_silent(108.25, 39.75, 9.75, 0.5);
    assert_told(105, 40, 10, 5, "more loads");
    assert_silent(102, 40, 10, 5);
    assert_silent(100, 40, 10, 0.5);
    assert_silent(NAN, 40, 10, 0.5);
}

static void a_long_sentence_is_cut(void **state)
{
    (void)state;
    char text[5];
    assert_true(told((spw_cost){.load = 108, .store = 40, .flop = 10}, 0.5, text, 5));
    assert_string_equal(text, "more");
}

static void swapped_loads_and_stores_are_told(void **state)
{
    (void)state;
    char text[64] = "as before";
    assert_false(spw_swapped_cost_tell(truth, truth, text, 64));
    assert_false(spw_swapped_cost_tell((spw_cost){40, 101, 10}, truth, text, 64));
    assert_string_equal(text, "as before");
    assert_true(spw_swapped_cost_tell((spw_cost){40, 100, 3}, truth, text, 64));
    assert_string_equal(text, "loads and stores have changed places");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_fits_is_told),
        cmocka_unit_test(differences_add_up_to_the_slack),
        cmocka_unit_test(a_long_sentence_is_cut),
        cmocka_unit_test(swapped_loads_and_stores_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

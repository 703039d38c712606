/* The median, its interval against brute force over all outcomes, and the loop that measures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/timer.h"

#include <math.h>

static void clock_goes_forward_in_small_steps(void **state)
{
    (void)state;
    const double from = spw_now(), step = spw_clock_step();
    assert_true(step > 0);
    assert_true(step < 0.1);
    assert_true(spw_now() > from);
}

static void median_of_odd_and_even_counts(void **state)
{
    (void)state;
    double one[] = {4}, two[] = {3, 1}, three[] = {9, 1, 2}, four[] = {8, 2, 4, 1};
    assert_true(spw_median(one, 1, NULL, NULL) == 4);
    assert_true(spw_median(two, 2, NULL, NULL) == 2);
    assert_true(spw_median(three, 3, NULL, NULL) == 2);
    assert_true(spw_median(four, 4, NULL, NULL) == 3);
}

static void numbers_are_sorted_in_place(void **state)
{
    (void)state;
    double x[] = {5, -1, 3, 3, 0};
    spw_median(x, 5, NULL, NULL);
    for (int i = 1; i < 5; i++) assert_true(x[i - 1] <= x[i]);
}

/* Coverage of the interval by trying all outcomes: each of n samples lies above or below the true
 * median with equal chance, so 2^n patterns are equally likely. The interval from the out-th smallest
 * to the out-th largest misses the median where fewer than out + 1 lie on one side. */
static double coverage(int n, int out)
{
    long covered = 0;
    for (long pattern = 0; pattern < 1L << n; pattern++) {
        int below = 0;
        for (int i = 0; i < n; i++) below += (int)(pattern >> i & 1);
        covered += below > out && n - below > out;
    }
    return (double)covered / (double)(1L << n);
}

static void interval_is_the_shortest_that_covers_95_percent(void **state)
{
    (void)state;
    for (int n = 1; n <= 16; n++) {
        double x[16], low, high;
        for (int i = 0; i < n; i++) x[i] = i;
        spw_median(x, n, &low, &high);
        const int out = (int)low;
        assert_true(high == n - 1 - out); /* as many at either end */
        if (out > 0) assert_true(coverage(n, out) >= 0.95);
        if (n - 2 * (out + 1) > 0) assert_true(coverage(n, out + 1) < 0.95);
    }
}

static void few_samples_give_all_of_them(void **state)
{
    (void)state;
    double x[] = {3, 1, 2, 5, 4}, low, high;
    spw_median(x, 5, &low, &high);
    assert_true(low == 1 && high == 5);
}

static void nine_samples_leave_out_one_at_each_end(void **state)
{
    (void)state;
    double x[] = {9, 8, 7, 6, 5, 4, 3, 2, 1}, low, high;
    assert_true(spw_median(x, 9, &low, &high) == 5);
    assert_true(low == 2 && high == 8);
}

/* Beyond 1000 samples a formula takes over: no step there, and symmetric as before. */
static void large_counts_continue_small_ones(void **state)
{
    (void)state;
    static double x[5000];
    double previous = 0;
    for (int n = 990; n <= 1010; n++) {
        double low, high;
        for (int i = 0; i < n; i++) x[i] = i;
        spw_median(x, n, &low, &high);
        assert_true(low + high == n - 1);
        if (n > 990) assert_true(fabs(low - previous) <= 1.5);
        previous = low;
    }
    double low, high;
    for (int i = 0; i < 5000; i++) x[i] = i;
    spw_median(x, 5000, &low, &high);
    assert_true(fabs(low - (2500 - 0.98 * sqrt(5000))) < 3);
    assert_true(low + high == 4999);
}

/* Each of n samples lies below the true lower quartile with a chance of 1/4: the patterns are weighted by
 * that. The interval from the low-th to the high-th smallest, from 0, misses the quartile where no more
 * than `low` lie below it, or more than `high`. */
static void miss(int n, int low, int high, double *below, double *above)
{
    *below = *above = 0;
    for (long pattern = 0; pattern < 1L << n; pattern++) {
        int b = 0;
        for (int i = 0; i < n; i++) b += (int)(pattern >> i & 1);
        const double chance = pow(0.25, b) * pow(0.75, n - b);
        if (b <= low) *below += chance;
        if (b > high) *above += chance;
    }
}

static void quartile_and_its_interval_agree_with_brute_force(void **state)
{
    (void)state;
    for (int n = 1; n <= 16; n++) {
        double x[16], low, high, below, above;
        for (int i = 0; i < n; i++) x[n - 1 - i] = i;
        assert_true(spw_quartile(x, n, &low, &high) == (n - 1) / 4);
        miss(n, (int)low, (int)high, &below, &above);
        assert_true(low == 0 || below <= 0.025);
        assert_true(high == n - 1 || above <= 0.025 + 1e-12);
        miss(n, (int)low + 1, (int)high - 1, &below, &above);
        assert_true(below > 0.025 - 1e-12); /* neither end could be moved in */
        assert_true(above > 0.025 || high == 0);
    }
}

static void the_quartile_stands_where_half_the_samples_are_spoilt(void **state)
{
    (void)state;
    double x[] = {1.01, 9, 1, 7, 1.02, 8, 1.03, 9, 6};
    assert_true(spw_quartile(x, 9, NULL, NULL) == 1.02);
}

/* A workload that lasts as long as it is told to. */
typedef struct load {
    int calls, prepared, calls_since_prepared, most_in_a_sample;
    double seconds;
} load;

static void work(void *context)
{
    load *l = context;
    l->calls++;
    l->calls_since_prepared++;
    if (l->calls_since_prepared > l->most_in_a_sample)
        l->most_in_a_sample = l->calls_since_prepared;
    const double until = spw_now() + l->seconds;
    while (spw_now() < until) {
    }
}

static void prepare(void *context)
{
    load *l = context;
    l->prepared++;
    l->calls_since_prepared = 0;
}

static void every_sample_is_prepared_and_calls_are_counted(void **state)
{
    (void)state;
    load l = {.seconds = 1e-4};
    const spw_timing t = spw_measure(work, &l, prepare, 0.2);
    assert_true(t.samples >= 5);
    assert_true(t.calls >= 2); /* 0.1 ms is below the 1 ms of a sample */
    assert_true(l.prepared >= t.samples + 1);
    assert_true(l.calls >= t.samples * t.calls + 1);
    assert_int_equal(l.most_in_a_sample, t.calls);
}

static void statistics_are_those_of_one_call(void **state)
{
    (void)state;
    load l = {.seconds = 2e-4};
    const spw_timing t = spw_measure(work, &l, NULL, 0.2);
    assert_true(t.best >= 2e-4); /* it cannot be shorter than what the loop waits */
    assert_true(t.best <= t.low && t.low <= t.median && t.median <= t.high);
}

static void long_calls_are_sampled_one_by_one(void **state)
{
    (void)state;
    load l = {.seconds = 4e-3};
    const spw_timing t = spw_measure(work, &l, NULL, 0);
    assert_int_equal(t.calls, 1);
    assert_int_equal(t.samples, 5); /* no time left, but five there must be */
}

static void nothing(void *context)
{
    ++*(volatile long *)context;
}

static void work_that_takes_no_time_ends(void **state)
{
    (void)state;
    long calls = 0;
    const spw_timing t = spw_measure(nothing, &calls, NULL, 0.05);
    assert_true(t.calls > 1000);
    assert_true(t.median > 0);
    assert_true(calls >= (long)t.calls * t.samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_goes_forward_in_small_steps),
        cmocka_unit_test(median_of_odd_and_even_counts),
        cmocka_unit_test(numbers_are_sorted_in_place),
        cmocka_unit_test(interval_is_the_shortest_that_covers_95_percent),
        cmocka_unit_test(few_samples_give_all_of_them),
        cmocka_unit_test(nine_samples_leave_out_one_at_each_end),
        cmocka_unit_test(large_counts_continue_small_ones),
        cmocka_unit_test(quartile_and_its_interval_agree_with_brute_force),
        cmocka_unit_test(the_quartile_stands_where_half_the_samples_are_spoilt),
        cmocka_unit_test(every_sample_is_prepared_and_calls_are_counted),
        cmocka_unit_test(statistics_are_those_of_one_call),
        cmocka_unit_test(long_calls_are_sampled_one_by_one),
        cmocka_unit_test(work_that_takes_no_time_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

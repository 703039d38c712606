/* The median, its interval against brute force over all outcomes, and turns. */

#include "perf/cpu_time.h"
#include "perf/timer.h"
#include "test.h"

#include <pthread.h>

TEST(clock_goes_forward_in_small_steps) {
    const double from = spw_now();
    double to = from;
    while (to <= from) to = spw_now();
    assert_true(to - from < 0.1);
}

TEST(median_of_odd_and_even_counts) {
    double one[] = {4}, two[] = {3, 1}, three[] = {9, 1, 2}, four[] = {8, 2, 4, 1};
    assert_true(spw_median(one, 1, NULL, NULL) == 4);
    assert_true(spw_median(two, 2, NULL, NULL) == 2);
    assert_true(spw_median(three, 3, NULL, NULL) == 2);
    assert_true(spw_median(four, 4, NULL, NULL) == 3);
}

TEST(numbers_are_sorted_in_place) {
    double x[] = {5, -1, 3, 3, 0};
    spw_median(x, 5, NULL, NULL);
    for (int i = 1; i < 5; i++) assert_true(x[i - 1] <= x[i]);
}

/* Coverage of the interval by trying all outcomes: each of n samples lies above or below the true
 * median with equal chance, so 2^n patterns are equally likely. The interval from the out-th smallest
 * to the out-th largest misses the median where fewer than out + 1 lie on one side. */
static double coverage(int n, int out) {
    long covered = 0;
    for (long pattern = 0; pattern < 1L << n; pattern++) {
        int below = 0;
        for (int i = 0; i < n; i++) below += (int)(pattern >> i & 1);
        covered += below > out && n - below > out;
    }
    return (double)covered / (double)(1L << n);
}

TEST(interval_is_the_shortest_that_covers_95_percent) {
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

TEST(few_samples_give_all_of_them) {
    double x[] = {3, 1, 2, 5, 4}, low, high;
    spw_median(x, 5, &low, &high);
    assert_true(low == 1 && high == 5);
}

TEST(nine_samples_leave_out_one_at_each_end) {
    double x[] = {9, 8, 7, 6, 5, 4, 3, 2, 1}, low, high;
    assert_true(spw_median(x, 9, &low, &high) == 5);
    assert_true(low == 2 && high == 8);
}

/* Beyond 1000 samples a formula takes over: no step there, and symmetric as before. */
TEST(large_counts_continue_small_ones) {
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
static void miss(int n, int low, int high, double *below, double *above) {
    *below = *above = 0;
    for (long pattern = 0; pattern < 1L << n; pattern++) {
        int b = 0;
        for (int i = 0; i < n; i++) b += (int)(pattern >> i & 1);
        const double chance = pow(0.25, b) * pow(0.75, n - b);
        if (b <= low) *below += chance;
        if (b > high) *above += chance;
    }
}

TEST(quartile_and_its_interval_agree_with_brute_force) {
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

TEST(the_quartile_stands_where_half_the_samples_are_spoilt) {
    double x[] = {1.01, 9, 1, 7, 1.02, 8, 1.03, 9, 6};
    assert_true(spw_quartile(x, 9, NULL, NULL) == 1.02);
}

TEST(samples_last_ten_milliseconds) {
    assert_int_equal(spw_sample_calls(3.0), 1);
    assert_int_equal(spw_sample_calls(0.01), 1);
    assert_int_equal(spw_sample_calls(0.004), 3);
    assert_int_equal(spw_sample_calls(0), 1000000);
}

/* Who had a turn, in which order. */
typedef struct turns {
    int n, stops_at, who[SPW_MOST_TURNS];
} turns;

static bool turn(void *context, int who) {
    turns *l = context;
    l->who[l->n++] = who;
    return who != l->stops_at;
}

TEST(everybody_has_one_turn_a_block_in_an_order_of_its_own) {
    int other_orders = 0, first[5] = {0};
    turns before = {.stops_at = -1};
    for (int block = 0; block < 200; block++) {
        turns l = {.stops_at = -1};
        bool had[5] = {false};
        assert_true(spw_by_turns(5, 7, block, turn, &l));
        assert_int_equal(l.n, 5);
        for (int k = 0; k < 5; k++) had[l.who[k]] = true;
        for (int k = 0; k < 5; k++) assert_true(had[k]);
        first[l.who[0]]++;
        other_orders += memcmp(l.who, before.who, sizeof l.who) != 0;
        before = l;
    }
    assert_true(other_orders > 150);
    for (int k = 0; k < 5; k++) assert_in_range(first[k], 15, 75); /* 40 each, on average */
}

TEST(a_turn_may_end_its_block) {
    turns l = {.stops_at = 3};
    assert_false(spw_by_turns(6, 1, 0, turn, &l));
    assert_int_equal(l.who[l.n - 1], 3);
}

static volatile int goes_on;

static void *spins(void *until) {
    while (*(volatile int *)until) continue;
    return NULL;
}

static void *sleeps(void *until) {
    while (*(volatile int *)until) nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    return NULL;
}

TEST(a_thread_that_waits_for_a_processor_is_at_work_and_one_that_sleeps_is_not) {
    pthread_t thread;
    void *(*const each[])(void *) = {sleeps, spins};
    for (int k = 0; k < 2; k++) {
        goes_on = 1;
        assert_int_equal(pthread_create(&thread, NULL, each[k], (void *)(uintptr_t)&goes_on), 0);
        int least = 2;
        for (int look = 0; look < 200 && least > 1 && (k == 0 || look < 5); look++) {
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            least = spw_threads_at_work();
        }
        goes_on = 0;
        pthread_join(thread, NULL);
        assert_int_equal(least, 1 + k);
    }
}

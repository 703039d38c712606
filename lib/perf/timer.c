/* The clock, the median with its interval, and a measurement that goes on until it is stable. */
#include "perf/timer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { MIN_SAMPLES = 5, MAX_SAMPLES = 1000, EXACT_UP_TO = 1000 };

double spw_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double spw_clock_step(void)
{
    double step = 1;
    for (int i = 0; i < 100; i++) {
        const double from = spw_now();
        double to = from;
        while (to <= from) to = spw_now();
        if (to - from < step) step = to - from;
    }
    return step;
}

static int ascending(const void *left, const void *right)
{
    const double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

/* How many of n sorted numbers may be left out at each end such that the rest still covers the median
 * with 95 %: the largest j with P(B <= j) <= 2.5 %, where B counts the heads in n fair throws; 0 where
 * there is none. */
static int ranks_left_out(int n)
{
    if (n > EXACT_UP_TO) { /* the terms underflow; the normal distribution is as good by now */
        return (int)floor(0.5 * (n - 1.96 * sqrt(n))) - 1;
    }
    double term = ldexp(1, -n), sum = term; /* P(B = j) and P(B <= j), j = 0 */
    int j = 0;
    while (sum <= 0.025) {
        j++;
        term *= (double)(n - j + 1) / j;
        sum += term;
    }
    return j > 0 ? j - 1 : 0;
}

double spw_median(double *x, int n, double *low, double *high)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    const int out = ranks_left_out(n);
    if (low) *low = x[out];
    if (high) *high = x[n - 1 - out];
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double spw_quartile(double *x, int n, double *low, double *high)
{
    const double q = 0.25;
    qsort(x, (size_t)n, sizeof *x, ascending);
    /* B of n samples lie at or below the true quartile, B binomial: x[first] .. x[last] covers it unless
     * B <= first or B > last, each with a chance of 2.5 % at most (as near as n allows). */
    double sum = 0;
    int first = 0, last = n - 1;
    for (int b = 0; b < n; b++) {
        sum += exp(lgamma(n + 1.0) - lgamma(b + 1.0) - lgamma(n - b + 1.0) + b * log(q) +
                   (n - b) * log(1 - q)); /* P(B <= b) */
        if (sum <= 0.025) first = b;
        if (sum >= 0.975) {
            last = b;
            break;
        }
    }
    if (low) *low = x[first];
    if (high) *high = x[last];
    return x[(n - 1) / 4];
}

static double sample(void (*work)(void *), void *context, void (*prepare)(void *), int calls)
{
    if (prepare) prepare(context);
    const double begin = spw_now();
    for (int i = 0; i < calls; i++) work(context);
    return spw_now() - begin;
}

spw_timing spw_measure(void (*work)(void *), void *context, void (*prepare)(void *),
                       double max_seconds)
{
    const double begin = spw_now(), enough = fmax(1e-3, 1000 * spw_clock_step());
    double seconds[MAX_SAMPLES], sorted[MAX_SAMPLES];
    spw_timing t = {.calls = 1};

    (void)sample(work, context, prepare, 1);
    for (;;) { /* the first sample that is long enough is kept */
        seconds[0] = sample(work, context, prepare, t.calls);
        if (seconds[0] >= enough || t.calls > 1 << 28) break;
        const double more = seconds[0] > 0 ? 1.2 * enough / seconds[0] : 10;
        t.calls = (int)ceil(t.calls * fmin(fmax(more, 1.2), 10));
    }
    for (t.samples = 1;; t.samples++) {
        if (t.samples > 1) seconds[t.samples - 1] = sample(work, context, prepare, t.calls);
        if (t.samples < MIN_SAMPLES) continue;
        for (int i = 0; i < t.samples; i++) sorted[i] = seconds[i] / t.calls;
        t.median = spw_median(sorted, t.samples, &t.low, &t.high);
        t.best = sorted[0];
        if (t.low >= 0.98 * t.median && t.high <= 1.02 * t.median) break;
        if (t.samples == MAX_SAMPLES || spw_now() - begin > max_seconds) break;
    }
    return t;
}

/* The clock, the median and the quartile with their intervals, and turns in random order. */
#include "perf/timer.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { EXACT_UP_TO = 1000 };
static const double SAMPLE_SECONDS = 0.01;

double spw_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *left, const void *right) {
    const double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

/* How many of n sorted numbers may be left out at each end such that the rest still covers the median
 * with 95 %: the largest j with P(B <= j) <= 2.5 %, where B counts the heads in n fair throws; 0 where
 * there is none. */
static int ranks_left_out(int n) {
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

double spw_median(double *x, int n, double *low, double *high) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    const int out = ranks_left_out(n);
    if (low) *low = x[out];
    if (high) *high = x[n - 1 - out];
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double spw_quartile(double *x, int n, double *low, double *high) {
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

int spw_sample_calls(double seconds_a_call) {
    const double calls = ceil(SAMPLE_SECONDS / fmax(seconds_a_call, 1e-8));
    return calls > 1 ? (int)fmin(calls, 1e6) : 1;
}

bool spw_by_turns(int n, uint64_t seed, int block, bool (*turn)(void *context, int who),
                  void *context) {
    int order[SPW_MOST_TURNS] = {0};
    for (int k = 0; k < n; k++) {
        const uint64_t number = (uint64_t)block * SPW_MOST_TURNS + (uint64_t)k;
        const int other = (int)spw_random_below(seed, number, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (int k = 0; k < n; k++)
        if (!turn(context, order[k])) return false;
    return true;
}

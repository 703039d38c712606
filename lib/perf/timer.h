/* perf/timer.h -- the clock, and a measurement that goes on until it is stable. */
#ifndef SPW_PERF_TIMER_H
#define SPW_PERF_TIMER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of a clock that never jumps (CLOCK_MONOTONIC). */
double spw_now(void);

/* Smallest step of that clock seen on this machine, in seconds. */
double spw_clock_step(void);

typedef struct spw_timing {
    double median; /* seconds a call */
    double low,
        high;    /* distribution-free interval of the median, 95 % or as near as samples allow */
    double best; /* the smallest sample */
    int samples;
    int calls; /* calls a sample: enough that one lasts 1 ms or 1000 clock steps */
} spw_timing;

/* Calls work(context) once to warm up and then in samples, until the interval is within 2 % of the
 * median or max_seconds have passed; at least 5 samples. prepare, if not NULL, runs before each
 * sample, outside the clock. */
spw_timing spw_measure(void (*work)(void *), void *context, void (*prepare)(void *),
                       double max_seconds);

/* Median and its distribution-free interval (order statistics of the binomial distribution) of n >= 1
 * numbers; x is sorted in place. low and high may be NULL.
 * Source: T. Hoefler, R. Belli, SC 2015, doi:10.1145/2807591.2807644, rule 5 and section 3.1.3. */
double spw_median(double *x, int n, double *low, double *high);

/* The lower quartile and its distribution-free interval, likewise. What disturbs a measurement makes it
 * longer and never shorter, so on a busy machine the fast quarter of the samples says more than the
 * middle: with half of them spoilt the median is spoilt, too. x is sorted in place; n >= 1. */
double spw_quartile(double *x, int n, double *low, double *high);

#ifdef __cplusplus
}
#endif

#endif

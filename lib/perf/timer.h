/* perf/timer.h -- the clock, samples taken by turns, and what they come to. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

/* Seconds of a clock that never jumps (CLOCK_MONOTONIC). */
double spw_now(void);

/* Calls that make a sample long enough for the clock and for a scheduler's tick: 10 ms, at least one call. */
int spw_sample_calls(double seconds_a_call);

/* How those that do the same job are timed: in blocks. A block takes one turn of each of 0 .. n-1, n <= SPW_MOST_TURNS,
 * in an order that seed and block give, so that what the machine does to one it does to all. Figures are lower
 * quartiles (below). False where a turn returned false, which ends the block. */
enum { SPW_MOST_TURNS = 64 };
bool spw_by_turns(int n, uint64_t seed, int block, bool (*turn)(void *context, int who),
                  void *context);

/* Median and its distribution-free interval (order statistics of the binomial distribution) of n >= 1
 * numbers; x is sorted in place. low and high may be NULL.
 * Source: T. Hoefler, R. Belli, SC 2015, doi:10.1145/2807591.2807644, rule 5 and section 3.1.3. */
double spw_median(double *x, int n, double *low, double *high);

/* The lower quartile and its distribution-free interval, likewise. What disturbs a measurement makes it
 * longer and never shorter, so on a busy machine the fast quarter of the samples says more than the
 * middle: with half of them spoilt the median is spoilt, too. x is sorted in place; n >= 1. */
double spw_quartile(double *x, int n, double *low, double *high);

SPW_C_END

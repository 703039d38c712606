/* Exercise 1, GPU part: what stream.cu must define. Pointers with d_ point to memory of the device. */
#pragma once

#include "base/extern_c.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

/* Blocks that sum launches first, whatever n and whatever the GPU: the order of its additions depends on
 * nothing else, so the result is the same everywhere, to the last bit. */
enum { SUM_BLOCKS = 128 };

/* The least bytes and the flops of one call, {load, store, flop}: every array is moved once. */
spw_cost triad_cost(int64_t n);
spw_cost sum_cost(int64_t n);

/* a[i] = b[i] + s * c[i]
 *   d_b, d_c  [n]
 *   d_a       [n], overwritten: it holds garbage on entry
 * n may be 0. Returns when the kernel is launched; it need not be done. */
void triad(int64_t n, double s, const double *d_b, const double *d_c, double *d_a);

/* sum = a[0] + ... + a[n-1]; 0 for n = 0.
 *   d_a     [n]
 *   d_part  [SUM_BLOCKS], room for the sums of blocks; it holds garbage on entry
 *   d_sum   [1], overwritten: it holds garbage on entry */
void sum(int64_t n, const double *d_a, double *d_part, double *d_sum);

SPW_C_END

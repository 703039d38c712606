/* Exercise 4: what gpu_first.cu must define. Pointers with d_ point to memory of the device. */
#pragma once

#include "base/extern_c.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

/* The least bytes and the flops of one call, {load, store, flop}: every array is moved once. */
spw_cost axpby_cost(int64_t n);
spw_cost dot_cost(int64_t n);

/* y = a x + b y.
 *   d_x  [n], does not overlap d_y
 *   d_y  [n], read and overwritten
 * n may be 0. Returns when the kernel is launched; it need not be done. */
void axpby(int64_t n, double a, const double *d_x, double b, double *d_y);

/* result = x[0] y[0] + ... + x[n-1] y[n-1].
 *   d_x, d_y  [n]
 *   d_result  [1], overwritten: it holds garbage on entry; 0 if n is 0 */
void dot(int64_t n, const double *d_x, const double *d_y, double *d_result);

SPW_C_END

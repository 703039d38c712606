/* kernels/blas1.h -- operations on vectors: each element is used once, so memory sets the speed.
 *
 *            computes            bytes an element  (+ write-allocate)   flops
 *     copy   y = x               16                +8                   0
 *     sum    sum of x[i]          8                                     1
 *     dot    sum of x[i] y[i]    16                                     2
 *     triad  a = b + s c         24                +8                   2
 *     axpby  y = a x + b y       24                                     3
 *
 * For all: n >= 0; arrays of n elements, any alignment; inputs and outputs do not overlap (in axpby y
 * is both). With n = 0 nothing is touched, and pointers may be NULL. _ref is the obvious serial loop;
 * _omp shares it among the threads as schedule(static) does, so that the thread that touched a page
 * first works on it. Further ideas have a suffix; kernels.h lists them all with gain and cost.
 *
 * dot and sum add in another order for another number of threads; each order is within the rounding
 * bound n eps sum |x[i] y[i]| (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
 * section 3.1, doi:10.1137/1.9780898718027). OpenMP adds up the threads' sums as they arrive, so that the last
 * bits of _omp may differ from run to run; _omp_prefetch adds them in the threads' order. Source of the
 * operations: C. L. Lawson et al., ACM Trans. Math. Softw. 5(3), 308-323, 1979, doi:10.1145/355841.355847; of
 * copy, sum and triad as benchmarks: J. D. McCalpin, IEEE TCCA Newsletter, 19-25, December 1995. */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

typedef void spw_axpby_fn(int64_t n, double a, const double *x, double b, double *y);
typedef double spw_dot_fn(int64_t n, const double *x, const double *y);
typedef void spw_copy_fn(int64_t n, const double *x, double *y);
typedef double spw_sum_fn(int64_t n, const double *x);
typedef void spw_triad_fn(int64_t n, double s, const double *b, const double *c, double *a);

/* y = a x + b y. With b = 0 y is still read: a NaN in it stays. */
spw_axpby_fn spw_axpby_ref, spw_axpby_omp;

/* x . y; 0 for n = 0. x and y may be the same array. */
spw_dot_fn spw_dot_ref, spw_dot_omp, spw_dot_omp_prefetch;

/* y = x */
spw_copy_fn spw_copy_ref, spw_copy_omp, spw_copy_omp_bypass;

/* x[0] + ... + x[n-1]; 0 for n = 0. */
spw_sum_fn spw_sum_ref, spw_sum_omp, spw_sum_omp_prefetch;

/* a = b + s c. b and c may be the same array. */
spw_triad_fn spw_triad_ref, spw_triad_omp, spw_triad_omp_bypass;

SPW_C_END

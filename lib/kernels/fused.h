/* kernels/fused.h -- what an iterative solver does with vectors between two products, in one pass each.
 *
 * A vector that two BLAS-1 calls in a row use comes from memory twice; merged, once. Bytes an element:
 *
 *                        computes                                      bytes   BLAS-1   flops
 *     scal               x = a x                                         16              1
 *     diag               y = d x, element by element                     24 (+8 WA)      1
 *     diag_dot           the same, and x . y                             24 (+8) 40      3
 *     cg_step            x += a p; r -= a q; r . r                       48      56      6
 *     bicgstab_direction p = r + b (p - w v)                             32      64      4
 *     bicgstab_half      r -= a v; r . r                                 24      32      4
 *     bicgstab_step      x += a p + w r; r -= w t; c . r; r . r          56      96     10
 *
 * BLAS-1 is the sum over calls of scal, axpy and dot for the same. (+8 WA): write-allocate. bicgstab_direction by
 * scal and two axpy reads 5 n and writes 3 n elements; merged it reads 3 n and writes n. In bicgstab_step s is r as
 * it comes in; with a preconditioner it is M^-1 r, another array, and 8 bytes more.
 *
 * For all: n >= 0; arrays of n elements, any alignment; outputs overlap nothing. With n = 0 nothing is
 * touched, sums are 0, and pointers may be NULL. _ref is the obvious serial loop; _omp shares it among the
 * threads as schedule(static) does. Sums are added in the order of the threads: with the same number of
 * threads they have the same bits in every run. */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

typedef void spw_scal_fn(int64_t n, double a, double *x);
typedef void spw_diag_fn(int64_t n, const double *d, const double *x, double *y);
typedef double spw_diag_dot_fn(int64_t n, const double *d, const double *x, double *y);
typedef double spw_cg_step_fn(int64_t n, double a, const double *p, const double *q, double *x,
                              double *r);
typedef void spw_bicgstab_direction_fn(int64_t n, double b, double w, const double *r,
                                       const double *v, double *p);
typedef double spw_bicgstab_half_fn(int64_t n, double a, const double *v, double *r);
typedef double spw_bicgstab_step_fn(int64_t n, double a, double w, const double *p, const double *s,
                                    const double *t, const double *c, double *x, double *r,
                                    double *c_r);

/* x = a x. With a = 0 x is still read: a NaN in it stays. */
spw_scal_fn spw_scal_ref, spw_scal_omp;

/* y[i] = d[i] x[i] */
spw_diag_fn spw_diag_ref, spw_diag_omp;

/* The same; returns x . y. */
spw_diag_dot_fn spw_diag_dot_ref, spw_diag_dot_omp;

/* x += a p; r -= a q; returns r . r. p and q may be the same array. */
spw_cg_step_fn spw_cg_step_ref, spw_cg_step_omp;

/* p = r + b (p - w v). r and v may be the same array. */
spw_bicgstab_direction_fn spw_bicgstab_direction_ref, spw_bicgstab_direction_omp;

/* r -= a v; returns r . r. */
spw_bicgstab_half_fn spw_bicgstab_half_ref, spw_bicgstab_half_omp;

/* x += a p + w s; r -= w t; *c_r = c . r; returns r . r. s may be r, and inputs may be the same array. */
spw_bicgstab_step_fn spw_bicgstab_step_ref, spw_bicgstab_step_omp;

SPW_C_END

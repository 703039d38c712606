/* kernels/spmv_with_dots.h -- y = A x together with the sums over y that an iterative solver wants next.
 *
 * y is written anyway; taken along, its sums cost no further pass: w . y alone would read 16 bytes a row (8 if
 * w is x, which the product has just used), and y . y 8 more.
 * A is square and valid; x, w and y have n_rows elements, y overlaps neither, w may be x. Sums are added in
 * the order of the threads. Each thread has whole rows, an equal share of entries and rows: where a single row
 * holds a good part of all entries the others wait, and spw_spmv_csr_omp_balanced with two dots is better.
 * For SELL with short indices C is 8, 16 or 32, and the kernel the one of spw_spmv_sell_short_omp. */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "formats/sbcsr.h"
#include "formats/sdia.h"
#include "formats/sell_short.h"
#include "kernels/spmv.h"

SPW_C_BEGIN

/* *w_y = w . y, and *y_y = y . y. */
typedef void spw_spmv_with_dots_csr_fn(const spw_csr *A, const double *x, const double *w,
                                       double *y, double *w_y, double *y_y);
typedef void spw_spmv_with_dots_sell_short_fn(const spw_sell_short *A, const double *x,
                                              const double *w, double *y, double *w_y, double *y_y);

spw_spmv_with_dots_csr_fn spw_spmv_with_dots_csr_ref, spw_spmv_with_dots_csr_omp;
spw_spmv_with_dots_sell_short_fn spw_spmv_with_dots_sell_short_ref,
    spw_spmv_with_dots_sell_short_omp;

typedef void spw_spmv_with_dots_sbcsr_fn(const spw_sbcsr *A, const double *x, const double *w,
                                         double *y, double *w_y, double *y_y);
spw_spmv_with_dots_sbcsr_fn spw_spmv_with_dots_sbcsr_ref, spw_spmv_with_dots_sbcsr_omp;

typedef void spw_spmv_with_dots_sdia_fn(const spw_sdia *A, const double *x, const double *w,
                                        double *y, double *w_y, double *y_y);
spw_spmv_with_dots_sdia_fn spw_spmv_with_dots_sdia_ref, spw_spmv_with_dots_sdia_omp;

/* y = A x, and x . y alone, which is what a step of conjugate gradients needs. */
static inline double spw_spmv_with_dot_csr_omp(const spw_csr *A, const double *x, double *y) {
    double x_y, y_y;
    spw_spmv_with_dots_csr_omp(A, x, x, y, &x_y, &y_y);
    return x_y;
}

SPW_C_END

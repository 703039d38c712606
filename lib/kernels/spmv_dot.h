/* kernels/spmv_dot.h -- y = A x together with x . y, in one pass: what a step of conjugate gradients needs.
 *
 *     | 5 1 . |   | 1 |   |  7 |
 *     | . . 4 | x | 2 | = | 12 |      x . y = 1 * 7 + 2 * 12 + 3 * 7 = 52, the value returned
 *     | 7 . . |   | 3 |   |  7 |
 *
 * For all: the contract of kernels/spmv.h, and A is square. A row's product is added as soon as its y is
 * known, while both are in registers: nothing is read twice, and the 16 n bytes that a separate dot would
 * read are saved. Cost: that of SpMV in bytes; 2 nnz + 2 n flops.
 *
 * The bits of y are those of SpMV in the same format, whatever the number of threads. The product is added
 * up within each share of rows, then over the shares in their order: the same number of threads gives
 * the same bits in every run, another number may give others. All are within the rounding bound of a
 * dot product, n eps sum |x[i] y[i]|, of the y that was computed. */
#ifndef SPW_KERNELS_SPMV_DOT_H
#define SPW_KERNELS_SPMV_DOT_H

#include "formats/csr.h"
#include "formats/sell.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef double (*spw_spmv_dot_csr_fn)(const spw_csr *A, const double *x, double *y);
typedef double (*spw_spmv_dot_sell_fn)(const spw_sell *A, const double *x, double *y);

/* CSR.
 *   omp  equal numbers of rows a thread, each row as in spw_spmv_csr_omp_prefetch */
double spw_spmv_dot_csr_ref(const spw_csr *A, const double *x, double *y);
double spw_spmv_dot_csr_omp(const spw_csr *A, const double *x, double *y);

/* SELL-C-sigma.
 *   omp  as spw_spmv_sell_omp_pairs for C = 8, 16 and 32; other C row after row, equal numbers a thread */
double spw_spmv_dot_sell_ref(const spw_sell *A, const double *x, double *y);
double spw_spmv_dot_sell_omp(const spw_sell *A, const double *x, double *y);

#ifdef __cplusplus
}
#endif

#endif

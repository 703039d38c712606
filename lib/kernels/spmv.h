/* kernels/spmv.h -- sparse matrix times vector, y = A x.
 *
 *     | 5 1 . |   | 1 |   |  7 |
 *     | . . 4 | x | 2 | = | 12 |
 *     | 7 . . |   | 3 |   |  7 |
 *
 * For all: A is valid (spw_csr_validate, spw_coo_validate; not checked here), x has n_cols elements, y
 * has n_rows and is overwritten, never read: a row without entries gives 0. y overlaps neither x nor A.
 *
 * Least traffic of CSR: 12 nnz + 4 (n_rows + 1) for the matrix, 8 n_cols for x if every element comes
 * from memory once, 8 n_rows for y (+ 8 n_rows write-allocate); 2 nnz flops.
 * Of COO: 16 nnz for the matrix, and y is set to zero and then updated.
 *
 * Each kernel's error is within 2 k eps (|A||x|)_i for row i, k its entries + 1 (task/cases.h). */
#ifndef SPW_KERNELS_SPMV_H
#define SPW_KERNELS_SPMV_H

#include "formats/coo.h"
#include "formats/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*spw_spmv_coo_fn)(const spw_coo *A, const double *x, double *y);
typedef void (*spw_spmv_csr_fn)(const spw_csr *A, const double *x, double *y);

/* COO in any order, with positions that come more than once.
 *   omp        shares the entries. Neighbouring entries of one row are added up first, then their sum
 *              goes to y by one atomic: cheap where rows are together, one atomic an entry (some ten
 *              times a plain addition) where the order is random. The order of the atomics differs
 *              from run to run, and so may the last bits of y.
 *   omp_owner  shares the rows: every thread looks at all entries and adds those of its own rows. No
 *              atomics, the same bits for any number of threads; but the matrix is read once a thread,
 *              so that it pays with few threads only. */
void spw_spmv_coo_ref(const spw_coo *A, const double *x, double *y);
void spw_spmv_coo_omp(const spw_coo *A, const double *x, double *y);
void spw_spmv_coo_omp_owner(const spw_coo *A, const double *x, double *y);

/* CSR.
 *   omp           equal numbers of rows a thread, the plain loop.
 *   omp_prefetch  the same share, and each row by csr_row.h: four sums side by side, val and col_idx
 *                 fetched some KiB ahead. The bits of y do not depend on the number of threads.
 *   omp_balanced  equal shares of entries and rows a thread (kernels/partition.h); a row of 1024
 *                 entries and more may be shared by threads, its bits then depend on their number.
 *
 * What uneven rows cost omp_balanced, in time an entry against even rows with as many entries and
 * columns spread alike (AMD EPYC, Zen 5, family 26 model 2, 2 vCPU KVM virtual machine, 24 GB, gcc 12.2,
 * 2026-11-20; `make bench` measures the first two):
 *     arrow:20000000     against tridiag:20000000             1.11
 *     powerlaw:3000000   against random:3000000x3000000x26    0.91    x is larger than the caches
 *     powerlaw:1000000   against random:1000000x1000000x24    1.43    x fits: what is left is a
 *                        wrongly predicted branch at the end of each row, as its length is a surprise */
void spw_spmv_csr_ref(const spw_csr *A, const double *x, double *y);
void spw_spmv_csr_omp(const spw_csr *A, const double *x, double *y);
void spw_spmv_csr_omp_prefetch(const spw_csr *A, const double *x, double *y);
void spw_spmv_csr_omp_balanced(const spw_csr *A, const double *x, double *y);

#ifdef __cplusplus
}
#endif

#endif

/* kernels/spmv.h -- sparse matrix times vector, y = A x.
 *
 *     | 5 1 . |   | 1 |   |  7 |
 *     | . . 4 | x | 2 | = | 12 |
 *     | 7 . . |   | 3 |   |  7 |
 *
 * For all: A is valid (spw_csr_validate and its like; not checked here), x has n_cols elements, y
 * has n_rows and is overwritten, never read: a row without entries gives 0. y overlaps neither x nor A.
 *
 * Least traffic of CSR: 12 nnz + 4 (n_rows + 1) for the matrix, 8 n_cols for x if every element comes
 * from memory once, 8 n_rows for y (+ 8 n_rows write-allocate); 2 nnz flops.
 * Of COO: 16 nnz for the matrix, and y is set to zero and then updated.
 * Of ELL, SELL, SELL-P, SELL-S and SBCSR: their spw_..._bytes for the matrix, which count the padding; x and y
 * as above.
 * Padding is 0 times an element of x that its row uses anyway (x[0] if the row is empty): where that is
 * infinite or NaN, so is y.
 *
 * Each kernel's error is within what any order of summation may have: spw_spmv_expected in kit/cases.h. */
#pragma once

#include "base/extern_c.h"
#include "formats/coo.h"
#include "formats/csr.h"
#include "formats/ell.h"
#include "formats/sbcsr.h"
#include "formats/sdia.h"
#include "formats/sell.h"
#include "formats/sellp.h"
#include "formats/sell_short.h"

SPW_C_BEGIN

typedef void spw_spmv_coo_fn(const spw_coo *A, const double *x, double *y);
typedef void spw_spmv_csr_fn(const spw_csr *A, const double *x, double *y);
typedef void spw_spmv_ell_fn(const spw_ell *A, const double *x, double *y);
typedef void spw_spmv_sell_fn(const spw_sell *A, const double *x, double *y);
typedef void spw_spmv_sellp_fn(const spw_sellp *A, const double *x, double *y);
typedef void spw_spmv_sell_short_fn(const spw_sell_short *A, const double *x, double *y);
typedef void spw_spmv_sbcsr_fn(const spw_sbcsr *A, const double *x, double *y);
typedef void spw_spmv_sdia_fn(const spw_sdia *A, const double *x, double *y);

/* COO in any order, with positions that come more than once.
 *   omp        shares the entries. Neighbouring entries of one row are added up first, then their sum
 *              goes to y by one atomic: cheap where rows are together, one atomic an entry (some ten
 *              times a plain addition) where the order is random. The order of the atomics differs
 *              from run to run, and so may the last bits of y. */
spw_spmv_coo_fn spw_spmv_coo_ref, spw_spmv_coo_omp;

/* CSR.
 *   omp           equal numbers of rows a thread, the plain loop.
 *   omp_balanced  equal shares of entries and rows a thread (kernels/schedule/partition.h), each row by csr_row.h:
 *                 eight sums side by side, val and col_idx fetched some KiB ahead. A row of 1024 entries and more may be
 *                 shared by threads, its bits then depend on their number.
 *
 * What uneven rows cost omp_balanced, in time an entry against even rows with as many entries and
 * columns spread alike (AMD EPYC, Zen 5, family 26 model 2, 2 vCPU KVM virtual machine, 24 GB, gcc 12.2,
 * 2026-11-20; `make bench` measures the first two):
 *     arrow:20000000     against tridiag:20000000             1.06 to 1.16
 *     powerlaw:3000000   against random:3000000x3000000x26    0.85    x is larger than the caches
 *     powerlaw:1000000   against random:1000000x1000000x24    1.38    x fits: what is left is a
 *                        wrongly predicted branch at the end of each row, as its length is a surprise */
spw_spmv_csr_fn spw_spmv_csr_ref, spw_spmv_csr_omp, spw_spmv_csr_omp_balanced;

/* ELL, SELL-C-sigma and SELL-P: rows side by side, so that a vector register holds sums of several rows
 * and nothing is left to add up at a row's end. All give the same bits for any number of threads.
 *   ell_omp            64 rows at a time, so that their sums stay in the L1 cache
 *   sell_omp           equal numbers of chunks a thread, the plain loop
 *   sell_omp_pairs     two chunks at a time, four streams instead of two (expert/slice_pairs.h); C = 8, 16 and
 *                      32, other C as sell_omp
 *   sellp_omp          as sell_omp. SELL-P is made for GPUs: here its t only adds padding */
spw_spmv_ell_fn spw_spmv_ell_ref, spw_spmv_ell_omp;
spw_spmv_sell_fn spw_spmv_sell_ref, spw_spmv_sell_omp, spw_spmv_sell_omp_pairs;
spw_spmv_sellp_fn spw_spmv_sellp_ref, spw_spmv_sellp_omp;

/* SELL with short column indices. The same bits for any number of threads.
 *   omp  as sell_omp_pairs; C is 8, 16 or 32
 * Speed against the roof of CSR, that is, the time in which the best load loop reads CSR, x and y once; C = 8,
 * sigma = 1, two threads: stencil27:148 119 %, fem3:72 111 %, laplace3d:230 111 %; sell_omp_pairs 105, 95 and 90 %
 * (Intel Xeon, family 6 model 143, 2 vCPU KVM virtual machine with other work on it, 24 GB, gcc 12.2, 2026-11-21;
 * seconds of CPU of the slower thread, medians of 9). */
spw_spmv_sell_short_fn spw_spmv_sell_short_ref, spw_spmv_sell_short_omp;

/* SBCSR, for symmetric A. The parts are the matrix's: the same bits for any number of threads.
 *   omp  parts among the threads; for b = 3 and 4 rows of blocks in registers; else loops over elements
 * fem3:56, two threads: 1.9 times as fast as sell_omp_pairs, 1.6 times sell_short_omp; in a run of `make bench` 2.4
 * times PETSc 3.18's SBAIJ on two ranks. (Intel Xeon, family 6 model 143, 2 vCPU KVM virtual
 * machine with other work on it, 24 GB, gcc 12.2, 2026-11-21; seconds of CPU of the slower thread, medians of 11;
 * those of the bench: time of the clock.) */
spw_spmv_sbcsr_fn spw_spmv_sbcsr_ref, spw_spmv_sbcsr_omp;

/* SDIA, for symmetric A. The same bits for any number of threads. omp: sixteen rows at a time, all diagonals. */
spw_spmv_sdia_fn spw_spmv_sdia_ref, spw_spmv_sdia_omp;

SPW_C_END

/* kernels/spmm.h -- sparse matrix times a block of vectors, Y = A X.
 *
 *     | 5 1 . |   | 1 10 |   |  7  70 |      X: n_cols x nv, Y: n_rows x nv, here nv = 2.
 *     | . . 4 | x | 2 20 | = | 12 120 |      Row-major: the values that the vectors have in one row
 *     | 7 . . |   | 3 30 |   |  7  70 |      lie side by side, X = 1 10 2 20 3 30.
 *
 * X[j * ldx + v] is element j of vector v, Y[i * ldy + v] element i of result v, v = 0 .. nv-1, with
 * leading dimensions ldx, ldy >= nv. What lies between nv and the leading dimension is neither read nor
 * written. An entry of A fetches one place of X for all vectors; column-major it would fetch nv.
 *
 * For all: A is valid (not checked here), nv >= 1, Y is overwritten, never read: a row without entries
 * gives 0. Y overlaps neither X nor A. Padding is 0 times a row of X that its row uses anyway.
 *
 * Least traffic, with n_stored = nnz / beta entries of a padded format: 12 n_stored for the matrix,
 * 4 (n_rows + 1) for row_ptr (4 (n_slices + 1) for slice_ptr), 8 nv n_cols for X if each row of it comes
 * from memory once, 8 nv n_rows for Y (+ 8 nv n_rows write-allocate); 2 nv nnz flops. With n rows and
 * columns and r entries a row that is, per entry and vector,
 *     I(nv) = 2 nv / (12 / beta + (4 + 16 nv) / r) flop/byte:
 * for r = 27 from 0.16 with one vector to 1.4 with 16 and, at most, r / 8 = 3.4.
 *
 * Each element's error is within what any order of summation may have: spw_spmv_expected in kit/cases.h.
 * Source: H. Anzt, S. Tomov, J. Dongarra, Int. J. High Perform. Comput. Appl. 31(5), 375-390, 2017,
 * doi:10.1177/1094342016672081, who find row-major blocks and a transposition faster than column-major ones. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "formats/csr.h"
#include "formats/sellp.h"

#include <stdint.h>

SPW_C_BEGIN

typedef void spw_spmm_csr_fn(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y,
                             int64_t ldy);
typedef void spw_spmm_sellp_fn(const spw_sellp *A, spw_idx nv, const double *X, int64_t ldx,
                               double *Y, int64_t ldy);

/* All omp kernels give the same bits for any number of threads.
 *   omp            rows among the cores; the sums of a row are in its row of Y, in the L1 cache
 *   omp_registers  the sums of a row are in registers, up to eight of them at a time; A and X are
 *                  fetched ahead; equal shares of entries and rows, but a row is not shared
 *   omp_bypass     the same, and Y is written past the caches. It needs nv, ldy and Y to be multiples
 *                  of a register (spw_vec, 64 bytes with AVX-512); else it is omp_registers */
spw_spmm_csr_fn spw_spmm_csr_ref, spw_spmm_csr_omp, spw_spmm_csr_omp_registers,
    spw_spmm_csr_omp_bypass;

/* SELL-P. Its slices serve SpMV, whose registers hold sums of several rows; here a register holds sums
 * of one row for several vectors, so that padding is all that the format adds. */
spw_spmm_sellp_fn spw_spmm_sellp_ref, spw_spmm_sellp_omp, spw_spmm_sellp_omp_registers,
    spw_spmm_sellp_omp_bypass;

/* --- what it costs to come from column-major blocks and to go back ------------------------------- */

/* to = the transpose of from: to[j * ldto + i] = from[i * ldfrom + j].
 *   from  m x n, row-major, ldfrom >= n
 *   to    n x m, row-major, ldto >= m; overwritten, does not overlap from
 * A column-major block of nv vectors is the row-major array of nv rows: m = nv makes it row-major.
 * Moves 8 m n bytes each way (+ 8 m n write-allocate).
 *   omp          rows of `to` among the cores: an element of each line of `from` at a time
 *   omp_blocked  tiles of lines, so that each line of both arrays is moved once; `to` is written past the
 *                caches where its rows begin at registers */
typedef void spw_transpose_fn(int64_t m, int64_t n, const double *from, int64_t ldfrom, double *to,
                              int64_t ldto);

spw_transpose_fn spw_transpose_ref, spw_transpose_omp, spw_transpose_omp_blocked;

SPW_C_END

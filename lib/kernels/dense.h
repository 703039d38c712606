/* kernels/dense.h -- dense matrix times vector, and times matrix.
 *
 * Matrices are row-major. dgemv: A is m x n without gaps, A[i][j] is A[i * n + j]. Every entry is used
 * once: 8 bytes and 2 flops each, so that memory sets the speed as soon as A is larger than the caches.
 * dgemm: A[i][p] is A[i * lda + p], where the leading dimension lda is the distance of two rows, so that
 * a block of a larger matrix is a matrix, too. Every entry is used n or m times: 2 m n k flops for
 * 8 (m k + k n + m n) bytes, so that arithmetic sets the speed, for who keeps blocks in a cache. */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

/* y = A x.
 *   A  [m * n]  m, n >= 0
 *   x  [n]
 *   y  [m]      overwritten, never read, and does not overlap the others; all zero for n = 0
 * A pointer may be NULL where its array has no elements. */
typedef void spw_dgemv_fn(int64_t m, int64_t n, const double *A, const double *x, double *y);

spw_dgemv_fn spw_dgemv_ref, spw_dgemv_omp, spw_dgemv_omp_rows4;

/* C = A B with A m x k, B k x n and C m x n.
 *   A  [(m-1) * lda + k]  lda >= k, m, n, k >= 0
 *   B  [(k-1) * ldb + n]  ldb >= n
 *   C  [(m-1) * ldc + n]  ldc >= n; overwritten, never read before, all zero for k = 0; what lies
 *                         between its rows is left alone; does not overlap the others
 * A pointer may be NULL where its array has no elements. */
typedef void spw_dgemm_fn(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                          const double *B, int64_t ldb, double *C, int64_t ldc);

spw_dgemm_fn spw_dgemm_ref, spw_dgemm_omp, spw_dgemm_omp_blocked;

SPW_C_END

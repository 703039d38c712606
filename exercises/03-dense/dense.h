/* exercises/03-dense: y = A x and C = A B for dense matrices, row-major.
 *
 * A[i][p] is A[i * lda + p]. The leading dimension lda is the distance of two rows in memory, at least
 * the number of columns: so a block of a larger matrix is a matrix, too, with the larger one's lda. */
#pragma once

#include "perf/cost.h"
#include "perf/simd.h"

#include <stdint.h>

/* Bytes loaded, bytes stored and flops of one call of dgemv on an m x n matrix. */
spw_cost dgemv_cost(int64_t m, int64_t n);

/* y = A x.
 *   A  [(m-1) * lda + n]  m, n >= 0, lda >= n
 *   x  [n]
 *   y  [m]                overwritten: it holds garbage on entry; all zero for n = 0 */
void dgemv(int64_t m, int64_t n, const double *A, int64_t lda, const double *x, double *y);

/* The same of C = A B, cut into blocks of edge x edge entries of C, edge >= 1. For each block, its rows
 * of A and its columns of B are loaded, whole; C is stored. edge = 1 is the naive loop. */
spw_cost dgemm_cost(int64_t m, int64_t n, int64_t k, int64_t edge);

/* The edge from which on large blocked products are compute-bound. P is in flop/s, bw in byte/s; the
 * result is a number of entries, not rounded. Leave the stores of C out. */
double edge_at_knee(double P, double bw);

/* C = A B with A m x k, B k x n and C m x n.
 *   A  [(m-1) * lda + k]  m, n, k >= 0, lda >= k
 *   B  [(k-1) * ldb + n]  ldb >= n
 *   C  [(m-1) * ldc + n]  ldc >= n; overwritten: it holds garbage on entry; all zero for k = 0. What
 *                         lies between its rows, if ldc > n, belongs to somebody else.
 * A, B and C do not overlap. */
void dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
           int64_t ldb, double *C, int64_t ldc);

/* A vector of VEC doubles: 8 with AVX-512, 4 with AVX, else 2. +, * and their mixture with a double
 * work on it entry by entry: sum += A[p] * b is a multiply-add of VEC entries. It begins at
 * zero with vec sum = {0}. The compiler keeps it in one register, if there is one left. */
enum { VEC = SPW_VEC };
typedef spw_vec vec;
typedef double vec_in_memory __attribute__((vector_size(SPW_VEC_BYTES), aligned(8), may_alias));

/* The VEC doubles from `at` on, at any address. */
static inline vec vec_load(const double *at) {
    return *(const vec_in_memory *)at;
}

static inline void vec_store(double *at, vec v) {
    *(vec_in_memory *)at = v;
}

static inline int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

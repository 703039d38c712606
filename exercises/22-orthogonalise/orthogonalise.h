/* exercises/22-orthogonalise: a block of vectors made orthonormal, and the products that this takes.
 *
 * A block is nv vectors of n elements side by side, row-major: element i of vector j is X[i * ld + j]. The
 * leading dimension ld >= nv is the distance of two rows, so that X + j is vector j alone, as a block of
 * one vector with the same ld.
 *
 *     ld = 5, X + 1 with nv = 2     . X X . .
 *                                   . X X . .   n rows
 *                                   . X X . . */
#pragma once

#include "perf/cost.h"
#include "perf/simd.h"
#include "solvers/small.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MAX_VECTORS = 64 }; /* of a block */

typedef enum method { CGS, MGS, CHOLQR, CHOLQR2, SVQB } method;

/* The largest relative error of one rounding, 1.1e-16. */
#define EPS 0x1p-53

/* A vector that orthogonalisation leaves so little of, as a share of its length before, was a combination
 * of the others: what is left is rounding. */
#define LEAST_LENGTH 1e-13

/* The same for eigenvalues of the scaled Gram matrix, as a share of the largest. */
#define LEAST_EIGENVALUE 1e-13

/* Bytes and flops of one call of gram, with X and Y in different places; C is stored, once. */
spw_cost gram_cost(int64_t n, int p, int q);

/* C = XᵀY: C[a * q + b] = sum over i of X[i][a] Y[i][b].
 *   X  [n, p]   1 <= p <= MAX_VECTORS; may be Y
 *   Y  [n, q]   1 <= q <= MAX_VECTORS
 *   ld          of X and of Y, at least p and q. What lies between two rows is not yours
 *   C  [p * q]  row-major, overwritten; all zero for n = 0 */
void gram(int64_t n, int p, const double *X, int q, const double *Y, int64_t ld, double *C);

/* The same of combine, with X and Y in different places. */
spw_cost combine_cost(int64_t n, int nv);

/* Y = X C: Y[i][b] = sum over a of X[i][a] C[a * nv + b].
 *   X, Y  [n * nv]   without gaps, ld = nv. Y may be X itself; else they do not overlap
 *   C     [nv * nv]  row-major */
void combine(int64_t n, int nv, const double *X, const double *C, double *Y);

/* How often a block of nv >= 1 vectors goes through memory until it is orthonormal (README). */
double passes(method which, int nv);

/* Up to which condition number the method leaves ||I - QᵀQ|| at `loss` or below, by the rules of the README
 * without their constants; EPS <= loss <= 1. */
double largest_kappa(method which, double loss);

/* Orthonormal vectors Q with the span of X. Each returns how many there are.
 *   X  [n * nv]  without gaps, ld = nv
 *   Q  [n * nv]  overwritten. Columns that are not used are zero
 * cgs and mgs: column j is zero where vector j is a combination of those before it (LEAST_LENGTH). X is
 *     finite.
 * cholqr: the steps taken `times` times, 1 or 2. Where a factorisation breaks down, the first or the second,
 *     all of Q is zero, and 0 is returned.
 * svqb: the used columns come first. Eigenvalues of at most LEAST_EIGENVALUE times the largest are
 *     left out. Where XᵀX is not finite all of Q is zero, and 0 is returned. */
int cgs(int64_t n, int nv, const double *X, double *Q);
int mgs(int64_t n, int nv, const double *X, double *Q);
int cholqr(int64_t n, int nv, const double *X, double *Q, int times);
int svqb(int64_t n, int nv, const double *X, double *Q);

/* --- given ----------------------------------------------------------------------------------------- */

/* G = RᵀR with R upper triangular: T = R^-1, row-major. Returns 0 where G has no such R; T is then of no
 * use. G is left as it is. By LAPACK. */
static inline int cholesky_inverse(int nv, const double *G, double *T) {
    double copy[MAX_VECTORS * MAX_VECTORS];
    int rank = 0;
    memcpy(copy, G, sizeof *G * (size_t)(nv * nv));
    return !spw_small_cholesky_inverse(nv, copy, T, &rank) && rank == nv;
}

/* S u = w u, all pairs of a symmetric S, w ascending. S is overwritten: ROW k is the vector of w[k], of
 * length 1. Returns 0 where S is not finite; S and w are then of no use. By LAPACK. */
static inline int eigen(int nv, double *S, double *w) {
    return !spw_small_eigen(nv, S, w);
}

/* A vector register of VEC doubles, and its way from and to any address: sum += a * v with a double a is
 * one multiply-add. Of use for gram and combine. */
enum { VEC = SPW_VEC };
typedef spw_vec vec;
typedef double vec_in_memory __attribute__((vector_size(SPW_VEC_BYTES), aligned(8), may_alias));

static inline vec vec_load(const double *at) {
    return *(const vec_in_memory *)at;
}

static inline void vec_store(double *at, vec v) {
    *(vec_in_memory *)at = v;
}

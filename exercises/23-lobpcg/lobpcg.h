/* exercises/23-lobpcg: the nv smallest eigenvalues of a symmetric matrix and their vectors, by LOBPCG.
 *
 * Blocks of vectors are row-major: element i of vector j is X[i * ld + j]. given.h has what is given. */
#pragma once

#include "given.h"
#include "perf/cost.h"

/* Bytes and flops of one call of residuals; lambda and norm are small and left out. */
spw_cost residuals_cost(int64_t n, int nv);

/* R = AX - X diag(lambda), and the length of each of its columns, in one pass.
 *   AX, X  [n * nv]  ld = nv
 *   lambda [nv]
 *   R      [n * nv]  overwritten
 *   norm   [nv]      overwritten: norm[j] = ||R_j||; 0 for n = 0 */
void residuals(int64_t n, int nv, const double *AX, const double *X, const double *lambda,
               double *R, double *norm);

/* Flops of one iteration with nv vectors in all three blocks and no preconditioner, by the README's table. */
double iteration_flops(int64_t n, int64_t nz, int nv);

/* GA = Sᵀ A S and GB = Sᵀ S with S = [X W P], of those vectors that are in use.
 *   V, AV  [3]       blocks of [n * ld], V[BX], V[BW], V[BP], and A times those
 *   count  [3]       vectors in use, count[BX] >= 1, the others may be 0. m = their sum
 *   GA, GB [m * m]   row-major, both halves, overwritten */
void small_matrices(int64_t n, int ld, double *const *V, double *const *AV, const int *count,
                    double *GA, double *GB);

/* The coefficients of the new X and the new P in the basis [X W P].
 *   m      vectors of the basis; the first nv are X
 *   GB     [m * m]   Sᵀ S: the inner product of a and b is aᵀ GB b
 *   H      [m * m]   ROW k is the eigenvector of the k-th smallest value, hᵀ GB h = 1
 *   active [nv]      not 0: pair j has not converged and gets a vector of P
 *   U      [m * 2 nv] row-major with 2 nv columns. Column j < nv is row j of H: the new x_j. From column nv on:
 *                    for each active j, the part of row j of H that does not come from X, made orthogonal
 *                    to all new x and to the columns of P before it, of length 1, all by GB. Where at most
 *                    LEAST_PART of its length is left, there is none. Columns not used are not looked at
 * Returns how many columns P has. */
#define LEAST_PART 1e-10
int next_basis(int m, int nv, const double *GB, const double *H, const int *active, double *U);

/* The whole method.
 *   X      [n * nv]  first guess on entry, eigenvectors on return
 *   lambda [nv]      eigenvalues, ascending
 *   norm   [nv]      ||A x - lambda x|| of each pair
 * Returns the iterations done, or -1 without room or where the guess has dependent vectors. A is multiplied
 * with nv vectors at the begin, and with W once an iteration; nothing else. */
int lobpcg(const eigenproblem *E, double *X, double *lambda, double *norm);

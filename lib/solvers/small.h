/* solvers/small.h -- dense algebra on matrices of some dozen rows, by LAPACK. Internal.
 *
 * A block method does its large products itself and hands the small ones over. Where the workbook was
 * built without LAPACK (make doctor) these say so: SPW_ERR_UNAVAILABLE.
 *
 * Matrices are row-major, n x n without gaps, n >= 1; symmetric ones are given whole. */
#pragma once

#include "base/status.h"

/* A v = w v, all pairs, w ascending. A: overwritten with the vectors, row k is that of w[k], of length 1.
 *   SPW_ERR_ARG     A holds what is not finite, or the iteration does not converge
 *   SPW_ERR_MEMORY  no room for the work */
spw_status spw_small_eigen(int n, double *A, double *w);

/* A v = w B v with B symmetric positive definite; the vectors have vᵀBv = 1. B is overwritten, too.
 * *bad: -1, or the row at which B is found not to be positive definite, which is SPW_ERR_ARG. */
spw_status spw_small_eigen_general(int n, double *A, double *B, double *w, int *bad);

/* A = RᵀR with R upper triangular: T = R^-1, upper triangular, zero below. A is overwritten.
 * *rank: rows up to the first pivot that is not positive, n where all are; T is then of no use.
 *   SPW_ERR_ARG  A holds what is not finite */
spw_status spw_small_cholesky_inverse(int n, double *A, double *T, int *rank);

/* solvers/orthogonalise.h -- from a block of vectors, one with the same span whose vectors are orthonormal.
 *
 *     X (n x nv)  ->  Q,  QᵀQ = I,  X = Q R
 *
 * Six ways, which differ in how often they go through memory and in what rounding does to QᵀQ. With
 * eps = 1.1e-16 and kappa the ratio of X's largest to smallest singular value:
 *
 *     method        passes through the block        ||I - QᵀQ||        breaks down at kappa
 *     CGS           3 nv-2 (column against block)   eps kappa^2 and worse   1e16
 *     MGS           nv^2   (column against column)  eps kappa          1e16
 *     CHOLQR        2      (gram, combine)          eps kappa^2        1e8
 *     CHOLQR2       3 or 4 (the same again)         eps                1e8
 *     SVQB          2      (gram, combine)          eps kappa^2        never: it drops
 *     CHOLQR_MIXED  2      (gram in double-double)  eps kappa          1e16
 *
 * A vector that is, up to rounding, a combination of others is dropped: the block loses a column, never
 * gains a NaN. CHOLQR and CHOLQR2 cannot tell dependence from kappa above 1e8; where the factorisation
 * breaks down they drop by the rule of SVQB, directions of less than sqrt(nv eps) of the longest.
 *
 * Sources: CGS and MGS: A. Bjorck, Numer. Linear Algebra Appl. 1(4), 297-316, 1994,
 * doi:10.1002/nla.1680010402, and for CGS's bound L. Giraud et al., Numer. Math. 101, 87-100, 2005,
 * doi:10.1007/s00211-005-0615-4. CHOLQR2: Y. Yamamoto et al., ETNA 44, 306-326, 2015. SVQB: A.
 * Stathopoulos, K. Wu, SIAM J. Sci. Comput. 23(6), 2165-2182, 2002, doi:10.1137/S1064827500370883; small
 * singular values are dropped here, not raised. CHOLQR_MIXED: I. Yamazaki, S. Tomov, J. Dongarra, SIAM J.
 * Sci. Comput. 37(3), C307-C330, 2015, doi:10.1137/14M0973773. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdint.h>

SPW_C_BEGIN

typedef enum spw_ortho {
    SPW_ORTHO_CGS,
    SPW_ORTHO_MGS,
    SPW_ORTHO_CHOLQR,
    SPW_ORTHO_CHOLQR2,
    SPW_ORTHO_SVQB,
    SPW_ORTHO_CHOLQR_MIXED
} spw_ortho;
#define SPW_ORTHO_COUNT 6

/* Overwrites X with Q.
 *   X      [n, nv]  ld, row-major as in kernels/block.h; 1 <= nv <= SPW_BLOCK_MAX
 *   *rank  columns of Q: they come first, those behind are set to zero. 0 for a block of zeros
 * On failure X is undefined and *rank is 0.
 *   SPW_ERR_ARG          X holds what is not finite, or so large that its square is not
 *   SPW_ERR_UNAVAILABLE  CHOLQR, CHOLQR2, SVQB: this build has no LAPACK
 *   SPW_ERR_MEMORY       no room for a few nv x nv matrices */
spw_status spw_orthonormalise(spw_ortho method, int64_t n, int nv, double *X, int64_t ld,
                              int *rank);

/* ||I - QᵀQ||, Frobenius norm, of columns 0 .. nv-1; 0 for nv = 0. NaN where there is no memory. */
double spw_orthogonality_loss(int64_t n, int nv, const double *Q, int64_t ld);

/* T such that TᵀGT = I on its first *rank columns, for a symmetric positive semidefinite G = XᵀX, or XᵀBX:
 * then X T is orthonormal in that inner product. What CHOLQR and SVQB do once.
 *   G  [nv * nv]  row-major, both triangles
 *   T  [nv * nv]  row-major with nv columns; those from *rank on are zero
 * Errors as above. */
spw_status spw_ortho_transform(spw_ortho method, int nv, const double *G, double *T, int *rank);

SPW_C_END

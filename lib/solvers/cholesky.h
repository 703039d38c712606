/* solvers/cholesky.h -- the whole factorisation of a sparse symmetric positive definite matrix. Internal.
 *
 *     P A Pᵀ = L Lᵀ,   row k of P A Pᵀ is row order[k] of A
 *
 * A pair: cholesky_cholmod.c hands it to CHOLMOD of SuiteSparse, in cholesky_none.c it is
 * SPW_ERR_UNAVAILABLE. What CHOLMOD gives is taken over into the workbook's own form, so that its triangles
 * are solved like those of any other preconditioner (kernels/trsv.h).
 * Source: Y. Chen, T. A. Davis, W. W. Hager, S. Rajamanickam, ACM Trans. Math. Softw. 35(3), 22, 2008,
 * doi:10.1145/1391989.1391995. */
#pragma once

#include "base/status.h"
#include "formats/csr.h"

/* A: square, with a positive diagonal; the lower triangle is looked at. *Lt = Lᵀ, columns ascending, the
 * diagonal first in each row; it owns its arrays. *order: [n_rows], spw_free. *flop: of the factorisation.
 * The order is that of minimum degree. On failure *Lt is all zero and *order NULL.
 *   SPW_ERR_ARG          A is not positive definite; the message has the row whose pivot said so
 *   SPW_ERR_RANGE        more than SPW_IDX_MAX entries in L
 *   SPW_ERR_MEMORY       no room
 *   SPW_ERR_UNAVAILABLE  built without CHOLMOD */
spw_status spw_cholesky(const spw_csr *A, spw_csr *Lt, spw_idx **order, double *flop);

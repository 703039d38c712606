/* solvers/cg.h -- conjugate gradients for symmetric positive definite matrices, without and with a
 * preconditioner.
 *
 *     q = A p,  p . q               alpha = rho / p . q
 *     x += alpha p,  r -= alpha q,  r . r
 *     z = M^-1 r,  rho' = r . z     z is r without a preconditioner
 *     p = z + (rho' / rho) p
 *
 * Each line is one pass over memory: bytes an iteration without a preconditioner, write-allocate of q
 * included, for n rows and nz entries in CSR, up to the 4 n of row_ptr:
 *     plain    12 nz + 28 n + 16 n (p.q) + 24 n (x) + 24 n (r) + 8 n (r.r) + 24 n (p) = 12 nz + 124 n
 *     merged   12 nz + 28 n                + 48 n (x, r, r.r)              + 24 n (p) = 12 nz + 100 n
 * (28 n: row_ptr, x, y and its write-allocate.) An operator without apply_dots adds the 16 n of p . q.
 *
 * Source: M. R. Hestenes, E. Stiefel, J. Res. Natl. Bur. Stand. 49(6), 409-436, 1952,
 * doi:10.6028/jres.049.044. The preconditioned form: P. Concus, G. H. Golub, D. P. O'Leary, 1976, as in
 * Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., 2003, doi:10.1137/1.9780898718003,
 * algorithm 9.1. The test for convergence is on r . r, not on r . z. */
#pragma once

#include "base/extern_c.h"
#include "solvers/operator.h"
#include "solvers/solver.h"

SPW_C_BEGIN

/* Solves A x = b. x: the first guess on entry, zero if there is none; the answer on return. b and x have
 * n elements and do not overlap. options may be NULL. *result is overwritten and owns its history; on
 * failure it is all zero, and x is as far as the method got.
 * A that is not symmetric is not noticed: look at spw_csr_inspect first.
 *   SPW_ERR_ARG     an option out of its range
 *   SPW_ERR_MEMORY  no room for three vectors and the history */
spw_status spw_cg(const spw_operator *A, const double *b, double *x,
                  const spw_solve_options *options, spw_solve_result *result);

/* The same with a symmetric positive definite preconditioner; one more vector. M = NULL is spw_cg.
 *   SPW_ERR_ARG  also: M is of another size */
spw_status spw_pcg(const spw_operator *A, const spw_operator *M, const double *b, double *x,
                   const spw_solve_options *options, spw_solve_result *result);

SPW_C_END

/* solvers/precond/parts.h -- what several preconditioners need. Internal. */
#pragma once

#include "base/status.h"
#include "formats/csr.h"
#include "perf/cost.h"
#include "solvers/operator.h"

#include <stdbool.h>

/* d[i] = a_ii. name: the preconditioner's, for the message.
 *   SPW_ERR_ARG  A is not square; or a_ii is missing, zero, its inverse is not finite, or it is not positive
 *                where it must be */
spw_status spw_precond_diagonal(const char *name, const spw_csr *A, bool positive, double *d);

/* degree is 0 .. 100?
 *   SPW_ERR_ARG  it is not */
spw_status spw_precond_degree(const char *name, int degree);

/* spw_precond_neumann or spw_precond_chebyshev; products are op's, which is A and is kept, or by CSR where it is NULL. */
spw_status spw_precond_polynomial_of(bool chebyshev, int degree, const spw_csr *A,
                                     const spw_operator *op, spw_operator *M);

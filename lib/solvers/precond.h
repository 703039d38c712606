/* solvers/precond.h -- preconditioners: operators z = M^-1 r with M near A and quickly applied.
 *
 * They are spw_operator: cost is of one application, setup and setup_seconds of making it. For a
 * conjugate gradient method M must be symmetric positive definite.
 *     spw_operator M;
 *     if (spw_precond_jacobi(&A, &M)) ...
 *     spw_pcg(&op, &M, b, x, NULL, &result);
 *     spw_operator_destroy(&M);
 * On failure *M is all zero. A is not kept unless a function says so. */
#ifndef SPW_SOLVERS_PRECOND_H
#define SPW_SOLVERS_PRECOND_H

#include "base/status.h"
#include "formats/csr.h"
#include "solvers/operator.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* z = r: what an application costs when it does nothing but copy. n >= 0.
 *   SPW_ERR_ARG  n < 0 */
spw_status spw_precond_identity(int64_t n, spw_operator *M);

/* z[i] = r[i] / a_ii. Source: C. G. J. Jacobi, Astronomische Nachrichten 22(20), 297-306, 1845,
 * doi:10.1002/asna.18450222002.
 *   SPW_ERR_ARG     A is not square, or a_ii is missing, zero, or its inverse is not finite: the message
 *                   has the row. A negative a_ii is taken: the solver finds out what it means
 *   SPW_ERR_MEMORY  no room for the inverse diagonal */
spw_status spw_precond_jacobi(const spw_csr *A, spw_operator *M);

#ifdef __cplusplus
}
#endif

#endif

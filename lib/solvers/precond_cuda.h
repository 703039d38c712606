/* solvers/precond_cuda.h -- preconditioners on the device, those of solvers/precond.h in which all rows are
 * independent of each other. Set-up is the host's; what it found is copied.
 *
 *     spw_cuda_operator M;
 *     if (spw_cuda_precond_chebyshev(&A, 4, &M)) ...           A is on the host
 *     if (spw_cg_cuda(&d_A, &M, d_b, d_x, NULL, 0, &result)) ...
 *     spw_cuda_operator_destroy(&M);
 *
 * For all: z is what the host's preconditioner gives, up to rounding, and r.z is summed up in the pass that
 * writes z. A is not kept; the polynomials have a copy of their own on the device. On failure *M is all zero.
 * The errors of the host's function of that name, and
 *   SPW_ERR_MEMORY       no room on the device, or on the host
 *   SPW_ERR_DEVICE       a copy failed
 *   SPW_ERR_UNAVAILABLE  no device */
#pragma once

#include "base/extern_c.h"
#include "solvers/operator_cuda.h"

SPW_C_BEGIN

spw_status spw_cuda_precond_jacobi(const spw_csr *A, spw_cuda_operator *M);
spw_status spw_cuda_precond_bjacobi(const spw_csr *A, int block, spw_cuda_operator *M);
spw_status spw_cuda_precond_neumann(const spw_csr *A, int degree, spw_cuda_operator *M);
spw_status spw_cuda_precond_chebyshev(const spw_csr *A, int degree, spw_cuda_operator *M);

SPW_C_END

/* solvers/bicgstab_cuda.h -- BiCGStab on the device: the method of solvers/bicgstab.h, in the way of
 * solvers/cg_cuda.h. Launches of an iteration, with bytes besides the two products' 24 nz + 40 n:
 *
 *     beta, test                       one block
 *     p = r + beta (p - omega v)       32 n
 *     v = A M^-1 p, c.v                 8 n
 *     alpha                            one block
 *     s = r - alpha v, s.s             24 n
 *     t = A M^-1 s, t.s, t.t            0, 8 n with M
 *     omega                            one block
 *     x, r, c.r, r.r                   56 n, 64 n with M
 *
 * Where s is small enough after the half step, omega is set to zero: the last kernel then takes the half
 * step in x, and the next test stops. The host need not know of it. */
#pragma once

#include "base/extern_c.h"
#include "solvers/operator_cuda.h"
#include "solvers/solver.h"

SPW_C_BEGIN

/* Solves A x = b. Arguments, differences from the host's and errors as in spw_cg_cuda; breakdowns as in
 * spw_bicgstab, but the shadow is never replaced: the host would have to see c . r in every iteration.
 *   SPW_ERR_MEMORY  no room for five vectors, seven with M, and the sums on the device */
spw_status spw_bicgstab_cuda(const spw_cuda_operator *A, const spw_cuda_operator *M,
                             const double *d_b, double *d_x, const spw_solve_options *options,
                             int every, spw_solve_result *result);

SPW_C_END

/* solvers/cg_cuda.h -- conjugate gradients on the device, without and with a preconditioner.
 *
 *     spw_solve_result result;
 *     if (spw_cg_cuda(&A, NULL, d_b, d_x, NULL, 0, &result)) ...      an error: an argument, no memory, CUDA
 *     puts(result.text);                                               "converged in 61 iterations"
 *     spw_solve_result_destroy(&result);
 *
 * The method of solvers/cg.h, the same numbers up to rounding and the same reasons to stop. No number
 * goes to the host inside an iteration: alpha, beta, the test for convergence and the tests for breakdown
 * are computed where the sums are (kernels/cuda_solver.h). Launches of an iteration, with the bytes of each
 * for n rows and nz entries in CSR:
 *
 *     beta  = r.r / old, test          one block
 *     p     = r + beta p               24 n
 *     q     = A p, p.q                 12 nz + 20 n
 *     alpha = rho / p.q                one block
 *     x += alpha p, r -= alpha q, r.r  48 n               12 nz + 92 n in all
 *
 * With a preconditioner z = M^-1 r, r.z comes first and z takes the place of r in p. A GPU does not fetch
 * a line that it overwrites: the 8 n of write-allocate in solvers/cg.h are not there.
 *
 * The host runs ahead. It launches `every` iterations, asks for a copy of the scalars, and launches `every`
 * more before it looks at that copy: the device never waits. Once the method has stopped, what was launched
 * too much does nothing but multiply, up to 2 `every` products; x, the iteration and the history are those of
 * the moment when it stopped, whatever `every` is. */
#pragma once

#include "base/extern_c.h"
#include "solvers/operator_cuda.h"
#include "solvers/solver.h"

SPW_C_BEGIN

/* Solves A x = b. d_b, d_x: [n] on the device, as in spw_cg; M and options may be NULL. every: iterations
 * between two looks of the host, 0: 16. *result is overwritten and owns its history, which lies on the host;
 * it is all zero on failure.
 * What is different from the host's: options->plain does nothing; progress is called every `every`
 * iterations, with the last copied residual; the history ends with its 2^20th residual; the kernels have
 * calls and cost, but no seconds of their own, as each would need two events.
 *   SPW_ERR_ARG          M is of another size, an option out of its range, or every < 0
 *   SPW_ERR_MEMORY       no room for three vectors, four with M, and the sums on the device
 *   SPW_ERR_DEVICE       CUDA refused a launch, or a kernel failed
 *   SPW_ERR_UNAVAILABLE  no device */
spw_status spw_cg_cuda(const spw_cuda_operator *A, const spw_cuda_operator *M, const double *d_b,
                       double *d_x, const spw_solve_options *options, int every,
                       spw_solve_result *result);

SPW_C_END

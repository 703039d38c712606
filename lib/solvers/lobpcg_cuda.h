/* solvers/lobpcg_cuda.h -- LOBPCG with all that has n rows on the device: a hybrid, as in the papers.
 *
 *     spw_sellp_from_csr(&A, 8, 4, &P);                          b x t = 32 threads, times vectors
 *     if (spw_cuda_operator_from_sellp(&P, &op)) ...
 *     if (spw_lobpcg_cuda(&op, NULL, &M, d_X, 0, &options, &result)) ...
 *     puts(result.text);                                         "16 pairs converged in 44 iterations"
 *     spw_lobpcg_result_destroy(&result);
 *
 * The method of solvers/lobpcg.h, the same code of it and the same values up to rounding. The matrix, in SELL-P as
 * a rule, X, W, P and their products stay on the device: A W is SpMM with the block's third dimension over
 * vectors, products of blocks are split into small ones and reduced, combinations and residuals are kernels,
 * too (kernels/cuda_block.h). The eigenproblem of 3 nv x 3 nv is the host's, by LAPACK. What crosses the bus in an
 * iteration with width = nv + guard vectors is small matrices, in doubles:
 *
 *     to the host     Gram matrices, 7 width^2 at most, and a few of width^2 more with M;  width squares
 *     to the device   the coefficients of X and P, 3 width x 2 width for each of V, A V and B V
 *
 * but each way is a wait of some ten microseconds, which tells where n is small. After every call of a phase the
 * host waits for the device, so that the phases' seconds are theirs.
 * Source: H. Anzt, S. Tomov, J. Dongarra, Int. J. High Perform. Comput. Appl. 31(5), 375-390, 2017,
 * doi:10.1177/1094342016672081. There X is column-major for the products, and transposed for SpMM; here it is
 * row-major throughout. */
#pragma once

#include "base/extern_c.h"
#include "solvers/lobpcg.h"
#include "solvers/operator_cuda.h"

SPW_C_BEGIN

/* Finds them, as spw_lobpcg does: contract, options and result are those, and
 *   A, B, M  operators on the device; B and M may be NULL
 *   d_X      [n, nv] on the device, row-major without gaps, or NULL
 * The first vectors are the host's random ones, the same numbers; they cross the bus once.
 *   SPW_ERR_ARG          as there
 *   SPW_ERR_MEMORY       no room for six blocks of n x (nv + guard) on the device, nine with B, one on the host,
 *                        and 1024 small matrices
 *   SPW_ERR_DEVICE       CUDA refused a launch or a copy, or a kernel failed
 *   SPW_ERR_UNAVAILABLE  no device, or this build has no LAPACK */
spw_status spw_lobpcg_cuda(const spw_cuda_operator *A, const spw_cuda_operator *B,
                           const spw_cuda_operator *M, double *d_X, int use_guess,
                           const spw_lobpcg_options *options, spw_lobpcg_result *result);

SPW_C_END

/* solvers/refine.h -- iterative refinement: conjugate gradients in single precision inside, residuals and x in
 * double outside. The answer is as good as that of double precision, at some 60 % of the bytes.
 *
 *     r = b - A x                        double: one product with A
 *     until r is 100 times smaller:      single, by CSR: 8 nz + 52 n bytes an iteration, write-allocate
 *         q = A p, p . q                 included, against 12 nz + 100 n in double
 *         y += alpha p, r -= alpha q, r . r
 *         p = r + beta p
 *     x += y,  y = 0,  and again from the top
 *
 * The outer step takes what single precision has reached so far and computes the residual anew, as it drifts
 * in single precision. We keep the direction p across an outer step, which plain refinement does not:
 * a reliable update. If an outer step gains nothing, p is spoilt and is dropped.
 * It stops paying where the matrix, rounded to 24 bits, is not positive definite or not like A any more: with
 * condition numbers above some 1e6; result->stop tells. And rounding delays conjugate gradients: to 1e-10 they
 * take in double 51, 393 and 99 iterations for stencil27:30, laplace2d:200 and fem1:24, here 64, 506 and 99.
 *
 * Source: J. H. Wilkinson, Rounding Errors in Algebraic Processes, 1963, section 3.35; of updates that keep
 * the direction: M. A. Clark, R. Babich, K. Barros, R. C. Brower, C. Rebbi, Comput. Phys. Commun. 181(9),
 * 1517-1528, 2010, doi:10.1016/j.cpc.2010.05.002, section 5.2. */
#pragma once

#include "base/extern_c.h"
#include "solvers/operator.h"
#include "solvers/operator_float.h"
#include "solvers/solver.h"

SPW_C_BEGIN

/* Solves A x = b with A symmetric positive definite. S is A in single precision, in whatever format. b, x, options and *result as in
 * spw_cg; options->plain is not used, and there is nothing in result->history between two outer steps but
 * the recurrence in single precision. result->restarts counts directions that were dropped.
 *   SPW_ERR_ARG     S is of another size than A, or an option out of its range
 *   SPW_ERR_MEMORY  no room for one vector in double, four in single precision, and the history */
spw_status spw_refine(const spw_operator *A, const spw_operator_float *S, const double *b,
                      double *x, const spw_solve_options *options, spw_solve_result *result);

SPW_C_END

/* solvers/bicgstab.h -- BiCGStab, for matrices that need be neither symmetric nor positive definite.
 *
 *     p = r + beta (p - omega v)                              beta = rho'/rho alpha/omega
 *     v = A M^-1 p,  c . v                                    alpha = rho / c . v
 *     s = r - alpha v,  s . s                                 s lies where r was
 *     t = A M^-1 s,  t . s,  t . t                            omega = t . s / t . t
 *     x += M^-1 (alpha p + omega s),  r = s - omega t,  c . r,  r . r
 *
 * c is the first residual, kept ("shadow"). Each line is one pass over memory, a super-kernel; written as
 * BLAS-1 calls, each of which reads and writes its vectors anew, they are (elements an iteration, without
 * the products' own 3 n of x, y and write-allocate):
 *
 *                               plain: calls                              reads   writes   merged
 *     p                         scal, axpy, axpy                          5 n     3 n      3 n + n
 *     c . v                     dot                                       2 n              n, with v = A p
 *     s, s . s                  axpy, dot                                 3 n     n        2 n + n
 *     t . s, t . t              dot, dot                                  3 n              0, with t = A s
 *     x                         axpy, axpy                                4 n     2 n      x, r and both
 *     r, c . r, r . r           axpy, dot, dot                            5 n     n        sums: 5 n + 2 n
 *     sum                                                                 22 n    7 n      11 n + 4 n
 *
 * In bytes: 24 nz + 56 n for two products, + 232 n plain, or + 120 n merged. An operator without
 * apply_dots adds 32 n to the latter.
 *
 * Source: H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13(2), 631-644, 1992, doi:10.1137/0913035;
 * preconditioned from the right, so that r stays the residual of A x = b. The merging of vector updates:
 * H. Anzt, S. Tomov, P. Luszczek, W. Sawyer, J. Dongarra, Int. J. High Perform. Comput. Appl. 29(3), 366-383,
 * 2015. What a c . r of few digits does: G. L. G. Sleijpen, H. A. van der Vorst,
 * Numer. Algorithms 10, 203-223, 1995, doi:10.1007/BF02140769; that we then begin anew is our choice. */
#pragma once

#include "base/extern_c.h"
#include "solvers/operator.h"
#include "solvers/solver.h"

SPW_C_BEGIN

/* Solves A x = b. x: the first guess on entry, the answer on return. b and x have n elements and do not
 * overlap. M, the preconditioner, and options may be NULL. *result is overwritten and owns its history; on
 * failure it is all zero. One iteration has two products.
 * Where c . r is below eps (2e-16) of their norms, it has no correct digit, and what follows would be noise: the
 * residual becomes the new shadow, and the method begins anew, if the residual is smaller than the
 * shadow. Breakdowns are told by result->stop: c . v = 0, and t . s, or rho = c . r where that does not help,
 * below eps^2 (5e-32) of their vectors' norms. What is far from breakdown but irregular converges or
 * stagnates.
 *   SPW_ERR_ARG     M is of another size, or an option out of its range
 *   SPW_ERR_MEMORY  no room for five vectors, seven with M, and the history */
spw_status spw_bicgstab(const spw_operator *A, const spw_operator *M, const double *b, double *x,
                        const spw_solve_options *options, spw_solve_result *result);

SPW_C_END

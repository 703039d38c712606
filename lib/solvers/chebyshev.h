/* solvers/chebyshev.h -- a Chebyshev filter: y = q(A) x with a polynomial q of degree d that is small on an
 * interval [low, high] and 1 at a point outside of it.
 *
 *     q(t) = T_d((t - c) / e) / T_d((at - c) / e),    c = (low + high) / 2, e = (high - low) / 2
 *
 * Of all polynomials of that degree it has the smallest maximum on the interval. What x has of eigenvectors
 * with eigenvalues there is damped, the others grow against it: the start of eigensolvers, and a smoother. The
 * three-term recurrence runs on the matrix-powers kernel, which reads the matrix once for `powers` steps.
 *
 * Source: Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky, J. Comput. Phys. 219(1), 172-184, 2006,
 * doi:10.1016/j.jcp.2006.03.017, with their scaling, which keeps all vectors in range. */
#pragma once

#include "base/extern_c.h"
#include "solvers/powers.h"

SPW_C_BEGIN

/* x and y have n elements, in the caller's order, no overlap. powers: steps for which the matrix is read
 * once, 0: 8.
 *   SPW_ERR_ARG     degree < 1 or powers < 0; low < high < at or at < low < high does not hold
 *   SPW_ERR_MEMORY  no room for three vectors */
spw_status spw_chebyshev_filter(const spw_powers *P, int degree, double low, double high, double at,
                                int powers, const double *x, double *y);

SPW_C_END

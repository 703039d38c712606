/* solvers/orthogonalise_mixed.h -- the Cholesky factor of a Gram matrix in double-double. Internal. */
#pragma once

#include "base/status.h"

/* G = hi + lo = RᵀR; T = R^-1 rounded to double, [nv * nv] row-major, without the columns of dropped
 * vectors, of which *rank are left; those behind are zero.
 *   SPW_ERR_ARG     G holds what is not finite
 *   SPW_ERR_MEMORY  no room */
spw_status spw_ortho_transform_dd(int nv, const double *hi, const double *lo, double *T, int *rank);

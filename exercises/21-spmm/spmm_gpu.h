/* Exercise 21, GPU part: what spmm.cu must define. */
#pragma once

#include "base/extern_c.h"
#include "formats/sellp.h"
#include "perf/cost.h"

SPW_C_BEGIN

/* The least bytes and the flops of one call on nv vectors: {load, store, flop}. Every array is moved
 * once. */
spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv);

/* Y = S X for nv vectors side by side, without gaps: element j of vector v is X[j * nv + v]. By one launch;
 * nothing waits for its end.
 *   S   the struct is on the host and may be read; its arrays are on the device. Any size may be 0;
 *       t is a power of two
 *   nv  1 to 64, the most that blockDim.z may be, and b * t * nv at most 1024
 *   X   [S.n_cols * nv] on the device, does not overlap Y
 *   Y   [S.n_rows * nv] on the device, overwritten: it holds garbage on entry */
void spmm_layers(spw_sellp S, int nv, const double *X, double *Y); /* a layer of threads a vector */
void spmm_vectors(spw_sellp S, int nv, const double *X, double *Y); /* neighbours are vectors */

SPW_C_END

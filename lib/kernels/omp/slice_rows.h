/* kernels/omp/slice_rows.h -- the inner loop of SpMV on rows that lie side by side. Internal.
 *
 * ELL, SELL and SELL-P store entry j of a slice's row r at j * height + r. The loop over r has no
 * dependence, and val is a whole vector, so that the compiler makes it one; x is gathered. */
#pragma once

#include "base/index.h"

#include <stdint.h>

enum { SPW_SLICE_TILE = 64 }; /* rows whose sums are kept: 512 bytes, some lines of the L1 cache */

/* sums[r] = row r of a slice of that height and length, times x, for r = 0 .. n-1, n <=
 * SPW_SLICE_TILE; val and col_idx begin at row 0's first entry. */
static inline void spw_slice_rows(int64_t n, int64_t height, int64_t length, const double *val,
                                  const spw_idx *col_idx, const double *x, double *sums) {
    for (int64_t r = 0; r < n; r++) sums[r] = 0;
    for (int64_t j = 0; j < length; j++, val += height, col_idx += height) {
#pragma omp simd
        for (int64_t r = 0; r < n; r++) sums[r] += val[r] * x[col_idx[r]];
    }
}

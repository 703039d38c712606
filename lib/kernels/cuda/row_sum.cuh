/* kernels/cuda/row_sum.cuh -- the inner loop of SpMV: a thread's part of a row times x. Internal.
 *
 * An entry costs two loads that wait for each other, col_idx and then x[col_idx], each hundreds of
 * cycles from memory. One entry after the other would leave a thread waiting; so it asks for four
 * entries at once, then for their four x. Entries behind the end are masked, not left to a second
 * loop: rows are short, and a loop for the rest would do most of the work, one at a time.
 *
 * val and col_idx are read once: __ldcs marks them as the first to leave the caches, so that x,
 * which is read again and again, stays. __ldg says that nobody writes x while the kernel runs. */
#pragma once

#include "base/index.h"
#include "formats/csr.h"
#include "kernels/cuda/launch.cuh"

enum { BATCH = 4 };

/* Lanes for a row: the power of two that leaves a lane at most BATCH entries of a row of mean length, from
 * 2 to 32. n_rows >= 1. */
static inline int lanes_a_row(const spw_csr *A) {
    const int64_t mean = (A->nnz + (int64_t)A->n_rows - 1) / A->n_rows;
    int lanes = 2;
    while (lanes < WARP && (int64_t)lanes * BATCH < mean) lanes *= 2;
    return lanes;
}

/* The sum of val[at] * x[col_idx[at]] over at, at + step, at + 2 step, ... < end. Unsigned, because
 * at + step may be 2^31 and more. */
static __device__ __forceinline__ double row_sum(const double *val, const spw_idx *col_idx,
                                                 const double *x, unsigned at, unsigned end,
                                                 unsigned step) {
    double sum = 0;
    while (at < end) {
        double a[BATCH], b[BATCH];
        spw_idx column[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            const bool is_in = at < end;
            column[u] = is_in ? __ldcs(col_idx + at) : -1;
            a[u] = is_in ? __ldcs(val + at) : 0;
            at += is_in ? step : 0;
        }
#pragma unroll
        for (int u = 0; u < BATCH; u++) b[u] = column[u] >= 0 ? __ldg(x + column[u]) : 0;
#pragma unroll
        for (int u = 0; u < BATCH; u++) sum += a[u] * b[u];
    }
    return sum;
}

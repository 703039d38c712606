/* A warp takes 32 neighbouring entries and adds up each run of one row by shuffles; the last lane
 * of a run adds its sum to y by an atomic. Where rows are together this saves nearly all atomics;
 * in random order it saves none and the shuffles come on top. Any order is right: a run ends where
 * the row changes, and a row that comes again is another run.
 *     row      4 4 4 7 7 4 ...      a scan: what stands step lanes before is added, unless it is in
 *     product  a b c d e f ...      front of the run's first lane
 *     atomics      ^   ^ ^          a+b+c to y[4], d+e to y[7], f ... to y[4]
 * Source: the segmented scan of N. Bell, M. Garland, SC09, doi:10.1145/1654059.1654078, section 4.4. They carry
 * sums from one group of 32 to the next and need sorted rows; here every run ends with its warp. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"

static __global__ void coo_runs(spw_coo A, const double *x, double *y) {
    const unsigned k = blockIdx.x * BLOCK + threadIdx.x; /* entry; lanes behind the last one stay */
    const int lane = threadIdx.x % WARP;
    const bool is_in = k < (unsigned)A.nnz;
    const spw_idx row = is_in ? __ldcs(A.row_idx + k) : -1;
    double sum = is_in ? __ldcs(A.val + k) * __ldg(x + __ldcs(A.col_idx + k)) : 0;

    /* Bit l of `heads`: a run begins at lane l. */
    const spw_idx row_before = __shfl_up_sync(ALL_LANES, row, 1);
    const unsigned heads = __ballot_sync(ALL_LANES, lane == 0 || row != row_before);
    const unsigned up_to_here = ALL_LANES >> (WARP - 1 - lane);
    const int begin = WARP - 1 - __clz((int)(heads & up_to_here));

    for (int step = 1; step < WARP; step *= 2) {
        const double before = __shfl_up_sync(ALL_LANES, sum, step);
        if (lane - step >= begin) sum += before;
    }
    const bool is_last = lane == WARP - 1 || (heads >> (lane + 1) & 1);
    if (is_in && is_last) atomicAdd(y + row, sum);
}

spw_status spw_spmv_coo_cuda_runs(const spw_coo *d_A, const double *d_x, double *d_y) {
    const spw_status status = spw_device_zero(d_y, d_A->n_rows * (int64_t)sizeof *d_y);
    if (status || d_A->nnz == 0) return status;
    coo_runs<<<blocks_for(d_A->nnz), BLOCK>>>(*d_A, d_x, d_y);
    return spw_device_launched("spw_spmv_coo_cuda_runs");
}

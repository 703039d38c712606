/* A block a slice of b rows, t threads a row. Thread (row, part) has number part * b + row and
 * takes the entries part, part + t, part + 2 t, ... of its row, so that the block reads b * t neighbouring entries at
 * each step. The t sums of a row are added in shared memory, halving their number each time:
 *     t = 5     0 1 2 3 4  ->  0+3 1+4 2  ->  (0+3)+2 1+4  ->  the sum
 * Gain over SELL: t times the threads, for matrices with few or long rows. Cost: padding to a
 * multiple of t, and a barrier for each halving.
 * Source: H. Anzt, S. Tomov, J. Dongarra, ut-eecs-14-727, 2014. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/row_sum.cuh"

static __global__ void sellp_slice(spw_sellp S, const double *x, double *y) {
    extern __shared__ double sums[]; /* [b * t] */
    const int thread = threadIdx.x, row_in_slice = thread % S.b, part = thread / S.b;
    const unsigned slice = blockIdx.x;
    const unsigned begin = __ldg(S.slice_ptr + slice), end = __ldg(S.slice_ptr + slice + 1);

    sums[thread] = row_sum(S.val, S.col_idx, x, begin + thread, end, S.b * S.t);
    for (int width = S.t; width > 1;) {
        const int half = (width + 1) / 2;
        __syncthreads();
        if (part + half < width) sums[thread] += sums[thread + half * S.b];
        width = half;
    }
    const int64_t row =
        (int64_t)slice * S.b + row_in_slice; /* the last slice may have rows too many */
    if (part == 0 && row < S.n_rows) y[row] = sums[thread];
}

spw_status spw_spmv_sellp_cuda(const spw_sellp *d_A, const double *d_x, double *d_y) {
    const int64_t threads = (int64_t)d_A->b * d_A->t;
    if (d_A->n_rows == 0) return SPW_OK;
    if (threads > LARGEST_BLOCK)
        return spw_error(SPW_ERR_ARG, "SELL-P: b * t is %d * %d, a block has at most %d threads",
                         d_A->b, d_A->t, LARGEST_BLOCK);
    sellp_slice<<<d_A->n_slices, (unsigned)threads, threads * sizeof(double)>>>(*d_A, d_x, d_y);
    return spw_device_launched("spw_spmv_sellp_cuda");
}

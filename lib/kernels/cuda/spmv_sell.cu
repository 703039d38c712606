/* A thread a stored row. The C rows of a chunk are neighbours in memory, so that with C = 32 a warp
 * loads val and col_idx in whole 128-byte lines, and runs as long as its chunk is; x is gathered, y
 * scattered by perm. Sorting (sigma) makes the rows of a chunk equally long, and takes neighbours,
 * which share elements of x, apart. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/row_sum.cuh"

static __global__ void sell_thread(spw_sell S, const double *x, double *y) {
    const unsigned k = blockIdx.x * BLOCK + threadIdx.x; /* stored row, 0 .. n_rows-1 */
    if (k >= (unsigned)S.n_rows) return;
    const unsigned chunk = k / S.C, lane = k % S.C;
    const unsigned begin = __ldg(S.chunk_ptr + chunk), end = __ldg(S.chunk_ptr + chunk + 1);
    y[__ldcs(S.perm + k)] = row_sum(S.val, S.col_idx, x, begin + lane, end, S.C);
}

spw_status spw_spmv_sell_cuda(const spw_sell *d_A, const double *d_x, double *d_y) {
    if (d_A->n_rows == 0) return SPW_OK;
    sell_thread<<<blocks_for(d_A->n_rows), BLOCK>>>(*d_A, d_x, d_y);
    return spw_device_launched("spw_spmv_sell_cuda");
}

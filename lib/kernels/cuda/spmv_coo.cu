/* A thread an entry. Several threads may hold entries of one row, so that each adds its product to
 * y by an atomic. The matrix is read in whole lines whatever its order; but as many atomics as
 * entries meet in the L2 cache, and neighbours of one row wait there for each other. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"

static __global__ void coo_entry(spw_coo A, const double *x, double *y) {
    const unsigned k = blockIdx.x * BLOCK + threadIdx.x; /* entry, 0 .. nnz-1 */
    if (k >= (unsigned)A.nnz) return;
    const double product = __ldcs(A.val + k) * __ldg(x + __ldcs(A.col_idx + k));
    atomicAdd(y + __ldcs(A.row_idx + k), product);
}

spw_status spw_spmv_coo_cuda(const spw_coo *d_A, const double *d_x, double *d_y) {
    const spw_status status = spw_device_zero(d_y, d_A->n_rows * (int64_t)sizeof *d_y);
    if (status || d_A->nnz == 0) return status;
    coo_entry<<<blocks_for(d_A->nnz), BLOCK>>>(*d_A, d_x, d_y);
    return spw_device_launched("spw_spmv_coo_cuda");
}

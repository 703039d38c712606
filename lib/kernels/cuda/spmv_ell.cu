/* A thread a row. Entry j of all rows lies together, so that at each step a warp reads 32
 * neighbouring entries: whole lines of val and col_idx. No row pointers, but the padding is read as well. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/row_sum.cuh"

static __global__ void ell_thread(spw_ell A, const double *x, double *y) {
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x; /* row, 0 .. n_rows-1 */
    if (i >= (unsigned)A.n_rows) return;
    y[i] = row_sum(A.val, A.col_idx, x, i, A.n_stored, A.n_rows);
}

spw_status spw_spmv_ell_cuda(const spw_ell *d_A, const double *d_x, double *d_y) {
    if (d_A->n_rows == 0) return SPW_OK;
    ell_thread<<<blocks_for(d_A->n_rows), BLOCK>>>(*d_A, d_x, d_y);
    return spw_device_launched("spw_spmv_ell_cuda");
}

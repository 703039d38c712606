/* A thread a row: the loop of the CPU. At each step the 32 lanes of a warp read from 32 rows, so
 * that each load touches up to 32 places that are a row apart; a sector of 32 bytes serves four steps of its lane,
 * if it is still in the cache by then. Therefore no __ldcs here. And a warp is as slow as the longest of its rows. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"

static __global__ void csr_thread(spw_csr A, const double *x, double *y) {
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x; /* row, 0 .. n_rows-1 */
    if (i >= (unsigned)A.n_rows) return;
    double sum = 0;
    for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
        sum += __ldg(A.val + k) * __ldg(x + __ldg(A.col_idx + k));
    y[i] = sum;
}

spw_status spw_spmv_csr_cuda(const spw_csr *d_A, const double *d_x, double *d_y) {
    if (d_A->n_rows == 0) return SPW_OK;
    csr_thread<<<blocks_for(d_A->n_rows), BLOCK>>>(*d_A, d_x, d_y);
    return spw_device_launched("spw_spmv_csr_cuda");
}

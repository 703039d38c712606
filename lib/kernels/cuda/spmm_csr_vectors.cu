/* Lanes are vectors: neighbouring lanes read neighbouring elements of a row of X and write
 * neighbouring elements of a row of Y, whole sectors of both. The entry is the same for all of them,
 * one request for 32 lanes. Fewer than 32 vectors: several rows a warp.
 * Gain: X and Y by whole sectors, no sums to add up. Cost: a row is one chain of additions, and a
 * warp reads the matrix an entry at a time. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"

static __global__ void csr_vectors(spw_csr A, spw_idx nv, const double *X, int64_t ldx, double *Y,
                                   int64_t ldy)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= A.n_rows) return;
    const unsigned begin = __ldg(A.row_ptr + i), end = __ldg(A.row_ptr + i + 1);
    for (spw_idx v = threadIdx.x; v < nv; v += blockDim.x) {
        double sum = 0;
        for (unsigned at = begin; at < end; at++)
            sum += __ldg(A.val + at) * __ldg(X + __ldg(A.col_idx + at) * ldx + v);
        Y[i * ldy + v] = sum;
    }
}

spw_status spw_spmm_csr_cuda_vectors(const spw_csr *d_A, spw_idx nv, const double *d_X, int64_t ldx,
                                     double *d_Y, int64_t ldy)
{
    if (d_A->n_rows == 0) return SPW_OK;
    const dim3 block = block_of_vectors(nv);
    const unsigned blocks = ((unsigned)d_A->n_rows + block.y - 1) / block.y;
    csr_vectors<<<blocks, block>>>(*d_A, nv, d_X, ldx, d_Y, ldy);
    return spw_device_launched("spw_spmm_csr_cuda_vectors");
}

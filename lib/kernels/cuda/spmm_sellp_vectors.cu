/* As spmm_csr_vectors.cu: lanes are vectors. A row's entries are b apart; its neighbours in the slice
 * have those in between, and are threads of the same block, so that sectors come from memory once. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"

static __global__ void sellp_vectors(spw_sellp S, spw_idx nv, const double *X, int64_t ldx,
                                     double *Y, int64_t ldy) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= S.n_rows) return;
    const int64_t slice = i / S.b;
    const unsigned begin = (unsigned)__ldg(S.slice_ptr + slice) + (unsigned)(i % S.b);
    const unsigned end = __ldg(S.slice_ptr + slice + 1);
    for (spw_idx v = threadIdx.x; v < nv; v += blockDim.x) {
        double sum = 0;
        for (unsigned at = begin; at < end; at += S.b)
            sum += __ldg(S.val + at) * __ldg(X + __ldg(S.col_idx + at) * ldx + v);
        Y[i * ldy + v] = sum;
    }
}

spw_status spw_spmm_sellp_cuda_vectors(const spw_sellp *d_A, spw_idx nv, const double *d_X,
                                       int64_t ldx, double *d_Y, int64_t ldy) {
    if (d_A->n_rows == 0) return SPW_OK;
    const dim3 block = block_of_vectors(nv);
    const unsigned blocks = ((unsigned)d_A->n_rows + block.y - 1) / block.y;
    sellp_vectors<<<blocks, block>>>(*d_A, nv, d_X, ldx, d_Y, ldy);
    return spw_device_launched("spw_spmm_sellp_cuda_vectors");
}

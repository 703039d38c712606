/* The block of the papers, for CSR. x: LANES lanes of a row, which read neighbouring entries; y:
 * 32 / LANES rows, so that x and y are a warp; z: layers, each with two vectors.
 *
 *     z = 0   warp 0   rows 0 .. 7, vectors 0 1        the layers read the same entries, and the
 *     z = 1   warp 1   rows 0 .. 7, vectors 2 3        two after the first find them in the L1
 *     z = 2   warp 2   rows 0 .. 7, vectors 4 5        cache
 *
 * Gain over one SpMV a vector: the matrix comes from memory once. Cost: the lanes of a warp read X at as many rows as
 * they have entries, 16 bytes at each; the other half of those 32-byte sectors is the neighbouring layer's.
 * Source: H. Anzt, S. Tomov, J. Dongarra, Int. J. High Perform. Comput. Appl. 31(5), 375-390, 2017,
 * doi:10.1177/1094342016672081, for SELL-P. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sum.cuh"

enum { LANES = 4, ROWS = WARP / LANES, LAYERS = 8, PER_LAYER = 2 };

static __global__ void csr_layers(spw_csr A, spw_idx nv, const double *X, int64_t ldx, double *Y,
                                  int64_t ldy) {
    const int64_t i = (int64_t)blockIdx.x * ROWS + threadIdx.y; /* row; lanes behind the last one
                                                                   stay for the shuffles */
    const int lane = threadIdx.x;
    unsigned begin = 0, end = 0;
    if (i < A.n_rows) {
        begin = __ldg(A.row_ptr + i);
        end = __ldg(A.row_ptr + i + 1);
    }
    for (spw_idx v = PER_LAYER * threadIdx.z; v < nv; v += PER_LAYER * blockDim.z) {
        const bool has_two = v + 1 < nv;
        double sum0 = 0, sum1 = 0;
        for (unsigned at = begin + lane; at < end; at += LANES) {
            const double a = __ldg(A.val + at), *x = X + __ldg(A.col_idx + at) * ldx + v;
            sum0 += a * __ldg(x);
            if (has_two) sum1 += a * __ldg(x + 1);
        }
        sum0 = lanes_sum(sum0, LANES);
        sum1 = lanes_sum(sum1, LANES);
        if (lane > 0 || i >= A.n_rows) continue;
        Y[i * ldy + v] = sum0;
        if (has_two) Y[i * ldy + v + 1] = sum1;
    }
}

spw_status spw_spmm_csr_cuda(const spw_csr *d_A, spw_idx nv, const double *d_X, int64_t ldx,
                             double *d_Y, int64_t ldy) {
    if (d_A->n_rows == 0) return SPW_OK;
    const unsigned blocks = ((unsigned)d_A->n_rows + ROWS - 1) / ROWS;
    const int wanted = (nv + PER_LAYER - 1) / PER_LAYER;
    const dim3 block(LANES, ROWS, wanted < LAYERS ? wanted : LAYERS);
    csr_layers<<<blocks, block>>>(*d_A, nv, d_X, ldx, d_Y, ldy);
    return spw_device_launched("spw_spmm_csr_cuda");
}

/* LANES lanes of a warp share a row, 32 / LANES rows a warp: neighbouring lanes read neighbouring
 * entries, and the lanes' sums are added by shuffles. With a whole warp a row of 27 entries would
 * leave 5 lanes idle and need 5 shuffles for one entry a lane; so LANES is chosen such that a lane
 * has about four entries, one batch of row_sum. Rows of very different lengths leave lanes idle.
 * Source: the "vector" kernel of N. Bell, M. Garland, SC09, doi:10.1145/1654059.1654078, with fewer
 * lanes a row, as in I. Reguly, M. Giles, InPar 2012, doi:10.1109/InPar.2012.6339602. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/row_sum.cuh"
#include "kernels/cuda/sum.cuh"

template <int LANES> static __global__ void csr_lanes(spw_csr A, const double *x, double *y) {
    static_assert(LANES >= 2 && LANES <= WARP && WARP % LANES == 0, "rows must not cross warps");
    const int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    const int64_t i = thread / LANES; /* row; lanes behind the last one stay for the shuffles */
    const int lane = threadIdx.x % LANES;
    unsigned begin = 0, end = 0;
    if (i < A.n_rows) {
        begin = __ldg(A.row_ptr + i);
        end = __ldg(A.row_ptr + i + 1);
    }
    const double sum = lanes_sum(row_sum(A.val, A.col_idx, x, begin + lane, end, LANES), LANES);
    if (lane == 0 && i < A.n_rows) y[i] = sum;
}

spw_status spw_spmv_csr_cuda_warp(const spw_csr *d_A, const double *d_x, double *d_y) {
    if (d_A->n_rows == 0) return SPW_OK;
    const int lanes = lanes_a_row(d_A);
    const unsigned blocks = blocks_for((int64_t)d_A->n_rows * lanes);
    switch (lanes) {
    case 2: csr_lanes<2><<<blocks, BLOCK>>>(*d_A, d_x, d_y); break;
    case 4: csr_lanes<4><<<blocks, BLOCK>>>(*d_A, d_x, d_y); break;
    case 8: csr_lanes<8><<<blocks, BLOCK>>>(*d_A, d_x, d_y); break;
    case 16: csr_lanes<16><<<blocks, BLOCK>>>(*d_A, d_x, d_y); break;
    default: csr_lanes<32><<<blocks, BLOCK>>>(*d_A, d_x, d_y); break;
    }
    return spw_device_launched("spw_spmv_csr_cuda_warp");
}

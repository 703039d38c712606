/* spmv_csr_warp.cu with sums over y taken along: the first lane of each row has y[i] in a register. So
 * that there are not more partial sums than blocks run at the same time, these walk through the rows; a
 * warp whose rows are done waits for its block at the end, once. */
#include "base/device.h"
#include "kernels/cuda/row_sum.cuh"
#include "kernels/cuda/sum.cuh"
#include "kernels/cuda_solver.h"

template <int LANES>
static __global__ void csr_dots(spw_csr A, const double *x, const double *w, double *y,
                                spw_partials *w_y, spw_partials *y_y) {
    static_assert(LANES >= 2 && LANES <= WARP && WARP % LANES == 0, "rows must not cross warps");
    enum { ROWS = BLOCK / LANES }; /* of a block at once */
    const int lane = threadIdx.x % LANES;
    double with_w = 0, with_y = 0;
    for (int64_t top = (int64_t)blockIdx.x * ROWS; top < A.n_rows;
         top += (int64_t)gridDim.x * ROWS) {
        const int64_t i =
            top + threadIdx.x / LANES; /* lanes behind the last row stay for the shuffles */
        unsigned begin = 0, end = 0;
        if (i < A.n_rows) {
            begin = __ldg(A.row_ptr + i);
            end = __ldg(A.row_ptr + i + 1);
        }
        const double sum = lanes_sum(row_sum(A.val, A.col_idx, x, begin + lane, end, LANES), LANES);
        if (lane == 0 && i < A.n_rows) {
            y[i] = sum;
            with_w += w[i] * sum;
            with_y += sum * sum;
        }
    }
    leave_sum(with_w, w_y);
    if (y_y) leave_sum(with_y, y_y);
}

spw_status spw_spmv_with_dots_csr_cuda(const spw_csr *d_A, const double *d_x, const double *d_w,
                                       double *d_y, spw_partials *d_w_y, spw_partials *d_y_y) {
    const int lanes = d_A->n_rows > 0 ? lanes_a_row(d_A) : 2;
    const unsigned blocks = sum_blocks((int64_t)d_A->n_rows * lanes);
    switch (lanes) {
    case 2: csr_dots<2><<<blocks, BLOCK>>>(*d_A, d_x, d_w, d_y, d_w_y, d_y_y); break;
    case 4: csr_dots<4><<<blocks, BLOCK>>>(*d_A, d_x, d_w, d_y, d_w_y, d_y_y); break;
    case 8: csr_dots<8><<<blocks, BLOCK>>>(*d_A, d_x, d_w, d_y, d_w_y, d_y_y); break;
    case 16: csr_dots<16><<<blocks, BLOCK>>>(*d_A, d_x, d_w, d_y, d_w_y, d_y_y); break;
    default: csr_dots<32><<<blocks, BLOCK>>>(*d_A, d_x, d_w, d_y, d_w_y, d_y_y); break;
    }
    return spw_device_launched("spw_spmv_with_dots_csr_cuda");
}

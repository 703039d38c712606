/* Preconditioners that are parallel in all rows: small blocks along the diagonal, and steps of a polynomial
 * between two products. */
#include "base/device.h"
#include "kernels/cuda/sum.cuh"
#include "kernels/cuda_solver.h"

/* A thread a row of a block. Entry j of all rows lies side by side, so that a warp loads whole lines; x is
 * shared by the rows of a block and comes from the cache. */
static __global__ void block_diag(int64_t n, int block, const double *inverse, const double *x,
                                  double *y, spw_partials *x_y) {
    double with_x = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * BLOCK) {
        const int64_t first = i / block * block;
        const int columns = (int)(n - first < block ? n - first : block);
        double sum = 0;
        for (int j = 0; j < columns; j++) sum += inverse[j * n + i] * x[first + j];
        y[i] = sum;
        with_x += x[i] * sum;
    }
    if (x_y) leave_sum(with_x, x_y);
}

static __global__ void polynomial_first(int64_t n, double b, const double *inverse, const double *x,
                                        double *step, double *y) {
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * BLOCK)
        step[i] = y[i] = b * inverse[i] * x[i];
}

static __global__ void polynomial_step(int64_t n, double a, double b, const double *inverse,
                                       const double *before, const double *work, const double *w,
                                       double *residual, double *step, double *y,
                                       spw_partials *w_y) {
    double sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * BLOCK) {
        const double left = before[i] - work[i];
        double next = b * inverse[i] * left;
        if (a != 0) next += a * step[i];
        const double z = y[i] + next;
        residual[i] = left;
        step[i] = next;
        y[i] = z;
        if (w_y) sum += w[i] * z;
    }
    if (w_y) leave_sum(sum, w_y);
}

spw_status spw_block_diag_cuda(int64_t n, int block, const double *d_inverse, const double *d_x,
                               double *d_y, spw_partials *d_x_y) {
    block_diag<<<sum_blocks(n), BLOCK>>>(n, block, d_inverse, d_x, d_y, d_x_y);
    return spw_device_launched("spw_block_diag_cuda");
}

spw_status spw_polynomial_first_cuda(int64_t n, double b, const double *d_inverse,
                                     const double *d_x, double *d_step, double *d_y) {
    polynomial_first<<<sum_blocks(n), BLOCK>>>(n, b, d_inverse, d_x, d_step, d_y);
    return spw_device_launched("spw_polynomial_first_cuda");
}

spw_status spw_polynomial_step_cuda(int64_t n, double a, double b, const double *d_inverse,
                                    const double *d_before, const double *d_work, const double *d_w,
                                    double *d_residual, double *d_step, double *d_y,
                                    spw_partials *d_w_y) {
    polynomial_step<<<sum_blocks(n), BLOCK>>>(n, a, b, d_inverse, d_before, d_work, d_w, d_residual,
                                              d_step, d_y, d_w_y);
    return spw_device_launched("spw_polynomial_step_cuda");
}

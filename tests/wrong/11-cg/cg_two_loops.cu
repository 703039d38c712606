/* expect TRAFFIC: add its square there */
/* r.r in a loop of its own reads r again. */
#include "cg_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32 };

inline __device__ int64_t first()
{
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

inline __device__ int64_t stride()
{
    return (int64_t)gridDim.x * BLOCK;
}

spw_cost cg_iteration_cost(double n, double nz)
{
    return {12 * nz + 4 * (n + 1) + 8 * n + 32 * n + 16 * n, 32 * n, 2 * nz + 10 * n};
}

__device__ double block_sum(double value)
{
    __shared__ double sums[BLOCK / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    value = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < BLOCK / WARP; w++) value += sums[w];
    return value;
}

__global__ void product_kernel(spw_csr A, const double *p, double *q, double *parts)
{
    double p_q = 0;
    for (int64_t i = first(); i < A.n_rows; i += stride()) {
        double sum = 0;
        for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k] * p[A.col_idx[k]];
        q[i] = sum;
        p_q += p[i] * sum;
    }
    p_q = block_sum(p_q);
    if (threadIdx.x == 0) parts[blockIdx.x] = p_q;
}

void spmv_dot(spw_csr A, int blocks, const double *d_p, double *d_q, double *d_parts)
{
    product_kernel<<<blocks, BLOCK>>>(A, d_p, d_q, d_parts);
}

__global__ void update_kernel(int64_t n, const double *numbers, const double *p, const double *q,
                              double *x, double *r, double *parts)
{
    const double alpha = numbers[ALPHA];
    double r_r = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double left = r[i] - alpha * q[i];
        x[i] += alpha * p[i];
        r[i] = left;
    }
    for (int64_t i = first(); i < n; i += stride()) r_r += r[i] * r[i];
    r_r = block_sum(r_r);
    if (threadIdx.x == 0) parts[blockIdx.x] = r_r;
}

void update(int64_t n, int blocks, const double *d_numbers, const double *d_p, const double *d_q,
            double *d_x, double *d_r, double *d_parts)
{
    update_kernel<<<blocks, BLOCK>>>(n, d_numbers, d_p, d_q, d_x, d_r, d_parts);
}

__global__ void alpha_kernel(int blocks, const double *parts, double *numbers)
{
    double p_q = 0;
    for (int k = threadIdx.x; k < blocks; k += BLOCK) p_q += parts[k];
    p_q = block_sum(p_q);
    if (threadIdx.x == 0) numbers[ALPHA] = p_q > 0 ? numbers[RHO] / p_q : 0;
}

__global__ void beta_kernel(int blocks, const double *parts, double *numbers)
{
    double r_r = 0;
    for (int k = threadIdx.x; k < blocks; k += BLOCK) r_r += parts[k];
    r_r = block_sum(r_r);
    if (threadIdx.x > 0) return;
    numbers[BETA] = numbers[RHO] > 0 ? r_r / numbers[RHO] : 0;
    numbers[RHO] = r_r;
}

__global__ void direction_kernel(int64_t n, const double *numbers, const double *r, double *p)
{
    const double beta = numbers[BETA];
    for (int64_t i = first(); i < n; i += stride()) p[i] = r[i] + beta * p[i];
}

void iterate(spw_csr A, int blocks, int steps, double *d_x, double *d_r, double *d_p, double *d_q,
             double *d_parts, double *d_numbers)
{
    for (int k = 0; k < steps; k++) {
        spmv_dot(A, blocks, d_p, d_q, d_parts);
        alpha_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
        update(A.n_rows, blocks, d_numbers, d_p, d_q, d_x, d_r, d_parts);
        beta_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
        direction_kernel<<<blocks, BLOCK>>>(A.n_rows, d_numbers, d_r, d_p);
    }
}

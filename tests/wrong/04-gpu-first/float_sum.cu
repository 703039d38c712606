/* expect CORRECT: correct to about 8 digits: float arithmetic? */
/* The sum of a thread is a float. */
#include "gpu_first.h"

#include <cuda_runtime.h>

enum { WARP = 32, BLOCK = 256 };

inline unsigned blocks_for(int64_t n)
{
    int multiprocessors = 1;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    const int64_t wanted = (n + BLOCK - 1) / BLOCK, resident = 8 * (int64_t)multiprocessors;
    return (unsigned)(wanted < resident ? wanted : resident);
}

spw_cost axpby_cost(int64_t n)
{
    return {16.0 * n, 8.0 * n, 3.0 * n};
}

__global__ void axpby_kernel(int64_t n, double a, const double *x, double b, double *y)
{
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = first; i < n; i += stride) y[i] = a * x[i] + b * y[i];
}

void axpby(int64_t n, double a, const double *d_x, double b, double *d_y)
{
    if (n > 0) axpby_kernel<<<blocks_for(n), BLOCK>>>(n, a, d_x, b, d_y);
}

spw_cost dot_cost(int64_t n)
{
    return {16.0 * n, 8.0, 2.0 * n};
}

static __device__ double warp_sum(double value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

__global__ void dot_kernel(int64_t n, const double *x, const double *y, double *result)
{
    __shared__ double warp_sums[BLOCK / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;

    float part = 0;
    for (int64_t i = first; i < n; i += stride) part += (float)(x[i] * y[i]);
    double sum = part;

    sum = warp_sum(sum);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = warp_sum(lane < BLOCK / WARP ? warp_sums[lane] : 0);
    if (lane == 0) atomicAdd(result, sum);
}

void dot(int64_t n, const double *d_x, const double *d_y, double *d_result)
{
    cudaMemset(d_result, 0, sizeof *d_result);
    if (n > 0) dot_kernel<<<blocks_for(n), BLOCK>>>(n, d_x, d_y, d_result);
}

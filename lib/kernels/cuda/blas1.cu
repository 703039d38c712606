/* Vectors: a thread an element, neighbouring threads neighbouring elements, so that a warp moves
 * whole 128-byte lines. The sums: each thread adds up many elements, then a warp by shuffles, then
 * a block by shared memory, and each block adds its sum to the result by one atomic. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/sum.cuh"

static __device__ __forceinline__ int64_t first(void) {
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

static __device__ __forceinline__ int64_t stride(void) { return (int64_t)gridDim.x * BLOCK; }

static __global__ void axpby(int64_t n, double a, const double *x, double b, double *y) {
    const int64_t i = first();
    if (i < n) y[i] = a * x[i] + b * y[i];
}

static __global__ void triad(int64_t n, double s, const double *b, const double *c, double *a) {
    const int64_t i = first();
    if (i < n) a[i] = b[i] + s * c[i];
}

static __global__ void dot(int64_t n, const double *x, const double *y, double *result) {
    double sum = 0;
#pragma unroll 4
    for (int64_t i = first(); i < n; i += stride()) sum += x[i] * y[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

static __global__ void sum_up(int64_t n, const double *x, double *result) {
    double sum = 0;
#pragma unroll 4
    for (int64_t i = first(); i < n; i += stride()) sum += x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

spw_status spw_axpby_cuda(int64_t n, double a, const double *d_x, double b, double *d_y) {
    if (n == 0) return SPW_OK;
    axpby<<<blocks_for(n), BLOCK>>>(n, a, d_x, b, d_y);
    return spw_device_launched("spw_axpby_cuda");
}

spw_status spw_triad_cuda(int64_t n, double s, const double *d_b, const double *d_c, double *d_a) {
    if (n == 0) return SPW_OK;
    triad<<<blocks_for(n), BLOCK>>>(n, s, d_b, d_c, d_a);
    return spw_device_launched("spw_triad_cuda");
}

spw_status spw_dot_cuda(int64_t n, const double *d_x, const double *d_y, double *d_result) {
    const spw_status status = spw_device_zero(d_result, sizeof *d_result);
    if (status || n == 0) return status;
    dot<<<resident_blocks(n), BLOCK>>>(n, d_x, d_y, d_result);
    return spw_device_launched("spw_dot_cuda");
}

spw_status spw_sum_cuda(int64_t n, const double *d_x, double *d_result) {
    const spw_status status = spw_device_zero(d_result, sizeof *d_result);
    if (status || n == 0) return status;
    sum_up<<<resident_blocks(n), BLOCK>>>(n, d_x, d_result);
    return spw_device_launched("spw_sum_cuda");
}

#include "gpu_first.h"

#include <cuda_runtime.h>

enum { WARP = 32, BLOCK = 256 }; /* threads of a warp: the hardware's; of a block: our choice */

/* Given. Blocks for n elements: one thread an element, but not more than run at the same time. 8 blocks
 * of 256 threads are the 2048 that a multiprocessor of a large GPU holds. 0 if n is 0. */
inline unsigned blocks_for(int64_t n) {
    int multiprocessors = 1;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    const int64_t wanted = (n + BLOCK - 1) / BLOCK, resident = 8 * (int64_t)multiprocessors;
    return (unsigned)(wanted < resident ? wanted : resident);
}

/* 1. Predict. What must one call of axpby move at least, and compute? Bytes loaded, bytes stored, flops:
 *     return {..., ..., ...};
 * Write 16.0, not 16: a cost is in double. */
spw_cost axpby_cost(int64_t n) {
    /* SOLUTION your model here */
    return {16.0 * n, 8.0 * n, 3.0 * n};
    /* END */
}

/* 2. Write. The kernel: y[i] = a x[i] + b y[i] for all i below n, whatever the number of threads is.
 * x and y are device pointers here, too. */
__global__ void axpby_kernel(int64_t n, double a, const double *x, double b, double *y) {
    /* SOLUTION your kernel here: a grid-stride loop */
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = first; i < n; i += stride) y[i] = a * x[i] + b * y[i];
    /* END */
}

/* The launcher: blocks_for(n) blocks of BLOCK threads; none if n is 0. */
void axpby(int64_t n, double a, const double *d_x, double b, double *d_y) {
    /* SOLUTION your launch here */
    if (n > 0) axpby_kernel<<<blocks_for(n), BLOCK>>>(n, a, d_x, b, d_y);
    /* END */
}

/* 3. Predict. The same for dot. The result is one double. */
spw_cost dot_cost(int64_t n) {
    /* SOLUTION your model here */
    return {16.0 * n, 8.0, 2.0 * n};
    /* END */
}

/* SOLUTION */
/* The sum over the warp, in lane 0; the others hold parts of it. All 32 lanes must come here. */
static __device__ double warp_sum(double value) {
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

/* END */
/* 4. Write. The kernel: each thread adds up its share, each warp its lanes by shuffles, each block its
 * warps through shared memory; then one thread of the block adds the block's sum to *result. */
__global__ void dot_kernel(int64_t n, const double *x, const double *y, double *result) {
    /* SOLUTION your kernel here: a loop, shuffles, a barrier, shuffles, one atomicAdd */
    __shared__ double warp_sums[BLOCK / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;

    double sum = 0;
    for (int64_t i = first; i < n; i += stride) sum += x[i] * y[i];

    sum = warp_sum(sum);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = warp_sum(lane < BLOCK / WARP ? warp_sums[lane] : 0);
    if (lane == 0) atomicAdd(result, sum);
    /* END */
}

/* The launcher: *d_result holds garbage, and blocks add to it. cudaMemset(pointer, 0, bytes) makes 0. */
void dot(int64_t n, const double *d_x, const double *d_y, double *d_result) {
    /* SOLUTION your launch here */
    cudaMemset(d_result, 0, sizeof *d_result);
    if (n > 0) dot_kernel<<<blocks_for(n), BLOCK>>>(n, d_x, d_y, d_result);
    /* END */
}

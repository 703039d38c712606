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
    /* your model here */
}

/* 2. Write. The kernel: y[i] = a x[i] + b y[i] for all i below n, whatever the number of threads is.
 * x and y are device pointers here, too. */
__global__ void axpby_kernel(int64_t n, double a, const double *x, double b, double *y) {
    /* your kernel here: a grid-stride loop */
}

/* The launcher: blocks_for(n) blocks of BLOCK threads; none if n is 0. */
void axpby(int64_t n, double a, const double *d_x, double b, double *d_y) {
    /* your launch here */
}

/* 3. Predict. The same for dot. The result is one double. */
spw_cost dot_cost(int64_t n) {
    /* your model here */
}

/* 4. Write. The kernel: each thread adds up its share, each warp its lanes by shuffles, each block its
 * warps through shared memory; then one thread of the block adds the block's sum to *result. */
__global__ void dot_kernel(int64_t n, const double *x, const double *y, double *result) {
    /* your kernel here: a loop, shuffles, a barrier, shuffles, one atomicAdd */
}

/* The launcher: *d_result holds garbage, and blocks add to it. cudaMemset(pointer, 0, bytes) makes 0. */
void dot(int64_t n, const double *d_x, const double *d_y, double *d_result) {
    /* your launch here */
}

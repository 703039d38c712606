/* kernels/cuda/sum.cuh -- adds up what the lanes of a warp or the threads of a block hold.
 * Internal.
 *
 * A shuffle reads a register of another lane: no shared memory, no barrier. Five steps for a warp:
 *     lane  0 1 2 3 4 5 6 7      step 4:  0+4 1+5 2+6 3+7 . . . .
 *                                step 2:  (0+4)+(2+6)  (1+5)+(3+7) . .
 *                                step 1:  the sum, in lane 0 */
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda_solver.h"

/* Blocks that fit a multiprocessor at once; more would only add sums of blocks. */
enum { RESIDENT = 8 };

/* Blocks for a sum over n threads, n >= 1: as many as run at the same time. */
static inline unsigned resident_blocks(int64_t n) {
    int device = 0, multiprocessors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const unsigned blocks = blocks_for(n), resident = (unsigned)multiprocessors * RESIDENT;
    return blocks < resident ? blocks : resident;
}

/* The same for sums that are left in parts; n may be 0. */
static inline unsigned sum_blocks(int64_t n) {
    const unsigned blocks = resident_blocks(n > 0 ? n : 1);
    return blocks < SPW_PARTIALS_MOST ? blocks : (unsigned)SPW_PARTIALS_MOST;
}

/* The sum over groups of `lanes` neighbouring lanes, a power of two; valid in the first of each
 * group.
 * All 32 lanes of the warp must call it. */
static __device__ __forceinline__ double lanes_sum(double value, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2)
        value += __shfl_down_sync(ALL_LANES, value, step, lanes);
    return value;
}

/* The sum over a block of BLOCK threads; valid in thread 0. All threads must call it. The second
 * barrier lets the caller call it again. */
static __device__ __forceinline__ double block_sum(double value) {
    __shared__ double warp_sums[BLOCK / WARP];
    value = lanes_sum(value, WARP);
    if (threadIdx.x % WARP == 0) warp_sums[threadIdx.x / WARP] = value;
    __syncthreads();
    value = threadIdx.x < BLOCK / WARP ? warp_sums[threadIdx.x] : 0;
    if (threadIdx.x < WARP) value = lanes_sum(value, WARP);
    __syncthreads();
    return value;
}

/* Leaves the sum over the block in its place. All threads must call it. */
static __device__ __forceinline__ void leave_sum(double value, spw_partials *to) {
    const double sum = block_sum(value);
    if (threadIdx.x > 0) return;
    to->sum[blockIdx.x] = sum;
    if (blockIdx.x == 0) to->blocks = (int)gridDim.x;
}

/* The sum of all parts, by one block; valid in thread 0. All threads must call it. */
static __device__ __forceinline__ double partials_sum(const spw_partials *from) {
    double sum = 0;
    for (int k = threadIdx.x; k < from->blocks; k += BLOCK) sum += from->sum[k];
    return block_sum(sum);
}

/* kernels/cuda/sum.cuh -- adds up what the lanes of a warp or the threads of a block hold.
 * Internal.
 *
 * A shuffle reads a register of another lane: no shared memory, no barrier. Five steps for a warp:
 *     lane  0 1 2 3 4 5 6 7      step 4:  0+4 1+5 2+6 3+7 . . . .
 *                                step 2:  (0+4)+(2+6)  (1+5)+(3+7) . .
 *                                step 1:  the sum, in lane 0 */
#ifndef SPW_KERNELS_CUDA_SUM_CUH
#define SPW_KERNELS_CUDA_SUM_CUH

#include "kernels/cuda/launch.cuh"

/* The sum over groups of `lanes` neighbouring lanes, a power of two; valid in the first of each
 * group.
 * All 32 lanes of the warp must call it. */
static __device__ __forceinline__ double lanes_sum(double value, int lanes)
{
    for (int step = lanes / 2; step > 0; step /= 2)
        value += __shfl_down_sync(ALL_LANES, value, step, lanes);
    return value;
}

/* The sum over a block of BLOCK threads; valid in thread 0. All threads must call it. The second
 * barrier lets the caller call it again. */
static __device__ __forceinline__ double block_sum(double value)
{
    __shared__ double warp_sums[BLOCK / WARP];
    value = lanes_sum(value, WARP);
    if (threadIdx.x % WARP == 0) warp_sums[threadIdx.x / WARP] = value;
    __syncthreads();
    value = threadIdx.x < BLOCK / WARP ? warp_sums[threadIdx.x] : 0;
    if (threadIdx.x < WARP) value = lanes_sum(value, WARP);
    __syncthreads();
    return value;
}

#endif

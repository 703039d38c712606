#include "mixed_precision_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32 };

/* Given. The number of this thread in the grid, and how many there are. */
inline __device__ int64_t first() {
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

inline __device__ int64_t stride() {
    return (int64_t)gridDim.x * BLOCK;
}

/* Given. The sum of `value` over the warp, in lane 0. All 32 lanes come here together. */
inline __device__ double warp_sum(double value) {
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

/* Given. The sum of `value` over the BLOCK threads of a block; valid in thread 0. All of them call it, once. */
inline __device__ double block_sum(double value) {
    __shared__ double sums[BLOCK / WARP];
    value = warp_sum(value);
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = value;
    __syncthreads();
    value = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < BLOCK / WARP; w++) value += sums[w];
    return value;
}

/* 1. Predict. One product with float values: bytes loaded, bytes stored, flops. Write 8.0, not 8. */
spw_cost spmv_single_cost(const csr_single *A) {
    /* your model here: return {..., ..., ...}; */
}

/* 2. Write. A warp a row, as in exercise 6; only that val is float. What type has the sum? */
__global__ void single_kernel(csr_single A, const double *x, double *y) {
    /* your kernel here: row, lane, a loop, warp_sum, one store */
}

void spmv_single(csr_single A, const double *d_x, double *d_y) {
    /* your launch here: 32 threads for each row */
}

/* 3. Predict. One residual with its r.r. */
spw_cost residual_cost(const spw_csr *A) {
    /* your model here */
}

/* 4. Write. A warp has rows first / 32, and so on by all warps of the grid. Lane 0 has the element of r, and
 * its square for the block's share. All lanes come to block_sum. */
__global__ void residual_kernel(spw_csr A, const double *b, const double *x, double *r,
                                double *parts) {
    /* your kernel here */
}

void residual(spw_csr A, int blocks, const double *d_b, const double *d_x, double *d_r,
              double *d_parts) {
    /* your launch here */
}

/* 5. Write. One block: the square root of the sum of the parts. */
__global__ void norm_kernel(int blocks, const double *parts, double *norm) {
    /* your kernel here: a loop over the parts, block_sum, one thread writes */
}

/* 6. Write. small = r / norm in float; 0 if norm is 0. */
__global__ void round_kernel(int64_t n, const double *norm, const double *r, float *small) {
    /* your kernel here. What comes first, dividing or rounding? */
}

void round_residual(int64_t n, int blocks, const double *d_parts, const double *d_r, float *d_small,
                    double *d_norm) {
    /* your two launches here */
}

/* 7. Write. x += norm / scale * d */
__global__ void correct_kernel(int64_t n, double scale, const double *norm, const float *d,
                               double *x) {
    /* your kernel here. Which of the three factors may be float? */
}

void correct(int64_t n, int blocks, double scale, const double *d_norm, const float *d_d,
             double *d_x) {
    /* your launch here */
}

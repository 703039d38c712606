#include "spmv_csr_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32, BLOCK = 256 }; /* threads of a warp: the hardware's; of a block: our choice */

/* Given. The blocks that hold so many threads. A launch of 0 blocks is refused. */
inline unsigned blocks_for(long long threads) {
    return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

/* Given. The sum of `value` over the warp, in lane 0; the others hold parts of it. All 32 lanes must come
 * here together. Exercise 4 explains it. */
inline __device__ double warp_sum(double value) {
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

/* 1. Write. Your loop of spmv_csr.c, but without its outer loop: a thread has one row. The arrays of A are on
 * the device, its numbers are at hand everywhere. */
__global__ void rows_kernel(spw_csr A, const double *x, double *y) {
    /* your kernel here: which row is mine, and is there one? */
}

void spmv_csr_rows(spw_csr A, const double *x, double *y) {
    /* your launch here, if there are rows */
}

/* 2. Predict. What must one product move at least? Bytes loaded, bytes stored, flops: {..., ..., ...}. It
 * is the model of exercise 6; write 12.0, not 12. The struct is the host's, its arrays are not read here. */
spw_cost spmv_csr_cost(const spw_csr *A) {
    /* your model here */
}

/* 3. Write. The 32 lanes of a warp share a row: lane l takes its entries l, l + 32, l + 64, ... */
__global__ void warps_kernel(spw_csr A, const double *x, double *y) {
    /* your kernel here: row, lane, a loop, warp_sum, one store */
}

void spmv_csr(spw_csr A, const double *x, double *y) {
    /* your launch here: 32 threads for each row */
}

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
    /* SOLUTION your kernel here: which row is mine, and is there one? */
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; /* row */
    if (i >= A.n_rows) return;
    double sum = 0;
    for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k] * x[A.col_idx[k]];
    y[i] = sum;
    /* END */
}

void spmv_csr_rows(spw_csr A, const double *x, double *y) {
    /* SOLUTION your launch here, if there are rows */
    if (A.n_rows > 0) rows_kernel<<<blocks_for(A.n_rows), BLOCK>>>(A, x, y);
    /* END */
}

/* 2. Predict. What must one product move at least? Bytes loaded, bytes stored, flops: {..., ..., ...}. It
 * is the model of exercise 6; write 12.0, not 12. The struct is the host's, its arrays are not read here. */
spw_cost spmv_csr_cost(const spw_csr *A) {
    /* SOLUTION your model here */
    return {12.0 * A->nnz + 4 * (A->n_rows + 1.0) + 8.0 * A->n_cols, 8.0 * A->n_rows, 2.0 * A->nnz};
    /* END */
}

/* 3. Write. The 32 lanes of a warp share a row: lane l takes its entries l, l + 32, l + 64, ... */
__global__ void warps_kernel(spw_csr A, const double *x, double *y) {
    /* SOLUTION your kernel here: row, lane, a loop, warp_sum, one store */
    const long long thread = blockIdx.x * (long long)BLOCK + threadIdx.x;
    const long long i = thread / WARP; /* row */
    const int lane = thread % WARP;
    if (i >= A.n_rows) return; /* the whole warp leaves: its lanes have the same row */
    double sum = 0;
    for (long long k = (long long)A.row_ptr[i] + lane; k < A.row_ptr[i + 1]; k += WARP)
        sum += A.val[k] * x[A.col_idx[k]];
    sum = warp_sum(sum);
    if (lane == 0) y[i] = sum;
    /* END */
}

void spmv_csr(spw_csr A, const double *x, double *y) {
    /* SOLUTION your launch here: 32 threads for each row */
    if (A.n_rows > 0) warps_kernel<<<blocks_for((long long)WARP * A.n_rows), BLOCK>>>(A, x, y);
    /* END */
}

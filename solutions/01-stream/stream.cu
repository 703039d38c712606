#include "stream_gpu.h"

#include <cuda_runtime.h>

enum { BLOCK = 256 }; /* threads of a block; a power of two */

/* 1. Predict. What must one call of triad move at least, and compute? Bytes loaded, bytes stored, flops:
 *     return {..., ..., ...};
 * Write 16.0, not 16: a cost is in double. */
spw_cost triad_cost(int64_t n) {
    /* SOLUTION your model here */
    return {16.0 * n, 8.0 * n, 2.0 * n};
    /* END */
}

/* 2. Write. The kernel: each thread has one i, and a[i] = b[i] + s * c[i] is all it does. */
__global__ void triad_kernel(int64_t n, double s, const double *b, const double *c, double *a) {
    /* SOLUTION your kernel here: which i is mine, and is there one? */
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + s * c[i];
    /* END */
}

/* The launcher: blocks of BLOCK threads, as many as n elements need; none if n is 0. */
void triad(int64_t n, double s, const double *d_b, const double *d_c, double *d_a) {
    /* SOLUTION your launch here */
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    if (n > 0) triad_kernel<<<(unsigned)blocks, BLOCK>>>(n, s, d_b, d_c, d_a);
    /* END */
}

/* 3. Predict. The same for sum. The result is one double; what goes on between the blocks is left out. */
spw_cost sum_cost(int64_t n) {
    /* SOLUTION your model here */
    return {8.0 * n, 8.0, 1.0 * n};
    /* END */
}

/* 4. Write. The kernel: block number b adds up its share of a and leaves it in sums[b]. Its threads jump
 * by the whole grid, then meet in shared memory. */
__global__ void sum_kernel(int64_t n, const double *a, double *sums) {
    /* SOLUTION your kernel here: a loop, then halves: 256 numbers, 128, 64, ..., 1 */
    __shared__ double numbers[BLOCK];
    const int me = threadIdx.x;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    double mine = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + me; i < n; i += stride) mine += a[i];
    numbers[me] = mine;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (me < half) numbers[me] += numbers[me + half];
    }
    if (me == 0) sums[blockIdx.x] = numbers[0];
    /* END */
}

/* The launcher: SUM_BLOCKS blocks leave SUM_BLOCKS sums in d_part, and one block adds up these. */
void sum(int64_t n, const double *d_a, double *d_part, double *d_sum) {
    /* SOLUTION your two launches here, of the same kernel */
    sum_kernel<<<SUM_BLOCKS, BLOCK>>>(n, d_a, d_part);
    sum_kernel<<<1, BLOCK>>>(SUM_BLOCKS, d_part, d_sum);
    /* END */
}

#include "stream_gpu.h"

#include <cuda_runtime.h>

enum { BLOCK = 256 }; /* threads of a block; a power of two */

/* 1. Predict. What must one call of triad move at least, and compute? Bytes loaded, bytes stored, flops:
 *     return {..., ..., ...};
 * Write 16.0, not 16: a cost is in double. */
spw_cost triad_cost(int64_t n) {
    /* your model here */
}

/* 2. Write. The kernel: each thread has one i, and a[i] = b[i] + s * c[i] is all it does. */
__global__ void triad_kernel(int64_t n, double s, const double *b, const double *c, double *a) {
    /* your kernel here: which i is mine, and is there one? */
}

/* The launcher: blocks of BLOCK threads, as many as n elements need; none if n is 0. */
void triad(int64_t n, double s, const double *d_b, const double *d_c, double *d_a) {
    /* your launch here */
}

/* 3. Predict. The same for sum. The result is one double; what goes on between the blocks is left out. */
spw_cost sum_cost(int64_t n) {
    /* your model here */
}

/* 4. Write. The kernel: block number b adds up its share of a and leaves it in sums[b]. Its threads jump
 * by the whole grid, then meet in shared memory. */
__global__ void sum_kernel(int64_t n, const double *a, double *sums) {
    /* your kernel here: a loop, then halves: 256 numbers, 128, 64, ..., 1 */
}

/* The launcher: SUM_BLOCKS blocks leave SUM_BLOCKS sums in d_part, and one block adds up these. */
void sum(int64_t n, const double *d_a, double *d_part, double *d_sum) {
    /* your two launches here, of the same kernel */
}

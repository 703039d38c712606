/* expect CORRECT: the last n mod 256 elements need a block */
/* n / BLOCK blocks, and one of one element has none. */
#include "stream_gpu.h"

#include <cuda_runtime.h>

enum { BLOCK = 256 }; /* threads of a block; a power of two */

spw_cost triad_cost(int64_t n)
{
    return {16.0 * n, 8.0 * n, 2.0 * n};
}

__global__ void triad_kernel(int64_t n, double s, const double *b, const double *c, double *a)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + s * c[i];
}

void triad(int64_t n, double s, const double *d_b, const double *d_c, double *d_a)
{
    const int64_t blocks = n / BLOCK;
    if (blocks > 0) triad_kernel<<<(unsigned)blocks, BLOCK>>>(n, s, d_b, d_c, d_a);
}

spw_cost sum_cost(int64_t n)
{
    return {8.0 * n, 8.0, 1.0 * n};
}

__global__ void sum_kernel(int64_t n, const double *a, double *sums)
{
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
}

void sum(int64_t n, const double *d_a, double *d_part, double *d_sum)
{
    sum_kernel<<<SUM_BLOCKS, BLOCK>>>(n, d_a, d_part);
    sum_kernel<<<1, BLOCK>>>(SUM_BLOCKS, d_part, d_sum);
}

/* expect CORRECT: only the first 32 entries of each row */
/* An if where a loop is needed: rows have more than 32 entries. */
#include "spmv_csr_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32, BLOCK = 256 }; /* threads of a warp: the hardware's; of a block: our choice */

inline unsigned blocks_for(long long threads)
{
    return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

inline __device__ double warp_sum(double value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

__global__ void rows_kernel(spw_csr A, const double *x, double *y)
{
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; /* row */
    if (i >= A.n_rows) return;
    double sum = 0;
    for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k] * x[A.col_idx[k]];
    y[i] = sum;
}

void spmv_csr_rows(spw_csr A, const double *x, double *y)
{
    if (A.n_rows > 0) rows_kernel<<<blocks_for(A.n_rows), BLOCK>>>(A, x, y);
}

spw_cost spmv_csr_cost(const spw_csr *A)
{
    return {12.0 * A->nnz + 4 * (A->n_rows + 1.0) + 8.0 * A->n_cols, 8.0 * A->n_rows, 2.0 * A->nnz};
}

__global__ void warps_kernel(spw_csr A, const double *x, double *y)
{
    const long long thread = blockIdx.x * (long long)BLOCK + threadIdx.x;
    const long long i = thread / WARP; /* row */
    const int lane = thread % WARP;
    if (i >= A.n_rows) return; /* the whole warp leaves: its lanes have the same row */
    double sum = 0;
    const int k = A.row_ptr[i] + lane;
    if (k < A.row_ptr[i + 1]) sum = A.val[k] * x[A.col_idx[k]];
    sum = warp_sum(sum);
    if (lane == 0) y[i] = sum;
}

void spmv_csr(spw_csr A, const double *x, double *y)
{
    if (A.n_rows > 0) warps_kernel<<<blocks_for((long long)WARP * A.n_rows), BLOCK>>>(A, x, y);
}

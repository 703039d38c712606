/* expect SAFE: shuffle */
/* Blocks of 100 threads: every fourth row is torn, and the last warp of a block has 4 lanes. */
#include "spmv_gpu.h"

#include <cuda_runtime.h>

spw_cost spmv_csr_cost(const spw_csr *A)
{
    return {12.0 * A->nnz + 4 * (A->n_rows + 1.0) + 8.0 * A->n_cols, 8.0 * A->n_rows, 2.0 * A->nnz};
}

spw_cost spmv_ell_cost(const spw_ell *A)
{
    return {12.0 * A->n_stored + 8.0 * A->n_cols, 8.0 * A->n_rows, 2.0 * A->nnz};
}

spw_cost spmv_sell_cost(const spw_sell *A)
{
    return {12.0 * A->n_stored + 4 * (A->n_chunks + 1.0) + 4.0 * A->n_rows + 8.0 * A->n_cols,
            8.0 * A->n_rows, 2.0 * A->nnz};
}

spw_cost spmv_coo_cost(const spw_coo *A)
{
    return {16.0 * A->nnz + 8.0 * A->n_cols, 8.0 * A->n_rows, 2.0 * A->nnz};
}

enum { BLOCK = 256 };

inline unsigned blocks_for(long long n)
{
    return (unsigned)((n + BLOCK - 1) / BLOCK);
}

static __global__ void csr_thread(spw_csr A, const double *x, double *y)
{
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; /* row */
    if (i >= A.n_rows) return;
    double sum = 0;
    for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k] * x[A.col_idx[k]];
    y[i] = sum;
}

void spmv_csr_thread(spw_csr A, const double *x, double *y)
{
    if (A.n_rows > 0) csr_thread<<<blocks_for(A.n_rows), BLOCK>>>(A, x, y);
}

static __global__ void csr_warp(spw_csr A, const double *x, double *y)
{
    const long long i = (blockIdx.x * 100LL + threadIdx.x) / 32; /* row */
    const int lane = threadIdx.x % 32;
    if (i >= A.n_rows) return; /* the whole warp leaves: the row is the same in all its lanes */
    double sum = 0;
    for (int k = A.row_ptr[i] + lane; k < A.row_ptr[i + 1]; k += 32)
        sum += A.val[k] * x[A.col_idx[k]];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) y[i] = sum;
}

void spmv_csr_warp(spw_csr A, const double *x, double *y)
{
    if (A.n_rows > 0) csr_warp<<<(unsigned)((32LL * A.n_rows + 99) / 100), 100>>>(A, x, y);
}

static __global__ void ell_thread(spw_ell A, const double *x, double *y)
{
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; /* row */
    if (i >= A.n_rows) return;
    double sum = 0;
    for (long long k = i; k < A.n_stored; k += A.n_rows) sum += A.val[k] * x[A.col_idx[k]];
    y[i] = sum;
}

void spmv_ell(spw_ell A, const double *x, double *y)
{
    if (A.n_rows > 0) ell_thread<<<blocks_for(A.n_rows), BLOCK>>>(A, x, y);
}

static __global__ void sell_thread(spw_sell A, const double *x, double *y)
{
    const long long row = blockIdx.x * (long long)BLOCK + threadIdx.x; /* stored row */
    if (row >= A.n_rows) return;
    const int chunk = row / A.C, in_chunk = row % A.C;
    double sum = 0;
    for (long long k = A.chunk_ptr[chunk] + in_chunk; k < A.chunk_ptr[chunk + 1]; k += A.C)
        sum += A.val[k] * x[A.col_idx[k]];
    y[A.perm[row]] = sum;
}

void spmv_sell(spw_sell A, const double *x, double *y)
{
    if (A.n_rows > 0) sell_thread<<<blocks_for(A.n_rows), BLOCK>>>(A, x, y);
}

static __global__ void coo_entry(spw_coo A, const double *x, double *y)
{
    const long long k = blockIdx.x * (long long)BLOCK + threadIdx.x; /* entry */
    if (k >= A.nnz) return;
    atomicAdd(&y[A.row_idx[k]], A.val[k] * x[A.col_idx[k]]);
}

void spmv_coo(spw_coo A, const double *x, double *y)
{
    if (A.n_rows > 0) cudaMemsetAsync(y, 0, A.n_rows * sizeof *y);
    if (A.nnz > 0) coo_entry<<<blocks_for(A.nnz), BLOCK>>>(A, x, y);
}

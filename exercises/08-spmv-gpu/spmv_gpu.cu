#include "spmv_gpu.h"

#include <cuda_runtime.h>

/* 1. Predict. What must one product move at least, and compute? Bytes loaded, bytes stored, flops:
 *     return {load, store, flop};
 * Each array once, also the padding that is stored; 2 flop for each of the nnz entries. Write 12.0, not
 * 12: bytes outgrow an int. row_len is there for the host; your kernels do not need it. CSR's is given. */
spw_cost spmv_csr_cost(const spw_csr *A) {
    return {12.0 * A->nnz + 4 * (A->n_rows + 1.0) + 8.0 * A->n_cols, 8.0 * A->n_rows, 2.0 * A->nnz};
}

spw_cost spmv_ell_cost(const spw_ell *A) {
    /* your model here */
}

spw_cost spmv_sell_cost(const spw_sell *A) {
    /* your model here: the kernel also needs chunk_ptr and perm */
}

spw_cost spmv_coo_cost(const spw_coo *A) {
    /* your model here: count y as if it were written once */
}

/* Given: threads a block, and the blocks that hold n threads. A launch of 0 blocks is refused. */
enum { BLOCK = 256 };

inline unsigned blocks_for(long long n) {
    return (unsigned)((n + BLOCK - 1) / BLOCK);
}

/* Each launcher is called by the host. A is passed on to the kernel by value: the numbers in it are at hand on
 * both sides, its arrays on the device only. y holds garbage on entry.
 *
 * Given: the two kernels with which exercise 6 ended on a GPU, which the others are compared with. */

/* --- CSR, a thread a row -------------------------------------------------------------------------- */

static __global__ void csr_thread(spw_csr A, const double *x, double *y) {
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; /* row */
    if (i >= A.n_rows) return;
    double sum = 0;
    for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k] * x[A.col_idx[k]];
    y[i] = sum;
}

void spmv_csr_thread(spw_csr A, const double *x, double *y) {
    if (A.n_rows > 0) csr_thread<<<blocks_for(A.n_rows), BLOCK>>>(A, x, y);
}

/* --- CSR, a warp a row ---------------------------------------------------------------------------- */

static __global__ void csr_warp(spw_csr A, const double *x, double *y) {
    const long long i = (blockIdx.x * (long long)BLOCK + threadIdx.x) / 32; /* row */
    const int lane = threadIdx.x % 32;
    if (i >= A.n_rows) return; /* the whole warp leaves: the row is the same in all its lanes */
    double sum = 0;
    for (long long k = (long long)A.row_ptr[i] + lane; k < A.row_ptr[i + 1]; k += 32)
        sum += A.val[k] * x[A.col_idx[k]];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) y[i] = sum;
}

void spmv_csr_warp(spw_csr A, const double *x, double *y) {
    if (A.n_rows > 0) csr_warp<<<blocks_for(32LL * A.n_rows), BLOCK>>>(A, x, y);
}

/* --- ELL, a thread a row -------------------------------------------------------------------------- */

/* 2. Write. Entry j of row i is at j * n_rows + i, j = 0 .. width-1. */

/* your kernel here: static __global__ void ell_thread(spw_ell A, const double *x, double *y) */

void spmv_ell(spw_ell A, const double *x, double *y) {
    /* your launch here */
}

/* --- SELL-C-sigma, a thread a stored row ---------------------------------------------------------- */

/* your kernel here: stored row k is row perm[k], and lies in chunk k / C */

void spmv_sell(spw_sell A, const double *x, double *y) {
    /* your launch here */
}

/* --- COO, a thread an entry ----------------------------------------------------------------------- */

/* your kernel here: several threads may hold entries of one row */

void spmv_coo(spw_coo A, const double *x, double *y) {
    /* your code here: y first */
}

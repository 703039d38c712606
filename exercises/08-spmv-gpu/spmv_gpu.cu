#include "spmv_gpu.h"

#include <cuda_runtime.h>

/* 1. Predict. What must one product move at least, and compute? Bytes loaded, bytes stored, flops:
 *     return {load, store, flop};
 * Each array once, also the padding that is stored; 2 flop for each of the nnz entries. Write 12.0, not
 * 12: bytes outgrow an int. row_len is there for the host; your kernels do not need it. */
spw_cost spmv_csr_cost(const spw_csr *A) {
    /* your model here */
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

/* 2. Write. Each launcher is called by the host. A is passed on to the kernel by value: the numbers in it
 * are at hand on both sides, its arrays on the device only. y holds garbage on entry. */

/* --- CSR, a thread a row -------------------------------------------------------------------------- */

/* your kernel here: static __global__ void csr_thread(spw_csr A, const double *x, double *y) */

void spmv_csr_thread(spw_csr A, const double *x, double *y) {
    /* your launch here */
}

/* --- CSR, a warp a row ---------------------------------------------------------------------------- */

/* your kernel here: lane l of the warp takes every 32nd entry, from the l-th on */

void spmv_csr_warp(spw_csr A, const double *x, double *y) {
    /* your launch here */
}

/* --- ELL, a thread a row -------------------------------------------------------------------------- */

/* your kernel here: entry j of row i is at j * n_rows + i, j = 0 .. width-1 */

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

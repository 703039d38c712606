#include "ell_sell.h"

/* 1. Predict. Each chunk of C neighbouring rows is padded to its longest row. Which share of the stored
 * elements are entries of A? Nothing is sorted. The last chunk has C rows too, also where A has fewer.
 *   A  rows may be empty (lib/formats/csr.h); if nothing is stored, the share is 1
 *   C  1 or more; C = A->n_rows is ELL */
double sell_beta(const spw_csr *A, spw_idx C) {
    /* your code here */
}

/* 2. Convert. All arrays of S have their room, and hold garbage (lib/formats/sell.h):
 *   perm       [n_rows]      stored row k is row perm[k] of A. In each window of sigma rows the longest
 *                            come first; rows of equal length keep their order. sigma = 1: perm[k] = k
 *   chunk_ptr  [n_chunks+1]  chunk c: elements chunk_ptr[c] .. chunk_ptr[c+1]-1
 *   col_idx    [n_stored]    padding repeats the last column of its row (0 if the row is empty)
 *   val        [n_stored]    padding is 0
 * Rows of the last chunk that A does not have are empty rows. One core is enough. */
void csr_to_sell(const spw_csr *A, const spw_sell *S) {
    /* your code here */
}

/* 3. Predict. What must one call of spmv_sell move at least, and compute?
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...};
 * nnz entries of A, and beta = nnz / stored elements. Write 12.0, not 12: bytes outgrow an int. */
spw_cost spmv_sell_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_chunks,
                        double beta) {
    /* your model here */
}

/* 4. Write. y = A x, on all cores, with the C rows of a chunk side by side in vector registers.
 *   S  C is at most MAX_C; n_rows need not be a multiple of C
 *   x  [S->n_cols], does not overlap y
 *   y  [S->n_rows], in the order of A; overwritten: it holds garbage on entry */
void spmv_sell(const spw_sell *S, const double *x, double *y) {
    /* your code here */
}

#include "spmm.h"

/* 1. Predict. What must one call move at least, and compute? Fill in loads, stores (bytes) and flops:
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...};
 * A->nnz entries, A->n_rows rows, A->n_cols columns; write 12.0, not 12: bytes outgrow an int. */
spw_cost spmm_csr_cost(const spw_csr *A, spw_idx nv) {
    /* your model here */
}

/* The same for SELL-P. S->n_stored entries with the padding, S->nnz without, S->n_slices slices. */
spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv) {
    /* your model here */
}

/* 2. Write. Y[i * ldy + v] = sum over j of A[i][j] X[j * ldx + v], for every row i and vector v, on all
 * cores.
 *   X  [A->n_cols rows of ldx >= nv], does not overlap Y
 *   Y  [A->n_rows rows of ldy >= nv], overwritten: it holds garbage on entry; what lies between nv and
 *      ldy must stay */
void spmm_csr(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y, int64_t ldy) {
    /* your code here */
}

/* 3. The same for SELL-P: slice s has the rows s * b .. s * b + b - 1, the last slice perhaps fewer.
 * Entry j of row r of the slice is at slice_ptr[s] + j * b + r (lib/formats/sellp.h). */
void spmm_sellp(const spw_sellp *S, spw_idx nv, const double *X, int64_t ldx, double *Y,
                int64_t ldy) {
    /* your code here */
}

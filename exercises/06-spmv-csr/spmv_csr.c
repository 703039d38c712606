#include "spmv_csr.h"

/* 1. Predict. What must one call move at least, and compute? Fill in loads, stores (bytes) and flops:
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...};
 * A->nnz entries, A->n_rows rows, A->n_cols columns; write 12.0, not 12: bytes outgrow an int. */
spw_cost spmv_csr_cost(const spw_csr *A) {
    /* your model here */
}

/* 2. Write. y[i] = sum over j of A[i][j] x[j], for every row i, on all cores.
 *   A  n_rows x n_cols; rows may be empty (lib/formats/csr.h)
 *   x  [A->n_cols], does not overlap y
 *   y  [A->n_rows], overwritten: it holds garbage on entry */
void spmv_csr(const spw_csr *A, const double *x, double *y) {
    /* your code here */
}

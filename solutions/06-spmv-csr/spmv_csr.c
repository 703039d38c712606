#include "spmv_csr.h"

/* 1. Predict. What must one call move at least, and compute? Fill in loads, stores (bytes) and flops:
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...};
 * A->nnz entries, A->n_rows rows, A->n_cols columns; write 12.0, not 12: bytes outgrow an int. */
spw_cost spmv_csr_cost(const spw_csr *A) {
    /* SOLUTION your model here */
    return (spw_cost){
        .load = 12.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
        .store = 8.0 * A->n_rows,
        .flop = 2.0 * A->nnz,
    };
    /* END */
}

/* 2. Write. y[i] = sum over j of A[i][j] x[j], for every row i, on all cores.
 *   A  n_rows x n_cols; rows may be empty (lib/formats/csr.h)
 *   x  [A->n_cols], does not overlap y
 *   y  [A->n_rows], overwritten: it holds garbage on entry */
void spmv_csr(const spw_csr *A, const double *x, double *y) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
    }
    /* END */
}

// FAST words Does the work grow faster than the matrix?
// For each row all entries are looked at: n_rows x nz comparisons.
#include "coo_to_csr.h"

spw_cost coo_to_csr_cost(int64_t n_rows, int64_t nz, int64_t distinct) {
    return (spw_cost){
        .load = 16.0 * (double)nz,
        .store = 12.0 * (double)distinct + 4.0 * ((double)n_rows + 1),
    };
}

void coo_to_csr(const spw_coo *A, spw_idx *row_ptr, spw_idx *col_idx, double *val, spw_idx *order,
                spw_idx *next) {
    for (spw_idx j = 0; j <= A->n_cols; j++) next[j] = 0;
    for (spw_idx k = 0; k < A->nnz; k++) next[A->col_idx[k] + 1]++;
    for (spw_idx j = 0; j < A->n_cols; j++) next[j + 1] += next[j];
    for (spw_idx k = 0; k < A->nnz; k++) order[next[A->col_idx[k]]++] = k;
    spw_idx out = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        row_ptr[i] = out;
        for (spw_idx q = 0; q < A->nnz; q++) {
            const spw_idx k = order[q];
            if (A->row_idx[k] != i) continue;
            if (out > row_ptr[i] && col_idx[out - 1] == A->col_idx[k]) {
                val[out - 1] += A->val[k];
            } else {
                col_idx[out] = A->col_idx[k];
                val[out++] = A->val[k];
            }
        }
    }
    row_ptr[A->n_rows] = out;
}

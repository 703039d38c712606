// SAFE words wrote to A->col_idx[
// Insertion sort, right where the entries stand: A is an input.
#include "coo_to_csr.h"

spw_cost coo_to_csr_cost(int64_t n_rows, int64_t nz, int64_t distinct) {
    return (spw_cost){
        .load = 16.0 * (double)nz,
        .store = 12.0 * (double)distinct + 4.0 * ((double)n_rows + 1),
    };
}

void coo_to_csr(const spw_coo *A, spw_idx *row_ptr, spw_idx *col_idx, double *val, spw_idx *order,
                spw_idx *next) {
    for (spw_idx k = 1; k < A->nnz; k++) {
        const spw_idx row = A->row_idx[k], col = A->col_idx[k];
        const double v = A->val[k];
        spw_idx at = k;
        while (at > 0 && (A->row_idx[at - 1] > row ||
                          (A->row_idx[at - 1] == row && A->col_idx[at - 1] > col))) {
            A->row_idx[at] = A->row_idx[at - 1];
            A->col_idx[at] = A->col_idx[at - 1];
            A->val[at] = A->val[at - 1];
            at--;
        }
        A->col_idx[at] = col;
        A->row_idx[at] = row;
        A->val[at] = v;
    }
    spw_idx k = 0, out = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        row_ptr[i] = out;
        for (; k < A->nnz && A->row_idx[k] == i; k++) {
            if (out > row_ptr[i] && col_idx[out - 1] == A->col_idx[k]) {
                val[out - 1] += A->val[k];
            } else {
                col_idx[out] = A->col_idx[k];
                val[out++] = A->val[k];
            }
        }
    }
    row_ptr[A->n_rows] = out;
    (void)order;
    (void)next;
}

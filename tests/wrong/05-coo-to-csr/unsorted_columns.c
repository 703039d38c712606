// CORRECT words the columns of a row stand as A has them
// One pass, by rows; duplicates are looked for in the row. The columns never get into order.
#include "coo_to_csr.h"

spw_cost coo_to_csr_cost(int64_t n_rows, int64_t nz, int64_t distinct) {
    return (spw_cost){
        .load = 16.0 * (double)nz,
        .store = 12.0 * (double)distinct + 4.0 * ((double)n_rows + 1),
    };
}

void coo_to_csr(const spw_coo *A, spw_idx *row_ptr, spw_idx *col_idx, double *val, spw_idx *order,
                spw_idx *next) {
    for (spw_idx i = 0; i <= A->n_rows; i++) next[i] = 0;
    for (spw_idx k = 0; k < A->nnz; k++) next[A->row_idx[k] + 1]++;
    for (spw_idx i = 0; i < A->n_rows; i++) next[i + 1] += next[i];
    for (spw_idx i = 0; i < A->n_rows; i++) row_ptr[i] = next[i];
    for (spw_idx k = 0; k < A->nnz; k++) {
        const spw_idx i = A->row_idx[k];
        spw_idx at = row_ptr[i];
        while (at < next[i] && col_idx[at] != A->col_idx[k]) at++;
        if (at < next[i]) {
            val[at] += A->val[k];
        } else {
            next[i]++;
            col_idx[at] = A->col_idx[k];
            val[at] = A->val[k];
        }
    }
    spw_idx out = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx begin = row_ptr[i];
        row_ptr[i] = out;
        for (spw_idx k = begin; k < next[i]; k++) {
            col_idx[out] = col_idx[k];
            val[out++] = val[k];
        }
    }
    row_ptr[A->n_rows] = out;
    (void)order;
}

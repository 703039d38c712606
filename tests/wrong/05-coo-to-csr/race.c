/* expect CORRECT: No speed is reported for wrong results */
/* All threads count in the same places, and deal from the same places. */
#include "coo_to_csr.h"

spw_cost coo_to_csr_cost(int64_t n_rows, int64_t nz, int64_t distinct)
{
    return (spw_cost){
        .load = 16.0 * (double)nz,
        .store = 12.0 * (double)distinct + 4.0 * ((double)n_rows + 1),
    };
}

void coo_to_csr(const spw_coo *A, spw_idx *row_ptr, spw_idx *col_idx, double *val, spw_idx *order,
                spw_idx *next)
{
    for (spw_idx j = 0; j <= A->n_cols; j++) next[j] = 0;
    for (spw_idx k = 0; k < A->nnz; k++) next[A->col_idx[k] + 1]++;
    for (spw_idx j = 0; j < A->n_cols; j++) next[j + 1] += next[j];
    for (spw_idx k = 0; k < A->nnz; k++) order[next[A->col_idx[k]]++] = k;
#pragma omp parallel for
    for (spw_idx i = 0; i <= A->n_rows; i++) next[i] = 0;
#pragma omp parallel for
    for (spw_idx k = 0; k < A->nnz; k++) next[A->row_idx[k] + 1]++;
    for (spw_idx i = 0; i < A->n_rows; i++) next[i + 1] += next[i];
#pragma omp parallel for
    for (spw_idx q = 0; q < A->nnz; q++) {
        const spw_idx k = order[q], at = next[A->row_idx[k]]++;
        col_idx[at] = A->col_idx[k];
        val[at] = A->val[k];
    }
    spw_idx begin = 0, out = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        row_ptr[i] = out;
        for (spw_idx k = begin; k < next[i]; k++) {
            if (out > row_ptr[i] && col_idx[out - 1] == col_idx[k]) {
                val[out - 1] += val[k];
            } else {
                col_idx[out] = col_idx[k];
                val[out] = val[k];
                out++;
            }
        }
        begin = next[i];
    }
    row_ptr[A->n_rows] = out;
}

#include "coo_to_csr.h"

/* 1. Predict. What must one conversion move at least? It reads a COO matrix and writes a CSR matrix:
 * loads are the footprint of the one, stores the footprint of the other, in bytes. The few additions
 * are not counted.
 *     return (spw_cost){.load = ..., .store = ...};
 *   nz        entries of the COO matrix
 *   distinct  positions that have an entry: what is left when duplicates are summed */
spw_cost coo_to_csr_cost(int64_t n_rows, int64_t nz, int64_t distinct) {
    /* SOLUTION your model here */
    return (spw_cost){
        .load = 16.0 * (double)nz,
        .store = 12.0 * (double)distinct + 4.0 * ((double)n_rows + 1),
    };
    /* END */
}

/* 2. Write. The entries of A, which come in any order and may repeat a position, as CSR.
 *   A        nz = A->nnz entries (lib/formats/coo.h)
 *   row_ptr  [n_rows+1]                 row i: entries row_ptr[i] .. row_ptr[i+1]-1
 *   col_idx  [nz]                       ascending within a row, no column twice
 *   val      [nz]
 *   order    [nz]                       scratch, yours to use or not
 *   next     [max(n_rows, n_cols) + 1]
 * All arrays but those of A hold garbage on entry. */
void coo_to_csr(const spw_coo *A, spw_idx *row_ptr, spw_idx *col_idx, double *val, spw_idx *order,
                spw_idx *next) {
    /* SOLUTION your code here */
    /* By column: count, add up, deal out. next[j] is where the next entry of column j goes. */
    for (spw_idx j = 0; j <= A->n_cols; j++) next[j] = 0;
    for (spw_idx k = 0; k < A->nnz; k++) next[A->col_idx[k] + 1]++;
    for (spw_idx j = 0; j < A->n_cols; j++) next[j + 1] += next[j];
    for (spw_idx k = 0; k < A->nnz; k++) order[next[A->col_idx[k]]++] = k;

    /* The same by row, in the order of columns: so they ascend in each row. */
    for (spw_idx i = 0; i <= A->n_rows; i++) next[i] = 0;
    for (spw_idx k = 0; k < A->nnz; k++) next[A->row_idx[k] + 1]++;
    for (spw_idx i = 0; i < A->n_rows; i++) next[i + 1] += next[i];
    for (spw_idx q = 0; q < A->nnz; q++) {
        const spw_idx k = order[q], at = next[A->row_idx[k]]++;
        col_idx[at] = A->col_idx[k];
        val[at] = A->val[k];
    }

    /* Duplicates are neighbours now. next[i] has moved on to the end of row i. */
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
    /* END */
}

#include "coo_to_csr.h"

/* 1. Predict. What must one conversion move at least? It reads a COO matrix and writes a CSR matrix:
 * loads are the footprint of the one, stores the footprint of the other, in bytes. The few additions
 * are not counted.
 *     return (spw_cost){.load = ..., .store = ...};
 *   nz        entries of the COO matrix
 *   distinct  positions that have an entry: what is left when duplicates are summed */
spw_cost coo_to_csr_cost(int64_t n_rows, int64_t nz, int64_t distinct) {
    /* your model here */
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
    /* your code here */
}

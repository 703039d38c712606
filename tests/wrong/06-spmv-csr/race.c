/* expect CORRECT: the result differs from run to run: a race */
/* All threads add to the same y[i], and none waits for another: a reduction is missing. */
#include "spmv_csr.h"

spw_cost spmv_csr_cost(const spw_csr *A)
{
    return (spw_cost){
        .load = 12.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
        .store = 8.0 * A->n_rows,
        .flop = 2.0 * A->nnz,
    };
}

void spmv_csr(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx i = 0; i < A->n_rows; i++) {
        y[i] = 0;
#pragma omp parallel for
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            y[i] += A->val[k] * x[A->col_idx[k]];
    }
}

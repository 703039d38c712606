/* expect MODEL: larger by 4 nz */
/* Columns of 8 bytes: ours have 4. */
#include "spmv_csr.h"

spw_cost spmv_csr_cost(const spw_csr *A)
{
    return (spw_cost){
        .load = 16.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
        .store = 8.0 * A->n_rows,
        .flop = 2.0 * A->nnz,
    };
}

void spmv_csr(const spw_csr *A, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
    }
}

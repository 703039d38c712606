/* expect CORRECT: with 1 thread it was right, with */
/* The rows that are left over when n_rows is divided by the threads are nobody's. */
#include "spmv_csr.h"

#include <omp.h>

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
#pragma omp parallel
    {
        const spw_idx share = A->n_rows / omp_get_num_threads();
        const spw_idx begin = omp_get_thread_num() * share;
        for (spw_idx i = begin; i < begin + share; i++) {
            double sum = 0;
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
                sum += A->val[k] * x[A->col_idx[k]];
            y[i] = sum;
        }
    }
}

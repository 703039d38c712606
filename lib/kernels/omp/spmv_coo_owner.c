#include "kernels/spmv.h"

#include "base/threads.h"

#include <assert.h>

void spw_spmv_coo_omp_owner(const spw_coo *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel
    {
        const spw_idx begin = (spw_idx)spw_part_begin(A->n_rows, spw_thread(), spw_team_size());
        const spw_idx end = (spw_idx)spw_part_begin(A->n_rows, spw_thread() + 1, spw_team_size());
        for (spw_idx i = begin; i < end; i++) y[i] = 0;
        for (spw_idx k = 0; k < A->nnz; k++) {
            const spw_idx row = A->row_idx[k];
            if (row >= begin && row < end) y[row] += A->val[k] * x[A->col_idx[k]];
        }
    }
}

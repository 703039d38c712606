#include "kernels/spmv.h"

#include "kernels/omp/csr_row.h"

#include <assert.h>

void spw_spmv_csr_omp_prefetch(const spw_csr *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx begin = A->row_ptr[i], end = A->row_ptr[i + 1];
        y[i] = spw_row_dot(end - begin, A->val + begin, A->col_idx + begin, x);
    }
}

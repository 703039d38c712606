#include "kernels/spmv_dot.h"

#include <assert.h>

double spw_spmv_dot_csr_ref(const spw_csr *A, const double *x, double *y)
{
    assert(A && A->n_rows == A->n_cols && ((x && y) || A->n_rows == 0));
    double product = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
        product += x[i] * sum;
    }
    return product;
}

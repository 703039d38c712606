#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_coo_ref(const spw_coo *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (spw_idx i = 0; i < A->n_rows; i++) y[i] = 0;
    for (spw_idx k = 0; k < A->nnz; k++) y[A->row_idx[k]] += A->val[k] * x[A->col_idx[k]];
}

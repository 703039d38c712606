#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_ell_ref(const spw_ell *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (int64_t i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (int64_t at = i; at < A->n_stored; at += A->n_rows)
            sum += A->val[at] * x[A->col_idx[at]];
        y[i] = sum;
    }
}

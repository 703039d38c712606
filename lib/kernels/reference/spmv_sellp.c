#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_sellp_ref(const spw_sellp *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (int64_t i = 0; i < A->n_rows; i++) {
        const int64_t slice = i / A->b, end = A->slice_ptr[slice + 1];
        double sum = 0;
        for (int64_t at = A->slice_ptr[slice] + i % A->b; at < end; at += A->b)
            sum += A->val[at] * x[A->col_idx[at]];
        y[i] = sum;
    }
}

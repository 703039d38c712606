#include "kernels/spmv_with_dots.h"

#include <assert.h>

void spw_spmv_with_dots_csr_ref(const spw_csr *A, const double *x, const double *w, double *y,
                                double *w_y, double *y_y) {
    assert(A && A->n_rows == A->n_cols && w_y && y_y && (A->n_rows == 0 || (x && w && y)));
    *w_y = *y_y = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
        *w_y += w[i] * sum;
        *y_y += sum * sum;
    }
}

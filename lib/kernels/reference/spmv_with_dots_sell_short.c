#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"

#include <assert.h>

void spw_spmv_with_dots_sell_short_ref(const spw_sell_short *A, const double *x, const double *w,
                                       double *y, double *w_y, double *y_y) {
    assert(A && A->n_rows == A->n_cols && w_y && y_y && (A->n_rows == 0 || (x && w && y)));
    spw_spmv_sell_short_ref(A, x, y);
    *w_y = *y_y = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        *w_y += w[i] * y[i];
        *y_y += y[i] * y[i];
    }
}

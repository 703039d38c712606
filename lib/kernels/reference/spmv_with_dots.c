#include "kernels/spmv_with_dots.h"

#include <assert.h>

static void dots(int64_t n, const double *w, const double *y, double *w_y, double *y_y) {
    assert(w_y && y_y && (w || n == 0));
    *w_y = *y_y = 0;
    for (int64_t i = 0; i < n; i++) {
        *w_y += w[i] * y[i];
        *y_y += y[i] * y[i];
    }
}

void spw_spmv_with_dots_csr_ref(const spw_csr *A, const double *x, const double *w, double *y,
                                double *w_y, double *y_y) {
    spw_spmv_csr_ref(A, x, y);
    dots(A->n_rows, w, y, w_y, y_y);
}

void spw_spmv_with_dots_sell_short_ref(const spw_sell_short *A, const double *x, const double *w,
                                       double *y, double *w_y, double *y_y) {
    spw_spmv_sell_short_ref(A, x, y);
    dots(A->n_rows, w, y, w_y, y_y);
}

void spw_spmv_with_dots_sdia_ref(const spw_sdia *A, const double *x, const double *w, double *y,
                                 double *w_y, double *y_y) {
    spw_spmv_sdia_ref(A, x, y);
    dots(A->n_rows, w, y, w_y, y_y);
}

void spw_spmv_with_dots_sbcsr_ref(const spw_sbcsr *A, const double *x, const double *w, double *y,
                                  double *w_y, double *y_y) {
    spw_spmv_sbcsr_ref(A, x, y);
    dots(A->n_rows, w, y, w_y, y_y);
}

#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_sdia_ref(const spw_sdia *A, const double *x, double *y) {
    assert(A && (A->n_rows == 0 || (x && y)));
    for (int64_t i = 0; i < A->n_rows; i++) {
        y[i] = 0;
        for (int k = 0; k < A->n_diagonals; k++) {
            const int64_t above = i + A->offset[k], below = i - A->offset[k];
            if (above < A->n_rows) y[i] += A->val[k * A->stride + i] * x[above];
            if (below >= 0 && k > 0) y[i] += A->val[k * A->stride + below] * x[below];
        }
    }
}

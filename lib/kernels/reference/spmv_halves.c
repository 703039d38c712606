#include "kernels/spmv.h"

#include <assert.h>
#include <stdbool.h>

/* y_I += B x_J, and y_J += B^T x_I if the mirror image of B is not stored. */
static void multiply(int b, const double *block, int64_t I, int64_t J, bool mirror, const double *x,
                     double *y) {
    for (int r = 0; r < b; r++)
        for (int c = 0; c < b; c++) {
            y[I * b + r] += block[r * b + c] * x[J * b + c];
            if (mirror) y[J * b + c] += block[r * b + c] * x[I * b + r];
        }
}

void spw_spmv_sbcsr_ref(const spw_sbcsr *A, const double *x, double *y) {
    assert(A && (A->n_rows == 0 || (x && y)));
    for (int64_t i = 0; i < A->n_rows; i++) y[i] = 0;
    for (spw_idx p = 0; p < A->n_parts; p++)
        for (int64_t I = A->part_ptr[p]; I < A->part_ptr[p + 1]; I++)
            for (int64_t k = A->block_ptr[I]; k < A->block_ptr[I + 1]; k++) {
                const spw_idx J = A->block_col[k];
                const bool mirror = J > I && J < A->part_ptr[p + 1];
                multiply(A->b, A->val + k * A->b * A->b, I, J, mirror, x, y);
            }
}

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

#include "kernels/float.h"

#include <assert.h>

double spw_spmv_with_dot_float_ref(const spw_csr_float *A, const float *x, float *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    double x_y = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        float sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
        x_y += (double)x[i] * (double)sum;
    }
    return x_y;
}

double spw_spmv_with_dot_sell_short_float_ref(const spw_sell_short_float *A, const float *x,
                                              float *y) {
    const spw_sell_short *S = &A->S;
    assert((x || S->n_cols == 0) && (y || S->n_rows == 0));
    double x_y = 0;
    for (int64_t i = 0; i < S->n_rows; i++) {
        const int64_t c = i / S->C, begin = S->chunk_ptr[c], size = S->chunk_ptr[c + 1] - begin;
        float sum = 0;
        for (int64_t k = i % S->C; k < size; k += S->C)
            sum +=
                A->val[begin + k] * x[S->base[(begin + k) / S->C] + spw_sell_short_offset(S, c, k)];
        y[i] = sum;
        x_y += (double)x[i] * (double)sum;
    }
    return x_y;
}

void spw_spmv_mixed_ref(const spw_csr_float *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += (double)A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
    }
}

double spw_cg_step_float_ref(int64_t n, float a, const float *p, const float *q, float *x,
                             float *r) {
    assert(n >= 0 && (n == 0 || (p && q && x && r)));
    double r_r = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] += a * p[i];
        r[i] -= a * q[i];
        r_r += (double)r[i] * (double)r[i];
    }
    return r_r;
}

void spw_direction_float_ref(int64_t n, float b, const float *r, float *p) {
    assert(n >= 0 && (n == 0 || (r && p)));
    for (int64_t i = 0; i < n; i++) p[i] = r[i] + b * p[i];
}

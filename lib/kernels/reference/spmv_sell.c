#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_sell_ref(const spw_sell *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (int64_t k = 0; k < A->n_rows; k++) {
        const int64_t chunk = k / A->C, end = A->chunk_ptr[chunk + 1];
        double sum = 0;
        for (int64_t at = A->chunk_ptr[chunk] + k % A->C; at < end; at += A->C)
            sum += A->val[at] * x[A->col_idx[at]];
        y[A->perm[k]] = sum;
    }
}

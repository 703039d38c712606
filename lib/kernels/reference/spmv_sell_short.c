#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_sell_short_ref(const spw_sell_short *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (int64_t i = 0; i < A->n_rows; i++) {
        const int64_t c = i / A->C, begin = A->chunk_ptr[c], size = A->chunk_ptr[c + 1] - begin;
        double sum = 0;
        for (int64_t k = i % A->C; k < size; k += A->C)
            sum +=
                A->val[begin + k] * x[A->base[(begin + k) / A->C] + spw_sell_short_offset(A, c, k)];
        y[A->perm[i]] = sum;
    }
}

#include "kernels/spmm.h"

#include <assert.h>

void spw_spmm_sellp_ref(const spw_sellp *A, spw_idx nv, const double *X, int64_t ldx, double *Y,
                        int64_t ldy) {
    assert(A && nv >= 1 && ldx >= nv && ldy >= nv);
    assert((X || A->n_cols == 0) && (Y || A->n_rows == 0));
    for (int64_t i = 0; i < A->n_rows; i++) {
        const int64_t slice = i / A->b, end = A->slice_ptr[slice + 1];
        for (spw_idx v = 0; v < nv; v++) {
            double sum = 0;
            for (int64_t at = A->slice_ptr[slice] + i % A->b; at < end; at += A->b)
                sum += A->val[at] * X[A->col_idx[at] * ldx + v];
            Y[i * ldy + v] = sum;
        }
    }
}

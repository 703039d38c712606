#include "kernels/spmm.h"

#include <assert.h>

void spw_spmm_csr_ref(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y,
                      int64_t ldy) {
    assert(A && nv >= 1 && ldx >= nv && ldy >= nv);
    assert((X || A->n_cols == 0) && (Y || A->n_rows == 0));
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx v = 0; v < nv; v++) {
            double sum = 0;
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
                sum += A->val[k] * X[A->col_idx[k] * ldx + v];
            Y[i * ldy + v] = sum;
        }
}

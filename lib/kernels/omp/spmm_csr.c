#include "kernels/spmm.h"

#include <assert.h>

void spw_spmm_csr_omp(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y,
                      int64_t ldy) {
    assert(A && nv >= 1 && ldx >= nv && ldy >= nv);
    assert((X || A->n_cols == 0) && (Y || A->n_rows == 0));
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double *y = Y + i * ldy;
        for (spw_idx v = 0; v < nv; v++) y[v] = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const double a = A->val[k], *x = X + A->col_idx[k] * ldx;
#pragma omp simd
            for (spw_idx v = 0; v < nv; v++) y[v] += a * x[v];
        }
    }
}

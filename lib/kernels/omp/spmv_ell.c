#include "kernels/spmv.h"

#include "kernels/omp/slice_rows.h"

#include <assert.h>

void spw_spmv_ell_omp(const spw_ell *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n_rows; i += SPW_SLICE_TILE) {
        const int64_t left = A->n_rows - i, n = left < SPW_SLICE_TILE ? left : SPW_SLICE_TILE;
        double sums[SPW_SLICE_TILE];
        spw_slice_rows(n, A->n_rows, A->width, A->val + i, A->col_idx + i, x, sums);
        for (int64_t r = 0; r < n; r++) y[i + r] = sums[r];
    }
}

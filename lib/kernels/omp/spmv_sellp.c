#include "kernels/spmv.h"

#include "kernels/omp/slice_rows.h"

#include <assert.h>

void spw_spmv_sellp_omp(const spw_sellp *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel for schedule(static)
    for (int64_t s = 0; s < A->n_slices; s++) {
        const int64_t begin = A->slice_ptr[s], length = (A->slice_ptr[s + 1] - begin) / A->b;
        const int64_t first = s * A->b; /* row */
        for (int64_t r = 0; r < A->b && first + r < A->n_rows; r += SPW_SLICE_TILE) {
            const int64_t in_slice = A->b - r, in_matrix = A->n_rows - first - r;
            int64_t n = in_slice < in_matrix ? in_slice : in_matrix;
            if (n > SPW_SLICE_TILE) n = SPW_SLICE_TILE;
            double sums[SPW_SLICE_TILE];
            spw_slice_rows(n, A->b, length, A->val + begin + r, A->col_idx + begin + r, x, sums);
            for (int64_t k = 0; k < n; k++) y[first + r + k] = sums[k];
        }
    }
}

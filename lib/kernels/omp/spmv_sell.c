#include "kernels/spmv.h"

#include "kernels/omp/slice_rows.h"

#include <assert.h>

void spw_spmv_sell_omp(const spw_sell *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < A->n_chunks; c++) {
        const int64_t begin = A->chunk_ptr[c], length = (A->chunk_ptr[c + 1] - begin) / A->C;
        const int64_t first = c * A->C; /* stored row */
        for (int64_t r = 0; r < A->C && first + r < A->n_rows; r += SPW_SLICE_TILE) {
            const int64_t in_chunk = A->C - r, in_matrix = A->n_rows - first - r;
            int64_t n = in_chunk < in_matrix ? in_chunk : in_matrix;
            if (n > SPW_SLICE_TILE) n = SPW_SLICE_TILE;
            double sums[SPW_SLICE_TILE];
            spw_slice_rows(n, A->C, length, A->val + begin + r, A->col_idx + begin + r, x, sums);
            for (int64_t k = 0; k < n; k++) y[A->perm[first + r + k]] = sums[k];
        }
    }
}

#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_coo_omp(const spw_coo *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_idx *row_idx = A->row_idx;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (spw_idx i = 0; i < A->n_rows; i++) y[i] = 0;
        /* The barrier here is needed: what follows writes to rows of other threads. */

        double sum = 0; /* of the entries since the row changed */
        spw_idx row = -1;
#pragma omp for schedule(static)
        for (spw_idx k = 0; k < A->nnz; k++) {
            if (row_idx[k] != row) {
                if (row >= 0) {
#pragma omp atomic
                    y[row] += sum;
                }
                row = row_idx[k];
                sum = 0;
            }
            sum += A->val[k] * x[A->col_idx[k]];
        }
        if (row >= 0) {
#pragma omp atomic
            y[row] += sum;
        }
    }
}

#include "kernels/spmv.h"

#include <assert.h>

void spw_spmv_bands_ref(const spw_bands *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    for (spw_idx i = 0; i < A->n_rows; i++) y[i] = 0;
    for (spw_idx p = 0; p < A->n_pieces; p++)
        for (spw_idx k = A->piece_ptr[p]; k < A->piece_ptr[p + 1]; k++)
            y[A->row_idx[p]] += A->val[k] * x[A->col_idx[k]];
}

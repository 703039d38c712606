#include "kernels/spmv.h"

#include "kernels/omp/slice_pairs.h"

#include <assert.h>
#include <stddef.h>

void spw_spmv_sellp_omp_pairs(const spw_sellp *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_sliced S = {.n_rows = A->n_rows,
                          .n_slices = A->n_slices,
                          .C = A->b,
                          .slice_ptr = A->slice_ptr,
                          .index = A->col_idx,
                          .val = A->val,
                          .stream = spw_sliced_stream(A->n_stored)};
    if (spw_sliced_fits(A->b))
        spw_sliced_multiply(&S, x, NULL, y);
    else
        spw_spmv_sellp_omp(A, x, y);
}

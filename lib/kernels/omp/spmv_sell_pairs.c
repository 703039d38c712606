#include "kernels/spmv.h"

#include "kernels/omp/slice_pairs.h"

#include <assert.h>
#include <stddef.h>

void spw_spmv_sell_omp_pairs(const spw_sell *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_sliced S = {.n_rows = A->n_rows,
                          .n_slices = A->n_chunks,
                          .C = A->C,
                          .slice_ptr = A->chunk_ptr,
                          .perm =
                              A->sigma > 1 ? A->perm : NULL, /* not read where it is 0 1 2 ... */
                          .index = A->col_idx,
                          .val = A->val,
                          .stream = spw_sliced_stream(A->n_stored)};
    if (spw_sliced_fits(A->C))
        spw_sliced_multiply(&S, x, NULL, y);
    else
        spw_spmv_sell_omp(A, x, y);
}

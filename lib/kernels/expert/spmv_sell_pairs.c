#include "kernels/spmv.h"

#include "kernels/expert/slice_pairs.h"

#include <assert.h>
#include <stddef.h>

void spw_spmv_sell_omp_pairs(const spw_sell *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_sliced S = spw_sliced_from_sell(A);
    if (spw_sliced_fits(A->C))
        spw_sliced_multiply(&S, x, NULL, y);
    else
        spw_spmv_sell_omp(A, x, y);
}

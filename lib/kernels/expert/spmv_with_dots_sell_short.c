/* Two slices at a time, with the sums: slice_pairs.h has the idea; the gain of the sums alone was not
 * measured. */
#include "kernels/spmv_with_dots.h"

#include "kernels/expert/slice_pairs.h"

#include <assert.h>

void spw_spmv_with_dots_sell_short_omp(const spw_sell_short *A, const double *x, const double *w,
                                       double *y, double *w_y, double *y_y) {
    assert(A && A->n_rows == A->n_cols && spw_sliced_fits(A->C) && w_y && y_y);
    assert(A->n_rows == 0 || (x && w && y));
    const spw_sliced S = spw_sliced_from_sell_short(A);
    const spw_sliced_sums sums = spw_sliced_multiply(&S, x, w, y);
    *w_y = sums.w_y;
    *y_y = sums.y_y;
}

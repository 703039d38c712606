/* Two slices at a time: the idea and its gain are in slice_pairs.h. With short indices offsets are unpacked by the loads
 * that gather x: the address of x[base + offset] costs nothing more than that of x[column]; and a RUN is one vector load.
 * Speed of stencil27:90, one thread: pairs against the plain loop 1.16, short indices against pairs 1.32 (AMD EPYC, family
 * 26 model 2, 2 vCPU KVM virtual machine with other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns);
 * others: kernels/spmv.h. The gain of the sums alone was not measured. */
#include "kernels/spmv_with_dots.h"

#include "kernels/expert/slice_pairs.h"

#include <assert.h>
#include <stddef.h>

void spw_spmv_sell_omp_pairs(const spw_sell *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_sliced S = spw_sliced_from_sell(A);
    if (spw_sliced_fits(A->C))
        spw_sliced_multiply(&S, x, NULL, y);
    else
        spw_spmv_sell_omp(A, x, y);
}

void spw_spmv_sell_short_omp(const spw_sell_short *A, const double *x, double *y) {
    assert(A && spw_sliced_fits(A->C) && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_sliced S = spw_sliced_from_sell_short(A);
    spw_sliced_multiply(&S, x, NULL, y);
}

void spw_spmv_with_dots_sell_short_omp(const spw_sell_short *A, const double *x, const double *w,
                                       double *y, double *w_y, double *y_y) {
    assert(A && A->n_rows == A->n_cols && spw_sliced_fits(A->C) && w_y && y_y);
    assert(A->n_rows == 0 || (x && w && y));
    const spw_sliced S = spw_sliced_from_sell_short(A);
    const spw_sliced_sums sums = spw_sliced_multiply(&S, x, w, y);
    *w_y = sums.w_y;
    *y_y = sums.y_y;
}

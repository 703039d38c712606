/* Two slices at a time: idea and gain are in slice_pairs.h. Speed of stencil27:90 against the plain loop: 1.16
 * (one thread, AMD EPYC, family 26 model 2, 2 vCPU KVM virtual machine with
 * other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns). */
#include "kernels/spmv.h"

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

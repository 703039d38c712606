/* Offsets are unpacked by the loads that gather x: the address of x[base + offset] costs nothing more than
 * that of x[column]. A RUN needs no gather at all: it is one vector load. Two chunks at a time, as in
 * slice_pairs.h.
 * Speed of stencil27:90 against pairs of slices with whole indices: 1.32 (one thread, AMD EPYC, family 26
 * model 2, 2 vCPU KVM virtual machine with
 * other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns); others: kernels/spmv.h. */
#include "kernels/spmv.h"

#include "kernels/expert/slice_pairs.h"

#include <assert.h>
#include <stddef.h>

void spw_spmv_sell_short_omp(const spw_sell_short *A, const double *x, double *y) {
    assert(A && spw_sliced_fits(A->C) && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_sliced S = spw_sliced_from_sell_short(A);
    spw_sliced_multiply(&S, x, NULL, y);
}

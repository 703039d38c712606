/* Offsets are unpacked by the loads that gather x: the address of x[base + offset] costs nothing more than
 * that of x[column]. A RUN needs no gather at all: it is one vector load. Two chunks at a time, as in
 * slice_pairs.h, for C = 8, 16 and 32. */
#include "kernels/spmv.h"

#include "kernels/expert/slice_pairs.h"

#include <assert.h>
#include <stddef.h>

/* Any C: row after row, with as many tests as there are entries. */
static double row_sum(const spw_sells *A, int64_t k, const double *x)
{
    const int64_t c = k / A->C, r = k % A->C, begin = A->chunk_ptr[c];
    const int64_t length = (A->chunk_ptr[c + 1] - begin) / A->C;
    const void *offset = A->offset + 8 * (int64_t)A->offset_ptr[c];
    double sum = 0;
    for (int64_t j = 0; j < length; j++) {
        const double *from = x + A->base[begin / A->C + j];
        const int64_t at = j * A->C + r;
        int64_t o = r;
        if (A->kind[c] == SPW_OFFSETS_SHARED) o = ((const uint32_t *)offset)[r];
        if (A->kind[c] == SPW_OFFSETS_BYTES) o = ((const uint8_t *)offset)[at];
        if (A->kind[c] == SPW_OFFSETS_HALVES) o = ((const uint16_t *)offset)[at];
        if (A->kind[c] == SPW_OFFSETS_WORDS) o = ((const uint32_t *)offset)[at];
        sum += A->val[begin + at] * from[o];
    }
    return sum;
}

void spw_spmv_sells_omp(const spw_sells *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    if (spw_sliced_fits(A->C)) {
        const spw_sliced S = spw_sliced_from_sells(A);
        spw_sliced_multiply(&S, x, NULL, y);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < A->n_rows; k++) y[A->perm[k]] = row_sum(A, k, x);
}

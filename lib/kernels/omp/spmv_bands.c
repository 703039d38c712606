/* A thread has the rows of its share in all bands, so that nobody else writes to its part of y. It finds
 * them in each band by a binary search, and goes through the bands at its own pace. */
#include "kernels/spmv.h"

#include "base/threads.h"

#include <assert.h>

/* The first of begin .. end-1 whose number is not below the goal; end if there is none. */
static spw_idx first_from(const spw_idx *ascending, spw_idx begin, spw_idx end, int64_t goal)
{
    while (begin < end) {
        const spw_idx middle = begin + (end - begin) / 2;
        if (ascending[middle] < goal)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void multiply_pieces(const spw_bands *A, spw_idx begin, spw_idx end, const double *x,
                            double *y)
{
    spw_idx k = A->piece_ptr[begin];
    for (spw_idx p = begin; p < end; p++) {
        const spw_idx next = A->piece_ptr[p + 1];
        double sum = y[A->row_idx[p]];
        for (; k < next; k++) sum += A->val[k] * x[A->col_idx[k]];
        y[A->row_idx[p]] = sum;
    }
}

static void multiply_share(const spw_bands *A, int part, int parts, const double *x, double *y)
{
    const int64_t goal = (int64_t)A->nnz * part / parts,
                  goal2 = (int64_t)A->nnz * (part + 1) / parts;
    const spw_idx first = part == 0 ? 0 : first_from(A->row_ptr, 0, A->n_rows, goal);
    const spw_idx last =
        part + 1 == parts ? A->n_rows : first_from(A->row_ptr, 0, A->n_rows, goal2);
    for (spw_idx i = first; i < last; i++) y[i] = 0;
    for (spw_idx b = 0; b < A->n_bands; b++) {
        const spw_idx stop = A->band_ptr[b + 1];
        const spw_idx begin = first_from(A->row_idx, A->band_ptr[b], stop, first);
        const spw_idx end = first_from(A->row_idx, begin, stop, last);
        multiply_pieces(A, begin, end, x, y);
    }
}

void spw_spmv_bands_omp(const spw_bands *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const int parts = spw_max_threads();
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) multiply_share(A, part, parts, x, y);
}

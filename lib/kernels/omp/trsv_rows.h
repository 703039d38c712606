/* kernels/omp/trsv_rows.h -- the inner loop of the triangular solves: some rows one after the other.
 * Internal. The sum is added in the reference's order, so that the bits are the same. */
#ifndef SPW_KERNELS_OMP_TRSV_ROWS_H
#define SPW_KERNELS_OMP_TRSV_ROWS_H

#include "kernels/trsv.h"

/* Stored rows begin .. end-1. */
static inline void spw_trsv_rows(const spw_triangle *T, spw_idx begin, spw_idx end, const double *b,
                                 double *x)
{
    const spw_idx *const row_ptr = T->row_ptr, *const col_idx = T->col_idx;
    const double *const val = T->val, *const inverse = T->inverse;
    const spw_idx first = T->half == SPW_UPPER ? T->n - 1 : 0;
    const spw_idx step = T->half == SPW_UPPER ? -1 : 1;
    for (spw_idx k = begin; k < end; k++) {
        const spw_idx i = first + step * k;
        double sum = b[i];
        for (spw_idx at = row_ptr[k]; at < row_ptr[k + 1]; at++) sum -= val[at] * x[col_idx[at]];
        x[i] = inverse ? sum * inverse[i] : sum;
    }
}

/* Share `part` of `parts` of level l: blocks *begin .. *end-1. */
static inline void spw_trsv_share(const spw_triangle *T, spw_idx l, int part, int parts,
                                  spw_idx *begin, spw_idx *end)
{
    const spw_idx *const shares = T->share_ptr + (int64_t)l * T->threads;
    if (parts == T->threads) {
        *begin = shares[part];
        *end = shares[part + 1];
        return;
    }
    const int64_t blocks = shares[T->threads] - shares[0];
    *begin = (spw_idx)(shares[0] + blocks * part / parts);
    *end = (spw_idx)(shares[0] + blocks * (part + 1) / parts);
}

#endif

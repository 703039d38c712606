/* formats/slices.h -- what ELL, SELL and SELL-P share: rows side by side, stored column by column.
 *
 * A slice of height C begins at entry `begin` of col_idx and val, and has `length` columns; entry j of
 * its row r is at begin + j * C + r. Inside of lib/formats. */
#pragma once

#include "formats/csr.h"

/* SPW_ERR_ARG  C < 1, or sigma neither 1 nor a multiple of C */
spw_status spw_slices_check(spw_idx C, spw_idx sigma);

typedef struct spw_slices {
    spw_idx n_rows, n_cols;
    spw_idx C, n_slices;
    const spw_idx *slice_ptr; /* [n_slices+1]  NULL: one slice that begins at 0 */
    const spw_idx *perm;      /* [n_rows]      stored row -> row; NULL: the same */
    spw_idx *row_len;         /* [n_rows]      of the stored row */
    spw_idx *col_idx;
    double *val;
    int64_t n_stored;
} spw_slices;

/* Lengths of the stored rows, then all entries and the padding. */
void spw_slices_fill(const spw_csr *A, const spw_slices *S);

/* slice_ptr[s+1] for slices as long as their longest row, rounded up to a multiple of `multiple`.
 *   SPW_ERR_RANGE  more than SPW_IDX_MAX entries in all; the message begins with `format` */
spw_status spw_slices_lay_out(const spw_csr *A, const spw_idx *perm, spw_idx C, spw_idx n_slices,
                              spw_idx multiple, spw_idx *slice_ptr, const char *format);

/* SPW_ERR_RANGE, with the entries and the gigabytes that there would have been. */
spw_status spw_error_padding(const char *format, spw_idx nnz, double n_stored);

#include "formats/slices.h"

#include "formats/running_sum.h"

static spw_idx row_of(const spw_slices *S, int64_t k) { return S->perm ? S->perm[k] : (spw_idx)k; }

spw_status spw_slices_check(spw_idx C, spw_idx sigma) {
    if (C < 1) return spw_error(SPW_ERR_ARG, "C is %d, must be at least 1", C);
    if (sigma == 1 || (sigma > 1 && sigma % C == 0)) return SPW_OK;
    return spw_error(SPW_ERR_ARG, "sigma is %d, must be 1 or a multiple of C = %d", sigma, C);
}

/* Begin and length of the slice that holds stored row k. */
static int64_t slice_of(const spw_slices *S, int64_t k, int64_t *length) {
    const int64_t s = k / S->C, begin = S->slice_ptr ? S->slice_ptr[s] : 0;
    *length = ((S->slice_ptr ? S->slice_ptr[s + 1] : S->n_stored) - begin) / S->C;
    return begin;
}

void spw_slices_fill(const spw_csr *A, const spw_slices *S) {
    const int64_t n_padded = (int64_t)S->n_slices * S->C; /* rows that are not there are empty */
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n_padded; k++) {
        int64_t length, at = slice_of(S, k, &length) + k % S->C;
        const int64_t end = at + length * S->C;
        spw_idx last = 0;
        if (k < S->n_rows) {
            const spw_idx i = row_of(S, k);
            S->row_len[k] = A->row_ptr[i + 1] - A->row_ptr[i];
            for (spw_idx e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++, at += S->C) {
                S->col_idx[at] = last = A->col_idx[e];
                S->val[at] = A->val[e];
            }
        }
        for (; at < end; at += S->C) {
            S->col_idx[at] = last;
            S->val[at] = 0;
        }
    }
}

/* Entries of the longest row of a slice, rounded up. */
static int64_t slice_length(const spw_csr *A, const spw_idx *perm, spw_idx C, int64_t s,
                            spw_idx multiple) {
    int64_t length = 0;
    for (int64_t k = s * C; k < (s + 1) * C && k < A->n_rows; k++) {
        const spw_idx i = perm ? perm[k] : (spw_idx)k;
        const int64_t n = A->row_ptr[i + 1] - A->row_ptr[i];
        if (n > length) length = n;
    }
    return (length + multiple - 1) / multiple * multiple;
}

spw_status spw_slices_lay_out(const spw_csr *A, const spw_idx *perm, spw_idx C, spw_idx n_slices,
                              spw_idx multiple, spw_idx *slice_ptr, const char *format) {
    double n_stored = 0; /* exact up to 2^53, and does not overflow */
    slice_ptr[0] = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_stored)
    for (int64_t s = 0; s < n_slices; s++) {
        const int64_t length = slice_length(A, perm, C, s, multiple);
        const double size = (double)length * C;
        slice_ptr[s + 1] = size <= SPW_IDX_MAX ? (spw_idx)(length * C) : 0;
        n_stored += size;
    }
    if (n_stored > SPW_IDX_MAX) return spw_error_padding(format, A->nnz, n_stored);
    spw_running_sum(slice_ptr + 1, n_slices);
    return SPW_OK;
}

spw_status spw_error_padding(const char *format, spw_idx nnz, double n_stored) {
    return spw_error(SPW_ERR_RANGE,
                     "%s: %d entries would be %.0f with the padding, %.1f GB; at most %d fit",
                     format, nnz, n_stored, 12e-9 * n_stored, SPW_IDX_MAX);
}

#include "formats/slices.h"

#include "formats/running_sum.h"

#include <inttypes.h>

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

spw_status spw_slices_to_csr(const spw_slices *S, spw_idx nnz, spw_csr *A) {
    const spw_status status = spw_csr_create(S->n_rows, S->n_cols, nnz, A);
    if (status) return status;
    A->row_ptr[0] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < S->n_rows; k++) A->row_ptr[row_of(S, k) + 1] = S->row_len[k];
    spw_running_sum(A->row_ptr + 1, S->n_rows);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < S->n_rows; k++) {
        int64_t length, at = slice_of(S, k, &length) + k % S->C;
        const spw_idx i = row_of(S, k);
        for (spw_idx e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++, at += S->C) {
            A->col_idx[e] = S->col_idx[at];
            A->val[e] = S->val[at];
        }
    }
    return SPW_OK;
}

/* Is stored row k, which may be one that is not there, as it should be? */
static int row_is_right(const spw_slices *S, int64_t k) {
    int64_t length;
    const int64_t begin = slice_of(S, k, &length) + k % S->C;
    const int64_t n = k < S->n_rows ? S->row_len[k] : 0;
    if (n < 0 || n > length) return 0;
    spw_idx last = -1;
    for (int64_t j = 0; j < n; j++) {
        const spw_idx column = S->col_idx[begin + j * S->C];
        if (column <= last || column >= S->n_cols) return 0;
        last = column;
    }
    for (int64_t j = n; j < length; j++) {
        const int64_t at = begin + j * S->C;
        if (S->col_idx[at] != (n ? last : 0) || S->val[at] != 0) return 0;
    }
    return 1;
}

spw_status spw_slices_validate(const spw_slices *S, spw_idx nnz, const char *format) {
    const int64_t n_padded = (int64_t)S->n_slices * S->C;
    int64_t first = n_padded, entries = 0;
#pragma omp parallel for schedule(static) reduction(min : first) reduction(+ : entries)
    for (int64_t k = 0; k < n_padded; k++) {
        if (!row_is_right(S, k)) {
            if (k < first) first = k;
        } else if (k < S->n_rows) {
            entries += S->row_len[k];
        }
    }
    if (first < n_padded)
        return spw_error(
            SPW_ERR_ARG,
            "%s: stored row %" PRId64 ": its length does not fit its slice, its columns "
            "do not ascend within 0 .. %d, or its padding is not its last column and 0",
            format, first, S->n_cols - 1);
    if (entries != nnz)
        return spw_error(SPW_ERR_ARG, "%s: the row lengths sum to %" PRId64 ", nnz is %d", format,
                         entries, nnz);
    return SPW_OK;
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

spw_status spw_slices_validate_ptr(const spw_idx *slice_ptr, spw_idx n_slices, spw_idx C,
                                   spw_idx multiple, spw_idx n_stored, const char *format) {
    if (slice_ptr[0] != 0)
        return spw_error(SPW_ERR_ARG, "%s: the first slice begins at %d, must be 0", format,
                         slice_ptr[0]);
    for (int64_t s = 0; s < n_slices; s++) {
        const int64_t size = (int64_t)slice_ptr[s + 1] - slice_ptr[s];
        if (size < 0 || size % ((int64_t)C * multiple))
            return spw_error(SPW_ERR_ARG,
                             "%s: slice %" PRId64 " has %" PRId64
                             " entries, must be a multiple of %" PRId64,
                             format, s, size, (int64_t)C * multiple);
    }
    if (slice_ptr[n_slices] != n_stored)
        return spw_error(SPW_ERR_ARG, "%s: the last slice ends at %d, n_stored is %d", format,
                         slice_ptr[n_slices], n_stored);
    return SPW_OK;
}

/* formats/info.c -- counts of a matrix: rows, symmetry, and what each format would store.
 *
 * One function counts the stored entries of every padded format, from ELL to SELL-P; a further such
 * format is a row of the table. */
#include "formats/info.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/slices.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The padded formats. C = 0 stands for all rows in one slice. */
/* clang-format off */
static const struct sliced_format {
    const char *name;
    spw_idx C, sigma, multiple;
    int has_slice_ptr, has_perm;
} sliced_formats[] = {
    {"ELL",          0,   1, 1, 0, 0},
    {"SELL-32-1",   32,   1, 1, 1, 1},
    {"SELL-32-256", 32, 256, 1, 1, 1},
    {"SELL-P 8x4",   8,   1, 4, 1, 0},
};
/* clang-format on */

enum { N_SLICED = sizeof sliced_formats / sizeof *sliced_formats };
_Static_assert(N_SLICED + 2 <= SPW_FOOTPRINTS_MAX, "COO, CSR and the padded formats");

static int longer_first(const void *a, const void *b) {
    const spw_idx x = *(const spw_idx *)a, y = *(const spw_idx *)b;
    return (x < y) - (x > y);
}

static spw_idx row_length(const spw_csr *A, int64_t i) { return A->row_ptr[i + 1] - A->row_ptr[i]; }

/* Lengths in descending order. Short ones are counted, which is faster. */
static void sort_lengths(spw_idx *length, int64_t n) {
    enum { SHORT = 256 };
    spw_idx count[SHORT] = {0};
    for (int64_t k = 0; k < n; k++)
        if (length[k] >= SHORT) {
            qsort(length, (size_t)n, sizeof *length, longer_first);
            return;
        }
    for (int64_t k = 0; k < n; k++) count[length[k]]++;
    for (spw_idx l = SHORT; l-- > 0;)
        while (count[l]-- > 0) *length++ = l;
}

/* Stored entries of rows begin .. end-1, a whole window. length: room for the lengths of its rows, or
 * NULL if they are not to be sorted. */
static int64_t window_entries(const spw_csr *A, int64_t begin, int64_t end, spw_idx C,
                              spw_idx multiple, spw_idx *length) {
    int64_t stored = 0;
    if (length) {
        for (int64_t i = begin; i < end; i++) length[i - begin] = row_length(A, i);
        sort_lengths(length, end - begin);
    }
    for (int64_t slice = begin; slice < end; slice += C) {
        int64_t longest = 0;
        for (int64_t i = slice; i < end && i < slice + C; i++) {
            const spw_idx n = length ? length[i - begin] : row_length(A, i);
            if (n > longest) longest = n;
        }
        stored += C * ((longest + multiple - 1) / multiple * multiple);
    }
    return stored;
}

spw_status spw_csr_sliced_entries(const spw_csr *A, spw_idx C, spw_idx sigma, spw_idx multiple,
                                  int64_t *stored) {
    *stored = 0;
    spw_status status = spw_slices_check(C, sigma);
    if (status) return status;
    if (multiple < 1)
        return spw_error(SPW_ERR_ARG, "multiple is %" PRId32 ", must be at least 1", multiple);

    const int64_t window = sigma == 1 ? C : sigma;
    const int64_t n_windows = (A->n_rows + window - 1) / window;
    const int64_t room = window < A->n_rows ? window : A->n_rows;
    spw_idx *lengths = NULL;
    if (sigma > 1) {
        status = SPW_ALLOC(&lengths, room * spw_max_threads());
        if (status) return status;
    }
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int64_t w = 0; w < n_windows; w++) {
        const int64_t end = (w + 1) * window < A->n_rows ? (w + 1) * window : A->n_rows;
        spw_idx *length = lengths ? lengths + room * spw_thread() : NULL;
        sum += window_entries(A, w * window, end, C, multiple, length);
    }
    spw_free(lengths);
    *stored = sum;
    return SPW_OK;
}

static spw_status find_footprints(const spw_csr *A, spw_footprint *footprint) {
    const int64_t nnz = A->nnz;
    footprint[0] = (spw_footprint){"COO", nnz, spw_coo_bytes(&(spw_coo){.nnz = A->nnz}), 1};
    footprint[1] = (spw_footprint){"CSR", nnz, spw_csr_bytes(A), 1};
    for (int f = 0; f < N_SLICED; f++) {
        const struct sliced_format *format = &sliced_formats[f];
        const spw_idx C = format->C ? format->C : (A->n_rows ? A->n_rows : 1);
        const int64_t n_slices = (A->n_rows + (int64_t)C - 1) / C;
        int64_t stored;
        const spw_status status =
            spw_csr_sliced_entries(A, C, format->sigma, format->multiple, &stored);
        if (status) return status;
        const int64_t pointers = (format->has_slice_ptr ? n_slices + 1 : 0) +
                                 (format->has_perm ? (int64_t)A->n_rows : 0);
        footprint[f + 2] = (spw_footprint){format->name, stored, 12 * stored + 4 * pointers,
                                           stored ? (double)nnz / (double)stored : 1};
    }
    return SPW_OK;
}

static void find_symmetry(const spw_csr *A, spw_csr_info *info) {
    if (A->n_rows != A->n_cols) return;
    int64_t n_alone = 0;
    double largest = 0, difference = 0, sum = 0;
    /* Rows may differ much in length; a maximum does not depend on the order. */
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : n_alone)                             \
    reduction(max : largest, difference, sum)
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx mirrored = spw_csr_entry(A, A->col_idx[k], i);
            const double a = A->val[k], b = mirrored < 0 ? 0 : A->val[mirrored];
            n_alone += mirrored < 0;
            largest = fmax(largest, fabs(a));
            difference = fmax(difference, fabs(a - b));
            sum = fmax(sum, fabs(a + b));
        }
    info->pattern_symmetric = n_alone == 0;
    info->symmetric = difference == 0;
    info->skew_symmetric = sum == 0 && largest > 0;
    info->asymmetry = largest > 0 ? difference / largest : 0;
}

static void find_shape(const spw_csr *A, spw_csr_info *info) {
    spw_idx shortest = A->n_rows ? SPW_IDX_MAX : 0, longest = 0, bandwidth = 0;
    spw_idx n_empty = 0, n_zeros = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(min : shortest)                          \
    reduction(max : longest, bandwidth) reduction(+ : n_empty, n_zeros)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx begin = A->row_ptr[i], end = A->row_ptr[i + 1], length = end - begin;
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
        n_empty += length == 0;
        for (spw_idx k = begin; k < end; k++) n_zeros += A->val[k] == 0;
        if (length == 0) continue;
        /* Columns ascend, so the first and the last are the farthest from the diagonal. */
        const spw_idx left = i - A->col_idx[begin], right = A->col_idx[end - 1] - i;
        if (left > bandwidth) bandwidth = left;
        if (right > bandwidth) bandwidth = right;
    }
    info->row_min = shortest;
    info->row_max = longest;
    info->row_mean = A->n_rows ? (double)A->nnz / A->n_rows : 0;
    info->n_empty_rows = n_empty;
    info->n_zeros = n_zeros;
    info->bandwidth = bandwidth;
    info->has_dense_row =
        longest > 0 && longest >= A->n_cols / 2.0 && longest >= 10 * info->row_mean;
}

spw_status spw_csr_inspect(const spw_csr *A, spw_csr_info *info) {
    *info = (spw_csr_info){.n_rows = A->n_rows, .n_cols = A->n_cols, .nnz = A->nnz};
    const spw_status status = find_footprints(A, info->footprint);
    info->n_footprints = N_SLICED + 2;
    if (status) {
        *info = (spw_csr_info){0};
        return status;
    }
    find_shape(A, info);
    find_symmetry(A, info);
    return SPW_OK;
}

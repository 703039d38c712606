#include "formats/sell.h"

#include "base/memory.h"
#include "formats/slices.h"

#include <stdlib.h>

static spw_idx length_of(const spw_csr *A, int64_t i) { return A->row_ptr[i + 1] - A->row_ptr[i]; }

static spw_slices slices(const spw_sell *S) {
    return (spw_slices){.n_rows = S->n_rows,
                        .n_cols = S->n_cols,
                        .C = S->C,
                        .n_slices = S->n_chunks,
                        .slice_ptr = S->chunk_ptr,
                        .perm = S->perm,
                        .row_len = S->row_len,
                        .col_idx = S->col_idx,
                        .val = S->val,
                        .n_stored = S->n_stored};
}

enum { BINS = 256 };

/* perm[begin .. end-1] = those rows, longest first, ties in their order; lengths shortest .. shortest +
 * BINS - 1. */
static void sort_by_counting(const spw_csr *A, int64_t begin, int64_t end, spw_idx shortest,
                             spw_idx *perm) {
    int64_t at[BINS + 1] = {0}; /* first the counts, then where the next row of that length goes */
    for (int64_t i = begin; i < end; i++) at[length_of(A, i) - shortest]++;
    for (int length = BINS - 1; length >= 0; length--) at[length] += at[length + 1];
    for (int length = 0; length < BINS; length++) at[length] = begin + at[length + 1];
    for (int64_t i = begin; i < end; i++) perm[at[length_of(A, i) - shortest]++] = (spw_idx)i;
}

static int by_key(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The same for any lengths. A row is one number, its length before its own number. */
static void sort_by_comparing(const spw_csr *A, int64_t begin, int64_t end, int64_t *keys,
                              spw_idx *perm) {
    const int64_t above = INT64_C(1) << 32;
    for (int64_t i = begin; i < end; i++) keys[i] = (SPW_IDX_MAX - length_of(A, i)) * above + i;
    qsort(keys + begin, (size_t)(end - begin), sizeof *keys, by_key);
    for (int64_t k = begin; k < end; k++) perm[k] = (spw_idx)(keys[k] % above);
}

static void sort_window(const spw_csr *A, int64_t begin, int64_t end, int64_t *keys,
                        spw_idx *perm) {
    spw_idx shortest = SPW_IDX_MAX, longest = 0;
    for (int64_t i = begin; i < end; i++) {
        const spw_idx length = length_of(A, i);
        if (length < shortest) shortest = length;
        if (length > longest) longest = length;
    }
    if (longest - shortest < BINS)
        sort_by_counting(A, begin, end, shortest, perm);
    else
        sort_by_comparing(A, begin, end, keys, perm);
}

/* Sorts the rows of each window. */
static spw_status permute(const spw_csr *A, spw_idx sigma, spw_idx *perm) {
    int64_t *keys = NULL;
    if (sigma > 1) {
        const spw_status status = SPW_ALLOC(&keys, A->n_rows);
        if (status) return status;
    }
    const int64_t n_windows = ((int64_t)A->n_rows + sigma - 1) / sigma;
#pragma omp parallel for schedule(static)
    for (int64_t w = 0; w < n_windows; w++) {
        const int64_t begin = w * sigma,
                      end = begin + sigma < A->n_rows ? begin + sigma : A->n_rows;
        if (keys)
            sort_window(A, begin, end, keys, perm);
        else
            perm[w] = (spw_idx)w;
    }
    spw_free(keys);
    return SPW_OK;
}

spw_status spw_sell_from_csr(const spw_csr *A, spw_idx C, spw_idx sigma, spw_sell *S) {
    *S = (spw_sell){0};
    spw_status status = spw_slices_check(C, sigma);
    if (status) return status;

    spw_sell B = {.n_rows = A->n_rows,
                  .n_cols = A->n_cols,
                  .nnz = A->nnz,
                  .C = C,
                  .sigma = sigma,
                  .n_chunks = (spw_idx)(((int64_t)A->n_rows + C - 1) / C)};
    status = SPW_ALLOC(&B.chunk_ptr, (int64_t)B.n_chunks + 1);
    if (!status) status = SPW_ALLOC(&B.perm, B.n_rows);
    if (!status) status = SPW_ALLOC(&B.row_len, B.n_rows);
    if (!status) status = permute(A, sigma, B.perm);
    if (!status) status = spw_slices_lay_out(A, B.perm, C, B.n_chunks, 1, B.chunk_ptr, "SELL");
    if (!status) {
        B.n_stored = B.chunk_ptr[B.n_chunks];
        status = spw_memory_check("a SELL matrix", spw_sell_bytes(&B));
    }
    if (!status) status = SPW_ALLOC(&B.col_idx, B.n_stored);
    if (!status) status = SPW_ALLOC(&B.val, B.n_stored);
    if (status) {
        spw_sell_destroy(&B);
        return status;
    }
    const spw_slices inside = slices(&B);
    spw_slices_fill(A, &inside);
    *S = B;
    return SPW_OK;
}

void spw_sell_destroy(spw_sell *S) {
    if (!S) return;
    spw_free(S->chunk_ptr);
    spw_free(S->perm);
    spw_free(S->row_len);
    spw_free(S->col_idx);
    spw_free(S->val);
    *S = (spw_sell){0};
}

int64_t spw_sell_bytes(const spw_sell *S) {
    return (int64_t)S->n_stored * (int64_t)(sizeof(spw_idx) + sizeof(double)) +
           ((int64_t)S->n_chunks + 1 + S->n_rows) * (int64_t)sizeof(spw_idx);
}

#include "formats/sell.h"

#include "base/memory.h"
#include "formats/slices.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct row {
    spw_idx length, number;
} row;

/* Longest first; ties keep their order. */
static int by_length(const void *a, const void *b)
{
    const row *x = (const row *)a, *y = (const row *)b;
    if (x->length != y->length) return x->length > y->length ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static spw_slices slices(const spw_sell *S)
{
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

/* Sorts the rows of each window. */
static spw_status permute(const spw_csr *A, spw_idx sigma, spw_idx *perm)
{
    row *rows = NULL;
    if (sigma > 1) {
        const spw_status status = SPW_ALLOC(&rows, A->n_rows);
        if (status) return status;
    }
    const int64_t n_windows = ((int64_t)A->n_rows + sigma - 1) / sigma;
#pragma omp parallel for schedule(static)
    for (int64_t w = 0; w < n_windows; w++) {
        const int64_t begin = w * sigma,
                      end = begin + sigma < A->n_rows ? begin + sigma : A->n_rows;
        if (!rows) {
            perm[w] = (spw_idx)w;
            continue;
        }
        for (int64_t i = begin; i < end; i++)
            rows[i] = (row){A->row_ptr[i + 1] - A->row_ptr[i], (spw_idx)i};
        qsort(rows + begin, (size_t)(end - begin), sizeof *rows, by_length);
        for (int64_t k = begin; k < end; k++) perm[k] = rows[k].number;
    }
    spw_free(rows);
    return SPW_OK;
}

spw_status spw_sell_from_csr(const spw_csr *A, spw_idx C, spw_idx sigma, spw_sell *S)
{
    *S = (spw_sell){0};
    if (C < 1) return spw_error(SPW_ERR_ARG, "SELL: C is %d, must be at least 1", C);
    if (sigma < 1 || (sigma != 1 && sigma % C))
        return spw_error(SPW_ERR_ARG, "SELL: sigma is %d, must be 1 or a multiple of C = %d", sigma,
                         C);

    spw_sell B = {.n_rows = A->n_rows,
                  .n_cols = A->n_cols,
                  .nnz = A->nnz,
                  .C = C,
                  .sigma = sigma,
                  .n_chunks = (spw_idx)(((int64_t)A->n_rows + C - 1) / C)};
    spw_status status = SPW_ALLOC(&B.chunk_ptr, (int64_t)B.n_chunks + 1);
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

spw_status spw_csr_from_sell(const spw_sell *S, spw_csr *A)
{
    const spw_slices inside = slices(S);
    return spw_slices_to_csr(&inside, S->nnz, A);
}

/* Is perm a permutation that stays within its windows and sorts them? */
static spw_status validate_perm(const spw_sell *S)
{
    char *seen = NULL;
    spw_status status = SPW_ALLOC_ZERO(&seen, S->n_rows);
    for (int64_t k = 0; k < S->n_rows && !status; k++) {
        const spw_idx i = S->perm[k];
        if (i < 0 || i >= S->n_rows || seen[i])
            status = spw_error(SPW_ERR_ARG,
                               "SELL: perm[%" PRId64 "] is %d: outside, or there twice", k, i);
        else if (S->sigma == 1 ? i != k : i / S->sigma != k / S->sigma)
            status =
                spw_error(SPW_ERR_ARG, "SELL: perm[%" PRId64 "] is %d: outside of its window of %d",
                          k, i, S->sigma);
        else if (k % S->sigma && S->row_len[k] > S->row_len[k - 1])
            status = spw_error(SPW_ERR_ARG,
                               "SELL: stored row %" PRId64 " is longer than the one before it", k);
        else
            seen[i] = 1;
    }
    spw_free(seen);
    return status;
}

spw_status spw_sell_validate(const spw_sell *S)
{
    if (S->n_rows < 0 || S->n_cols < 0 || S->nnz < 0 || S->C < 1 || S->sigma < 1 ||
        (S->sigma != 1 && S->sigma % S->C) || S->n_chunks != ((int64_t)S->n_rows + S->C - 1) / S->C)
        return spw_error(SPW_ERR_ARG,
                         "SELL: %d x %d, nnz %d, C %d, sigma %d, n_chunks %d do not fit together",
                         S->n_rows, S->n_cols, S->nnz, S->C, S->sigma, S->n_chunks);
    if (!S->chunk_ptr || (S->n_rows > 0 && (!S->perm || !S->row_len)) ||
        (S->n_stored > 0 && (!S->col_idx || !S->val)))
        return spw_error(SPW_ERR_ARG, "SELL: an array is NULL");
    spw_status status =
        spw_slices_validate_ptr(S->chunk_ptr, S->n_chunks, S->C, 1, S->n_stored, "SELL");
    if (!status) status = validate_perm(S);
    const spw_slices inside = slices(S);
    return status ? status : spw_slices_validate(&inside, S->nnz, "SELL");
}

void spw_sell_destroy(spw_sell *S)
{
    if (!S) return;
    spw_free(S->chunk_ptr);
    spw_free(S->perm);
    spw_free(S->row_len);
    spw_free(S->col_idx);
    spw_free(S->val);
    *S = (spw_sell){0};
}

int64_t spw_sell_bytes(const spw_sell *S)
{
    return (int64_t)S->n_stored * (int64_t)(sizeof(spw_idx) + sizeof(double)) +
           ((int64_t)S->n_chunks + 1 + S->n_rows) * (int64_t)sizeof(spw_idx);
}

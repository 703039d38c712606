#include "formats/bands.h"

#include "base/memory.h"
#include "base/threads.h"

#include <stdbool.h>
#include <string.h>

/* What a part of the rows has in a band: first counts, then where its next piece and entry go. */
typedef struct cursor {
    int64_t piece, entry;
} cursor;

/* The entry behind the last of row i's piece that begins at entry k. */
static int64_t piece_end(const spw_csr *A, spw_idx width, spw_idx i, int64_t k)
{
    const spw_idx band = A->col_idx[k] / width;
    while (k < A->row_ptr[i + 1] && A->col_idx[k] / width == band) k++;
    return k;
}

static void count_part(const spw_csr *A, spw_idx width, int64_t begin, int64_t end, cursor *bands)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->row_ptr[i], next; k < A->row_ptr[i + 1]; k = next) {
            cursor *band = &bands[A->col_idx[k] / width];
            next = piece_end(A, width, (spw_idx)i, k);
            band->piece++;
            band->entry += next - k;
        }
}

static void fill_part(const spw_csr *A, int64_t begin, int64_t end, cursor *bands, spw_bands *B)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->row_ptr[i], next; k < A->row_ptr[i + 1]; k = next) {
            cursor *band = &bands[A->col_idx[k] / B->width];
            next = piece_end(A, B->width, (spw_idx)i, k);
            const size_t n = (size_t)(next - k);
            memcpy(B->col_idx + band->entry, A->col_idx + k, n * sizeof *A->col_idx);
            memcpy(B->val + band->entry, A->val + k, n * sizeof *A->val);
            B->row_idx[band->piece] = (spw_idx)i;
            band->entry += next - k;
            B->piece_ptr[++band->piece] = (spw_idx)band->entry;
        }
}

/* Counts of parts and bands become places: band after band, in each part after part. */
static void place(spw_bands *B, int parts, cursor *cursors)
{
    cursor at = {0, 0};
    for (spw_idx b = 0; b < B->n_bands; b++) {
        B->band_ptr[b] = (spw_idx)at.piece;
        for (int part = 0; part < parts; part++) {
            cursor *c = &cursors[(int64_t)part * B->n_bands + b];
            const cursor count = *c;
            *c = at;
            at.piece += count.piece;
            at.entry += count.entry;
        }
    }
    B->n_pieces = B->band_ptr[B->n_bands] = (spw_idx)at.piece;
}

spw_status spw_bands_from_csr(const spw_csr *A, spw_idx width, spw_bands *B)
{
    const int parts = spw_max_threads();
    cursor *cursors = NULL;
    *B = (spw_bands){0};
    if (width < 1)
        return spw_error(SPW_ERR_ARG, "bands: a width of %d columns, must be at least 1", width);
    spw_bands N = {.n_rows = A->n_rows,
                   .n_cols = A->n_cols,
                   .nnz = A->nnz,
                   .width = width,
                   .n_bands = (spw_idx)(((int64_t)A->n_cols + width - 1) / width)};
    spw_status status = SPW_ALLOC_ZERO(&cursors, (int64_t)parts * N.n_bands);
    if (!status) status = SPW_ALLOC(&N.band_ptr, (int64_t)N.n_bands + 1);
    if (!status) status = SPW_ALLOC(&N.row_ptr, (int64_t)N.n_rows + 1);
    if (status) goto done;
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++)
        count_part(A, width, spw_part_begin(A->n_rows, part, parts),
                   spw_part_begin(A->n_rows, part + 1, parts), cursors + (int64_t)part * N.n_bands);
    place(&N, parts, cursors);
    status = spw_memory_check("a matrix in bands", spw_bands_bytes(&N));
    if (!status) status = SPW_ALLOC(&N.row_idx, N.n_pieces);
    if (!status) status = SPW_ALLOC(&N.piece_ptr, (int64_t)N.n_pieces + 1);
    if (!status) status = SPW_ALLOC(&N.col_idx, N.nnz);
    if (!status) status = SPW_ALLOC(&N.val, N.nnz);
    if (status) goto done;
    N.piece_ptr[0] = 0;
    memcpy(N.row_ptr, A->row_ptr, ((size_t)A->n_rows + 1) * sizeof *A->row_ptr);
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++)
        fill_part(A, spw_part_begin(A->n_rows, part, parts),
                  spw_part_begin(A->n_rows, part + 1, parts), cursors + (int64_t)part * N.n_bands,
                  &N);
    *B = N;
done:
    if (status) spw_bands_destroy(&N);
    spw_free(cursors);
    return status;
}

spw_status spw_csr_from_bands(const spw_bands *B, spw_csr *A)
{
    spw_idx *at = NULL; /* where the row's next piece goes */
    *A = (spw_csr){0};
    spw_status status = SPW_ALLOC(&at, B->n_rows);
    if (!status) status = spw_csr_create(B->n_rows, B->n_cols, B->nnz, A);
    if (status) goto done;
    memcpy(A->row_ptr, B->row_ptr, ((size_t)B->n_rows + 1) * sizeof *A->row_ptr);
    if (B->n_rows > 0) memcpy(at, B->row_ptr, (size_t)B->n_rows * sizeof *at);
    for (spw_idx b = 0; b < B->n_bands; b++) {
#pragma omp parallel for schedule(static)
        for (spw_idx p = B->band_ptr[b]; p < B->band_ptr[b + 1]; p++) {
            spw_idx *to = &at[B->row_idx[p]];
            for (spw_idx k = B->piece_ptr[p]; k < B->piece_ptr[p + 1]; k++, (*to)++) {
                A->col_idx[*to] = B->col_idx[k];
                A->val[*to] = B->val[k];
            }
        }
    }
done:
    spw_free(at);
    return status;
}

/* Pieces of band b: rows ascend, entries are there and in the band. */
static spw_status validate_band(const spw_bands *B, spw_idx b)
{
    for (spw_idx p = B->band_ptr[b]; p < B->band_ptr[b + 1]; p++) {
        const spw_idx row = B->row_idx[p], begin = B->piece_ptr[p], end = B->piece_ptr[p + 1];
        const spw_idx before = p > B->band_ptr[b] ? B->row_idx[p - 1] : -1;
        bool right = row > before && row < B->n_rows && begin < end && end <= B->nnz;
        for (spw_idx k = begin; right && k < end; k++)
            right = B->col_idx[k] >= 0 && B->col_idx[k] < B->n_cols &&
                    B->col_idx[k] / B->width == b &&
                    (k == begin || B->col_idx[k] > B->col_idx[k - 1]);
        if (!right)
            return spw_error(
                SPW_ERR_ARG,
                "bands: piece %d of band %d, row %d with entries %d to %d: rows and columns "
                "must ascend, columns be of the band, and entries be there",
                p, b, row, begin, end);
    }
    return SPW_OK;
}

/* Each row has as many entries in its pieces as row_ptr says. */
static spw_status validate_rows(const spw_bands *B)
{
    spw_idx *left = NULL;
    spw_status status = SPW_ALLOC(&left, B->n_rows);
    if (status) return status;
    for (spw_idx i = 0; i < B->n_rows; i++) left[i] = B->row_ptr[i + 1] - B->row_ptr[i];
    for (spw_idx p = 0; p < B->n_pieces; p++)
        left[B->row_idx[p]] -= B->piece_ptr[p + 1] - B->piece_ptr[p];
    for (spw_idx i = 0; i < B->n_rows && !status; i++)
        if (left[i])
            status = spw_error(
                SPW_ERR_ARG, "bands: row %d has %d entries by row_ptr, but %d fewer in its pieces",
                i, B->row_ptr[i + 1] - B->row_ptr[i], left[i]);
    spw_free(left);
    return status;
}

spw_status spw_bands_validate(const spw_bands *B)
{
    if (B->n_rows < 0 || B->n_cols < 0 || B->nnz < 0 || B->n_pieces < 0 || B->width < 1 ||
        B->n_bands != ((int64_t)B->n_cols + B->width - 1) / B->width)
        return spw_error(
            SPW_ERR_ARG,
            "bands: %d x %d, nnz %d, width %d, n_bands %d, n_pieces %d do not fit together",
            B->n_rows, B->n_cols, B->nnz, B->width, B->n_bands, B->n_pieces);
    if (!B->band_ptr || !B->row_ptr || !B->piece_ptr || (B->n_pieces > 0 && !B->row_idx) ||
        (B->nnz > 0 && (!B->col_idx || !B->val)))
        return spw_error(SPW_ERR_ARG, "bands: an array is NULL");
    if (B->band_ptr[0] != 0 || B->band_ptr[B->n_bands] != B->n_pieces || B->piece_ptr[0] != 0 ||
        B->piece_ptr[B->n_pieces] != B->nnz)
        return spw_error(SPW_ERR_ARG, "bands: pieces are %d to %d of %d, entries %d to %d of %d",
                         B->band_ptr[0], B->band_ptr[B->n_bands], B->n_pieces, B->piece_ptr[0],
                         B->piece_ptr[B->n_pieces], B->nnz);
    spw_status status = SPW_OK;
    for (spw_idx b = 0; b < B->n_bands && !status; b++) {
        if (B->band_ptr[b + 1] < B->band_ptr[b] || B->band_ptr[b + 1] > B->n_pieces)
            status = spw_error(SPW_ERR_ARG, "bands: band %d has the pieces %d to %d of %d", b,
                               B->band_ptr[b], B->band_ptr[b + 1], B->n_pieces);
        if (!status) status = validate_band(B, b);
    }
    return status ? status : validate_rows(B);
}

void spw_bands_destroy(spw_bands *B)
{
    if (!B) return;
    spw_free(B->band_ptr);
    spw_free(B->row_idx);
    spw_free(B->piece_ptr);
    spw_free(B->row_ptr);
    spw_free(B->col_idx);
    spw_free(B->val);
    *B = (spw_bands){0};
}

int64_t spw_bands_bytes(const spw_bands *B)
{
    return 12 * (int64_t)B->nnz + 8 * (int64_t)B->n_pieces + 4 * ((int64_t)B->n_bands + 2);
}

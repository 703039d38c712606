#include "formats/sell_short.h"

#include "base/memory.h"
#include "formats/info.h"
#include "formats/running_sum.h"
#include "formats/sell.h"

#include <stdbool.h>
#include <string.h>

enum { UNIT = 8 }; /* bytes: chunks begin at multiples, so that wide offsets are aligned */

/* Units that the offsets of a chunk of n entries take. */
static int64_t units(spw_offsets kind, int64_t C, int64_t n) {
    const int64_t offsets = kind == SPW_OFFSETS_SHARED ? C : n;
    return (offsets * spw_offsets_width(kind) + UNIT - 1) / UNIT;
}

/* Bases of the columns of chunk c, and the kind of its offsets. C: that of S, a constant for the usual ones. */
static inline __attribute__((always_inline)) spw_offsets find_bases_of(const spw_sell *S, int64_t C,
                                                                       int64_t c, spw_idx *base) {
    const int64_t begin = S->chunk_ptr[c], end = S->chunk_ptr[c + 1], columns = (end - begin) / C;
    const spw_idx *const first = S->col_idx + begin;
    spw_idx farthest = 0;
    bool run = true, shared = true;
    base += begin / C;
    for (int64_t j = 0; j < columns; j++) {
        const spw_idx *const column = first + j * C;
        spw_idx least = column[0], most = least, unlike_run = 0, unlike_first = 0;
        for (int64_t r = 0; r < C; r++) {
            least = column[r] < least ? column[r] : least;
            most = column[r] > most ? column[r] : most;
        }
        base[j] = least;
        if (most - least > farthest) farthest = most - least;
        for (int64_t r = 0; shared && r < C; r++) {
            unlike_run |= column[r] - least - (spw_idx)r;
            unlike_first |= (column[r] - least) ^ (first[r] - base[0]);
        }
        run = run && !unlike_run && !unlike_first;
        shared = shared && !unlike_first;
    }
    if (run) return SPW_OFFSETS_RUN;
    if (shared && columns > 1) return SPW_OFFSETS_SHARED; /* of one column: that is no gain */
    if (farthest <= UINT8_MAX) return SPW_OFFSETS_BYTES;
    return farthest <= UINT16_MAX ? SPW_OFFSETS_HALVES : SPW_OFFSETS_WORDS;
}

static spw_offsets find_bases(const spw_sell *S, int64_t c, spw_idx *base) {
    switch (S->C) {
    case 8: return find_bases_of(S, 8, c, base);
    case 16: return find_bases_of(S, 16, c, base);
    case 32: return find_bases_of(S, 32, c, base);
    default: return find_bases_of(S, S->C, c, base);
    }
}

static void write_offsets(const spw_sell *S, int64_t c, const spw_sell_short *B) {
    const spw_offsets kind = (spw_offsets)B->kind[c];
    const int width = spw_offsets_width(kind);
    const int64_t begin = S->chunk_ptr[c];
    const int64_t stop = kind == SPW_OFFSETS_RUN      ? begin
                         : kind == SPW_OFFSETS_SHARED ? begin + S->C
                                                      : S->chunk_ptr[c + 1];
    uint8_t *to = B->offset + (int64_t)UNIT * B->offset_ptr[c];
    for (int64_t k = begin; k < stop; k++, to += width) {
        const uint32_t offset = (uint32_t)(S->col_idx[k] - B->base[k / S->C]);
        const uint16_t half = (uint16_t)offset;
        if (width == 1) *to = (uint8_t)offset;
        if (width == 2) memcpy(to, &half, sizeof half);
        if (width == 4) memcpy(to, &offset, sizeof offset);
    }
    const uint8_t *end = B->offset + (int64_t)UNIT * B->offset_ptr[c + 1];
    while (to < end) *to++ = 0;
}

uint32_t spw_sell_short_offset(const spw_sell_short *S, int64_t c, int64_t k) {
    const uint8_t *from = S->offset + (int64_t)UNIT * S->offset_ptr[c];
    uint32_t offset = 0;
    uint16_t half;
    switch ((spw_offsets)S->kind[c]) {
    case SPW_OFFSETS_RUN: offset = (uint32_t)(k % S->C); break;
    case SPW_OFFSETS_SHARED: memcpy(&offset, from + k % S->C * 4, sizeof offset); break;
    case SPW_OFFSETS_BYTES: offset = from[k]; break;
    case SPW_OFFSETS_HALVES:
        memcpy(&half, from + 2 * k, sizeof half);
        offset = half;
        break;
    case SPW_OFFSETS_WORDS: memcpy(&offset, from + 4 * k, sizeof offset); break;
    }
    return offset;
}

spw_status spw_sell_short_suits(const spw_csr *A, spw_idx C, int *suits) {
    int64_t stored;
    *suits = 0;
    const spw_status status = spw_csr_sliced_entries(A, C, 1, 1, &stored);
    if (!status) *suits = stored <= SPW_IDX_MAX && 20 * (stored - A->nnz) < A->nnz;
    return status;
}

spw_status spw_sell_short_from_csr(const spw_csr *A, spw_idx C, spw_idx sigma, spw_sell_short *S) {
    spw_sell L;
    *S = (spw_sell_short){0};
    spw_status status = spw_sell_from_csr(A, C, sigma, &L);
    if (status) return status;

    spw_sell_short B = {.n_rows = L.n_rows,
                        .n_cols = L.n_cols,
                        .nnz = L.nnz,
                        .C = C,
                        .sigma = sigma,
                        .n_chunks = L.n_chunks,
                        .n_stored = L.n_stored};
    status = SPW_ALLOC(&B.base, B.n_stored / C);
    if (!status) status = SPW_ALLOC(&B.kind, B.n_chunks);
    if (!status) status = SPW_ALLOC(&B.offset_ptr, (int64_t)B.n_chunks + 1);
    if (status) goto done;
    B.offset_ptr[0] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < B.n_chunks; c++) {
        const spw_offsets kind = find_bases(&L, c, B.base);
        B.kind[c] = (uint8_t)kind;
        B.offset_ptr[c + 1] = (spw_idx)units(kind, C, (int64_t)L.chunk_ptr[c + 1] - L.chunk_ptr[c]);
    }
    spw_running_sum(B.offset_ptr + 1, B.n_chunks);
    status = SPW_ALLOC(&B.offset, (int64_t)UNIT * B.offset_ptr[B.n_chunks]);
    if (status) goto done;
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < B.n_chunks; c++) write_offsets(&L, c, &B);
    B.chunk_ptr = L.chunk_ptr;
    B.perm = L.perm;
    B.row_len = L.row_len;
    B.val = L.val;
    spw_free(L.col_idx);
    L = (spw_sell){0};
    *S = B;
done:
    if (status) spw_sell_short_destroy(&B);
    spw_sell_destroy(&L);
    return status;
}

void spw_sell_short_destroy(spw_sell_short *S) {
    if (!S) return;
    spw_free(S->chunk_ptr);
    spw_free(S->perm);
    spw_free(S->row_len);
    spw_free(S->base);
    spw_free(S->kind);
    spw_free(S->offset_ptr);
    spw_free(S->offset);
    spw_free(S->val);
    *S = (spw_sell_short){0};
}

int64_t spw_sell_short_bytes(const spw_sell_short *S) {
    const int64_t offsets = S->offset_ptr ? (int64_t)UNIT * S->offset_ptr[S->n_chunks] : 0;
    const int64_t bases = S->C > 0 ? S->n_stored / S->C : 0;
    return 8 * (int64_t)S->n_stored + offsets + 4 * bases + 9 * (int64_t)S->n_chunks + 8 +
           (S->sigma > 1 ? 4 * (int64_t)S->n_rows : 0);
}

/* Idea and gain are in the header. */
#include "kernels/expert/slice_pairs.h"

#include "base/threads.h"
#include "kernels/expert/arrays.h"
#include "kernels/schedule/partition.h"
#include "perf/simd.h"

#include <stddef.h>

enum {
    TILE = 4096, /* rows of a tile: its halves are some hundred KiB of val apart */
    AHEAD = 512  /* entries between a prefetch and its use: 4 KiB of val */
};

#define INLINE static inline __attribute__((always_inline))

enum { WHOLE = -1 }; /* a kind besides those of spw_offsets: column indices, no base */

/* A slice of C rows and `length` columns; `rows` of the rows are there. */
typedef struct slice {
    int64_t length, first, rows;
    int kind; /* one of spw_offsets; WHOLE */
    const double *val;
    const uint8_t *index;
    const spw_idx *base; /* [length]  NULL where kind is WHOLE */
} slice;

/* Slice s; one that is not in front of end has no rows and no columns. */
INLINE slice slice_at(const spw_sliced *A, int64_t s, int64_t end, int64_t C) {
    if (s >= end) return (slice){.kind = WHOLE, .val = A->val};
    const int64_t at = A->slice_ptr[s], first = A->first_row ? A->first_row[s] : s * C;
    const int64_t left = (A->first_row ? A->first_row[s + 1] : A->n_rows) - first;
    slice found = {.length = (A->slice_ptr[s + 1] - at) / C,
                   .first = first,
                   .rows = left < C ? left : C,
                   .kind = WHOLE,
                   .val = A->val + at};
    if (A->base) {
        found.kind = A->kind[s];
        found.index = (const uint8_t *)A->index + 8 * (int64_t)A->offset_ptr[s];
        found.base = A->base + at / C;
    } else {
        found.index = (const uint8_t *)A->index + (int64_t)sizeof(spw_idx) * at;
    }
    return found;
}

INLINE int64_t row_of(const spw_sliced *A, int64_t k) { return A->perm ? A->perm[k] : k; }

INLINE void keep_rows(const spw_sliced *A, const slice *s, const double *sums, double *y) {
    for (int64_t r = 0; r < s->rows; r++) y[row_of(A, s->first + r)] = sums[r];
}

/* What the rows of a slice add to the sums. */
INLINE void add_rows(const spw_sliced *A, const slice *s, const double *y, const double *w,
                     spw_sliced_sums *sums) {
    for (int64_t r = 0; r < s->rows; r++) {
        sums->w_y += w[row_of(A, s->first + r)] * y[r];
        sums->y_y += y[r] * y[r];
    }
}

/* `vectors` and `kind` are constants wherever the functions below are called. */

/* x of the SPW_VEC rows from row r on, entry `at` of the slice's, in column j. */
INLINE spw_vec gather(int kind, const slice *s, int64_t j, int64_t at, int r, const double *x) {
    const double *from = kind == WHOLE ? x : x + s->base[j];
    const uint8_t *bytes = (const uint8_t *)s->index;
    const uint16_t *halves = (const uint16_t *)s->index;
    const spw_idx *words = (const spw_idx *)s->index;
    switch (kind) {
    case SPW_OFFSETS_RUN: return *(const spw_vec_any *)(from + r);
    case SPW_OFFSETS_SHARED: return SPW_VEC_GATHER(from, words + r);
    case SPW_OFFSETS_BYTES: return SPW_VEC_GATHER(from, bytes + at);
    case SPW_OFFSETS_HALVES: return SPW_VEC_GATHER(from, halves + at);
    default: return SPW_VEC_GATHER(from, words + at);
    }
}

/* Column j of a slice. */
INLINE void column(int vectors, int kind, const slice *s, int64_t j, const double *x,
                   spw_vec *sums) {
    const bool each = kind != SPW_OFFSETS_RUN && kind != SPW_OFFSETS_SHARED; /* has an index */
    const int width = spw_offsets_width(kind);
    for (int v = 0; v < vectors; v++) {
        const int64_t at = j * SPW_VEC * vectors + SPW_VEC * v;
        if (SPW_VEC * v % 8 == 0) {
            spw_prefetch_ahead(s->val + at, AHEAD * (int)sizeof *s->val);
            if (each) spw_prefetch_ahead(s->index + width * at, AHEAD * width);
        }
        sums[v] += *(const spw_vec_any *)(s->val + at) * gather(kind, s, j, at, SPW_VEC * v, x);
    }
}

/* Columns are done in turns while both slices have one. */
INLINE void pair(int vectors, int kind, const slice *a, const slice *b, const double *x,
                 spw_vec *sums_a, spw_vec *sums_b) {
    const int64_t both = a->length < b->length ? a->length : b->length;
    for (int64_t j = 0; j < both; j++) {
        column(vectors, kind, a, j, x, sums_a);
        column(vectors, kind, b, j, x, sums_b);
    }
    for (int64_t j = both; j < a->length; j++) column(vectors, kind, a, j, x, sums_a);
    for (int64_t j = both; j < b->length; j++) column(vectors, kind, b, j, x, sums_b);
}

INLINE void alone(int vectors, int kind, const slice *s, const double *x, spw_vec *sums) {
    for (int64_t j = 0; j < s->length; j++) column(vectors, kind, s, j, x, sums);
}

INLINE void alone_of_any_kind(int vectors, const slice *s, const double *x, spw_vec *sums) {
    switch (s->kind) {
    case SPW_OFFSETS_RUN: alone(vectors, SPW_OFFSETS_RUN, s, x, sums); break;
    case SPW_OFFSETS_SHARED: alone(vectors, SPW_OFFSETS_SHARED, s, x, sums); break;
    case SPW_OFFSETS_BYTES: alone(vectors, SPW_OFFSETS_BYTES, s, x, sums); break;
    case SPW_OFFSETS_HALVES: alone(vectors, SPW_OFFSETS_HALVES, s, x, sums); break;
    case SPW_OFFSETS_WORDS: alone(vectors, SPW_OFFSETS_WORDS, s, x, sums); break;
    default: break; /* there is no such slice */
    }
}

/* Two slices with offsets: together if they are of the same kind and it is one that meshes have. */
INLINE void short_pair(int vectors, const slice *a, const slice *b, const double *x,
                       spw_vec *sums_a, spw_vec *sums_b) {
    switch (a->kind == b->kind ? a->kind : WHOLE) {
    case SPW_OFFSETS_RUN: pair(vectors, SPW_OFFSETS_RUN, a, b, x, sums_a, sums_b); break;
    case SPW_OFFSETS_SHARED: pair(vectors, SPW_OFFSETS_SHARED, a, b, x, sums_a, sums_b); break;
    case SPW_OFFSETS_BYTES: pair(vectors, SPW_OFFSETS_BYTES, a, b, x, sums_a, sums_b); break;
    case SPW_OFFSETS_HALVES: pair(vectors, SPW_OFFSETS_HALVES, a, b, x, sums_a, sums_b); break;
    default: alone_of_any_kind(vectors, a, x, sums_a); alone_of_any_kind(vectors, b, x, sums_b);
    }
}

/* y of a slice. */
INLINE void keep(int vectors, const spw_sliced *A, const slice *s, const spw_vec *sums, double *y) {
    if (A->perm || s->rows < SPW_VEC * vectors)
        keep_rows(A, s, (const double *)sums, y);
    else if (A->bypass)
        for (int v = 0; v < vectors; v++) spw_vec_bypass(y + s->first + SPW_VEC * v, sums[v]);
    else
        for (int v = 0; v < vectors; v++) *(spw_vec_any *)(y + s->first + SPW_VEC * v) = sums[v];
}

/* Slices begin .. end-1, the first half of them paired with the second. */
INLINE void tile(int vectors, const spw_sliced *A, int64_t begin, int64_t end, const double *x,
                 const double *w, double *y, spw_sliced_sums *sums) {
    const int C = SPW_VEC * vectors;
    const int64_t half = (end - begin + 1) / 2;
    for (int64_t s = begin; s < begin + half; s++) {
        spw_vec y_a[32 / SPW_VEC] = {{0}}, y_b[32 / SPW_VEC] = {{0}}; /* [vectors] */
        const slice a = slice_at(A, s, end, C), b = slice_at(A, s + half, end, C);
        if (A->base)
            short_pair(vectors, &a, &b, x, y_a, y_b);
        else
            pair(vectors, WHOLE, &a, &b, x, y_a, y_b);
        keep(vectors, A, &a, y_a, y);
        keep(vectors, A, &b, y_b, y);
        if (w) add_rows(A, &a, (const double *)y_a, w, sums);
        if (w) add_rows(A, &b, (const double *)y_b, w, sums);
    }
}

static spw_sliced_sums share(const spw_sliced *A, int64_t from, int64_t to, const double *x,
                             const double *w, double *y) {
    spw_sliced_sums sums = {0, 0};
    const int64_t slices = TILE / A->C;
    for (int64_t begin = from; begin < to; begin += slices) {
        const int64_t end = begin + slices < to ? begin + slices : to;
        if (A->C == 8) tile(8 / SPW_VEC, A, begin, end, x, w, y, &sums);
        if (A->C == 16) tile(16 / SPW_VEC, A, begin, end, x, w, y, &sums);
        if (A->C == 32) tile(32 / SPW_VEC, A, begin, end, x, w, y, &sums);
    }
    return sums;
}

spw_sliced spw_sliced_from_sell(const spw_sell *S) {
    return (spw_sliced){.n_rows = S->n_rows,
                        .n_slices = S->n_chunks,
                        .C = S->C,
                        .slice_ptr = S->chunk_ptr,
                        .perm = S->sigma > 1 ? S->perm : NULL, /* not read where it is 0 1 2 ... */
                        .index = S->col_idx,
                        .val = S->val,
                        .bypass = spw_sliced_bypass(S->n_stored)};
}

spw_sliced spw_sliced_from_sell_short(const spw_sell_short *S) {
    return (spw_sliced){.n_rows = S->n_rows,
                        .n_slices = S->n_chunks,
                        .C = S->C,
                        .slice_ptr = S->chunk_ptr,
                        .perm = S->sigma > 1 ? S->perm : NULL,
                        .index = S->offset,
                        .base = S->base,
                        .offset_ptr = S->offset_ptr,
                        .kind = S->kind,
                        .val = S->val,
                        .bypass = spw_sliced_bypass(S->n_stored)};
}

void spw_sliced_multiply_some(const spw_sliced *A, int64_t from, int64_t to, const double *x,
                              double *y) {
    share(A, from, to, x, NULL, y);
}

spw_sliced_sums spw_sliced_multiply(const spw_sliced *given, const double *x, const double *w,
                                    double *y) {
    spw_sliced copy = *given;
    const spw_sliced *A = &copy;
    copy.bypass = given->bypass && !given->perm && (uintptr_t)y % 64 == 0;
    const int parts = spw_max_threads();
    spw_sliced_sums of_part[parts], all = {0, 0};
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        const int64_t from = spw_cut_at(A->slice_ptr, A->n_slices, A->C, part, parts);
        const int64_t to = spw_cut_at(A->slice_ptr, A->n_slices, A->C, part + 1, parts);
        of_part[part] = share(A, from, to, x, w, y);
        spw_bypass_fence();
    }
    for (int part = 0; part < parts; part++) {
        all.w_y += of_part[part].w_y;
        all.y_y += of_part[part].y_y;
    }
    return all;
}

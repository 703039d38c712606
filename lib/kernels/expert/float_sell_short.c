/* Slices of 16 rows: a column of one is a line of val, a base and, unless it is a run, 16 offsets. y is stored
 * a slice late: see csr_row.h.
 * Speed of stencil27:90 against CSR in float: 2.5 (one thread, AMD EPYC, family 26 model 2, 2 vCPU KVM virtual
 * machine with other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns). */
#include "kernels/float.h"

#include "base/threads.h"
#include "kernels/expert/arrays.h"
#include "kernels/schedule/partition.h"

#include <assert.h>
#include <stdbool.h>

enum { ROWS = SPW_SINGLE_ROWS, AHEAD = 1024 }; /* entries between a prefetch and its use */

typedef float line __attribute__((vector_size(4 * ROWS)));
typedef float line_any __attribute__((vector_size(4 * ROWS), aligned(4), may_alias));

/* Several unknowns a node: the rows of a chunk have their columns among 16 neighbours, which are one load,
 * to be put in order. Where the CPU has an instruction for that: GCC would do without, element by element. */
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
typedef int32_t order __attribute__((vector_size(4 * ROWS)));
typedef int32_t order_any __attribute__((vector_size(4 * ROWS), aligned(4), may_alias));
#define HAVE_ORDER 1
#define ORDER(from, offsets)                                                                       \
    __builtin_shuffle((line) * (const line_any *)(from), (order) * (const order_any *)(offsets))
#else
#define HAVE_ORDER           0
#define ORDER(from, offsets) GATHER(from, offsets)
#endif

/* Single loads, put together: as in slice_pairs.c. */
#define GATHER(x, c)                                                                               \
    (line) {                                                                                       \
        (x)[(c)[0]], (x)[(c)[1]], (x)[(c)[2]], (x)[(c)[3]], (x)[(c)[4]], (x)[(c)[5]], (x)[(c)[6]], \
            (x)[(c)[7]], (x)[(c)[8]], (x)[(c)[9]], (x)[(c)[10]], (x)[(c)[11]], (x)[(c)[12]],       \
            (x)[(c)[13]], (x)[(c)[14]], (x)[(c)[15]]                                               \
    }

/* Are all offsets of a chunk below 16? */
static inline bool are_near(const spw_idx *offsets) {
    bool near = HAVE_ORDER;
    for (int r = 0; r < ROWS; r++) near = near && offsets[r] < ROWS;
    return near;
}

/* Chunk c, whose offsets are of that kind; a constant wherever this is called. */
static inline __attribute__((always_inline)) line chunk(const spw_sell_short_float *A, int64_t c,
                                                        int kind, const float *x) {
    const spw_sell_short *S = &A->S;
    const int64_t begin = S->chunk_ptr[c], n = (S->chunk_ptr[c + 1] - begin) / ROWS;
    const float *val = A->val + begin;
    const spw_idx *base = S->base + begin / ROWS;
    const uint8_t *bytes = S->offset + 8 * (int64_t)S->offset_ptr[c];
    const bool each = kind != SPW_OFFSETS_RUN && kind != SPW_OFFSETS_SHARED;
    const int width = spw_offsets_width(kind);
    const bool near = kind == SPW_OFFSETS_SHARED && are_near((const spw_idx *)bytes);
    line sum = {0};
    for (int64_t j = 0; j < n; j++) {
        const float *const from = x + base[j];
        const int64_t at = j * ROWS;
        line gathered;
        spw_prefetch_ahead(val + at, AHEAD * (int)sizeof *val);
        if (each) spw_prefetch_ahead(bytes + width * at, AHEAD * width);
        if (kind == SPW_OFFSETS_RUN)
            gathered = *(const line_any *)from;
        else if (near && base[j] <= S->n_cols - ROWS)
            gathered = ORDER(from, (const spw_idx *)bytes);
        else if (kind == SPW_OFFSETS_SHARED)
            gathered = GATHER(from, (const spw_idx *)bytes);
        else if (kind == SPW_OFFSETS_BYTES)
            gathered = GATHER(from, bytes + at);
        else if (kind == SPW_OFFSETS_HALVES)
            gathered = GATHER(from, (const uint16_t *)bytes + at);
        else
            gathered = GATHER(from, (const spw_idx *)bytes + at);
        sum += *(const line_any *)(val + at) * gathered;
    }
    return sum;
}

static inline line chunk_of_any_kind(const spw_sell_short_float *A, int64_t c, const float *x) {
    switch ((spw_offsets)A->S.kind[c]) {
    case SPW_OFFSETS_RUN: return chunk(A, c, SPW_OFFSETS_RUN, x);
    case SPW_OFFSETS_SHARED: return chunk(A, c, SPW_OFFSETS_SHARED, x);
    case SPW_OFFSETS_BYTES: return chunk(A, c, SPW_OFFSETS_BYTES, x);
    case SPW_OFFSETS_HALVES: return chunk(A, c, SPW_OFFSETS_HALVES, x);
    case SPW_OFFSETS_WORDS: break;
    }
    return chunk(A, c, SPW_OFFSETS_WORDS, x);
}

/* Rows i on of y are those of the slice; returns their x . y. */
static inline double keep(const spw_sell_short_float *A, int64_t i, const line *sum, const float *x,
                          float *y) {
    const int64_t rows = A->S.n_rows - i < ROWS ? A->S.n_rows - i : ROWS;
    double x_y = 0;
    for (int64_t r = 0; r < rows; r++) {
        y[i + r] = (*sum)[r];
        x_y += (double)x[i + r] * (double)(*sum)[r];
    }
    return x_y;
}

static double share(const spw_sell_short_float *A, int64_t from, int64_t to, const float *x,
                    float *y) {
    double x_y = 0;
    line last = {0};
    for (int64_t c = from; c < to; c++) {
        const line sum = chunk_of_any_kind(A, c, x);
        if (c > from) x_y += keep(A, (c - 1) * ROWS, &last, x, y);
        last = sum;
    }
    return to > from ? x_y + keep(A, (to - 1) * ROWS, &last, x, y) : x_y;
}

double spw_spmv_with_dot_sell_short_float_omp(const spw_sell_short_float *A, const float *x,
                                              float *y) {
    const spw_sell_short *S = &A->S;
    assert(S->C == ROWS && (x || S->n_cols == 0) && (y || S->n_rows == 0));
    const int parts = spw_max_threads();
    double of_part[parts], sum = 0;
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++)
        of_part[part] = share(A, spw_cut_at(S->chunk_ptr, S->n_chunks, ROWS, part, parts),
                              spw_cut_at(S->chunk_ptr, S->n_chunks, ROWS, part + 1, parts), x, y);
    for (int part = 0; part < parts; part++) sum += of_part[part];
    return sum;
}

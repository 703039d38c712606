#include "kernels/expert/slice_pairs.h"

#include "base/threads.h"
#include "formats/sells.h"
#include "kernels/expert/arrays.h"
#include "kernels/schedule/partition.h"
#include "perf/simd.h"

#include <stddef.h>

enum {
    TILE = 4096, /* rows of a tile: its halves are some hundred KiB of val apart */
    AHEAD = 512  /* entries between a prefetch and its use: 4 KiB of val */
};

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
static inline __attribute__((always_inline)) slice slice_at(const spw_sliced *A, int64_t s,
                                                            int64_t end, int64_t C)
{
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

static inline __attribute__((always_inline)) int64_t row_of(const spw_sliced *A, int64_t k)
{
    return A->perm ? A->perm[k] : k;
}

static inline __attribute__((always_inline)) void keep_rows(const spw_sliced *A, const slice *s,
                                                            const double *sums, double *y)
{
    for (int64_t r = 0; r < s->rows; r++) y[row_of(A, s->first + r)] = sums[r];
}

/* What the rows of a slice add to the sums. */
static inline __attribute__((always_inline)) void add_rows(const spw_sliced *A, const slice *s,
                                                           const double *y, const double *w,
                                                           spw_sliced_sums *sums)
{
    for (int64_t r = 0; r < s->rows; r++) {
        sums->w_y += w[row_of(A, s->first + r)] * y[r];
        sums->y_y += y[r] * y[r];
    }
}

typedef double vector2 __attribute__((vector_size(16)));
typedef double vector2_any __attribute__((vector_size(16), aligned(8), may_alias));
typedef double vector4 __attribute__((vector_size(32)));
typedef double vector4_any __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vector8 __attribute__((vector_size(64)));
typedef double vector8_any __attribute__((vector_size(64), aligned(8), may_alias));

/* Single loads, put together: faster than the gather instruction (csr_row.h). */
#define GATHER2(x, c)                                                                              \
    (vector2)                                                                                      \
    {                                                                                              \
        (x)[(c)[0]], (x)[(c)[1]]                                                                   \
    }
#define GATHER4(x, c)                                                                              \
    (vector4)                                                                                      \
    {                                                                                              \
        (x)[(c)[0]], (x)[(c)[1]], (x)[(c)[2]], (x)[(c)[3]]                                         \
    }
#define GATHER8(x, c)                                                                              \
    (vector8)                                                                                      \
    {                                                                                              \
        (x)[(c)[0]], (x)[(c)[1]], (x)[(c)[2]], (x)[(c)[3]], (x)[(c)[4]], (x)[(c)[5]], (x)[(c)[6]], \
            (x)[(c)[7]]                                                                            \
    }

#if defined(__x86_64__)
#define STREAM2(at, v) _mm_stream_pd(at, (__m128d)(v))
#define STREAM4(at, v) _mm256_stream_pd(at, (__m256d)(v))
#define STREAM8(at, v) _mm512_stream_pd(at, (__m512d)(v))
#else
#define STREAM2(at, v) (*(vector2_any *)(at) = (v))
#define STREAM4(at, v) (*(vector4_any *)(at) = (v))
#define STREAM8(at, v) (*(vector8_any *)(at) = (v))
#endif

#define TARGET     SPW_FOR_ANY
#define LANES      2
#define VECTOR     vector2
#define VECTOR_ANY vector2_any
#define GATHER     GATHER2
#define STREAM     STREAM2
#define NAME(name) name##_any
#include "kernels/expert/slice_pairs.inc"
#undef TARGET
#undef LANES
#undef VECTOR
#undef VECTOR_ANY
#undef GATHER
#undef STREAM
#undef NAME

#define TARGET     SPW_FOR_AVX2
#define LANES      4
#define VECTOR     vector4
#define VECTOR_ANY vector4_any
#define GATHER     GATHER4
#define STREAM     STREAM4
#define NAME(name) name##_avx2
#include "kernels/expert/slice_pairs.inc"
#undef TARGET
#undef LANES
#undef VECTOR
#undef VECTOR_ANY
#undef GATHER
#undef STREAM
#undef NAME

#define TARGET     SPW_FOR_AVX512
#define LANES      8
#define VECTOR     vector8
#define VECTOR_ANY vector8_any
#define GATHER     GATHER8
#define STREAM     STREAM8
#define NAME(name) name##_avx512
#include "kernels/expert/slice_pairs.inc"

spw_sliced spw_sliced_from_sell(const spw_sell *S)
{
    return (spw_sliced){.n_rows = S->n_rows,
                        .n_slices = S->n_chunks,
                        .C = S->C,
                        .slice_ptr = S->chunk_ptr,
                        .perm = S->sigma > 1 ? S->perm : NULL, /* not read where it is 0 1 2 ... */
                        .index = S->col_idx,
                        .val = S->val,
                        .stream = spw_sliced_stream(S->n_stored)};
}

spw_sliced spw_sliced_from_sells(const spw_sells *S)
{
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
                        .stream = spw_sliced_stream(S->n_stored)};
}

/* A->stream: y is aligned. */
static spw_sliced_sums multiply_some(spw_cpu cpu, const spw_sliced *A, int64_t from, int64_t to,
                                     const double *x, const double *w, double *y)
{
    switch (cpu) {
    case SPW_CPU_AVX512: return share_avx512(A, from, to, x, w, y);
    case SPW_CPU_AVX2: return share_avx2(A, from, to, x, w, y);
    case SPW_CPU_ANY: break;
    }
    return share_any(A, from, to, x, w, y);
}

void spw_sliced_multiply_some(spw_cpu cpu, const spw_sliced *A, int64_t from, int64_t to,
                              const double *x, double *y)
{
    multiply_some(cpu, A, from, to, x, NULL, y);
}

spw_sliced_sums spw_sliced_multiply_on(spw_cpu cpu, const spw_sliced *given, const double *x,
                                       const double *w, double *y)
{
    spw_sliced copy = *given;
    const spw_sliced *A = &copy;
    copy.stream = given->stream && !given->perm && (uintptr_t)y % 64 == 0;
    const int parts = spw_max_threads();
    spw_sliced_sums of_part[parts], all = {0, 0};
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        const int64_t from = spw_cut_at(A->slice_ptr, A->n_slices, A->C, part, parts);
        const int64_t to = spw_cut_at(A->slice_ptr, A->n_slices, A->C, part + 1, parts);
        of_part[part] = multiply_some(cpu, A, from, to, x, w, y);
        spw_stream_fence();
    }
    for (int part = 0; part < parts; part++) {
        all.w_y += of_part[part].w_y;
        all.y_y += of_part[part].y_y;
    }
    return all;
}

spw_sliced_sums spw_sliced_multiply(const spw_sliced *A, const double *x, const double *w,
                                    double *y)
{
    return spw_sliced_multiply_on(spw_cpu_best(), A, x, w, y);
}

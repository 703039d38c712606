/* The table of bandwidth kernels. Three templates, load, move and update, are compiled once for every
 * row: the arguments after `share` are constants, and the compiler unrolls over them. Besides, every
 * mix has a plain loop as a textbook writes it, for CPUs on which the compiler knows better.
 *
 *   streams  a share is cut into 1, 2, 4 or 8 parts that are walked side by side. Each part is a
 *            stream of its own to the hardware prefetchers, which stop at the end of a page.
 *   ahead    bytes that a software prefetch runs ahead of the load; 0 for none
 *   bypass   streaming stores, past the caches (perf/simd.h) */
#include "perf/bandwidth_kernels.h"

#include "perf/simd.h"

#include <stdbool.h>

enum { VECTORS = 8, LINE = 8 /* doubles */ };

#define TEMPLATE static inline __attribute__((always_inline))

/* Between two sweeps the compiler loses sight of where the array is: it has to load and store again. */
#define HIDE(pointer) __asm__ volatile("" : "+r"(pointer))

/* Where vector v of an iteration lies: stream v / each, at depth v % each. */
#define AT(i, v) ((v) / each * length + (i) + (v) % each * SPW_VEC)

TEMPLATE void prefetch(const double *from, int64_t length, int streams, int each, int ahead) {
    for (int stream = 0; ahead && stream < streams; stream++)
        for (int at = 0; at < each * SPW_VEC; at += LINE)
            __builtin_prefetch((const char *)(from + stream * length + at) + ahead, 0, 3);
}

TEMPLATE double load(const spw_share *share, int streams, int ahead) {
    const double *a = share->a;
    const int each = VECTORS / streams;
    const int64_t length = share->n / streams;
    spw_vec sum[VECTORS] = {{0}};
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
        for (int64_t i = 0; i < length; i += each * SPW_VEC) {
            prefetch(a + i, length, streams, each, ahead);
            for (int v = 0; v < VECTORS; v++) sum[v] += spw_vec_load(a + AT(i, v));
        }
        HIDE(a);
    }
    for (int v = 1; v < VECTORS; v++) sum[0] += sum[v];
    return spw_vec_sum(sum[0]);
}

/* copy and triad. The loads of an iteration come before its stores, so that each goes out as one
 * run of lines. */
TEMPLATE double move(const spw_share *share, bool triad, int streams, int ahead, bool bypass) {
    double *a = share->a;
    const double *b = share->b, *c = share->c, s = share->s;
    const int each = VECTORS / streams;
    const int64_t length = share->n / streams;
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
        for (int64_t i = 0; i < length; i += each * SPW_VEC) {
            spw_vec x[VECTORS];
            prefetch(b + i, length, streams, each, ahead);
            if (triad) prefetch(c + i, length, streams, each, ahead);
            for (int v = 0; v < VECTORS; v++) {
                x[v] = spw_vec_load(b + AT(i, v));
                if (triad) x[v] += s * spw_vec_load(c + AT(i, v));
            }
            for (int v = 0; v < VECTORS; v++) {
                if (bypass)
                    spw_vec_bypass(a + AT(i, v), x[v]);
                else
                    spw_vec_store(a + AT(i, v), x[v]);
            }
        }
        HIDE(a);
        HIDE(b);
    }
    if (bypass) spw_bypass_fence();
    return 0;
}

/* update and axpy, in place. */
TEMPLATE double update(const spw_share *share, bool axpy, int streams, int ahead) {
    double *a = share->a;
    const double *b = share->b, s = share->s;
    const int each = VECTORS / streams;
    const int64_t length = share->n / streams;
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
        for (int64_t i = 0; i < length; i += each * SPW_VEC) {
            spw_vec x[VECTORS];
            prefetch(a + i, length, streams, each, ahead);
            if (axpy) prefetch(b + i, length, streams, each, ahead);
            for (int v = 0; v < VECTORS; v++) {
                x[v] = spw_vec_load(a + AT(i, v));
                x[v] = axpy ? x[v] + s * spw_vec_load(b + AT(i, v)) : s * x[v];
            }
            for (int v = 0; v < VECTORS; v++) spw_vec_store(a + AT(i, v), x[v]);
        }
        HIDE(a);
    }
    return 0;
}

static double load_plain(const spw_share *share) {
    const double *a = share->a;
    double sum = 0;
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < share->n; i++) sum += a[i];
        HIDE(a);
    }
    return sum;
}

static double copy_plain(const spw_share *share) {
    double *a = share->a;
    const double *b = share->b;
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
#pragma omp simd
        for (int64_t i = 0; i < share->n; i++) a[i] = b[i];
        HIDE(a);
        HIDE(b);
    }
    return 0;
}

static double triad_plain(const spw_share *share) {
    double *a = share->a;
    const double *b = share->b, *c = share->c, s = share->s;
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
#pragma omp simd
        for (int64_t i = 0; i < share->n; i++) a[i] = b[i] + s * c[i];
        HIDE(a);
        HIDE(b);
    }
    return 0;
}

static double update_plain(const spw_share *share) {
    double *a = share->a;
    const double s = share->s;
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
#pragma omp simd
        for (int64_t i = 0; i < share->n; i++) a[i] *= s;
        HIDE(a);
    }
    return 0;
}

static double axpy_plain(const spw_share *share) {
    double *a = share->a;
    const double *b = share->b, s = share->s;
    for (int64_t sweep = 0; sweep < share->sweeps; sweep++) {
#pragma omp simd
        for (int64_t i = 0; i < share->n; i++) a[i] += s * b[i];
        HIDE(a);
    }
    return 0;
}

/* Streams must share the vectors of an iteration, or the last ones would be left out. */
#define ROW(function, streams, call)                                                               \
    static double function(const spw_share *share) {                                               \
        _Static_assert((streams) > 0 && VECTORS % (streams) == 0, "streams must divide VECTORS");  \
        return call;                                                                               \
    }
#define LOAD(function, streams, ahead) ROW(function, streams, load(share, streams, ahead))
#define COPY(function, streams, ahead, nt)                                                         \
    ROW(function, streams, move(share, false, streams, ahead, nt))
#define TRIAD(function, streams, ahead, nt)                                                        \
    ROW(function, streams, move(share, true, streams, ahead, nt))
#define UPDATE(function, streams, ahead)                                                           \
    ROW(function, streams, update(share, false, streams, ahead))
#define AXPY(function, streams, ahead) ROW(function, streams, update(share, true, streams, ahead))

/* clang-format off */
LOAD(load_1,              1, 0)
LOAD(load_2,              2, 0)
LOAD(load_4,              4, 0)
LOAD(load_8,              8, 0)
LOAD(load_1_ahead2,       1, 2048)
LOAD(load_1_ahead4,       1, 4096)
LOAD(load_2_ahead1,       2, 1024)
LOAD(load_2_ahead2,       2, 2048)
LOAD(load_4_ahead1,       4, 1024)
LOAD(load_4_ahead2,       4, 2048)

COPY(copy_1,              1, 0, false)
COPY(copy_2,              2, 0, false)
COPY(copy_4,              4, 0, false)
COPY(copy_1_ahead2,       1, 2048, false)
COPY(copy_2_ahead2,       2, 2048, false)
COPY(copy_4_ahead1,       4, 1024, false)
COPY(copy_1_nt,           1, 0, true)
COPY(copy_2_nt,           2, 0, true)
COPY(copy_4_nt,           4, 0, true)
COPY(copy_8_nt,           8, 0, true)
COPY(copy_1_ahead1_nt,    1, 512, true)
COPY(copy_2_ahead1_nt,    2, 512, true)

TRIAD(triad_1,            1, 0, false)
TRIAD(triad_2,            2, 0, false)
TRIAD(triad_4,            4, 0, false)
TRIAD(triad_1_ahead2,     1, 2048, false)
TRIAD(triad_2_ahead2,     2, 2048, false)
TRIAD(triad_1_nt,         1, 0, true)
TRIAD(triad_2_nt,         2, 0, true)
TRIAD(triad_4_nt,         4, 0, true)
TRIAD(triad_8_nt,         8, 0, true)
TRIAD(triad_1_ahead1_nt,  1, 512, true)
TRIAD(triad_2_ahead2_nt,  2, 2048, true)

UPDATE(update_1,          1, 0)
UPDATE(update_2,          2, 0)
UPDATE(update_4,          4, 0)
UPDATE(update_8,          8, 0)
UPDATE(update_1_ahead1,   1, 512)
UPDATE(update_2_ahead4,   2, 4096)

AXPY(axpy_1,              1, 0)
AXPY(axpy_2,              2, 0)
AXPY(axpy_4,              4, 0)
AXPY(axpy_8,              8, 0)
AXPY(axpy_1_ahead1,       1, 512)
AXPY(axpy_1_ahead2,       1, 2048)
AXPY(axpy_2_ahead2,       2, 2048)
AXPY(axpy_2_ahead4,       2, 4096)

static const spw_probe_kernel kernels[] = {
    {SPW_LOAD,   "load, plain loop",                                 load_plain},
    {SPW_LOAD,   "load, 1 stream",                                   load_1},
    {SPW_LOAD,   "load, 2 streams",                                  load_2},
    {SPW_LOAD,   "load, 4 streams",                                  load_4},
    {SPW_LOAD,   "load, 8 streams",                                  load_8},
    {SPW_LOAD,   "load, 1 stream, prefetch 2 KiB",                   load_1_ahead2},
    {SPW_LOAD,   "load, 1 stream, prefetch 4 KiB",                   load_1_ahead4},
    {SPW_LOAD,   "load, 2 streams, prefetch 1 KiB",                  load_2_ahead1},
    {SPW_LOAD,   "load, 2 streams, prefetch 2 KiB",                  load_2_ahead2},
    {SPW_LOAD,   "load, 4 streams, prefetch 1 KiB",                  load_4_ahead1},
    {SPW_LOAD,   "load, 4 streams, prefetch 2 KiB",                  load_4_ahead2},

    {SPW_COPY,   "copy, plain loop",                                 copy_plain},
    {SPW_COPY,   "copy, 1 stream",                                   copy_1},
    {SPW_COPY,   "copy, 2 streams",                                  copy_2},
    {SPW_COPY,   "copy, 4 streams",                                  copy_4},
    {SPW_COPY,   "copy, 1 stream, prefetch 2 KiB",                   copy_1_ahead2},
    {SPW_COPY,   "copy, 2 streams, prefetch 2 KiB",                  copy_2_ahead2},
    {SPW_COPY,   "copy, 4 streams, prefetch 1 KiB",                  copy_4_ahead1},
    {SPW_COPY,   "copy, 1 stream, streaming stores",                 copy_1_nt},
    {SPW_COPY,   "copy, 2 streams, streaming stores",                copy_2_nt},
    {SPW_COPY,   "copy, 4 streams, streaming stores",                copy_4_nt},
    {SPW_COPY,   "copy, 8 streams, streaming stores",                copy_8_nt},
    {SPW_COPY,   "copy, 1 stream, prefetch 512 B, streaming stores", copy_1_ahead1_nt},
    {SPW_COPY,   "copy, 2 streams, prefetch 512 B, streaming stores", copy_2_ahead1_nt},

    {SPW_TRIAD,  "triad, plain loop",                                triad_plain},
    {SPW_TRIAD,  "triad, 1 stream",                                  triad_1},
    {SPW_TRIAD,  "triad, 2 streams",                                 triad_2},
    {SPW_TRIAD,  "triad, 4 streams",                                 triad_4},
    {SPW_TRIAD,  "triad, 1 stream, prefetch 2 KiB",                  triad_1_ahead2},
    {SPW_TRIAD,  "triad, 2 streams, prefetch 2 KiB",                 triad_2_ahead2},
    {SPW_TRIAD,  "triad, 1 stream, streaming stores",                triad_1_nt},
    {SPW_TRIAD,  "triad, 2 streams, streaming stores",               triad_2_nt},
    {SPW_TRIAD,  "triad, 4 streams, streaming stores",               triad_4_nt},
    {SPW_TRIAD,  "triad, 8 streams, streaming stores",               triad_8_nt},
    {SPW_TRIAD,  "triad, 1 stream, prefetch 512 B, streaming stores", triad_1_ahead1_nt},
    {SPW_TRIAD,  "triad, 2 streams, prefetch 2 KiB, streaming stores", triad_2_ahead2_nt},

    {SPW_UPDATE, "update, plain loop",                               update_plain},
    {SPW_UPDATE, "update, 1 stream",                                 update_1},
    {SPW_UPDATE, "update, 2 streams",                                update_2},
    {SPW_UPDATE, "update, 4 streams",                                update_4},
    {SPW_UPDATE, "update, 8 streams",                                update_8},
    {SPW_UPDATE, "update, 1 stream, prefetch 512 B",                 update_1_ahead1},
    {SPW_UPDATE, "update, 2 streams, prefetch 4 KiB",                update_2_ahead4},

    {SPW_AXPY,   "axpy, plain loop",                                 axpy_plain},
    {SPW_AXPY,   "axpy, 1 stream",                                   axpy_1},
    {SPW_AXPY,   "axpy, 2 streams",                                  axpy_2},
    {SPW_AXPY,   "axpy, 4 streams",                                  axpy_4},
    {SPW_AXPY,   "axpy, 8 streams",                                  axpy_8},
    {SPW_AXPY,   "axpy, 1 stream, prefetch 512 B",                   axpy_1_ahead1},
    {SPW_AXPY,   "axpy, 1 stream, prefetch 2 KiB",                   axpy_1_ahead2},
    {SPW_AXPY,   "axpy, 2 streams, prefetch 2 KiB",                  axpy_2_ahead2},
    {SPW_AXPY,   "axpy, 2 streams, prefetch 4 KiB",                  axpy_2_ahead4},
};
/* clang-format on */

const spw_probe_kernel *spw_probe_kernels(int *count) {
    *count = (int)(sizeof kernels / sizeof *kernels);
    return kernels;
}

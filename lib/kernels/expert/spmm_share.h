/* kernels/expert/spmm_share.h -- SpMM with sums in registers: what one thread does. Internal.
 *
 *     registers   | sum 0 | sum 1 |            nv = 12, registers of 8: the last one begins at
 *     vectors     0       8   12               vector 4, and does 4 .. 7 a second time
 *                     |   last    |
 *
 *   - The sums of a row stay in registers: an entry costs a load of its value, one of its column, and
 *     one of X a register, and no store. Loads are what limits it as long as X is in a cache.
 *   - The number of registers is a constant of the compiler. Vectors that are left over have no loop of
 *     their own: the last register overlaps the one before, and both get the same bits. 31 vectors take
 *     as many instructions as 32.
 *   - With one or two registers there are two sums each, of even and odd entries: an addition waits for
 *     the one before, and that takes longer than the loads.
 *   - A is a stream and is fetched ahead, as in csr_row.h. Of X the last column of a row some rows below
 *     is: columns ascend, and this is the one that no row before is likely to have used.
 * CSR is taken for slices of one row, so that one loop serves both formats.
 * Speed of stencil27:50 with 16 vectors against the plain loops: CSR 3.0, SELL-P 3.6. Y past the caches did not
 * pay there: 0.96 and 0.98, and 0.92 to 0.94 for 8 vectors of stencil27:90 and laplace3d:90 (one thread, AMD EPYC,
 * family 26 model 2, 2 vCPU KVM virtual machine with other work on it, gcc 12.2, 2026-11-22; medians of 15 by
 * turns). With all cores it was not measured apart. */
#pragma once

#include "base/index.h"
#include "base/threads.h"
#include "kernels/expert/csr_row.h"
#include "kernels/expert/arrays.h"
#include "kernels/schedule/partition.h"
#include "perf/simd.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SPW_SPMM_REGISTERS = 8,   /* of sums: half of those that AVX2 has, a quarter of AVX-512's */
    SPW_SPMM_SLICE_AHEAD = 8, /* rows, rounded up to slices */
    SPW_SPMM_BLOCK = 32       /* rows that all tiles of vectors pass before the next: 10 KiB of A */
};

/* Slices of b rows, stored column by column. */
typedef struct spw_spmm_matrix {
    int64_t n_rows, b;
    const spw_idx *ptr; /* [n_slices + 1] */
    const spw_idx *col_idx;
    const double *val;
} spw_spmm_matrix;

/* Vectors that are done at a time: registers * width of them, or fewer, the last register from `last`
 * on. X and Y are those of the first of them. */
typedef struct spw_spmm_tile {
    const double *X;
    double *Y;
    int64_t ldx, ldy, last;
} spw_spmm_tile;

typedef double spw_pair __attribute__((vector_size(16)));
typedef double spw_pair_any __attribute__((vector_size(16), aligned(8), may_alias));

#define SPW_INLINE static inline __attribute__((always_inline))

/* y = a row of n entries, `step` apart, times X. The first two arguments are constants. A macro: as a function
 * whose width is an argument it took 0.93 of the time for 8 vectors in SELL-P of laplace3d:20, but 1.07 for 32 in CSR
 * of fem3:7, with the same instructions in the inner loop; why was not found (gcc 12.2, one thread, AMD EPYC, family
 * 26 model 2, 2 vCPU, 2026-11-22). */
#define SPW_SPMM_ROW(name, vec, vec_any, store)                                                    \
    SPW_INLINE void name(int registers, bool bypass, int64_t n, int64_t step, const double *val,   \
                         const spw_idx *col_idx, spw_spmm_tile t, double *y) {                     \
        const int sums = registers <= 2 ? 2 : 1, width = (int)(sizeof(vec) / sizeof(double));      \
        vec sum[2][SPW_SPMM_REGISTERS];                                                            \
        for (int s = 0; s < sums; s++)                                                             \
            for (int r = 0; r < registers; r++) sum[s][r] = (vec){0};                              \
        for (; n >= sums; n -= sums)                                                               \
            for (int s = 0; s < sums; s++, val += step, col_idx += step)                           \
                for (int r = 0; r < registers; r++)                                                \
                    sum[s][r] +=                                                                   \
                        *val * *(const vec_any *)(t.X + *col_idx * t.ldx +                         \
                                                  (r < registers - 1 ? r * width : t.last));       \
        if (sums == 2)                                                                             \
            for (int r = 0; r < registers; r++) {                                                  \
                if (n)                                                                             \
                    sum[0][r] +=                                                                   \
                        *val * *(const vec_any *)(t.X + *col_idx * t.ldx +                         \
                                                  (r < registers - 1 ? r * width : t.last));       \
                sum[0][r] += sum[1][r];                                                            \
            }                                                                                      \
        for (int r = 0; r < registers; r++) {                                                      \
            double *at = y + (r < registers - 1 ? r * width : t.last);                             \
            if (bypass)                                                                            \
                store(at, sum[0][r]);                                                              \
            else                                                                                   \
                *(vec_any *)at = sum[0][r];                                                        \
        }                                                                                          \
    }

#define SPW_SPMM_NO_STORE(at, sum) ((void)0) /* only whole registers are streamed */
SPW_SPMM_ROW(spw_spmm_row_full, spw_vec, spw_vec_any, spw_vec_bypass)
SPW_SPMM_ROW(spw_spmm_row_4, spw_row_vec, spw_row_vec_any, SPW_SPMM_NO_STORE)
SPW_SPMM_ROW(spw_spmm_row_2, spw_pair, spw_pair_any, SPW_SPMM_NO_STORE)

SPW_INLINE void spw_spmm_row_1(int64_t n, int64_t step, const double *val, const spw_idx *col_idx,
                               spw_spmm_tile t, double *y) {
    double sum = 0;
    for (; n > 0; n--, val += step, col_idx += step) sum += *val * t.X[*col_idx * t.ldx];
    *y = sum;
}

/* Fetches the last column of X that row r of a slice uses; padding repeats it. */
SPW_INLINE void spw_spmm_fetch_x(const spw_spmm_matrix *A, int64_t slice, int64_t r, int bytes,
                                 spw_spmm_tile t) {
    const int64_t end = A->ptr[slice + 1];
    if (end == A->ptr[slice]) return;
    const double *x = t.X + A->col_idx[end - A->b + r] * t.ldx;
    for (int at = 0; at < bytes; at += 64) spw_prefetch_ahead(x, at);
}

/* Slices from .. to-1 for one tile of vectors. The first three arguments are constants. */
SPW_INLINE void spw_spmm_slices(int width, int registers, bool bypass, const spw_spmm_matrix *A,
                                int64_t from, int64_t to, spw_spmm_tile t) {
    const int64_t b = A->b, ahead = (SPW_SPMM_SLICE_AHEAD + b - 1) / b;
    for (int64_t s = from; s < to; s++) {
        const int64_t begin = A->ptr[s], n = (A->ptr[s + 1] - begin) / b;
        const int64_t left = A->n_rows - s * b, rows = left < b ? left : b;
        const double *val = A->val + begin;
        const spw_idx *col_idx = A->col_idx + begin;
        for (int64_t r = 0; r < rows; r++) {
            if (s + ahead < to) spw_spmm_fetch_x(A, s + ahead, r, 8 * width * registers, t);
            for (int64_t k = r * n; k < (r + 1) * n; k += SPW_ROW_LINE) /* a b-th of the slice */
                spw_row_prefetch(val + k, col_idx + k);
            double *y = t.Y + (s * b + r) * t.ldy;
            if (width == SPW_VEC)
                spw_spmm_row_full(registers, bypass, n, b, val + r, col_idx + r, t, y);
            else if (width == 4)
                spw_spmm_row_4(registers, false, n, b, val + r, col_idx + r, t, y);
            else if (width == 2)
                spw_spmm_row_2(registers, false, n, b, val + r, col_idx + r, t, y);
            else
                spw_spmm_row_1(n, b, val + r, col_idx + r, t, y);
        }
    }
}

/* The same for any number of registers, 1 .. SPW_SPMM_REGISTERS. */
SPW_INLINE void spw_spmm_full(int registers, bool bypass, const spw_spmm_matrix *A, int64_t from,
                              int64_t to, spw_spmm_tile t) {
    switch (registers) {
    case 1: spw_spmm_slices(SPW_VEC, 1, bypass, A, from, to, t); break;
    case 2: spw_spmm_slices(SPW_VEC, 2, bypass, A, from, to, t); break;
    case 3: spw_spmm_slices(SPW_VEC, 3, bypass, A, from, to, t); break;
    case 4: spw_spmm_slices(SPW_VEC, 4, bypass, A, from, to, t); break;
    case 5: spw_spmm_slices(SPW_VEC, 5, bypass, A, from, to, t); break;
    case 6: spw_spmm_slices(SPW_VEC, 6, bypass, A, from, to, t); break;
    case 7: spw_spmm_slices(SPW_VEC, 7, bypass, A, from, to, t); break;
    default: spw_spmm_slices(SPW_VEC, 8, bypass, A, from, to, t); break;
    }
}

/* Fewer vectors than a register of this CPU has: those of 4 and 2, one or two of them. */
SPW_INLINE void spw_spmm_few(spw_idx nv, const spw_spmm_matrix *A, int64_t from, int64_t to,
                             spw_spmm_tile t) {
    switch (nv) {
    case 1: spw_spmm_slices(1, 1, false, A, from, to, t); break;
    case 2: spw_spmm_slices(2, 1, false, A, from, to, t); break;
    case 3: spw_spmm_slices(2, 2, false, A, from, to, t); break;
    case 4: spw_spmm_slices(4, 1, false, A, from, to, t); break;
    default: spw_spmm_slices(4, 2, false, A, from, to, t); break;
    }
}

/* Y may be streamed. */
static inline bool spw_spmm_is_whole(spw_idx nv, const double *Y, int64_t ldy) {
    return SPW_HAVE_BYPASS && nv % SPW_VEC == 0 && ldy % SPW_VEC == 0 &&
           (uintptr_t)Y % SPW_VEC_BYTES == 0;
}

/* This thread's share of Y = A X. A->b is a constant where the caller has one. */
SPW_INLINE void spw_spmm_share(bool bypass, const spw_spmm_matrix *A, spw_idx nv, const double *X,
                               int64_t ldx, double *Y, int64_t ldy) {
    const int64_t n_slices = (A->n_rows + A->b - 1) / A->b;
    const int64_t from = spw_cut_at(A->ptr, n_slices, A->b, spw_thread(), spw_team_size());
    const int64_t to = spw_cut_at(A->ptr, n_slices, A->b, spw_thread() + 1, spw_team_size());
    spw_spmm_tile t = {X, Y, ldx, ldy, 0};
    if (!bypass && nv < SPW_VEC) {
        t.last = nv >= 4 ? nv - 4 : nv >= 2 ? nv - 2 : 0;
        spw_spmm_few(nv, A, from, to, t);
        return;
    }
    const int64_t registers = (nv + SPW_VEC - 1) / SPW_VEC;
    const int64_t tiles = (registers + SPW_SPMM_REGISTERS - 1) / SPW_SPMM_REGISTERS;
    const int64_t block = tiles == 1 ? to - from : (SPW_SPMM_BLOCK + A->b - 1) / A->b;
    for (int64_t s = from; s < to; s += block)
        for (int64_t tile = 0; tile < tiles; tile++) {
            /* As many registers in each tile: 8 + 1 of them would be slower than 5 + 4. */
            const int64_t begin = tile * registers / tiles, end = (tile + 1) * registers / tiles;
            const int64_t v = begin * SPW_VEC;
            t.X = X + v;
            t.Y = Y + v;
            t.last = (end < registers ? end * SPW_VEC : nv) - SPW_VEC - v;
            spw_spmm_full((int)(end - begin), bypass, A, s, s + block < to ? s + block : to, t);
        }
    if (bypass) spw_bypass_fence();
}

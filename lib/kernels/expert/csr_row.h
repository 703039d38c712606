/* kernels/expert/csr_row.h -- the inner loops of SpMV: part of a row of CSR, and a few rows, times x. Internal.
 *
 * Four ideas make them faster than the plain loop:
 *   - One sum is a chain: each addition waits for the one before. Here are eight sums, in two vectors.
 *   - x is fetched by single loads that are put together to a vector. A gather instruction does the
 *     same and is slower on some CPUs: 21 GB/s against 31 on the machine below.
 *   - A hardware prefetcher works on physical addresses, stops at the end of a page, and has to find
 *     out that val and col_idx are streams while x is not. Software can tell it. The distance matters
 *     more than one thinks: 31 GB/s at 2 KiB of val, 36 at 4, 38 at 6 to 12. At 6 KiB, with 3 KiB of
 *     col_idx, it is 768 entries or half a microsecond ahead.
 *   - y is written eight rows late. Large x and y begin at the same place of a page, so that y[i] and
 *     x[i], which the next row loads, have the same last 12 bits of their addresses. A CPU that looks at
 *     these alone makes the load wait for the store, row after row: laplace2d:2000x2000, two threads, took
 *     23 ms, and 9.4 with y some lines off or, as here, late (Intel Xeon, family 6 model 143, 2 vCPU KVM
 *     virtual machine, gcc 12.2, 2026-11-21).
 * Figures: stencil27:148, one thread, AMD EPYC (Zen 5, family 26 model 2), 2 vCPU KVM virtual machine,
 * 24 GB, gcc 12.2, 2026-11-20. The plain loop reached 24 to 29 there, the best load kernel 42. */
#pragma once

#include "base/index.h"

#include <stdint.h>

enum {
    SPW_ROW_AHEAD = 768, /* entries */
    SPW_ROW_LINE = 8,    /* entries at a time: one cache line of val */
    SPW_ROW_GROUP = 8    /* rows whose sums are kept before they are stored */
};

/* GCC's vector extension: where the CPU has no such register, the compiler takes two smaller ones. */
typedef double spw_row_vec __attribute__((vector_size(32)));
typedef double spw_row_vec_any __attribute__((vector_size(32), aligned(8), may_alias));

static inline __attribute__((always_inline)) void spw_row_prefetch(const double *val,
                                                                   const spw_idx *col_idx) {
    /* The address may lie behind the array: by way of an integer, for no pointer may. A prefetch of
     * an address that is not mapped does nothing. */
    __builtin_prefetch((const void *)((uintptr_t)val + SPW_ROW_AHEAD * sizeof *val));
    __builtin_prefetch((const void *)((uintptr_t)col_idx + SPW_ROW_AHEAD * sizeof *col_idx));
}

/* The sum of val[k] * x[col_idx[k]] over k = 0 .. n-1. */
static inline __attribute__((always_inline)) double
spw_row_dot(int64_t n, const double *val, const spw_idx *col_idx, const double *x) {
    double sum = 0;
    if (n >= SPW_ROW_LINE) { /* short rows do not pay for the vectors */
        spw_row_vec sum0 = {0}, sum1 = {0};
        for (; n >= SPW_ROW_LINE; n -= SPW_ROW_LINE, val += SPW_ROW_LINE, col_idx += SPW_ROW_LINE) {
            const spw_row_vec x0 = {x[col_idx[0]], x[col_idx[1]], x[col_idx[2]], x[col_idx[3]]};
            const spw_row_vec x1 = {x[col_idx[4]], x[col_idx[5]], x[col_idx[6]], x[col_idx[7]]};
            spw_row_prefetch(val, col_idx);
            sum0 += *(const spw_row_vec_any *)val * x0;
            sum1 += *(const spw_row_vec_any *)(val + 4) * x1;
        }
        sum0 += sum1;
        sum = (sum0[0] + sum0[1]) + (sum0[2] + sum0[3]);
    }
    spw_row_prefetch(val, col_idx);
    /* At most seven are left. The compiler knows, and writes them out one after the other: rows of two
     * entries are a seventh faster than in a loop that counts to n. */
    for (int k = 0; k < SPW_ROW_LINE - 1; k++) {
        if (k >= n) break;
        sum += val[k] * x[col_idx[k]];
    }
    return sum;
}

/* sums[r] of the n rows, at most SPW_ROW_GROUP, that end at the entries row_end[0 .. n-1]; the first begins
 * at `entry`. Returns the entry behind the last. */
static inline __attribute__((always_inline)) spw_idx spw_row_sums(int64_t n, const spw_idx *row_end,
                                                                  spw_idx entry, const double *val,
                                                                  const spw_idx *col_idx,
                                                                  const double *x, double *sums) {
    for (int64_t r = 0; r < n; r++) {
        sums[r] = spw_row_dot(row_end[r] - entry, val + entry, col_idx + entry, x);
        entry = row_end[r];
    }
    return entry;
}

/* Rows of a group that begins at row i. */
static inline int64_t spw_row_group(int64_t i, int64_t end) {
    const int64_t left = end - i, most = SPW_ROW_GROUP;
    return left < most ? left : most;
}

/* y of rows begin .. end-1, the first from `entry` on; returns the entry behind the last. */
static inline __attribute__((always_inline)) spw_idx
spw_row_products(int64_t begin, int64_t end, spw_idx entry, const spw_idx *row_ptr,
                 const double *val, const spw_idx *col_idx, const double *x, double *y) {
    for (int64_t i = begin; i < end; i += SPW_ROW_GROUP) {
        const int64_t n = spw_row_group(i, end);
        double sums[SPW_ROW_GROUP];
        entry = spw_row_sums(n, row_ptr + i + 1, entry, val, col_idx, x, sums);
        for (int64_t r = 0; r < n; r++) y[i + r] = sums[r];
    }
    return entry;
}

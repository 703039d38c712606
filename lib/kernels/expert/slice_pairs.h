/* kernels/expert/slice_pairs.h -- SpMV on rows that lie side by side, two slices at a time. Internal.
 *
 * One slice is one stream of val and one of col_idx. A core that follows them waits for memory: it has few loads
 * under way, and the hardware prefetchers stop at each end of a page. Two slices some hundred KiB apart are four
 * streams, whose pages do not end together. They stay so near that both find the same part of x in the L2 cache:
 *
 *     slices of a thread   | a a a a a a | b b b b b b | a a a ...      pairs (0, 6) (1, 7) (2, 8) ...
 *
 * Time against that of one slice at a time, sums in registers and fetched ahead as well, two threads: stencil27:148
 * 0.91, fem3:72 0.86 (SELL-8-1) and 0.88 (SELL-32-256); one thread, stencil27:148, 0.88. (Intel Xeon, family 6 model
 * 143, 2 vCPU KVM virtual machine with other work on it, 24 GB, gcc 12.2, 2026-11-21; medians of 9.) */
#pragma once

#include "base/index.h"
#include "formats/sell.h"
#include "formats/sell_short.h"

#include <stdbool.h>
#include <stdint.h>

/* What SELL, SELL-P and SELL-S have in common. Slices have C = 8, 16 or 32 rows. */
typedef struct spw_sliced {
    int64_t n_rows, n_slices, C;
    const spw_idx *slice_ptr; /* [n_slices+1] */
    const spw_idx *perm;      /* [n_rows]  NULL: stored row k is row k */
    const spw_idx
        *first_row; /* [n_slices+1]  slice s: rows first_row[s] .. first_row[s+1]-1, at most C of
                               *           them. NULL: C rows each, the last one what is left */
    const void
        *index; /* col_idx, or the offsets of formats/sell_short.h; then these are not NULL: */
    const spw_idx *base, *offset_ptr;
    const uint8_t *kind;
    const double *val;
    bool bypass; /* y past the caches, where it is aligned to 64 bytes and perm is NULL */
} spw_sliced;

static inline bool spw_sliced_fits(int64_t C) { return C == 8 || C == 16 || C == 32; }

/* Shall y go past the caches? A store that does not fetch its line first saves 8 bytes a row, a twelfth of
 * all traffic of a 7-point stencil. Where the matrix is larger than the caches y stays in none in any case.
 * stored: entries with the padding. */
static inline bool spw_sliced_bypass(int64_t stored) {
    return stored >= 32 * 1024 * 1024; /* 256 MiB of val */
}

/* The matrix as it is multiplied here. */
spw_sliced spw_sliced_from_sell(const spw_sell *S);
spw_sliced spw_sliced_from_sell_short(const spw_sell_short *S);

typedef struct spw_sliced_sums {
    double w_y, y_y; /* w . y and y . y */
} spw_sliced_sums;

/* y = A x. All threads; each gets an equal share of entries and rows. With w (A is square) the sums are
 * returned: each thread adds up in the order of its rows, the threads' sums are added in their order. w
 * NULL: they are 0. */
spw_sliced_sums spw_sliced_multiply(const spw_sliced *A, const double *x, const double *w,
                                    double *y);

/* The rows of slices from .. to-1, by the calling thread alone. y is not streamed. */
void spw_sliced_multiply_some(const spw_sliced *A, int64_t from, int64_t to, const double *x,
                              double *y);

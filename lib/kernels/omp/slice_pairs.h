/* kernels/omp/slice_pairs.h -- SpMV on rows that lie side by side, two slices at a time. Internal.
 *
 * One slice is one stream of val and one of col_idx. A core that follows them waits for memory: it has
 * few loads under way, and the hardware prefetchers stop at each end of a page. Two slices some hundred
 * KiB apart are four streams, whose pages do not end together. They stay so near to each other that both
 * find the same part of x in the L2 cache:
 *
 *     slices of a thread   | a a a a a a | b b b b b b | a a a ...      pairs (0, 6) (1, 7) (2, 8) ...
 *
 * Share of the load roof, stencil27:148, SELL-8-1, one thread: 81 % with one slice at a time, 97 % with
 * pairs; two threads 78 and 90 %. (Intel Xeon, family 6 model 143, 2 vCPU KVM virtual machine, 24 GB,
 * gcc 12.2, 2026-11-21.) */
#ifndef SPW_KERNELS_OMP_SLICE_PAIRS_H
#define SPW_KERNELS_OMP_SLICE_PAIRS_H

#include "base/index.h"

#include <stdbool.h>
#include <stdint.h>

/* What SELL, SELL-P and SELL-S have in common. Slices have C = 8, 16 or 32 rows. */
typedef struct spw_sliced {
    int64_t n_rows, n_slices, C;
    const spw_idx *slice_ptr; /* [n_slices+1] */
    const spw_idx *perm;      /* [n_rows]  NULL: stored row k is row k */
    const void *index; /* col_idx, or the offsets of formats/sells.h; then these are not NULL: */
    const spw_idx *base, *offset_ptr;
    const uint8_t *kind;
    const double *val;
} spw_sliced;

static inline bool spw_sliced_fits(int64_t C)
{
    return C == 8 || C == 16 || C == 32;
}

/* y = A x. All threads; each gets an equal share of entries and rows. With `dot` the return value is
 * x . y (A is square): each thread adds up in the order of its rows, the threads' sums are added in their
 * order. Else it is 0. */
double spw_sliced_multiply(const spw_sliced *A, const double *x, double *y, bool dot);

#endif

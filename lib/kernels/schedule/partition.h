/* kernels/schedule/partition.h -- cuts a CSR matrix into equal shares of work, one for each thread.
 *
 * An entry costs 12 bytes, a row about as much (its row_ptr and its y), so the work in front of row i is
 * row_ptr[i] + i, and share p of P begins where it reaches p / P of nnz + n_rows. A binary search finds
 * the place, so that a kernel can do it in every call and nothing has to be kept.
 *
 *     | aaa | b |  | c | dd |      5 rows, 7 entries: 12 units of work
 *     | share 0 |   share 1  |     row_ptr[i] + i = 0 4 6 7 9 12, half of 12 is reached at row 2
 *
 * Long rows are of two kinds.
 *   - A cut falls between two rows, unless the row has SPW_SHARE_FROM entries or more: then it falls
 *     inside it, and both threads work on the row. Short rows stay whole, so that the result of most
 *     matrices does not depend on the number of threads.
 *   - A giant is a row with a good part of all entries, like the first of an arrow matrix. It is taken
 *     out of the count above, and every thread gets an equal part of it beside its own rows. Near
 *     the diagonal a thread's part and its rows read the same x, which then comes from memory once:
 *
 *     | G0 G0 G0 G1 G1 G1 |        the giant's entries are shared ...
 *     | 0  0              |        ... and so are the rows
 *     | 0     0           |
 *     | 1           1     |
 *     | 1              1  |
 *
 * Source of the first: D. Merrill, M. Garland, SC16, doi:10.1109/SC.2016.57, who count in the same way
 * and cut every row. The giants are ours. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

enum {
    SPW_SHARE_FROM = 1024,  /* entries: 12 KiB, about the time of a barrier */
    SPW_GIANT_FROM = 16384, /* entries: below, a cut inside the row is as good */
    SPW_GIANTS = 64         /* at most */
};

typedef struct spw_csr_shares {
    const spw_csr *A;
    int parts;
    spw_idx giant_length;       /* a row with as many entries is a giant */
    int n_giants;               /* 0 .. SPW_GIANTS */
    spw_idx giants[SPW_GIANTS]; /* their rows, ascending */
} spw_csr_shares;

/* A place in the matrix. */
typedef struct spw_csr_cut {
    spw_idx row;   /* 0 .. n_rows */
    spw_idx entry; /* row_ptr[row] if the cut is in front of the row, more if it is inside */
} spw_csr_cut;

/* Finds the giants: rows with 1 / min(4 parts, 64) of all entries or more. A is kept, not copied.
 * O(parts) time where there is none, and O(log n_rows) for each; parts >= 1. */
void spw_csr_divide(const spw_csr *A, int parts, spw_csr_shares *s);

/* Where a share begins; part = s->parts gives the end, {n_rows, nnz}. The cuts ascend with part. Between
 * two cuts there may be giants, which are not the share's. O(log n_rows) time. */
spw_csr_cut spw_csr_share_begin(const spw_csr_shares *s, int part);

/* The simple cut, for short rows: the first slice with part / parts of all work in front of it. Slices have
 * `height` rows each, 1 in CSR, and their entries begin at ptr[slice], so that the work in front of slice s
 * is ptr[s] + s height.
 *   ptr  [n+1]  ascending from 0
 *   part 0 .. parts; parts gives n. The cuts ascend with part. O(log n) time. */
int64_t spw_cut_at(const spw_idx *ptr, int64_t n, int64_t height, int part, int parts);

/* The first entry of the giant s->giants[g] that is part's, 0 .. parts; parts gives the row's end. */
int64_t spw_csr_giant_begin(const spw_csr_shares *s, int g, int part);

SPW_C_END

/* kernels/partition.h -- cuts a CSR matrix into equal shares of work, one for each thread.
 *
 * An entry costs 12 bytes, a row about as much (its row_ptr and its y), so the work in front of row i is
 * row_ptr[i] + i, and part p of P begins where it reaches p / P of nnz + n_rows. A binary search finds
 * the place: O(log n_rows), so that a kernel can do it in every call and nothing has to be kept.
 *
 *     | aaa | b |  | c | dd |      5 rows, 7 entries: 12 units of work
 *     | part 0  |  part 1     |      row_ptr[i] + i = 0 4 6 7 9 12, half of 12 is reached at row 2
 *
 * A cut falls between two rows, unless the row has SPW_SHARE_FROM entries or more: then it falls inside
 * it, and both threads work on the row. Small rows stay whole, so that the result of most matrices does
 * not depend on the number of threads.
 * Source: D. Merrill, M. Garland, SC16, doi:10.1109/SC.2016.57, who cut every row and count in the same
 * way. */
#ifndef SPW_KERNELS_PARTITION_H
#define SPW_KERNELS_PARTITION_H

#include "base/index.h"
#include "formats/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPW_SHARE_FROM = 1024 }; /* entries: 12 KiB, about the time of a barrier */

/* A place in the matrix. */
typedef struct spw_csr_cut {
    spw_idx row;   /* 0 .. n_rows */
    spw_idx entry; /* row_ptr[row] if the cut is in front of the row, more if it is inside */
} spw_csr_cut;

/* Where part `part` of `parts` begins; part = parts gives the end, {n_rows, nnz}. The cuts ascend with
 * part. 0 <= part <= parts, parts >= 1. */
spw_csr_cut spw_csr_cut_at(const spw_csr *A, int part, int parts);

#ifdef __cplusplus
}
#endif

#endif

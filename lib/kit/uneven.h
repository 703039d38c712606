/* kit/uneven.h -- a matrix of uneven rows, on which sorting pays: exercise 7 and its plot.
 *
 *     rows of it, an x   for each entry:      . x . x . x . . . . .
 *                                             . . x . . . . . . . .
 *                                             . x . x . x . x . x .
 * n rows of 1 to 15 entries, 8 on average, lengths at random: every other column of a band around the
 * diagonal. The same for every call and any number of threads. */
#ifndef SPW_KIT_UNEVEN_H
#define SPW_KIT_UNEVEN_H

#include "base/status.h"
#include "formats/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes it, n x n. *A is overwritten and owns its arrays; on failure it is all zero.
 *   SPW_ERR_ARG     fewer than 30 rows
 *   SPW_ERR_RANGE   more than SPW_IDX_MAX entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_uneven(spw_idx n, spw_csr *A);

#ifdef __cplusplus
}
#endif

#endif

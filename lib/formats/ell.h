/* formats/ell.h -- ELLPACK: all rows padded to the longest one, stored column by column.
 *
 *     | 5 1 . |   5 1        val     = 5 4 7 | 1 . .      width = 2
 *     | . . 4 |   4 .        col_idx = 0 2 0 | 1 2 0
 *     | 7 . . |   7 .
 *
 * Entry j of row i is at j * n_rows + i, so that neighbouring threads, one a row, read neighbouring
 * words. No row pointers; but one long row makes all rows long.
 * Source: R. Grimes, D. Kincaid, D. Young, ITPACK 2.0 User's Guide, CNA-150, University of Texas, 1979. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_ell {
    spw_idx n_rows, n_cols, nnz; /* nnz without the padding */
    spw_idx width;               /* entries of the longest row */
    spw_idx n_stored;            /* width * n_rows */
    spw_idx *row_len; /* [n_rows]    entries of the row; kernels need not read it: padding adds 0 */
    spw_idx *col_idx; /* [n_stored]  padding repeats the row's last column (0 if it has none) */
    double *val;      /* [n_stored]  padding is 0 */
} spw_ell;

/* Convert. *E is overwritten and owns its arrays; A is not kept and must be valid. On failure *E is all
 * zero. O(width * n_rows) time, parallel.
 *   SPW_ERR_RANGE   the padded matrix has more than SPW_IDX_MAX entries: said before anything is allocated
 *   SPW_ERR_MEMORY  no room */
spw_status spw_ell_from_csr(const spw_csr *A, spw_ell *E);

/* Frees the arrays and sets *E to zero. Takes NULL and a zero struct. */
void spw_ell_destroy(spw_ell *E);

/* Bytes that a kernel reads: 12 n_stored. */
int64_t spw_ell_bytes(const spw_ell *E);

SPW_C_END

/* formats/coo.h -- coordinate format: three arrays, one entry of the matrix per position.
 *
 *     | 5 1 . |      row_idx = 0 0 1 2
 *     | . . 4 |      col_idx = 0 1 2 0
 *     | 7 . . |      val     = 5 1 4 7
 *
 * Entries may come in any order, and a position may come more than once: its value is the sum. This
 * is what a file or an assembly loop gives. 16 bytes an entry. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_coo {
    spw_idx n_rows, n_cols, nnz;
    spw_idx *row_idx; /* [nnz]  0 .. n_rows-1 */
    spw_idx *col_idx; /* [nnz]  0 .. n_cols-1 */
    double *val;      /* [nnz] */
} spw_coo;

/* Makes room for nnz entries; the arrays are not initialised. *A is overwritten and owns its arrays;
 * on failure it is all zero.
 *   SPW_ERR_ARG     a size is negative
 *   SPW_ERR_RANGE   a size is above SPW_IDX_MAX
 *   SPW_ERR_MEMORY  no room */
spw_status spw_coo_create(int64_t n_rows, int64_t n_cols, int64_t nnz, spw_coo *A);

/* Checks every invariant stated above; the message names the first entry that breaks one.
 *   SPW_ERR_ARG  it is not a valid COO matrix */
spw_status spw_coo_validate(const spw_coo *A);

/* Frees the arrays and sets *A to zero. Takes NULL and a zero struct. */
void spw_coo_destroy(spw_coo *A);

/* Bytes of the arrays: 16 nnz. */
int64_t spw_coo_bytes(const spw_coo *A);

SPW_C_END

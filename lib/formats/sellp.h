/* formats/sellp.h -- SELL-P: slices of b rows, padded so that t threads share a row evenly.
 *
 * As SELL without sorting, but the length of a slice is rounded up to a multiple of t. With b * t
 * threads a block, thread (row, j) takes the entries j, j + t, j + 2t, ... of its row; the b * t
 * threads read b * t consecutive words, and add their t sums in shared memory. Example: b = 2, t = 2,
 * row lengths 1 3 0 2, so that the slices have lengths 4 and 2:
 *     slice 0, rows 0 1:  a b | . c | . d | . .      slice_ptr = 0 8 12
 *     slice 1, rows 2 3:  . e | . f                  beta      = 6/12
 * Source: H. Anzt, S. Tomov, J. Dongarra, Implementing a sparse matrix vector product for the
 * SELL-C/SELL-C-sigma formats on NVIDIA GPUs, University of Tennessee, ut-eecs-14-727, 2014. The last
 * slice has b rows too; those that are not there are empty. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_sellp {
    spw_idx n_rows, n_cols, nnz; /* nnz without the padding */
    spw_idx b, t;                /* rows a slice, threads a row */
    spw_idx n_slices;            /* ceil(n_rows / b) */
    spw_idx n_stored;            /* slice_ptr[n_slices] */
    spw_idx *slice_ptr; /* [n_slices+1]  slice s: entries slice_ptr[s] .. slice_ptr[s+1]-1 */
    spw_idx *row_len;   /* [n_rows]      entries of the row; kernels need not read it */
    spw_idx *col_idx;   /* [n_stored]    padding repeats the row's last column (0 if none) */
    double *val;        /* [n_stored]    padding is 0 */
} spw_sellp;

/* Convert. *S is overwritten and owns its arrays; A is not kept and must be valid. On failure *S is all
 * zero. O(n_stored) time, parallel.
 *   SPW_ERR_ARG     b < 1 or t < 1
 *   SPW_ERR_RANGE   the padded matrix has more than SPW_IDX_MAX entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_sellp_from_csr(const spw_csr *A, spw_idx b, spw_idx t, spw_sellp *S);

/* Frees the arrays and sets *S to zero. Takes NULL and a zero struct. */
void spw_sellp_destroy(spw_sellp *S);

/* Bytes that a kernel reads: 12 n_stored + 4 (n_slices + 1). */
int64_t spw_sellp_bytes(const spw_sellp *S);

SPW_C_END

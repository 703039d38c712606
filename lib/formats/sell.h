/* formats/sell.h -- SELL-C-sigma: sorted rows in padded chunks.
 *
 * Inside each window of sigma rows the rows are sorted by length, longest first (ties keep their
 * order). The sorted rows are cut into chunks of C, and each chunk is padded to its longest row and
 * stored column by column, so that C consecutive entries belong to C different rows: one SIMD
 * register, or one warp. Example: C = 2, sigma = 4, row lengths 1 3 0 2, so perm = 1 3 0 2:
 *     chunk 0, rows 1 3:  a b | c d | e .      chunk_ptr = 0 6 8
 *     chunk 1, rows 0 2:  f .                  beta      = 6/8
 * Source: M. Kreutzer et al., SIAM J. Sci. Comput. 36(5), C401-C423, 2014, doi:10.1137/130930352.
 * We permute rows only, so that x and y stay in the caller's order; the kernels scatter y. The last
 * chunk has C rows too; those that are not there are empty. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_sell {
    spw_idx n_rows, n_cols, nnz; /* nnz without the padding */
    spw_idx C, sigma;            /* sigma is 1 (no sorting) or a multiple of C */
    spw_idx n_chunks;            /* ceil(n_rows / C) */
    spw_idx n_stored;            /* chunk_ptr[n_chunks] */
    spw_idx *chunk_ptr; /* [n_chunks+1]  chunk c: entries chunk_ptr[c] .. chunk_ptr[c+1]-1 */
    spw_idx *perm;      /* [n_rows]      stored row k is row perm[k] of the matrix */
    spw_idx *row_len;   /* [n_rows]      entries of stored row k; kernels need not read it */
    spw_idx *col_idx;   /* [n_stored]    padding repeats the row's last column (0 if none) */
    double *val;        /* [n_stored]    padding is 0 */
} spw_sell;

/* Convert. *S is overwritten and owns its arrays; A is not kept and must be valid. On failure *S is all
 * zero. O(n_stored + n_rows log sigma) time, parallel.
 *   SPW_ERR_ARG     C < 1, or sigma neither 1 nor a multiple of C
 *   SPW_ERR_RANGE   the padded matrix has more than SPW_IDX_MAX entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_sell_from_csr(const spw_csr *A, spw_idx C, spw_idx sigma, spw_sell *S);

/* Frees the arrays and sets *S to zero. Takes NULL and a zero struct. */
void spw_sell_destroy(spw_sell *S);

/* Bytes that a kernel reads: 12 n_stored + 4 (n_chunks + 1) + 4 n_rows. */
int64_t spw_sell_bytes(const spw_sell *S);

SPW_C_END

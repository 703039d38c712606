/* formats/sell_short.h -- SELL-S: SELL-C-sigma with short column indices.
 *
 * C rows of a mesh that are neighbours have their j-th entries in columns that are neighbours, too. So for
 * column j of a chunk the least of the C column indices is kept in full, its *base*, and for each row the
 * distance from it, its *offset*. A chunk keeps its offsets in the first of these ways that does:
 *     RUN       none: row r has the offset r in every column         8     + 4/C bytes an entry
 *     SHARED    C of 4 bytes: a row has one offset in every column   8     + 4/C, and 4 C a chunk
 *     BYTES     of 1 byte, for every entry                           8 + 1 + 4/C
 *     HALVES    of 2 bytes, for every entry                          8 + 2 + 4/C
 *     WORDS     of 4 bytes, for every entry                          8 + 4 + 4/C, against 12 of SELL
 * Example, C = 4, two columns:                      base 7000 9000
 *     7000 7001 7002 7003 | 9000 9001 9002 9003     RUN
 *     7000 7000 7003 7003 | 9000 9000 9003 9003     SHARED   0 0 3 3       two unknowns a node
 *     7000 7001 7002 7003 | 9000 9001 9300 9003     HALVES   0 1 2 3 | 0 1 300 3
 * A grid with one unknown a node is nearly all RUN, with several it is nearly all SHARED.
 * All else is as in formats/sell.h. The format is ours. That distances between columns fit into fewer
 * bytes: J. Willcock, A. Lumsdaine, Accelerating sparse matrix computations via data compression, ICS 2006,
 * doi:10.1145/1183401.1183444. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

typedef enum spw_offsets {
    SPW_OFFSETS_RUN,
    SPW_OFFSETS_SHARED,
    SPW_OFFSETS_BYTES,
    SPW_OFFSETS_HALVES,
    SPW_OFFSETS_WORDS
} spw_offsets;

/* Bytes of one offset; 0 where there is none. */
static inline int spw_offsets_width(int kind) {
    return kind == SPW_OFFSETS_RUN      ? 0
           : kind == SPW_OFFSETS_BYTES  ? 1
           : kind == SPW_OFFSETS_HALVES ? 2
                                        : 4;
}

typedef struct spw_sell_short {
    spw_idx n_rows, n_cols, nnz; /* nnz without the padding */
    spw_idx C, sigma;            /* sigma is 1 (no sorting) or a multiple of C */
    spw_idx n_chunks;            /* ceil(n_rows / C) */
    spw_idx n_stored;            /* chunk_ptr[n_chunks] */
    spw_idx *chunk_ptr;  /* [n_chunks+1]    chunk c: entries chunk_ptr[c] .. chunk_ptr[c+1]-1 */
    spw_idx *perm;       /* [n_rows]        stored row k is row perm[k] of the matrix */
    spw_idx *row_len;    /* [n_rows]        entries of stored row k; kernels need not read it */
    spw_idx *base;       /* [n_stored / C]  of column j of chunk c: base[chunk_ptr[c] / C + j] */
    uint8_t *kind;       /* [n_chunks]      one of spw_offsets */
    spw_idx *offset_ptr; /* [n_chunks+1]    chunk c's offsets begin at offset[8 * offset_ptr[c]] */
    uint8_t *offset;     /* [8 * offset_ptr[n_chunks]]  unsigned integers, in the order of val */
    double *val;         /* [n_stored]      padding is 0 */
} spw_sell_short;

/* Convert. *S is overwritten and owns its arrays; A is not kept and must be valid. On failure *S is all
 * zero. The time of spw_sell_from_csr and some; for a while SELL's col_idx is there, too. Parallel.
 *   SPW_ERR_ARG     C < 1, or sigma neither 1 nor a multiple of C
 *   SPW_ERR_RANGE   the padded matrix has more than SPW_IDX_MAX entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_sell_short_from_csr(const spw_csr *A, spw_idx C, spw_idx sigma, spw_sell_short *S);

/* *suits: is the format worth a copy, with sigma = 1? Its padding must be less than a twentieth of A's entries, and there
 * must not be more than SPW_IDX_MAX with it.
 *   SPW_ERR_ARG  C < 1 */
spw_status spw_sell_short_suits(const spw_csr *A, spw_idx C, int *suits);

/* The offset of entry k of chunk c, counted from the chunk's first. For what need not be fast. */
uint32_t spw_sell_short_offset(const spw_sell_short *S, int64_t c, int64_t k);

/* Frees the arrays and sets *S to zero. Takes NULL and a zero struct. */
void spw_sell_short_destroy(spw_sell_short *S);

/* Bytes that a kernel reads: 8 n_stored + offsets + 4 n_stored / C + 9 n_chunks + 8, + 4 n_rows for perm
 * if sigma > 1. */
int64_t spw_sell_short_bytes(const spw_sell_short *S);

SPW_C_END

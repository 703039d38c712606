/* formats/info.h -- what there is to know about a matrix before a format is chosen for it.
 *
 * The footprint of a padded format follows from the row lengths alone; nothing is converted. Example,
 * row lengths 2 5 1 2 1 1 (the 6 x 6 matrix of matrices/slides6.mtx), 12 entries:
 *     ELL                 6 rows of 5                          30 stored, beta = 12/30
 *     slices of 2 rows    2 of 5, 2 of 2, 2 of 1               16 stored, beta = 12/16
 *     SELL-2-6            sorted 5 2 | 2 1 | 1 1               16 stored
 *     SELL-P 2x2          slices of 2, lengths 6 2 2           20 stored
 * beta = entries / stored entries is 1 without padding.
 * Source: M. Kreutzer et al., SIAM J. Sci. Comput. 36(5), C401-C423, 2014, doi:10.1137/130930352
 * (SELL-C-sigma and beta). SELL-P: H. Anzt, S. Tomov, J. Dongarra, Implementing a sparse matrix vector
 * product for the SELL-C/SELL-C-sigma formats on NVIDIA GPUs, University of Tennessee, ut-eecs-14-727,
 * 2014. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_FOOTPRINTS_MAX = 16 };

typedef struct spw_footprint {
    const char *format;
    int64_t stored; /* entries with the padding */
    int64_t bytes;  /* that a kernel reads, as spw_csr_bytes, spw_sell_bytes and so on count them */
    double beta;    /* entries / stored; 1 for an empty matrix */
} spw_footprint;

typedef struct spw_csr_info {
    spw_idx n_rows, n_cols, nnz;
    spw_idx row_min, row_max; /* entries of the shortest and the longest row; 0 without rows */
    double row_mean;
    spw_idx n_empty_rows;
    spw_idx n_zeros;       /* entries whose value is 0 */
    int has_dense_row;     /* the longest row holds half of all columns and 10 times the mean */
    spw_idx bandwidth;     /* max |i - j| over the entries */
    int pattern_symmetric; /* an entry (j, i) for each entry (i, j); no for a rectangular matrix */
    int symmetric;         /* A = A^T to the last bit */
    int skew_symmetric;    /* A = -A^T to the last bit; a matrix of zeros is not called so */
    double asymmetry;      /* max |a_ij - a_ji| / max |a_ij|: 1e-15 is rounding, 2 a change of sign;
                            * 0 for a rectangular matrix */
    int n_footprints;
    spw_footprint
        footprint[SPW_FOOTPRINTS_MAX]; /* COO, CSR, then the padded formats' table of info.c */
} spw_csr_info;

/* Fills in *info. A must be valid. O(nnz log row_max) time, parallel, next to no memory.
 *   SPW_ERR_MEMORY  no room; *info is all zero */
spw_status spw_csr_inspect(const spw_csr *A, spw_csr_info *info);

/* Entries that a sliced format stores: rows sorted by length within windows of sigma rows, cut into
 * slices of C (the last one filled up with empty rows), each slice as long as its longest row, rounded
 * up to a multiple of `multiple`. ELL is C = n_rows; SELL-C-sigma has multiple = 1; SELL-P sigma = 1
 * and multiple = threads a row.
 *   SPW_ERR_ARG     C < 1, multiple < 1, or sigma neither 1 nor a multiple of C
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_sliced_entries(const spw_csr *A, spw_idx C, spw_idx sigma, spw_idx multiple,
                                  int64_t *stored);

SPW_C_END

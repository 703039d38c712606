/* formats/csr.h -- compressed sparse rows, the hub of all conversions.
 *
 *     | 5 1 . |      row_ptr = 0 2 3 4
 *     | . . 4 |      col_idx = 0 1 2 0
 *     | 7 . . |      val     = 5 1 4 7
 *
 * Row i has the entries row_ptr[i] .. row_ptr[i+1]-1, and none if the two are equal. In this library
 * the columns of a row ascend and no column comes twice. 12 bytes an entry and 4 a row. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/coo.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_csr {
    spw_idx n_rows, n_cols, nnz;
    spw_idx *row_ptr; /* [n_rows+1]  row i: entries row_ptr[i] .. row_ptr[i+1]-1 */
    spw_idx *col_idx; /* [nnz]       ascending within a row, no column twice */
    double *val;      /* [nnz] */
} spw_csr;

/* Makes room; row_ptr, col_idx and val are not initialised. *A is overwritten and owns its arrays; on
 * failure it is all zero.
 *   SPW_ERR_ARG     a size is negative
 *   SPW_ERR_RANGE   a size is above SPW_IDX_MAX
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_create(int64_t n_rows, int64_t n_cols, int64_t nnz, spw_csr *A);

/* Checks every invariant stated above; the message names the first row or entry that breaks one.
 *   SPW_ERR_ARG  it is not a valid CSR matrix */
spw_status spw_csr_validate(const spw_csr *A);

/* Frees the arrays and sets *A to zero. Takes NULL and a zero struct. */
void spw_csr_destroy(spw_csr *A);

/* Bytes of the arrays: 12 nnz + 4 (n_rows + 1). */
int64_t spw_csr_bytes(const spw_csr *A);

/* Where entry (i, j) of a valid A is, or would have to be: the first of row i whose column is j or more, else
 * row_ptr[i+1]. O(log of the row's length). */
static inline spw_idx spw_csr_first_from(const spw_csr *A, spw_idx i, spw_idx j) {
    spw_idx low = A->row_ptr[i], high = A->row_ptr[i + 1];
    while (low < high) {
        const spw_idx middle = low + (high - low) / 2;
        if (A->col_idx[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entry (i, j), or -1. */
static inline spw_idx spw_csr_entry(const spw_csr *A, spw_idx i, spw_idx j) {
    const spw_idx at = spw_csr_first_from(A, i, j);
    return at < A->row_ptr[i + 1] && A->col_idx[at] == j ? at : -1;
}

/* Sorts the entries by row and column and sums duplicates, in the order in which they stand in C, so
 * that the result does not depend on the number of threads. Explicit zeros are kept. *A is overwritten
 * and owns its arrays; C is not kept. On failure *A is all zero. O(nnz + n_rows + n_cols) time, parallel.
 *   SPW_ERR_ARG     C is not valid
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_from_coo(const spw_coo *C, spw_csr *A);

/* The entries of A in row order. The same contract. */
spw_status spw_coo_from_csr(const spw_csr *A, spw_coo *C);

/* *T = the transpose of A. The same contract. */
spw_status spw_csr_transpose(const spw_csr *A, spw_csr *T);

/* Is the square matrix A its own transpose, to the last bit? Told by hashed sums of 64 bits over the entries above and
 * below the diagonal: one pass in the order of A, and wrong by a chance of 2^-64. Parallel. */
int spw_csr_mirrors_itself(const spw_csr *A);

SPW_C_END

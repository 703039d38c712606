/* Exercise 9: what sell_p.cu must define. */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "formats/sellp.h"
#include "perf/cost.h"

SPW_C_BEGIN

/* Fills S->slice_ptr, S->col_idx and S->val. Host code.
 *   A  valid; rows may be empty
 *   S  n_rows, n_cols, nnz, b, t, n_slices and n_stored are set, and the arrays have room: slice_ptr
 *      [n_slices+1], col_idx and val [n_stored]. They hold garbage. row_len is not there.
 * Slice s has the rows s*b .. s*b + b-1, those beyond n_rows are empty. Its length is that of its longest
 * row, rounded up to a multiple of t. Entry j of its row r is at slice_ptr[s] + j*b + r. The entries of a
 * row keep their order; padding has value 0 and the row's last column, 0 in an empty row. */
void csr_to_sellp(const spw_csr *A, const spw_sellp *S);

/* The least bytes and the flops of one product: {load, store, flop}. beta = nnz / n_stored, 1 if nnz is
 * 0. 2 flop for each of the nnz entries, none for the padding. */
spw_cost spmv_sellp_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_slices,
                         double beta);

/* y = A x, by one launch in the default stream: a block a slice, b * t threads a block, t a row.
 *   A  the struct is on the host and may be read; its arrays are on the device. Any size may be 0; t is a
 *      power of two, b * t at most 1024 and not always a multiple of 32
 *   x  [A.n_cols] on the device, does not overlap y
 *   y  [A.n_rows] on the device, overwritten: it holds garbage on entry */
void spmv_sellp(spw_sellp A, const double *x, double *y);

SPW_C_END

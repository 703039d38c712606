/* Exercise 7: what ell_sell.c must define. */
#pragma once

#include "formats/csr.h"
#include "formats/sell.h"
#include "perf/cost.h"

enum { MAX_C = 64 }; /* rows of a chunk that spmv_sell is given, at most */

/* beta, the share of the stored elements that are entries of A, 0 .. 1, when each chunk of C
 * neighbouring rows is padded to its longest row (nothing is sorted: sigma = 1). The last chunk has C
 * rows as well. 1 where nothing is stored. C >= A->n_rows gives ELL with one chunk of C rows. */
double sell_beta(const spw_csr *A, spw_idx C);

/* The entries of A as SELL-C-sigma. Of S are given n_rows, n_cols, nnz, C, sigma (1 or a multiple of C),
 * n_chunks, n_stored. To be written are
 *   S->perm       [n_rows]      stored row k is row perm[k] of A: in each window of sigma rows the
 *                               longest first; rows of equal length keep their order
 *   S->chunk_ptr  [n_chunks+1]  chunk c: elements chunk_ptr[c] .. chunk_ptr[c+1]-1
 *   S->col_idx    [n_stored]    padding repeats the row's last column, 0 if the row has no entry
 *   S->val        [n_stored]    padding is 0
 * S->row_len is NULL. Rows of the last chunk that A does not have are empty. */
void csr_to_sell(const spw_csr *A, const spw_sell *S);

/* The least bytes and the flops of y = A x: every array is moved once. beta = nnz / stored elements. */
spw_cost spmv_sell_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_chunks, double beta);

/* y = A x, A in SELL-C-sigma, C = 1 .. MAX_C.
 *   x  [S->n_cols], does not overlap y
 *   y  [S->n_rows], in the order of A; overwritten: it holds garbage on entry */
void spmv_sell(const spw_sell *S, const double *x, double *y);

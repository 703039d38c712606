/* Exercise 5: what coo_to_csr.c must define. */
#pragma once

#include "formats/coo.h"
#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* The least bytes of one conversion: {.load = ..., .store = ...}. No flops are counted.
 *   nz        entries of the COO matrix
 *   distinct  positions that have an entry: what is left when duplicates are summed */
spw_cost coo_to_csr_cost(int64_t n_rows, int64_t nz, int64_t distinct);

/* The entries of A as CSR: sorted by row and column, duplicates summed; an entry whose value is 0 stays.
 *   A        nz = A->nnz entries, in any order; a position may come more than once
 *   row_ptr  [A->n_rows+1]  row i has the entries row_ptr[i] .. row_ptr[i+1]-1
 *   col_idx  [nz]           ascending within a row, no column twice
 *   val      [nz]
 *   order    [nz]                             scratch: garbage on entry, not looked at afterwards
 *   next     [max(A->n_rows, A->n_cols) + 1]  the same
 * The result has row_ptr[n_rows] entries, at most nz. What follows them in col_idx and val is not
 * looked at. No two arrays overlap. */
void coo_to_csr(const spw_coo *A, spw_idx *row_ptr, spw_idx *col_idx, double *val, spw_idx *order,
                spw_idx *next);

/* Exercise 6: what spmv_csr.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

/* The least bytes and the flops of one call: {.load = ..., .store = ..., .flop = ...}. Bytes that are
 * read are loads, bytes that are written are stores; every array is moved once. */
spw_cost spmv_csr_cost(const spw_csr *A);

/* y = A x.
 *   A  n_rows x n_cols; rows may be empty
 *   x  [A->n_cols], does not overlap y
 *   y  [A->n_rows], overwritten: it holds garbage on entry */
void spmv_csr(const spw_csr *A, const double *x, double *y);

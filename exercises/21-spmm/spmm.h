/* Exercise 21: what spmm.c must define. */
#pragma once

#include "formats/csr.h"
#include "formats/sellp.h"
#include "perf/cost.h"

#include <stdint.h>

/* The least bytes and the flops of one call on nv vectors: {.load = ..., .store = ..., .flop = ...}.
 * Every array is moved once; what lies between nv and a leading dimension is not moved. */
spw_cost spmm_csr_cost(const spw_csr *A, spw_idx nv);
spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv);

/* Y = A X for nv vectors side by side: element j of vector v is X[j * ldx + v], element i of its product
 * is Y[i * ldy + v].
 *   A, S  n_rows x n_cols; rows may be empty
 *   nv    at least 1
 *   X     n_cols rows, ldx >= nv, does not overlap Y
 *   Y     n_rows rows, ldy >= nv, overwritten: it holds garbage on entry. What lies between nv and ldy is
 *         somebody else's */
void spmm_csr(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y, int64_t ldy);
void spmm_sellp(const spw_sellp *S, spw_idx nv, const double *X, int64_t ldx, double *Y,
                int64_t ldy);

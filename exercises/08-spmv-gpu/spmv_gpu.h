/* Exercise 8: what spmv_gpu.cu must define. */
#pragma once

#include "base/extern_c.h"
#include "formats/coo.h"
#include "formats/csr.h"
#include "formats/ell.h"
#include "formats/sell.h"
#include "perf/cost.h"

SPW_C_BEGIN

/* The least bytes and the flops of one product: {load, store, flop}. Bytes that are read are loads, bytes
 * that are written are stores; every array that a kernel needs is moved once. 2 flop for each of the nnz
 * entries, none for the padding. The arrays are not read here: the sizes are enough. */
spw_cost spmv_csr_cost(const spw_csr *A);
spw_cost spmv_ell_cost(const spw_ell *A);
spw_cost spmv_sell_cost(const spw_sell *A);
spw_cost spmv_coo_cost(const spw_coo *A);

/* y = A x, by one launch in the default stream (COO: y is set to 0 before it); nothing waits for its end.
 *   A  the struct is on the host and may be read; its arrays are on the device. Any size may be 0
 *   x  [A.n_cols] on the device, does not overlap y
 *   y  [A.n_rows] on the device, overwritten: it holds garbage on entry */
void spmv_csr_thread(spw_csr A, const double *x, double *y); /* a thread a row */
void spmv_csr_warp(spw_csr A, const double *x, double *y);   /* a warp a row */
void spmv_ell(spw_ell A, const double *x, double *y);        /* a thread a row */
void spmv_sell(spw_sell A, const double *x, double *y);      /* a thread a row, any C and sigma */
void spmv_coo(spw_coo A, const double *x, double *y);        /* a thread an entry, in any order */

SPW_C_END

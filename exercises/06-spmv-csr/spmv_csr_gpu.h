/* Exercise 6, GPU part: what spmv_csr.cu must define. */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "perf/cost.h"

SPW_C_BEGIN

/* The least bytes and the flops of one product: {load, store, flop}. Every array is moved once. */
spw_cost spmv_csr_cost(const spw_csr *A);

/* y = A x, by one launch; nothing waits for its end.
 *   A  the struct is on the host and may be read; its arrays are on the device. Any size may be 0
 *   x  [A.n_cols] on the device, does not overlap y
 *   y  [A.n_rows] on the device, overwritten: it holds garbage on entry */
void spmv_csr_rows(spw_csr A, const double *x, double *y); /* a thread a row */
void spmv_csr(spw_csr A, const double *x, double *y);      /* a warp a row */

SPW_C_END

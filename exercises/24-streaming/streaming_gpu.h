/* Exercise 24, GPU part: what streaming.cu must define. Pointers with d_ point to memory of the device. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"

#include <stdint.h>

SPW_C_BEGIN

/* A block of rows as it lies in memory, in one piece: val [nz], col_idx [nz], row_ptr [n_rows+1], which begins with 0. */
typedef struct block {
    spw_idx first_row, n_rows;
    int64_t nz, bytes;
    const void *data; /* on the host, pageable */
} block;

/* Y = A X with a matrix that streams through two buffers of the device.
 *   B       number of blocks, may be 0
 *   blocks  [B]  on the host, each with at least one row
 *   nv      vectors, at least 1
 *   d_X     [n_cols * nv]  row-major
 *   d_Y     [n_rows * nv]  row-major, overwritten: it holds garbage on entry
 * On return Y need not be there yet for the host: who reads it waits. */
void spmm_streamed(int B, const block *blocks, int nv, const double *d_X, double *d_Y);

SPW_C_END

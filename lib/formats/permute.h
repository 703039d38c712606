/* formats/permute.h -- other orders of rows and columns.
 *
 * An order is an array `order` of n numbers: the new row i is the old row order[i]. Example, rows and
 * columns by order = 2 0 1:
 *     | 5 1 . |      | . 7 . |      new (0, 1) is old (2, 0)
 *     | . . 4 |  ->  | . 5 1 |
 *     | 7 . . |      | 4 . . | */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

SPW_C_BEGIN

/* B[i][j] = A[row_order[i]][col_order[j]]; NULL is the order as it is. The same order twice keeps a
 * symmetric matrix symmetric. *B is overwritten and owns its arrays; A and the orders are not kept. On
 * failure *B is all zero. Parallel.
 *   SPW_ERR_ARG     A is not valid, or an order is not one: a number is outside or comes twice
 *   SPW_ERR_MEMORY  no room */
spw_status spw_csr_permute(const spw_csr *A, const spw_idx *row_order, const spw_idx *col_order,
                           spw_csr *B);

SPW_C_END

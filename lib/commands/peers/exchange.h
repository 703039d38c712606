/* commands/peers/exchange.h -- the file that bench and the workers share: a matrix, X and Y.
 *
 *     head | row_ptr | col_idx | val | X | Y
 * Each array begins at a multiple of 4096 bytes, at the offset that the head states. Workers only
 * read, but for Y, into which they write when they are asked for their result. */
#pragma once

#include <stdint.h>

#define EXCHANGE_MAGIC "spwpeer1"

typedef struct exchange_head {
    char magic[8];
    int64_t n_rows, n_cols, nnz, nv; /* X and Y have nv columns and are row-major */
    int64_t row_ptr, col_idx, val, x, y;
    int64_t bytes; /* of the file */
} exchange_head;

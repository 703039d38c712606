/* distributed/rows.h -- the rows of one rank, split into what multiplies its own entries of x and what multiplies
 * entries of other ranks, and who needs which of these.
 *
 *     rank 1 of 3, rows 2 and 3 of   c . a b . e      local  a b      ghost  c e      ghosts = 0 5
 *                                    . . . d . .             . d             . .      boundary = 0
 *
 * y = local x + ghost x_ghosts. Columns of other ranks are numbered in the order of their global numbers, so that
 * all of one rank lie together, and come into place in one message. */
#pragma once

#include "distributed/comm.h"
#include "formats/csr.h"
#include "solvers/operator.h"

SPW_C_BEGIN

typedef struct spw_rows {
    int64_t n_global;
    int64_t *first;       /* [size+1] rank r has rows first[r] .. first[r+1]-1; there may be none */
    spw_csr local, ghost; /* n x n with n = first[rank+1] - first[rank], and n x n_ghosts */
    spw_idx n_boundary, *boundary; /* [n_boundary] rows of ghost that are not empty, ascending */
    spw_idx n_ghosts;
    int64_t *ghosts; /* [n_ghosts] global columns, ascending */
    spw_pairs pairs; /* of one exchange; from_ptr counts ghosts */
    spw_idx
        *sent; /* [pairs.to_ptr[n_to]] own rows whose x goes out, in the order of the messages */
} spw_rows;

/* The rows of this rank, of a matrix that every rank holds. first: [size+1], or NULL: equal work. Collective. On
 * failure of one rank it fails on all, and *R is all zero.
 *   SPW_ERR_ARG          A is not square
 *   SPW_ERR_MEMORY       no room
 *   SPW_ERR_UNAVAILABLE  another rank stopped */
spw_status spw_rows_from_csr(const spw_comm *c, const spw_csr *A, const int64_t *first,
                             spw_rows *R);
/* The same without a word to other ranks: pairs and sent are not set. Not collective. */
spw_status spw_rows_split(const spw_comm *c, const spw_csr *A, const int64_t *first, spw_rows *R);
void spw_rows_destroy(spw_rows *R);

/* Messages and bytes that this rank sends in one exchange. */
int64_t spw_rows_messages(const spw_rows *R);
int64_t spw_rows_bytes(const spw_rows *R);

/* A as a solver sees it: x and y have this rank's n elements. The exchange runs while local is multiplied, in the
 * format that spw_operator_convert takes for it. c and R are kept, not copied. Collective, and so is each apply.
 *   SPW_ERR_MEMORY       no room
 *   SPW_ERR_UNAVAILABLE  another rank stopped */
spw_status spw_operator_from_rows(const spw_comm *c, const spw_rows *R, spw_operator *op);

SPW_C_END

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
    int64_t n_global, nnz_global;
    int64_t *first;       /* [size+1] rank r has rows first[r] .. first[r+1]-1; there may be none */
    spw_csr local, ghost; /* n x n with n = first[rank+1] - first[rank], and n x n_ghosts */
    spw_idx n_boundary, *boundary; /* [n_boundary] rows of ghost that are not empty, ascending */
    spw_idx n_ghosts;
    int64_t *ghosts; /* [n_ghosts] global columns, ascending */
    spw_pairs pairs; /* of one exchange; from_ptr counts ghosts */
    spw_idx
        *sent; /* [pairs.to_ptr[n_to]] own rows whose x goes out, in the order of the messages */
} spw_rows;

/* From the rows of this rank with the columns of all of A; row_ptr need not begin at 0. first: [size+1]. Collective.
 * On failure of one rank it fails on all, and *R is all zero.
 *   SPW_ERR_MEMORY  no room */
spw_status spw_rows_from_csr(const spw_comm *c, const spw_csr *mine, const int64_t *first,
                             spw_rows *R);
/* The same without a word to other ranks: nnz_global, pairs and sent are not set. Not collective. */
spw_status spw_rows_split(const spw_comm *c, const spw_csr *mine, const int64_t *first,
                          spw_rows *R);
/* Rows begin .. end-1 of A as these take them; the arrays stay A's. */
static inline spw_csr spw_rows_of(const spw_csr *A, int64_t begin, int64_t end) {
    spw_csr mine = *A;
    mine.n_rows = (spw_idx)(end - begin);
    mine.row_ptr += begin;
    return mine;
}
void spw_rows_destroy(spw_rows *R);

/* What MATRIX= takes, in parts of equal work; an entry counts as much as a row. Each rank makes its own rows of a
 * generator. A file is read by rank 0 alone, twice, in blocks: it holds one block and its own rows. Rows are what one
 * process reads, to the bit. *held: bytes of what the rank that held most of A held of it at once before *R was made.
 * Collective; on failure as above.
 *   SPW_ERR_ARG  A is not square; and the errors of spw_csr_load
 *   SPW_ERR_FILE  the file changed while it was read */
spw_status spw_rows_load(const spw_comm *c, const char *name, spw_rows *R, double *held);

/* The least that an exchange must send, all ranks together: a message to each that needs something, 8 bytes for each
 * element that a rank needs. Collective. */
void spw_rows_least(const spw_comm *c, const spw_rows *R, double *messages, double *bytes);

/* A as a solver sees it: x and y have this rank's n elements. The exchange runs while local is multiplied, in that
 * format (spw_operator_in), NULL: in the one that spw_operator_convert measures to be fastest, in CSR for blocks. width:
 * of a block of vectors, how many go in a message together; 1: there are no blocks. c and R are kept, not copied.
 * Collective, and so is each apply.
 *   SPW_ERR_MEMORY  no room */
spw_status spw_operator_from_rows(const spw_comm *c, const spw_rows *R, int width,
                                  const char *format, spw_operator *op);

/* jacobi, bjacobi:N, neumann:N and cheby:N, for op of these rows, which is kept; blocks of bjacobi end where a rank's
 * rows do. With one rank any of solvers/precond.h. Collective; fails on all ranks.
 *   SPW_ERR_ARG  no such preconditioner; and those of solvers/precond.h, with the rows counted from this rank's first */
spw_status spw_precond_from_rows(const spw_comm *c, const spw_rows *R, const spw_operator *op,
                                 const char *name, spw_operator *M);

/* Is there one of that name for so many ranks? For a word to the user before long work. */
spw_status spw_precond_of_ranks(const char *name, int ranks);

SPW_C_END

/* kernels/trsv.h -- sparse triangular systems T x = b, and the order in which their rows can be solved.
 *
 *     spw_triangle T;
 *     if (spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &T)) ...
 *     if (spw_triangle_schedule(&T, spw_max_threads(), 0)) ...
 *     spw_trsv_csr_omp(&T, b, x);
 *     spw_triangle_destroy(&T);
 *
 * Row i of a lower triangle needs the x of all its columns first. A level is a set of rows that need only
 * rows of levels before: they are solved at the same time. Rows of one unknown each, 3 x 3 grid, 5-point:
 *
 *     level of each row    0 1 2        9 rows, 5 levels: at most 3 rows at a time
 *                          1 2 3
 *                          2 3 4
 *
 * A level of a few rows is shorter than the wait for its end. So rows that follow one another and need
 * each other anyway are solved by one thread, a block of up to `block` rows, and levels are made of blocks:
 * less waiting, streams that are longer, and sometimes more levels. stencil27:100 has 694 levels of rows,
 * and 298 of blocks of a line. spw_triangle_schedule tries several and takes the one of the least modelled
 * time, which may be one thread for all: a tridiagonal matrix has nothing to share.
 *
 * Rows are stored in the order of solution: those of an upper triangle from the last to the first, and the
 * columns in a row likewise, so that both are streams and the newest x comes last.
 *     | 2 . . |                              | 2 1 3 |    stored rows  (2:)  (1: 2)  (0: 2 1)
 *     | 1 4 . |   row_ptr = 0 0 1 3          | . 4 5 |    row_ptr = 0 0 1 3
 *     | 3 5 8 |   col_idx = 0 0 1            | . . 8 |    col_idx = 2 2 1
 *                 val     = 1 3 5                         val     = 5 3 1
 *                 inverse = 1/2 1/4 1/8 (by row)          inverse = 1/2 1/4 1/8 (by row)
 * Least traffic: 12 nnz + 4 (n + 1) for the matrix, 8 n for inverse if there is one, 8 n for b, 8 n for x;
 * 2 nnz + n flops. x is read where it was written lately.
 *
 * Source of level scheduling: E. Anderson, Y. Saad, Int. J. High Speed Comput. 1(1), 73-95, 1989,
 * doi:10.1142/S0129053389000056. Of waiting for each other instead of for all: J. Park et al., ISC 2014,
 * LNCS 8488, 124-140, doi:10.1007/978-3-319-07518-1_8; they remove waits that others imply, here one number
 * a level and thread is kept. That blocks are chains of rows is ours. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

typedef enum spw_half { SPW_LOWER, SPW_UPPER } spw_half;

typedef enum spw_diagonal {
    SPW_DIAGONAL_OWN,    /* that of A */
    SPW_DIAGONAL_ONE,    /* ones; that of A is not looked at */
    SPW_DIAGONAL_DIVIDED /* each row is divided by that of A, which leaves ones */
} spw_diagonal;

typedef struct spw_triangle {
    spw_idx n, nnz;   /* rows; entries beside the diagonal */
    spw_half half;    /* stored row k is row k of a lower, n-1-k of an upper one */
    spw_idx *row_ptr; /* [n+1]  stored row k: entries row_ptr[k] .. row_ptr[k+1]-1 */
    spw_idx *col_idx; /* [nnz]  in the order of solution within a row */
    double *val;      /* [nnz] */
    double *inverse;  /* [n]    1 / diagonal of row i; NULL: the diagonal is all ones */
    /* The schedule; all zero without one. */
    int threads;      /* that it was made for; with another number kernels still work */
    spw_idx block;    /* most rows of a block; n: one block, solved by one thread */
    spw_idx n_blocks; /* runs of stored rows that a thread solves in one go */
    spw_idx n_levels; /* 1 with one block, 0 without rows */
    spw_idx *begin;   /* [n_blocks]  first stored row, blocks in the order of levels and shares */
    spw_idx *end;     /* [n_blocks]  behind the last */
    spw_idx
        *share_ptr; /* [n_levels threads + 1]  share t of level l: share_ptr[l threads + t] .. */
    spw_idx *wait_level; /* [n_levels threads]  levels that all others must have solved before it */
} spw_triangle;

/* The strict triangle of A and its diagonal. *T is overwritten and owns its arrays; A is not kept. On
 * failure *T is all zero. O(nnz) time, parallel.
 *   SPW_ERR_ARG     A is not square; or, unless diagonal is SPW_DIAGONAL_ONE, a diagonal entry is
 *                   missing, zero, or its inverse is not finite: the message has the row
 *   SPW_ERR_MEMORY  no room */
spw_status spw_triangle_from_csr(const spw_csr *A, spw_half half, spw_diagonal diagonal,
                                 spw_triangle *T);

/* Makes the schedule for that many threads, in the place of the one that was there. block: most rows of a
 * block; 1 gives levels of rows; 0 chooses. O(nnz) time for each size that is tried. *T is as before on failure.
 *   SPW_ERR_ARG     threads < 1 or block < 0
 *   SPW_ERR_MEMORY  no room */
spw_status spw_triangle_schedule(spw_triangle *T, int threads, spw_idx block);

/* The schedule of the other triangle of the matrix, from the last level to the first, where that is an order
 * for T too: so it is if the pattern is symmetric. Else one of its own, for as many threads. O(nnz) time,
 * parallel; of a schedule of its own each size is tried by one thread.
 *   SPW_ERR_ARG     other has no schedule, another size, or is the same half
 *   SPW_ERR_MEMORY  no room */
spw_status spw_triangle_schedule_turned(spw_triangle *T, const spw_triangle *other);

/* The other half, transposed: with T = D + N, U = D^-1 T^t = I + D^-1 N^t, whose diagonal is all ones. If that of T
 * is, U = T^t. So T U = (D + N) D^-1 (D + N)^t. It has no schedule. *U is overwritten and owns its arrays; on
 * failure it is all zero. O(nnz) time, parallel; besides U, 4 n bytes for each of up to 16 threads.
 *   SPW_ERR_MEMORY  no room */
spw_status spw_triangle_transpose(const spw_triangle *T, spw_triangle *U);

/* Bytes that a solution reads of the triangle: 12 nnz + 4 (n + 1), and 8 n if it has a diagonal. */
int64_t spw_triangle_bytes(const spw_triangle *T);

/* Frees the arrays and sets *T to zero. Takes NULL and a zero struct. */
void spw_triangle_destroy(spw_triangle *T);

/* x = T^-1 b. T is valid, b and x have n elements; x may be b, else the two do not overlap.
 *   ref       serial, in the order of the rows and of the entries in them; needs no schedule
 *   omp       level after level, all threads wait for each other between two; needs a schedule
 *   omp_wait  a thread waits only where a row of its share needs a row of another thread's; needs a
 *             schedule. It asks in a loop, and lets others run after some microseconds of that
 * omp and omp_wait give the same bits as each other, for any number of threads and any schedule. They add
 * the entries of a long row to four sums side by side, so that ref may differ in the last digits. */
typedef void spw_trsv_csr_fn(const spw_triangle *T, const double *b, double *x);
spw_trsv_csr_fn spw_trsv_csr_ref, spw_trsv_csr_omp, spw_trsv_csr_omp_wait;

/* X = T^-1 B for nv right-hand sides side by side, 1 <= nv: rows of ldb and ldx >= nv elements, as in
 * kernels/block.h. X may be B with the same ld, else the two do not overlap. The matrix is read once for all.
 *   ref       serial, one vector after the other
 *   omp_wait  as above, eight vectors at a time; needs a schedule */
typedef void spw_trsm_csr_fn(const spw_triangle *T, int nv, const double *B, int64_t ldb, double *X,
                             int64_t ldx);
spw_trsm_csr_fn spw_trsm_csr_ref, spw_trsm_csr_omp_wait;

SPW_C_END

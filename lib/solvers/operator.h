/* solvers/operator.h -- a square matrix as a solver sees it: something that multiplies, and what that costs.
 *
 *     spw_operator op;
 *     if (spw_operator_from_csr(&A, &op)) ...
 *     spw_operator_apply(&op, x, y);          y = A x
 *     spw_operator_destroy(&op);
 *
 * A preconditioner is the same kind of thing: z = M^-1 r, with what its set-up took (solvers/precond.h).
 * No solver knows a format. A further kind of matrix or preconditioner fills in this struct, at the least
 * name, n, cost and apply.
 *
 * An operator may keep room for its work in its context, so that one operator must not be applied by two
 * threads at a time; apply uses all threads by itself. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_OPERATOR_NOTE = 96 };

typedef struct spw_operator {
    const char *name;             /* "csr", "jacobi": for tables; lives as long as the operator */
    int64_t n;                    /* rows and columns */
    spw_cost cost;                /* of one apply, at the least (perf/cost.h) */
    double write_allocate;        /* bytes of one apply that stores may fetch besides, 0 if none */
    spw_cost setup;               /* of making it; all zero where nothing was computed */
    double setup_seconds;         /* that making it took */
    char note[SPW_OPERATOR_NOTE]; /* what was found or decided then, for tables; "" if nothing */
    void *context;                /* handed to the functions below */

    /* y = A x. x and y have n elements and do not overlap; y is overwritten, never read. */
    void (*apply)(void *context, const double *x, double *y);

    /* The same, and *w_y = w . y, and *y_y = y . y unless y_y is NULL, in the same pass. w may be x. NULL:
     * there is none, and spw_operator_apply_dots takes further passes. */
    void (*apply_dots)(void *context, const double *x, const double *w, double *y, double *w_y,
                       double *y_y);

    /* Y = A X for nv vectors side by side, row-major (kernels/block.h), in one pass through A. `further` is
     * what every vector but the first adds to cost. NULL: there is none, and spw_operator_apply_block takes
     * one vector at a time. */
    void (*apply_block)(void *context, int nv, const double *X, int64_t ldx, double *Y,
                        int64_t ldy);
    spw_cost further;

    /* values[k] becomes its sum over all that hold a part of the rows, the same bits for each: a solver calls it after
     * its own part of a dot product. NULL: this is all of A. Then n is of the part, and `first` its first row. */
    void (*sum)(void *context, int count, double *values);
    int64_t first;

    /* Frees the context. NULL: it is not the operator's. */
    void (*destroy)(void *context);
} spw_operator;

/* y = A x. */
void spw_operator_apply(const spw_operator *A, const double *x, double *y);

/* y = A x and *w_y = w . y, and *y_y = y . y unless y_y is NULL, in as few passes as the operator can. Of a part of A
 * they are that part's: spw_operator_sum. */
void spw_operator_apply_dots(const spw_operator *A, const double *x, const double *w, double *y,
                             double *w_y, double *y_y);

/* What spw_operator_apply_dots costs. w_is_x: w is the same array as x; with_y_y: y_y is not NULL. */
spw_cost spw_operator_cost_dots(const spw_operator *A, int w_is_x, int with_y_y);

/* Y = A X, for blocks as in kernels/block.h, 1 <= nv <= SPW_BLOCK_MAX. Y overlaps neither X nor room.
 *   room  [2 * n]  for one vector and its product; used where there is no apply_block, may be NULL else
 * one_by_one: not 0 takes one vector at a time in any case, to compare. */
void spw_operator_apply_block(const spw_operator *A, int nv, const double *X, int64_t ldx,
                              double *Y, int64_t ldy, double *room, int one_by_one);

/* What that costs. Without apply_block it is nv products, and 32 n bytes each of gathering and scattering. */
spw_cost spw_operator_cost_block(const spw_operator *A, int nv, int one_by_one);

/* Sums over all parts of A, where there are several. */
void spw_operator_sum(const spw_operator *A, int count, double *values);

/* What one part could not do, no part goes on with.
 *   SPW_ERR_MEMORY  mine was SPW_OK, another part's was not; else mine */
spw_status spw_operator_agree(const spw_operator *A, spw_status mine);

/* Destroys what the operator owns and sets *A to zero. Takes NULL and a zero struct. */
void spw_operator_destroy(spw_operator *A);

/* A matrix as an operator. A is kept, not copied: it must stay where it is and outlive the operator. On failure
 * *op is all zero.
 *   from_csr        by CSR
 *   in              in that format, in a copy that is the operator's own: "sdia" and "sbcsr" (formats/sdia.h and
 *                   sbcsr.h) are half of a symmetric matrix, on few diagonals or in blocks, the latter cut for as many
 *                   threads as there are now; "sell_short" is SELL-8-1 with short column indices
 *                   (formats/sell_short.h), for rows about as long as their neighbours, and "sell_sorted" the same with
 *                   rows sorted within 256, where that saves padding; "csr" is from_csr
 *   convert         in the one that is fastest for it on this machine, now: each that it allows is made and timed by
 *                   turns with the best so far, CSR at first, half storage before others, while there is time; the note
 *                   says what was found. That takes some 15 products by CSR at most, or 10 ms if those take less. Within
 *                   3 % of CSR it stays CSR. Two runs may choose two formats that are about as fast, and then differ by
 *                   rounding. Blocks of vectors are multiplied in CSR, whatever was chosen
 *   SPW_ERR_ARG     A is not square; in: there is no such format, or it is not for this matrix
 *   SPW_ERR_MEMORY  no room for the copy */
spw_status spw_operator_from_csr(const spw_csr *A, spw_operator *op);
spw_status spw_operator_in(const spw_csr *A, const char *format, spw_operator *op);
spw_status spw_operator_convert(const spw_csr *A, spw_operator *op);

/* A file in which convert looks first, and to which it adds what it measured: a line for each matrix, CPU and number
 * of threads. NULL, as at first: none. Not while another thread converts. */
void spw_operator_record(const char *path);

SPW_C_END

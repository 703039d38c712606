/* commands/peers/peer.h -- a plug-in of `make bench`: another library, in a process of its own.
 *
 * A plug-in is one file in this folder. It defines `plugin`, a table of what the library can do, and
 * is linked with peer.c, which has main. Its first lines say how it is built and started; there is no
 * list elsewhere (build.sh reads them):
 *     needs: libfoo-dev                  what to install, as Debian calls it
 *     build: $CC $OPT $OPENMP -lfoo      compiler and flags; sources and output are put in
 *     run:   mpirun -n $RANKS            in front of the program; left out: nothing
 *     ranks: threads                     processes: as many as threads; left out: 1
 *
 * The protocol: one line a request, to every rank, through a FIFO of its own, in which it sleeps;
 * one line a reply, from rank 0.
 *     hello                  ok NAME VERSION
 *     offers OP              ok METHOD METHOD/half ...     "half": stores half of a symmetric matrix
 *     matrix FILE            ok                            exchange.h
 *     make SLOT OP METHOD KEY=VALUE ...   ok               builds its own form of the matrix
 *     run SLOT CALLS         ok SECONDS NUMBERS...         seconds a call, by rank 0's clock
 *     result SLOT            ok                            Y is in the file
 *     drop SLOT              ok
 *     forget                 ok                            the matrix may go
 *     quit                   (ends)
 * A product on a device gives seconds by its clock as the one number, and that one counts.
 * or "no REASON" in the place of "ok". OP is one of
 *     spmv     Y = A X, nv=1
 *     spmm     Y = A X, nv=...
 *     spmv-cuda  Y = A X on a device
 *     gram-cuda  the first nv nv elements of Y = XᵀX on a device
 *     cg       conjugate gradients for A Y = X from zero, without a preconditioner, iterations=... of
 *              them; gives how many it did
 *     pcg      the same to ||X - A Y|| <= tolerance=... ||X||, METHOD is the preconditioner: jacobi, ic0,
 *              ilu0 (both may be of blocks, one a rank); gives how many iterations it took, and the
 *              seconds that the preconditioner's set-up took in "make"
 *     lobpcg   Y = vectors of the nv=... smallest eigenvalues from the guess X, after iterations=... of
 *              LOBPCG without a preconditioner; gives how many it did
 * or what else the two sides agree on: parameters and numbers are free. */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct peer_problem {
    int32_t n_rows, n_cols, nnz;
    int nv;                 /* columns of x and y, which are row-major */
    const int32_t *row_ptr; /* [n_rows+1] */
    const int32_t *col_idx; /* [nnz], ascending in a row */
    const double *val;      /* [nnz] */
    const double *x;        /* [n_cols * nv] */
    double *y;              /* [n_rows * nv], for results only */
    int threads;
    int rank, ranks;
    int32_t row_begin, row_end; /* of this rank; row_begin is a multiple of the block 3 x 2 */
} peer_problem;

typedef struct peer_method {
    const char *op;   /* "spmv"; NULL ends the table */
    const char *name; /* "sell" */
    int half;         /* moves less than all of A: half of it, or one index a block */
    /* Everything that need not be done again for each call. NULL after peer_refuse. */
    void *(*make)(const peer_problem *problem, const char *parameters);
    /* The work, `calls` times. Returns how many numbers it has put into numbers[8], 0 for products;
     * -1: it failed. */
    int (*run)(void *made, int calls, double *numbers);
    /* Writes this rank's rows of the result into problem->y, in the same layout as x. */
    void (*result)(void *made, const peer_problem *problem);
    void (*destroy)(void *made);
} peer_method;

typedef struct peer_plugin {
    const char *name, *version;
    void (*start)(int *argc, char ***argv); /* these three may be NULL */
    void (*barrier)(void);
    void (*finish)(void);
    const peer_method *methods;
} peer_plugin;

extern const peer_plugin plugin; /* the plug-in's */

/* Keeps the reason, as of printf, and gives NULL. Every rank must refuse, or none. */
void *peer_refuse(const char *format, ...);

/* The value of a KEY=VALUE in the parameters. */
double peer_number(const char *parameters, const char *key, double otherwise);

/* Is A = A^T to the last bit? Serial, O(nnz log). */
int peer_is_symmetric(const peer_problem *problem);

/* "3.18.5" from the numbers of a library's header. */
#define PEER_TEXT_(x)         #x
#define PEER_TEXT(x)          PEER_TEXT_(x)
#define PEER_VERSION(a, b, c) PEER_TEXT(a) "." PEER_TEXT(b) "." PEER_TEXT(c)

SPW_C_END

/* Exercise 26: what distributed.c must define, and what each rank is given. The ranks take turns in one process, so static
 * variables are common to all of them. make solve-26 compiles it with the <mpi.h> of a real MPI in the place of ours. */
#pragma once

#include "base/index.h"
#include "ranks/include/mpi.h"

#include <stdint.h>

/* --- predict --------------------------------------------------------------------------------------- */

/* The messages of one exchange, of the stencil with 27 points: before a product each rank gets the entries of x that its
 * rows need and others have, 8 bytes each. What one rank needs of another comes in one message. */
typedef struct exchange {
    int64_t messages, bytes;           /* that all ranks send, together */
    int64_t most_messages, most_bytes; /* that the rank with the most neighbours sends */
} exchange;

/* P slabs: each rank has whole planes of k x k points, at least one, and neighbours above and below. */
exchange slab_exchange(int k, int P);

/* Cubes of b x b x b points, one a rank; there are p[0] x p[1] x p[2] of them, each p at least 1. */
exchange block_exchange(int b, const int p[3]);

typedef struct network {
    double L; /* s       latency, from one end to the other */
    double
        o; /* s       of a rank's own time for each post of a message, and for each wait for one */
    double B; /* byte/s  of a rank's link, each way */
} network;

/* What the rank with the most neighbours does in one iteration of preconditioned CG. */
typedef struct work {
    double t_local,
        t_rest; /* s  the product with its own entries of x; all else that it computes */
    int64_t messages, bytes; /* that it sends in an exchange; as many come to it */
} work;

/* Seconds of an iteration on P ranks: an exchange that goes on while the product with own entries is computed, and two
 * reductions, one of one number, one of two. A reduction of m numbers takes ceil(log2 P) (L + 2 o + 8 m / B). */
double iteration_time(network N, work W, int P);

/* --- given ----------------------------------------------------------------------------------------- */

/* The rows of this rank. It is read only. */
typedef struct rows {
    int rank, ranks; /* this one, and how many there are: those of MPI_COMM_WORLD */
    const int64_t *
        first; /* [ranks+1] rank r has rows first[r] .. first[r+1]-1 of the matrix; there may be none */
    spw_idx n;             /* rows of this rank, first[rank+1] - first[rank] */
    spw_idx n_ghosts;      /* columns that these rows need and other ranks have */
    const int64_t *ghosts; /* [n_ghosts] their numbers in the matrix, ascending, each once */
} rows;

/* Who sends what in an exchange, as this rank sees it. Arrays with a length below are there before halo_plan. */
typedef struct halo {
    int n_to,
        n_from; /* messages that it sends, and that come to it: one for each rank that is concerned */
    int *to, *from;    /* [ranks] the ranks that they go to, and come from, ascending */
    spw_idx *to_ptr;   /* [ranks+1] to[k] gets the entries to_ptr[k] .. to_ptr[k+1]-1 of to_rows */
    spw_idx *from_ptr; /* [ranks+1] from[k] sends the ghosts from_ptr[k] .. from_ptr[k+1]-1 */
    spw_idx
        *to_rows; /* own rows, 0 .. n-1, whose x is sent, ascending for each rank: see halo_room */
    double *buffer;        /* as long as to_rows: for what is sent */
    MPI_Request *requests; /* [2 ranks] */
} halo;

/* Gives h->to_rows and h->buffer so many entries. Once in a halo_plan. */
void halo_room(halo *h, spw_idx entries);

/* y = A x with the columns of this rank alone, x [n], y [n]; and y += A x with the ghosts alone, which are
 * x[n] .. x[n + n_ghosts - 1]. */
void multiply_local(const rows *R, const double *x, double *y);
void multiply_ghosts(const rows *R, const double *x, double *y);

/* --- for you: MPI_Init was called, MPI_Finalize will be -------------------------------------------- */

/* Fills *h, for any pattern: the ghosts say what this rank needs, and the other ranks have to be told. A rank that needs
 * something of this one may have nothing that this one needs. */
void halo_plan(const rows *R, halo *h);

/* y = A x. The messages are on their way while multiply_local runs.
 *   x  [n + n_ghosts]  own entries, then room for ghosts: they hold those of another x on entry
 *   y  [n]             overwritten */
void multiply(const rows *R, const halo *h, double *x, double *y);

/* sums[0] = x . y and sums[1] = u . v, over all ranks, on all ranks, in one reduction. n is this rank's, and may be 0. */
void two_dots(spw_idx n, const double *x, const double *y, const double *u, const double *v,
              double sums[2]);

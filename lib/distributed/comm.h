/* distributed/comm.h -- the few things that the library asks of MPI. comm_mpi.c is the only file that knows it; with
 * comm_none.c there is one rank.
 *
 *     spw_comm c;
 *     if (spw_comm_start(&argc, &argv, &c)) ...
 *     spw_comm_sum(&c, 2, sums);
 *     spw_comm_end(&c);
 *
 * All calls but start and end are collective where nothing else is said. What goes wrong inside MPI ends all
 * ranks, by MPI's own error handler. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_comm {
    int rank, size;
} spw_comm;

/* Who sends what to whom: rank to[k] gets elements to_ptr[k] .. to_ptr[k+1]-1 of what is sent, and what comes from rank
 * from[k] goes to from_ptr[k] .. from_ptr[k+1]-1. */
typedef struct spw_pairs {
    int n_to, n_from;
    int *to, *from;             /* [n_to], [n_from] ascending */
    spw_idx *to_ptr, *from_ptr; /* [n_to+1], [n_from+1] */
} spw_pairs;

/* Of messages on their way. All zero: there are none. */
typedef struct spw_transfer {
    int n;
    void *requests;
} spw_transfer;

/* Before argc and argv are looked at.
 *   SPW_ERR_UNAVAILABLE  started by mpirun or srun as several ranks, but built without MPI, or as several programs of
 *                        one rank each, as srun does with the wrong PMI: each would solve all of it */
spw_status spw_comm_start(int *argc, char ***argv, spw_comm *c);
void spw_comm_end(spw_comm *c);

/* How many processes the launcher, mpirun or srun, says that it started, and which of them this is; 1 and 0 without
 * one. So a program that MPI leaves alone knows better, and one of them speaks: then c->rank is this number. */
int spw_comm_launched(int *rank);

/* All ranks end, at once, with that exit status. Not collective. */
void spw_comm_abort(int status);

/* values[k] becomes the sum, or the largest, over all ranks: the same bits on each of them. */
void spw_comm_sum(const spw_comm *c, int count, double *values);
void spw_comm_max(const spw_comm *c, int count, double *values);

/* Where any rank has an error, all have one. Its message is that of the lowest rank that has one. */
spw_status spw_comm_agree(const spw_comm *c, spw_status mine);

/* Rank r gets all[first[r]] .. all[first[r+1]-1] of rank 0; the others' all is not looked at. Elements of 4 bytes,
 * integers, or of 8, doubles. first: [size+1], differences and ends below 2^31. */
void spw_comm_deal(const spw_comm *c, int element, const void *all, const int64_t *first,
                   void *mine);

/* from[r] = to[of this rank] of rank r. [size] each. */
void spw_comm_tell_counts(const spw_comm *c, const int *to, int *from);

/* Begins: receives are posted before sends. Neither array may be touched before finish. Elements are `width`
 * doubles, or a 64-bit integer. room for the requests is kept in *t over calls; spw_transfer_destroy frees it. */
spw_status spw_transfer_create(const spw_pairs *p, spw_transfer *t);
void spw_transfer_begin(const spw_pairs *p, int width, const double *sent, double *received,
                        spw_transfer *t);
void spw_transfer_begin_numbers(const spw_pairs *p, const int64_t *sent, int64_t *received,
                                spw_transfer *t);
void spw_transfer_finish(spw_transfer *t);
void spw_transfer_destroy(spw_transfer *t);

/* What this rank has done so far, as MPI was asked for it: counted by PMPI, count_mpi.c. All zero without MPI. */
typedef struct spw_traffic {
    double messages, bytes, sums;        /* sent to another rank; Allreduce of any kind */
    double message_seconds, sum_seconds; /* inside these calls, and waiting */
} spw_traffic;
spw_traffic spw_comm_traffic(void);

SPW_C_END

#include "distributed/comm.h"

#include "base/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 1 };

spw_status spw_comm_start(int *argc, char ***argv, spw_comm *c) {
    int provided;
    *c = (spw_comm){.size = 1};
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &c->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c->size);
    const int launched = c->size > 1 ? 1 : spw_comm_launched(&c->rank);
    if (launched == 1) return SPW_OK;
    return spw_error(
        SPW_ERR_UNAVAILABLE, "%d programs of one rank each were started, not one of %d: %s",
        launched, launched,
        getenv("SLURM_STEP_ID")
            ? "try srun --mpi=pmix or --mpi=pmi2 (srun --mpi=list shows what there is; "
              "exercises/cluster.md)"
            : "mpirun is of another MPI than this program");
}

void spw_comm_end(spw_comm *c) {
    MPI_Finalize();
    *c = (spw_comm){0};
}

void spw_comm_abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

void spw_comm_sum(const spw_comm *c, int count, double *values) {
    if (c->size > 1)
        MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void spw_comm_max(const spw_comm *c, int count, double *values) {
    if (c->size > 1)
        MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* The status travels in front of its words. */
spw_status spw_comm_agree(const spw_comm *c, spw_status mine) {
    char told[1024];
    int stopped = mine ? c->rank : c->size;
    if (c->size > 1) MPI_Allreduce(MPI_IN_PLACE, &stopped, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (stopped == c->size || c->size == 1) return mine;
    told[0] = (char)mine;
    snprintf(told + 1, sizeof told - 1, "%s", spw_message());
    MPI_Bcast(told, sizeof told, MPI_CHAR, stopped, MPI_COMM_WORLD);
    return spw_error((spw_status)told[0], "%s", told + 1);
}

void spw_comm_deal(const spw_comm *c, int element, const void *all, const int64_t *first,
                   void *mine) {
    const MPI_Datatype type = element == 8 ? MPI_DOUBLE : MPI_INT;
    int counts[c->size], from[c->size];
    for (int r = 0; r < c->size; r++) {
        from[r] = (int)first[r];
        counts[r] = (int)(first[r + 1] - first[r]);
    }
    MPI_Scatterv(all, counts, from, type, mine, counts[c->rank], type, 0, MPI_COMM_WORLD);
}

void spw_comm_tell_counts(const spw_comm *c, const int *to, int *from) {
    (void)c;
    MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
}

spw_status spw_transfer_create(const spw_pairs *p, spw_transfer *t) {
    MPI_Request *requests;
    *t = (spw_transfer){0};
    const spw_status status = SPW_ALLOC(&requests, p->n_from + p->n_to);
    if (!status) t->requests = requests;
    return status;
}

static void begin(const spw_pairs *p, int width, const void *sent, void *received,
                  MPI_Datatype type, spw_transfer *t) {
    MPI_Request *next = t->requests;
    for (int k = 0; k < p->n_from; k++)
        MPI_Irecv((char *)received + 8 * (int64_t)width * p->from_ptr[k],
                  width * (p->from_ptr[k + 1] - p->from_ptr[k]), type, p->from[k], TAG,
                  MPI_COMM_WORLD, next++);
    for (int k = 0; k < p->n_to; k++)
        MPI_Isend((const char *)sent + 8 * (int64_t)width * p->to_ptr[k],
                  width * (p->to_ptr[k + 1] - p->to_ptr[k]), type, p->to[k], TAG, MPI_COMM_WORLD,
                  next++);
    t->n = p->n_from + p->n_to;
}

void spw_transfer_begin(const spw_pairs *p, int width, const double *sent, double *received,
                        spw_transfer *t) {
    begin(p, width, sent, received, MPI_DOUBLE, t);
}

void spw_transfer_begin_numbers(const spw_pairs *p, const int64_t *sent, int64_t *received,
                                spw_transfer *t) {
    begin(p, 1, sent, received, MPI_INT64_T, t);
}

void spw_transfer_finish(spw_transfer *t) {
    for (MPI_Request *next = t->requests; t->n; t->n--) MPI_Wait(next++, MPI_STATUS_IGNORE);
}

void spw_transfer_destroy(spw_transfer *t) {
    spw_free(t->requests);
    *t = (spw_transfer){0};
}

/* commands/bench/peers.h -- other libraries in the contest: each is a worker, a process of its own.
 *
 * Workers are built by lib/commands/peers/build.sh, which leaves a list of them in a folder. They are
 * started when first needed, get a matrix through shared memory, have their result compared with
 * A x, or what else is right, and then sleep until they are asked for a sample (commands/peers/peer.h has the protocol).
 * One that is wrong, dies or does not answer is said so, in one line, and is not timed; the others go
 * on. NULL stands for no peers. */
#pragma once

#include "commands/bench/contest.h"

typedef struct peers peers;

/* Reads FOLDER/list and says which peers there are and which not, and why. *set is NULL if there are
 * none. limit: seconds to wait for an answer. 0 or 1. */
int peers_open(const char *folder, int threads, double limit, peers **set);

/* Ends them all. Takes NULL. */
void peers_close(peers *set);

/* What they are asked to do with A. */
typedef struct peers_job peers_job;
struct peers_job {
    const char *op;         /* as in commands/peers/peer.h */
    const char *parameters; /* "iterations=20"; NULL: none but nv */
    const spw_csr *A;
    int nv;
    const double *x;      /* X, [n_cols * nv] row-major, as Y */
    double bytes, flops;  /* of a call as CSR has it */
    const void *expected; /* for is_right */
    bool by_device;       /* the one number is its seconds, as of a product on a device */
    /* Is Y right, with the numbers [8] that the worker gave? `text` says what is wrong with it, or else
     * what is to stand beside its time; numbers are kept in the runner, with what is written to them.
     * NULL: the job is a product, Y = A X. */
    bool (*is_right)(const peers_job *job, const double *y, double *numbers, char text[BENCH_TEXT]);
};

/* Enters all that can do that. They stay prepared until peers_leave. */
void peers_enter_job(peers *set, contest *run, const peers_job *job);

/* The same for products: "spmv", "spmm". */
void peers_enter(peers *set, contest *run, const char *op, const spw_csr *A, int nv,
                 const double *x, double bytes, double flops);

/* Drops what they hold of the matrix. */
void peers_leave(peers *set);

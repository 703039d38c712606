/* ranks/ranks.h -- the ranks of an MPI program as fibers of one process, judged and timed on a modelled network.
 *
 *     const spw_ranks_options options = {.ranks = 4, .cluster = clusters[0]};
 *     spw_status status = spw_ranks_run(&options, body, argument, &result);
 *     if (spw_ranks_finding_count()) puts(spw_ranks_findings());
 *
 * body(rank, argument) is called once for each rank. What it calls is ranks/include/mpi.h, of which one run at a time
 * holds the state. No MPI is needed, and runs are deterministic: a rank runs until it has to wait.
 *
 * Strict, as the standard allows an MPI to be: a send is complete when its receive has matched. A message is handed
 * over at the receiver's wait; until then its buffer holds NaN that carry the line of the call (integers: 0xA5 in
 * every byte), and both sides' buffers are compared at their waits with what they were.
 *
 * The clock is modelled, never measured. t: of a rank; link: when its link is free.
 *   a call that posts a message      t += o
 *   a message                        start = max(t of both posts, link of the sender); link = start + bytes / B;
 *                                    arrival = max(link of the sender + L, link of the receiver + bytes / B)
 *   a wait for it                    t = max(t, arrival) + o (the sender's: start + bytes / B)
 *   a collective of P ranks          t = the latest t + ceil(log2 P) (L + 2 o + bytes / B)
 *   spw_ranks_charge(seconds)        t += seconds; a program's own loops are free
 * Messages are taken to move while a rank computes, links have no contention beyond their two ends. The terms are
 * those of LogGP (A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, J. Parallel Distrib. Comput. 44(1), 71-79, 1997,
 * doi:10.1006/jpdc.1997.1346) with one gap an end. */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPW_RANKS_MOST = 4096, SPW_CLUSTERS = 2 };

typedef struct spw_cluster {
    char name[16];
    double latency;          /* L, seconds from end to end */
    double overhead;         /* o, seconds of a rank's own time for each call */
    double bandwidth;        /* B, bytes a second of a link */
    double memory_bandwidth; /* b, bytes a second of a rank: for who charges loops */
} spw_cluster;

/* The two of exercises/26-distributed/clusters.tsv, or of the file that the environment's CLUSTERS names.
 *   SPW_ERR_FILE    it cannot be opened
 *   SPW_ERR_FORMAT  it has something else */
spw_status spw_clusters_read(spw_cluster of[SPW_CLUSTERS]);

typedef struct spw_ranks_options {
    int ranks;       /* 1 .. SPW_RANKS_MOST */
    bool descending; /* the highest rank runs first */
    int order; /* 0: a receive from any rank takes the message that comes first. Else it waits until nothing else
                           * moves, and takes one of all that fit: 1 of the lowest rank, 2 of the highest, 3, 4, ... of
                           * all by turns, from the second on, the third, ... */
    size_t stack;        /* bytes of stack a rank; 0: 8 MiB. Only what is touched takes memory */
    spw_cluster cluster; /* without a bandwidth: messages take no time */
} spw_ranks_options;

typedef struct spw_ranks_result {
    double seconds;                    /* modelled, of the rank that ends last */
    int64_t messages, bytes;           /* of all ranks; what collectives send is not among them */
    int64_t most_messages, most_bytes; /* of the rank that sends most of them */
    int64_t collectives;               /* that all ranks of a communicator took part in */
    int64_t from_any;                  /* receives from any rank, and probes for them */
    int most_senders; /* whose messages one of these could have taken; 0 with order 0 */
    int aborted;      /* 1: by MPI_Abort, 0: not; its code is in abort_code */
    int abort_code;
} spw_ranks_result;

/* SPW_ERR_ARG: ranks; SPW_ERR_MEMORY: no room. Else SPW_OK, whatever was found. The first finding ends all ranks. */
spw_status spw_ranks_run(const spw_ranks_options *options, void (*body)(int rank, void *argument),
                         void *argument, spw_ranks_result *result);

/* Of the last run, until the next: how many, and their text, "" if there are none. */
int spw_ranks_finding_count(void);
const char *spw_ranks_findings(void);

/* Of the last run with an order: the first choices it made, a line each; and what it left to chance. "" if nothing. */
const char *spw_ranks_choices(void);
const char *spw_ranks_doubt(void);

/* The rank that runs now, -1: none does. And where its last call of MPI stands: "MPI_Recv, x.c:12", "" if none. */
int spw_ranks_current(void);
const char *spw_ranks_last_call(void);

/* Seconds of modelled time for the rank that runs, and what its clock says. */
void spw_ranks_charge(double seconds);
double spw_ranks_clock(void);

/* The line of the call whose message had not been waited for when x was read; 0: x is another number. */
int spw_ranks_unread_line(double x);

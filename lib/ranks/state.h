/* ranks/state.h -- what the files of lib/ranks share: ranks, communicators, requests and meetings of one run. */
#pragma once

#include "ranks/include/mpi.h"
#include "ranks/ranks.h"
#include "simt/fiber.h"

#undef exit

/* Where a call stands. */
typedef struct spw_ranks_site {
    const char *file;
    int line;
    const char *call; /* "MPI_Recv" */
} site;

typedef enum element_kind { SIGNED, UNSIGNED, REAL, PAIR } element_kind;

typedef struct datatype {
    const char *name;
    int size;
    element_kind element;
} datatype;

struct meeting;

typedef struct communicator {
    MPI_Comm handle;
    site made;
    int n;
    int *world;   /* [n] its ranks, in the numbers of MPI_COMM_WORLD */
    int *number;  /* [ranks of the run] the number of each in it, -1: none */
    int *entered; /* [n] collectives that each has called */
    bool *freed;  /* [n] */
    struct meeting *meetings;
    int **graph_from, **graph_to; /* [n] of a graph: neighbours of each, NULL: it is none */
    int *n_from, *n_to;
} communicator;

typedef enum request_kind { NOTHING, SEND, RECEIVE, COLLECTIVE } request_kind;

typedef struct request {
    MPI_Request handle;
    request_kind kind;
    int owner, peer; /* ranks of the world; peer may be MPI_ANY_SOURCE or MPI_PROC_NULL */
    int tag;
    communicator *comm;
    char *data;
    const datatype *type;
    size_t bytes;
    site posted;
    bool persistent, blocking, released;
    bool active;          /* posted, and not yet waited for */
    bool done;            /* what it waits for has happened: matched, or all have met */
    struct request *with; /* of a pair that matched, until one of both is waited for */
    char *stash;          /* of a receive: the data, where the sender is waited for first */
    char *before;         /* of a receive that is not blocking: what the buffer held */
    uint64_t sum;         /* of a send's data */
    double at, arrival;   /* modelled time of the post, and of the end */
    int from, got_tag;    /* of a receive that matched; from in numbers of comm */
    size_t got;
    struct meeting *meeting;
    int contest; /* of lib/ranks/chance.c, 0: none */
    struct request
        *next; /* in the queue of posted receives or of sends that none has met; or of free ones */
    struct request *next_active;
} request;

typedef enum collective_kind {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    SCAN,
    EXSCAN,
    GATHER,
    ALLGATHER,
    SCATTER,
    ALLTOALL,
    NEIGHBOURS,
    DUP,
    SPLIT,
    GRAPH,
    FINALIZE
} collective_kind;

/* What one rank hands to a collective. Counts: one number, or an array where ns_ is not NULL. */
enum { POISON = 0xA5 }; /* in every byte of what has not been waited for */

typedef struct part {
    bool here, poisoned; /* poisoned: so out is until the wait */
    site where;
    double at;
    const char *in;
    char *out;
    int n_in, n_out;
    const int *ns_in, *first_in, *ns_out, *first_out;
    const datatype *type_in, *type_out;
    int op, root, colour, key;
    char *result; /* its blocks without gaps, copied to out when it goes on; NULL: nothing is */
    communicator *made;
} part;

typedef struct meeting {
    communicator *comm;
    int sequence;
    collective_kind kind;
    bool blocking;
    int arrived, left;
    bool done;
    double at;    /* modelled time at which all go on */
    char *shared; /* the result of a reduction: of all ranks that get it */
    part *parts;  /* [comm->n] */
    struct meeting *next;
} meeting;

typedef enum rank_state { READY, WAITING, ENDED } rank_state;

typedef struct rank {
    int number;
    rank_state state;
    spw_fiber *fiber;
    site last, final; /* its last call, and MPI_Finalize */
    bool initialised, finalised;
    double clock, link_out, link_in;
    int64_t messages, bytes;
    request *posted, *unmet; /* receives at this rank, and sends to it, that have not matched */
    request *active;         /* its own */
    /* what it waits for, for who asks why nothing moves */
    request *for_request;
    meeting *in_meeting;
    bool probing;
    int probe_from, probe_tag;
    communicator *probe_comm;
    bool chosen;  /* with an order: it may probe a message of any rank now */
    int64_t mark; /* with this mark, offer is one of the messages that chance.c chooses from */
    request *offer;
} rank;

typedef struct engine {
    spw_ranks_options options;
    void (*body)(int, void *);
    void *argument;
    spw_fiber_pool pool;
    spw_fiber main;
    rank *ranks;
    int n;
    rank *now;    /* NULL: none runs */
    rank **queue; /* [n + 1] a ring of those that are ready */
    int head, tail;
    bool stopped;
    bool large_tag;   /* was told */
    int64_t progress; /* matches, meetings, ends: what a test that fails waits for */
    int64_t idle_tests, progress_at_test;
    communicator **comms;
    int n_comms;
    request **requests; /* all that there are */
    int n_requests, room_requests;
    request *free_requests;
    int64_t collectives, from_any, marks;
    int choices, most_senders;
    int aborted, abort_code;
} engine;

extern engine *spw_ranks_engine;
#define E spw_ranks_engine

/* --- run.c: fibers ----------------------------------------------------------------------------------- */

/* The rank that runs goes on when somebody wakes it, or behind all that are ready. */
void spw_ranks_wait(void);
void spw_ranks_yield(void);
void spw_ranks_wake(int rank);

/* Memory for a run; without it the run ends with that finding. */
void *spw_ranks_room(size_t count, size_t size);

/* Ends the run, from any rank. */
void spw_ranks_stop(void) __attribute__((noreturn));

/* The rank that calls; checks that it may: after MPI_Init, before MPI_Finalize. */
rank *spw_ranks_me(void);

/* --- told.c: what is found ---------------------------------------------------------------------------- */

void spw_ranks_tell_nothing(void);
/* Tells, and goes on. fail: and ends the run. */
void spw_ranks_find(const char *format, ...) SPW_PRINTF(1, 2);
void spw_ranks_fail(const char *format, ...) SPW_PRINTF(1, 2) __attribute__((noreturn));
void spw_ranks_find_deadlock(void);
/* "MPI_Recv (x.c:12)", in one of eight places that take turns. */
const char *spw_ranks_where(site s);

/* --- comm.c: handles ---------------------------------------------------------------------------------- */

communicator *spw_ranks_comm(MPI_Comm handle);
const datatype *spw_ranks_type(MPI_Datatype type);
communicator *spw_ranks_make_comm(int n, const int *world);
void spw_ranks_destroy_comm(communicator *c);
bool spw_ranks_combine(MPI_Op op, const datatype *type, char *to, const char *with, size_t count);
size_t spw_ranks_bytes(int count, const datatype *type);

/* --- point.c: messages -------------------------------------------------------------------------------- */

request *spw_ranks_new_request(request_kind what);
void spw_ranks_activate(request *q);
void spw_ranks_end_request(
    request *q);                    /* waited for: off its owner's list, free unless persistent */
void spw_ranks_check_left(rank *r); /* at the end of a rank: what was never waited for */
bool spw_ranks_matches(const request *receive, const request *send);
void spw_ranks_match(request *send, request *receive);

/* --- chance.c: receives from any rank ------------------------------------------------------------------ */

void spw_ranks_forget_chances(void);
/* With an order: is nothing left to choose about these two? */
bool spw_ranks_bound(const request *send, const request *receive);
/* Nothing else moves: one receive takes a message. false: none can. */
bool spw_ranks_choose(void);
/* One of the messages to this rank that fit a probe now, NULL: none. */
const request *spw_ranks_pick(const rank *to, const request *wanted);
void spw_ranks_took(const request *receive, bool asked);

/* --- meet.c: collectives ------------------------------------------------------------------------------ */

void spw_ranks_finish_meeting(
    request *q); /* a request of one that is done: hands the result over */
void spw_ranks_free_meetings(communicator *c);
meeting *spw_ranks_meet(communicator *c, collective_kind kind, const part *mine, bool blocking);

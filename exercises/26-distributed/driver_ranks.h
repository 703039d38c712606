/* driver_ranks.h -- the ranks of exercise 26 in one process: their rows, the room that the answer has, and one run of
 * them by lib/ranks, with what distributed.h gives. One crew at a time is run.
 *     crew C;
 *     if (!crew_of_matrix(A, 4, 0, &C)) crew_run(&C, body, argument, cluster, false, &result);
 *     crew_close(&C);                          C.trouble: what was found, or ""
 */
#pragma once

#include "distributed.h"

#include "distributed/rows.h"
#include "kit/kit.h"
#include "ranks/ranks.h"

enum { TROUBLE = 1000 };

typedef struct member {
    rows R;        /* the first: what the answer gets is its address */
    spw_rows part; /* of a matrix: with the rows; of boxes the ghosts alone */
    bool computes;
    double t_local, t_ghosts, t_vectors; /* s, charged */
    halo h;
    int64_t room;  /* entries that halo_room gave */
    double *x, *y; /* [n + n_ghosts], [n] */
} member;

/* An array that the answer has. Where values are checked a page that must stay as it is lies behind its end, and a closed
 * one behind that. */
typedef struct block {
    char *at, *end;
    size_t size; /* 0: of malloc */
    const char *name;
    int rank;
} block;

typedef struct crew {
    int P;
    int64_t *first;
    member *of; /* [P] */
    block *blocks;
    int n_blocks, room_blocks;
    exchange least; /* of one exchange */
    char trouble[TROUBLE];
} crew;

/* A cut into P equal shares of rows; unequal: the k-th is about k times as large as the first one. SPW_ERR_MEMORY */
spw_status crew_of_matrix(const spw_csr *A, int P, bool unequal, crew *C);

/* Boxes of edge[0] x edge[1] x edge[2] points, box after box, on a grid of them; nothing is computed, but charged as
 * bytes by c->memory_bandwidth. SPW_ERR_MEMORY */
spw_status crew_of_boxes(const int edge[3], const int grid[3], const spw_cluster *c, crew *C);

/* The right plan of every rank, in the place of halo_plan. */
void crew_plan(crew *C);

/* c NULL: messages take no time. True: it went to its end and nothing was found. */
bool crew_run(crew *C, void (*body)(int, void *), void *argument, const spw_cluster *c,
              bool descending, spw_ranks_result *result);
void crew_close(crew *C);

/* The first one is kept. */
#define crew_trouble(C, ...) spw_kit_first((C)->trouble, TROUBLE, __VA_ARGS__)

/* The least exchange of boxes, rank by rank and direction by direction. */
exchange boxes_exchange(const int edge[3], const int grid[3]);

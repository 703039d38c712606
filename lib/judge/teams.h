/* judge/teams.h -- counts what a call does with OpenMP's threads: facts that no clock tells.
 *
 * A judge has entries of gcc's OpenMP library (libgomp) under their own names. What it loads finds these first; they
 * count, and hand over to the library. Another runtime, as clang's, is not counted: then all is 0. */
#pragma once

typedef struct spw_teams {
    volatile long regions; /* parallel regions of several threads that were begun */
    volatile long
        undivided;        /* of those: no thread asked for its number, nor for a share of a loop */
    volatile long chunks; /* of schedule(dynamic): handed out one after the other */
    volatile long chunk;  /* iterations of one of them */
    volatile int team;    /* threads that the last region was to have */
} spw_teams;

/* From here on what this process has loaded is counted into *teams, which is set to zero; NULL: no more. *teams may be
 * memory that another process reads, should the call not come back. */
void spw_teams_count(spw_teams *teams);

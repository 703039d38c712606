/* judge/races/races.h -- finds data races of an answer: every run finds the same ones.
 *
 * The answer is compiled a second time (races.sh), by gcc at -O0 with a callback at every access of memory, and linked
 * with an OpenMP runtime of our own instead of libgomp (gomp.c): its threads are fibers of one thread of the system,
 * switched where OpenMP lets threads wait for each other. So nothing depends on the clock or the number of processors.
 * Accesses (accesses.c) are compared by order, not by time: two threads touch the same place, one of them writes, and
 * no barrier, lock or task lies between. That is a race, whoever came first and whatever came out.
 *
 * Order is kept as vector clocks: C. Flanagan, S. N. Freund: FastTrack: efficient and precise dynamic race detection,
 * PLDI 2009. What the library does when the answer calls it is not seen, nor what the answer does outside of parallel
 * regions, where there is one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPW_RACES_THREADS = 130 }; /* the most that a team has */

/* An access. */
typedef struct spw_racer {
    uint32_t place, caller; /* in the object file, for addr2line; of its function, the call */
    int thread;
    bool writes, atomic;
} spw_racer;

/* How to run, and the first mistake that was found. */
typedef struct spw_races {
    int threads;
    bool descending; /* the last thread goes first */
    int64_t most;    /* accesses; what comes after is not looked at */
    enum { SPW_RACES_NONE, SPW_RACES_RACE, SPW_RACES_BOUNDS } found;
    spw_racer who[2]; /* [0] came first */
    const void *address;
    size_t size;
    bool undivided; /* of SPW_RACES_RACE: each thread of that region did all of it */
    /* of SPW_RACES_BOUNDS */
    char file[128], type[64]; /* "'double [4]'" */
    int line;
    int64_t index;
    /* of SPW_RACES_RACE, by the judge: the array of the case that holds the address, or "", and all of them */
    char array[32], arrays[256];
} spw_races;

/* In the object: from now on, until NULL is given. */
typedef void spw_races_watch_function(spw_races *races);
void spw_races_watch(spw_races *races);

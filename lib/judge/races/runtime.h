/* judge/races/runtime.h -- what gomp.c and accesses.c share. */
#pragma once

#include "judge/races/races.h"

/* A vector clock: of each thread, how much of it came before. */
typedef struct clocks {
    uint32_t of[SPW_RACES_THREADS];
} clocks;

void clocks_join(clocks *into, const clocks *from);

extern spw_races *races; /* NULL: nobody watches */

/* --- gomp.c: the thread that runs ------------------------------------------------------------------ */

extern bool in_region; /* of two threads or more, on the thread of the system that has the fibers */
int running(void);     /* its number */
clocks *running_clocks(void);
bool on_own_stack(const void *address);
void let_others_run(void);

/* --- accesses.c ------------------------------------------------------------------------------------ */

/* The clock of a lock, or of an atomic variable: what came before it was last given free. */
clocks *clocks_at(const void *address);
void acquire(const void *address);
void release(const void *address);
void accesses_begin(void); /* of a region */

/* kit/pages.h -- who comes to the pages of an array first, and how often they are fetched.
 *
 * Both are seen on any machine, without NUMA, counters or a clock: all pages are made inaccessible, an access to
 * one is caught as a signal and noted, and the page is opened.
 *
 * First touch: on a machine with several NUMA nodes a page lies in the memory of the core that writes it first.
 *     spw_pages watch;
 *     if (spw_pages_create(1, 64 * threads, 0, threads, &watch)) ...
 *     spw_pages_begin(&watch);
 *     init(watch.n, watch.vector[0], 1.0);
 *     spw_pages_end(&watch);               watch.owner[p] is the number of the thread that took page p
 *     spw_pages_destroy(&watch);
 * The numbers hold from one parallel region to the next as long as the teams have the same size: GNU's and LLVM's
 * OpenMP both hand the same threads out in the same order.
 *
 * Passes: two loops over the same long vectors fetch them twice; one loop, or blocks of them that fit a cache, once.
 * So only some pages of each vector are open at a time, and the one opened first is closed again. It is the model of
 * a cache that holds 64 KB of each vector:
 *     if (spw_pages_create(2, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch)) ...
 *     spw_pages_begin(&watch);
 *     scal(watch.n, 2.0, watch.vector[0]);
 *     sum = dot(watch.n, watch.vector[0], watch.vector[1]);
 *     spw_pages_end(&watch);               watch.passes is 2, 1 */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

enum { SPW_PAGES_VECTORS = 8, SPW_PAGES_OF_PASSES = 128, SPW_PAGES_IN_CACHE = 16 };
enum { SPW_PAGES_NOBODY = -1, SPW_PAGES_STRANGER = -2 };

typedef struct spw_pages {
    int vectors, threads;
    int64_t pages, n;                  /* of each vector */
    double *vector[SPW_PAGES_VECTORS]; /* [n] each, page after page; to be filled before begin */

    /* after end */
    int *
        owner; /* [pages * vectors] vector after vector: the number of the thread that came first, or NOBODY, or
                 * STRANGER, a thread that is not of the team */
    double passes
        [SPW_PAGES_VECTORS]; /* how often each was fetched, to the nearest half; 0: not at all */

    /* internal */
    int64_t page_size, open_at_a_time, fetched[SPW_PAGES_VECTORS];
    int64_t
        *queue; /* [open_at_a_time * vectors] the pages that are open, where they may not be all */
    char *open; /* [pages * vectors] is it? */
    int *task;  /* [threads] the system's number of each thread of the team */
    int threads_before, first; /* first: the system's number of the thread that came first at all */
    bool several;              /* and another one had to wait for a page, too */
} spw_pages;

/* Vectors of zeros. open_at_a_time: pages of each vector, 0 for all. On failure *watch is all zero.
 *   SPW_ERR_ARG     vectors is not 1 .. SPW_PAGES_VECTORS, pages or threads < 1, open_at_a_time < 0
 *   SPW_ERR_MEMORY  no room */
spw_status spw_pages_create(int vectors, int64_t pages, int64_t open_at_a_time, int threads,
                            spw_pages *watch);

/* Sets the number of OpenMP's threads, closes all pages and watches. One watch at a time in a process. Signals that
 * are not about the watched memory reach the handler that was there before. */
void spw_pages_begin(spw_pages *watch);

/* Opens all pages, puts the former handler and number of threads back, and fills in the results. */
void spw_pages_end(spw_pages *watch);

/* The one thread that came first to all pages that were touched, or -1 if there are several or none. */
int spw_pages_only_owner(const spw_pages *watch);

/* Who does the work? Calls work on an array of spw_pages_shared(threads) zeros, 16 pages a thread, three times at most,
 * as a dynamic schedule may give all to one. *only: the thread that alone came to closed pages in each of them, or -1.
 * Threads that deal out rows by turns share each page, and one may always be first: so only a page a thread is open at
 * a time, and the others come to a closed one soon.
 *   the errors of spw_pages_create; *only is -1 then */
int64_t spw_pages_shared(int threads);
spw_status spw_pages_sole_owner(int threads, void (*work)(void *context, double *array),
                                void *context, int *only);

/* Takes NULL and zero. */
void spw_pages_destroy(spw_pages *watch);

SPW_C_END

/* kit/passes.h -- how often a kernel fetches each of its vectors: has it fused its loops?
 *
 * Two loops over the same long vectors fetch them twice; one loop, or blocks of them that fit a cache, once.
 * Here that is counted on any machine, without counters: all pages of the vectors are made inaccessible, the
 * first access to a page is caught as a signal, noted, and the page is opened; but of each vector only
 * SPW_PASSES_OPEN pages are open at a time, and the one opened first is closed again. So a page that is read
 * a second time, after the rest of the vector, is fetched a second time:
 *     spw_passes watch;
 *     if (spw_passes_create(2, &watch)) ...
 *     spw_passes_begin(&watch);                      one thread from here on
 *     scal(watch.n, 2.0, watch.vector[0]);
 *     sum = dot(watch.n, watch.vector[0], watch.vector[1]);
 *     spw_passes_end(&watch);                        watch.passes is 2, 1
 *     spw_passes_destroy(&watch);
 * It is the model of a cache that holds 64 KB of each vector: the same on every machine. */
#ifndef SPW_KIT_PASSES_H
#define SPW_KIT_PASSES_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPW_PASSES_VECTORS = 8, SPW_PASSES_PAGES = 128, SPW_PASSES_OPEN = 16 };

typedef struct spw_passes {
    int vectors;
    int64_t n;                          /* elements of each */
    double *vector[SPW_PASSES_VECTORS]; /* [n] each, page after page; to be filled before begin */
    /* after end: how often each was fetched, to the nearest half; 0: not at all */
    double passes[SPW_PASSES_VECTORS];
    /* internal: pages open, in order, and pages fetched */
    int open[SPW_PASSES_VECTORS][SPW_PASSES_OPEN], n_open[SPW_PASSES_VECTORS];
    int64_t fetched[SPW_PASSES_VECTORS];
    int threads_before;
} spw_passes;

/* Vectors of zeros. On failure *watch is all zero.
 *   SPW_ERR_ARG     vectors is not 1 .. SPW_PASSES_VECTORS
 *   SPW_ERR_MEMORY  no room */
spw_status spw_passes_create(int vectors, spw_passes *watch);

/* Closes all pages and counts. One watch at a time in a process, and not beside that of kit/touch.h. Sets
 * the number of OpenMP's threads to 1. Signals that are not about these vectors reach the handler that was
 * there before. */
void spw_passes_begin(spw_passes *watch);

/* Opens all pages, puts the former handler and the number of threads back, and fills in passes. */
void spw_passes_end(spw_passes *watch);

/* Takes NULL and zero. */
void spw_passes_destroy(spw_passes *watch);

#ifdef __cplusplus
}
#endif

#endif

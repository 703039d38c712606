/* kit/touch.h -- which thread touches each page of an array first.
 *
 * On a machine with several NUMA nodes a page lies in the memory of the core that writes it first. Here
 * that is observed on any machine, without NUMA and without counters: all pages are made inaccessible,
 * the first access to each is caught as a signal, its thread is noted, and the page is opened.
 *     spw_touch watch;
 *     if (spw_touch_create(64 * threads, threads, &watch)) ...
 *     spw_touch_begin(&watch);
 *     init(n, watch.array, 1.0);
 *     spw_touch_end(&watch);            owner[p] is now the number of the thread that took page p
 *     spw_touch_destroy(&watch);
 * The numbers hold from one parallel region to the next as long as the teams have the same size: GNU's
 * and LLVM's OpenMP both hand the same threads out in the same order. */
#ifndef SPW_KIT_TOUCH_H
#define SPW_KIT_TOUCH_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPW_TOUCH_NOBODY = -1, SPW_TOUCH_STRANGER = -2 };

typedef struct spw_touch {
    double *array; /* [n] the watched memory, begins with a page */
    int64_t n;     /* doubles: exactly the pages */
    int64_t pages;
    int64_t page_size; /* bytes */
    int threads;
    int *owner; /* [pages] number of the thread that came first, or NOBODY, or STRANGER: a
                        * thread that is not of the team */
    int *task;  /* [threads] the system's number of each thread of the team */
} spw_touch;

/* On failure *watch is all zero.
 *   SPW_ERR_ARG     pages < 1 or threads < 1
 *   SPW_ERR_MEMORY  no room */
spw_status spw_touch_create(int64_t pages, int threads, spw_touch *watch);

/* Forgets the owners, closes all pages and watches. One watch at a time in a process. Signals that are
 * not about the watched memory reach the handler that was there before. */
void spw_touch_begin(spw_touch *watch);

/* Opens all pages, puts the former handler back, and fills in the owners. */
void spw_touch_end(spw_touch *watch);

/* The one thread that came first to all pages that were touched, or -1 if there are several or none. */
int spw_touch_only_owner(const spw_touch *watch);

/* Takes NULL and zero. */
void spw_touch_destroy(spw_touch *watch);

#ifdef __cplusplus
}
#endif

#endif

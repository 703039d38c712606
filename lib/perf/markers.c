/* The markers by likwid's Marker API. It is loaded only under likwid-perfctr -m, which sets LIKWID_FILEPATH: linked, its
 * tables of 14 MB would be part of every process that a judge starts. */
#include "perf/markers.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct {
    void (*init)(void), (*thread_init)(void), (*close)(void);
    int (*start)(const char *region), (*stop)(const char *region);
} likwid;

static bool find(void *library, const char *name, void *function, size_t size) {
    void *symbol = library ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, size); /* C knows no conversion between the two kinds of pointers */
    return symbol != NULL;
}

void spw_marker_open(void) {
    if (!getenv("LIKWID_FILEPATH")) return; /* nobody counts */
    void *library = dlopen("liblikwid.so", RTLD_NOW);
    if (!library) library = dlopen("liblikwid.so.5", RTLD_NOW);
    const bool all =
        find(library, "likwid_markerInit", &likwid.init, sizeof likwid.init) &&
        find(library, "likwid_markerThreadInit", &likwid.thread_init, sizeof likwid.thread_init) &&
        find(library, "likwid_markerStopRegion", &likwid.stop, sizeof likwid.stop) &&
        find(library, "likwid_markerClose", &likwid.close, sizeof likwid.close) &&
        find(library, "likwid_markerStartRegion", &likwid.start, sizeof likwid.start);
    if (!all) likwid.start = NULL;
    if (!all) return;
    likwid.init();
#pragma omp parallel
    likwid.thread_init();
}

void spw_marker_start(const char *region) {
    if (!likwid.start) return;
#pragma omp parallel
    likwid.start(region);
}

void spw_marker_stop(const char *region) {
    if (!likwid.start) return;
#pragma omp parallel
    likwid.stop(region);
}

void spw_marker_close(void) {
    if (likwid.start) likwid.close();
}

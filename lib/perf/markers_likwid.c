/* The markers by likwid's Marker API. It is called only under likwid-perfctr -m, which sets
 * LIKWID_FILEPATH; otherwise the API would print a line on every run. */
#include "perf/markers.h"

#include <likwid-marker.h>
#include <stdlib.h>

int spw_marker_counts(void)
{
    return getenv("LIKWID_FILEPATH") != NULL;
}

void spw_marker_open(void)
{
    if (!spw_marker_counts()) return;
    LIKWID_MARKER_INIT;
#pragma omp parallel
    {
        LIKWID_MARKER_THREADINIT;
    }
}

void spw_marker_start(const char *region)
{
    if (!spw_marker_counts()) return;
#pragma omp parallel
    {
        LIKWID_MARKER_START(region);
    }
}

void spw_marker_stop(const char *region)
{
    if (!spw_marker_counts()) return;
#pragma omp parallel
    {
        LIKWID_MARKER_STOP(region);
    }
}

void spw_marker_close(void)
{
    if (!spw_marker_counts()) return;
    LIKWID_MARKER_CLOSE;
}

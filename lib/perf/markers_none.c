/* Without likwid nothing is marked. */
#include "perf/markers.h"

void spw_marker_open(void)
{
}

void spw_marker_start(const char *region)
{
    (void)region;
}

void spw_marker_stop(const char *region)
{
    (void)region;
}

void spw_marker_close(void)
{
}

int spw_marker_counts(void)
{
    return 0;
}

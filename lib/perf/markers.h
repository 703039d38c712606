/* perf/markers.h -- marks a region of the program for likwid-perfctr.
 *
 *     spw_marker_open();
 *     spw_marker_start("kernel");  ...the calls...  spw_marker_stop("kernel");
 *     spw_marker_close();
 * Under `likwid-perfctr -m` the counters then cover the region alone, and not the set-up before it.
 * Otherwise the calls do nothing. All are made outside parallel regions; every thread of the next
 * parallel region's size is counted.
 * Source: J. Treibig, G. Hager, G. Wellein, ICPPW 2010, doi:10.1109/ICPPW.2010.38. */
#pragma once

#include "base/extern_c.h"

SPW_C_BEGIN

void spw_marker_open(void);
void spw_marker_start(const char *region);
void spw_marker_stop(const char *region);
void spw_marker_close(void);

SPW_C_END

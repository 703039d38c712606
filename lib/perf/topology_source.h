/* perf/topology_source.h -- what topology_hwloc.c and topology_none.c each provide to topology.c.
 * Internal. */
#pragma once

#include "perf/topology.h"

/* Fills in cores, threads, nodes, sockets and caches, and cpu if it knows it; leaves alone what it cannot
 * find out. *t comes in zeroed, cpu "". */
void spw_topology_fill(spw_topology *t);

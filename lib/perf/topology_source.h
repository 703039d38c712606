/* perf/topology_source.h -- what topology_hwloc.c and topology_none.c each provide to topology.c.
 * Internal. */
#ifndef SPW_PERF_TOPOLOGY_SOURCE_H
#define SPW_PERF_TOPOLOGY_SOURCE_H

#include "perf/topology.h"

/* Fills in cores, threads, nodes, sockets and caches, and cpu if it knows it; leaves alone what it cannot
 * find out. *t comes in zeroed, cpu "". */
void spw_topology_fill(spw_topology *t);

#endif

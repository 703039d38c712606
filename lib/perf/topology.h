/* perf/topology.h -- what this machine is made of. Read by hwloc, or by /sys and sysconf without it
 * (topology_hwloc.c and topology_none.c: one of the two is linked). */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_topology {
    char cpu[96]; /* model name, "unknown" if it cannot be read */
    int cores;    /* physical cores this process may use */
    int threads;  /* hardware threads this process may use */
    int numa_nodes;
    int sockets;
    int64_t l1, l2; /* bytes a core; 0 if unknown */
    int64_t l3;     /* bytes a shared cache; 0 if there is none or it is unknown */
    int l3_count;   /* number of such caches */
    int64_t memory; /* bytes in all */
    int is_virtual; /* runs under a hypervisor: cache sizes may be absurd */
} spw_topology;

/* Never fails: what cannot be read is 0 or "unknown". */
spw_topology spw_topology_read(void);

SPW_C_END

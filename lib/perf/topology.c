/* What every way of reading the topology needs besides: the CPU's name, the memory, the hypervisor. */
#include "perf/topology.h"

#include "perf/topology_source.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One pass over /proc/cpuinfo: the name where none is known yet, and the hypervisor's flag. */
static void read_cpuinfo(spw_topology *t) {
    char line[4096]; /* the line of flags is long */
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        if (!t->cpu[0]) (void)sscanf(line, "model name : %95[^\n]", t->cpu);
        if (!strncmp(line, "flags", 5)) {
            t->is_virtual = strstr(line, " hypervisor") != NULL;
            break; /* one CPU is enough */
        }
    }
    fclose(file);
}

spw_topology spw_topology_read(void) {
    spw_topology t = {0};
    spw_topology_fill(&t);
    read_cpuinfo(&t);
    if (!t.is_virtual) t.is_virtual = access("/sys/hypervisor/type", F_OK) == 0;
    if (!t.cpu[0]) snprintf(t.cpu, sizeof t.cpu, "unknown");
    /* Not the sum over the nodes: a virtual machine whose memory was enlarged later forgets the node. */
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) t.memory = (int64_t)pages * size;
    if (t.threads < 1) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        t.threads = online > 0 ? (int)online : 1;
    }
    if (t.cores < 1) t.cores = t.threads;
    if (t.numa_nodes < 1) t.numa_nodes = 1;
    if (t.sockets < 1) t.sockets = 1;
    return t;
}

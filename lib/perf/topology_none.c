/* The topology without hwloc, from Linux's /sys. Everything there is a list of CPUs that share
 * something, "0-3,8": a cache, a core, a socket. How many of them there are is how many CPUs come first
 * in their own list. Elsewhere than on Linux the caller's defaults stay. */
#define _GNU_SOURCE
#include "perf/topology_source.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu/cpu%d/"

/* Reads the first line of a file of one CPU; index is put into the name where it has a second %d. */
static int read_line(const char *format, int cpu, int index, char *line, int size) {
    char path[128];
    snprintf(path, sizeof path, format, cpu, index);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const int found = fgets(line, size, file) != NULL;
    fclose(file);
    return found;
}

/* The smallest of our CPUs in a list, -1 if none is ours. */
static int first_of(const char *list, const cpu_set_t *ours) {
    while (*list >= '0' && *list <= '9') {
        char *end;
        const long from = strtol(list, &end, 10);
        const long to = *end == '-' ? strtol(end + 1, &end, 10) : from;
        for (long cpu = from; cpu <= to && cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET((size_t)cpu, ours)) return (int)cpu;
        list = *end == ',' ? end + 1 : end;
    }
    return -1;
}

static int members_of(const char *list, const cpu_set_t *ours) {
    int members = 0;
    cpu_set_t left = *ours;
    for (int cpu; (cpu = first_of(list, &left)) >= 0; members++) CPU_CLR((size_t)cpu, &left);
    return members;
}

static int groups(const char *format, int index, const cpu_set_t *ours) {
    char list[1024];
    int found = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, ours) && read_line(format, cpu, index, list, sizeof list))
            found += first_of(list, ours) == cpu;
    return found;
}

static void read_caches(spw_topology *t, const cpu_set_t *ours, int first) {
    char line[1024];
    for (int index = 0;
         read_line(CPU_FOLDER "cache/index%d/level", first, index, line, sizeof line); index++) {
        const int level = atoi(line);
        if (!read_line(CPU_FOLDER "cache/index%d/type", first, index, line, sizeof line)) continue;
        if (!strncmp(line, "Instruction", 11)) continue;
        if (!read_line(CPU_FOLDER "cache/index%d/size", first, index, line, sizeof line)) continue;
        char *unit;
        int64_t bytes = strtoll(line, &unit, 10);
        bytes *= *unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1;
        const char *const sharing = CPU_FOLDER "cache/index%d/shared_cpu_list";
        if (!read_line(sharing, first, index, line, sizeof line)) continue;
        const int members = members_of(line, ours);
        const int cores = t->threads > t->cores ? members / (t->threads / t->cores) : members;
        if (level == 1) t->l1 = bytes / (cores > 0 ? cores : 1);
        if (level == 2) t->l2 = bytes / (cores > 0 ? cores : 1);
        if (level == 3) {
            t->l3 = bytes;
            t->l3_count = groups(sharing, index, ours);
        }
    }
}

void spw_topology_fill(spw_topology *t) {
    cpu_set_t ours;
    if (sched_getaffinity(0, sizeof ours, &ours)) return;
    t->threads = CPU_COUNT(&ours);
    t->cores = groups(CPU_FOLDER "topology/thread_siblings_list", 0, &ours);
    t->sockets = groups(CPU_FOLDER "topology/core_siblings_list", 0, &ours);
    if (t->cores < 1) t->cores = t->threads;

    char list[1024];
    for (int node = 0; node < 1024; node++) /* nodes may have gaps in their numbers */
        if (read_line("/sys/devices/system/node/node%d/cpulist", node, 0, list, sizeof list))
            t->numa_nodes += first_of(list, &ours) >= 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, &ours)) {
            read_caches(t, &ours, cpu);
            break;
        }
}

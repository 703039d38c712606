/* The topology as hwloc sees it, restricted to the CPUs that this process is bound to.
 * Source: F. Broquedis et al., PDP 2010, doi:10.1109/PDP.2010.67. */
#include "perf/topology_source.h"

#include <hwloc.h>
#include <stdio.h>

static int count(hwloc_topology_t topology, hwloc_const_cpuset_t ours, hwloc_obj_type_t type) {
    int found = 0;
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o));)
        found += o->cpuset && hwloc_bitmap_intersects(o->cpuset, ours);
    return found;
}

/* Size of the first of our caches of that type; *sharers: cores that share it. */
static int64_t cache(hwloc_topology_t topology, hwloc_const_cpuset_t ours, hwloc_obj_type_t type,
                     int *sharers) {
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o));) {
        if (!hwloc_bitmap_intersects(o->cpuset, ours)) continue;
        const int cores =
            hwloc_get_nbobjs_inside_cpuset_by_type(topology, o->cpuset, HWLOC_OBJ_CORE);
        *sharers = cores > 0 ? cores : 1;
        return (int64_t)o->attr->cache.size;
    }
    *sharers = 1;
    return 0;
}

void spw_topology_fill(spw_topology *t) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology)) return;
    hwloc_bitmap_t ours = hwloc_bitmap_alloc();
    if (!ours || hwloc_topology_load(topology)) goto out;
    if (hwloc_get_cpubind(topology, ours, HWLOC_CPUBIND_PROCESS) || hwloc_bitmap_iszero(ours))
        hwloc_bitmap_copy(ours, hwloc_topology_get_allowed_cpuset(topology));

    t->threads = count(topology, ours, HWLOC_OBJ_PU);
    t->cores = count(topology, ours, HWLOC_OBJ_CORE);
    t->sockets = count(topology, ours, HWLOC_OBJ_PACKAGE);
    t->numa_nodes = count(topology, ours, HWLOC_OBJ_NUMANODE);

    int sharers;
    t->l1 = cache(topology, ours, HWLOC_OBJ_L1CACHE, &sharers);
    t->l1 /= sharers;
    t->l2 = cache(topology, ours, HWLOC_OBJ_L2CACHE, &sharers);
    t->l2 /= sharers;
    t->l3 = cache(topology, ours, HWLOC_OBJ_L3CACHE, &sharers);
    t->l3_count = count(topology, ours, HWLOC_OBJ_L3CACHE);

    const hwloc_obj_t package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, NULL);
    const char *name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!name) name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    if (name) snprintf(t->cpu, sizeof t->cpu, "%s", name);
out:
    hwloc_bitmap_free(ours);
    hwloc_topology_destroy(topology);
}

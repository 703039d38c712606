/* How many bytes a loop should work on, so that it is memory that is measured. */
#include "perf/working_set.h"

#include "base/memory.h"
#include "perf/topology.h"

#include <stdatomic.h>

static const int64_t least = 256 * INT64_C(1000000), most = 1000 * INT64_C(1000000), page = 4096;

static int64_t at_most(int64_t bytes, int64_t limit) { return bytes < limit ? bytes : limit; }

int64_t spw_working_set_for(int64_t cache, int64_t available) {
    /* Limited before it is multiplied: a machine may claim any cache. */
    int64_t bytes = 4 * at_most(cache, most / 4);
    if (bytes < least) bytes = least;
    bytes = at_most(bytes, available / 8);
    return bytes < page ? page : bytes / page * page;
}

int64_t spw_default_working_set(void) {
    /* Memory that this process has taken meanwhile must not shrink the set: asked once. */
    static _Atomic int64_t known;
    int64_t bytes = atomic_load(&known);
    if (bytes == 0) {
        const spw_topology machine = spw_topology_read();
        bytes = spw_working_set_for(machine.l3 * machine.l3_count, spw_memory_available());
        int64_t none = 0;
        if (!atomic_compare_exchange_strong(&known, &none, bytes)) bytes = none;
    }
    return bytes;
}

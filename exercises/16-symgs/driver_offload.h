/* driver_offload.h -- target regions without a device: run on memory of their own, and counted.
 *
 * On a machine without a GPU a wrong map clause changes nothing: the region runs on the host, in the host's
 * memory. Here a device is played. While a watch is on, each `omp target` whose `if` sends it away gets copies
 * of what its map clauses name, filled with rubbish where they do not say `to`; runs on the threads of the
 * host; and has copied back what they say `from`. What is not mapped is not there, and what is not mapped
 * back does not arrive:
 *     if (!spw_offload_begin(NULL)) ...                 not with this compiler
 *     spw_offload_resident(val, n_stored * 8, val);   is on the device already
 *     relax_colour(S, 0, r, x);                       S->on_device is 1
 *     spw_offload_end(&watch);                        watch.regions is 1, watch.to, watch.from bytes copied
 * That can be done because gcc's compiler makes a call of each target construct, and a program's own function
 * of that name comes before the library's. Other compilers leave no call behind where nothing is offloaded.
 * Source: the interface of libgomp of GCC 6 and later, GOMP_target_ext and its kinds of maps. */
#pragma once

#include "base/extern_c.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_offload {
    int regions;       /* target regions that were sent to the device */
    int on_host;       /* those that `if` kept on the host */
    int64_t to, from;  /* bytes copied there and back */
    char trouble[256]; /* what no device would have done, the first of it; or "" */
} spw_offload;

/* One watch at a time in a process. False: target regions of this compiler cannot be watched. meanwhile: NULL, or called
 * while a region is on the device, by the thread that has sent it. */
bool spw_offload_begin(void (*meanwhile)(void));

/* These bytes are on the device before any region, and are not counted. contents: what they are there, which
 * may differ from what they are here, so that a result tells who has computed it. During a watch only. */
void spw_offload_resident(const void *address, int64_t bytes, const void *contents);

/* Forgets the copies. */
void spw_offload_end(spw_offload *watch);

SPW_C_END

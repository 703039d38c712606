/* An estimate of what an L2 would keep: sectors in sets of 16, least recently used out first. The requests
 * of the blocks that are resident together come interleaved, one of each block in turn. A real L2 has
 * partitions, hashes and policies that nobody published: believe the tendency, not the digits. */
#include "simt/trace.h"

#include "base/memory.h"

#include <string.h>

enum { WAYS = 16 };

struct spw_simt_cache {
    uint64_t *lines; /* [n_sets * WAYS] sector + 1, the most recent first */
    uint64_t n_sets;
    int resident, n_blocks;

    /* Requests of resident blocks: count, number of sectors, the sectors. */
    uint64_t *queue;
    size_t n_queue, queue_room;
    size_t *ends; /* [resident] of each block in the queue */
    size_t *heads;
};

spw_status spw_simt_cache_create(int64_t bytes, int resident, spw_simt_cache **cache)
{
    spw_simt_cache *c = NULL;
    spw_status status = SPW_ALLOC_ZERO(&c, 1);
    *cache = c;
    if (status) return status;
    c->resident = resident;
    c->n_sets = (uint64_t)bytes / (SECTOR * WAYS);
    if (c->n_sets == 0) c->n_sets = 1;
    status = SPW_ALLOC_ZERO(&c->lines, (int64_t)c->n_sets * WAYS);
    if (!status) status = SPW_ALLOC_ZERO(&c->ends, resident);
    if (!status) status = SPW_ALLOC_ZERO(&c->heads, resident);
    if (status) {
        spw_simt_cache_destroy(c);
        *cache = NULL;
    }
    return status;
}

void spw_simt_cache_destroy(spw_simt_cache *c)
{
    if (!c) return;
    spw_free(c->lines);
    spw_free(c->queue);
    spw_free(c->ends);
    spw_free(c->heads);
    spw_free(c);
}

void spw_simt_cache_request(spw_simt_state *s, uint32_t count, const uint64_t *sectors, int n)
{
    spw_simt_cache *c = s->cache;
    void *queue = c->queue;
    spw_simt_grow(&queue, &c->queue_room, c->n_queue + (size_t)n + 2, sizeof *c->queue);
    c->queue = queue;
    c->queue[c->n_queue++] = count;
    c->queue[c->n_queue++] = (uint64_t)n;
    memcpy(c->queue + c->n_queue, sectors, (size_t)n * sizeof *sectors);
    c->n_queue += (size_t)n;
}

static bool hit(spw_simt_cache *c, uint64_t sector)
{
    uint64_t *set = &c->lines[sector % c->n_sets * WAYS];
    int k = 0;
    while (k < WAYS - 1 && set[k] != sector + 1) k++;
    const bool found = set[k] == sector + 1;
    memmove(set + 1, set, (size_t)k * sizeof *set);
    set[0] = sector + 1;
    return found;
}

static void drain(spw_simt_state *s)
{
    spw_simt_cache *c = s->cache;
    for (int b = 0; b < c->n_blocks; b++) c->heads[b] = b ? c->ends[b - 1] : 0;
    for (bool any = true; any;) {
        any = false;
        for (int b = 0; b < c->n_blocks; b++) {
            if (c->heads[b] == c->ends[b]) continue;
            any = true;
            const uint64_t *request = &c->queue[c->heads[b]];
            for (uint64_t k = 0; k < request[1]; k++)
                s->graph->counts[request[0]].misses += !hit(c, request[2 + k]);
            c->heads[b] += 2 + request[1];
        }
    }
    c->n_queue = 0;
    c->n_blocks = 0;
}

void spw_simt_cache_block_ends(spw_simt_state *s)
{
    spw_simt_cache *c = s->cache;
    c->ends[c->n_blocks++] = c->n_queue;
    if (c->n_blocks == c->resident) drain(s);
}

void spw_simt_cache_launch_ends(spw_simt_state *s)
{
    drain(s);
}

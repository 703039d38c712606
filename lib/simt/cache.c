/* What a perfect cache would leave of the traffic: any sector may lie anywhere in it, and the one that was not used for
 * the longest time goes out. It is empty when a kernel begins. A load of what is not there is fetched; a sector that was
 * written is written back once, when it goes out or the kernel ends. The requests of the blocks that are resident
 * together come interleaved, one of each block in turn, its warps one after the other. Which these are on a GPU, and
 * what its caches do, nobody published: believe the tendency, not the digits.
 *
 * What is exact: the sectors and the bytes that a launch touches at all, each once: the compulsory traffic. */
#include "simt/trace.h"

#include "base/memory.h"

enum { NOBODY = UINT32_MAX };

/* A sector that was touched. */
typedef struct line {
    uint32_t newer, older;   /* among those in the cache */
    uint32_t launch;         /* the last that touched it */
    uint32_t loaded, stored; /* its bytes in that launch, a bit each */
    bool is_in, is_dirty;
} line;

struct spw_simt_cache {
    spw_simt_table numbers; /* sector -> line */
    line *lines;
    size_t lines_room;
    uint32_t newest, oldest, n_in, room; /* sectors; room 0: any number */
    uint32_t launch;
    int resident, n_blocks;

    /* Requests of resident blocks: count, number of sectors, the sectors' lines. */
    uint32_t *queue;
    size_t n_queue, queue_room;
    size_t *ends; /* [resident] of each block in the queue */
    size_t *heads;
};

spw_status spw_simt_cache_create(int64_t bytes, int resident, spw_simt_cache **cache) {
    spw_simt_cache *c = NULL;
    spw_status status = SPW_ALLOC_ZERO(&c, 1);
    *cache = c;
    if (status) return status;
    c->resident = resident;
    c->room = (uint32_t)(bytes / SECTOR);
    c->newest = c->oldest = NOBODY;
    c->launch = 1;
    status = SPW_ALLOC_ZERO(&c->ends, resident);
    if (!status) status = SPW_ALLOC_ZERO(&c->heads, resident);
    if (status) {
        spw_simt_cache_destroy(c);
        *cache = NULL;
    }
    return status;
}

void spw_simt_cache_destroy(spw_simt_cache *c) {
    if (!c) return;
    spw_simt_table_destroy(&c->numbers);
    spw_free(c->lines);
    spw_free(c->queue);
    spw_free(c->ends);
    spw_free(c->heads);
    spw_free(c);
}

/* --- each once ------------------------------------------------------------------------------------ */

static uint32_t line_of(spw_simt_cache *c, uint64_t sector) {
    const uint32_t before = c->numbers.n;
    const uint32_t k = spw_simt_table_number(&c->numbers, sector, 0);
    if (k < before) return k;
    void *lines = c->lines;
    spw_simt_grow(&lines, &c->lines_room, (size_t)k + 1, sizeof *c->lines);
    c->lines = lines;
    c->lines[k] = (line){.launch = 0};
    return k;
}

/* What was stored in this launch need not be loaded. */
static void touch(spw_simt_cache *c, line *l, spw_simt_count *count, uint32_t bytes) {
    if (l->launch != c->launch) l->loaded = l->stored = 0;
    l->launch = c->launch;
    const uint32_t known = count->access == SPW_SIMT_LOAD ? l->loaded | l->stored : l->stored;
    count->once += !known;
    count->needed += __builtin_popcount(bytes & ~known);
    if (count->access == SPW_SIMT_LOAD)
        l->loaded |= bytes;
    else
        l->stored |= bytes;
}

void spw_simt_cache_request(spw_simt_state *s, uint32_t count, const uint64_t *sectors,
                            const uint32_t *bytes, int n) {
    spw_simt_cache *c = s->cache;
    void *queue = c->queue;
    spw_simt_grow(&queue, &c->queue_room, c->n_queue + (size_t)n + 2, sizeof *c->queue);
    c->queue = queue;
    c->queue[c->n_queue++] = count;
    c->queue[c->n_queue++] = (uint32_t)n;
    for (int k = 0; k < n; k++) {
        const uint32_t at = line_of(c, sectors[k]);
        touch(c, &c->lines[at], &s->graph->counts[count], bytes[k]);
        c->queue[c->n_queue++] = at;
    }
}

/* --- the cache ------------------------------------------------------------------------------------ */

static void take_out(spw_simt_cache *c, uint32_t k) {
    const line *l = &c->lines[k];
    *(l->newer == NOBODY ? &c->newest : &c->lines[l->newer].older) = l->older;
    *(l->older == NOBODY ? &c->oldest : &c->lines[l->older].newer) = l->newer;
    c->n_in--;
}

static void put_in(spw_simt_cache *c, uint32_t k) {
    line *l = &c->lines[k];
    l->newer = NOBODY;
    l->older = c->newest;
    *(c->newest == NOBODY ? &c->oldest : &c->lines[c->newest].newer) = k;
    c->newest = k;
    c->n_in++;
}

static void use(spw_simt_cache *c, uint32_t k, spw_simt_count *count) {
    line *l = &c->lines[k];
    const bool loads = count->access == SPW_SIMT_LOAD;
    count->misses += loads ? !l->is_in : !l->is_dirty;
    if (l->is_in) take_out(c, k);
    l->is_in = true;
    l->is_dirty = l->is_dirty || !loads;
    put_in(c, k);
    if (!c->room || c->n_in <= c->room) return;
    const uint32_t last = c->oldest;
    take_out(c, last);
    c->lines[last].is_in = c->lines[last].is_dirty = false;
}

static void drain(spw_simt_state *s) {
    spw_simt_cache *c = s->cache;
    for (int b = 0; b < c->n_blocks; b++) c->heads[b] = b ? c->ends[b - 1] : 0;
    for (bool any = true; any;) {
        any = false;
        for (int b = 0; b < c->n_blocks; b++) {
            if (c->heads[b] == c->ends[b]) continue;
            any = true;
            const uint32_t *request = &c->queue[c->heads[b]];
            for (uint32_t k = 0; k < request[1]; k++)
                use(c, request[2 + k], &s->graph->counts[request[0]]);
            c->heads[b] += 2 + request[1];
        }
    }
    c->n_queue = 0;
    c->n_blocks = 0;
}

void spw_simt_cache_block_ends(spw_simt_state *s) {
    spw_simt_cache *c = s->cache;
    c->ends[c->n_blocks++] = c->n_queue;
    if (c->n_blocks == c->resident) drain(s);
}

void spw_simt_cache_launch_ends(spw_simt_state *s) {
    spw_simt_cache *c = s->cache;
    drain(s);
    c->launch++;
    for (uint32_t k = c->newest; k != NOBODY; k = c->lines[k].older)
        c->lines[k].is_in = c->lines[k].is_dirty = false;
    c->newest = c->oldest = NOBODY;
    c->n_in = 0;
}

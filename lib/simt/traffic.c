/* From the ways of 32 lanes to requests of a warp, and from requests to sectors and wavefronts.
 *
 * A GPU runs a warp's lanes together while their ways are the same, and brings them together again
 * where they join. Here each lane ran alone and left a trace. The traces are merged: always the lanes go
 * on whose next block comes first in the order of the flow graph (simt/order.h); a lane that came back to
 * the head of a loop stands at that loop's end, so that it waits for those still inside. Lanes that
 * enter the same block together make its accesses together: each is one request.
 * (Grouping by line and occurrence is wrong in nested loops whose lengths differ from lane to lane.) */
#include "simt/trace.h"

#include <stdio.h>
#include <string.h>

typedef struct request {
    const spw_simt_event *events[WARP]; /* by lane, NULL: takes no part */
    uint32_t lanes;
} request;

/* --- sectors, bytes, wavefronts ------------------------------------------------------------------- */

typedef struct piece {
    uint64_t from, to;
} piece;

/* The touched bytes, from low to high. */
static int sorted_pieces(const request *r, piece *pieces) {
    int n = 0;
    for (uint32_t rest = r->lanes; rest; rest &= rest - 1) {
        const spw_simt_event *e = r->events[__builtin_ctz(rest)];
        const piece p = {e->address, e->address + e->size};
        int at = n++;
        for (; at > 0 && pieces[at - 1].from > p.from; at--) pieces[at] = pieces[at - 1];
        pieces[at] = p;
    }
    return n;
}

/* A lane's 16 bytes may touch two sectors, if it is no multiple of 16; so 2 for each lane. */
static int count_sectors(const piece *pieces, int n, uint64_t *sectors, int64_t *bytes) {
    int n_sectors = 0;
    uint64_t covered = 0, last = UINT64_MAX;
    *bytes = 0;
    for (int k = 0; k < n; k++) {
        const uint64_t from = pieces[k].from > covered ? pieces[k].from : covered;
        if (pieces[k].to > from) *bytes += (int64_t)(pieces[k].to - from);
        if (pieces[k].to > covered) covered = pieces[k].to;
        for (uint64_t t = pieces[k].from / SECTOR; t <= (pieces[k].to - 1) / SECTOR; t++)
            if (last == UINT64_MAX || t > last) sectors[n_sectors++] = last = t;
    }
    return n_sectors;
}

/* Which bytes of each sector are touched. Both are sorted. */
static void bytes_of(const piece *pieces, int n_pieces, const uint64_t *sectors, uint32_t *masks) {
    int first = 0; /* the sector in which a piece begins */
    memset(masks, 0, 2 * WARP * sizeof *masks);
    for (int k = 0; k < n_pieces; k++) {
        while (sectors[first] < pieces[k].from / SECTOR) first++;
        for (uint64_t byte = pieces[k].from; byte < pieces[k].to; byte++)
            masks[first + (int)(byte / SECTOR - sectors[first])] |= 1u << byte % SECTOR;
    }
}

/* Passes over the banks that a group of lanes needs: the most different words in one bank. */
static int passes(const request *r, uint32_t group) {
    uint64_t words[4 * WARP];
    int banks[WARP] = {0}, n = 0, most = 0;
    for (uint32_t rest = r->lanes & group; rest; rest &= rest - 1) {
        const spw_simt_event *e = r->events[__builtin_ctz(rest)];
        for (uint64_t w = e->address / 4; w <= (e->address + e->size - 1) / 4; w++) {
            int k = n;
            while (k > 0 && words[k - 1] != w) k--;
            if (k > 0) continue; /* the same word is read once for all */
            words[n++] = w;
            if (++banks[w % WARP] > most) most = banks[w % WARP];
        }
    }
    return most;
}

/* 32 banks of 4 bytes: a whole warp of 4-byte words at a time, half a warp of 8, a quarter of 16. Each such group takes
 * a pass at the least. */
static void count_passes(const request *r, int size, spw_simt_count *c) {
    const int lanes = size <= 4 ? 32 : size <= 8 ? 16 : 8;
    const uint32_t group = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (int at = 0; at < WARP; at += lanes) {
        const int n = passes(r, group << at);
        c->wavefronts += n;
        c->ideal += n > 0;
        if (n > c->worst) c->worst = n;
    }
}

/* --- tables --------------------------------------------------------------------------------------- */

static uint32_t kernel_number(spw_simt_graph *g, const char *name) {
    uint32_t k = 0;
    while (k < g->n_kernels && strncmp(g->kernels[k], name, SPW_SIMT_NAME - 1) != 0) k++;
    if (k == MAX_KERNELS) return MAX_KERNELS - 1;
    if (k == g->n_kernels) snprintf(g->kernels[g->n_kernels++], SPW_SIMT_NAME, "%s", name);
    return k;
}

static uint32_t count_of(spw_simt_state *s, const spw_simt_event *e) {
    spw_simt_graph *g = s->graph;
    const void *p = (const void *)(uintptr_t)e->address;
    const spw_simt_array *a = e->shared ? spw_simt_find_shared(s, p) : spw_simt_find_device(s, p);
    const uint32_t array = spw_simt_number_of_array(s, a),
                   kernel = kernel_number(g, s->launch->kernel);
    const uint32_t before = g->count_keys.n;
    const uint32_t c = spw_simt_table_number(&g->count_keys, (uint64_t)e->id << 2 | e->access,
                                             (uint64_t)array << 8 | kernel);
    if (c < before) return c;
    void *counts = g->counts;
    spw_simt_grow(&counts, &g->counts_room, c + 1, sizeof *g->counts);
    g->counts = counts;
    g->counts[c] = (spw_simt_count){
        .site = e->id, .array = array, .kernel = kernel, .access = e->access, .shared = e->shared};
    return c;
}

static void count_request(spw_simt_state *s, const request *r) {
    const spw_simt_event *e = r->events[__builtin_ctz(r->lanes)];
    const uint32_t at = count_of(s, e);
    spw_simt_count *c = &s->graph->counts[at];
    piece pieces[WARP];
    uint64_t sectors[2 * WARP];
    uint32_t masks[2 * WARP];
    int64_t bytes;
    const int n_pieces = sorted_pieces(r, pieces),
              n = count_sectors(pieces, n_pieces, sectors, &bytes);
    c->requests++;
    c->lanes += __builtin_popcount(r->lanes);
    if (c->block != s->now.number) c->of_block = 0;
    c->block = s->now.number;
    if (++c->of_block > c->most) c->most = c->of_block;
    c->bytes += bytes;
    if (e->size > c->size) c->size = e->size;
    if (e->shared) {
        count_passes(r, e->size, c);
    } else {
        c->sectors += n;
        s->n_sectors += n;
        c->ideal += (bytes + SECTOR - 1) / SECTOR;
        if (s->cache) {
            bytes_of(pieces, n_pieces, sectors, masks);
            spw_simt_cache_request(s, at, sectors, masks, n);
        }
    }
}

int spw_simt_graph_counts(const spw_simt_graph *g, const spw_simt_count **counts) {
    *counts = g->counts;
    return (int)g->count_keys.n;
}

const char *spw_simt_graph_kernel(const spw_simt_graph *g, uint32_t kernel) {
    return g->kernels[kernel];
}

/* --- the merge ------------------------------------------------------------------------------------ */

typedef struct walker {
    const spw_simt_event *at, *end; /* `at` is a node, or the end */
    uint32_t node;                  /* where it came from */
    uint32_t place;                 /* in the order; UINT32_MAX: at the end */
} walker;

static void look_ahead(const spw_simt_order *o, walker *w) {
    w->place = w->at < w->end ? spw_simt_order_place(o, w->node, w->at->id) : UINT32_MAX;
}

/* The lanes entered the same block: its accesses, one request each. */
static void count_node(spw_simt_state *s, walker *walkers, uint32_t lanes) {
    spw_simt_visits *visits = &s->graph->visits[walkers[__builtin_ctz(lanes)].at->id];
    visits->warps++;
    visits->lanes += __builtin_popcount(lanes);
    visits->kernel = s->graph->kernel;
    uint32_t left = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        walker *w = &walkers[__builtin_ctz(rest)];
        w->node = w->at->id;
        w->at++;
        if (w->at < w->end && w->at->access != EVENT_NODE) left |= rest & -rest;
    }
    while (left) {
        request r = {.lanes = 0};
        const spw_simt_event *first = walkers[__builtin_ctz(left)].at;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            const int k = __builtin_ctz(rest);
            walker *w = &walkers[k];
            if (w->at->id != first->id || w->at->access != first->access ||
                w->at->shared != first->shared)
                continue;
            r.events[k] = w->at++;
            r.lanes |= 1u << k;
            if (w->at == w->end || w->at->access == EVENT_NODE) left &= ~(1u << k);
        }
        count_request(s, &r);
    }
}

static void count_warp(spw_simt_state *s, int warp) {
    const spw_simt_order *o = &s->graph->order;
    walker walkers[WARP];
    uint32_t active = s->now.warps[warp].exists;
    for (uint32_t rest = active; rest; rest &= rest - 1) {
        const int k = __builtin_ctz(rest);
        const spw_simt_lane_state *lane = &s->now.lanes[warp * WARP + k];
        walker *w = &walkers[k];
        *w = (walker){.at = lane->trace, .end = lane->trace + lane->n_trace};
        while (w->at < w->end && w->at->access != EVENT_NODE) w->at++;
        look_ahead(o, w);
    }
    while (active) {
        uint32_t lowest = UINT32_MAX, group = 0;
        for (uint32_t rest = active; rest; rest &= rest - 1) {
            const uint32_t place = walkers[__builtin_ctz(rest)].place;
            if (place < lowest) lowest = place, group = 0;
            if (place == lowest) group |= rest & -rest;
        }
        if (lowest == UINT32_MAX) break;
        count_node(s, walkers, group);
        for (uint32_t rest = group; rest; rest &= rest - 1)
            look_ahead(o, &walkers[__builtin_ctz(rest)]);
    }
}

void spw_simt_count_block(spw_simt_state *s) {
    if (s->graph->nodes.n == 0) return;
    spw_simt_graph_order(s->graph);
    s->graph->kernel = kernel_number(s->graph, s->launch->kernel);
    for (int w = 0; w < s->n_warps; w++) count_warp(s, w);
    if (s->cache) spw_simt_cache_block_ends(s);
}

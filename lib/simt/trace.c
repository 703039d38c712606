#include "simt/trace.h"

#include "base/memory.h"

#include <string.h>

enum { MAX_PATHS = 4096, MAX_EVENTS = 16 << 20 }; /* of a block: 256 MB */

/* --- a table of pairs ----------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ b * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

static void rehash(spw_simt_table *t) {
    const size_t room = t->room ? 2 * t->room : 256;
    uint32_t *slots = NULL;
    if (spw_alloc_zero((void **)&slots, (int64_t)room, sizeof *slots)) spw_simt_out_of_memory();
    for (uint32_t k = 0; k < t->n; k++) {
        size_t at = mixed(t->keys[k].a, t->keys[k].b) & (room - 1);
        while (slots[at]) at = (at + 1) & (room - 1);
        slots[at] = k + 1;
    }
    spw_free(t->slots);
    t->slots = slots;
    t->room = room;
}

uint32_t spw_simt_table_find(const spw_simt_table *t, uint64_t a, uint64_t b) {
    if (!t->n) return UINT32_MAX;
    for (size_t at = mixed(a, b) & (t->room - 1); t->slots[at]; at = (at + 1) & (t->room - 1)) {
        const uint32_t k = t->slots[at] - 1;
        if (t->keys[k].a == a && t->keys[k].b == b) return k;
    }
    return UINT32_MAX;
}

uint32_t spw_simt_table_number(spw_simt_table *t, uint64_t a, uint64_t b) {
    if (t->n * 2 >= t->room) rehash(t);
    size_t at = mixed(a, b) & (t->room - 1);
    for (; t->slots[at]; at = (at + 1) & (t->room - 1)) {
        const uint32_t k = t->slots[at] - 1;
        if (t->keys[k].a == a && t->keys[k].b == b) return k;
    }
    void *keys = t->keys;
    spw_simt_grow(&keys, &t->keys_room, t->n + 1, sizeof *t->keys);
    t->keys = keys;
    t->keys[t->n].a = a;
    t->keys[t->n].b = b;
    t->slots[at] = t->n + 1;
    return t->n++;
}

void spw_simt_table_destroy(spw_simt_table *t) {
    spw_free(t->slots);
    spw_free(t->keys);
    *t = (spw_simt_table){0};
}

/* --- the graph ------------------------------------------------------------------------------------ */

spw_status spw_simt_graph_create(spw_simt_graph **graph) {
    return spw_alloc_zero((void **)graph, 1, sizeof **graph);
}

void spw_simt_graph_destroy(spw_simt_graph *g) {
    if (!g) return;
    spw_simt_table_destroy(&g->sites);
    spw_simt_table_destroy(&g->contexts);
    spw_simt_table_destroy(&g->nodes);
    spw_simt_table_destroy(&g->edges);
    spw_simt_table_destroy(&g->count_keys);
    spw_simt_order_destroy(&g->order);
    spw_free(g->counts);
    spw_free(g->visits);
    spw_free(g);
}

void spw_simt_graph_reset(spw_simt_graph *g) {
    spw_simt_table_destroy(&g->count_keys);
    if (g->visits) memset(g->visits, 0, g->visits_room * sizeof *g->visits);
}

uint32_t spw_simt_site(spw_simt_state *s, uintptr_t pc) {
    return spw_simt_table_number(&s->graph->sites, pc, 0);
}

uintptr_t spw_simt_site_pc(const spw_simt_state *s, uint32_t site) {
    return site < s->graph->sites.n ? (uintptr_t)s->graph->sites.keys[site].a : 0;
}

void spw_simt_graph_order(spw_simt_graph *g) {
    if (g->ordered_edges == g->edges.n && g->order.n) return;
    if (spw_simt_order_begin(&g->order, g->nodes.n, g->edges.n)) spw_simt_out_of_memory();
    for (uint32_t e = 0; e < g->edges.n; e++)
        spw_simt_order_edge(&g->order, (uint32_t)g->edges.keys[e].a, (uint32_t)g->edges.keys[e].b);
    if (spw_simt_order_finish(&g->order)) spw_simt_out_of_memory();
    g->ordered_edges = g->edges.n;
    void *visits = g->visits;
    const size_t before = g->visits_room;
    spw_simt_grow(&visits, &g->visits_room, g->nodes.n, sizeof *g->visits);
    g->visits = visits;
    memset(g->visits + before, 0, (g->visits_room - before) * sizeof *g->visits);
}

/* --- a lane's way --------------------------------------------------------------------------------- */

/* NULL: this block did so much that the rest is not counted. */
static spw_simt_event *next_event(spw_simt_state *s, spw_simt_lane_state *lane) {
    if (++s->now.n_events > MAX_EVENTS) {
        s->count_is_cut = true;
        return NULL;
    }
    if (lane->n_trace == lane->trace_room) {
        void *trace = lane->trace;
        spw_simt_grow(&trace, &lane->trace_room, lane->n_trace + 1, sizeof *lane->trace);
        lane->trace = trace;
    }
    return &lane->trace[lane->n_trace++];
}

static void go_to(spw_simt_state *s, spw_simt_lane_state *lane, uintptr_t pc) {
    spw_simt_graph *g = s->graph;
    if (g->nodes.n == 0) spw_simt_table_number(&g->nodes, 0, 0); /* the entry */
    spw_simt_step *step = &g->steps[(lane->node * 31 + pc) % STEPS];
    if (step->pc != pc || step->from != lane->node || step->context != lane->context) {
        *step = (spw_simt_step){.pc = pc, .from = lane->node, .context = lane->context};
        step->node = spw_simt_table_number(&g->nodes, lane->context, pc);
        spw_simt_table_number(&g->edges, lane->node, step->node);
    }
    const uint32_t node = lane->node = step->node;
    spw_simt_event *e = next_event(s, lane);
    if (e) *e = (spw_simt_event){.id = node, .access = EVENT_NODE};
}

void spw_simt_log_access(spw_simt_state *s, uintptr_t pc, uint64_t address, size_t size,
                         spw_simt_access access, bool shared) {
    const uint32_t site = spw_simt_site(s, pc);
    spw_simt_event *e = next_event(s, s->lane);
    if (e)
        *e = (spw_simt_event){.address = address,
                              .id = site,
                              .size = (uint16_t)size,
                              .access = (uint8_t)access,
                              .shared = shared};
}

/* --- what gcc calls ------------------------------------------------------------------------------- */

void __sanitizer_cov_trace_pc(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void *unused); /* gcc passes nothing, though it says so */

static inline spw_simt_state *counting(void) {
    spw_simt_state *s = spw_simt_now;
    return s && s->lane && s->options.count ? s : NULL;
}

/* A basic block begins. */
void __sanitizer_cov_trace_pc(void) {
    spw_simt_state *s = counting();
    if (s) go_to(s, s->lane, CALLER);
}

/* A function begins; pc is where it was called. A recursion's path ends somewhere: then its blocks are
 * told apart no longer, which costs exactness and nothing else. */
void __tsan_func_entry(void *pc) {
    spw_simt_state *s = counting();
    if (!s) return;
    spw_simt_table *contexts = &s->graph->contexts;
    if (contexts->n == 0) spw_simt_table_number(contexts, 0, 0);
    if (contexts->n < MAX_PATHS)
        s->lane->context = spw_simt_table_number(contexts, s->lane->context, (uintptr_t)pc);
}

/* It ends: what follows in the caller is a block of its own, else it would belong to the function's last. */
void __tsan_func_exit(void *unused) {
    (void)unused;
    spw_simt_state *s = counting();
    if (!s || s->graph->contexts.n == 0) return;
    spw_simt_lane_state *lane = s->lane;
    const uint32_t from = lane->context;
    lane->context = (uint32_t)s->graph->contexts.keys[from].a;
    if (from) go_to(s, lane, (uintptr_t)s->graph->contexts.keys[from].b);
}

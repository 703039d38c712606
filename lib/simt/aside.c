/* Threads that wait in a loop for what another thread stores. After many atomics and volatile loads a lane gives way to
 * the others of its block, and again after few more, until it stores something; a block in which all do nothing else is
 * put aside, with its stacks and its shared memory, and the next one runs meanwhile. So as many blocks are under way
 * together as there are stacks. What runs downwards runs upwards from there: devices begin with block 0, and who waits
 * for an earlier block is right to do so. */
#include "simt/state.h"

#include "base/memory.h"

#include <string.h>

enum { MANY_SPINS = 2000, FEW_SPINS = 50, MOST_ASIDE = 256 };

/* What a block has of a shared array. */
typedef struct content {
    size_t unit, size, words_size;
    char *bytes; /* [size] as it stands there, then whether it was written, then the words */
} content;

typedef struct spw_simt_aside {
    spw_simt_block kept;
    content shared[sizeof((spw_simt_state *)0)->shared / sizeof(spw_simt_array)];
} spw_simt_aside;

void spw_simt_spin(spw_simt_state *s) {
    spw_simt_lane_state *lane = s->lane;
    if (++lane->spins < MANY_SPINS) return;
    spw_simt_warp *w = &s->now.warps[lane->number / WARP];
    const uint32_t bit = 1u << lane->number % WARP;
    lane->spins = MANY_SPINS - FEW_SPINS;
    lane->state = LANE_GAVE_WAY;
    w->ready &= ~bit;
    w->gave_way |= bit;
    spw_simt_wait(s);
}

/* Those who gave way go on. False: there are none. */
bool spw_simt_wake(spw_simt_state *s) {
    bool any = false;
    for (int w = 0; w < s->n_warps; w++) {
        for (uint32_t rest = s->now.warps[w].gave_way; rest; rest &= rest - 1)
            s->now.lanes[w * WARP + __builtin_ctz(rest)].state = LANE_READY;
        any |= s->now.warps[w].gave_way != 0;
        s->now.warps[w].ready |= s->now.warps[w].gave_way;
        s->now.warps[w].gave_way = 0;
    }
    return any;
}

/* --- shared memory -------------------------------------------------------------------------------- */

static size_t words_of(const spw_simt_array *a) {
    return a->words ? (a->size / a->unit + 2) * sizeof *a->words : 0;
}

static bool keep(content *c, const spw_simt_array *a) {
    *c = (content){.unit = a->unit, .size = a->size, .words_size = words_of(a)};
    if (spw_alloc((void **)&c->bytes, (int64_t)(2 * c->size + c->words_size + 1), 1)) return false;
    memcpy(c->bytes, a->start, c->size);
    if (a->written) memcpy(c->bytes + c->size, a->written, c->size);
    if (a->words) memcpy(c->bytes + 2 * c->size, a->words, c->words_size);
    return true;
}

static void bring_back(spw_simt_state *s, const content *c, spw_simt_array *a) {
    a->block = s->now.number;
    a->size = c->size;
    memcpy(a->start, c->bytes, c->size);
    if (a->written) memcpy(a->written, c->bytes + c->size, c->size);
    if (!a->words) return;
    if (c->words_size && a->unit == c->unit)
        memcpy(a->words, c->bytes + 2 * c->size, c->words_size);
    else
        memset(a->words, 0, words_of(a));
}

/* --- blocks --------------------------------------------------------------------------------------- */

static void drop(spw_simt_aside *b) {
    for (int k = 0; b->kept.lanes && k < MAX_THREADS; k++) spw_free(b->kept.lanes[k].trace);
    spw_free(b->kept.lanes);
    for (size_t k = 0; k < sizeof b->shared / sizeof *b->shared; k++) spw_free(b->shared[k].bytes);
    spw_free(b);
}

bool spw_simt_put_aside(spw_simt_state *s) {
    spw_simt_aside *b = NULL;
    spw_simt_lane_state *lanes = NULL;
    if (s->n_aside == MOST_ASIDE || !spw_fiber_pool_has(&s->pool, s->n_lanes)) return false;
    if (!s->aside && SPW_ALLOC_ZERO(&s->aside, MOST_ASIDE)) return false;
    if (SPW_ALLOC_ZERO(&b, 1)) return false;
    bool ok = !SPW_ALLOC_ZERO(&lanes, MAX_THREADS);
    for (int k = 0; k < s->n_shared && ok; k++)
        if (s->shared[k].block == s->now.number && s->shared[k].size)
            ok = keep(&b->shared[k], &s->shared[k]);
    if (!ok) {
        spw_free(lanes);
        drop(b);
        return false;
    }
    b->kept = s->now;
    s->now.lanes = lanes;
    spw_simt_number_lanes(s);
    s->aside[s->n_aside++] = b;
    return true;
}

void spw_simt_take_back(spw_simt_state *s) {
    spw_simt_aside *b = s->aside[0];
    memmove(s->aside, s->aside + 1, (size_t)--s->n_aside * sizeof *s->aside);
    spw_simt_lane_state *const lanes = s->now.lanes;
    s->now = b->kept;
    for (int k = 0; k < s->n_shared; k++)
        if (b->shared[k].bytes) bring_back(s, &b->shared[k], &s->shared[k]);
    b->kept.lanes = lanes;
    drop(b);
}

void spw_simt_drop_aside(spw_simt_state *s) {
    while (s->n_aside > 0) drop(s->aside[--s->n_aside]);
}

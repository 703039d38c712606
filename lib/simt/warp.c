/* Where lanes of a warp meet: __syncwarp, shuffles, votes, __activemask. A lane that arrives waits until
 * all lanes of its mask that have not left the kernel came to the same function with the same mask. */
#include "simt/state.h"

#include <stdio.h>
#include <string.h>

/* What a shuffle gives that reads from nobody: visible, and not plausible. */
static const uint64_t nobody = 0xC8C8C8C8C8C8C8C8u;

const char *spw_simt_meeting_name(spw_meeting m) {
    static const char *const names[] = {"__syncwarp", "a shuffle", "a vote", "__match_any_sync"};
    return names[m];
}

static void complain_of_source(spw_simt_state *s, const spw_simt_lane_state *lane, int warp,
                               uint32_t mask) {
    const spw_simt_warp *w = &s->now.warps[warp];
    const uint32_t bit = 1u << lane->source;
    char who[128], why[192];
    if (!(w->exists & bit))
        snprintf(why, sizeof why,
                 "which does not exist: the block has %d threads,\nno multiple of 32.", s->n_lanes);
    else if (w->done & bit)
        snprintf(
            why, sizeof why,
            "which has left the kernel without it: by an early return, past an `if` around the "
            "shuffle, or out of a loop that is shorter for it. All lanes that the mask names must "
            "call it.");
    else
        snprintf(why, sizeof why, "which is not in the mask 0x%08x.", mask);
    spw_simt_finding *f =
        spw_simt_find(s, SPW_SIMT_LANE, lane->pc, NULL, -1,
                      "The shuffle at {0} in kernel %.60s:\n%s (lane %d) reads from lane %d,\n%s\n"
                      "What it gets there is undefined.",
                      s->launch->kernel, spw_simt_who(s, who, sizeof who, lane->index),
                      lane->number % WARP, lane->source, why);
    if (f) memcpy(f->thread, &lane->index, sizeof f->thread);
}

static void shuffle(spw_simt_state *s, int warp, uint32_t mask, uint32_t arrived) {
    spw_simt_lane_state *lanes = &s->now.lanes[warp * WARP];
    uint64_t given[WARP];
    for (uint32_t rest = arrived; rest; rest &= rest - 1) {
        const int k = __builtin_ctz(rest);
        given[k] = lanes[k].bits;
    }
    for (uint32_t rest = arrived; rest; rest &= rest - 1) {
        spw_simt_lane_state *lane = &lanes[__builtin_ctz(rest)];
        if (arrived >> lane->source & 1) {
            lane->bits = given[lane->source];
        } else {
            complain_of_source(s, lane, warp, mask);
            lane->bits = nobody;
        }
    }
}

static void vote(spw_simt_state *s, int warp, uint32_t arrived) {
    spw_simt_lane_state *lanes = &s->now.lanes[warp * WARP];
    uint32_t ballot = 0;
    for (uint32_t rest = arrived; rest; rest &= rest - 1) {
        const int k = __builtin_ctz(rest);
        ballot |= (uint32_t)(lanes[k].predicate != 0) << k;
    }
    for (uint32_t rest = arrived; rest; rest &= rest - 1) lanes[__builtin_ctz(rest)].bits = ballot;
}

static void match(spw_simt_state *s, int warp, uint32_t arrived) {
    spw_simt_lane_state *lanes = &s->now.lanes[warp * WARP];
    uint32_t same[WARP];
    for (uint32_t a = arrived; a; a &= a - 1) {
        const int k = __builtin_ctz(a);
        same[k] = 0;
        for (uint32_t b = arrived; b; b &= b - 1)
            same[k] |= (uint32_t)(lanes[__builtin_ctz(b)].bits == lanes[k].bits)
                       << __builtin_ctz(b);
    }
    for (uint32_t a = arrived; a; a &= a - 1) lanes[__builtin_ctz(a)].bits = same[__builtin_ctz(a)];
}

/* Only __syncwarp orders memory; a shuffle or a vote does not. */
static void synchronise(spw_simt_state *s, int warp, uint32_t arrived) {
    spw_simt_lane_state *lanes = &s->now.lanes[warp * WARP];
    uint16_t epoch = 0;
    for (uint32_t rest = arrived; rest; rest &= rest - 1) {
        const int k = __builtin_ctz(rest);
        if (lanes[k].epoch > epoch) epoch = lanes[k].epoch;
    }
    for (uint32_t rest = arrived; rest; rest &= rest - 1)
        lanes[__builtin_ctz(rest)].epoch = (uint16_t)(epoch + 1);
}

static void complete(spw_simt_state *s, int warp, int k) {
    spw_simt_warp *w = &s->now.warps[warp];
    const spw_simt_gathering g = w->gatherings[k];
    w->gatherings[k] = w->gatherings[--w->n_gatherings];
    switch (g.what) {
    case MEET_SYNC: synchronise(s, warp, g.arrived); break;
    case MEET_SHUFFLE: shuffle(s, warp, g.mask, g.arrived); break;
    case MEET_BALLOT: vote(s, warp, g.arrived); break;
    case MEET_MATCH: match(s, warp, g.arrived); break;
    }
    for (uint32_t rest = g.arrived; rest; rest &= rest - 1)
        s->now.lanes[warp * WARP + __builtin_ctz(rest)].state = LANE_READY;
    w->ready |= g.arrived;
}

static bool is_complete(const spw_simt_warp *w, const spw_simt_gathering *g) {
    return (g->mask & w->exists & ~w->done & ~g->arrived) == 0;
}

void spw_simt_lane_left(spw_simt_state *s, int warp) {
    spw_simt_warp *w = &s->now.warps[warp];
    for (int k = w->n_gatherings - 1; k >= 0; k--)
        if (is_complete(w, &w->gatherings[k])) complete(s, warp, k);
}

/* Lanes that a mask names have to come to one call. __syncwarp waits for them wherever they are. */
static void check_for_two_calls(spw_simt_state *s, const spw_simt_gathering *g) {
    const spw_simt_lane_state *lane = s->lane;
    char who[128];
    if (g->what == MEET_SYNC || spw_simt_same_call(g->call, g->pc, lane->call, lane->pc)) return;
    spw_simt_finding *f = spw_simt_find(
        s, SPW_SIMT_LANE, lane->pc, NULL, -1,
        "%s of kernel %.60s is in %s at {0}, other lanes of its warp are in another at {1}, and "
        "both "
        "name the mask 0x%08x. The lanes of a mask must come to the same call, else the result is "
        "undefined: move it out of the branch.",
        spw_simt_who(s, who, sizeof who, lane->index), s->launch->kernel,
        spw_simt_meeting_name(g->what), g->mask);
    spw_simt_place_of(f, 1, g->pc);
    if (!g->call) spw_simt_only_on_two_lines(f);
}

static void meet(spw_simt_state *s, uint32_t mask, spw_meeting what, unsigned call, uintptr_t pc) {
    spw_simt_lane_state *lane = s->lane;
    const int warp = lane->number / WARP;
    const uint32_t bit = 1u << lane->number % WARP;
    spw_simt_warp *w = &s->now.warps[warp];
    lane->state = LANE_MEETS;
    lane->meeting = what;
    lane->mask = mask;
    lane->pc = pc;
    lane->call = call;
    w->ready &= ~bit;
    if (!(mask & bit)) {
        char who[128];
        spw_simt_find(s, SPW_SIMT_LANE, pc, NULL, -1,
                      "The mask 0x%08x of %s at {0} in kernel %.60s\ndoes not name the lane "
                      "that calls it: %s is lane %d.",
                      mask, spw_simt_meeting_name(what), s->launch->kernel,
                      spw_simt_who(s, who, sizeof who, lane->index), lane->number % WARP);
        mask |= bit;
    }
    int k = 0;
    while (k < w->n_gatherings && (w->gatherings[k].mask != mask || w->gatherings[k].what != what))
        k++;
    if (k == w->n_gatherings)
        w->gatherings[w->n_gatherings++] = (spw_simt_gathering){mask, 0, what, call, pc};
    check_for_two_calls(s, &w->gatherings[k]);
    w->gatherings[k].arrived |= bit;
    if (is_complete(w, &w->gatherings[k])) complete(s, warp, k);
    spw_simt_wait(s);
}

/* --- what kernels call ---------------------------------------------------------------------------- */

void spw_simt_sync_warp(uint32_t mask) {
    spw_simt_state *s = spw_simt_now;
    if (!spw_simt_called_outside(s, "__syncwarp", CALLER)) meet(s, mask, MEET_SYNC, 0, CALLER);
}

uint64_t spw_simt_shuffle(uint32_t mask, uint64_t bits, int source, unsigned call) {
    spw_simt_state *s = spw_simt_now;
    if (spw_simt_called_outside(s, "A shuffle", CALLER)) return bits;
    s->lane->bits = bits;
    s->lane->source = source & 31;
    meet(s, mask, MEET_SHUFFLE, call, CALLER);
    return s->lane->bits;
}

uint32_t spw_simt_ballot(uint32_t mask, int predicate, unsigned call) {
    spw_simt_state *s = spw_simt_now;
    if (spw_simt_called_outside(s, "A vote", CALLER)) return 0;
    s->lane->predicate = predicate;
    meet(s, mask, MEET_BALLOT, call, CALLER);
    return (uint32_t)s->lane->bits;
}

uint32_t spw_simt_match(uint32_t mask, uint64_t bits, unsigned call) {
    spw_simt_state *s = spw_simt_now;
    if (spw_simt_called_outside(s, "__match_any_sync", CALLER)) return 0;
    s->lane->bits = bits;
    meet(s, mask, MEET_MATCH, call, CALLER);
    return (uint32_t)s->lane->bits;
}

/* The lanes that are at this place when nobody else of the warp can run: as converged as can be. */
uint32_t spw_simt_active_mask(void) {
    spw_simt_state *s = spw_simt_now;
    if (spw_simt_called_outside(s, "__activemask", CALLER)) return 0;
    spw_simt_lane_state *lane = s->lane;
    spw_simt_warp *w = &s->now.warps[lane->number / WARP];
    lane->state = LANE_ASKS;
    lane->pc = CALLER;
    w->ready &= ~(1u << lane->number % WARP);
    w->asks_active |= 1u << lane->number % WARP;
    spw_simt_wait(s);
    return (uint32_t)s->lane->bits;
}

void spw_simt_answer_active(spw_simt_state *s, int warp) {
    spw_simt_warp *w = &s->now.warps[warp];
    spw_simt_lane_state *lanes = &s->now.lanes[warp * WARP];
    const uintptr_t pc = lanes[__builtin_ctz(w->asks_active)].pc;
    uint32_t here = 0;
    for (uint32_t rest = w->asks_active; rest; rest &= rest - 1)
        if (lanes[__builtin_ctz(rest)].pc == pc) here |= rest & -rest;
    for (uint32_t rest = here; rest; rest &= rest - 1) {
        lanes[__builtin_ctz(rest)].bits = here;
        lanes[__builtin_ctz(rest)].state = LANE_READY;
    }
    w->asks_active &= ~here;
    w->ready |= here;
}

/* One block: its warps in turn, in each warp the lowest (or highest) lane that can run, until it waits.
 *
 * A lane that ends without ever waiting leaves its stack to the next one, so that a kernel without
 * barriers runs as one loop on one stack. */
#include "simt/state.h"

#include <stdio.h>
#include <string.h>

static int warp_of(const spw_simt_lane_state *lane) { return lane->number / WARP; }

static uint32_t bit_of(const spw_simt_lane_state *lane) { return 1u << lane->number % WARP; }

static spw_simt_lane_state *next_ready(spw_simt_state *s, int warp) {
    const uint32_t ready = s->now.warps[warp].ready;
    if (!ready) return NULL;
    const int lane = s->options.descending ? 31 - __builtin_clz(ready) : __builtin_ctz(ready);
    return &s->now.lanes[warp * WARP + lane];
}

static void make_ready(spw_simt_state *s, spw_simt_lane_state *lane) {
    lane->state = LANE_READY;
    s->now.warps[warp_of(lane)].ready |= bit_of(lane);
}

/* --- a lane's life -------------------------------------------------------------------------------- */

static void lane_is_done(spw_simt_state *s, spw_simt_lane_state *lane) {
    spw_simt_warp *w = &s->now.warps[warp_of(lane)];
    lane->state = LANE_DONE;
    w->ready &= ~bit_of(lane);
    w->done |= bit_of(lane);
    s->now.n_done++;
    s->progress++;
    if (w->n_gatherings) spw_simt_lane_left(s, warp_of(lane));
}

static void live(void *argument) {
    spw_simt_lane_state *lane = argument;
    spw_simt_state *s = spw_simt_now;
    spw_fiber *const fiber = lane->fiber;
    for (;;) {
        s->launch->call(s->launch->arguments);
        lane = s->lane;
        lane_is_done(s, lane);
        lane->fiber = NULL;
        spw_simt_lane_state *next = next_ready(s, warp_of(lane));
        s->lane = next;
        if (next && !next->fiber) {
            next->fiber = fiber;
            continue;
        }
        /* Nobody can take this stack before it is left for good by the switch. */
        spw_fiber_give(&s->pool, fiber);
        spw_fiber_switch(&s->pool, fiber, next ? next->fiber : &s->main_fiber);
    }
}

void spw_simt_leave_lane(spw_simt_state *s) {
    spw_simt_lane_state *const lane = s->lane;
    spw_fiber *const fiber = lane->fiber;
    lane_is_done(s, lane);
    lane->fiber = NULL;
    spw_simt_lane_state *next = next_ready(s, warp_of(lane));
    if (next && !next->fiber) next->fiber = spw_fiber_take(&s->pool, live, next);
    s->lane = next;
    spw_fiber_give(&s->pool, fiber);
    spw_fiber_switch(&s->pool, fiber, next ? next->fiber : &s->main_fiber);
}

static void enter(spw_simt_state *s, spw_fiber *from, spw_simt_lane_state *lane) {
    if (!lane->fiber) lane->fiber = spw_fiber_take(&s->pool, live, lane);
    s->lane = lane;
    spw_fiber_switch(&s->pool, from, lane->fiber);
}

void spw_simt_wait(spw_simt_state *s) {
    spw_simt_lane_state *lane = s->lane;
    spw_simt_lane_state *next = next_ready(s, warp_of(lane));
    if (next == lane) return;
    if (next) {
        enter(s, lane->fiber, next);
    } else {
        s->lane = NULL;
        spw_fiber_switch(&s->pool, lane->fiber, &s->main_fiber);
    }
}

/* --- barriers ------------------------------------------------------------------------------------- */

bool spw_simt_called_outside(spw_simt_state *s, const char *what, uintptr_t pc) {
    if (s && s->lane) return false;
    if (s)
        spw_simt_find(s, SPW_SIMT_CALL, pc, NULL, -1,
                      "%s is called by host code: it is for kernels.", what);
    return true;
}

int spw_simt_sync_block(int predicate, unsigned call) {
    spw_simt_state *s = spw_simt_now;
    if (spw_simt_called_outside(s, "__syncthreads", CALLER)) return 0;
    spw_simt_lane_state *lane = s->lane;
    spw_simt_warp *w = &s->now.warps[warp_of(lane)];
    lane->state = LANE_AT_BARRIER;
    lane->pc = CALLER;
    lane->call = call;
    lane->predicate = predicate;
    w->ready &= ~bit_of(lane);
    w->at_barrier |= bit_of(lane);
    s->now.n_at_barrier++;
    spw_simt_wait(s);
    return s->barrier_count;
}

static void check_for_leavers(spw_simt_state *s, uintptr_t pc) {
    char who[128];
    int first = 0;
    if (s->now.n_done == 0) return;
    while (s->now.lanes[first].state != LANE_DONE) first++;
    char more[48] = "";
    if (s->now.n_done > 1)
        snprintf(more, sizeof more, " and %d other%s", s->now.n_done - 1,
                 s->now.n_done > 2 ? "s" : "");
    spw_simt_finding *f = spw_simt_find(
        s, SPW_SIMT_LEFT, pc, NULL, -1,
        "%s%s had left kernel %.60s\nwhen the others came to the barrier at {0}.\n"
        "All threads of a block must reach it: instead of an early return, put the\n"
        "condition around the work and keep the barrier outside.",
        spw_simt_who(s, who, sizeof who, spw_simt_thread_at(s, first)), more, s->launch->kernel);
    if (f) memcpy(f->thread, &s->now.lanes[first].index, sizeof f->thread);
}

/* __syncthreads in both branches of an if looks like one barrier to the hardware, and is none. */
static void check_for_two_barriers(spw_simt_state *s) {
    const spw_simt_lane_state *first = NULL, *other = NULL;
    int here = 0, there = 0;
    for (int k = 0; k < s->n_lanes; k++) {
        const spw_simt_lane_state *lane = &s->now.lanes[k];
        if (lane->state != LANE_AT_BARRIER) continue;
        if (!first) first = lane;
        if (spw_simt_same_call(lane->call, lane->pc, first->call, first->pc))
            here++;
        else
            there++, other = lane;
    }
    if (!there) return;
    spw_simt_finding *f = spw_simt_find(
        s, SPW_SIMT_BARRIER, first->pc, NULL, -1,
        "In block %u of kernel %.60s, %d threads wait at the barrier at {0}\nand %d at the one at "
        "{1}. "
        "A barrier must be reached by all threads of the block:\nmove it out of the branch.",
        s->now.index.x, s->launch->kernel, here, there);
    spw_simt_place_of(f, 1, other->pc);
    if (!first->call) spw_simt_only_on_two_lines(f);
}

static void release_barrier(spw_simt_state *s) {
    const spw_simt_lane_state *first = NULL;
    bool differ = false;
    s->barrier_count = 0;
    for (int k = 0; k < s->n_lanes; k++) {
        const spw_simt_lane_state *lane = &s->now.lanes[k];
        if (lane->state != LANE_AT_BARRIER) continue;
        if (!first) first = lane;
        differ |= lane->pc != first->pc;
        s->barrier_count += lane->predicate;
    }
    check_for_leavers(s, first->pc);
    if (differ) check_for_two_barriers(s);
    for (int k = 0; k < s->n_lanes; k++)
        if (s->now.lanes[k].state == LANE_AT_BARRIER) make_ready(s, &s->now.lanes[k]);
    for (int w = 0; w < s->n_warps; w++) s->now.warps[w].at_barrier = 0;
    s->now.n_at_barrier = 0;
    s->now.epoch++;
}

/* Nobody can run, not all are done: says who waits where. */
static void explain_deadlock(spw_simt_state *s) {
    struct {
        uintptr_t pc;
        const char *what;
        uint32_t mask;
        int count, first;
    } groups[MAX_PLACES];
    int n = 0, rest = 0;
    for (int k = 0; k < s->n_lanes; k++) {
        const spw_simt_lane_state *lane = &s->now.lanes[k];
        if (lane->state == LANE_DONE) continue;
        const char *what =
            lane->state == LANE_AT_BARRIER ? "__syncthreads" : spw_simt_meeting_name(lane->meeting);
        int g = 0;
        while (g < n && (groups[g].pc != lane->pc || groups[g].what != what)) g++;
        if (g == MAX_PLACES) {
            rest++;
            continue;
        }
        if (g == n) {
            groups[n].pc = lane->pc;
            groups[n].what = what;
            groups[n].mask = lane->state == LANE_MEETS ? lane->mask : 0;
            groups[n].count = 0;
            groups[n++].first = k;
        }
        groups[g].count++;
    }
    char text[SPW_SIMT_TEXT];
    int at = snprintf(text, sizeof text, "Block %u of kernel %.60s cannot go on:", s->now.index.x,
                      s->launch->kernel);
    for (int g = 0; g < n && at < (int)sizeof text; g++) {
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "\n  %d thread%s at {%d} in %s",
                     groups[g].count, groups[g].count > 1 ? "s wait" : " waits", g, groups[g].what);
        if (groups[g].mask && at < (int)sizeof text)
            at += snprintf(text + at, sizeof text - (size_t)at, ", mask 0x%08x", groups[g].mask);
    }
    if (rest && at < (int)sizeof text)
        at += snprintf(text + at, sizeof text - (size_t)at, "\n  %d more elsewhere", rest);
    if (s->now.n_done && at < (int)sizeof text)
        at += snprintf(text + at, sizeof text - (size_t)at, "\n  %d %s left the kernel",
                       s->now.n_done, s->now.n_done > 1 ? "threads have" : "thread has");
    if (at < (int)sizeof text)
        snprintf(text + at, sizeof text - (size_t)at,
                 "\nAll threads of a block must reach the same __syncthreads, and all lanes\n"
                 "that a mask names the same shuffle, vote or __syncwarp.");
    spw_simt_finding *f = spw_simt_find(s, SPW_SIMT_BARRIER, groups[0].pc, NULL, -1, "%s", text);
    for (int g = 1; g < n; g++) spw_simt_place_of(f, g, groups[g].pc);
    if (f) memcpy(f->thread, &s->now.lanes[groups[0].first].index, sizeof f->thread);
    spw_simt_leave_launch(CUDA_LAUNCH_FAILURE);
}

/* --- the block ------------------------------------------------------------------------------------ */

void spw_simt_begin_block(spw_simt_state *s) {
    s->now.n_done = s->now.n_at_barrier = 0;
    s->now.epoch = 0;
    s->now.n_events = 0;
    s->n_warps = (s->n_lanes + WARP - 1) / WARP;
    for (int w = 0; w < s->n_warps; w++) {
        const int lanes = s->n_lanes - w * WARP;
        const uint32_t exists = lanes >= WARP ? 0xffffffffu : (1u << lanes) - 1;
        s->now.warps[w].exists = s->now.warps[w].ready = exists;
        s->now.warps[w].at_barrier = s->now.warps[w].asks_active = s->now.warps[w].gave_way = 0;
        s->now.warps[w].done = 0;
        s->now.warps[w].n_gatherings = 0;
    }
    for (int k = 0; k < s->n_lanes; k++) {
        spw_simt_lane_state *lane = &s->now.lanes[k];
        lane->state = LANE_READY;
        lane->fiber = NULL;
        lane->epoch = 0;
        memset(lane->fence, 0, sizeof lane->fence);
        lane->spins = 0;
        lane->context = lane->node = 0;
        lane->n_trace = 0;
    }
}

bool spw_simt_run_block(spw_simt_state *s, bool patient) {
    int64_t progress = -1;
    while (s->now.n_done < s->n_lanes) {
        bool ran = false;
        for (int k = 0; k < s->n_warps; k++) {
            const int warp = s->options.descending ? s->n_warps - 1 - k : k;
            while (s->now.warps[warp].ready || s->now.warps[warp].asks_active) {
                ran = true;
                if (!s->now.warps[warp].ready) spw_simt_answer_active(s, warp);
                enter(s, &s->main_fiber, next_ready(s, warp));
                if (s->late && !s->abandoned) spw_simt_end_late_launch(s);
                if (s->abandoned) return true;
            }
        }
        if (s->now.n_done == s->n_lanes) break;
        if (spw_simt_wake(s)) {
            if (s->progress == progress && !patient) return false;
            progress = s->progress;
            continue;
        }
        if (ran) continue;
        if (s->now.n_done + s->now.n_at_barrier < s->n_lanes) {
            explain_deadlock(s);
            return true;
        }
        release_barrier(s);
    }
    return true;
}

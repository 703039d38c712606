/* The ranks as fibers: one runs until it has to wait, then the next that is ready. */
#include "ranks/state.h"

#include "base/memory.h"

#include <math.h>

enum { STACK = 8 << 20, TESTS = 20000 };

engine *spw_ranks_engine;

static void push(rank *r) {
    r->state = READY;
    E->queue[E->tail] = r;
    E->tail = (E->tail + 1) % (E->n + 1);
}

static void to_main(void) {
    if (E->options.order && E->head == E->tail && !E->stopped) (void)spw_ranks_choose();
    spw_fiber_switch(&E->pool, E->now->fiber, &E->main);
}

void spw_ranks_wait(void) {
    E->now->state = WAITING;
    to_main();
}

void spw_ranks_yield(void) {
    if (E->progress != E->progress_at_test) E->idle_tests = 0;
    E->progress_at_test = E->progress;
    if (E->options.order && E->idle_tests > E->n) (void)spw_ranks_choose();
    if (++E->idle_tests > TESTS) {
        spw_ranks_find_deadlock();
        spw_ranks_stop();
    }
    push(E->now);
    to_main();
}

void spw_ranks_wake(int number) {
    rank *r = &E->ranks[number];
    E->progress++;
    if (r->state == WAITING) push(r);
}

void spw_ranks_stop(void) {
    E->stopped = true;
    for (;;) to_main();
}

void *spw_ranks_room(size_t count, size_t size) {
    void *room = NULL;
    if (spw_alloc_zero(&room, (int64_t)(count ? count : 1), size))
        spw_ranks_fail("%s", spw_message());
    return room;
}

rank *spw_ranks_me(void) {
    rank *r = E->now;
    if (!r->initialised)
        spw_ranks_fail("rank %d: %s comes before MPI_Init", r->number, spw_ranks_where(r->last));
    if (r->finalised)
        spw_ranks_fail("rank %d: %s comes after %s", r->number, spw_ranks_where(r->last),
                       spw_ranks_where(r->final));
    return r;
}

void spw_ranks_at(const char *file, int line, const char *call) {
    if (!E || !E->now) return;
    E->now->last = (site){file, line, call};
}

static void end_rank(rank *r) {
    if (r->initialised && !r->finalised) {
        spw_ranks_check_left(r);
        spw_ranks_find("rank %d ended without MPI_Finalize", r->number);
    }
    r->state = ENDED;
    E->progress++;
    to_main();
}

static void enter(void *of_rank) {
    rank *r = of_rank;
    E->body(r->number, E->argument);
    end_rank(r);
}

void spw_ranks_exit(int status) {
    rank *r = E->now;
    if (status != 0)
        spw_ranks_fail("rank %d left with status %d by %s", r->number, status,
                       spw_ranks_where(r->last));
    for (;;) end_rank(r);
}

int spw_ranks_current(void) { return E && E->now ? E->now->number : -1; }

const char *spw_ranks_last_call(void) {
    return E && E->now && E->now->last.call ? spw_ranks_where(E->now->last) : "";
}

void spw_ranks_charge(double seconds) { E->now->clock += seconds; }
double spw_ranks_clock(void) { return E->now->clock; }

static spw_status begin(const spw_ranks_options *o) {
    const size_t stack = o->stack ? o->stack : STACK;
    E->options = *o;
    if (!(o->cluster.bandwidth > 0)) E->options.cluster.bandwidth = INFINITY;
    E->n = o->ranks;
    spw_status status = SPW_ALLOC_ZERO(&E->ranks, E->n);
    if (!status) status = SPW_ALLOC_ZERO(&E->queue, E->n + 1);
    if (!status) status = spw_fiber_pool_create(E->n, stack, false, &E->pool);
    if (status) return status;
    if (!spw_fiber_pool_has(&E->pool, E->n))
        return spw_error(SPW_ERR_MEMORY, "no room for the stacks of %d ranks", E->n);
    for (int k = 0; k < E->n; k++) {
        rank *r = &E->ranks[k];
        r->number = k;
        r->fiber = spw_fiber_take(&E->pool, enter, r);
    }
    for (int k = 0; k < E->n; k++) push(&E->ranks[o->descending ? E->n - 1 - k : k]);
    return SPW_OK;
}

static void end(void) {
    for (int k = 0; k < E->n_comms; k++) spw_ranks_destroy_comm(E->comms[k]);
    spw_free(E->comms);
    for (int k = 0; k < E->n_requests; k++) {
        spw_free(E->requests[k]->stash);
        spw_free(E->requests[k]->before);
        spw_free(E->requests[k]);
    }
    spw_free(E->requests);
    spw_fiber_pool_destroy(&E->pool);
    spw_free(E->queue);
    spw_free(E->ranks);
    spw_free(E);
    E = NULL;
}

static void add_up(spw_ranks_result *result) {
    *result = (spw_ranks_result){.collectives = E->collectives,
                                 .from_any = E->from_any,
                                 .most_senders = E->most_senders,
                                 .aborted = E->aborted,
                                 .abort_code = E->abort_code};
    for (int k = 0; k < E->n; k++) {
        const rank *r = &E->ranks[k];
        if (r->clock > result->seconds) result->seconds = r->clock;
        result->messages += r->messages;
        result->bytes += r->bytes;
        if (r->messages > result->most_messages) result->most_messages = r->messages;
        if (r->bytes > result->most_bytes) result->most_bytes = r->bytes;
    }
}

spw_status spw_ranks_run(const spw_ranks_options *options, void (*body)(int, void *),
                         void *argument, spw_ranks_result *result) {
    *result = (spw_ranks_result){0};
    spw_ranks_tell_nothing();
    spw_ranks_forget_chances();
    if (options->ranks < 1 || options->ranks > SPW_RANKS_MOST)
        return spw_error(SPW_ERR_ARG, "%d ranks, must be 1 to %d", options->ranks, SPW_RANKS_MOST);
    spw_status status = SPW_ALLOC_ZERO(&E, 1);
    if (status) return status;
    E->body = body;
    E->argument = argument;
    status = begin(options);
    while (!status && !E->stopped && E->head != E->tail) {
        E->now = E->queue[E->head];
        E->head = (E->head + 1) % (E->n + 1);
        spw_fiber_switch(&E->pool, &E->main, E->now->fiber);
    }
    E->now = NULL;
    if (!status && !E->stopped) {
        bool all = true;
        for (int k = 0; k < E->n; k++) all = all && E->ranks[k].state == ENDED;
        if (!all) spw_ranks_find_deadlock();
    }
    if (!status) add_up(result);
    end();
    return status;
}

/* Begin, run, end; and what happens when the processor or the clock interrupts a run. */
/* Fortified longjmp refuses to leave a fiber's stack for the program's own. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE /* dladdr, the registers of a ucontext_t */
#include "simt/state.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

enum {
    STACK = 64 << 10,
    SIGNAL_STACK = 256 << 10,
    PATIENCE = 2000,
    MOST_THREADS = 16 * MAX_THREADS
};

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

spw_simt_state *spw_simt_now;

/* --- ways out ------------------------------------------------------------------------------------- */

/* A lane that is on its own stack switches away for good; the scheduler sees that all is over. */
static void abandon(spw_simt_state *s) {
    spw_fiber *fiber = s->lane ? s->lane->fiber : NULL;
    s->abandoned = true;
    s->lane = NULL;
    if (fiber) spw_fiber_switch(&s->pool, fiber, &s->main_fiber);
}

void spw_simt_leave_launch(int error) {
    spw_simt_now->sticky_error = spw_simt_now->last_error = error;
    abandon(spw_simt_now);
}

void spw_simt_leave_run(void) {
    spw_simt_state *s = spw_simt_now;
    s->leaves_run = true;
    if (s->lane) abandon(s);
    siglongjmp(s->leave_run, 1);
}

void spw_simt_out_of_memory(void) {
    spw_simt_state *s = spw_simt_now;
    spw_simt_find(s, SPW_SIMT_ROOM, 0, NULL, -1,
                  "The checker ran out of memory: try a smaller case.");
    spw_simt_leave_run();
}

void spw_simt_grow(void **array, size_t *room, size_t want, size_t size) {
    if (want <= *room) return;
    const size_t more = want > 2 * *room ? (want < 64 ? 64 : want) : 2 * *room;
    void *bigger;
    if (spw_alloc(&bigger, (int64_t)more, (int64_t)size)) spw_simt_out_of_memory();
    if (*room) memcpy(bigger, *array, *room * size);
    spw_free(*array);
    *array = bigger;
    *room = more;
}

/* --- signals -------------------------------------------------------------------------------------- */

static uintptr_t interrupted_pc(const ucontext_t *context) {
#if defined __x86_64__
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP] + 1; /* as if it were a return address */
#elif defined __aarch64__
    return (uintptr_t)context->uc_mcontext.pc + 1;
#else
    (void)context;
    return 0;
#endif
}

static int was_write(const ucontext_t *context) {
#if defined __x86_64__
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return -1;
#endif
}

/* The start of the loaded file that an address is in; NULL: none. */
static void *object_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Is it a place of an answer, and not of this program or the C library? There it is safe to leave: no
 * lock is held, no list half changed. */
static bool is_in_answer(const spw_simt_state *s, uintptr_t pc) {
    void *function;
    void (*const library)(void *) = free;
    void *const object = object_of((void *)pc);
    if (s->launch) { /* ISO C has no cast from function to object pointer */
        memcpy(&function, &s->launch->call, sizeof function);
        return object == object_of(function);
    }
    memcpy(&function, &library, sizeof function);
    return object && object != object_of(function) && object != object_of(&spw_simt_now);
}

static void say_time_is_up(spw_simt_state *s, uintptr_t pc) {
    const double limit = s->options.limit;
    if (s->launch)
        spw_simt_find(
            s, SPW_SIMT_TIME, pc, NULL, -1,
            "Kernel %.60s did not end within %g s of processor time; it was at {0}. A "
            "loop without end? "
            "A thread that waits in a loop for another gives way to it only where it reads "
            "by an atomic or through a volatile pointer.",
            s->launch->kernel, limit);
    else
        spw_simt_find(s, SPW_SIMT_TIME, pc, NULL, -1,
                      "The host code did not end within %g s of processor time; it was at {0}.",
                      limit);
}

/* Called every millisecond from the limit on, until a good place is met or patience ends. A launch that
 * is in the checker's own code ends where its scheduler next looks. */
static void time_is_up(spw_simt_state *s, uintptr_t pc) {
    if (!is_in_answer(s, pc)) {
        s->late = s->launch != NULL;
        if (s->patience-- > 0) return;
        if (s->last_pc) pc = s->last_pc;
    }
    say_time_is_up(s, pc);
    spw_simt_leave_run();
}

void spw_simt_end_late_launch(spw_simt_state *s) {
    say_time_is_up(s, s->last_pc);
    s->late = false;
    s->abandoned = s->leaves_run = true;
}

/* These handlers are left by a switch of stacks, which does not bring the mask back. */
static void unblock_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int k = 0; k < N_SIGNALS; k++) sigaddset(&set, signals[k]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void on_signal(int number, siginfo_t *info, void *c) {
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->in_run) {
        if (number == SIGVTALRM) return;
        for (int k = 0; s && k < N_SIGNALS; k++)
            if (signals[k] == number) sigaction(number, &s->old_actions[k], NULL);
        if (!s) signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number); /* else the same instruction faults again */
        return;
    }
    /* Inside the runtime the call's place says more than the address in it. */
    const uintptr_t pc = s->in_call ? s->call_pc : interrupted_pc(c);
    if (number != SIGVTALRM || is_in_answer(s, interrupted_pc(c)) || s->patience <= 0)
        unblock_signals();
    if (number == SIGVTALRM) {
        time_is_up(s, pc);
        return;
    }
    if (number == SIGSEGV || number == SIGBUS) {
        spw_simt_explain_fault(s, pc, info->si_addr, was_write(c));
    } else {
        const char *what =
            number == SIGFPE    ? "an integer division by zero, which has no defined result"
            : number == SIGABRT ? "abort: an assert that does not hold, or an exception that "
                                  "nobody catches"
            : number == SIGILL  ? "an instruction that is none"
                                : "a fatal signal";
        spw_simt_find(s, SPW_SIMT_CRASH, is_in_answer(s, pc) ? pc : 0, NULL, -1, "Stopped by %s.",
                      what);
    }
    if (s->lane) spw_simt_leave_launch(CUDA_ILLEGAL_ADDRESS);
    spw_simt_leave_run();
}

static void catch_signals(spw_simt_state *s) {
    const stack_t stack = {.ss_sp = s->signal_stack, .ss_size = SIGNAL_STACK};
    sigaltstack(&stack, &s->old_stack);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < N_SIGNALS; k++) sigaction(signals[k], &action, &s->old_actions[k]);
    s->catching = true;
}

static void release_signals(spw_simt_state *s) {
    for (int k = 0; k < N_SIGNALS; k++) sigaction(signals[k], &s->old_actions[k], NULL);
    sigaltstack(&s->old_stack, NULL);
}

static void set_clock(double seconds) {
    const struct itimerval timer = {
        .it_interval = {.tv_usec = 1000},
        .it_value = {.tv_sec = (time_t)seconds,
                     .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

/* --- begin, run, end ------------------------------------------------------------------------------ */

static void destroy_fibers(spw_simt_state *s) {
    if (s->pool.portable) spw_fiber_portable_destroy(&s->main_fiber);
    spw_fiber_pool_destroy(&s->pool);
    s->main_fiber = (spw_fiber){0};
}

spw_status spw_simt_set(const spw_simt_options *options) {
    spw_simt_state *s = spw_simt_now;
    if (!s || s->in_run) return spw_error(SPW_ERR_ARG, "no run of the checker may be under way");
    if (options->limit < 0 || options->cache_bytes < 0 || options->resident_blocks < 0)
        return spw_error(SPW_ERR_ARG, "limit, cache and resident blocks must not be negative");
    spw_status status = SPW_OK;
    if (!s->pool.memory || s->options.portable_fibers != options->portable_fibers) {
        destroy_fibers(s);
        status = spw_fiber_pool_create(MOST_THREADS, STACK, options->portable_fibers, &s->pool);
        if (!status && s->pool.portable) status = spw_fiber_portable_create(&s->main_fiber);
    }
    if (!status &&
        (options->detail != s->options.detail || options->cache_bytes != s->options.cache_bytes)) {
        spw_simt_cache_destroy(s->cache);
        s->cache = NULL;
        if (options->detail)
            status = spw_simt_cache_create(options->cache_bytes,
                                           options->resident_blocks ? options->resident_blocks : 32,
                                           &s->cache);
    }
    s->options = *options;
    if (status) s->options.detail = false;
    if (s->options.limit == 0) s->options.limit = 10;
    return status;
}

spw_status spw_simt_begin(const spw_simt_options *options) {
    if (spw_simt_now) return spw_error(SPW_ERR_ARG, "a run of the checker is under way already");
    spw_simt_state *s = NULL;
    spw_status status = SPW_ALLOC_ZERO(&s, 1);
    if (status) return status;
    spw_simt_now = s;
    if (!status) status = SPW_ALLOC_ZERO(&s->now.lanes, MAX_THREADS);
    if (!status) status = SPW_ALLOC_ZERO(&s->arrays, MAX_ARRAYS);
    if (!status) status = SPW_ALLOC_ZERO(&s->findings, MAX_FINDINGS);
    if (!status) status = SPW_ALLOC_ZERO(&s->signal_stack, SIGNAL_STACK);
    if (!status) status = spw_simt_graph_create(&s->graph);
    if (!status) status = spw_simt_releases_create(&s->releases);
    if (!status) status = spw_simt_timeline_create(&s->timeline);
    if (!status) status = spw_simt_doubts_create(s);
    if (!status) status = spw_simt_ordered_create(&s->ordered);
    if (!status) status = spw_simt_memory_create(s);
    if (!status) status = spw_simt_set(options);
    if (!status)
        catch_signals(s);
    else
        spw_simt_end();
    return status;
}

void spw_simt_stop(void) {
    spw_simt_state *s = spw_simt_now;
    if (!s || !s->in_run) return;
    s->in_run = false;
    set_clock(0);
    if (!s->leaves_run) spw_simt_tell_leaks(s);
    spw_fiber_forget_frames(s->signal_stack, SIGNAL_STACK);
    s->lane = NULL;
    s->launch = NULL;
    s->in_call = NULL;
    spw_simt_drop_aside(s);
    spw_fiber_give_all(&s->pool);
    spw_simt_unlock_all(s, false);
}

bool spw_simt_run(void (*host)(void *), void *argument) {
    spw_simt_state *s = spw_simt_now;
    volatile bool ended = false;
    s->last_error = s->sticky_error = 0;
    s->n_copies = 0;
    spw_simt_timeline_begin(s->timeline);
    s->n_copied = 0;
    s->n_sectors = 0;
    s->thin = (spw_simt_launched){.sectors = 0};
    s->resolved = s->rows_are_built = false;
    s->last_pc = 0;
    s->hint[0] = 0;
    spw_simt_ordered_begin(s->ordered);
    s->patience = PATIENCE;
    s->abandoned = s->leaves_run = s->late = false;
    s->in_run = true;
    if (sigsetjmp(s->leave_run, 1) == 0) {
        set_clock(s->options.limit);
        host(argument);
        ended = true;
    }
    spw_simt_stop();
    return ended;
}

void spw_simt_reset(void) {
    spw_simt_state *s = spw_simt_now;
    s->n_findings = s->n_shapes = 0;
    s->count_is_cut = false;
    s->resolved = s->rows_are_built = false;
    spw_simt_graph_reset(s->graph);
}

void spw_simt_end(void) {
    spw_simt_state *s = spw_simt_now;
    if (!s) return;
    if (s->catching) release_signals(s);
    for (int k = 0; s->now.lanes && k < MAX_THREADS; k++) spw_free(s->now.lanes[k].trace);
    spw_simt_cache_destroy(s->cache);
    spw_simt_graph_destroy(s->graph);
    spw_simt_memory_destroy(s);
    destroy_fibers(s);
    spw_free(s->rows);
    spw_free(s->lines);
    spw_simt_timeline_destroy(s->timeline);
    spw_simt_releases_destroy(s->releases);
    spw_simt_drop_aside(s);
    spw_free(s->aside);
    spw_free(s->doubt);
    spw_free(s->ordered);
    spw_free(s->signal_stack);
    spw_free(s->findings);
    spw_free(s->arrays);
    spw_free(s->now.lanes);
    spw_free(s);
    spw_simt_now = NULL;
}

/* An OpenMP runtime whose threads are fibers: the functions that gcc's code calls, those that the answers of this
 * workbook can need. What is not here stays undefined, and races.sh says so. See races.h. */
#define _GNU_SOURCE
#include "judge/races/runtime.h"
#include "simt/fiber.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STACK = 8 << 20, SHARED = 64 };

/* --- threads, one of which runs -------------------------------------------------------------------- */

typedef struct task {
    void (*work)(void *);
    void *data;
    struct task *parent, *next;
    struct group *group;
    int children;   /* that are not done */
    clocks created; /* what came before it */
    clocks done;    /* what its children did */
} task;

typedef struct group {
    struct group *outer;
    int tasks;
    clocks done;
} group;

/* A loop, sections or a single. */
typedef struct share {
    int number, left; /* threads that are through */
    long next, end, step, chunk;
    bool guides;
    void *copied;
} share;

typedef struct thread {
    spw_fiber fiber;
    bool ended;
    clocks clocks;
    int shares; /* loops, sections and singles that it has met */
    task implicit, *task;
    group *group;
    int share;   /* the one that it is in */
    int nested;  /* regions of one thread, within that of the team */
    share alone; /* the one that it has there */
} thread;

static thread threads[SPW_RACES_THREADS];
static spw_fiber home; /* who began the region */
static clocks home_clocks;
static void (*region)(void *);
static void *region_data;
static int team = 1, me, asked, at_barrier, barriers, n_tasks;
static task *first_task, **last_task = &first_task;
static share shares[SHARED];
bool in_region;

/* Within the region of the team, and not in another one in that? */
static bool in_team(void) { return in_region && !threads[me].nested; }

int running(void) { return me; }

clocks *running_clocks(void) { return &threads[me].clocks; }

bool on_own_stack(const void *address) {
    return (uintptr_t)address - (uintptr_t)threads[me].fiber.stack < STACK;
}

static void go_on_with(int next) {
    const int from = me;
    if (next == from) return;
    me = next;
    spw_fiber_switch_jump(&threads[from].fiber, &threads[next].fiber);
}

void let_others_run(void) {
    const int step = races && races->descending ? team - 1 : 1;
    if (!in_region) return;
    for (int next = (me + step) % team; next != me; next = (next + step) % team)
        if (!threads[next].ended) {
            go_on_with(next);
            return;
        }
}

/* --- tasks ----------------------------------------------------------------------------------------- */

static void run(task *t) {
    thread *own = &threads[me];
    task *before = own->task;
    group *group_before = own->group;
    const int nested = own->nested;
    own->nested = 0;
    own->task = t;
    own->group = t->group;
    clocks_join(running_clocks(), &t->created);
    t->work(t->data);
    clocks_join(&t->parent->done, running_clocks());
    if (t->group) {
        clocks_join(&t->group->done, running_clocks());
        t->group->tasks--;
    }
    running_clocks()->of[me]++;
    t->parent->children--;
    own->task = before;
    own->group = group_before;
    own->nested = nested;
    n_tasks--;
    /* Its own children may run after it: they need its place. */
    if (t->children) return;
    free(t->data);
    free(t);
}

static bool run_a_task(void) {
    task *t = first_task;
    if (!t) return false;
    first_task = t->next;
    if (!first_task) last_task = &first_task;
    run(t);
    return true;
}

/* One task each: the next one is for the next thread, or no two would meet. */
static void wait_until_zero(const int *count) {
    while (*count > 0) {
        run_a_task();
        let_others_run();
    }
}

/* --- barriers and regions -------------------------------------------------------------------------- */

static void open_barrier(void) {
    clocks all = {{0}};
    for (int k = 0; k < team; k++) clocks_join(&all, &threads[k].clocks);
    for (int k = 0; k < team; k++) {
        threads[k].clocks = all;
        threads[k].clocks.of[k]++;
    }
    at_barrier = 0;
    barriers++;
}

void GOMP_barrier(void) {
    if (!in_team()) return;
    const int mine = barriers;
    at_barrier++;
    while (barriers == mine) {
        if (at_barrier == team && n_tasks == 0)
            open_barrier();
        else {
            run_a_task();
            let_others_run();
        }
    }
}

static void enter(void *number) {
    (void)number;
    region(region_data);
    GOMP_barrier();
    threads[me].ended = true;
    for (int k = 0; k < team; k++)
        if (!threads[k].ended) go_on_with(k);
    spw_fiber_switch_jump(&threads[me].fiber, &home);
}

static bool prepare(int k) {
    thread *t = &threads[k];
    char *stack = t->fiber.stack;
    if (!stack) {
        stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED || mprotect(stack, 1 << 16, PROT_NONE)) return false;
    }
    *t = (thread){.fiber = {.stack = stack, .entry = enter}, .clocks = home_clocks};
    t->clocks.of[k]++;
    t->task = &t->implicit;
    spw_fiber_switch_prepare(&t->fiber, stack + STACK - 4096 - 256 * k);
    return true;
}

static bool
    divided; /* has a thread of the region asked for its number, or for a share of the work? */

void GOMP_parallel(void (*work)(void *), void *data, unsigned n, unsigned flags) {
    (void)flags;
    int wanted = n ? (int)n : asked ? asked : races ? races->threads : 1;
    if (wanted > SPW_RACES_THREADS) wanted = SPW_RACES_THREADS;
    if (in_region || threads[me].nested || !races) wanted = 1;
    for (int k = 0; k < wanted && wanted > 1; k++)
        if (!prepare(k)) wanted = 1;
    if (wanted == 1) { /* within another: of one thread, as libgomp has it */
        threads[me].nested++;
        work(data);
        threads[me].nested--;
        return;
    }
    region = work;
    region_data = data;
    team = wanted;
    at_barrier = 0;
    memset(shares, 0, sizeof shares);
    accesses_begin();
    me = races->descending ? team - 1 : 0;
    in_region = true;
    divided = false;
    const bool found = races->found;
    spw_fiber_switch_jump(&home, &threads[me].fiber);
    in_region = false;
    races->undivided |= races->found && !found && !divided;
    for (int k = 0; k < team; k++) clocks_join(&home_clocks, &threads[k].clocks);
    team = 1;
    me = 0;
}

void spw_races_watch(spw_races *setup) {
    races = setup;
    asked = 0;
}

/* --- what a program asks --------------------------------------------------------------------------- */

int omp_get_thread_num(void) {
    divided = true;
    return in_team() ? me : 0;
}

int omp_get_num_threads(void) { return in_team() ? team : 1; }

int omp_get_max_threads(void) { return asked ? asked : races ? races->threads : 1; }

int omp_in_parallel(void) { return in_region; }

int omp_get_level(void) { return in_region; }

int omp_get_active_level(void) { return in_region; }

int omp_get_team_size(int level) { return level == 1 && in_region ? team : level == 0 ? 1 : -1; }

int omp_get_dynamic(void) { return 0; }

void omp_set_num_threads(int n) { asked = n > 0 ? n : 0; }

void omp_set_dynamic(int yes) { (void)yes; }

void omp_set_nested(int yes) { (void)yes; }

void omp_set_max_active_levels(int n) { (void)n; }

/* --- locks ----------------------------------------------------------------------------------------- */

static void lock(int *held) {
    while (*held) let_others_run();
    *held = 1;
    acquire(held);
}

static void unlock(int *held) {
    release(held);
    *held = 0;
    let_others_run();
}

static int critical, atomic;

void GOMP_critical_start(void) { lock(&critical); }

void GOMP_critical_end(void) { unlock(&critical); }

void GOMP_critical_name_start(int *name) { lock(name); }

void GOMP_critical_name_end(int *name) { unlock(name); }

void GOMP_atomic_start(void) { lock(&atomic); }

void GOMP_atomic_end(void) { unlock(&atomic); }

void omp_init_lock(int *held) { *held = 0; }

void omp_destroy_lock(int *held) { (void)held; }

void omp_set_lock(int *held) { lock(held); }

void omp_unset_lock(int *held) { unlock(held); }

int omp_test_lock(int *held) {
    if (*held) let_others_run();
    if (*held) return 0;
    lock(held);
    return 1;
}

/* --- loops, sections, single ----------------------------------------------------------------------- */

/* The share that this thread meets now; *first: nobody was here. */
static share *meet(bool *first) {
    thread *t = &threads[me];
    *first = divided = true;
    if (!in_team()) {
        t->alone = (share){0};
        return &t->alone;
    }
    const int number = ++t->shares;
    t->share = number % SHARED;
    share *s = &shares[t->share];
    while (s->number != number && s->number != 0) let_others_run();
    *first = s->number == 0;
    if (*first) *s = (share){.number = number, .left = team};
    return s;
}

static share *here(void) { return in_team() ? &shares[threads[me].share] : &threads[me].alone; }

static void leave(void) {
    share *s = here();
    if (in_team() && --s->left == 0) s->number = 0;
}

static bool next_chunk(long *begin, long *end) {
    let_others_run();
    share *s = here();
    const long left = s->step > 0 ? (s->end - s->next + s->step - 1) / s->step
                                  : (s->next - s->end - s->step - 1) / -s->step;
    if (left <= 0) return false;
    long n = s->chunk > 0 ? s->chunk : 1;
    if (s->guides && left / team > n) n = left / team;
    if (n > left) n = left;
    *begin = s->next;
    *end = s->next += n * s->step;
    if (s->step > 0 ? *end > s->end : *end < s->end) *end = s->end;
    return true;
}

static bool start_loop(long begin, long end, long step, long chunk, bool guided, long *from,
                       long *to) {
    bool first;
    share *s = meet(&first);
    if (first) {
        s->next = begin;
        s->end = end;
        s->step = step;
        s->chunk = chunk;
        s->guides = guided;
    }
    return next_chunk(from, to);
}

/* A region that is one loop, or sections: each thread meets it before it asks for a part of it. */
typedef struct whole {
    void (*work)(void *);
    void *data;
    share share;
} whole;

static void do_whole(void *data) {
    const whole *w = data;
    bool first;
    share *s = meet(&first);
    if (first) {
        const int number = s->number, left = s->left;
        *s = w->share;
        s->number = number;
        s->left = left;
    }
    w->work(w->data);
}

static void whole_loop(void (*work)(void *), void *data, unsigned n, share s, unsigned flags) {
    GOMP_parallel(do_whole, &(whole){work, data, s}, n, flags);
}

/* clang-format off */
#define LOOP(kind, guided)                                                                         \
    bool GOMP_loop_##kind##_start(long begin, long end, long step, long chunk, long *from, long *to) \
    { return start_loop(begin, end, step, chunk, guided, from, to); }                              \
    bool GOMP_loop_##kind##_next(long *from, long *to) { return next_chunk(from, to); }            \
    bool GOMP_loop_ull_##kind##_start(bool up, long begin, long end, long step, long chunk, long *from, long *to) \
    { (void)up; return start_loop(begin, end, step, chunk, guided, from, to); }                    \
    bool GOMP_loop_ull_##kind##_next(long *from, long *to) { return next_chunk(from, to); }        \
    void GOMP_parallel_loop_##kind(void (*work)(void *), void *data, unsigned n, long begin, long end, long step, long chunk, unsigned flags) \
    { whole_loop(work, data, n, (share){.next = begin, .end = end, .step = step, .chunk = chunk, .guides = guided}, flags); }
/* schedule(runtime) has no chunk */
#define RUNTIME_LOOP(kind)                                                                         \
    bool GOMP_loop_##kind##_start(long begin, long end, long step, long *from, long *to)           \
    { return start_loop(begin, end, step, 1, false, from, to); }                                   \
    bool GOMP_loop_##kind##_next(long *from, long *to) { return next_chunk(from, to); }            \
    bool GOMP_loop_ull_##kind##_start(bool up, long begin, long end, long step, long *from, long *to) \
    { (void)up; return start_loop(begin, end, step, 1, false, from, to); }                         \
    bool GOMP_loop_ull_##kind##_next(long *from, long *to) { return next_chunk(from, to); }        \
    void GOMP_parallel_loop_##kind(void (*work)(void *), void *data, unsigned n, long begin, long end, long step, unsigned flags) \
    { whole_loop(work, data, n, (share){.next = begin, .end = end, .step = step, .chunk = 1}, flags); }

LOOP(dynamic, false)
LOOP(nonmonotonic_dynamic, false)
LOOP(guided, true)
LOOP(nonmonotonic_guided, true)
RUNTIME_LOOP(runtime)
RUNTIME_LOOP(nonmonotonic_runtime)
RUNTIME_LOOP(maybe_nonmonotonic_runtime)
/* clang-format on */

void GOMP_loop_end(void) {
    leave();
    GOMP_barrier();
}

void GOMP_loop_end_nowait(void) { leave(); }

unsigned GOMP_sections_next(void) {
    long from = 0, to;
    return next_chunk(&from, &to) ? (unsigned)from : 0;
}

unsigned GOMP_sections_start(unsigned n) {
    long from = 0, to;
    return start_loop(1, (long)n + 1, 1, 1, false, &from, &to) ? (unsigned)from : 0;
}

void GOMP_sections_end(void) { GOMP_loop_end(); }

void GOMP_sections_end_nowait(void) { leave(); }

void GOMP_parallel_sections(void (*work)(void *), void *data, unsigned n, unsigned sections,
                            unsigned flags) {
    whole_loop(work, data, n, (share){.next = 1, .end = (long)sections + 1, .step = 1, .chunk = 1},
               flags);
}

bool GOMP_single_start(void) {
    bool first;
    (void)meet(&first);
    leave();
    return first;
}

void *GOMP_single_copy_start(void) {
    bool first;
    share *s = meet(&first);
    if (first) return NULL;
    GOMP_barrier();
    void *copied = s->copied;
    leave();
    return copied;
}

void GOMP_single_copy_end(void *data) {
    here()->copied = data;
    const int at = threads[me].share;
    GOMP_barrier();
    threads[me].share = at;
    leave();
}

/* --- making tasks ---------------------------------------------------------------------------------- */

enum { DEPENDS = 8, GRAIN = 1 << 9, NO_GROUP = 1 << 11 };

static void *copy_of(void *data, void (*copy)(void *, void *), long size, long alignment) {
    void *block = NULL;
    if (posix_memalign(&block, alignment > 16 ? (size_t)alignment : 16, (size_t)size + 1))
        abort(); /* a test of small cases that has no memory */
    if (copy)
        copy(block, data);
    else
        memcpy(block, data, (size_t)size);
    return block;
}

static void make(void (*work)(void *), void *copied) {
    thread *own = &threads[me];
    task *t = calloc(1, sizeof *t);
    if (!t) abort();
    *t = (task){.work = work, .data = copied, .parent = own->task, .group = own->group};
    t->created = own->clocks;
    own->clocks.of[me]++;
    own->task->children++;
    if (t->group) t->group->tasks++;
    *last_task = t;
    last_task = &t->next;
    if (++n_tasks >= team) let_others_run();
}

void GOMP_task(void (*work)(void *), void *data, void (*copy)(void *, void *), long size,
               long alignment, bool deferred, unsigned flags, void **depend, int priority,
               void *detach) {
    (void)depend;
    (void)priority;
    (void)detach;
    void *copied = copy_of(data, copy, size, alignment);
    if (in_region && deferred && !(flags & DEPENDS)) {
        make(work, copied);
        return;
    }
    /* One that depends on others runs where it is made: all before it have run. */
    acquire(&first_task);
    work(copied);
    release(&first_task);
    free(copied);
}

void GOMP_taskwait(void) {
    if (!in_region) return;
    wait_until_zero(&threads[me].task->children);
    clocks_join(running_clocks(), &threads[me].task->done);
}

void GOMP_taskyield(void) {
    run_a_task();
    let_others_run();
}

void GOMP_taskgroup_start(void) {
    if (!in_region) return;
    group *g = calloc(1, sizeof *g);
    if (!g) abort();
    g->outer = threads[me].group;
    threads[me].group = g;
}

void GOMP_taskgroup_end(void) {
    if (!in_region) return;
    group *g = threads[me].group;
    wait_until_zero(&g->tasks);
    clocks_join(running_clocks(), &g->done);
    threads[me].group = g->outer;
    free(g);
}

void GOMP_taskloop(void (*work)(void *), void *data, void (*copy)(void *, void *), long size,
                   long alignment, unsigned flags, unsigned long tasks, int priority, long begin,
                   long end, long step) {
    (void)priority;
    const long n = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
    if (n <= 0) return;
    long parts = flags & GRAIN ? n / (long)(tasks ? tasks : 1) : tasks ? (long)tasks : 2 * team;
    if (parts > n) parts = n;
    if (parts < 1 || !in_region) parts = 1;
    if (!(flags & NO_GROUP)) GOMP_taskgroup_start();
    for (long k = 0; k < parts; k++) {
        long *copied = copy_of(data, copy, size, alignment);
        copied[0] = begin + k * n / parts * step;
        copied[1] = begin + (k + 1) * n / parts * step;
        if (in_region) {
            make(work, copied);
        } else {
            work(copied);
            free(copied);
        }
    }
    if (!(flags & NO_GROUP)) GOMP_taskgroup_end();
}

void GOMP_taskloop_ull(void (*work)(void *), void *data, void (*copy)(void *, void *), long size,
                       long alignment, unsigned flags, unsigned long tasks, int priority,
                       long begin, long end, long step) {
    GOMP_taskloop(work, data, copy, size, alignment, flags, tasks, priority, begin, end, step);
}

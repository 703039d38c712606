/* Exercise 10: the five kernels, what is measured of them, and why a diagnosis contradicts it.
 *
 * The reasons are known by construction: NOTES.md has the cure of each. The ratio is measured in every run,
 * in a simulated cache (perf/line_cache.h) that sees the addresses of a second copy of the kernels. */
#include "diagnose.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "perf/bandwidth.h"
#include "perf/cpu_time.h"
#include "perf/line_cache.h"
#include "perf/timer.h"
#include "perf/topology.h"
#include "perf/working_set.h"
#include "judge/exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the kernels, twice ---------------------------------------------------------------------------- */

#define PRAGMA(text)    _Pragma(#text)
#define IN_VECTORS(...) PRAGMA(omp simd reduction(+ : __VA_ARGS__))
#define READ(x)         (x)
#define KERNEL(name)    name
#include "kernels.c"
#undef IN_VECTORS
#undef READ
#undef KERNEL

static spw_line_cache cache; /* of the traced copy, which has one thread */

static void touch(const void *at, size_t size) {
    spw_line_cache_access(&cache, at, (int64_t)size);
}

#define IN_VECTORS(...)
#define READ(x)      (touch(&(x), sizeof(x)), (x))
#define KERNEL(name) traced_##name
#include "kernels.c"
#undef READ
#undef KERNEL

/* --- one kernel on its data ------------------------------------------------------------------------ */

enum { MOMENT, DEVIATION, ROOTS, NORM, TOUR, KERNELS };
enum { TERMS = 200, LONG_ROW = 16000, SHORT_ROW = 4, ROWS_A_LONG_ONE = 64 };

typedef struct problem {
    int which;
    int64_t items; /* particles, numbers, terms, entries, nodes */
    int64_t n, m;  /* the kernel's two sizes */
    int64_t bytes; /* of all arrays */
    double model;  /* bytes */
    const void *data;
    const int32_t *row_ptr;
    diagnosis said;
    bool traced;
} problem;

static double run_kernel(const problem *p) {
    switch (p->which) {
    case MOMENT: return (p->traced ? traced_moment : moment)(p->n, (const particle *)p->data);
    case DEVIATION:
        return (p->traced ? traced_deviation : deviation)(p->n, (const double *)p->data);
    case ROOTS: return (p->traced ? traced_roots : roots)(p->n, p->m, (const term *)p->data);
    case NORM: return (p->traced ? traced_norm : norm)(p->n, p->row_ptr, (const double *)p->data);
    default: return (p->traced ? traced_tour : tour)(p->n, p->m, (const node *)p->data);
    }
}

static volatile double sink; /* so that no compiler leaves a kernel out */

static const problem *of(const spw_trial *t) {
    return (const problem *)spw_trial_data(t);
}

static void run_given(spw_trial *t) {
    sink = run_kernel(of(t));
}

/* About so many bytes for each kernel. "cache" is for one thread: a block of norm, which any L2 holds. */
static int64_t bytes_of(const char *name) {
    if (strcmp(name, "memory") == 0) return spw_default_working_set() / 2;
    return strcmp(name, "cache") == 0 ? 8 * (LONG_ROW + 63 * SHORT_ROW) : 4 << 20;
}

static void fill(double *a, int64_t n) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) a[i] = 0.5 + spw_random_double(7, (uint64_t)i);
}

/* n_lists lists that go through all nodes in random order: where one is, says nothing on the next. */
static spw_status link_nodes(node *nodes, int64_t n_lists, int64_t length) {
    const int64_t n = n_lists * length;
    int64_t *order;
    const spw_status status = SPW_ALLOC(&order, n);
    if (status) return status;
    /* list l begins at node l; the others are shuffled */
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t i = n - 1; i > n_lists; i--) {
        const int64_t other = n_lists + spw_random_below(11, (uint64_t)i, i - n_lists + 1);
        const int64_t swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
    /* step s of list l is order[s * n_lists + l] */
    for (int64_t i = 0; i < n; i++)
        nodes[order[i]].next = i + n_lists < n ? order[i + n_lists] : order[i];
    spw_free(order);
    return SPW_OK;
}

static spw_status deal_rows(spw_trial *t, problem *p, int64_t bytes) {
    const int64_t block = LONG_ROW + SHORT_ROW * (ROWS_A_LONG_ONE - 1);
    const int64_t blocks = bytes / 8 / block > 0 ? bytes / 8 / block : 1;
    p->n = ROWS_A_LONG_ONE * blocks;
    p->items = block * blocks;
    int32_t *row_ptr = (int32_t *)spw_trial_input(t, "row_ptr", SPW_INDEX, p->n + 1);
    if (!row_ptr) return SPW_ERR_MEMORY;
    row_ptr[0] = 0;
    for (int64_t i = 0; i < p->n; i++)
        row_ptr[i + 1] = row_ptr[i] + (i < blocks ? LONG_ROW : SHORT_ROW);
    p->row_ptr = row_ptr;
    p->model = 8.0 * (double)p->items + 4.0 * ((double)p->n + 1);
    return SPW_OK;
}

static spw_status set_up(spw_trial *t, const char *name, int which) {
    static const int64_t item_bytes[KERNELS] = {sizeof(particle), 8, sizeof(term), 8, sizeof(node)};
    static const double model_bytes[KERNELS] = {16, 8, 16, 0, sizeof(node)};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_trial_result(t, &p->said, sizeof p->said);
    const int64_t bytes = bytes_of(name);
    p->which = which;
    p->items = bytes / item_bytes[which];
    p->n = p->items;
    if (which == DEVIATION) {
        p->n = p->items / BLOCK;
        p->items = p->n * BLOCK;
    } else if (which == ROOTS) {
        p->m = strcmp(name, "cache") == 0 ? p->items / 4 : TERMS;
        p->n = p->items / p->m;
        p->items = p->n * p->m;
    } else if (which == TOUR) {
        p->n = strcmp(name, "cache") == 0 ? 4 : 240; /* many numbers of threads divide 240 */
        p->m = p->items / p->n;
        p->items = p->n * p->m;
    }
    p->model = model_bytes[which] * (double)p->items;
    if (which == NORM && deal_rows(t, p, bytes)) return SPW_ERR_MEMORY;
    const int64_t doubles = p->items * item_bytes[which] / 8;
    p->bytes = 8 * doubles + (which == NORM ? 4 * (p->n + 1) : 0);
    double *data = (double *)spw_trial_input(t, "data", SPW_DOUBLE, doubles);
    if (!data) return SPW_ERR_MEMORY;
    fill(data, doubles);
    p->data = data;
    spw_trial_say(t, "%.3g MB by the model", 1e-6 * p->model);
    return which == TOUR ? link_nodes((node *)(void *)data, p->n, p->m) : SPW_OK;
}

/* --- what is measured ------------------------------------------------------------------------------ */

typedef struct truth {
    double ratio;
    double next;        /* share of the fetched lines that go on with a stream */
    int64_t cache_size; /* 0: not measured yet */
} truth;

/* The third sweep, as `make traffic-10` counts it: what is in the cache then is what a sweep leaves. The
 * same for every thread count and layout, so it is done once. */
static const truth *measure(const spw_trial *t) {
    static truth known[KERNELS];
    problem p = *of(t);
    truth *k = &known[p.which];
    if (k->cache_size) return k;
    k->cache_size = spw_line_cache_size(p.bytes);
    if (spw_line_cache_create(k->cache_size, &cache)) {
        k->cache_size = 0;
        return NULL;
    }
    p.traced = true;
    spw_set_threads(1);
    for (int sweep = 0; sweep < 3; sweep++) {
        spw_line_cache_restart(&cache);
        sink = run_kernel(&p);
    }
    spw_set_threads(spw_trial_threads(t));
    k->ratio = 64 * cache.fetched / p.model;
    k->next = cache.next / cache.fetched;
    spw_line_cache_destroy(&cache);
    return k;
}

/* The largest part of the items that one of `threads` threads has. */
static double largest_share(const problem *p, int threads) {
    if (p->which != NORM) return 1.0 / threads;
    return (double)p->row_ptr[spw_part_begin(p->n, 1, threads)] / (double)p->items;
}

/* --- a diagnosis against the evidence -------------------------------------------------------------- */

static const char *const names[KERNELS] = {"moment", "deviation", "roots", "norm", "tour"};
static const char *const items[KERNELS] = {"particle", "number", "term", "entry", "node"};
static const reason reasons[KERNELS] = {EXTRA_TRAFFIC, EXTRA_TRAFFIC, SLOW_CODE, IMBALANCE,
                                        LATENCY};

static bool near(double a, double b) {
    return fabs(a - b) <= 0.1 * fabs(b);
}

/* Not the right one: what does it look like? The right value is not told. */
static void fail_ratio(spw_trial *t, const problem *p, const truth *k) {
    const double got = p->said.ratio;
    /* as make traffic-10 counts them, of larger arrays */
    const double scale = (double)bytes_of("memory") / (double)bytes_of("traffic");
    const double bytes = scale * k->ratio * p->model;
    static const char *const questions[KERNELS] = {
        "A particle is a line of 64 bytes: how many of them does moment use",
        "How often is a number read, and is it still in a cache the next time",
        "A term is 24 bytes, and its neighbours fill the line: how many bytes of a term are used",
        "Is a part of any line not used, or does a line come back",
        "A node is two whole lines: is a part of them not used, or does a line come back"};
    char text[256];
    const char *known = NULL;
    if (!(got > 0))
        known = "it is bytes measured over bytes of the model: a number above 0";
    else if (near(got, 1))
        known =
            p->which == ROOTS
                ? "this is the model's, or a quotient of two ints, which C cuts to an int.\n"
                  "Ask which bytes of a line the kernel uses, and how often it comes back"
                : "this is the model's: nothing moves that it does not know of. But what was\n"
                  "measured is something else: ask which bytes of a line the kernel uses, and how\n"
                  "often it comes back";
    else if (near(got, 100 * k->ratio))
        known = "this is in per cent; the ratio is 1 where the model is right";
    else if (near(got, 1 / k->ratio))
        known = "it is turned round: the ratio is measured over model, not model over measured";
    else if (near(got, bytes) || near(got, 1e-6 * bytes))
        known = "these are the bytes: divide them by those of the model";
    else if (near(got, k->ratio * p->model / (double)p->items))
        known = "these are bytes an item: divide them by those of the model";
    else if (near(got, k->ratio - 1))
        known = "this is the surplus alone: the ratio holds what the model knows, too";
    else if (p->which != MOMENT && near(got, sizeof(particle) / 16.0))
        known = "this is what moment has, a line over 16 bytes: each kernel has a ratio of its own";
    else if (near(got, 8))
        known = "8 is the worst that single doubles can do, one of each line. Look at what is\n"
                "measured: make traffic-10";
    snprintf(text, sizeof text,
             "%s? And make traffic-10 prints\nwhat was measured beside the model",
             questions[p->which]);
    spw_trial_fail(
        t,
        "%s: the ratio is not %.4g.\n%s.\n(Measured: lines fetched, simulated, one thread, "
        "cache of %.3g MiB, 16 ways, LRU.)",
        names[p->which], got, known ? known : text, (double)k->cache_size / 1048576);
}

static void fail_traffic(spw_trial *t, const problem *p, const truth *k) {
    if (near(k->ratio, 1))
        spw_trial_fail(
            t,
            "%s: not EXTRA_TRAFFIC. With a ratio of %.2f it moves what the model says, and "
            "no more.",
            names[p->which], k->ratio);
    else
        spw_trial_fail(
            t,
            "%s: not EXTRA_TRAFFIC. There is some, a ratio of %.2f, but it explains a factor\n"
            "of %.2f only. Compare with time/roof. in the table: what about the rest?",
            names[p->which], k->ratio, k->ratio);
}

static void fail_code(spw_trial *t, const problem *p, const truth *k) {
    if (p->which == NORM)
        spw_trial_fail(
            t, "norm: not SLOW_CODE. A thread that has entries adds them up in vectors, near the\n"
               "speed that one core reads with. Who has the entries? How many threads are busy?");
    else if (p->which == TOUR)
        spw_trial_fail(
            t, "tour: not SLOW_CODE. The same instructions take a fraction of the time when "
               "the\nnodes lie in a cache: last two columns of the table.");
    else
        spw_trial_fail(t,
                       "%s: not SLOW_CODE. It moves %.2f times the bytes of the model: divide "
                       "time/roof. in\nthe table by that. An item takes longer from memory than "
                       "from a cache, so faster\ncode would wait longer.",
                       names[p->which], k->ratio);
}

static void fail_balance(spw_trial *t, const problem *p) {
    spw_trial_fail(t,
                   "%s: not IMBALANCE. Every %s costs the same, and each of %d threads has\n"
                   "%.0f %% of them. The threads that are busy, in the table, are all of them.",
                   names[p->which], items[p->which],
                   spw_trial_threads(t) > 1 ? spw_trial_threads(t) : 2,
                   100 * largest_share(p, spw_trial_threads(t) > 1 ? spw_trial_threads(t) : 2));
}

static void fail_latency(spw_trial *t, const problem *p, const truth *k) {
    spw_trial_fail(t,
                   "%s: not LATENCY. %.0f %% of the lines it fetches follow one of the %d before:\n"
                   "the prefetchers see them coming, and nothing waits for a single line.%s",
                   names[p->which], 100 * k->next, SPW_LINE_STREAMS,
                   p->which == ROOTS
                       ? "\nEach root waits for the one before, but that is arithmetic: in a "
                         "cache it takes\nas long."
                       : "");
}

static void check(spw_trial *t) {
    const problem *p = of(t);
    const truth *k = measure(t);
    if (!k) {
        spw_trial_fail(t, "the judge has no memory to simulate a cache");
        return;
    }
    const double expected = k->ratio;
    const int said = (int)p->said.because;
    if (said <= NOT_SAID || said > LATENCY)
        spw_trial_fail(t,
                       "%s: .because is %d. It is one of EXTRA_TRAFFIC, SLOW_CODE, IMBALANCE, "
                       "LATENCY.",
                       names[p->which], said);
    else if (!near(p->said.ratio, expected))
        fail_ratio(t, p, k);
    else if (p->said.because == reasons[p->which])
        return;
    else if (p->said.because == EXTRA_TRAFFIC)
        fail_traffic(t, p, k);
    else if (p->said.because == SLOW_CODE)
        fail_code(t, p, k);
    else if (p->said.because == IMBALANCE)
        fail_balance(t, p);
    else
        fail_latency(t, p, k);
}

/* --- the table of times ---------------------------------------------------------------------------- */

enum { SAMPLES = 5 };

typedef struct row {
    double one, all, roof, model, bandwidth; /* s a call, bytes, byte/s */
    double busy;                             /* threads: the work of all over that of the busiest */
    double memory, cached;                   /* s an item, one thread */
} row;

static _Thread_local double since; /* of this thread's processor time */

/* Seconds a call for which the busiest thread had a core, so that it does not matter who else uses the
 * machine; *busy: how many threads as busy as that one would have done the work. */
static double seconds_of(spw_trial *t, int threads, int calls, double *busy) {
    double longest = 0, sum = 0;
    spw_set_threads(threads);
#pragma omp parallel
    since = spw_cpu_time();
    for (int c = 0; c < calls; c++) run_given(t);
#pragma omp parallel reduction(max : longest) reduction(+ : sum)
    {
        longest = spw_cpu_time() - since;
        sum = longest;
    }
    if (busy) *busy = longest > 0 ? sum / longest : 1;
    return longest / calls;
}

typedef struct table {
    int threads;
    spw_probe probe; /* on all threads, with as many bytes */
    row rows[KERNELS];
} table;

/* The lower quartile, as in check FAST: what disturbs a measurement makes it longer. */
static void time_in_memory(spw_trial *t, void *context) {
    table *w = (table *)context;
    const problem *p = of(t);
    row *r = &w->rows[p->which];
    double one[SAMPLES], all[SAMPLES], probe[SAMPLES], busy[SAMPLES];
    (void)seconds_of(t, w->threads, 1, NULL);
    for (int k = 0; k < SAMPLES; k++) {
        one[k] = seconds_of(t, 1, 1, NULL);
        all[k] = seconds_of(t, w->threads, 1, &busy[k]);
        (void)spw_probe_run(&w->probe);
        probe[k] = w->probe.busy;
    }
    r->one = spw_quartile(one, SAMPLES, NULL, NULL);
    r->all = spw_quartile(all, SAMPLES, NULL, NULL);
    r->busy = spw_median(busy, SAMPLES, NULL, NULL);
    r->bandwidth = spw_probe_traffic(&w->probe) / spw_quartile(probe, SAMPLES, NULL, NULL);
    r->model = p->model;
    r->roof = p->model / r->bandwidth;
    r->memory = r->one / (double)p->items;
}

static void time_in_cache(spw_trial *t, void *context) {
    table *w = (table *)context;
    const problem *p = of(t);
    double samples[SAMPLES];
    const double once = seconds_of(t, 1, 100, NULL) + 1e-9;
    for (int k = 0; k < SAMPLES; k++) samples[k] = seconds_of(t, 1, (int)(0.004 / once) + 1, NULL);
    w->rows[p->which].cached = spw_quartile(samples, SAMPLES, NULL, NULL) / (double)p->items;
}

static void show_times(spw_run *run) {
    table w = {.threads = spw_run_threads(run)};
    if (spw_probe_create(SPW_LOAD, bytes_of("memory"), w.threads, &w.probe)) return;
    for (int k = 0; k < KERNELS; k++)
        if (!spw_run_case(run, k, "memory", time_in_memory, &w) ||
            !spw_run_case(run, k, "cache", time_in_cache, &w))
            goto end;
    spw_run_headline(run, "times now, each kernel on %.0f MB; bytes: make traffic-10",
                     1e-6 * (double)bytes_of("memory"));
    spw_run_line(run,
                 "           model  roof roofline      time, ms  threads  time/    1 thread, ns");
    spw_run_line(run,
                 "kernel        MB  GB/s       ms  1 thr. %3d thr.  busy  roof.   memory  cache",
                 w.threads);
    const int cores = spw_topology_read().cores;
    const bool crowded = cores > 0 && w.threads > cores;
    for (int k = 0; k < KERNELS; k++) {
        const row *r = &w.rows[k];
        char roof[32] = "    -        -", over[16] = "     -";
        if (!crowded) {
            snprintf(roof, sizeof roof, "%5.1f %8.1f", 1e-9 * r->bandwidth, 1e3 * r->roof);
            snprintf(over, sizeof over, "%6.1f", r->all / r->roof);
        }
        spw_run_line(run, "%-10s %5.0f %s %7.1f %8.1f %5.1f %s %8.2f %6.2f", names[k],
                     1e-6 * r->model, roof, 1e3 * r->one, 1e3 * r->all, r->busy, over,
                     1e9 * r->memory, 1e9 * r->cached);
    }
    if (crowded)
        spw_run_line(run,
                     "%d threads share %d cores: no roof is told, only who is busy. For the roof "
                     "leave\nTHREADS out.",
                     w.threads, cores);
    if (w.threads == 1)
        spw_run_line(run, "With one thread imbalance cannot be seen: leave THREADS=1 out.");
end:
    spw_probe_destroy(&w.probe);
}

/* --- the declaration ------------------------------------------------------------------------------- */

typedef diagnosis (*diagnose_fn)(void);

static void ask(spw_trial *t, spw_function f) {
    ((problem *)spw_trial_data(t))->said = ((diagnose_fn)f)();
}

static spw_cost cost(const spw_trial *t) {
    return (spw_cost){.load = of(t)->model};
}

static const char *const cases[] = {"traffic", NULL};

#define SET_UP(name, which)                                                                        \
    static spw_status set_up_##name(spw_trial *t, const char *size) {                              \
        return set_up(t, size, which);                                                             \
    }
SET_UP(moment, MOMENT)
SET_UP(deviation, DEVIATION)
SET_UP(roots, ROOTS)
SET_UP(norm, NORM)
SET_UP(tour, TOUR)

#define PART(name)                                                                                 \
    {                                                                                              \
        .function = "diagnose_" #name, .cases = cases, .setup = set_up_##name, .call = ask,        \
        .claim = check, .cost = cost, .given = run_given, .counted = "memory",                     \
        .traffic = "traffic"                                                                       \
    }

static const spw_part parts[] = {PART(moment), PART(deviation), PART(roots), PART(norm),
                                 PART(tour)};

/* A thread that waits must sleep at once, or it would count as busy. */
int main(int argc, char **argv) {
    setenv("GOMP_SPINCOUNT", "0", 0); /* gcc */
    setenv("KMP_BLOCKTIME", "0", 0);  /* LLVM */
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = KERNELS, .evidence = show_times},
                     argc, argv);
}

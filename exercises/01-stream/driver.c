/* Exercise 1: four loops over long vectors, on the CPU. */
#include "stream.h"

#define WRITE_ALLOCATE                                                                             \
    "Did you count the write-allocate read of a? It is real on a CPU, but it depends on\n"         \
    "the kind of store: the model leaves it out, and states it apart."
#include "problem.h"

#include "kernels/blas1.h"
#include "kit/pages.h"

#include <stdio.h>
#include <unistd.h>

/* In case "pages" it gets pages that are watched: who comes to each first? A thread's share is whole pages. */
enum { SHARE = 64 };

static void size_of_init(spw_trial *t, const char *name, void *at) {
    loop *l = (loop *)at;
    const bool pages = strcmp(name, "pages") == 0;
    l->threads = pages ? spw_trial_threads(t) : 0;
    l->n = pages ? SHARE * l->threads * sysconf(_SC_PAGESIZE) / (int64_t)sizeof(double)
                 : spw_kit_length(name);
    spw_kit_quantity(t, "n", (double)l->n);
    spw_kit_quantity(t, ".pages", pages ? SHARE * l->threads : 0);
}

static const spw_argument of_init[] = {
    SPW_OUTPUT(loop, a, "n", ), SPW_ROOM(loop, owner, "pages"), {0}};

static void expect_value(spw_trial *t, const void *at) {
    const loop *l = (const loop *)at;
    double *expected = spw_kit_doubles(t, l->n);
    for (int64_t i = 0; i < l->n; i++) expected[i] = SCALE;
    spw_kit_expect(t, l->a, expected, NULL);
}

static void call_init(const void *at, spw_function f) {
    const loop *l = (const loop *)at;
    void (*const init)(int64_t, double *, double) = (void (*)(int64_t, double *, double))f;
    spw_pages watch;
    if (!l->threads || spw_pages_create(1, (int64_t)SHARE * l->threads, 0, l->threads, &watch)) {
        init(l->n, l->a, SCALE);
        for (int p = 0; p < SHARE * l->threads; p++) l->owner[p] = SPW_PAGES_NOBODY;
        return;
    }
    spw_pages_begin(&watch);
    init(watch.n, watch.vector[0], SCALE);
    spw_pages_end(&watch);
    memcpy(l->a, watch.vector[0], (size_t)l->n * sizeof(double));
    for (int64_t p = 0; p < watch.pages; p++) l->owner[p] = watch.owner[p];
    spw_pages_destroy(&watch);
}

/* First touch, on any machine: who comes first to a page must be the thread that has it in loops with
 * schedule(static). */
static void check_owners(spw_trial *t) {
    const loop *l = (const loop *)spw_kit_arguments(t);
    const int pages = SHARE * l->threads;
    int elsewhere = 0, example = 0;
    bool one = true;
    for (int p = 0; p < pages; p++) {
        if (l->owner[p] == SPW_PAGES_NOBODY) return; /* no memory to watch: nothing can be said */
        one = one && l->owner[p] == l->owner[0];
        if (l->owner[p] != p / SHARE && !elsewhere++) example = p;
    }
    if (l->threads < 2 || elsewhere <= l->threads) return;
    char who[128] = "a thread that is none of\nOpenMP's.";
    if (l->owner[0] >= 0)
        snprintf(who, sizeof who, "thread %d of %d.\n%s", l->owner[0], l->threads,
                 "They lie in the memory of one core; the others read them from afar.");
    if (one) spw_trial_fail(t, "NUMA: all %d pages of a were first touched by %s", pages, who);
    if (one) return;
    spw_trial_fail(t,
                   "NUMA: %d of %d pages of a were first touched by another thread than the\n"
                   "one that uses them in loops with schedule(static) (page %d: thread %d came\n"
                   "first, thread %d uses it).",
                   elsewhere, pages, example, l->owner[example], example / SHARE);
}

static const spw_kit init_kit =
    SPW_KIT_OF(of_init, loop, call_init, expect_value, .prepare = size_of_init, .facts = "n = {n}");

static const spw_argument of_copy[] = {
    SPW_VALUES(loop, n), SPW_RANDOM(loop, b, "n"), SPW_OUTPUT(loop, a, "n", ), {0}};

static void expect_copy(spw_trial *t, const void *at) {
    spw_kit_expect(t, ((const loop *)at)->a, ((const loop *)at)->b, NULL);
}

SPW_CALL(call_copy, copy, const loop *l, l->n, l->b, l->a)

static const spw_slip copy_slips[] = {
    {"load 8 n", WRITE_ALLOCATE},
    {"load -7 n; store -7 n", IN_BYTES},
    {"= store 0", "a is written, too."},
    {"> flop 0", "Nothing is added or multiplied here; i++ is not counted."},
    {0}};
KIT(copy, expect_copy, SPW_COST_COPY, )

static const spw_argument of_sum[] = {
    SPW_VALUES(loop, n), SPW_INPUT_AS("a", loop, in, "n"), SPW_NUMBER(loop, sum, "sum"), {0}};

SPW_RESULT(call_sum, sum, const loop *l, *l->sum, l->n, l->in)

#define IN_A_REGISTER "The sum itself stays in a register: only a is moved, and only read."
static const spw_slip sum_slips[] = {
    {"load -7 n", IN_BYTES},
    {"= load 16 n", IN_A_REGISTER},
    {"> store 0", IN_A_REGISTER},
    {"= flop 0", "An addition an iteration is one flop: n."},
    {"flop n", "An addition an iteration is one flop: n. i++ is not counted."},
    {"flop -1", "Count one addition an iteration: the first a[i] is added to 0."},
    {0}};
KIT(sum, expect_sum, SPW_COST_SUM, )

#define CASES "1", "0", "2", "7", "1009"
static const char *const cases[] = {CASES, "100003", NULL};
/* Threads meet in a race only if they run at the same time: there the loop must take a while. */
static const char *const sum_cases[] = {"7", "1", "0", "2", "1009", "100003", "1000003", NULL};
static const char *const init_cases[] = {CASES, "pages", NULL};

#define TIMED(arrays, plain, best)                                                                 \
    .speed = "memory/" arrays, .traffic = "1000000", .target = 0.90,                               \
    .baseline = {"plain serial loop", .function = (spw_function)plain},                            \
    .stretch = {"library", .function = (spw_function)best}
#define PART(name, cases_, ...)                                                                    \
    SPW_PART(#name, cases_, name##_kit, .model = #name "_cost", __VA_ARGS__)
static const spw_part parts[] = {
    SPW_PART("init_first_touch", init_cases, init_kit, .claim = check_owners),
    PART(copy, cases, TIMED("2", spw_copy_ref, spw_copy_omp_bypass)),
    PART(sum, sum_cases, TIMED("1", spw_sum_ref, spw_sum_omp_prefetch), .sum_of = 1,
         .slow = "Does each addition wait for the one before? README.md\n"
                 "          has a section on it."),
    PART(triad, cases, TIMED("3", spw_triad_ref, spw_triad_omp_bypass)),
};

SPW_DRIVER(parts)

/* Exercise 1: four loops over long vectors, on the CPU. */
#include "stream.h"

#define WRITE_ALLOCATE                                                                             \
    "Did you count the write-allocate read of a? It is real on a CPU, but it depends on\n"         \
    "the kind of store: the model leaves it out, and states it apart."
#include "problem.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "kit/cases.h"
#include "kit/systems.h"
#include "kit/pages.h"

typedef void (*init_fn)(int64_t, double *, double);
typedef void (*copy_fn)(int64_t, const double *, double *);
typedef double (*sum_fn)(int64_t, const double *);
typedef void (*triad_fn)(int64_t, double, const double *, const double *, double *);

/* --- init_first_touch ------------------------------------------------------------------------------ */

static const spw_argument of_init[] = {SPW_OUTPUT(loop, a, "n", ), {0}};

static void expect_value(spw_trial *t, const void *at)
{
    const loop *l = (const loop *)at;
    double *expected = spw_kit_doubles(t, l->n);
    for (int64_t i = 0; i < l->n; i++) expected[i] = SCALE;
    spw_kit_expect(t, l->a, expected, NULL);
}

static void call_init(const void *at, spw_function f)
{
    const loop *l = (const loop *)at;
    ((init_fn)f)(l->n, l->a, SCALE);
}

static const spw_kit init = {of_init, sizeof(loop), .prepare = one_array, .call = call_init,
                             .expect = expect_value};

/* Threads that a parallel region really gets: a limit from outside may leave fewer than asked for. */
static int team_of(int threads)
{
    int team = 1;
    spw_set_threads(threads);
#pragma omp parallel
#pragma omp single
    team = spw_team_size();
    return team;
}

/* The owner of each page once triad has run over it: that is who should have touched it first. The
 * learner's triad may not be written yet, or one thread may do it all, which check FAST is about;
 * then a plain static loop stands in. */
static void watch_use(const spw_trial *t, spw_pages *watch, const double *zeros)
{
    const triad_fn triad_of = (triad_fn)spw_trial_symbol(t, "triad");
    if (triad_of) {
        spw_pages_begin(watch);
        triad_of(watch->n, 1, zeros, zeros, watch->vector[0]);
        spw_pages_end(watch);
        if (spw_pages_only_owner(watch) < 0) return;
    }
    double *a = watch->vector[0];
    spw_pages_begin(watch);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < watch->n; i++) a[i] = 0;
    spw_pages_end(watch);
}

/* First touch, on any machine: the thread that comes first to a page in init_first_touch must be
 * the one that comes first to it in triad. A page of which two threads have a part may go to
 * either. */
static void check_init(spw_trial *t, spw_function f)
{
    const int team = team_of(spw_trial_threads(t));
    if (strcmp(spw_kit_case(t), "pages") != 0 || team == 1) return;
    const int64_t share = team < 32 ? 64 : 16, pages = team * share;
    spw_pages first = {0}, use = {0};
    double *zeros = NULL;
    if (spw_pages_create(1, pages, 0, team, &first) || spw_pages_create(1, pages, 0, team, &use) ||
        spw_alloc_zero((void **)&zeros, use.n, sizeof *zeros))
        goto end; /* no memory: nothing can be said */

    spw_pages_begin(&first);
    ((init_fn)f)(first.n, first.vector[0], 1);
    spw_pages_end(&first);
    watch_use(t, &use, zeros);

    int64_t elsewhere = 0, example = -1;
    for (int64_t p = 0; p < pages; p++)
        if (first.owner[p] != use.owner[p]) {
            elsewhere++;
            if (example < 0) example = p;
        }
    const int only = spw_pages_only_owner(&first);
    if (only >= 0)
        spw_trial_fail(t,
                       "NUMA: all %lld pages of a were first touched by thread %d of %d.\n"
                       "They lie in the memory of one core; the others read them from afar.",
                       (long long)pages, only, team);
    else if (elsewhere > team + pages / 10)
        spw_trial_fail(t,
                       "NUMA: %lld of %lld pages of a were first touched by another thread than\n"
                       "the one that uses them in triad (page %lld: thread %d, then thread %d).",
                       (long long)elsewhere, (long long)pages, (long long)example,
                       first.owner[example], use.owner[example]);
end:
    spw_free(zeros);
    spw_pages_destroy(&first);
    spw_pages_destroy(&use);
}

/* --- copy ------------------------------------------------------------------------------------------ */

static const spw_argument of_copy[] = {SPW_RANDOM(loop, b, "n"), SPW_OUTPUT(loop, a, "n", ), {0}};

static void two_arrays(spw_trial *t, const char *name, void *at)
{
    size_of(t, name, (loop *)at, 2);
}

static void expect_copy(spw_trial *t, const void *at)
{
    spw_kit_expect(t, ((const loop *)at)->a, ((const loop *)at)->b, NULL);
}

static void call_copy(const void *at, spw_function f)
{
    const loop *l = (const loop *)at;
    ((copy_fn)f)(l->n, l->b, l->a);
}

static const spw_slip copy_slips[] = {
    {"load 8 n", WRITE_ALLOCATE},
    {"load -7 n; store -7 n", "loads and stores are counted in bytes: a double has 8 of them."},
    {"= store 0", "a is written, too."},
    {"> flop 0", "Nothing is added or multiplied here; i++ is not counted."},
    {0},
};

static const spw_kit copy_kit = {of_copy,
                                 sizeof(loop),
                                 .prepare = two_arrays,
                                 .call = call_copy,
                                 .expect = expect_copy,
                                 .predict = predict,
                                 .cost = SPW_COST_COPY,
                                 .slips = copy_slips};

/* --- sum ------------------------------------------------------------------------------------------- */

static const spw_argument of_sum[] = {
    SPW_INPUT_AS("a", loop, in, "n"),
    SPW_NUMBER(loop, sum, "sum"),
    {0},
};

/* What remains when the threads overwrite each other's total: the sum of some of their parts. All
 * selections of up to three parts are stated, of more threads only the single ones. */
static void state_lost_parts(spw_trial *t, const loop *l)
{
    enum { PARTS = 8 };
    const int threads = spw_trial_threads(t), parts = threads < PARTS ? threads : PARTS;
    double part[PARTS], ignored;
    for (int k = 0; k < parts; k++) {
        const int64_t from = spw_part_begin(l->n, k, threads);
        const int64_t to = spw_part_begin(l->n, k + 1, threads);
        part[k] = spw_dot_expected(to - from, l->in + from, NULL, &ignored);
    }
    for (int set = 1; set < (1 << parts) - 1; set++) {
        const bool single = (set & (set - 1)) == 0;
        if (!single && threads > 3) continue;
        double lost = 0;
        for (int k = 0; k < parts; k++)
            if (set >> k & 1) lost += part[k];
        spw_trial_number_mistake(
            t, l->sum, lost,
            "some threads' parts are missing: they overwrite each other's total, a race");
    }
}

/* The tolerance grows with n^2, but float arithmetic is 2^29 times less exact and is caught at n = 7. */
static void expect_sum_of_threads(spw_trial *t, const void *at)
{
    const loop *l = (const loop *)at;
    expect_sum(t, at);
    if (l->n > 7 && spw_trial_threads(t) > 1) state_lost_parts(t, l);
}

static void call_sum(const void *at, spw_function f)
{
    const loop *l = (const loop *)at;
    *l->sum = ((sum_fn)f)(l->n, l->in);
}

#define IN_A_REGISTER "The sum itself stays in a register: only a is moved, and only read."
static const spw_slip sum_slips[] = {
    {"load -7 n", "loads and stores are counted in bytes: a double has 8 of them."},
    {"= load 16 n", IN_A_REGISTER},
    {"> store 0", IN_A_REGISTER},
    {"flop -1", "Count one addition an iteration: the first a[i] is added to 0."},
    {0},
};

static const spw_kit sum_kit = {of_sum,
                                sizeof(loop),
                                .prepare = one_array,
                                .call = call_sum,
                                .expect = expect_sum_of_threads,
                                .predict = predict,
                                .cost = SPW_COST_SUM,
                                .slips = sum_slips};

/* --- triad ----------------------------------------------------------------------------------------- */

static void describe_triad(const spw_trial *t, int64_t i, char *text, int size)
{
    (void)t, (void)i, (void)text, (void)size;
}

static void call_triad(const void *at, spw_function f)
{
    const loop *l = (const loop *)at;
    ((triad_fn)f)(l->n, SCALE, l->b, l->c, l->a);
}

static const spw_kit triad_kit = {of_triad,
                                  sizeof(loop),
                                  .prepare = three_arrays,
                                  .call = call_triad,
                                  .expect = expect_triad,
                                  .predict = predict,
                                  .cost = SPW_COST_TRIAD,
                                  .slips = triad_slips};

/* --- the declaration ------------------------------------------------------------------------------- */

static const char *const cases[] = {"one", "none", "two", "seven", "prime", "long", NULL};
/* Threads meet in a race only if they run at the same time: there the loop must take a while. */
static const char *const sum_cases[] = {"one",   "none", "two",     "seven",
                                        "prime", "long", "million", NULL};
static const char *const init_cases[] = {"one", "none", "two", "seven", "prime", "pages", NULL};

#define PART(name, cases_, kit_, plain, best, ...)                                                 \
    {                                                                                              \
        .function = name, .model = name "_cost", .cases = cases_, SPW_KIT(kit_),                   \
        .speed = "memory", .traffic = "traffic", .target = 0.90,                                   \
        .baseline = {"plain serial loop", .function = (spw_function)plain},                        \
        .stretch = {"library", .function = (spw_function)best}, __VA_ARGS__                        \
    }

/* init is last, because its check calls triad, which has passed by then. */
static const spw_part parts[] = {
    PART("copy", cases, &copy_kit, spw_copy_ref, spw_copy_omp_stream),
    PART("sum", sum_cases, &sum_kit, spw_sum_ref, spw_sum_omp_prefetch, .sum_of = 1,
         .slow = "Does each addition wait for the one before? README.md has\n          a section "
                 "on it."),
    PART("triad", cases, &triad_kit, spw_triad_ref, spw_triad_omp_stream),
    {.function = "init_first_touch", .cases = init_cases, SPW_KIT(&init), .claim = check_init},
};

SPW_DRIVER(parts)

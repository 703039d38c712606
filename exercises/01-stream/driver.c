/* Declares exercise 1 to the judge: cases, true costs, goals. Not part of what the learner reads.
 * */
#include "stream.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "perf/working_set.h"
#include "kit/cases.h"
#include "judge/exercise.h"
#include "kit/pages.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void (*init_fn)(int64_t, double *, double);
typedef void (*copy_fn)(int64_t, const double *, double *);
typedef double (*sum_fn)(int64_t, const double *);
typedef void (*triad_fn)(int64_t, double, const double *, const double *, double *);
typedef spw_cost (*cost_fn)(int64_t);

/* What one case consists of: the first block of the trial's memory. */
typedef struct loop {
    int64_t n;
    bool watches_pages;
    double s;
    const double *b, *c;
    double *a;
    double *sum; /* [1] where the result of sum is put */
} loop;

static const char *const cases[] = {"one", "none", "two", "seven", "prime", "long", NULL};
/* Threads meet in a race only if they run at the same time: there the loop must take a while. */
static const char *const sum_cases[] = {"one",   "none", "two",     "seven",
                                        "prime", "long", "million", NULL};
static const char *const init_cases[] = {"one", "none", "two", "seven", "prime", "pages", NULL};

/* Entries an array has in a case of so many arrays. */
static int64_t entries(const char *name, int arrays)
{
    static const struct {
        const char *name;
        int64_t n;
    } sizes[] = {{"seven", 7},         {"one", 1},      {"none", 0},
                 {"two", 2},           {"prime", 1009}, {"long", 100003},
                 {"million", 1000003}, {"pages", 1024}, {"traffic", 1000000}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (strcmp(name, sizes[k].name) == 0) return sizes[k].n;
    return spw_default_working_set() / arrays / (int64_t)sizeof(double);
}

/* The part that all cases share; NULL without memory. */
static loop *begin(spw_trial *t, const char *name, int arrays)
{
    loop *l = spw_trial_memory(t, 1, sizeof *l);
    if (!l) return NULL;
    l->n = entries(name, arrays);
    l->s = 2.5;
    l->watches_pages = strcmp(name, "pages") == 0;
    if (strcmp(name, "memory") == 0)
        spw_trial_say(t, "n = %.1f M, %.0f MB", 1e-6 * (double)l->n, 8e-6 * arrays * (double)l->n);
    else
        spw_trial_say(t, "n = %lld", (long long)l->n);
    spw_trial_unit(t, "n", (double)l->n);
    return l;
}

static spw_cost predict(spw_trial *t, spw_function model)
{
    return ((cost_fn)model)(((loop *)spw_trial_data(t))->n);
}

static double n_of(const spw_trial *t)
{
    return (double)((const loop *)spw_trial_data(t))->n;
}

/* --- init_first_touch
 * ------------------------------------------------------------------------------ */

static spw_status set_up_init(spw_trial *t, const char *name)
{
    loop *l = begin(t, name, 1);
    if (!l || !(l->a = spw_trial_output(t, "a", SPW_DOUBLE, l->n))) return SPW_ERR_MEMORY;
    double *expected = spw_trial_memory(t, l->n, sizeof *expected);
    if (!expected) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < l->n; i++) expected[i] = l->s;
    spw_trial_expect(t, l->a, (spw_expectation){.expected = expected, .count = l->n});
    return SPW_OK;
}

static void call_init(spw_trial *t, spw_function f)
{
    const loop *l = spw_trial_data(t);
    ((init_fn)f)(l->n, l->a, l->s);
}

/* Threads that a parallel region really gets: a limit from outside may leave fewer than asked for.
 * */
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
    if (!((const loop *)spw_trial_data(t))->watches_pages || team == 1) return;
    const int64_t share = team < 32 ? 64 : 16, pages = team * share;
    spw_pages init = {0}, use = {0};
    double *zeros = NULL;
    if (spw_pages_create(1, pages, 0, team, &init) || spw_pages_create(1, pages, 0, team, &use) ||
        spw_alloc_zero((void **)&zeros, use.n, sizeof *zeros))
        goto end; /* no memory: nothing can be said */

    spw_pages_begin(&init);
    ((init_fn)f)(init.n, init.vector[0], 1);
    spw_pages_end(&init);
    watch_use(t, &use, zeros);

    int64_t elsewhere = 0, example = -1;
    for (int64_t p = 0; p < pages; p++)
        if (init.owner[p] != use.owner[p]) {
            elsewhere++;
            if (example < 0) example = p;
        }
    const int only = spw_pages_only_owner(&init);
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
                       init.owner[example], use.owner[example]);
end:
    spw_free(zeros);
    spw_pages_destroy(&init);
    spw_pages_destroy(&use);
}

/* --- copy
 * ------------------------------------------------------------------------------------------ */

static spw_status set_up_copy(spw_trial *t, const char *name)
{
    loop *l = begin(t, name, 2);
    if (!l || !(l->b = spw_trial_random(t, "b", l->n)) ||
        !(l->a = spw_trial_output(t, "a", SPW_DOUBLE, l->n)))
        return SPW_ERR_MEMORY;
    spw_trial_expect(t, l->a, (spw_expectation){.expected = l->b, .count = l->n});
    return SPW_OK;
}

static void call_copy(spw_trial *t, spw_function f)
{
    const loop *l = spw_trial_data(t);
    ((copy_fn)f)(l->n, l->b, l->a);
}

static void call_copy_ref(spw_trial *t)
{
    const loop *l = spw_trial_data(t);
    spw_copy_ref(l->n, l->b, l->a);
}

static void call_copy_best(spw_trial *t)
{
    const loop *l = spw_trial_data(t);
    spw_copy_omp_stream(l->n, l->b, l->a);
}

static spw_cost cost_of_copy(const spw_trial *t)
{
    return (spw_cost){.load = 8 * n_of(t), .store = 8 * n_of(t)};
}

/* The mistakes that all models invite. */
static void explain_cost(spw_cost got, spw_cost truth, char *text, int size)
{
    if (truth.store > 0 && got.load == truth.load + truth.store)
        snprintf(
            text, (size_t)size,
            "Did you count the write-allocate read of a? It is real on a CPU, but it depends on\n"
            "the kind of store: the model leaves it out, and states it apart.");
    else if (8 * got.load == truth.load && 8 * got.store == truth.store)
        snprintf(text, (size_t)size,
                 "loads and stores are counted in bytes: a double has 8 of them.");
    else if (truth.store > 0 && got.store == 0)
        snprintf(text, (size_t)size, "a is written, too.");
}

static void explain_copy(const spw_trial *t, spw_cost got, char *text, int size)
{
    explain_cost(got, cost_of_copy(t), text, size);
    if (!text[0] && got.flop > 0)
        snprintf(text, (size_t)size, "Nothing is added or multiplied here; i++ is not counted.");
}

/* --- sum
 * ------------------------------------------------------------------------------------------- */

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
        part[k] = spw_dot_expected(to - from, l->b + from, NULL, &ignored);
    }
    for (int set = 1; set < (1 << parts) - 1; set++) {
        const bool single = (set & (set - 1)) == 0;
        double *sum = single || threads <= 3 ? spw_trial_memory(t, 1, sizeof *sum) : NULL;
        if (!sum) continue;
        for (int k = 0; k < parts; k++)
            if (set >> k & 1) *sum += part[k];
        spw_trial_mistake(
            t, l->sum, sum,
            "some threads' parts are missing: they overwrite each other's total, a race");
    }
}

/* The tolerance is the bound for any order of summation (Higham, section 4.2, as spw_dot_expected
 * has it). It grows with n^2, but float arithmetic is 2^29 times less exact and is caught at n = 7.
 * */
static spw_status set_up_sum(spw_trial *t, const char *name)
{
    loop *l = begin(t, name, 1);
    if (!l || !(l->b = spw_trial_random(t, "a", l->n)) ||
        !(l->sum = spw_trial_output(t, "sum", SPW_DOUBLE, 1)))
        return SPW_ERR_MEMORY;
    double *expected = spw_trial_memory(t, 2, sizeof *expected);
    if (!expected) return SPW_ERR_MEMORY;
    expected[0] = spw_dot_expected(l->n, l->b, NULL, &expected[1]);
    spw_trial_expect(
        t, l->sum,
        (spw_expectation){
            .expected = &expected[0], .tolerance = &expected[1], .count = 1, .noun = ""});
    if (l->n > 7 && spw_trial_threads(t) > 1) state_lost_parts(t, l);
    return SPW_OK;
}

static void call_sum(spw_trial *t, spw_function f)
{
    const loop *l = spw_trial_data(t);
    *l->sum = ((sum_fn)f)(l->n, l->b);
}

static void call_sum_ref(spw_trial *t)
{
    const loop *l = spw_trial_data(t);
    *l->sum = spw_sum_ref(l->n, l->b);
}

static void call_sum_best(spw_trial *t)
{
    const loop *l = spw_trial_data(t);
    *l->sum = spw_sum_omp_prefetch(l->n, l->b);
}

static spw_cost cost_of_sum(const spw_trial *t)
{
    return (spw_cost){.load = 8 * n_of(t), .flop = n_of(t)};
}

static void explain_sum(const spw_trial *t, spw_cost got, char *text, int size)
{
    explain_cost(got, cost_of_sum(t), text, size);
    if (!text[0] && (got.load == 16 * n_of(t) || got.store > 0))
        snprintf(text, (size_t)size,
                 "The sum itself stays in a register: only a is moved, and only read.");
    else if (!text[0] && got.flop == n_of(t) - 1)
        snprintf(text, (size_t)size,
                 "Count one addition an iteration: the first a[i] is added to 0.");
}

/* --- triad
 * ----------------------------------------------------------------------------------------- */

/* 2 k eps (|b| + |s c|) with k = 2 (Higham, section 3.1): with or without a fused multiply-add. */
static double *triad_tolerance(spw_trial *t, const loop *l)
{
    double *tolerance = spw_trial_memory(t, l->n, sizeof *tolerance);
#pragma omp parallel for schedule(static) if (tolerance)
    for (int64_t i = 0; i < (tolerance ? l->n : 0); i++)
        tolerance[i] = 4 * DBL_EPSILON * (fabs(l->b[i]) + fabs(l->s * l->c[i]));
    return tolerance;
}

/* x + s * y: the right result, and with other arguments the wrong ones. */
static double *combined(spw_trial *t, int64_t n, const double *x, double s, const double *y)
{
    double *result = spw_trial_memory(t, n, sizeof *result);
#pragma omp parallel for schedule(static) if (result)
    for (int64_t i = 0; i < (result ? n : 0); i++) result[i] = x[i] + s * y[i];
    return result;
}

static spw_status set_up_triad(spw_trial *t, const char *name)
{
    loop *l = begin(t, name, 3);
    if (!l || !(l->b = spw_trial_random(t, "b", l->n)) ||
        !(l->c = spw_trial_random(t, "c", l->n)) ||
        !(l->a = spw_trial_output(t, "a", SPW_DOUBLE, l->n)))
        return SPW_ERR_MEMORY;
    double *expected = combined(t, l->n, l->b, l->s, l->c), *tolerance = triad_tolerance(t, l);
    if (!expected || !tolerance) return SPW_ERR_MEMORY;
    spw_trial_expect(
        t, l->a, (spw_expectation){.expected = expected, .tolerance = tolerance, .count = l->n});
    if (l->n > 0 && l->n < 1000000) {
        spw_trial_mistake(t, l->a, combined(t, l->n, l->c, l->s, l->b),
                          "b and c are swapped: this is c + s * b");
        spw_trial_mistake(t, l->a, combined(t, l->n, l->b, 1, l->c), "s is missing: this is b + c");
        spw_trial_mistake(t, l->a, combined(t, l->n, l->b, -l->s, l->c),
                          "the sign is wrong: this is b - s * c");
    }
    return SPW_OK;
}

static void call_triad(spw_trial *t, spw_function f)
{
    const loop *l = spw_trial_data(t);
    ((triad_fn)f)(l->n, l->s, l->b, l->c, l->a);
}

static void call_triad_ref(spw_trial *t)
{
    const loop *l = spw_trial_data(t);
    spw_triad_ref(l->n, l->s, l->b, l->c, l->a);
}

static void call_triad_best(spw_trial *t)
{
    const loop *l = spw_trial_data(t);
    spw_triad_omp_stream(l->n, l->s, l->b, l->c, l->a);
}

static spw_cost cost_of_triad(const spw_trial *t)
{
    return (spw_cost){.load = 16 * n_of(t), .store = 8 * n_of(t), .flop = 2 * n_of(t)};
}

static void explain_triad(const spw_trial *t, spw_cost got, char *text, int size)
{
    explain_cost(got, cost_of_triad(t), text, size);
    if (!text[0] && got.flop == n_of(t))
        snprintf(text, (size_t)size, "A fused multiply-add is one instruction but two operations.");
}

/* --- the declaration
 * ------------------------------------------------------------------------------- */

/* init is last, because its check calls triad, which has passed by then. */
static const spw_part parts[] = {
    {.function = "copy",
     .model = "copy_cost",
     .cases = cases,
     .setup = set_up_copy,
     .call = call_copy,
     .predict = predict,
     .cost = cost_of_copy,
     .explain_model = explain_copy,
     .speed = "memory",
     .traffic = "traffic",
     .target = 0.90,
     .baseline = {"plain serial loop", call_copy_ref},
     .stretch = {"library", call_copy_best}},
    {.function = "sum",
     .model = "sum_cost",
     .cases = sum_cases,
     .setup = set_up_sum,
     .call = call_sum,
     .predict = predict,
     .cost = cost_of_sum,
     .explain_model = explain_sum,
     .speed = "memory",
     .traffic = "traffic",
     .target = 0.90,
     .baseline = {"plain serial loop", call_sum_ref},
     .stretch = {"library", call_sum_best}},
    {.function = "triad",
     .model = "triad_cost",
     .cases = cases,
     .setup = set_up_triad,
     .call = call_triad,
     .predict = predict,
     .cost = cost_of_triad,
     .explain_model = explain_triad,
     .speed = "memory",
     .traffic = "traffic",
     .target = 0.90,
     .baseline = {"plain serial loop", call_triad_ref},
     .stretch = {"library", call_triad_best}},
    {.function = "init_first_touch",
     .cases = init_cases,
     .setup = set_up_init,
     .call = call_init,
     .claim = check_init},
};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = sizeof parts / sizeof parts[0]},
                     argc, argv);
}

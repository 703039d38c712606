/* What exercises about Krylov solvers have in common. */
#include "kit/krylov.h"

#include "judge/trial.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How exactly an answer must end as the right steps do, and what it returns must be true. */

/* So many of the iterations, but at least 1, may be more or fewer: sums are rounded in another order. */
static const double STEPS_OFF = 0.02;
/* Norms that are so near, relative, are the same one. */
static const double NEAR = 1e-3;
/* b - A x may be so many times the limit where r is below it: r was carried along. */
static const double STILL_BELOW = 1.01;

/* --- the case ---------------------------------------------------------------------------------------- */

static const spw_krylov_case *find(const spw_krylov_method *method, const char *name) {
    for (const spw_krylov_case *c = method->cases; c->name; c++)
        if (strcmp(name, c->name) == 0) return c;
    return NULL;
}

void spw_krylov_names(const spw_krylov_case *cases, const char **names) {
    int n = 0;
    for (; cases[n].name; n++) names[n] = cases[n].name;
    names[n] = NULL;
}

static void subtract(double shift, spw_csr *A) {
    for (spw_idx i = 0; i < A->n_rows && shift != 0; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] == i) A->val[k] -= shift;
}

void spw_krylov_prepare(spw_trial *t, const char *name, const spw_krylov_method *method,
                        spw_krylov *k) {
    const spw_krylov_case timed = {.matrix = name, .b = SPW_B_RANDOM, .most = method->timed_steps};
    const uint64_t seed = spw_trial_seed(t);
    spw_csr A;
    k->method = method;
    k->system = find(method, name);
    const spw_krylov_case *c = k->system ? k->system : &timed;
    spw_kit_must(t, (method->matrix ? method->matrix : spw_system_load)(c->matrix, seed, &A));
    subtract(c->shift, &A);
    k->n = A.n_rows;
    k->tolerance = c->tolerance;
    k->most = c->most;
    spw_kit_quantity(t, ".n", A.n_rows);
    spw_kit_quantity(t, ".nz", A.nnz);
    spw_kit_quantity(t, ".steps", k->system ? 0 : k->most);
    spw_trial_say_system(t, &A, !k->system, k->tolerance, k->most,
                         method->timed_by ? method->timed_by : "");
    k->A = (const spw_csr *)spw_kit_need(t, spw_trial_csr(t, &A));
    double *b = (double *)spw_kit_need(t, spw_trial_input(t, "b", SPW_DOUBLE, k->n));
    double *start = spw_kit_doubles(t, k->n);
    spw_system_right_side(k->A, c->b, seed, b);
    if (c->b == SPW_B_FIRST && method->first != 0) b[0] = method->first;
    spw_system_guess(k->n, c->x, seed, start);
    k->b = b;
    spw_trial_trade(t, b);
    k->start = start;
    k->norm_b = sqrt(spw_system_dot(k->n, b, b));
    k->x = spw_kit_need(t, spw_trial_inout(t, "x", SPW_DOUBLE, k->n, start));
    k->got = spw_kit_need(t, spw_trial_output(t, "result", SPW_DOUBLE, 3));
}

void spw_krylov_returned(const spw_krylov *k, int stop, int iterations, double residual) {
    k->got[0] = stop;
    k->got[1] = iterations;
    k->got[2] = residual;
}

void spw_krylov_set_up(spw_trial *t, const char *name, void *at) {
    spw_krylov_prepare(t, name, t->part->kit->krylov, at);
}

/* --- the right steps --------------------------------------------------------------------------------- */

typedef struct steps {
    double *x, *work; /* [n], [vectors * n] */
    void *state;
    double norm[SPW_KRYLOV_NORMS];
    bool done; /* what follows is for the history alone */
} steps;

static void keep(spw_krylov *k, int step, const double *norm) {
    for (int m = 0; m < SPW_KRYLOV_NORMS; m++) k->norm[m][step] = norm[m];
    k->n_history = step + 1;
}

static void end(spw_krylov *k, steps *s, int stop, int iterations) {
    if (s->done) return;
    k->stop = stop;
    k->iterations = iterations;
    memcpy(k->right, s->x, (size_t)k->n * sizeof *s->x);
    s->done = true;
}

static void take_steps(spw_krylov *k, steps *s) {
    const double enough = k->tolerance * k->norm_b;
    memcpy(s->x, k->start, (size_t)k->n * sizeof *s->x);
    k->method->begin(k, s->x, s->work, s->state, s->norm);
    for (int i = 0; i < SPW_KRYLOV_HISTORY; i++) {
        keep(k, i, s->norm);
        const bool small = s->norm[SPW_NORM_R] <= enough;
        if (small || i == k->most)
            end(k, s, small ? SPW_KRYLOV_CONVERGED : SPW_KRYLOV_ITERATIONS, i);
        if (s->done && !k->system) return;
        const int stop = k->method->step(k, s->done ? 0 : enough, s->state, s->norm);
        if (stop == SPW_KRYLOV_ITERATIONS) continue;
        const bool converged = stop == SPW_KRYLOV_CONVERGED;
        if (converged) keep(k, i + 1, s->norm);
        end(k, s, stop, i + converged);
        return;
    }
}

static const char *name_of(const spw_krylov *k, int stop) {
    for (int s = 0; s <= stop; s++)
        if (!k->method->stops[s]) return "something else";
    return stop < 0 ? "something else" : k->method->stops[stop];
}

static void describe(const spw_trial *t, int64_t i, char *text, int size) {
    (void)i;
    const spw_krylov *k = (const spw_krylov *)spw_kit_arguments(t);
    snprintf(text, (size_t)size, "%s, %.0f step%s%s", name_of(k, (int)k->got[0]), k->got[1],
             k->got[1] == 1 ? "" : "s",
             k->got[1] > k->most ? ":\nmax_iterations is there to end it in any case" : "");
}

/* The iterate itself is compared where the number of steps is fixed. */
void spw_krylov_expect(spw_trial *t, const void *at) {
    spw_krylov *k =
        (spw_krylov *)(uintptr_t)at; /* the driver's own, which only its kit sees as const */
    steps s = {.x = spw_kit_doubles(t, k->n),
               .work = spw_kit_doubles(t, k->n * k->method->vectors),
               .state = spw_kit_need(t, spw_trial_memory(t, 1, (int64_t)k->method->state_size))};
    k->right = spw_kit_doubles(t, k->n);
    take_steps(k, &s);
    spw_trial_hide(t, &k->stop, (int64_t)(sizeof *k - offsetof(spw_krylov, stop)));
    spw_trial_hide(t, s.x, k->n * (int64_t)sizeof *s.x);
    spw_trial_hide(t, s.work, k->n * k->method->vectors * (int64_t)sizeof *s.work);
    spw_trial_hide(t, s.state, (int64_t)k->method->state_size);
    spw_trial_hide(t, k->right, k->n * (int64_t)sizeof *k->right);
    if (k->tolerance > 0) return;
    const double most =
        fmax(spw_system_largest(k->n, k->right), spw_system_largest(k->n, k->start));
    double *tolerance = spw_kit_doubles(t, k->n);
    for (int64_t i = 0; i < k->n; i++) tolerance[i] = k->method->digits * most;
    spw_trial_expect(
        t, k->x,
        (spw_expectation){
            .expected = k->right, .tolerance = tolerance, .count = k->n, .describe = describe});
}

/* --- why it stopped there ---------------------------------------------------------------------------- */

static const spw_krylov_test common[] = {
    {SPW_NORM_R, false, SPW_LIMIT_TOLERANCE,
     "That is where ||r|| falls below the tolerance itself: it must be below\n"
     "tolerance * ||b||"},
    {SPW_NORM_R, false, SPW_LIMIT_FIRST,
     "That is where ||r|| falls below tolerance * ||r0||, the first residual: it must be\n"
     "below tolerance * ||b||, whatever the guess was"},
    {SPW_NORM_R, true, SPW_LIMIT_B,
     "That is where r.r falls below tolerance * ||b||: compare its square root, ||r||"},
    {SPW_NORM_R, true, SPW_LIMIT_B_B,
     "That is where r.r falls below tolerance * b.b: compare the square roots, or square the\n"
     "tolerance too"},
    {SPW_NORM_R, false, SPW_LIMIT_B_B,
     "That is where ||r|| falls below tolerance * b.b: ||b|| is the square root of b.b"},
    {SPW_NORM_R, true, SPW_LIMIT_TOLERANCE,
     "That is where r.r falls below the tolerance: compare ||r|| with tolerance * ||b||"},
    {SPW_NORM_LARGEST, false, SPW_LIMIT_B,
     "That is where the largest |r[i]| falls below tolerance * ||b||: the norm is the\n"
     "Euclidean one, the square root of r.r"},
    {SPW_NORM_LARGEST, false, SPW_LIMIT_LARGEST_B,
     "That is where the largest |r[i]| falls below tolerance * the largest |b[i]|: the\n"
     "norm is the Euclidean one, the square root of r.r"},
    {0},
};

static double limit_of(const spw_krylov *k, const spw_krylov_test *test) {
    switch (test->limit) {
    case SPW_LIMIT_B: return k->tolerance * k->norm_b;
    case SPW_LIMIT_B_B: return k->tolerance * k->norm_b * k->norm_b;
    case SPW_LIMIT_FIRST: return k->tolerance * k->norm[test->norm][0];
    case SPW_LIMIT_LARGEST_B: return k->tolerance * spw_system_largest(k->n, k->b);
    default: return k->tolerance;
    }
}

static const char *stops_there(const spw_krylov *k, const spw_krylov_test *tests, int iterations,
                               int off) {
    for (const spw_krylov_test *test = tests; test && test->text; test++) {
        const int at = spw_system_first_below(k->norm[test->norm], k->n_history, limit_of(k, test),
                                              test->squared);
        if (at >= 0 && abs(at - iterations) == off) return test->text;
    }
    return NULL;
}

static const char *other_test(const spw_krylov *k, int iterations) {
    const spw_krylov_method *m = k->method;
    if (k->stop >= SPW_KRYLOV_BREAKDOWN && iterations == k->iterations + 1)
        return "the step that broke down does not count. Or does the count begin with 1?";
    if (k->tolerance == 0)
        return "x is right, so the count is wrong: iterations is how often x has changed";
    if (iterations > k->most) return "max_iterations is there so that it ends in any case";
    for (int off = 0; off <= m->blur; off++) {
        const char *text = stops_there(k, m->tests, iterations, off);
        if (!text) text = stops_there(k, common, iterations, off);
        if (text) return text;
        if (abs(k->iterations + 1 - iterations) == off)
            return "One step too many: either the test looked at the residual from before it, or "
                   "the\n"
                   "count begins with 1";
    }
    return k->stop == SPW_KRYLOV_CONVERGED && iterations > k->iterations ? m->too_many
                                                                         : m->which_test;
}

/* "1 iteration"; until the next call. */
static const char *counted(int iterations) {
    static char text[40];
    snprintf(text, sizeof text, "%d iteration%s", iterations, iterations == 1 ? "" : "s");
    return text;
}

static void check_stop(spw_trial *t, const spw_krylov *k) {
    const int stop = (int)k->got[0], iterations = (int)k->got[1];
    const char *got = name_of(k, stop), *right = name_of(k, k->stop);
    const bool loose = k->stop == SPW_KRYLOV_CONVERGED && k->iterations > 3;
    const int slack = loose ? (int)fmax(1, ceil(STEPS_OFF * k->iterations)) : 0;
    if (k->stop >= SPW_KRYLOV_BREAKDOWN && stop != k->stop)
        spw_trial_fail(t, "%s was returned after %s; it must be %s, after %d.\n%s", got,
                       counted(iterations), right, k->iterations,
                       k->method->breakdowns[k->stop - SPW_KRYLOV_BREAKDOWN]);
    else if (stop >= SPW_KRYLOV_BREAKDOWN && k->stop < SPW_KRYLOV_BREAKDOWN)
        spw_trial_fail(t, "%s was returned after %s, expected %s.\n%s", got, counted(iterations),
                       right, k->method->false_alarm);
    else if (abs(iterations - k->iterations) > slack)
        spw_trial_fail(t, "%s after %s, expected %d (+- %d).\n%s", got, counted(iterations),
                       k->iterations, slack, other_test(k, iterations));
    else if (stop != k->stop)
        spw_trial_fail(t,
                       "%s was returned after %s, expected %s:\n"
                       "||r|| is %.3g, tolerance * ||b|| is %.3g%s",
                       got, counted(iterations), right, k->got[2], k->tolerance * k->norm_b,
                       stop == SPW_KRYLOV_ITERATIONS
                           ? ".\nAsk for convergence first, then whether there were enough steps"
                           : ". It has not converged");
}

/* --- what it claims ---------------------------------------------------------------------------------- */

static const char *residual_is(const spw_krylov *k, double said, double truth, double near) {
    const int i = (int)k->got[1];
    const double before = i > 0 && i <= k->n_history ? k->norm[SPW_NORM_R][i - 1] : -1;
    if (fabs(said - truth * truth) <= 2 * NEAR * truth * truth)
        return "This is r.r: residual is its square root";
    if (k->norm_b > 0 && fabs(said - truth / k->norm_b) <= near / k->norm_b)
        return "This is ||r|| / ||b||: residual is ||r||, not divided by anything";
    const char *own = k->method->residual_is ? k->method->residual_is(k, said, truth) : NULL;
    if (own) return own;
    if (fabs(said - before) <= NEAR * before)
        return "This is a stale residual, that of one step before: x has moved on since";
    if (fabs(truth - before) <= NEAR * before)
        return "x is one step behind r: the last update of x is missing";
    return k->method->drifted;
}

static void check_residual(spw_trial *t, const spw_krylov *k) {
    double slack;
    const double truth = spw_system_residual(k->A, k->b, k->x, k->start, &slack);
    const double said = k->got[2], near = NEAR * truth + slack, enough = k->tolerance * k->norm_b;
    const int stop = (int)k->got[0], iterations = (int)k->got[1];
    if (fabs(said - truth) > near)
        spw_trial_fail(t, "residual is %.6g, but ||b - A x|| is %.6g after %s.\n%s", said, truth,
                       counted(iterations), residual_is(k, said, truth, near));
    else if (stop == SPW_KRYLOV_CONVERGED && truth > STILL_BELOW * enough + slack)
        spw_trial_fail(t, "%s, but ||b - A x|| is %.3g and tolerance * ||b|| is %.3g.\n%s",
                       name_of(k, stop), truth, enough, other_test(k, iterations));
}

void spw_krylov_claim(spw_trial *t) {
    const spw_krylov *k = (const spw_krylov *)spw_kit_arguments(t);
    const char *why = k->stop >= SPW_KRYLOV_BREAKDOWN
                          ? k->method->breakdowns[k->stop - SPW_KRYLOV_BREAKDOWN]
                          : k->method->divided;
    for (int64_t i = 0; i < k->n; i++)
        if (!isfinite(k->x[i])) {
            spw_trial_fail(t, "x[%lld] is %g: something was divided by 0.\n%s", (long long)i,
                           k->x[i], why);
            return;
        }
    if (!isfinite(k->got[2])) {
        spw_trial_fail(t, "residual is %g: where was something divided by 0?\n%s", k->got[2], why);
        return;
    }
    check_stop(t, k);
    check_residual(t, k);
}

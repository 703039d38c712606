/* Exercise 19: iterative refinement, and the solver in float that it calls, which looks over its shoulder: what came of
 * a mistake says little, what single_cg was given says much. First it leaves so much of the residual as a case says: then
 * each mistake in a step or in the stopping rule has an x and a number of steps of its own. */
#include "driver_refine.h"

#include "mixed_precision.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/spmv.h"
#include "problem.h"
#include "solvers/cg.h"
#include "solvers/refine.h"

#include <setjmp.h>

enum { WATCHED_UP_TO = 100000, MOST_CALLS = 40, MOST_ITERATIONS = 2000 };
static const double TOLERANCE = 1e-12;
/* Some just above and just below 0.4^k. */
static const double tolerances[7] = {0.5, 0.166, 0.154, 0.03, 0.0104, 0.0101, 1e-3};
enum { TOLERANCES = sizeof tolerances / sizeof tolerances[0] };

/* What single_cg saw of a refinement. */
typedef struct record {
    bool watches;
    int right_steps, least; /* what the driver's own refinement takes */
    double *after;          /* [n] a residual */
    float *wanted;          /* [n] */
    /* from here on what a call leaves */
    int returned, calls, iterations;
    double reduction;  /* of the last call */
    char finding[400]; /* the first thing that looked wrong */
} record;

typedef struct refinement {
    matrices of;
    const double *b;
    double *x, *returned, *calls;
    double left; /* of ||r||, by each correction; 0: as the solver in float leaves it */
    record *seen;
} refinement;

static const refinement *watched; /* by single_cg; NULL: nobody looks */
static jmp_buf enough;

/* --- what refine hands to single_cg -------------------------------------------------------------------- */

#define find(seen, ...) spw_kit_first((seen)->finding, sizeof(seen)->finding, __VA_ARGS__)

/* r = b - A x, of the values of A or of those of S. */
static void residual(const refinement *p, const csr_single *S, const double *x, double *r) {
    double size;
    for (spw_idx i = 0; i < p->of.A->n_rows; i++)
        r[i] = p->b[i] - row_times(p->of.A, S, x, i, &size);
}

static double norm_of(int64_t n, const double *v) {
    return sqrt(spw_system_dot(n, v, v));
}

/* How far r is from t, or from -t, where both have length 1. */
static double apart(int64_t n, const float *r, const double *t) {
    const double norm = norm_of(n, t);
    double square = 0, minus = 0, plus = 0;
    for (int64_t i = 0; i < n; i++) square += (double)r[i] * (double)r[i];
    if (!(square > 0 && norm > 0)) return 1;
    for (int64_t i = 0; i < n; i++) {
        minus += pow((double)r[i] / sqrt(square) - t[i] / norm, 2);
        plus += pow((double)r[i] / sqrt(square) + t[i] / norm, 2);
    }
    return sqrt(fmin(minus, plus));
}

/* Is r b - A x, up to a factor? And does x keep the digits that corrections have found? */
static void look_at_r(const refinement *p, const float *r) {
    const int64_t n = p->of.A->n_rows;
    record *seen = p->seen;
    bool floats = seen->calls > 0 && n > 1;
    for (int64_t i = 0; i < n && floats; i++) floats = p->x[i] == (double)(float)p->x[i];
    if (floats)
        find(seen,
             "all of x are numbers that fit a float: the correction was added in float. x keeps\n"
             "the digits that all corrections have found, and needs a double for it");
    residual(p, NULL, p->x, seen->after);
    const double norm = norm_of(n, seen->after), norm_b = norm_of(n, p->b);
    const double error = apart(n, r, seen->after);
    if (error <= 1e-5) return;
    residual(p, p->of.S, p->x, seen->after);
    if (apart(n, r, seen->after) < 0.1 * error)
        find(seen,
             "r is the residual of the matrix that was rounded to float. With it, x converges\n"
             "to the solution of another system: the residual takes A, in double");
    else if (error * norm < 1e-4 * norm_b)
        find(seen,
             "at call %d the r that single_cg was given differs from b - A x by %.0e ||b||,\n"
             "and b - A x is %.0e ||b||: it was computed in float. There b and A x are nearly\n"
             "equal, and their difference is rounding error",
             seen->calls + 1, error * norm / norm_b, norm / norm_b);
    else
        find(seen,
             "at call %d the r that single_cg was given is not b - A x of the x at that time,\n"
             "up to a factor: they differ by %.0e ||b||",
             seen->calls + 1, error * norm / norm_b);
}

/* Before single_cg runs, in the checks. */
static void look(const refinement *p, const float *r) {
    bool finite = true;
    for (int64_t i = 0; i < p->of.A->n_rows; i++)
        finite = finite && isfinite(p->x[i]) && isfinite(r[i]);
    if (finite && !p->seen->finding[0]) look_at_r(p, r);
}

static int conjugate_gradients(const csr_single *S, const float *r_given, double reduction,
                               float *d) {
    const spw_csr_float A = view_of(S);
    const int64_t n = S->n_rows;
    float *p = NULL, *q = NULL, *r = NULL;
    int iterations = 0;
    double rho = 0, old = 1;
    spw_status status = SPW_ALLOC(&p, n);
    if (!status) status = SPW_ALLOC(&q, n);
    if (!status) status = SPW_ALLOC(&r, n);
    if (status) goto end;
#pragma omp parallel for schedule(static) reduction(+ : rho)
    for (int64_t i = 0; i < n; i++) {
        r[i] = r_given[i];
        p[i] = d[i] = 0;
        rho += (double)r[i] * (double)r[i];
    }
    const double goal = reduction * reduction * rho;
    while (rho > goal && isfinite(rho) && iterations < MOST_ITERATIONS) {
        spw_direction_float_omp(n, iterations ? (float)(rho / old) : 0, r, p);
        const double p_q = spw_spmv_with_dot_float_omp(&A, p, q);
        if (!(p_q > 0)) break;
        old = rho;
        rho = spw_cg_step_float_omp(n, (float)(rho / p_q), p, q, d, r);
        iterations++;
    }
end:
    spw_free(p);
    spw_free(q);
    spw_free(r);
    return iterations;
}

/* Call by call so much of r is left in one entry, and then in all: its norms are as different as they can be. The first
 * call leaves less than a half in any case. */
static int solve_roughly(const refinement *p, const float *r, int call, double reduction,
                         float *d) {
    const csr_single *S = p->of.S;
    if (p->left <= 0) return conjugate_gradients(S, r, reduction, d);
    for (int64_t i = 0; i < S->n_rows; i++) p->seen->after[i] = (double)r[i];
    const double part = call == 0 ? fmin(p->left, 0.4) : p->left, even = sqrt(S->n_rows),
                 left = part * norm_of(S->n_rows, p->seen->after);
    for (int64_t i = 0; i < S->n_rows; i++)
        p->seen->wanted[i] = r[i] - (float)(call % 2 ? left / even : i == 0 ? left : 0);
    const int threads = spw_max_threads(); /* n is small: a region costs more than the work */
    spw_set_threads(1);
    const int iterations = conjugate_gradients(S, p->seen->wanted, 1e-6, d);
    spw_set_threads(threads);
    return iterations;
}

int single_cg(const csr_single *S, const float *r, double reduction, float *d) {
    if (!watched) return conjugate_gradients(S, r, reduction, d);
    record *seen = watched->seen;
    if (watched->left <= 0) look(watched, r);
    const int iterations = solve_roughly(watched, r, seen->calls++, reduction, d);
    seen->iterations += iterations;
    seen->reduction = reduction;
    /* It may go on for ever: back to where refine was called from. */
    if (seen->calls >= MOST_CALLS) longjmp(enough, 1);
    return iterations;
}

/* --- a case --------------------------------------------------------------------------------------------- */

/* The driver's own refinement: how many steps and iterations there ought to be. Returns x. */
static const double *count_steps(spw_trial *t, const refinement *p, double tolerance) {
    const int64_t n = p->of.A->n_rows;
    double *x = spw_kit_doubles(t, n), *left = spw_kit_doubles(t, n);
    float *r = (float *)spw_kit_need(t, spw_trial_memory(t, n, sizeof *r)),
          *d = (float *)spw_kit_need(t, spw_trial_memory(t, n, sizeof *d));
    const double norm_b = norm_of(n, p->b);
    double last = INFINITY;
    int steps = 0, iterations = 0;
    p->seen->returned = -1;
    for (;; steps++) {
        spw_spmv_csr_omp(p->of.A, x, left);
        for (int64_t i = 0; i < n; i++) left[i] = p->b[i] - left[i];
        const double norm = norm_of(n, left);
        if (norm <= tolerance * norm_b) p->seen->returned = steps;
        if (norm <= tolerance * norm_b || !(norm < last / 2)) break;
        last = norm;
        for (int64_t i = 0; i < n; i++) r[i] = (float)(left[i] / norm);
        iterations += solve_roughly(p, r, steps, 1e-4, d);
        for (int64_t i = 0; i < n; i++) x[i] += norm / p->of.S->scale * (double)d[i];
    }
    p->seen->right_steps = steps;
    p->seen->least = iterations;
    spw_kit_quantity(t, ".steps", steps);
    spw_kit_quantity(t, ".its", iterations);
    return x;
}

/* A and S are there already. */
static void fill_b(spw_trial *t, const void *at, void *array, int64_t n) {
    refinement *p = (refinement *)(uintptr_t)at;
    const double size = p->left > 0 ? spw_kit_value(t, "of_b") : change_of(spw_kit_case(t)).size;
    for (int64_t i = 0; i < n; i++) ((double *)array)[i] *= size;
    spw_trial_trade(t, array);
    p->seen = (record *)spw_kit_need(t, spw_trial_memory(t, 1, (int64_t)sizeof(record)));
    p->seen->watches = spw_trial_checks(t) && n <= WATCHED_UP_TO;
    p->seen->after = spw_kit_doubles(t, n);
    p->seen->wanted = (float *)spw_kit_need(t, spw_trial_memory(t, n, sizeof(float)));
    const size_t left = offsetof(record, returned);
    spw_trial_result(t, (char *)p->seen + left, (int64_t)(sizeof *p->seen - left));
    if (p->left <= 0) count_steps(t, p, TOLERANCE);
}

static void describe_steps(const spw_trial *t, int64_t k, char *text, int size) {
    const refinement *p = (const refinement *)spw_kit_arguments(t);
    const char *endless = p->returned[k] == -2 ? ", and it did not come to an end" : "";
    snprintf(text, (size_t)size, "tolerance %g%s", tolerances[k], endless);
}

static const spw_argument of_refinement[] = {MATRICES(refinement),
                                             SPW_FILLED(refinement, b, "n_rows", .fill = fill_b),
                                             SPW_OUTPUT(refinement, x, "n_rows", ),
                                             {0}};
static const spw_argument of_steps[] = {
    SPW_VALUE(refinement, left, "left"),
    MATRICES(refinement),
    SPW_FILLED(refinement, b, "n_rows", .fill = fill_b),
    SPW_OUTPUT(refinement, x, "n_rows", ),
    SPW_OUTPUT(refinement, returned, "7", .describe = describe_steps),
    SPW_OUTPUT_AS("result", refinement, calls, "7", ), /* of single_cg */
    {0}};

/* x of the last tolerance is compared; it is anybody's guess where refine gives up. */
static void expect_steps(spw_trial *t, const void *at) {
    const refinement *p = (const refinement *)at;
    const double *x = NULL;
    double *right = spw_kit_doubles(t, TOLERANCES);
    for (int k = 0; k < TOLERANCES; k++) {
        x = count_steps(t, p, tolerances[k]);
        right[k] = p->seen->returned;
    }
    spw_kit_expect(t, p->returned, right, NULL);
    if (p->seen->returned >= 0) spw_kit_expect_near(t, p->x, p->of.A->n_rows, x, 1e-4);
}

static void refine_to(const refinement *p, spw_function f, double tolerance) {
    record *seen = p->seen;
    seen->returned = -2; /* it did not return */
    seen->calls = 0;
    seen->iterations = 0;
    seen->finding[0] = 0;
    watched = seen->watches ? p : NULL;
    if (!watched || !setjmp(enough))
        seen->returned = SPW_AS(refine, f)(p->of.A, p->of.S, p->b, tolerance, p->x);
    watched = NULL;
}

static void call_refine(const void *at, spw_function f) {
    refine_to((const refinement *)at, f, TOLERANCE);
}

static void call_steps(const void *at, spw_function f) {
    const refinement *p = (const refinement *)at;
    for (int k = 0; k < TOLERANCES; k++) {
        refine_to(p, f, tolerances[k]);
        p->returned[k] = p->seen->returned;
        p->calls[k] = p->seen->calls;
    }
}

/* --- what came of it ------------------------------------------------------------------------------------ */

/* Rounded to float the matrix has two equal rows. */
static void check_hopeless(spw_trial *t, const record *seen) {
    if (seen->calls >= MOST_CALLS)
        spw_trial_fail(t,
                       "single_cg was called %d times, and there was no end of it: if a correction "
                       "does not\nhalve ||b - A x||, the next one will not either. Return -1 then",
                       seen->calls);
    else if (seen->returned != -1)
        spw_trial_fail(
            t,
            "refine returned %d, expected -1: rounded to float this matrix has two equal rows, "
            "so\nthat a correction cannot halve ||b - A x||. Say so, do not claim an answer",
            seen->returned);
}

/* x is right. */
static void check_work(spw_trial *t, const record *seen) {
    if (seen->returned == -1)
        spw_trial_fail(
            t,
            "refine returned -1, but ||b - A x|| is below %.0e ||b||: what is compared with what?",
            TOLERANCE);
    else if (seen->calls == 0)
        return;
    else if (seen->returned != seen->calls)
        spw_trial_fail(t, "refine returned %d, and single_cg was called %d times", seen->returned,
                       seen->calls);
    else if (seen->iterations > 1.4 * seen->least + 6 && seen->reduction < 1e-6)
        spw_trial_fail(t,
                       "right, but single_cg took %d iterations, where %d do: it was asked to "
                       "reduce\nthe residual to %.0e. Float has 7 digits: below some 1e-6 the "
                       "iterations gain nothing.\nAsk for 1e-2 to 1e-4, and come back",
                       seen->iterations, seen->least, seen->reduction);
    else if (seen->calls > 3 * seen->right_steps + 1)
        spw_trial_fail(t,
                       "right, but with %d corrections, where %d do: single_cg was asked to reduce "
                       "the residual\nto %.2g only. Each correction costs a product in double and "
                       "throws the direction of\nsearch away. Ask for 1e-2 to 1e-4",
                       seen->calls, seen->right_steps, seen->reduction);
}

/* norm: of b - A x, which is too large. */
static const char *why_wrong(const refinement *p, double norm, double norm_b) {
    const record *seen = p->seen;
    if (seen->finding[0]) return seen->finding;
    if (seen->calls == 0 && norm_b > 0) return "single_cg was never called";
    if (!(norm < INFINITY)) return "Something was divided by 0, or overflowed";
    return seen->returned < 0 ? "It gave up: too early?"
                              : "It took this for done: what is compared with what?";
}

void check_refine(spw_trial *t) {
    const refinement *p = (const refinement *)spw_kit_arguments(t);
    const int64_t n = p->of.A->n_rows;
    const double norm_b = norm_of(n, p->b);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(p->x[i])) {
            spw_trial_fail(t, "x[%d] is %g.\n%s", (int)i, p->x[i], why_wrong(p, INFINITY, norm_b));
            return;
        }
    if (strcmp(spw_kit_case(t), "singular-in-float") == 0) {
        check_hopeless(t, p->seen);
        return;
    }
    residual(p, NULL, p->x, p->seen->after);
    const double norm = norm_of(n, p->seen->after);
    if (norm <= 1.5 * TOLERANCE * norm_b)
        check_work(t, p->seen);
    else
        spw_trial_fail(t,
                       "||b - A x|| is %.1e ||b||, expected at most %.0e; refine returned %d.\n%s",
                       norm_b > 0 ? norm / norm_b : norm, TOLERANCE, p->seen->returned,
                       why_wrong(p, norm, norm_b));
}

/* --- the model, and rivals ------------------------------------------------------------------------------ */

SPW_PREDICT(predict, refine_cost, const refinement *p, p->of.A, p->seen->right_steps,
            p->seen->least)

static const spw_slip slips[] = {
    {"load -(12 nz + 4 (n_rows + 1) + 16 n_rows); store -8 n_rows; flop -(2 nz + 3 n_rows)",
     "the last residual, which says that x is good enough, is computed too: there are\n"
     "steps + 1 of them"},
    {"load -8 (steps + 1) n_rows", "b is read for each residual as well as x: 16 bytes a row"},
    {"load -8 steps n_rows; store -4 steps n_rows; flop -steps n_rows",
     "r is rounded to float for each correction: 8 bytes read, 4 written, a flop an element"},
    {"load 4 steps n_rows", "the correction d is float: x += d reads 8 + 4 bytes an element"},
    {"load -4 its n_rows",
     "a float vector is missing in each iteration. It reads p; d, p, r, q; r, p: seven"},
    {"store -4 its n_rows",
     "a float vector is missing in each iteration. It writes q; d, r; p: four"},
    {"load -4 (n_rows + 1) its", "each iteration reads row_ptr, too: 4 (n + 1) bytes"},
    {"load -4 (n_rows + 1) (steps + 1)", "each residual reads row_ptr, too: 4 (n + 1) bytes"},
    {"load -8 steps n_rows", "x += d reads x as well as d: 8 + 4 bytes an element"},
    {"store 4 steps n_rows", "r, rounded to float, is stored in 4 bytes an element"},
    {"flop -steps n_rows",
     "x += d is a multiplication and an addition: 2 flop an element. And r that is\n"
     "rounded costs 1"},
    {"flop -(steps + 1) n_rows",
     "a residual takes 3 flop an element besides A x: a subtraction, and 2 for its norm"},
    {"flop -2 its n_rows", "p . q and r . r of an iteration are 2 flop an element each"},
    {"flop -2 (steps + 1) n_rows", "the norm of a residual is 2 flop an element, too"},
    {"load (steps - 1) its (8 nz + 4 (n_rows + 1) + 28 n_rows); store 16 (steps - 1) its n_rows; "
     "flop (steps - 1) its (2 nz + 10 n_rows)",
     "iterations is their number in all, not in each step"},
    {"load 4 nz its", "the iterations read float values: 8 bytes an entry with its column, not 12"},
    {"load -4 nz (steps + 1)", "the residuals are computed in double: 12 bytes an entry"},
    {"load its (4 nz + 28 n_rows); store 16 n_rows its",
     "this is an iteration in double: here its vectors have 4 bytes an element, too"},
    {"load 28 n_rows its; store 16 n_rows its",
     "the vectors of an iteration are float: 4 bytes an element"},
    {"load 8 n_rows; store 4 n_rows; flop n_rows",
     "there are steps + 1 residuals, but the last one is not rounded: nothing comes after it"},
    {"load 20 n_rows; store 12 n_rows; flop 3 n_rows",
     "there are steps + 1 residuals, but only so many corrections as there are steps"},
    {"load -4 (n_rows + 1) (its + steps + 1)",
     "row_ptr is read as well, 4 (n + 1) bytes a product"},
    {"load -4 (its + steps + 1)", "row_ptr has one entry more than there are rows"},
    {"load -20 steps n_rows; store -12 steps n_rows; flop -3 steps n_rows",
     "a correction costs more than the residual: r is rounded, and x += d"},
    {0}};

/* steps + 1 residuals; as many corrections as steps; iterations. */
const spw_kit refine_kit = SPW_KIT_WITH(
    of_refinement, refinement, .matrix = make_matrix, .call = call_refine, .predict = predict,
    .cost = "load (steps + 1) (12 nz + 4 (n_rows + 1) + 16 n_rows) + 20 steps n_rows + its (8 nz + "
            "4 (n_rows + 1) + 28 n_rows); store 8 (steps + 1) n_rows + 12 steps n_rows + 16 its "
            "n_rows; flop (steps + 1) (2 nz + 3 n_rows) + 3 steps n_rows + its (2 nz + 10 n_rows)",
    .slips = slips);

/* So much of ||r|| is left by each correction, and b is of that size. */
const spw_kit steps_kit = SPW_KIT_OF(
    of_steps, refinement, call_steps, expect_steps, .matrix = make_matrix,
    .parameters = "@left=0.4,of_b=5",
    .facts =
        "n = {n_rows}, b of size {of_b}, corrections leave {left:1} of ||b - A x||, the first 0.4");

static void solve(spw_trial *t, bool refined) {
    const refinement *p = (const refinement *)spw_kit_called(t);
    const spw_csr_float S = view_of(p->of.S);
    const spw_solve_options options = {.tolerance = TOLERANCE};
    spw_operator A = {0};
    spw_operator_float in_single;
    spw_solve_result result = {0};
    memset(p->x, 0, (size_t)p->of.A->n_rows * sizeof *p->x);
    spw_status status = spw_operator_from_csr(p->of.A, &A);
    if (!status && refined) status = spw_operator_float_from_csr(&S, &in_single);
    if (!status)
        status = refined ? spw_refine(&A, &in_single, p->b, p->x, &options, &result)
                         : spw_cg(&A, p->b, p->x, &options, &result);
    if (status) spw_trial_fail(t, "a solver of the library: %s", spw_message());
    spw_solve_result_destroy(&result);
    spw_operator_destroy(&A);
}

void refine_in_double(spw_trial *t) {
    solve(t, false);
}

void refine_library(spw_trial *t) {
    solve(t, true);
}

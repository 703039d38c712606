/* Exercise 11: cases, true costs and explanations for conjugate gradients and its three kernels. */
#include "cg.h"

#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "kernels/spmv.h"
#include "kernels/spmv_dot.h"
#include "kit/cases.h"
#include "kit/pages.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double (*spmv_dot_fn)(const spw_csr *, const double *, double *);
typedef double (*update_fn)(int64_t, double, const double *, const double *, double *, double *);
typedef void (*direction_fn)(int64_t, double, const double *, double *);
typedef cg_result (*cg_fn)(const spw_csr *, const double *, double *, double, int, const cg_room *);
typedef spw_cost (*cost_fn)(double, double);

enum { CALL_ITERATIONS = 8, MISTAKES_UP_TO = 10000, HISTORY = 250 };

/* --- spmv_dot ---------------------------------------------------------------------------------------- */

typedef struct product {
    const spw_csr *A;
    const double *p;
    double *q, *p_q;
    double passes[2]; /* of p and q */
} product;

static spw_status set_up_product(spw_trial *t, const char *name)
{
    spw_csr A;
    product *d = (product *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return SPW_ERR_MEMORY;
    spw_status status = spw_system_load(name, spw_trial_seed(t), &A);
    if (status) return status;
    spw_trial_say_size(t, &A);
    d->A = spw_trial_csr(t, &A);
    if (!d->A) return SPW_ERR_MEMORY;
    const int64_t n = d->A->n_rows;
    d->p = spw_trial_random(t, "p", n);
    d->q = (double *)spw_trial_output(t, "q", SPW_DOUBLE, n);
    d->p_q = (double *)spw_trial_output(t, "p.q", SPW_DOUBLE, 1);
    double *q = spw_trial_doubles(t, n), *tolerance = spw_trial_doubles(t, n);
    if (!d->p || !d->q || !d->p_q || !q || !tolerance) return SPW_ERR_MEMORY;
    spw_spmv_expected(d->A, d->p, q, tolerance);
    spw_trial_expect(
        t, d->q,
        (spw_expectation){.expected = q, .tolerance = tolerance, .count = n, .noun = "row"});
    double slack, ignored, size = 0;
    const double p_q = spw_dot_expected(n, d->p, q, &slack);
    for (int64_t i = 0; i < n; i++) size += fabs(d->p[i]) * tolerance[i];
    status = spw_trial_expect_number(t, d->p_q, p_q, slack + size);
    spw_trial_number_mistake(t, d->p_q, spw_dot_expected(n, q, q, &ignored),
                             "this is q.q: the first factor is p[i]");
    spw_trial_number_mistake(t, d->p_q, spw_dot_expected(n, d->p, d->p, &ignored),
                             "this is p.p: the second factor is q[i]");
    spw_trial_number_mistake(t, d->p_q, spw_dot_expected(n, q, NULL, &ignored),
                             "this is the sum of q: p[i] is missing");
    return status;
}

static void call_product(spw_trial *t, spw_function f)
{
    product *d = (product *)spw_trial_data(t);
    *d->p_q = ((spmv_dot_fn)f)(d->A, d->p, d->q);
}

static spw_cost cost_of_product(const spw_trial *t)
{
    const spw_csr *A = ((const product *)spw_trial_data(t))->A;
    const double n = A->n_rows, nz = A->nnz;
    return (spw_cost){.load = 12 * nz + 4 * (n + 1) + 8 * n + 8 * n, /* the last: write-allocate */
                      .store = 8 * n,
                      .flop = 2 * nz + 2 * n};
}

static void product_apart(spw_trial *t)
{
    product *d = (product *)spw_trial_data(t);
    spw_spmv_csr_omp(d->A, d->p, d->q);
    *d->p_q = spw_dot_omp(d->A->n_rows, d->p, d->q);
}

static void product_library(spw_trial *t)
{
    product *d = (product *)spw_trial_data(t);
    *d->p_q = spw_spmv_dot_csr_omp(d->A, d->p, d->q);
}

/* --- spmv_dot in one pass ------------------------------------------------------------------------------ */

static spw_status set_up_passes(spw_trial *t, const char *name)
{
    (void)name;
    spw_csr A;
    product *d = (product *)spw_trial_memory(t, 1, sizeof *d);
    spw_pages watch;
    char matrix[64];
    if (!d) return SPW_ERR_MEMORY;
    spw_status status = spw_pages_create(1, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch);
    if (status) return status;
    snprintf(matrix, sizeof matrix, "tridiag:%lld", (long long)watch.n);
    spw_pages_destroy(&watch);
    status = spw_system_load(matrix, 0, &A);
    if (status) return status;
    spw_trial_say_size(t, &A);
    d->A = spw_trial_csr(t, &A);
    return d->A ? SPW_OK : SPW_ERR_MEMORY;
}

static void call_product_watched(spw_trial *t, spw_function f)
{
    product *d = (product *)spw_trial_data(t);
    spw_pages watch;
    if (spw_pages_create(2, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch)) {
        spw_trial_fail(t, "%s", spw_message());
        return;
    }
    for (int64_t i = 0; i < watch.n; i++) watch.vector[0][i] = 1;
    spw_pages_begin(&watch);
    ((spmv_dot_fn)f)(d->A, watch.vector[0], watch.vector[1]);
    spw_pages_end(&watch);
    memcpy(d->passes, watch.passes, sizeof d->passes);
    spw_pages_destroy(&watch);
}

static void check_product_passes(spw_trial *t, spw_function f)
{
    (void)f;
    const product *d = (const product *)spw_trial_data(t);
    if (d->passes[0] < 1.5 && d->passes[1] < 1.5) return;
    spw_trial_fail(t,
                   "spmv_dot gives the right values, but not in one pass: in one call p came from\n"
                   "memory %.2g times, q %.2g times. In row i both p[i] and q[i] are at hand: add\n"
                   "p[i] q[i] to the sum there, in the loop over the rows",
                   d->passes[0], d->passes[1]);
}

/* --- update -------------------------------------------------------------------------------------------- */

typedef struct vectors {
    int64_t n;
    double s; /* alpha or beta */
    const double *p, *q, *r_in;
    double *x, *r, *p_out, *r_r;
    double passes[4]; /* of p, q, x, r */
} vectors;

static int64_t length_of(const char *name)
{
    if (strcmp(name, "memory") == 0) return 2000003;
    return strtoll(name, NULL, 10);
}

static vectors *begin_vectors(spw_trial *t, const char *name)
{
    vectors *d = (vectors *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return NULL;
    d->n = length_of(name);
    d->s = 0.375;
    if (d->n < 1000000)
        spw_trial_say(t, "n = %lld", (long long)d->n);
    else
        spw_trial_say(t, "n = %.2f M", 1e-6 * (double)d->n);
    return d;
}

/* x + s y */
static double *sum_of(spw_trial *t, int64_t n, const double *x, double s, const double *y)
{
    double *sum = spw_trial_doubles(t, n);
#pragma omp parallel for schedule(static) if (sum)
    for (int64_t i = 0; i < (sum ? n : 0); i++) sum[i] = x[i] + s * y[i];
    return sum;
}

static spw_status expect_sum(spw_trial *t, const double *array, int64_t n, const double *x,
                             double s, const double *y)
{
    double *expected = sum_of(t, n, x, s, y), *tolerance = spw_trial_doubles(t, n);
    if (!expected || !tolerance) return SPW_ERR_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) tolerance[i] = 4 * DBL_EPSILON * (fabs(x[i]) + fabs(s * y[i]));
    spw_trial_expect(t, array,
                     (spw_expectation){.expected = expected, .tolerance = tolerance, .count = n});
    return SPW_OK;
}

static spw_status set_up_update(spw_trial *t, const char *name)
{
    vectors *d = begin_vectors(t, name);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n;
    const double a = strcmp(name, "memory") == 0 ? 1e-6 : d->s;
    d->s = a;
    const double *x = spw_trial_start(t, n, 1), *r = spw_trial_start(t, n, 2);
    if (!x || !r || !(d->p = spw_trial_random(t, "p", n)) ||
        !(d->q = spw_trial_random(t, "q", n)) ||
        !(d->x = (double *)spw_trial_inout(t, "x", SPW_DOUBLE, n, x)) ||
        !(d->r = (double *)spw_trial_inout(t, "r", SPW_DOUBLE, n, r)) ||
        !(d->r_r = (double *)spw_trial_output(t, "r.r", SPW_DOUBLE, 1)))
        return SPW_ERR_MEMORY;
    spw_status status = expect_sum(t, d->x, n, x, a, d->p);
    if (!status) status = expect_sum(t, d->r, n, r, -a, d->q);
    if (status) return status;
    const double *r_new = sum_of(t, n, r, -a, d->q);
    double slack, ignored;
    if (!r_new) return SPW_ERR_MEMORY;
    const double r_r = spw_dot_expected(n, r_new, r_new, &slack);
    double size = 0; /* r has rounding errors of its own, whatever is left of it */
    for (int64_t i = 0; i < n; i++) size += fabs(r_new[i]);
    status = spw_trial_expect_number(t, d->r_r, r_r, 4 * slack + 64 * DBL_EPSILON * size);
    if (n > MISTAKES_UP_TO || n == 0) return status;
    spw_trial_mistake(t, d->x, sum_of(t, n, x, -a, d->p), "the sign is wrong: this is x - alpha p");
    spw_trial_mistake(t, d->x, sum_of(t, n, x, a, d->q), "x moves along p, not along q");
    spw_trial_mistake(t, d->x, sum_of(t, n, x, a, r), "x moves along p, not along r");
    spw_trial_mistake(t, d->r, sum_of(t, n, r, a, d->q),
                      "the sign is wrong: this is r + alpha q. r = b - A x, so r falls by alpha A "
                      "p\nwhen x grows by alpha p");
    spw_trial_mistake(t, d->r, sum_of(t, n, r, -a, d->p), "r falls by alpha q, q = A p, not by p");
    spw_trial_number_mistake(
        t, d->r_r, spw_dot_expected(n, r, r, &ignored),
        "this is r.r of the r on entry, a stale residual: add r[i]^2 after r[i] has\n"
        "changed");
    spw_trial_number_mistake(t, d->r_r, spw_dot_expected(n, r, r_new, &ignored),
                             "this is the old r times the new one: both factors are the new r[i]");
    spw_trial_number_mistake(t, d->r_r, sqrt(r_r), "this is ||r||: r.r has no root");
    return status;
}

static void call_update(spw_trial *t, spw_function f)
{
    vectors *d = (vectors *)spw_trial_data(t);
    *d->r_r = ((update_fn)f)(d->n, d->s, d->p, d->q, d->x, d->r);
}

static spw_cost cost_of_update(const spw_trial *t)
{
    const double n = (double)((const vectors *)spw_trial_data(t))->n;
    return (spw_cost){.load = 32 * n, .store = 16 * n, .flop = 6 * n};
}

static void update_apart(spw_trial *t)
{
    vectors *d = (vectors *)spw_trial_data(t);
    spw_axpby_omp(d->n, d->s, d->p, 1, d->x);
    spw_axpby_omp(d->n, -d->s, d->q, 1, d->r);
    *d->r_r = spw_dot_omp(d->n, d->r, d->r);
}

static void update_library(spw_trial *t)
{
    vectors *d = (vectors *)spw_trial_data(t);
    *d->r_r = spw_cg_step_omp(d->n, d->s, d->p, d->q, d->x, d->r);
}

static spw_status set_up_update_watched(spw_trial *t, const char *name)
{
    (void)name;
    spw_trial_say(t, "vectors of %d pages, one thread", SPW_PAGES_OF_PASSES);
    return spw_trial_memory(t, 1, sizeof(vectors)) ? SPW_OK : SPW_ERR_MEMORY;
}

static void call_update_watched(spw_trial *t, spw_function f)
{
    vectors *d = (vectors *)spw_trial_data(t);
    spw_pages watch;
    if (spw_pages_create(4, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch)) {
        spw_trial_fail(t, "%s", spw_message());
        return;
    }
    for (int k = 0; k < 4; k++)
        for (int64_t i = 0; i < watch.n; i++) watch.vector[k][i] = k + 1;
    double **v = watch.vector;
    spw_pages_begin(&watch);
    ((update_fn)f)(watch.n, 0.5, v[0], v[1], v[2], v[3]);
    spw_pages_end(&watch);
    memcpy(d->passes, watch.passes, sizeof d->passes);
    spw_pages_destroy(&watch);
}

static void check_update_passes(spw_trial *t, spw_function f)
{
    (void)f;
    const double *passes = ((const vectors *)spw_trial_data(t))->passes;
    double most = 0;
    for (int k = 0; k < 4; k++) most = fmax(most, passes[k]);
    if (most < 1.5) return;
    spw_trial_fail(
        t,
        "update gives the right values, but not in one pass: in one call p came from memory\n"
        "%.2g times, q %.2g, x %.2g, r %.2g times. r[i] is at hand when it has just changed:\n"
        "add its square to the sum there, in the same loop",
        passes[0], passes[1], passes[2], passes[3]);
}

/* --- direction ------------------------------------------------------------------------------------------ */

static spw_status set_up_direction(spw_trial *t, const char *name)
{
    vectors *d = begin_vectors(t, name);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n;
    const double b = d->s, *p = spw_trial_start(t, n, 1);
    if (!p || !(d->r_in = spw_trial_random(t, "r", n)) ||
        !(d->p_out = (double *)spw_trial_inout(t, "p", SPW_DOUBLE, n, p)))
        return SPW_ERR_MEMORY;
    const spw_status status = expect_sum(t, d->p_out, n, d->r_in, b, p);
    if (status || n > MISTAKES_UP_TO || n == 0) return status;
    spw_trial_mistake(
        t, d->p_out, sum_of(t, n, d->r_in, -b, p),
        "the sign is wrong: this is r - beta p. With it p is not A-orthogonal to the\n"
        "directions before, and CG loses its speed");
    spw_trial_mistake(t, d->p_out, sum_of(t, n, p, b, d->r_in),
                      "r and p have changed places: this is p + beta r");
    spw_trial_mistake(t, d->p_out, sum_of(t, n, p, 1, d->r_in), "beta is missing: this is r + p");
    spw_trial_mistake(t, d->p_out, d->r_in, "p is missing: this is r, steepest descent");
    return status;
}

static void call_direction(spw_trial *t, spw_function f)
{
    vectors *d = (vectors *)spw_trial_data(t);
    ((direction_fn)f)(d->n, d->s, d->r_in, d->p_out);
}

/* --- systems -------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *matrix; /* matrix - shift I */
    double shift;
    spw_rhs b;
    spw_guess x;
    double tolerance;
    int most;
} systems[] = {
    /* clang-format off */
    {"one-step", "tridiag:3", 0, SPW_B_FIRST, SPW_X_0, 0, 1},  /* the example of the README */
    {"two-steps", "tridiag:3", 0, SPW_B_FIRST, SPW_X_0, 0, 2},
    {"guess", "laplace2d:5x4", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 1},
    {"three-steps", "laplace2d:9x7", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 3},
    {"no-steps", "laplace2d:5x4", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 0},
    {"one-by-one", "one-by-one", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 10},
    {"zero", "laplace2d:5x4", 0, SPW_B_ZERO, SPW_X_0, 1e-8, 10},
    {"solved", "laplace2d:5x4", 0, SPW_B_OF_ONES, SPW_X_ONES, 1e-8, 10},  /* r is 0 to the bit */
    {"three-values", "three-values", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 50},
    {"laplace2d", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 500},
    {"small-b", "laplace2d:30x29", 0, SPW_B_SMALL, SPW_X_0, 1e-8, 500},
    {"far-guess", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_FAR, 1e-8, 500},
    {"stencil27", "stencil27:9", 0, SPW_B_OF_ONES, SPW_X_RANDOM, 1e-10, 500},
    {"too-few", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 20},
    {"not-spd", "laplace2d:12x11", 1, SPW_B_RANDOM, SPW_X_0, 1e-8, 500},  /* A - I is indefinite */
    /* clang-format on */
};
enum { SYSTEMS = sizeof systems / sizeof systems[0] };

/* What the method gives, with the mistake m. */
enum mistake {
    RIGHT,
    R_NEGATED,
    R_IS_B,
    FROM_ZERO,
    ALPHA_INVERTED,
    ALPHA_P_P,
    ALPHA_Q_Q,
    ALPHA_ONE_NORM,
    X_SIGN,
    X_SET,
    X_ALONG_R,
    X_NEW_P,
    R_SIGN,
    R_STALE,
    BETA_SIGN,
    BETA_INVERTED,
    BETA_ONE,
    BETA_ZERO,
    BETA_ROOT,
    LAST_X,
    UNTOUCHED,
    ONE_MORE,
    NO_LIMIT,
    MISTAKES
};

static const char *const mistake_text[MISTAKES] = {
    [R_NEGATED] = "it walks away from the solution: r is b - A x, this began with A x - b",
    [R_IS_B] = "it converges to another system's solution: the first r is b - A x, not b. x need "
               "not\nbe 0 on entry",
    [FROM_ZERO] = "x began at 0: it must begin at the guess that x holds on entry",
    [ALPHA_INVERTED] = "alpha is upside down: it is r.r / p.q",
    [ALPHA_P_P] = "alpha was made of the wrong dot: this is r.r / p.p, and it is r.r / p.q",
    [ALPHA_Q_Q] = "alpha was made of the wrong dot: this is r.r / q.q, and it is r.r / p.q",
    [ALPHA_ONE_NORM] = "alpha is ||r|| / p.q: rho is r.r, without the root",
    [X_SIGN] = "the sign of alpha in x is wrong: x += alpha p",
    [X_SET] = "x was overwritten by alpha p: the steps are to be added up",
    [X_ALONG_R] = "x moved along r: it moves along p, which is r in the first step only",
    [X_NEW_P] = "x moved along the next direction: update x before p",
    [R_SIGN] = "the sign of alpha in r is wrong: r -= alpha q",
    [R_STALE] = "r never changed: r -= alpha q is missing",
    [BETA_SIGN] = "the sign of beta is wrong: p = r + beta p",
    [BETA_INVERTED] = "beta is upside down: the new r.r over the old one",
    [BETA_ONE] =
        "beta was 1: both rho were the same, the old one or the new one. Keep the old rho\n"
        "before update returns the new one",
    [BETA_ZERO] = "beta was 0: p = r is steepest descent, not CG",
    [BETA_ROOT] = "beta is ||r|| over the old ||r||: it is r.r over r.r, without roots",
    [LAST_X] = "the last update of x is missing: the iterations it reports are one more than the\n"
               "steps x has made",
    [UNTOUCHED] = "x was not changed",
    [ONE_MORE] = "one step too many: max_iterations is asked before the step",
    [NO_LIMIT] = "it went on to the solution: max_iterations is there so that it ends in any case",
};

typedef struct outcome {
    cg_stop stop;
    int iterations;
    double *x;
    /* the first HISTORY residuals, also those after convergence */
    double norm[HISTORY], max_norm[HISTORY];
    int n_history;
} outcome;

typedef struct system {
    const spw_csr *A;
    const double *b, *start;
    double *x;
    cg_room work;
    double tolerance;
    int most;
    double norm_b;
    outcome *right;
    cg_result got;
    int timed;
} system_t;

static double wrong_alpha(int m, double rho, double p_q, double p_p, double q_q)
{
    if (m == ALPHA_INVERTED) return p_q / rho;
    if (m == ALPHA_P_P) return rho / p_p;
    if (m == ALPHA_Q_Q) return rho / q_q;
    return m == ALPHA_ONE_NORM ? sqrt(rho) / p_q : rho / p_q;
}

static double wrong_beta(int m, double rho, double old)
{
    if (m == BETA_SIGN) return -rho / old;
    if (m == BETA_INVERTED) return old / rho;
    if (m == BETA_ROOT) return sqrt(rho / old);
    return m == BETA_ONE ? 1 : m == BETA_ZERO ? 0 : rho / old;
}

/* One step of the method or of a wrong one, on x, r, p. */
static void step(int64_t n, int m, double alpha, double *rho, int last, double *x, double *r,
                 double *p, const double *q)
{
    const double old = *rho, a_x = m == X_SIGN ? -alpha : alpha, a_r = m == R_SIGN ? alpha : -alpha;
    for (int64_t i = 0; i < n; i++) {
        if (m == X_SET) x[i] = 0;
        if (!(m == LAST_X && last) && m != X_NEW_P && m != UNTOUCHED)
            x[i] += a_x * (m == X_ALONG_R ? r[i] : p[i]);
        if (m != R_STALE) r[i] += a_r * q[i];
    }
    *rho = spw_system_dot(n, r, r);
    const double beta = wrong_beta(m, *rho, old);
    for (int64_t i = 0; i < n; i++) {
        p[i] = r[i] + beta * p[i];
        if (m == X_NEW_P) x[i] += alpha * p[i];
    }
}

/* The method in plain serial loops. o->x holds the guess on entry. */
static void simulate(const system_t *s, int m, double *work, outcome *o)
{
    const int64_t n = s->A->n_rows;
    double *r = work, *p = work + n, *q = work + 2 * n, *x = o->x, *kept = work + 3 * n;
    memcpy(x, s->start, (size_t)n * sizeof *x);
    if (m == FROM_ZERO) memset(x, 0, (size_t)n * sizeof *x);
    spw_system_product(s->A, x, q);
    for (int64_t i = 0; i < n; i++)
        p[i] = r[i] = m == R_NEGATED ? q[i] - s->b[i] : m == R_IS_B ? s->b[i] : s->b[i] - q[i];
    double rho = spw_system_dot(n, r, r);
    int done = 0;
    for (int k = 0; k < HISTORY; k++) {
        o->norm[k] = sqrt(rho);
        o->max_norm[k] = spw_system_largest(n, r);
        o->n_history = k + 1;
        if (!done && (sqrt(rho) <= s->tolerance * s->norm_b || k == s->most)) {
            o->stop = sqrt(rho) <= s->tolerance * s->norm_b ? CG_CONVERGED : CG_ITERATIONS;
            o->iterations = k;
            memcpy(kept, x, (size_t)n * sizeof *x); /* what follows is for the history alone */
            done = 1;
        }
        if (done && (s->timed || m != RIGHT)) break;
        spw_system_product(s->A, p, q);
        const double p_q = spw_system_dot(n, p, q);
        if (!(p_q > 0)) {
            if (!done) {
                o->stop = CG_NOT_SPD;
                o->iterations = k;
                memcpy(kept, x, (size_t)n * sizeof *x);
            }
            break;
        }
        step(n, m, wrong_alpha(m, rho, p_q, spw_system_dot(n, p, p), spw_system_dot(n, q, q)), &rho,
             k + 1 == s->most, x, r, p, q);
    }
    memcpy(x, kept, (size_t)n * sizeof *x);
}

/* A diagonal of 30 entries that are 1, 2 or 5. */
static spw_status three_values(spw_csr *A)
{
    const spw_status status = spw_csr_create(30, 30, 30, A);
    if (status) return status;
    for (spw_idx i = 0; i < 30; i++) {
        A->row_ptr[i + 1] = i + 1;
        A->col_idx[i] = i;
        A->val[i] = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 5;
    }
    A->row_ptr[0] = 0;
    return SPW_OK;
}

static spw_status make_matrix(const char *name, double shift, uint64_t seed, spw_csr *A)
{
    const spw_status status =
        strcmp(name, "three-values") == 0 ? three_values(A) : spw_system_load(name, seed, A);
    if (status) return status;
    if (strcmp(name, "one-by-one") == 0) A->val[0] = fabs(A->val[0]);
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] == i) A->val[k] -= shift;
    return SPW_OK;
}

static system_t with_limit(const system_t *s, int most, double tolerance)
{
    system_t other = *s;
    other.most = most;
    other.tolerance = tolerance;
    return other;
}

/* The iterate itself is compared where the number of steps is fixed. */
static spw_status expect_steps(spw_trial *t, system_t *s, double *work)
{
    const int64_t n = s->A->n_rows;
    const double most = fmax(spw_system_largest(n, s->right->x), spw_system_largest(n, s->start));
    const spw_status status = spw_trial_expect_within(t, s->x, n, s->right->x, 1e-10 * most, NULL);
    if (status || n > MISTAKES_UP_TO) return status;
    outcome *o = (outcome *)spw_trial_memory(t, 1, sizeof *o);
    if (!o) return SPW_ERR_MEMORY;
    for (int m = 1; m < MISTAKES; m++) {
        o->x = spw_trial_doubles(t, n);
        if (!o->x) return SPW_ERR_MEMORY;
        const system_t other = with_limit(s,
                                          m == NO_LIMIT   ? HISTORY - 1
                                          : m == ONE_MORE ? s->most + 1
                                                          : s->most,
                                          m == NO_LIMIT ? 1e-14 : 0);
        simulate(&other, m, work, o);
        spw_trial_mistake(t, s->x, o->x, mistake_text[m]);
    }
    return SPW_OK;
}

static spw_status set_up_cg(spw_trial *t, const char *name)
{
    int k = 0;
    while (k < SYSTEMS && strcmp(name, systems[k].name) != 0) k++;
    const int own = k < SYSTEMS;
    spw_csr A;
    system_t *s = (system_t *)spw_trial_memory(t, 1, sizeof *s);
    if (!s) return SPW_ERR_MEMORY;
    spw_status status =
        own ? make_matrix(systems[k].matrix, systems[k].shift, spw_trial_seed(t), &A)
            : spw_system_load(name, spw_trial_seed(t), &A);
    if (status) return status;
    s->timed = !own;
    s->tolerance = own ? systems[k].tolerance : 0;
    s->most = own ? systems[k].most : CALL_ITERATIONS;
    const int64_t n = A.n_rows;
    spw_trial_say_system(t, &A, s->timed, s->tolerance, s->most, "");
    double *b = NULL, *start = spw_trial_doubles(t, n), *work = spw_trial_doubles(t, 4 * n);
    s->A = spw_trial_csr(t, &A);
    b = (double *)spw_trial_input(t, "b", SPW_DOUBLE, n);
    s->right = (outcome *)spw_trial_memory(t, 1, sizeof *s->right);
    if (!s->A || !b || !start || !work || !s->right || !(s->right->x = spw_trial_doubles(t, n)))
        return SPW_ERR_MEMORY;
    spw_system_right_side(s->A, own ? systems[k].b : SPW_B_RANDOM, spw_trial_seed(t), b);
    if (own && systems[k].b == SPW_B_FIRST) b[0] = 4;
    spw_system_guess(n, own ? systems[k].x : SPW_X_0, spw_trial_seed(t), start);
    s->b = b;
    s->start = start;
    s->norm_b = sqrt(spw_system_dot(n, b, b));
    s->x = (double *)spw_trial_inout(t, "x", SPW_DOUBLE, n, start);
    s->work.p = (double *)spw_trial_output(t, "p", SPW_DOUBLE, n);
    s->work.q = (double *)spw_trial_output(t, "q", SPW_DOUBLE, n);
    s->work.r = (double *)spw_trial_output(t, "r", SPW_DOUBLE, n);
    if (!s->x || !s->work.p || !s->work.q || !s->work.r) return SPW_ERR_MEMORY;
    if (!spw_trial_checks(t)) return SPW_OK;
    simulate(s, RIGHT, work, s->right);
    return s->tolerance > 0 ? SPW_OK : expect_steps(t, s, work);
}

static void call_cg(spw_trial *t, spw_function f)
{
    system_t *s = (system_t *)spw_trial_data(t);
    s->got = ((cg_fn)f)(s->A, s->b, s->x, s->tolerance, s->most, &s->work);
}

/* --- is it a solution? ------------------------------------------------------------------------------------ */

static const char *name_of(cg_stop stop)
{
    static const char *const names[] = {"CG_CONVERGED", "CG_ITERATIONS", "CG_NOT_SPD"};
    return stop <= CG_NOT_SPD ? names[stop] : "something else";
}

static const char *other_test(const system_t *s, int iterations)
{
    const outcome *o = s->right;
    const int64_t n = s->A->n_rows;
    const double tol = s->tolerance, b = s->norm_b;
    const struct {
        int at;
        const char *text;
    } tests[] = {
        {spw_system_first_below(o->norm, o->n_history, tol, 0),
         "That is where ||r|| falls below the tolerance itself: it must be below\n"
         "tolerance * ||b||"},
        {spw_system_first_below(o->norm, o->n_history, tol * o->norm[0], 0),
         "That is where ||r|| falls below tolerance * ||r0||, the first residual: it must be\n"
         "below tolerance * ||b||, whatever the guess was"},
        {spw_system_first_below(o->norm, o->n_history, tol * b, 1),
         "That is where r.r falls below tolerance * ||b||: compare its root, ||r||"},
        {spw_system_first_below(o->norm, o->n_history, tol * b * b, 1),
         "That is where r.r falls below tolerance * b.b: compare the roots, or square the\n"
         "tolerance too"},
        {spw_system_first_below(o->norm, o->n_history, tol, 1),
         "That is where r.r falls below the tolerance: compare ||r|| with tolerance * ||b||"},
        {spw_system_first_below(o->max_norm, o->n_history, tol * b, 0),
         "That is where the largest |r[i]| falls below tolerance * ||b||: the norm is the\n"
         "Euclidean one, the root of r.r"},
        {spw_system_first_below(o->max_norm, o->n_history, tol * spw_system_largest(n, s->b), 0),
         "That is where the largest |r[i]| falls below tolerance * the largest |b[i]|: the\n"
         "norm is the Euclidean one, the root of r.r"},
        {o->iterations + 1, "One step too many: the test looked at the residual from before it"},
    };
    if (iterations > s->most) return "max_iterations is there so that it ends in any case";
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        if (tests[k].at >= 0 && tests[k].at == iterations) return tests[k].text;
    if (s->right->stop == CG_CONVERGED && iterations > s->right->iterations)
        return "Right steps, but too many of them: is beta the new r.r over the old one, and\n"
               "the test ||r|| <= tolerance * ||b||?";
    return "Is the test ||r|| <= tolerance * ||b||, before each step?";
}

static void check_stop(spw_trial *t, const system_t *s)
{
    const cg_result got = s->got;
    const outcome *o = s->right;
    const int slack =
        o->stop == CG_CONVERGED && o->iterations > 3 ? (int)fmax(1, ceil(0.02 * o->iterations)) : 0;
    if (o->stop == CG_NOT_SPD && got.stop != CG_NOT_SPD)
        spw_trial_fail(t,
                       "A is indefinite: in iteration %d p.q is below 0, and alpha would point "
                       "uphill.\n%s was returned after %d iterations; it must be CG_NOT_SPD",
                       o->iterations, name_of(got.stop), got.iterations);
    else if (got.stop == CG_NOT_SPD && o->stop != CG_NOT_SPD)
        spw_trial_fail(t,
                       "CG_NOT_SPD was returned after %d iterations, but A is positive definite.\n"
                       "p.q is 0 where p is: ask for convergence first, then for p.q > 0",
                       got.iterations);
    else if (abs(got.iterations - o->iterations) > slack)
        spw_trial_fail(t, "%s after %d iterations, expected %d (+- %d).\n%s", name_of(got.stop),
                       got.iterations, o->iterations, slack, other_test(s, got.iterations));
    else if (got.stop != o->stop)
        spw_trial_fail(t,
                       "%s was returned after %d iterations, expected %s: ||r|| is %.3g,\n"
                       "tolerance * ||b|| is %.3g",
                       name_of(got.stop), got.iterations, name_of(o->stop), got.residual,
                       s->tolerance * s->norm_b);
}

static void check_claim(spw_trial *t, const system_t *s)
{
    double slack;
    const double truth = spw_system_residual(s->A, s->b, s->x, s->start, &slack),
                 said = s->got.residual;
    const int k = s->got.iterations;
    const double before = k > 0 && k <= s->right->n_history ? s->right->norm[k - 1] : -1;
    const double near = 1e-3 * truth + slack;
    const char *why = "r has drifted away from b - A x: does r change with x, by alpha q?";
    if (fabs(said - truth) <= near) {
        if (s->got.stop == CG_CONVERGED && truth > 1.01 * s->tolerance * s->norm_b + slack)
            spw_trial_fail(t,
                           "it says CG_CONVERGED, but ||b - A x|| is %.3g and tolerance * ||b||"
                           " %.3g",
                           truth, s->tolerance * s->norm_b);
        return;
    }
    if (fabs(said - truth * truth) <= 2e-3 * truth * truth)
        why = "This is r.r: residual is its root";
    else if (s->norm_b > 0 && fabs(said - truth / s->norm_b) <= near / s->norm_b)
        why = "This is ||r|| / ||b||: residual is ||r||, not divided by anything";
    else if (fabs(said - before) <= 1e-3 * before)
        why = "This is a stale residual, that of one step before: x has moved on since";
    else if (fabs(truth - before) <= 1e-3 * before)
        why = "x is one step behind r: the last update of x is missing";
    spw_trial_fail(t, "residual is %.6g, but ||b - A x|| is %.6g after %d iterations.\n%s", said,
                   truth, k, why);
}

static void check_cg(spw_trial *t, spw_function f)
{
    (void)f;
    const system_t *s = (const system_t *)spw_trial_data(t);
    for (spw_idx i = 0; i < s->A->n_rows; i++)
        if (!isfinite(s->x[i])) {
            spw_trial_fail(
                t,
                "x[%d] is %g: something was divided by 0. Ask before alpha = rho / p.q:\n"
                "has it converged already? is p.q > 0?",
                i, s->x[i]);
            return;
        }
    if (!isfinite(s->got.residual))
        spw_trial_fail(t, "residual is %g: where was something divided by 0?", s->got.residual);
    check_stop(t, s);
    check_claim(t, s);
}

/* --- models ----------------------------------------------------------------------------------------------- */

static spw_cost times(double k, spw_cost a, spw_cost b)
{
    return (spw_cost){k * a.load + b.load, k * a.store + b.store, k * a.flop + b.flop};
}

/* r = b - A x, p = r, ||b||, r.r: once a call. */
static spw_cost start_cost(double n, double nz)
{
    return (spw_cost){
        .load = 12 * nz + 20 * n + 32 * n + 16 * n, .store = 24 * n, .flop = 2 * nz + 7 * n};
}

static spw_cost true_plain(double n, double nz)
{
    return (spw_cost){.load = 12 * nz + 92 * n, .store = 32 * n, .flop = 2 * nz + 10 * n};
}

static spw_cost true_fused(double n, double nz)
{
    return (spw_cost){.load = 12 * nz + 68 * n, .store = 32 * n, .flop = 2 * nz + 10 * n};
}

/* row_ptr has n + 1 entries: who counts them exactly is as right as who counts n. */
static spw_cost rounded(spw_cost got, spw_cost truth)
{
    if (got.load - truth.load == 4) got.load = truth.load;
    return got;
}

static spw_cost cost_of_cg(const spw_trial *t)
{
    const system_t *s = (const system_t *)spw_trial_data(t);
    const double n = s->A->n_rows, nz = s->A->nnz;
    if (!s->timed) return true_fused(n, nz);
    const int steps = s->right->n_history ? s->right->iterations : s->most;
    return times(steps, true_fused(n, nz), start_cost(n, nz));
}

static spw_cost predict_cg(spw_trial *t, spw_function model)
{
    const spw_csr *A = ((const system_t *)spw_trial_data(t))->A;
    return rounded(((cost_fn)model)(A->n_rows, A->nnz), true_fused(A->n_rows, A->nnz));
}

static spw_cost cost_of_plain(const spw_trial *t)
{
    const spw_csr *A = ((const product *)spw_trial_data(t))->A;
    return true_plain(A->n_rows, A->nnz);
}

static spw_cost predict_plain(spw_trial *t, spw_function model)
{
    const spw_csr *A = ((const product *)spw_trial_data(t))->A;
    return rounded(((cost_fn)model)(A->n_rows, A->nnz), true_plain(A->n_rows, A->nnz));
}

typedef struct slip {
    double load_nz, load_n, store_n, flop_nz, flop_n;
    const char *text;
} slip;

static void explain(double n, double nz, spw_cost got, spw_cost truth, const slip *slips, int count,
                    char *text, int size)
{
    const spw_cost d = {got.load - truth.load, got.store - truth.store, got.flop - truth.flop};
    for (int k = 0; k < count; k++) {
        const slip *s = &slips[k];
        if (fabs(d.load - s->load_nz * nz - s->load_n * n) + fabs(d.store - s->store_n * n) +
                fabs(d.flop - s->flop_nz * nz - s->flop_n * n) >
            5)
            continue;
        snprintf(text, (size_t)size, "%s", s->text);
        return;
    }
}

static const slip in_both[] = {
    {0, -8, 0, 0, 0, "the write-allocate of q is missing: 8 n bytes are read because q is written"},
    {0, -4, 0, 0, 0, "row_ptr is missing: 4 n bytes"},
    {0, -12, 0, 0, 0, "row_ptr and the write-allocate of q are missing: 4 n + 8 n bytes"},
    {4, 0, 0, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {-4, 0, 0, 0, 0, "the column of each entry has to be loaded too: 8 + 4 = 12 bytes"},
    {8, -8, 0, 0, 0, "p is counted once an entry: what must be loaded is each p[j] once"},
    {0, 0, -8, 0, 0, "one of the four stores is missing: q, x, r and p are written"},
    {0, 24, 0, 0, 0,
     "x, r and p are read before they are written: their lines are there, no write-allocate\n"
     "comes on top"},
    {0, 32, 0, 0, 0, "write-allocate is counted for all four stores: only q was not read before"},
    {0, 0, 0, -1, 0, "each entry costs a multiplication and an addition: 2 flop"},
    {0, 0, 0, 0, -2, "2 n flop are missing: p.q, x, r, r.r and p take 2 n each"},
    {0, 0, 0, 0, -4, "4 n flop are missing: p.q, x, r, r.r and p take 2 n each"},
};

static void explain_plain(const spw_trial *t, spw_cost got, char *text, int size)
{
    static const slip own[] = {
        {0, -24, 0, 0, 0,
         "this is the fused iteration: with one loop for each operation p.q reads p and q\n"
         "again, and r.r reads r again"},
        {0, 8, 0, 0, 0, "r.r reads r once: both factors are the same array, 8 n bytes"},
        {0, -16, 0, 0, 0, "p.q is missing, or x, r or p was counted as written only: 16 n bytes"},
    };
    const spw_csr *A = ((const product *)spw_trial_data(t))->A;
    const spw_cost truth = true_plain(A->n_rows, A->nnz);
    explain(A->n_rows, A->nnz, got, truth, own, 3, text, size);
    if (!text[0])
        explain(A->n_rows, A->nnz, got, truth, in_both, sizeof in_both / sizeof in_both[0], text,
                size);
}

static void explain_fused(const spw_trial *t, spw_cost got, char *text, int size)
{
    static const slip own[] = {
        {0, 24, 0, 0, 0,
         "this is the plain iteration: in one loop p.q has p[i] and q[i] at hand, 16 n bytes\n"
         "less, and r.r has r[i], 8 n bytes less"},
        {0, 16, 0, 0, 0, "p.q reads nothing any more: row i has p[i] and q[i] at hand"},
        {0, 8, 0, 0, 0, "r.r reads nothing any more: r[i] has just been computed"},
        {0, -16, 0, 0, 0, "p and q are read again in update, and r and p in direction"},
    };
    const spw_csr *A = ((const system_t *)spw_trial_data(t))->A;
    const spw_cost truth = true_fused(A->n_rows, A->nnz);
    explain(A->n_rows, A->nnz, got, truth, own, 4, text, size);
    if (!text[0])
        explain(A->n_rows, A->nnz, got, truth, in_both, sizeof in_both / sizeof in_both[0], text,
                size);
}

/* --- beside the whole loop -------------------------------------------------------------------------------- */

static void iterate(spw_trial *t, int fused)
{
    system_t *s = (system_t *)spw_trial_data(t);
    const int64_t n = s->A->n_rows;
    double *p = s->work.p, *q = s->work.q, *r = s->work.r;
    spw_spmv_csr_omp(s->A, s->x, q);
    spw_copy_omp(n, s->b, r);
    spw_axpby_omp(n, -1, q, 1, r);
    spw_copy_omp(n, r, p);
    double rho = spw_dot_omp(n, r, r);
    for (int k = 0; k < s->most; k++) {
        const double old = rho;
        if (!fused) spw_spmv_csr_omp(s->A, p, q);
        const double p_q = fused ? spw_spmv_dot_csr_omp(s->A, p, q) : spw_dot_omp(n, p, q);
        const double alpha = rho / p_q;
        if (fused) {
            rho = spw_cg_step_omp(n, alpha, p, q, s->x, r);
        } else {
            spw_axpby_omp(n, alpha, p, 1, s->x);
            spw_axpby_omp(n, -alpha, q, 1, r);
            rho = spw_dot_omp(n, r, r);
        }
        spw_axpby_omp(n, 1, r, rho / old, p);
    }
}

static void plain(spw_trial *t)
{
    iterate(t, 0);
}

static void fused_loops(spw_trial *t)
{
    iterate(t, 1);
}

/* --- the declaration ---------------------------------------------------------------------------------------- */

static const char *const matrices[] = {
    "one-by-one",     "empty-first-last", "diagonal", "every-length", "prime", "arrow",
    "laplace2d:17x9", "stencil27",        NULL};
static const char *const lengths[] = {"1", "0", "2", "7", "64", "1009", "100003", NULL};
static const char *const passes[] = {"passes", NULL};
static const char *cases[SYSTEMS + 1];

/* What fuses comes last: an answer of many loops is right, until then. */
static const spw_part parts[] = {
    {.function = "spmv_dot",
     .cases = matrices,
     .setup = set_up_product,
     .call = call_product,
     .cost = cost_of_product,
     .speed = "stencil27:64",
     .target = 0.75,
     .baseline = {"product, then p.q", product_apart},
     .stretch = {"library", product_library}},
    {.function = "update",
     .cases = lengths,
     .setup = set_up_update,
     .call = call_update,
     .cost = cost_of_update,
     .speed = "memory",
     .target = 0.8,
     .baseline = {"three loops", update_apart},
     .stretch = {"library", update_library}},
    {
        .function = "direction",
        .cases = lengths,
        .setup = set_up_direction,
        .call = call_direction,
    },
    {.function = "cg",
     .model = "cg_fused_cost",
     .cases = cases,
     .setup = set_up_cg,
     .call = call_cg,
     .claim = check_cg,
     .predict = predict_cg,
     .cost = cost_of_cg,
     .explain_model = explain_fused,
     .speed = "stencil27:64",
     .traffic = "stencil27:40",
     .takes_matrix = true,
     .target = 0.75,
     .baseline = {"six loops", plain},
     .stretch = {"library", fused_loops}},
    {.function = "spmv_dot",
     .model = "cg_plain_cost",
     .cases = passes,
     .setup = set_up_passes,
     .call = call_product_watched,
     .claim = check_product_passes,
     .predict = predict_plain,
     .cost = cost_of_plain,
     .explain_model = explain_plain},
    {.function = "update",
     .cases = passes,
     .setup = set_up_update_watched,
     .call = call_update_watched,
     .claim = check_update_passes},
};

static const char *const forbidden[] = {"spw_cg", "spw_pcg", NULL};

int main(int argc, char **argv)
{
    for (int k = 0; k < SYSTEMS; k++) cases[k] = systems[k].name;
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden},
                     argc, argv);
}

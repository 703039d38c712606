/* Exercise 14: cases, true costs and explanations for BiCGStab and its super-kernels. */
#include "bicgstab.h"

#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "kernels/spmv.h"
#include "kernels/spmv_dots.h"
#include "kit/cases.h"
#include "kit/pages.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*p_update_fn)(int64_t, double, double, const double *, const double *, double *);
typedef double (*half_update_fn)(int64_t, double, const double *, double *);
typedef double (*full_update_fn)(int64_t, double, double, const double *, const double *,
                                 const double *, double *, double *, double *);
typedef bicgstab_result (*bicgstab_fn)(const spw_csr *, const double *, double *, double, int,
                                       const bicgstab_room *);
typedef spw_cost (*cost_fn)(double, double);

enum { CALL_ITERATIONS = 6, MISTAKES_UP_TO = 10000, HISTORY = 250 };

/* --- the super-kernels -------------------------------------------------------------------------------- */

typedef struct vectors {
    int64_t n;
    double a, w; /* alpha or beta, omega */
    const double *p, *v, *t, *c, *r_in;
    double *x, *r, *p_out, *sums; /* sums: what the function returns, and *r_r */
    double passes[SPW_PAGES_VECTORS];
} vectors;

static vectors *begin_vectors(spw_trial *t, const char *name)
{
    vectors *d = (vectors *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return NULL;
    const int timed = strcmp(name, "memory") == 0;
    d->n = timed ? 2000003 : strtoll(name, NULL, 10);
    d->a = timed ? 1e-6 : 0.375; /* a timed call is repeated: nothing may grow */
    d->w = timed ? 2e-6 : 1.25;
    if (timed)
        spw_trial_say(t, "n = %.2f M", 1e-6 * (double)d->n);
    else
        spw_trial_say(t, "n = %lld", (long long)d->n);
    return d;
}

/* a x + b y + c z */
static double *mix(spw_trial *t, int64_t n, double a, const double *x, double b, const double *y,
                   double c, const double *z)
{
    double *sum = spw_trial_doubles(t, n);
#pragma omp parallel for schedule(static) if (sum)
    for (int64_t i = 0; i < (sum ? n : 0); i++) sum[i] = a * x[i] + b * y[i] + c * z[i];
    return sum;
}

/* Expects a x + b y + c z. */
static const double *expect_mix(spw_trial *t, const double *array, int64_t n, double a,
                                const double *x, double b, const double *y, double c,
                                const double *z)
{
    double *expected = mix(t, n, a, x, b, y, c, z), *tolerance = spw_trial_doubles(t, n);
    if (!expected || !tolerance) return NULL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        tolerance[i] = 8 * DBL_EPSILON * (fabs(a * x[i]) + fabs(b * y[i]) + fabs(c * z[i]));
    spw_trial_expect(t, array,
                     (spw_expectation){.expected = expected, .tolerance = tolerance, .count = n});
    return expected;
}

static void sum_mistake(spw_trial *t, const double *array, int n, double first, double second,
                        const char *text)
{
    double *kept = spw_trial_doubles(t, n);
    if (!kept) return;
    kept[0] = first;
    if (n > 1) kept[1] = second;
    spw_trial_mistake(t, array, kept, text);
}

static spw_status set_up_p(spw_trial *t, const char *name)
{
    vectors *d = begin_vectors(t, name);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n;
    const double b = d->a, w = d->w, *p = spw_trial_start(t, n, 1);
    if (!p || !(d->r_in = spw_trial_random(t, "r", n)) || !(d->v = spw_trial_random(t, "v", n)) ||
        !(d->p_out = (double *)spw_trial_inout(t, "p", SPW_DOUBLE, n, p)))
        return SPW_ERR_MEMORY;
    const double *r = d->r_in, *v = d->v;
    if (!expect_mix(t, d->p_out, n, 1, r, b, p, -b * w, v)) return SPW_ERR_MEMORY;
    if (n > MISTAKES_UP_TO || n == 0) return SPW_OK;
    spw_trial_mistake(t, d->p_out, mix(t, n, 1, r, b, p, b * w, v),
                      "the sign of omega is wrong: this is r + beta (p + omega v)");
    spw_trial_mistake(t, d->p_out, mix(t, n, 1, r, b, p, -w, v),
                      "beta is outside the bracket: this is r + beta p - omega v");
    spw_trial_mistake(t, d->p_out, mix(t, n, 1, r, -b, p, b * w, v),
                      "the sign of beta is wrong: this is r - beta (p - omega v)");
    spw_trial_mistake(t, d->p_out, mix(t, n, 1, r, b, p, 0, v),
                      "v is missing: this is r + beta p, the direction of CG");
    spw_trial_mistake(t, d->p_out, mix(t, n, 1, r, b, p, -b, v),
                      "omega is missing: this is r + beta (p - v)");
    spw_trial_mistake(t, d->p_out, mix(t, n, 0, r, b, p, -b * w, v),
                      "r is missing: this is beta (p - omega v)");
    return SPW_OK;
}

static void call_p(spw_trial *t, spw_function f)
{
    vectors *d = (vectors *)spw_trial_data(t);
    ((p_update_fn)f)(d->n, d->a, d->w, d->r_in, d->v, d->p_out);
}

static spw_cost cost_of_p(const spw_trial *t)
{
    const double n = (double)((const vectors *)spw_trial_data(t))->n;
    return (spw_cost){.load = 24 * n, .store = 8 * n, .flop = 4 * n};
}

static void p_apart(spw_trial *t)
{
    vectors *d = (vectors *)spw_trial_data(t);
    spw_scal_omp(d->n, d->a, d->p_out);
    spw_axpby_omp(d->n, -d->a * d->w, d->v, 1, d->p_out);
    spw_axpby_omp(d->n, 1, d->r_in, 1, d->p_out);
}

static void p_library(spw_trial *t)
{
    vectors *d = (vectors *)spw_trial_data(t);
    spw_bicgstab_direction_omp(d->n, d->a, d->w, d->r_in, d->v, d->p_out);
}

static spw_status expect_sums(spw_trial *t, const vectors *d, int count, const double *c,
                              const double *r)
{
    double *values = spw_trial_doubles(t, 4), slack[2] = {0};
    if (!values) return SPW_ERR_MEMORY;
    values[0] = spw_dot_expected(d->n, c, r, &slack[0]);
    values[1] = spw_dot_expected(d->n, r, r, &slack[1]);
    double size = 0; /* r has rounding errors of its own, whatever is left of it */
    for (int64_t i = 0; i < d->n; i++) size += fabs(c[i]) + fabs(r[i]);
    values[2] = 8 * slack[0] + 64 * DBL_EPSILON * size;
    values[3] = 8 * slack[1] + 64 * DBL_EPSILON * size;
    spw_trial_expect(t, d->sums,
                     (spw_expectation){.expected = values,
                                       .tolerance = values + 2,
                                       .count = count,
                                       .noun = count == 1 ? "" : "result"});
    return SPW_OK;
}

static spw_status set_up_half(spw_trial *t, const char *name)
{
    vectors *d = begin_vectors(t, name);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n;
    const double a = d->a, *r = spw_trial_start(t, n, 2);
    if (!r || !(d->v = spw_trial_random(t, "v", n)) ||
        !(d->r = (double *)spw_trial_inout(t, "r", SPW_DOUBLE, n, r)) ||
        !(d->sums = (double *)spw_trial_output(t, "s.s", SPW_DOUBLE, 1)))
        return SPW_ERR_MEMORY;
    const double *s = expect_mix(t, d->r, n, 1, r, -a, d->v, 0, r);
    if (!s) return SPW_ERR_MEMORY;
    const spw_status status = expect_sums(t, d, 1, s, s);
    if (status || n > MISTAKES_UP_TO || n == 0) return status;
    double ignored;
    spw_trial_mistake(t, d->r, mix(t, n, 1, r, a, d->v, 0, r),
                      "the sign is wrong: this is r + alpha v");
    sum_mistake(t, d->sums, 1, spw_dot_expected(n, r, r, &ignored), 0,
                "this is r.r of the r on entry, a stale residual: add r[i]^2 after r[i] has\n"
                "changed");
    sum_mistake(t, d->sums, 1, spw_dot_expected(n, s, d->v, &ignored), 0, "this is s.v, not s.s");
    return SPW_OK;
}

static void call_half(spw_trial *t, spw_function f)
{
    vectors *d = (vectors *)spw_trial_data(t);
    d->sums[0] = ((half_update_fn)f)(d->n, d->a, d->v, d->r);
}

static spw_status set_up_full(spw_trial *t, const char *name)
{
    vectors *d = begin_vectors(t, name);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n;
    const double a = d->a, w = d->w, *x = spw_trial_start(t, n, 1), *s = spw_trial_start(t, n, 2);
    if (!x || !s || !(d->p = spw_trial_random(t, "p", n)) ||
        !(d->t = spw_trial_random(t, "t", n)) || !(d->c = spw_trial_random(t, "c", n)) ||
        !(d->x = (double *)spw_trial_inout(t, "x", SPW_DOUBLE, n, x)) ||
        !(d->r = (double *)spw_trial_inout(t, "r", SPW_DOUBLE, n, s)) ||
        !(d->sums = (double *)spw_trial_output(t, "c.r and r.r", SPW_DOUBLE, 2)))
        return SPW_ERR_MEMORY;
    if (!expect_mix(t, d->x, n, 1, x, a, d->p, w, s)) return SPW_ERR_MEMORY;
    const double *r = expect_mix(t, d->r, n, 1, s, -w, d->t, 0, s);
    if (!r) return SPW_ERR_MEMORY;
    const spw_status status = expect_sums(t, d, 2, d->c, r);
    if (status || n > MISTAKES_UP_TO || n == 0) return status;
    double ignored;
    const double c_r = spw_dot_expected(n, d->c, r, &ignored);
    const double r_r = spw_dot_expected(n, r, r, &ignored);
    spw_trial_mistake(t, d->x, mix(t, n, 1, x, a, d->p, w, r),
                      "x took the new r: s is what r holds on entry. Update x before r");
    spw_trial_mistake(t, d->x, mix(t, n, 1, x, a, d->p, 0, s), "omega s is missing in x");
    spw_trial_mistake(t, d->x, mix(t, n, 1, x, a, d->p, -w, s),
                      "the sign of omega s in x is wrong");
    spw_trial_mistake(t, d->x, mix(t, n, 1, x, w, d->p, a, s), "alpha and omega are swapped");
    spw_trial_mistake(t, d->x, mix(t, n, 0, x, a, d->p, w, s), "x was overwritten, not added to");
    spw_trial_mistake(t, d->r, mix(t, n, 1, s, w, d->t, 0, s),
                      "the sign is wrong: r = s - omega t");
    spw_trial_mistake(t, d->r, mix(t, n, 1, s, -a, d->t, 0, s), "alpha was taken for omega");
    sum_mistake(t, d->sums, 2, spw_dot_expected(n, d->c, s, &ignored),
                spw_dot_expected(n, s, s, &ignored),
                "these are c.s and s.s, of the r on entry: add up what has just been written");
    sum_mistake(t, d->sums, 2, spw_dot_expected(n, d->c, s, &ignored), r_r,
                "this is c.s: rho is c.r with the new r");
    sum_mistake(t, d->sums, 2, r_r, r_r, "r.r was returned: rho is c.r");
    sum_mistake(t, d->sums, 2, r_r, c_r, "c.r and r.r are swapped: c.r is returned");
    sum_mistake(t, d->sums, 2, c_r, sqrt(r_r), "*r_r has no root");
    return SPW_OK;
}

static void call_full(spw_trial *t, spw_function f)
{
    vectors *d = (vectors *)spw_trial_data(t);
    d->sums[0] = ((full_update_fn)f)(d->n, d->a, d->w, d->p, d->t, d->c, d->x, d->r, &d->sums[1]);
}

static spw_cost cost_of_full(const spw_trial *t)
{
    const double n = (double)((const vectors *)spw_trial_data(t))->n;
    return (spw_cost){.load = 40 * n, .store = 16 * n, .flop = 10 * n};
}

static void full_apart(spw_trial *t)
{
    vectors *d = (vectors *)spw_trial_data(t);
    spw_axpby_omp(d->n, d->a, d->p, 1, d->x);
    spw_axpby_omp(d->n, d->w, d->r, 1, d->x);
    spw_axpby_omp(d->n, -d->w, d->t, 1, d->r);
    d->sums[0] = spw_dot_omp(d->n, d->c, d->r);
    d->sums[1] = spw_dot_omp(d->n, d->r, d->r);
}

static void full_library(spw_trial *t)
{
    vectors *d = (vectors *)spw_trial_data(t);
    d->sums[1] =
        spw_bicgstab_step_omp(d->n, d->a, d->w, d->p, d->r, d->t, d->c, d->x, d->r, &d->sums[0]);
}

/* --- in one pass? ---------------------------------------------------------------------------------------- */

static spw_status set_up_passes(spw_trial *t, const char *name)
{
    (void)name;
    spw_trial_say(t, "vectors of %d pages", SPW_PAGES_OF_PASSES);
    spw_trial_unit(t, "n", 262144); /* of the model: a five-point matrix on 512 x 512 points */
    spw_trial_unit(t, "nz", 1308672);
    return spw_trial_memory(t, 1, sizeof(vectors)) ? SPW_OK : SPW_ERR_MEMORY;
}

typedef struct watched {
    const char *function, *names[SPW_PAGES_VECTORS], *advice;
} watched;

static void run_p(spw_function f, int64_t n, double **v)
{
    ((p_update_fn)f)(n, 0.5, 0.25, v[1], v[2], v[0]);
}

static void run_half(spw_function f, int64_t n, double **v)
{
    ((half_update_fn)f)(n, 0.5, v[1], v[0]);
}

static void run_full(spw_function f, int64_t n, double **v)
{
    double r_r;
    ((full_update_fn)f)(n, 0.5, 0.25, v[2], v[3], v[4], v[0], v[1], &r_r);
}

static void watch(spw_trial *t, spw_function f, int count,
                  void (*run)(spw_function, int64_t, double **))
{
    vectors *d = (vectors *)spw_trial_data(t);
    spw_pages w;
    if (spw_pages_create(count, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &w)) {
        spw_trial_fail(t, "%s", spw_message());
        return;
    }
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < w.n; i++) w.vector[k][i] = k + 1;
    spw_pages_begin(&w);
    run(f, w.n, w.vector);
    spw_pages_end(&w);
    memcpy(d->passes, w.passes, sizeof d->passes);
    spw_pages_destroy(&w);
}

static void call_p_watched(spw_trial *t, spw_function f)
{
    watch(t, f, 3, run_p);
}

static void call_half_watched(spw_trial *t, spw_function f)
{
    watch(t, f, 2, run_half);
}

static void call_full_watched(spw_trial *t, spw_function f)
{
    watch(t, f, 5, run_full);
}

static void check_passes(spw_trial *t, const watched *w)
{
    const vectors *d = (const vectors *)spw_trial_data(t);
    char list[160] = "";
    double most = 0;
    for (int k = 0; w->names[k]; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s %.2g", k ? ", " : "", w->names[k],
                 d->passes[k]);
        most = fmax(most, d->passes[k]);
    }
    if (most < 1.5) return;
    spw_trial_fail(t,
                   "%s gives the right values, but not in one pass. So many times a vector came\n"
                   "from memory in one call: %s.\n%s",
                   w->function, list, w->advice);
}

static void check_p_passes(spw_trial *t, spw_function f)
{
    (void)f;
    check_passes(t, &(watched){"p_update",
                               {"p", "r", "v"},
                               "r[i] + beta (p[i] - omega v[i]) is one statement of one loop"});
}

static void check_half_passes(spw_trial *t, spw_function f)
{
    (void)f;
    check_passes(t, &(watched){"half_update",
                               {"r", "v"},
                               "r[i] is at hand when it has just changed: add its square there"});
}

static void check_full_passes(spw_trial *t, spw_function f)
{
    (void)f;
    check_passes(t,
                 &(watched){"full_update",
                            {"x", "r", "p", "t", "c"},
                            "x, then r, then both sums of element i: four statements, one loop"});
}

/* --- systems --------------------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *name, *matrix;
    spw_rhs b;
    spw_guess x;
    double tolerance;
    int most;
} systems[] = {
    {"one-step", "convdiff2d:3x2", SPW_B_RANDOM, SPW_X_0, 0, 1},
    {"two-steps", "convdiff2d:5x4", SPW_B_RANDOM, SPW_X_0, 0, 2},
    {"guess", "convdiff2d:5x4", SPW_B_RANDOM, SPW_X_RANDOM, 0, 1},
    {"three-steps", "convdiff2d:9x7", SPW_B_RANDOM, SPW_X_RANDOM, 0, 3},
    {"no-steps", "convdiff2d:5x4", SPW_B_RANDOM, SPW_X_RANDOM, 0, 0},
    {"example", "example", SPW_B_FIRST, SPW_X_0, 1e-8, 10},     /* the example of the README */
    {"one-by-one", "one", SPW_B_FIRST, SPW_X_0, 1e-8, 10}, /* ends after half a step: s = 0 */
    {"zero", "convdiff2d:5x4", SPW_B_ZERO, SPW_X_0, 1e-8, 10},
    {"solved", "convdiff2d:5x4", SPW_B_OF_ONES, SPW_X_ONES, 1e-8, 10}, /* r is 0 to the bit */
    {"rho", "rho", SPW_B_FIRST, SPW_X_0, 1e-8, 10},
    {"alpha", "alpha", SPW_B_FIRST, SPW_X_0, 1e-8, 10},
    {"omega", "omega", SPW_B_FIRST, SPW_X_0, 1e-8, 10},
    {"singular", "singular", SPW_B_FIRST, SPW_X_0, 1e-8, 10},   /* t is 0: omega would be 0 / 0 */
    {"convdiff", "convdiff2d:9x8", SPW_B_RANDOM, SPW_X_0, 1e-8, 200},
    {"small-b", "convdiff2d:9x8", SPW_B_SMALL, SPW_X_0, 1e-8, 200},
    {"far-guess", "convdiff2d:9x8", SPW_B_RANDOM, SPW_X_FAR, 1e-8, 200},
    {"stencil27", "stencil27:7", SPW_B_OF_ONES, SPW_X_RANDOM, 1e-8, 200},
    {"too-few", "convdiff2d:9x8", SPW_B_RANDOM, SPW_X_0, 1e-8, 5},
};
/* clang-format on */
enum { SYSTEMS = sizeof systems / sizeof systems[0] };

/* What the method gives, with the mistake m. */
enum mistake {
    RIGHT,
    R_NEGATED,
    R_IS_B,
    FROM_ZERO,
    BETA_SIGN,
    BETA_INVERTED,
    BETA_RHO_ONLY,
    BETA_OMEGA_ALPHA,
    BETA_STALE,
    P_LIKE_CG,
    OLD_P_OF_R,
    C_FOLLOWS,
    RHO_R_R,
    ALPHA_P_V,
    ALPHA_R_V,
    ALPHA_INVERTED,
    OMEGA_INVERTED,
    OMEGA_S_S,
    OMEGA_SIGN,
    T_OF_P,
    LAST_X,
    ONE_MORE,
    NO_LIMIT,
    MISTAKES
};

static const char *const mistake_text[MISTAKES] = {
    [R_NEGATED] = "it walks away from the solution: r is b - A x, this began with A x - b",
    [R_IS_B] = "it converges to another system's solution: the first r is b - A x, not b. x need\n"
               "not be 0 on entry",
    [FROM_ZERO] = "x began at 0: it must begin at the guess that x holds on entry",
    [BETA_SIGN] = "the sign of beta is wrong: it is rho'/rho alpha/omega",
    [BETA_INVERTED] = "beta has rho upside down: the new rho over the old one, times alpha/omega",
    [BETA_RHO_ONLY] = "beta was rho'/rho, as in CG: here it is rho'/rho alpha/omega",
    [BETA_OMEGA_ALPHA] = "beta has alpha and omega upside down: it is rho'/rho alpha/omega",
    [BETA_STALE] = "beta was alpha/omega: both rho were the same. Keep the old one before\n"
                   "full_update returns the new one",
    [P_LIKE_CG] = "p was r + beta p, as in CG: p_update with omega, and the v of this step",
    [OLD_P_OF_R] = "p was r: beta was 0, or p was never updated",
    [C_FOLLOWS] = "c followed r: the shadow c is the first residual and never changes",
    [RHO_R_R] = "rho was r.r: it is c.r, with the first residual c",
    [ALPHA_P_V] = "alpha was made of the wrong dot: this is rho / p.v, as in CG; it is rho / c.v",
    [ALPHA_R_V] = "alpha was made of the wrong dot: this is rho / r.v; it is rho / c.v",
    [ALPHA_INVERTED] = "alpha is upside down: it is rho / c.v",
    [OMEGA_INVERTED] = "omega is upside down: it is t.s / t.t",
    [OMEGA_S_S] = "omega was made of the wrong dots: this is t.s / s.s; it is t.s / t.t, so that\n"
                  "||s - omega t|| is least",
    [OMEGA_SIGN] = "the sign of omega is wrong: it is t.s / t.t",
    [T_OF_P] = "t was A p: the second product is of s, which lies in r",
    [LAST_X] = "the last update of x is missing",
    [ONE_MORE] = "one step too many: max_iterations is asked before the step",
    [NO_LIMIT] = "it went on to the solution: max_iterations is there so that it ends in any case",
};

typedef struct outcome {
    bicgstab_stop stop;
    int iterations;
    double *x;
    /* the first HISTORY residuals: least of ||r|| after k steps and ||s|| within step k; the largest |r[i]| */
    double norm[HISTORY + 1], max_norm[HISTORY + 1];
    int n_history;
} outcome;

typedef struct linear {
    const spw_csr *A;
    const double *b, *start;
    double *x;
    bicgstab_room work;
    double tolerance;
    int most;
    double norm_b;
    outcome *right;
    bicgstab_result got;
    int timed;
} linear;

static double wrong_alpha(int m, double rho, double c_v, double p_v, double r_v)
{
    if (m == ALPHA_P_V) return rho / p_v;
    if (m == ALPHA_R_V) return rho / r_v;
    return m == ALPHA_INVERTED ? c_v / rho : rho / c_v;
}

static double wrong_omega(int m, double t_s, double t_t, double s_s)
{
    if (m == OMEGA_INVERTED) return t_t / t_s;
    if (m == OMEGA_S_S) return t_s / s_s;
    return m == OMEGA_SIGN ? -t_s / t_t : t_s / t_t;
}

static double wrong_beta(int m, double rho, double old, double alpha, double omega)
{
    if (m == BETA_SIGN) return -rho / old * alpha / omega;
    if (m == BETA_INVERTED) return old / rho * alpha / omega;
    if (m == BETA_RHO_ONLY) return rho / old;
    if (m == BETA_OMEGA_ALPHA) return rho / old * omega / alpha;
    if (m == BETA_STALE) return alpha / omega;
    return m == OLD_P_OF_R ? 0 : rho / old * alpha / omega;
}

typedef struct state {
    int64_t n;
    double *x, *r, *p, *v, *t, *c;
    double rho, half; /* half: ||s|| */
} state;

/* One step, of the method or of a wrong one. What stopped it, or BICGSTAB_ITERATIONS: nothing did. */
static bicgstab_stop step(const linear *s, state *z, int m, int last)
{
    const int64_t n = z->n;
    double *x = z->x, *r = z->r, *p = z->p, *v = z->v, *t = z->t;
    if (z->rho == 0) return BICGSTAB_RHO;
    spw_system_product(s->A, p, v);
    const double c_v = spw_system_dot(n, z->c, v);
    if (c_v == 0) return BICGSTAB_ALPHA;
    const double alpha =
        wrong_alpha(m, z->rho, c_v, spw_system_dot(n, p, v), spw_system_dot(n, r, v));
    for (int64_t i = 0; i < n; i++) r[i] -= alpha * v[i];
    z->half = sqrt(spw_system_dot(n, r, r));
    spw_system_product(s->A, m == T_OF_P ? p : r, t);
    const double t_s = spw_system_dot(n, t, r);
    const int small = z->half <= s->tolerance * s->norm_b;
    if (small || t_s == 0) {
        for (int64_t i = 0; i < n; i++) x[i] += alpha * p[i];
        return small ? BICGSTAB_CONVERGED : BICGSTAB_OMEGA;
    }
    const double omega = wrong_omega(m, t_s, spw_system_dot(n, t, t), z->half * z->half);
    for (int64_t i = 0; i < n; i++) {
        if (!(m == LAST_X && last)) x[i] += alpha * p[i] + omega * r[i];
        r[i] -= omega * t[i];
        if (m == C_FOLLOWS) z->c[i] = r[i];
    }
    const double old = z->rho;
    z->rho = spw_system_dot(n, m == RHO_R_R ? r : z->c, r);
    const double beta = wrong_beta(m, z->rho, old, alpha, omega);
    for (int64_t i = 0; i < n; i++)
        p[i] = r[i] + beta * (p[i] - (m == P_LIKE_CG ? 0 : omega * v[i]));
    return BICGSTAB_ITERATIONS;
}

static void end(outcome *o, bicgstab_stop stop, int iterations, int64_t n, double *kept)
{
    o->stop = stop;
    o->iterations = iterations;
    memcpy(kept, o->x, (size_t)n * sizeof *kept);
}

/* The method in plain serial loops; work: 6 n. The history of the right one goes on after convergence. */
static void simulate(const linear *s, int m, double *work, outcome *o)
{
    const int64_t n = s->A->n_rows;
    double *kept = work + 5 * n;
    state z = {n, o->x, work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, 0, INFINITY};
    memcpy(z.x, s->start, (size_t)n * sizeof *z.x);
    if (m == FROM_ZERO) memset(z.x, 0, (size_t)n * sizeof *z.x);
    spw_system_product(s->A, z.x, z.v);
    for (int64_t i = 0; i < n; i++) {
        z.r[i] = m == R_NEGATED ? z.v[i] - s->b[i] : m == R_IS_B ? s->b[i] : s->b[i] - z.v[i];
        z.p[i] = z.c[i] = z.r[i];
    }
    z.rho = spw_system_dot(n, z.r, z.r);
    linear endless = *s; /* what the history is for: another test might have gone on */
    endless.tolerance = 0;
    int done = 0;
    for (int k = 0; k < HISTORY; k++) {
        const double norm = sqrt(spw_system_dot(n, z.r, z.r));
        o->norm[k] = fmin(norm, z.half);
        o->max_norm[k] = spw_system_largest(n, z.r);
        o->n_history = k + 1;
        const int small = norm <= s->tolerance * s->norm_b;
        if (!done && (small || k == s->most)) {
            end(o, small ? BICGSTAB_CONVERGED : BICGSTAB_ITERATIONS, k, n, kept);
            done = 1;
        }
        if (done && (s->timed || m != RIGHT)) break;
        const bicgstab_stop stop = step(done ? &endless : s, &z, m, k + 1 == s->most);
        if (stop == BICGSTAB_ITERATIONS) continue;
        if (!done) end(o, stop, k + (stop == BICGSTAB_CONVERGED), n, kept);
        done = 1;
        if (stop != BICGSTAB_CONVERGED) break;
        o->norm[k + 1] = z.half;
        o->max_norm[k + 1] = z.half;
        o->n_history = k + 2;
        break;
    }
    memcpy(o->x, kept, (size_t)n * sizeof *kept);
}

/* Small matrices with whole numbers, so that what is 0 is 0 to the bit; b = (1, 0, 0). */
static spw_status literal(const char *name, spw_csr *A)
{
    static const struct {
        const char *name;
        int n;
        double a[9];
    } known[] = {
        {"example", 2, {1, 0, -1, 2}},              /* done in one step */
        {"rho", 3, {1, 0, 1, -1, 1, 0, 0, 1, 1}},   /* c.r = 0 after the first step */
        {"alpha", 2, {0, 1, -1, 0}},                /* skew: c.A c = 0 */
        {"omega", 3, {1, 0, 0, -2, 0, 1, 0, 1, 0}}, /* s = 2 e2, t = 2 e3 */
        {"one", 1, {2}},                            /* s = 0 */
        {"singular", 2, {1, 0, -1, 0}},             /* s = e2, t = 0 */
    };
    size_t k = 0;
    while (k < sizeof known / sizeof known[0] && strcmp(name, known[k].name) != 0) k++;
    if (k == sizeof known / sizeof known[0]) return SPW_ERR_ARG;
    const int n = known[k].n;
    const spw_status status = spw_csr_create(n, n, n * n, A);
    if (status) return status;
    for (int i = 0; i <= n; i++) A->row_ptr[i] = i * n;
    for (int i = 0; i < n * n; i++) {
        A->col_idx[i] = i % n;
        A->val[i] = known[k].a[i];
    }
    return SPW_OK;
}

static spw_status make_matrix(const char *name, uint64_t seed, spw_csr *A)
{
    const spw_status status = literal(name, A);
    return status == SPW_ERR_ARG ? spw_system_load(name, seed, A) : status;
}

/* The iterate itself is compared where the number of steps is fixed. */
static spw_status expect_steps(spw_trial *t, linear *s, double *work)
{
    const int64_t n = s->A->n_rows;
    const double most = fmax(spw_system_largest(n, s->right->x), spw_system_largest(n, s->start));
    const spw_status status = spw_trial_expect_within(t, s->x, n, s->right->x, 1e-9 * most, NULL);
    if (status || n > MISTAKES_UP_TO) return status;
    outcome *o = (outcome *)spw_trial_memory(t, 1, sizeof *o);
    if (!o) return SPW_ERR_MEMORY;
    for (int m = 1; m < MISTAKES; m++) {
        linear other = *s;
        if (m == NO_LIMIT) other.most = HISTORY - 1;
        if (m == NO_LIMIT) other.tolerance = 1e-14;
        if (m == ONE_MORE) other.most++;
        o->x = spw_trial_doubles(t, n);
        if (!o->x) return SPW_ERR_MEMORY;
        simulate(&other, m, work, o);
        spw_trial_mistake(t, s->x, o->x, mistake_text[m]);
    }
    return SPW_OK;
}

static spw_status give_room(spw_trial *t, linear *s)
{
    const int64_t n = s->A->n_rows;
    s->x = (double *)spw_trial_inout(t, "x", SPW_DOUBLE, n, s->start);
    s->work.p = (double *)spw_trial_output(t, "p", SPW_DOUBLE, n);
    s->work.v = (double *)spw_trial_output(t, "v", SPW_DOUBLE, n);
    s->work.t = (double *)spw_trial_output(t, "t", SPW_DOUBLE, n);
    s->work.r = (double *)spw_trial_output(t, "r", SPW_DOUBLE, n);
    s->work.c = (double *)spw_trial_output(t, "c", SPW_DOUBLE, n);
    const int there = s->x && s->work.p && s->work.v && s->work.t && s->work.r && s->work.c;
    return there ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status set_up_solver(spw_trial *t, const char *name)
{
    int k = 0;
    while (k < SYSTEMS && strcmp(name, systems[k].name) != 0) k++;
    const int own = k < SYSTEMS;
    spw_csr A;
    linear *s = (linear *)spw_trial_memory(t, 1, sizeof *s);
    if (!s) return SPW_ERR_MEMORY;
    spw_status status = make_matrix(own ? systems[k].matrix : name, spw_trial_seed(t), &A);
    if (status) return status;
    const int64_t n = A.n_rows;
    s->timed = !own;
    s->tolerance = own ? systems[k].tolerance : 0;
    s->most = own ? systems[k].most : CALL_ITERATIONS;
    double *start = spw_trial_doubles(t, n), *work = spw_trial_doubles(t, 6 * n);
    s->A = spw_trial_csr(t, &A);
    double *b = (double *)spw_trial_input(t, "b", SPW_DOUBLE, n);
    s->right = (outcome *)spw_trial_memory(t, 1, sizeof *s->right);
    if (!s->A || !b || !start || !work || !s->right || !(s->right->x = spw_trial_doubles(t, n)))
        return SPW_ERR_MEMORY;
    spw_trial_say_system(t, s->A, s->timed, s->tolerance, s->most, "");
    spw_system_right_side(s->A, own ? systems[k].b : SPW_B_RANDOM, spw_trial_seed(t), b);
    spw_system_guess(n, own ? systems[k].x : SPW_X_0, spw_trial_seed(t), start);
    s->b = b;
    s->start = start;
    s->norm_b = sqrt(spw_system_dot(n, b, b));
    status = give_room(t, s);
    if (status || !spw_trial_checks(t)) return status;
    simulate(s, RIGHT, work, s->right);
    return s->tolerance > 0 ? SPW_OK : expect_steps(t, s, work);
}

static void call_solver(spw_trial *t, spw_function f)
{
    linear *s = (linear *)spw_trial_data(t);
    s->got = ((bicgstab_fn)f)(s->A, s->b, s->x, s->tolerance, s->most, &s->work);
}

/* --- is it a solution? ------------------------------------------------------------------------------------- */

static const char *name_of(bicgstab_stop stop)
{
    static const char *const names[] = {"BICGSTAB_CONVERGED", "BICGSTAB_ITERATIONS", "BICGSTAB_RHO",
                                        "BICGSTAB_ALPHA", "BICGSTAB_OMEGA"};
    return stop <= BICGSTAB_OMEGA ? names[stop] : "something else";
}

static const char *other_test(const linear *s, int iterations)
{
    const outcome *o = s->right;
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
        {spw_system_first_below(o->max_norm, o->n_history, tol * b, 0),
         "That is where the largest |r[i]| falls below tolerance * ||b||: the norm is the\n"
         "Euclidean one, the root of r.r"},
        {o->iterations + 1, "One step too many: the test looked at the residual from before it"},
    };
    if (iterations > s->most) return "max_iterations is there so that it ends in any case";
    for (int off = 0; off <= 1; off++) /* another order of summation, and it is one more or less */
        for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
            if (tests[k].at >= 0 && abs(tests[k].at - iterations) == off) return tests[k].text;
    if (s->right->stop == BICGSTAB_CONVERGED && iterations > s->right->iterations)
        return "Too many steps: is beta rho'/rho alpha/omega, with the alpha and the omega of the\n"
               "step before, and the test ||r|| <= tolerance * ||b||?";
    return "Is the test ||r|| <= tolerance * ||b||, before each step, and ||s|| after half of it?";
}

static const char *breakdown_text(bicgstab_stop stop)
{
    if (stop == BICGSTAB_RHO)
        return "c.r is 0 and r is not: beta would be 0, and no further step goes anywhere.\n"
               "That is a breakdown: BICGSTAB_RHO";
    if (stop == BICGSTAB_ALPHA)
        return "c.v is 0, and alpha = rho / c.v is infinite: BICGSTAB_ALPHA, and x stays";
    return "t.s is 0, so omega is 0 (or 0 / 0 where t is 0), and beta would be divided by it:\n"
           "take the half step x += alpha p, and return BICGSTAB_OMEGA";
}

static void check_stop(spw_trial *t, const linear *s)
{
    const bicgstab_result got = s->got;
    const outcome *o = s->right;
    const int loose = o->stop == BICGSTAB_CONVERGED && o->iterations > 3;
    const int slack = loose ? (int)fmax(1, ceil(0.02 * o->iterations)) : 0;
    if (o->stop >= BICGSTAB_RHO && got.stop != o->stop)
        spw_trial_fail(t, "%s after %d iterations, expected %s.\n%s", name_of(got.stop),
                       got.iterations, name_of(o->stop), breakdown_text(o->stop));
    else if (got.stop >= BICGSTAB_RHO && o->stop < BICGSTAB_RHO)
        spw_trial_fail(
            t,
            "%s was returned after %d iterations, expected %s.\n"
            "Where r or s is 0 all dots are 0, and nothing is wrong: ask for convergence\n"
            "first, before the step and after half of it",
            name_of(got.stop), got.iterations, name_of(o->stop));
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

static void check_claim(spw_trial *t, const linear *s)
{
    double slack;
    const double truth = spw_system_residual(s->A, s->b, s->x, s->start, &slack),
                 said = s->got.residual;
    const double near = 1e-3 * truth + slack;
    const char *why = "r has drifted away from b - A x: do x and r change together?";
    if (fabs(said - truth) <= near) {
        if (s->got.stop == BICGSTAB_CONVERGED && truth > 1.01 * s->tolerance * s->norm_b + slack)
            spw_trial_fail(t,
                           "it says BICGSTAB_CONVERGED, but ||b - A x|| is %.3g and\n"
                           "tolerance * ||b|| is %.3g",
                           truth, s->tolerance * s->norm_b);
        return;
    }
    if (fabs(said - truth * truth) <= 2e-3 * truth * truth)
        why = "This is r.r: residual is its root";
    else if (s->norm_b > 0 && fabs(said - truth / s->norm_b) <= near / s->norm_b)
        why = "This is ||r|| / ||b||: residual is ||r||, not divided by anything";
    else if (s->got.stop == BICGSTAB_OMEGA || said < truth)
        why = "x is behind r: after half a step s is the residual of x + alpha p. Has x got it?";
    spw_trial_fail(t, "residual is %.6g, but ||b - A x|| is %.6g after %d iterations.\n%s", said,
                   truth, s->got.iterations, why);
}

static void check_solver(spw_trial *t, spw_function f)
{
    (void)f;
    const linear *s = (const linear *)spw_trial_data(t);
    const outcome *o = s->right;
    for (spw_idx i = 0; i < s->A->n_rows; i++) {
        if (isfinite(s->x[i])) continue;
        spw_trial_fail(t, "x[%d] is %g: something was divided by 0.\n%s", i, s->x[i],
                       o->stop >= BICGSTAB_RHO
                           ? breakdown_text(o->stop)
                           : "Ask for convergence before each division: where r "
                             "or s is 0\nall dots are 0");
        return;
    }
    if (!isfinite(s->got.residual))
        spw_trial_fail(t, "residual is %g: where was something divided by 0?", s->got.residual);
    check_stop(t, s);
    check_claim(t, s);
}

/* --- models ------------------------------------------------------------------------------------------------ */

static spw_cost true_cost(double n, double nz, double reads, double writes)
{
    return (spw_cost){.load = 2 * (12 * nz + 20 * n) + reads * 8 * n,
                      .store = 16 * n + writes * 8 * n,
                      .flop = 4 * nz + 24 * n};
}

static spw_cost true_plain(double n, double nz)
{
    return true_cost(n, nz, 22, 7);
}

static spw_cost true_merged(double n, double nz)
{
    return true_cost(n, nz, 11, 4);
}

/* row_ptr has n + 1 entries: who counts them exactly is as right as who counts n. */
static spw_cost rounded(spw_cost got, spw_cost truth)
{
    if (got.load - truth.load == 8) got.load = truth.load;
    return got;
}

/* A call: the product of the start with its dots, c, p, r, and the steps. */
static spw_cost cost_of_solver(const spw_trial *t)
{
    const linear *s = (const linear *)spw_trial_data(t);
    const double n = s->A->n_rows, nz = s->A->nnz;
    const spw_cost step_cost = true_merged(n, nz);
    if (!s->timed) return step_cost;
    const int steps = s->right->n_history ? s->right->iterations : s->most;
    return (spw_cost){.load = 12 * nz + 20 * n + 40 * n + 16 * n + steps * step_cost.load,
                      .store = 8 * n + 24 * n + steps * step_cost.store,
                      .flop = 2 * nz + 9 * n + steps * step_cost.flop};
}

static spw_cost predict_merged(spw_trial *t, spw_function model)
{
    const spw_csr *A = ((const linear *)spw_trial_data(t))->A;
    return rounded(((cost_fn)model)(A->n_rows, A->nnz), true_merged(A->n_rows, A->nnz));
}

enum { PLAIN_N = 262144, PLAIN_NZ = 1308672 }; /* five-point, 512 x 512 */

static spw_cost cost_of_plain(const spw_trial *t)
{
    (void)t;
    return true_plain(PLAIN_N, PLAIN_NZ);
}

static spw_cost predict_plain(spw_trial *t, spw_function model)
{
    (void)t;
    return rounded(((cost_fn)model)(PLAIN_N, PLAIN_NZ), true_plain(PLAIN_N, PLAIN_NZ));
}

/* Differences in elements a row (8 bytes), in units of nz bytes, and in flops a row. */
typedef struct slip {
    double load_nz, reads, writes, flop_nz, flop_n;
    const char *text;
} slip;

static void explain(double n, double nz, spw_cost got, spw_cost truth, const slip *own, char *text,
                    int size)
{
    static const slip in_both[] = {
        {-12, -2.5, -1, -2, 0, "there are two products an iteration, v = A p and t = A s"},
        {0, -2, 0, 0, 0, "the write-allocate of v and t is missing: 8 n for each product"},
        {0, -1, 0, 0, 0, "both products need row_ptr, 4 n each: or is one read missing?"},
        {0, -3, 0, 0, 0, "row_ptr and the write-allocate of both products are missing: 24 n"},
        {8, 0, 0, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {0, 0, -2, 0, 0, "v and t have to be stored, too: 8 n each"},
        {0, 0, 0, -2, 0, "each entry costs 2 flop in each of the two products: 4 nz"},
        {0, 0, 0, 0, 1, "p takes 4 n flop: beta p, minus, plus, and omega v or (beta omega) v"},
        {0, 0, 0, 0, -2, "2 n flop are missing: which dot or axpy is it?"},
        {0, 0, 0, 0, -4, "4 n flop are missing: which two dots or axpys are they?"},
        {0, 0, 0, 0, -24, "the vectors are missing: 24 n flop"},
    };
    const slip *const lists[] = {own, in_both};
    const size_t counts[] = {3, sizeof in_both / sizeof in_both[0]};
    const spw_cost d = {got.load - truth.load, got.store - truth.store, got.flop - truth.flop};
    for (int l = 0; l < 2; l++)
        for (size_t k = 0; k < counts[l]; k++) {
            const slip *s = &lists[l][k];
            const double off = fabs(d.load - s->load_nz * nz - s->reads * 8 * n) +
                               fabs(d.store - s->writes * 8 * n) +
                               fabs(d.flop - s->flop_nz * nz - s->flop_n * n);
            if (off > 10) continue;
            snprintf(text, (size_t)size, "%s", s->text);
            return;
        }
}

static void explain_plain(const spw_trial *t, spw_cost got, char *text, int size)
{
    static const slip own[3] = {
        {0, -11, -3, 0, 0, "this is the merged iteration: here each call reads its vectors anew"},
        {0, -2, -2, 0, 0, "p takes three calls, scal, axpy, axpy: 5 n read and 3 n written"},
        {0, 2, 0, 0, 0, "s.s and r.r read one vector each, not two"},
    };
    (void)t;
    explain(PLAIN_N, PLAIN_NZ, got, true_plain(PLAIN_N, PLAIN_NZ), own, text, size);
}

static void explain_merged(const spw_trial *t, spw_cost got, char *text, int size)
{
    static const slip own[3] = {
        {0, 11, 3, 0, 0, "this is the plain iteration: in a super-kernel a vector is read once"},
        {0, 2, 0, 0, 0,
         "t.s and t.t read nothing: in row i of the product t[i] is in a register, and s[i]\n"
         "has just been used"},
        {0, -1, 0, 0, 0, "c is read in the first product: n, as it is not the vector multiplied"},
    };
    const spw_csr *A = ((const linear *)spw_trial_data(t))->A;
    explain(A->n_rows, A->nnz, got, true_merged(A->n_rows, A->nnz), own, text, size);
}

/* --- beside the whole loop ---------------------------------------------------------------------------------- */

static double product_with_dots(const linear *s, int merged, const double *x, const double *w,
                                double *y, double *y_y)
{
    double w_y;
    if (merged) {
        spw_spmv_dots_csr_omp(s->A, x, w, y, &w_y, y_y);
        return w_y;
    }
    spw_spmv_csr_omp(s->A, x, y);
    w_y = spw_dot_omp(s->A->n_rows, w, y);
    if (x == w) *y_y = spw_dot_omp(s->A->n_rows, y, y);
    return w_y;
}

static void plain_updates(linear *s, double alpha, double omega, double *rho, double *r_r)
{
    const int64_t n = s->A->n_rows;
    const bicgstab_room *w = &s->work;
    const double old = *rho;
    spw_axpby_omp(n, alpha, w->p, 1, s->x);
    spw_axpby_omp(n, omega, w->r, 1, s->x);
    spw_axpby_omp(n, -omega, w->t, 1, w->r);
    *rho = spw_dot_omp(n, w->c, w->r);
    *r_r = spw_dot_omp(n, w->r, w->r);
    const double beta = *rho / old * (alpha / omega);
    spw_scal_omp(n, beta, w->p);
    spw_axpby_omp(n, -beta * omega, w->v, 1, w->p);
    spw_axpby_omp(n, 1, w->r, 1, w->p);
}

static void merged_updates(linear *s, double alpha, double omega, double *rho, double *r_r)
{
    const int64_t n = s->A->n_rows;
    const bicgstab_room *w = &s->work;
    const double old = *rho;
    *r_r = spw_bicgstab_step_omp(n, alpha, omega, w->p, w->r, w->t, w->c, s->x, w->r, rho);
    spw_bicgstab_direction_omp(n, *rho / old * (alpha / omega), omega, w->r, w->v, w->p);
}

static void iterate(spw_trial *trial, int merged)
{
    linear *s = (linear *)spw_trial_data(trial);
    const int64_t n = s->A->n_rows;
    const bicgstab_room *w = &s->work;
    spw_spmv_csr_omp(s->A, s->x, w->v);
    spw_copy_omp(n, s->b, w->r);
    spw_axpby_omp(n, -1, w->v, 1, w->r);
    spw_copy_omp(n, w->r, w->p);
    spw_copy_omp(n, w->r, w->c);
    double rho = spw_dot_omp(n, w->r, w->r), r_r = rho, t_t = 0, s_s;
    for (int k = 0; k < s->most && r_r > 0; k++) {
        const double alpha = rho / product_with_dots(s, merged, w->p, w->c, w->v, &t_t);
        if (merged) {
            s_s = spw_bicgstab_half_omp(n, alpha, w->v, w->r);
        } else {
            spw_axpby_omp(n, -alpha, w->v, 1, w->r);
            s_s = spw_dot_omp(n, w->r, w->r);
        }
        if (s_s <= 0) return;
        const double t_s = product_with_dots(s, merged, w->r, w->r, w->t, &t_t);
        (merged ? merged_updates : plain_updates)(s, alpha, t_s / t_t, &rho, &r_r);
    }
}

static void plain(spw_trial *t)
{
    iterate(t, 0);
}

static void merged(spw_trial *t)
{
    iterate(t, 1);
}

/* --- the declaration ------------------------------------------------------------------------------------------ */

static const char *const lengths[] = {"1", "0", "2", "7", "64", "1009", "100003", NULL};
static const char *const passes[] = {"passes", NULL};
static const char *cases[SYSTEMS + 1];

/* What merges comes last: an answer of many loops is right, until then. */
static const spw_part parts[] = {
    {.function = "p_update",
     .cases = lengths,
     .setup = set_up_p,
     .call = call_p,
     .cost = cost_of_p,
     .speed = "memory",
     .target = 0.8,
     .baseline = {"scal, axpy, axpy", p_apart},
     .stretch = {"library", p_library}},
    {.function = "half_update", .cases = lengths, .setup = set_up_half, .call = call_half},
    {.function = "full_update",
     .cases = lengths,
     .setup = set_up_full,
     .call = call_full,
     .cost = cost_of_full,
     .speed = "memory",
     .target = 0.8,
     .baseline = {"five calls", full_apart},
     .stretch = {"library", full_library}},
    {.function = "bicgstab",
     .model = "bicgstab_merged_cost",
     .cases = cases,
     .setup = set_up_solver,
     .call = call_solver,
     .claim = check_solver,
     .predict = predict_merged,
     .cost = cost_of_solver,
     .explain_model = explain_merged,
     .speed = "convdiff2d:700",
     .traffic = "convdiff2d:300",
     .takes_matrix = true,
     .target = 0.75,
     .baseline = {"a call a line", plain},
     .stretch = {"library", merged}},
    {.function = "p_update",
     .model = "bicgstab_plain_cost",
     .cases = passes,
     .setup = set_up_passes,
     .call = call_p_watched,
     .claim = check_p_passes,
     .predict = predict_plain,
     .cost = cost_of_plain,
     .explain_model = explain_plain},
    {.function = "half_update",
     .cases = passes,
     .setup = set_up_passes,
     .call = call_half_watched,
     .claim = check_half_passes},
    {.function = "full_update",
     .cases = passes,
     .setup = set_up_passes,
     .call = call_full_watched,
     .claim = check_full_passes},
};

static const char *const forbidden[] = {"spw_bicgstab", NULL};

int main(int argc, char **argv)
{
    for (int k = 0; k < SYSTEMS; k++) cases[k] = systems[k].name;
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden},
                     argc, argv);
}

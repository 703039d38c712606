/* Exercise 14, GPU part: cases, true costs, bounds on the traffic and explanations for BiCGStab in
 * super-kernels whose numbers stay on the device. */
#include "bicgstab_gpu.h"

#include "kernels/cuda_solver.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "judge/explain.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*product_fn)(spw_csr, int, const double *, const double *, double *, double *);
typedef void (*p_fn)(int64_t, int, const double *, const double *, const double *, double *);
typedef void (*half_fn)(int64_t, int, const double *, const double *, double *);
typedef void (*full_fn)(int64_t, int, const double *, const double *, const double *,
                        const double *, double *, double *, double *);
typedef void (*iterate_fn)(spw_csr, int, int, const double *, double *, double *, double *,
                           double *, double *, double *, double *);
typedef spw_cost (*cost_fn)(double, double);

enum { MOST_BLOCKS = 1056, LARGE = 1000000 };

/* Room for two sums as the library leaves them, in doubles. */
enum { LIBRARY = 2 * sizeof(spw_partials) / sizeof(double) + 1 };

/* What ALPHA, BETA and OMEGA hold on entry: garbage, but known, so that its use is recognised. */
static const double garbage[NUMBERS] = {7, 0.375, 0.625, -0.5625, 11};

/* A sum that is left in parts. */
typedef struct total {
    const char *name;
    const double *terms; /* [n] */
    double sum, slack;
} total;

typedef struct problem {
    const spw_csr *A;
    int64_t n;
    int blocks, steps;
    bool same; /* w is x */
    const double *in[4], *numbers_in;
    double *x, *r, *p, *v, *t, *parts, *numbers, *library;
    total totals[2];
    double rho, r_r;     /* after the steps */
    const char *divisor; /* that is 0 in this case, or NULL */
} problem;

static problem *of(const spw_trial *t)
{
    return (problem *)spw_trial_data(t);
}

/* --- a case: MATRIX@BLOCKS,STEPS; of spmv_dots MATRIX@BLOCKS,1 where w is x ------------------------- */

/* Its own transpose with the other sign: c.A c = 0, and t.s = 0. */
static spw_status skew(spw_csr *A)
{
    const spw_status status = spw_csr_create(2, 2, 2, A);
    if (status) return status;
    for (spw_idx i = 0; i < 2; i++) {
        A->row_ptr[i] = i;
        A->col_idx[i] = 1 - i;
        A->val[i] = i ? -1 : 1;
    }
    A->row_ptr[2] = 2;
    return SPW_OK;
}

static spw_status matrix(const char *name, uint64_t seed, spw_csr *A)
{
    if (strcmp(name, "solved") == 0) return spw_system_fours(40, A);
    if (strcmp(name, "skew") == 0) return skew(A);
    return spw_system_load(name, seed, A);
}

static problem *begin(spw_trial *t, const char *name, char *rest, size_t size)
{
    problem *d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return NULL;
    snprintf(rest, size, "%s", name);
    d->blocks = MOST_BLOCKS;
    d->steps = 2;
    char *at = strchr(rest, '@');
    if (!at) return d;
    *at = 0;
    d->blocks = (int)strtol(at + 1, &at, 10);
    d->same = *at == ',';
    if (*at == ',') d->steps = (int)strtol(at + 1, NULL, 10);
    return d;
}

static spw_status begin_system(spw_trial *t, const char *name)
{
    char rest[128];
    spw_csr A;
    problem *d = begin(t, name, rest, sizeof rest);
    if (!d) return SPW_ERR_MEMORY;
    const spw_status status = matrix(rest, spw_trial_seed(t), &A);
    if (status) return status;
    spw_trial_unit(t, "n", A.n_rows);
    spw_trial_unit(t, "nz", A.nnz);
    if (strcmp(rest, "solved") == 0)
        d->divisor = "s and r are 0 after half a step: then t.t and c.v are 0";
    if (strcmp(rest, "skew") == 0) d->divisor = "c.v is 0 here, and t.s, so omega is, too";
    d->n = A.n_rows;
    d->A = spw_trial_csr(t, &A);
    return d->A ? SPW_OK : SPW_ERR_MEMORY;
}

/* --- two sums in parts ------------------------------------------------------------------------------ */

static const struct {
    spw_share of;
    const char *text;
} parts_mistakes[] = {
    {spw_share_once,
     "These are the first 256 * blocks elements: a thread takes first, first + stride, ..."},
    {spw_share_thread_0,
     "These are the numbers of thread 0 of each block: block_sum adds up all 256"},
    {spw_share_warp_0, "This is the first warp of each block"},
};

static double sum_of(const problem *d, const double *terms, spw_share share)
{
    return spw_share_sum(d->n, terms, NULL, share, (int64_t)d->blocks * BLOCK);
}

static void set_total(problem *d, int k, const char *name, const double *terms, double extra)
{
    double size = 0;
    for (int64_t i = 0; i < d->n; i++) size += fabs(terms[i]);
    d->totals[k] = (total){name, terms, sum_of(d, terms, NULL),
                           (double)(d->n + 2) * DBL_EPSILON * size + extra};
}

static bool near(double a, double b, double slack)
{
    return fabs(a - b) <= slack;
}

static const char *why_parts(const problem *d, int k, double got)
{
    const total *this = &d->totals[k], *other = &d->totals[1 - k];
    const size_t count = sizeof parts_mistakes / sizeof parts_mistakes[0];
    double alternate = 0;
    for (int b = 0; b < d->blocks; b++) alternate += d->parts[2 * b + k];
    if (got == 0) return "Nothing was added up";
    if (near(got, other->sum, other->slack))
        return "That is the other sum: the first lies in parts[0 .. blocks-1], the second behind";
    if (near(alternate, this->sum, this->slack))
        return "The two sums of a block lie side by side: the second is at blocks + blockIdx.x";
    for (size_t m = 0; d->n <= LARGE && m < count; m++)
        if (near(got, sum_of(d, this->terms, parts_mistakes[m].of), this->slack))
            return parts_mistakes[m].text;
    return "Each thread adds up its elements, block_sum those of the block, thread 0 stores";
}

static void check_parts(spw_trial *t)
{
    const problem *d = of(t);
    long double sum[2] = {0};
    for (int b = 0; b < 2 * d->blocks; b++) {
        sum[b / d->blocks] += d->parts[b];
        if (isfinite(d->parts[b]) && d->parts[b] != spw_poison_double(b)) continue;
        spw_trial_fail(t,
                       "parts[%d] is %g: every block leaves two sums, one that had no element two "
                       "zeros%s",
                       b, d->parts[b], isfinite(d->parts[b]) ? ".\nIt was never written" : "");
        return;
    }
    for (int k = 0; k < 2; k++)
        if (!near((double)sum[k], d->totals[k].sum, d->totals[k].slack))
            spw_trial_fail(t, "the %d parts of %s add up to %.15g, expected %.15g\n%s", d->blocks,
                           d->totals[k].name, (double)sum[k], d->totals[k].sum,
                           why_parts(d, k, (double)sum[k]));
}

/* --- spmv_dots -------------------------------------------------------------------------------------- */

static spw_status setup_product(spw_trial *t, const char *name)
{
    const spw_status status = begin_system(t, name);
    if (status) return status;
    problem *d = of(t);
    const int64_t n = d->n;
    spw_trial_say(t, "n = %lld, %d blocks%s", (long long)n, d->blocks, d->same ? ", w is x" : "");
    d->in[0] = spw_trial_random(t, "x", n);
    d->in[1] = d->same ? d->in[0] : spw_trial_random(t, "w", n);
    d->v = spw_trial_output_doubles(t, "y", n);
    d->parts = spw_trial_output_doubles(t, "parts", 2 * d->blocks);
    d->library = spw_trial_output_doubles(t, "library", LIBRARY);
    double *y = spw_trial_doubles(t, n), *tolerance = spw_trial_doubles(t, n),
           *w_y = spw_trial_doubles(t, n), *y_y = spw_trial_doubles(t, n);
    double extra[2] = {0};
    if (!d->in[0] || !d->in[1] || !d->v || !d->parts || !d->library || !y || !tolerance || !w_y ||
        !y_y)
        return SPW_ERR_MEMORY;
    spw_spmv_expected(d->A, d->in[0], y, tolerance);
    for (int64_t i = 0; i < n; i++) {
        w_y[i] = d->in[1][i] * y[i];
        y_y[i] = y[i] * y[i];
        extra[0] += fabs(d->in[1][i]) * tolerance[i];
        extra[1] += 2 * fabs(y[i]) * tolerance[i];
    }
    set_total(d, 0, "w.y", w_y, extra[0]);
    set_total(d, 1, "y.y", y_y, extra[1]);
    spw_trial_expect(
        t, d->v,
        (spw_expectation){.expected = y, .tolerance = tolerance, .count = n, .noun = "row"});
    return SPW_OK;
}

static void call_product(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((product_fn)f)(spw_device_csr(t, d->A), d->blocks, spw_device_doubles(t, d->in[0]),
                    spw_device_doubles(t, d->in[1]), spw_device_doubles(t, d->v),
                    spw_device_doubles(t, d->parts));
}

static void library_product(spw_trial *t)
{
    const problem *d = of(t);
    const spw_csr A = spw_device_csr(t, d->A);
    spw_partials *d_sums = (spw_partials *)spw_trial_device(t, d->library);
    spw_trial_library(t, spw_spmv_dots_csr_cuda(&A, spw_device_doubles(t, d->in[0]),
                                                spw_device_doubles(t, d->in[1]),
                                                spw_device_doubles(t, d->v), d_sums, d_sums + 1));
}

static void check_two_sums(spw_trial *t, spw_function f)
{
    (void)f;
    check_parts(t);
}

static spw_cost cost_of_product(const spw_trial *t)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz;
    return (spw_cost){.load = 12 * nz + 4 * (n + 1) + (d->same ? 8 : 16) * n,
                      .store = 8 * n,
                      .flop = 2 * nz + 4 * n};
}

/* --- updates ---------------------------------------------------------------------------------------- */

static spw_status begin_vectors(spw_trial *t, const char *name)
{
    char rest[128];
    problem *d = begin(t, name, rest, sizeof rest);
    if (!d) return SPW_ERR_MEMORY;
    d->n = strtoll(rest, NULL, 10);
    spw_trial_say(t, "n = %lld, %d blocks", (long long)d->n, d->blocks);
    double *given = (double *)spw_trial_input(t, "numbers", SPW_DOUBLE, NUMBERS);
    if (!given) return SPW_ERR_MEMORY;
    memcpy(given, garbage, sizeof garbage);
    d->numbers_in = given;
    return SPW_OK;
}

/* a x + b y + c z in a new array; z may be NULL */
static double *combined(spw_trial *t, double a, const double *x, double b, const double *y,
                        double c, const double *z)
{
    const int64_t n = of(t)->n;
    double *sum = spw_trial_doubles(t, n);
    for (int64_t i = 0; sum && i < n; i++) sum[i] = a * x[i] + b * y[i] + (z ? c * z[i] : 0);
    return sum;
}

/* All inputs are below 2 in magnitude, and so are the factors. */
static spw_status expect(spw_trial *t, const double *array, const double *expected)
{
    const int64_t n = of(t)->n;
    double *tolerance = spw_trial_doubles(t, n);
    if (!expected || !tolerance) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) tolerance[i] = 16 * DBL_EPSILON;
    spw_trial_expect(t, array,
                     (spw_expectation){.expected = expected, .tolerance = tolerance, .count = n});
    return SPW_OK;
}

static void mistake(spw_trial *t, const double *array, const double *values, const char *text)
{
    if (of(t)->n <= LARGE) spw_trial_mistake(t, array, values, text);
}

static spw_status setup_p(spw_trial *t, const char *name)
{
    if (begin_vectors(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const double b = garbage[BETA], w = garbage[OMEGA], *p = spw_trial_numbers(t, d->n, 1);
    const double *r = d->in[0] = spw_trial_random(t, "r", d->n);
    const double *v = d->in[1] = spw_trial_random(t, "v", d->n);
    if (!p || !r || !v || !(d->p = spw_trial_inout_doubles(t, "p", d->n, p))) return SPW_ERR_MEMORY;
    const spw_status status = expect(t, d->p, combined(t, 1, r, b, p, -b * w, v));
    if (status || d->n > LARGE) return status;
    mistake(t, d->p, combined(t, 1, r, b, p, b * w, v), "the sign of omega v is wrong");
    mistake(t, d->p, combined(t, 1, r, b, p, -w, v),
            "beta multiplies the whole bracket, p - omega v");
    mistake(t, d->p, combined(t, 1, r, b, p, 0, NULL), "omega v is missing: this is CG's p");
    mistake(t, d->p, combined(t, 1, r, w, p, -b * w, v), "beta and omega have changed places");
    return SPW_OK;
}

static void call_p(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((p_fn)f)(d->n, d->blocks, spw_device_doubles(t, d->numbers_in),
              spw_device_doubles(t, d->in[0]), spw_device_doubles(t, d->in[1]),
              spw_device_doubles(t, d->p));
}

static void library_p(spw_trial *t)
{
    const problem *d = of(t);
    const double *d_numbers = spw_device_doubles(t, d->numbers_in);
    spw_trial_library(t, spw_bicgstab_direction_cuda(d->n, d_numbers + BETA, d_numbers + OMEGA,
                                                     spw_device_doubles(t, d->in[0]),
                                                     spw_device_doubles(t, d->in[1]),
                                                     spw_device_doubles(t, d->p), NULL));
}

static spw_cost cost_of_p(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 24 * n, .store = 8 * n, .flop = 4 * n};
}

static spw_status setup_half(spw_trial *t, const char *name)
{
    if (begin_vectors(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const double a = garbage[ALPHA], *r = spw_trial_numbers(t, d->n, 1);
    const double *v = d->in[0] = spw_trial_random(t, "v", d->n);
    if (!r || !v || !(d->r = spw_trial_inout_doubles(t, "r", d->n, r))) return SPW_ERR_MEMORY;
    const spw_status status = expect(t, d->r, combined(t, 1, r, -a, v, 0, NULL));
    if (status || d->n > LARGE) return status;
    mistake(t, d->r, combined(t, 1, r, a, v, 0, NULL), "the sign is wrong: this is r + alpha v");
    mistake(t, d->r, combined(t, 1, r, -garbage[OMEGA], v, 0, NULL),
            "this is r - omega v: alpha is numbers[ALPHA]");
    return SPW_OK;
}

static void call_half(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((half_fn)f)(d->n, d->blocks, spw_device_doubles(t, d->numbers_in),
                 spw_device_doubles(t, d->in[0]), spw_device_doubles(t, d->r));
}

static spw_cost cost_of_half(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 16 * n, .store = 8 * n, .flop = 2 * n};
}

static spw_status setup_full(spw_trial *t, const char *name)
{
    if (begin_vectors(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const int64_t n = d->n;
    const double a = garbage[ALPHA], w = garbage[OMEGA];
    const double *x = spw_trial_numbers(t, n, 1), *s = spw_trial_numbers(t, n, 2);
    const double *p = d->in[0] = spw_trial_random(t, "p", n);
    const double *tt = d->in[1] = spw_trial_random(t, "t", n);
    const double *c = d->in[2] = spw_trial_random(t, "c", n);
    if (!x || !s || !p || !tt || !c || !(d->x = spw_trial_inout_doubles(t, "x", n, x)) ||
        !(d->r = spw_trial_inout_doubles(t, "r", n, s)) ||
        !(d->parts = spw_trial_output_doubles(t, "parts", 2 * d->blocks)) ||
        !(d->library = spw_trial_output_doubles(t, "library", LIBRARY)))
        return SPW_ERR_MEMORY;
    const double *left = combined(t, 1, s, -w, tt, 0, NULL);
    double *c_r = spw_trial_doubles(t, n), *r_r = spw_trial_doubles(t, n), extra = 0;
    if (!left || !c_r || !r_r) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        c_r[i] = c[i] * left[i];
        r_r[i] = left[i] * left[i];
        extra += 64 * DBL_EPSILON;
    }
    set_total(d, 0, "c.r", c_r, extra);
    set_total(d, 1, "r.r", r_r, extra);
    spw_status status = expect(t, d->x, combined(t, 1, x, a, p, w, s));
    if (!status) status = expect(t, d->r, left);
    if (status || n > LARGE) return status;
    mistake(t, d->x, combined(t, 1, x, a, p, w, left),
            "omega multiplies s, the r on entry, and not the new r: keep it in a variable");
    mistake(t, d->x, combined(t, 1, x, a, p, 0, NULL), "omega s is missing: this is half a step");
    mistake(t, d->x, combined(t, 1, x, w, p, a, s), "alpha and omega have changed places");
    mistake(t, d->x, combined(t, 1, x, a, p, w, tt), "x moves along p and s, not along t");
    mistake(t, d->r, combined(t, 1, s, w, tt, 0, NULL), "the sign is wrong: this is s + omega t");
    mistake(t, d->r, combined(t, 1, s, -a, tt, 0, NULL), "this is s - alpha t: here it is omega");
    return SPW_OK;
}

static void call_full(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((full_fn)f)(d->n, d->blocks, spw_device_doubles(t, d->numbers_in),
                 spw_device_doubles(t, d->in[0]), spw_device_doubles(t, d->in[1]),
                 spw_device_doubles(t, d->in[2]), spw_device_doubles(t, d->x),
                 spw_device_doubles(t, d->r), spw_device_doubles(t, d->parts));
}

static void library_full(spw_trial *t)
{
    const problem *d = of(t);
    const double *d_numbers = spw_device_doubles(t, d->numbers_in),
                 *d_s = spw_device_doubles(t, d->r);
    spw_partials *d_sums = (spw_partials *)spw_trial_device(t, d->library);
    spw_trial_library(t, spw_bicgstab_step_cuda(
                             d->n, d_numbers + ALPHA, d_numbers + OMEGA,
                             spw_device_doubles(t, d->in[0]), d_s, spw_device_doubles(t, d->in[1]),
                             spw_device_doubles(t, d->in[2]), spw_device_doubles(t, d->x),
                             spw_device_doubles(t, d->r), d_sums, d_sums + 1, NULL));
}

static void check_full(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    const double omega = garbage[OMEGA];
    long double sum = 0, before = 0;
    for (int b = 0; b < d->blocks; b++) sum += d->parts[b];
    for (int64_t i = 0; i < d->n; i++)
        before += (long double)d->in[2][i] * (d->r[i] + omega * d->in[1][i]);
    if (d->n > 0 && fabsl(sum - before) < 1e-12L * (double)d->n)
        spw_trial_fail(t, "the parts of c.r add up to c.s, with the r on entry, a stale residual:\n"
                          "add c[i] r[i] with the new r[i]");
    check_parts(t);
}

static spw_cost cost_of_full(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 40 * n, .store = 16 * n, .flop = 10 * n};
}

/* --- iterate ---------------------------------------------------------------------------------------- */

/* What may go wrong between kernels that are right, each alone. */
typedef enum slip {
    RIGHT,
    FIRST_PART,
    FIRST_256,
    LATE_ALPHA,
    LATE_OMEGA,
    LATE_BETA,
    OLD_RHO,
    OMEGA_UPSIDE_DOWN,
    RATIO_FORGOTTEN,
    RATIO_UPSIDE_DOWN,
    WRONG_SHADOW,
    OMEGA_WITH_SHADOW,
    NO_DIRECTION,
    ONE_LESS,
    ONE_MORE,
    SLIPS
} slip;

static const char *const slip_texts[SLIPS] = {
    [FIRST_PART] =
        "These are steps with the sums of block 0. The blocks of a launch know nothing of\n"
        "each other, so a launch of one block has to add up all parts",
    [FIRST_256] =
        "These are steps with the first 256 parts of each sum: there are `blocks` of them",
    [LATE_ALPHA] = "These are steps with the alpha of the step before, in the first one garbage:\n"
                   "alpha_kernel has to be launched between v = A p and half_update",
    [LATE_OMEGA] = "These are steps with the omega of the step before, in the first one garbage:\n"
                   "omega_kernel has to be launched between t = A s and full_update",
    [LATE_BETA] = "These are steps with the beta of the step before, in the first one garbage:\n"
                  "beta_kernel has to be launched between full_update and p_update",
    [OLD_RHO] = "rho stays that of the first step: once beta is known, c.r is the new rho",
    [OMEGA_UPSIDE_DOWN] = "This is omega = t.t / t.s, upside down: the two sums lie the other way",
    [RATIO_FORGOTTEN] = "beta is rho'/rho times alpha / omega, and the ratio is missing",
    [RATIO_UPSIDE_DOWN] = "beta is rho'/rho times alpha / omega, not omega / alpha",
    [WRONG_SHADOW] = "This is alpha = rho / p.v: v is multiplied by the shadow c, w of the product",
    [OMEGA_WITH_SHADOW] = "This is omega = t.c / t.t: t is multiplied by s, which is w of the "
                          "product,\nand lies in r",
    [NO_DIRECTION] = "p stays what it is: p_update is missing at the end of a step",
    [ONE_LESS] = "That is one step too few",
    [ONE_MORE] = "That is one step too many",
};

static double dot(const problem *d, slip s, const double *x, const double *y)
{
    const int64_t parts = s == FIRST_PART ? 1 : s == FIRST_256 ? 256 : d->blocks;
    return spw_share_dot(d->n, x, y, d->blocks, parts);
}

static double ratio(double above, double below)
{
    return below != 0 ? above / below : 0;
}

typedef struct state {
    double rho, alpha, beta, omega;
    double *x, *r, *p, *v, *t; /* [n] each */
} state;

static void simulate(const problem *d, slip s, const double *c, state *m)
{
    const int64_t n = d->n;
    const int steps = d->steps + (s == ONE_MORE) - (s == ONE_LESS);
    for (int k = 0; k < steps; k++) {
        spw_system_product(d->A, m->p, m->v);
        const double alpha = ratio(m->rho, dot(d, s, s == WRONG_SHADOW ? m->p : c, m->v));
        if (s != LATE_ALPHA) m->alpha = alpha;
        for (int64_t i = 0; i < n; i++) m->r[i] -= m->alpha * m->v[i];
        const double half_alpha = m->alpha;
        if (s == LATE_ALPHA) m->alpha = alpha;
        spw_system_product(d->A, m->r, m->t);
        const double t_s = dot(d, s, m->t, s == OMEGA_WITH_SHADOW ? c : m->r);
        const double t_t = dot(d, s, m->t, m->t);
        const double omega = s == OMEGA_UPSIDE_DOWN ? ratio(t_t, t_s) : ratio(t_s, t_t);
        if (s != LATE_OMEGA) m->omega = omega;
        for (int64_t i = 0; i < n; i++) {
            m->x[i] += (s == LATE_ALPHA ? half_alpha : m->alpha) * m->p[i] + m->omega * m->r[i];
            m->r[i] -= m->omega * m->t[i];
        }
        if (s == LATE_OMEGA) m->omega = omega;
        const double rho = dot(d, s, c, m->r);
        double beta = ratio(rho * m->alpha, m->rho * m->omega);
        if (s == RATIO_FORGOTTEN) beta = ratio(rho, m->rho);
        if (s == RATIO_UPSIDE_DOWN) beta = ratio(rho * m->omega, m->rho * m->alpha);
        if (s != LATE_BETA) m->beta = beta;
        for (int64_t i = 0; i < n && s != NO_DIRECTION; i++)
            m->p[i] = m->r[i] + m->beta * (m->p[i] - m->omega * m->v[i]);
        if (s == LATE_BETA) m->beta = beta;
        if (s != OLD_RHO) m->rho = rho;
    }
}

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *d = of(t);
    (void)i;
    if (d->divisor) snprintf(text, (size_t)size, "%s, and nothing may be divided by 0", d->divisor);
}

/* x in memory that is kept, the rest in `work` [4 n]. */
static bool start(spw_trial *t, const double *x, const double *r, double *work, state *m)
{
    const int64_t n = of(t)->n;
    *m = (state){.alpha = garbage[ALPHA], .beta = garbage[BETA], .omega = garbage[OMEGA]};
    m->x = spw_trial_doubles(t, n);
    if (!m->x) return false;
    m->r = work, m->p = work + n, m->v = work + 2 * n, m->t = work + 3 * n;
    for (int64_t i = 0; i < n; i++) {
        m->x[i] = x[i];
        m->r[i] = m->p[i] = r[i];
    }
    m->rho = dot(of(t), RIGHT, r, r);
    return true;
}

static spw_status expect_steps(spw_trial *t, const double *x, const double *r)
{
    problem *d = of(t);
    const int64_t n = d->n;
    double *work = spw_trial_doubles(t, 4 * n), *tolerance = spw_trial_doubles(t, n), largest = 0;
    state m;
    if (!work || !tolerance || !start(t, x, r, work, &m)) return SPW_ERR_MEMORY;
    simulate(d, RIGHT, r, &m);
    d->rho = m.rho;
    d->r_r = dot(d, RIGHT, m.r, m.r);
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(m.x[i]));
    for (int64_t i = 0; i < n; i++) tolerance[i] = 1e-9 * largest;
    spw_trial_expect(
        t, d->x,
        (spw_expectation){
            .expected = m.x, .tolerance = tolerance, .count = n, .describe = describe});
    for (int s = RIGHT + 1; s < SLIPS && n <= LARGE; s++) {
        if (!start(t, x, r, work, &m)) return SPW_ERR_MEMORY;
        simulate(d, (slip)s, r, &m);
        if (spw_system_finite(n, m.x)) spw_trial_mistake(t, d->x, m.x, slip_texts[s]);
    }
    return SPW_OK;
}

static spw_status setup_iterate(spw_trial *t, const char *name)
{
    const spw_status status = begin_system(t, name);
    if (status) return status;
    problem *d = of(t);
    const int64_t n = d->n;
    spw_trial_say(t, "n = %lld, %d blocks, %d step%s", (long long)n, d->blocks, d->steps,
                  d->steps == 1 ? "" : "s");
    double *x = spw_trial_numbers(t, n, 1), *r = spw_trial_numbers(t, n, 2),
           *numbers = spw_trial_doubles(t, NUMBERS);
    double *c = (double *)spw_trial_input(t, "c", SPW_DOUBLE, n);
    if (!x || !r || !numbers || !c) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n && d->divisor; i++) r[i] = (double)(i % 5 - 2);
    for (int64_t i = 0; i < n; i++) c[i] = r[i];
    memcpy(numbers, garbage, sizeof garbage);
    numbers[RHO] = dot(d, RIGHT, r, r);
    d->in[0] = c;
    d->x = spw_trial_inout_doubles(t, "x", n, x);
    d->r = spw_trial_inout_doubles(t, "r", n, r);
    d->p = spw_trial_inout_doubles(t, "p", n, r);
    d->v = spw_trial_output_doubles(t, "v", n);
    d->t = spw_trial_output_doubles(t, "t", n);
    d->parts = spw_trial_output_doubles(t, "parts", 2 * d->blocks);
    d->numbers = spw_trial_inout_doubles(t, "numbers", NUMBERS, numbers);
    if (!d->x || !d->r || !d->p || !d->v || !d->t || !d->parts || !d->numbers)
        return SPW_ERR_MEMORY;
    return expect_steps(t, x, r);
}

static void call_iterate(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((iterate_fn)f)(spw_device_csr(t, d->A), d->blocks, d->steps, spw_device_doubles(t, d->in[0]),
                    spw_device_doubles(t, d->x), spw_device_doubles(t, d->r),
                    spw_device_doubles(t, d->p), spw_device_doubles(t, d->v),
                    spw_device_doubles(t, d->t), spw_device_doubles(t, d->parts),
                    spw_device_doubles(t, d->numbers));
}

/* x is right by now. */
static void check_iterate(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    const double rho = d->numbers[RHO], r_r = d->numbers[R_R],
                 first = dot(d, RIGHT, d->in[0], d->in[0]);
    const double slack = 1e-7 * sqrt(d->r_r * first) + 1e-16 * first;
    if (!near(rho, d->rho, slack))
        spw_trial_fail(
            t, "x is right, but numbers[RHO] is %.9g on return, expected c.r = %.9g%s", rho, d->rho,
            rho == first ? ".\nrho stays that of the first step: once beta is known, c.r "
                           "is the new rho"
                         : "");
    else if (d->steps > 0 && !near(r_r, d->r_r, 1e-7 * d->r_r + 1e-16 * first))
        spw_trial_fail(t, "x is right, but numbers[R_R] is %.9g on return, expected r.r = %.9g",
                       r_r, d->r_r);
}

/* --- the model: of one iteration, judged on all steps ------------------------------------------------- */

static spw_cost true_cost(double n, double nz)
{
    return (spw_cost){
        .load = 24 * nz + 8 * (n + 1) + 104 * n, .store = 48 * n, .flop = 4 * nz + 22 * n};
}

static spw_cost cost_of_iterate(const spw_trial *t)
{
    const problem *d = of(t);
    const spw_cost one = true_cost((double)d->n, d->A->nnz);
    return (spw_cost){d->steps * one.load, d->steps * one.store, d->steps * one.flop};
}

static spw_cost predict(spw_trial *t, spw_function model)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz;
    spw_cost got = ((cost_fn)model)(n, nz);
    if (got.load == 24 * nz + 112 * n) got.load += 8; /* n pointers are as good as n + 1 */
    return (spw_cost){d->steps * got.load, d->steps * got.store, d->steps * got.flop};
}

static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz;
    const spw_cost truth = true_cost(n, nz);
    if (d->steps == 0) return;
    got = (spw_cost){got.load / d->steps, got.store / d->steps, got.flop / d->steps};
    const spw_known_cost known[] = {
        {16 * n, 0, 0,
         "that is the write-allocate of v and t. A GPU stores whole sectors and reads\n"
         "nothing before"},
        {16 * n, 0, 2 * n,
         "that is the model of the CPU: without the write-allocate of v and t, and s.s, it\n"
         "is this one"},
        {8 * n, 0, 0, "one vector too many is loaded: t.s and t.t read nothing of their own"},
        {0, 0, 2 * n, "2 n flop too many: s.s is not computed here"},
        {-8 * n, 0, 0, "c is read by the first product, w.y, and by full_update: 8 n each"},
        {-12 * nz - 4 * (n + 1) - 8 * n, -8 * n, -2 * nz,
         "there are two products an iteration, v = A p and t = A s"},
        {-8 * (n + 1), 0, 0, "row_ptr has to be loaded, too, by both products"},
        {0, -8 * n, 0, "six arrays are stored: v, s, t, x, r and p"},
        {0, -16 * n, 0, "six arrays are stored: v, s, t, x, r and p"},
        {0, 0, -2 * n, "2 n flop are missing: c.v, t.s, t.t, c.r, r.r take 2 n each"},
        {72 * n, 24 * n, 0, "this is a launch a line: in a super-kernel a vector is read once"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 5, text, size);
}

/* --- the declaration -------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const matrices[] = {
    "one-by-one@1", "nothing@2", "zeros@2", "empty-first-last@3,1", "prime@2", "every-length@1,1", "convdiff2d:33x31@9", NULL};
static const char *const lengths[] = {"1@1", "0@2", "257@1", "1009@3", "700@5", NULL};
static const char *const systems[] = {
    "solved@1,3", "skew@1,2", "tridiag:1@1,1", "tridiag:3@1,0", "convdiff2d:17x9@1,3", "convdiff2d:40x30@3,2",
    "tridiag:65700@257,1", NULL};
/* clang-format on */

static const char coalesce[] = "neighbouring lanes must touch neighbouring elements: 32 doubles "
                               "are 8 sectors";
static const char one_pass[] =
    "one loop, one pass: what element i needs is at hand in it, in registers";
static const char two_a_block[] = "one thread of the block stores its two sums, and nobody else";

#define ONCE(name)                                                                                 \
    {.array = name, .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},                    \
    {                                                                                              \
        .array = name, .access = SPW_LOADS, .times_size = 1.1, .hint = one_pass                    \
    }

static const spw_sector_bound product_bounds[] = {
    {.array = "y",
     .access = SPW_STORES,
     .per_request = 8.5,
     .hint = "neighbouring lanes must have neighbouring rows"},
    {.array = "y",
     .access = SPW_LOADS,
     .times_size = 0.1,
     .hint = "y[i] is in a register when its row is done: add w[i] y[i] and y[i]^2 there"},
    {.array = "w", .access = SPW_LOADS, .times_size = 1.1, .hint = one_pass},
    {.array = "parts", .access = SPW_STORES, .per_block = 2, .hint = two_a_block},
    {.array = NULL}};
static const spw_sector_bound p_bounds[] = {ONCE("r"), ONCE("v"), ONCE("p"), {.array = NULL}};
static const spw_sector_bound half_bounds[] = {ONCE("v"), ONCE("r"), {.array = NULL}};
static const spw_sector_bound full_bounds[] = {
    ONCE("r"),      ONCE("x"),
    ONCE("t"),      ONCE("p"),
    ONCE("c"),      {.array = "parts", .access = SPW_STORES, .per_block = 2, .hint = two_a_block},
    {.array = NULL}};

/* Two steps. */
static const spw_sector_bound iterate_bounds[] = {
    {.array = "x", .access = SPW_LOADS, .times_size = 2.2, .hint = "once in each of the two steps"},
    {.array = "t",
     .access = SPW_LOADS,
     .times_size = 2.2,
     .hint = "by full_update alone: t.s and t.t are made where t is"},
    {.array = "v",
     .access = SPW_LOADS,
     .times_size = 4.4,
     .hint = "by half_update and by p_update, each once a step: c.v is made where v is"},
    {.array = "r", .access = SPW_STORES, .times_size = 4.4, .hint = "twice a step, s and r"},
    {.array = "parts",
     .access = SPW_LOADS,
     .times_size = 5,
     .hint = "one thread reads them one by one, or every block reads them all: let 256 threads\n"
             "of one block do it, neighbours from neighbours"},
    {.array = NULL}};

static const spw_part parts[] = {{.function = "spmv_dots",
                                  .cases = matrices,
                                  .setup = setup_product,
                                  .call = call_product,
                                  .claim = check_two_sums,
                                  .cost = cost_of_product,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = product_bounds,
                                  .traffic = "convdiff2d:100x100@40",
                                  .speed = "convdiff2d:2800", /* on a GPU: 0.7 GB */
                                  .takes_matrix = true,
                                  .target = 0.5,
                                  .stretch = {"library's best", library_product}},
                                 {.function = "p_update",
                                  .cases = lengths,
                                  .setup = setup_p,
                                  .call = call_p,
                                  .cost = cost_of_p,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = p_bounds,
                                  .traffic = "10003@8",
                                  .speed = "24000000", /* on a GPU: 0.8 GB */
                                  .target = 0.7,
                                  .stretch = {"library's best", library_p}},
                                 {.function = "half_update",
                                  .cases = lengths,
                                  .setup = setup_half,
                                  .call = call_half,
                                  .cost = cost_of_half,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = half_bounds,
                                  .traffic = "10003@8"},
                                 {.function = "full_update",
                                  .cases = lengths,
                                  .setup = setup_full,
                                  .call = call_full,
                                  .claim = check_full,
                                  .cost = cost_of_full,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = full_bounds,
                                  .traffic = "10003@8",
                                  .speed = "14000000", /* on a GPU: 0.8 GB */
                                  .target = 0.7,
                                  .stretch = {"library's best", library_full}},
                                 {.function = "iterate",
                                  .model = "bicgstab_iteration_cost",
                                  .cases = systems,
                                  .setup = setup_iterate,
                                  .call = call_iterate,
                                  .claim = check_iterate,
                                  .predict = predict,
                                  .cost = cost_of_iterate,
                                  .explain_model = explain_model,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = iterate_bounds,
                                  .traffic = "convdiff2d:100x100@40,2",
                                  .speed = "convdiff2d:2800@1056,4", /* on a GPU: 0.9 GB */
                                  .takes_matrix = true,
                                  .target = 0.5}};

static const char *const forbidden[] = {"spw_bicgstab_cuda",      "spw_spmv_dots_csr_cuda",
                                        "spw_bicgstab_step_cuda", "spw_bicgstab_direction_cuda",
                                        "spw_bicgstab_half_cuda", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .gpu = true,
                                     .forbidden = forbidden},
                     argc, argv);
}

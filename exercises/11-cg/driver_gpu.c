/* Exercise 11, GPU part: cases, true costs, bounds on the traffic and explanations for conjugate gradients
 * whose numbers stay on the device. */
#include "cg_gpu.h"

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

typedef void (*product_fn)(spw_csr, int, const double *, double *, double *);
typedef void (*update_fn)(int64_t, int, const double *, const double *, const double *, double *,
                          double *, double *);
typedef void (*iterate_fn)(spw_csr, int, int, double *, double *, double *, double *, double *,
                           double *);
typedef spw_cost (*cost_fn)(double, double);

enum { MOST_BLOCKS = 1056, LARGE = 1000000 };

/* Room for a sum as the library leaves it, in doubles. */
enum { LIBRARY = sizeof(spw_partials) / sizeof(double) + 1 };

/* What ALPHA and BETA hold on entry: garbage, but known, so that its use is recognised. */
static const double old_alpha = 0.3125, old_beta = -0.4375;

typedef struct problem {
    const spw_csr *A;
    int64_t n;
    int blocks, steps;
    const double *p_in, *numbers_in, *q_in;
    double *x, *r, *p, *q, *parts, *numbers, *library;
    const double *terms; /* [n] of the sum that is left in parts */
    double sum, slack;   /* of them */
    double start, rho;   /* before and after the steps */
} problem;

static problem *of(const spw_trial *t)
{
    return (problem *)spw_trial_data(t);
}

/* --- a case: MATRIX@BLOCKS,STEPS ------------------------------------------------------------------ */

static spw_status matrix(const char *name, uint64_t seed, spw_csr *A)
{
    if (strcmp(name, "solved") == 0) return spw_system_fours(40, A);
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
    d->n = A.n_rows;
    d->A = spw_trial_csr(t, &A);
    return d->A ? SPW_OK : SPW_ERR_MEMORY;
}

/* --- a sum in parts ------------------------------------------------------------------------------- */

static const struct {
    spw_share of;
    const char *text;
} parts_mistakes[] = {
    {spw_share_once,
     "These are the first 256 * blocks elements: a thread takes first, first + stride, ..."},
    {spw_share_thread_0,
     "These are the numbers of thread 0 of each block: block_sum has to add up all 256"},
    {spw_share_lane_0,
     "These are the numbers of lane 0 of each warp: its other 31 lanes are missing"},
    {spw_share_warp_0,
     "This is the first warp of each block: the sums of the other 7 have to reach thread\n"
     "0 through shared memory"},
    {spw_share_half, "This is the first half of each block's threads"},
};

static double sum_of(const problem *d, spw_share share)
{
    return spw_share_sum(d->n, d->terms, NULL, share, (int64_t)d->blocks * BLOCK);
}

static void set_sum(problem *d, const double *terms, double extra)
{
    double size = 0;
    d->terms = terms;
    d->sum = sum_of(d, NULL);
    for (int64_t i = 0; i < d->n; i++) size += fabs(terms[i]);
    d->slack = (double)(d->n + 2) * DBL_EPSILON * size + extra;
}

static bool near(double a, double b, double slack)
{
    return fabs(a - b) <= slack;
}

static const char *why_parts(const problem *d, double got)
{
    const size_t count = sizeof parts_mistakes / sizeof parts_mistakes[0];
    if (got == 0) return "Nothing was added up";
    if (near(got, d->blocks * d->sum, d->blocks * d->slack))
        return "Each block has left the sum of all rows, not of its own";
    for (size_t m = 0; d->n <= LARGE && m < count; m++)
        if (near(got, sum_of(d, parts_mistakes[m].of), d->slack)) return parts_mistakes[m].text;
    return "Each thread adds up its elements, block_sum those of the block, thread 0 stores";
}

static void check_parts(spw_trial *t, const char *what)
{
    const problem *d = of(t);
    long double sum = 0;
    for (int b = 0; b < d->blocks; b++) {
        sum += d->parts[b];
        if (isfinite(d->parts[b]) && d->parts[b] != spw_poison_double(b)) continue;
        spw_trial_fail(t,
                       "parts[%d] is %g: every block leaves its sum, one that had no element a 0%s",
                       b, d->parts[b], isfinite(d->parts[b]) ? ".\nIt was never written" : "");
        return;
    }
    const double got = (double)sum;
    if (near(got, d->sum, d->slack)) return;
    spw_trial_fail(t, "the %d parts of %s add up to %.15g, expected %.15g\n%s", d->blocks, what,
                   got, d->sum, why_parts(d, got));
}

/* --- spmv_dot ------------------------------------------------------------------------------------- */

static spw_status setup_product(spw_trial *t, const char *name)
{
    const spw_status status = begin_system(t, name);
    if (status) return status;
    problem *d = of(t);
    const int64_t n = d->n;
    spw_trial_say(t, "n = %lld, %d blocks", (long long)n, d->blocks);
    d->p_in = spw_trial_random(t, "p", n);
    d->q = spw_trial_output_doubles(t, "q", n);
    d->parts = spw_trial_output_doubles(t, "parts", d->blocks);
    d->library = spw_trial_output_doubles(t, "library", LIBRARY);
    double *q = spw_trial_doubles(t, n), *tolerance = spw_trial_doubles(t, n),
           *terms = spw_trial_doubles(t, n), extra = 0;
    if (!d->p_in || !d->q || !d->parts || !d->library || !q || !tolerance || !terms)
        return SPW_ERR_MEMORY;
    spw_spmv_expected(d->A, d->p_in, q, tolerance);
    for (int64_t i = 0; i < n; i++) {
        terms[i] = d->p_in[i] * q[i];
        extra += fabs(d->p_in[i]) * tolerance[i];
    }
    set_sum(d, terms, extra);
    spw_trial_expect(
        t, d->q,
        (spw_expectation){.expected = q, .tolerance = tolerance, .count = n, .noun = "row"});
    return SPW_OK;
}

static void call_product(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((product_fn)f)(spw_device_csr(t, d->A), d->blocks, spw_device_doubles(t, d->p_in),
                    spw_device_doubles(t, d->q), spw_device_doubles(t, d->parts));
}

static void library_product(spw_trial *t)
{
    const problem *d = of(t);
    const spw_csr A = spw_device_csr(t, d->A);
    const double *d_p = spw_device_doubles(t, d->p_in);
    spw_trial_library(t, spw_spmv_dots_csr_cuda(&A, d_p, d_p, spw_device_doubles(t, d->q),
                                                (spw_partials *)spw_trial_device(t, d->library),
                                                NULL));
}

static void check_product(spw_trial *t, spw_function f)
{
    (void)f;
    check_parts(t, "p.q");
}

static spw_cost cost_of_product(const spw_trial *t)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz;
    return (spw_cost){
        .load = 12 * nz + 4 * (n + 1) + 8 * n, .store = 8 * n, .flop = 2 * nz + 2 * n};
}

/* --- update --------------------------------------------------------------------------------------- */

static double *sum_with(spw_trial *t, int64_t n, const double *x, double s, const double *y)
{
    double *sum = spw_trial_doubles(t, n);
    for (int64_t i = 0; sum && i < n; i++) sum[i] = x[i] + s * y[i];
    return sum;
}

static spw_status expect_sum(spw_trial *t, const double *array, int64_t n, const double *x,
                             double s, const double *y)
{
    double *expected = sum_with(t, n, x, s, y), *tolerance = spw_trial_doubles(t, n);
    if (!expected || !tolerance) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) tolerance[i] = 4 * DBL_EPSILON * (fabs(x[i]) + fabs(s * y[i]));
    spw_trial_expect(t, array,
                     (spw_expectation){.expected = expected, .tolerance = tolerance, .count = n});
    return SPW_OK;
}

static spw_status setup_update(spw_trial *t, const char *name)
{
    char rest[128];
    static const double numbers[NUMBERS] = {7, 0.375, 0.625};
    problem *d = begin(t, name, rest, sizeof rest);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n = strtoll(rest, NULL, 10);
    spw_trial_say(t, "n = %lld, %d blocks", (long long)n, d->blocks);
    const double *x = spw_trial_numbers(t, n, 1), *r = spw_trial_numbers(t, n, 2);
    double *given = (double *)spw_trial_input(t, "numbers", SPW_DOUBLE, NUMBERS);
    if (!x || !r || !given) return SPW_ERR_MEMORY;
    memcpy(given, numbers, sizeof numbers);
    d->numbers_in = given;
    d->p_in = spw_trial_random(t, "p", n);
    d->q_in = spw_trial_random(t, "q", n);
    d->x = spw_trial_inout_doubles(t, "x", n, x);
    d->r = spw_trial_inout_doubles(t, "r", n, r);
    d->parts = spw_trial_output_doubles(t, "parts", d->blocks);
    d->library = spw_trial_output_doubles(t, "library", LIBRARY);
    const double a = numbers[ALPHA];
    double *left = d->q_in ? sum_with(t, n, r, -a, d->q_in) : NULL,
           *terms = spw_trial_doubles(t, n), extra = 0;
    if (!d->p_in || !d->q_in || !d->x || !d->r || !d->parts || !d->library || !left || !terms)
        return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        terms[i] = left[i] * left[i];
        extra += 16 * DBL_EPSILON * fabs(left[i]);
    }
    set_sum(d, terms, extra);
    spw_status status = expect_sum(t, d->x, n, x, a, d->p_in);
    if (!status) status = expect_sum(t, d->r, n, r, -a, d->q_in);
    if (status || n > LARGE) return status;
    spw_trial_mistake(t, d->x, sum_with(t, n, x, -a, d->p_in),
                      "the sign is wrong: this is x - alpha p");
    spw_trial_mistake(t, d->x, sum_with(t, n, x, a, d->q_in), "x moves along p, not along q");
    spw_trial_mistake(t, d->x, sum_with(t, n, x, numbers[RHO], d->p_in),
                      "this is x + rho p: alpha is numbers[ALPHA]");
    spw_trial_mistake(t, d->x, sum_with(t, n, x, numbers[BETA], d->p_in),
                      "this is x + beta p: alpha is numbers[ALPHA]");
    spw_trial_mistake(t, d->r, sum_with(t, n, r, a, d->q_in),
                      "the sign is wrong: this is r + alpha q");
    spw_trial_mistake(t, d->r, sum_with(t, n, r, -a, d->p_in), "r falls by alpha q, not by p");
    return SPW_OK;
}

static void call_update(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((update_fn)f)(d->n, d->blocks, spw_device_doubles(t, d->numbers_in),
                   spw_device_doubles(t, d->p_in), spw_device_doubles(t, d->q_in),
                   spw_device_doubles(t, d->x), spw_device_doubles(t, d->r),
                   spw_device_doubles(t, d->parts));
}

static void library_update(spw_trial *t)
{
    const problem *d = of(t);
    spw_trial_library(t, spw_cg_step_cuda(d->n, spw_device_doubles(t, d->numbers_in) + ALPHA,
                                          spw_device_doubles(t, d->p_in),
                                          spw_device_doubles(t, d->q_in),
                                          spw_device_doubles(t, d->x), spw_device_doubles(t, d->r),
                                          (spw_partials *)spw_trial_device(t, d->library), NULL));
}

/* Of the r on entry? The new one is r, so the old one is r + alpha q. */
static void check_update(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    long double sum = 0, old = 0;
    for (int b = 0; b < d->blocks; b++) sum += d->parts[b];
    for (int64_t i = 0; i < d->n; i++) {
        const double before = d->r[i] + d->numbers_in[ALPHA] * d->q_in[i];
        old += before * before;
    }
    if (d->n > 0 && fabsl(sum - old) <= 1e-9L * old)
        spw_trial_fail(t, "the parts add up to r.r of the r on entry, a stale residual:\n"
                          "add r[i]^2 after r[i] has changed");
    check_parts(t, "r.r");
}

static spw_cost cost_of_update(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 32 * n, .store = 16 * n, .flop = 6 * n};
}

/* --- iterate -------------------------------------------------------------------------------------- */

/* What may go wrong between kernels that are right, each alone. */
typedef enum slip {
    RIGHT,
    FIRST_PART,
    FIRST_256,
    LATE_ALPHA,
    LATE_BETA,
    OLD_RHO,
    UPSIDE_DOWN,
    NO_BETA,
    NO_DIRECTION,
    ONE_LESS,
    ONE_MORE,
    SLIPS
} slip;

static const char *const slip_texts[SLIPS] = {
    [FIRST_PART] = "These are steps with the sum of block 0: parts[0] is not p.q. The blocks of a\n"
                   "launch know nothing of each other, so a launch of one block has to add up all "
                   "parts",
    [FIRST_256] = "These are steps with the first 256 parts of each sum: there are `blocks` of\n"
                  "them, and more than a block has threads: a loop",
    [LATE_ALPHA] = "These are steps with the alpha of the step before, in the first one garbage:\n"
                   "alpha_kernel has to be launched between product and update",
    [LATE_BETA] = "These are steps with the beta of the step before, in the first one garbage:\n"
                  "beta_kernel has to be launched between update and direction",
    [OLD_RHO] = "rho stays that of the first step: once beta is known, r.r is the new rho",
    [UPSIDE_DOWN] =
        "This is beta = rho / r.r, upside down: the new one is above, the old one below",
    [NO_BETA] = "This is steepest descent, p = r: beta is 0, or was never computed",
    [NO_DIRECTION] = "p stays what it is: direction_kernel is missing at the end of a step",
    [ONE_LESS] = "That is one step too few",
    [ONE_MORE] = "That is one step too many",
};

static double dot(const problem *d, slip s, const double *x, const double *y)
{
    const int64_t parts = s == FIRST_PART ? 1 : s == FIRST_256 ? 256 : d->blocks;
    return spw_share_dot(d->n, x, y, d->blocks, parts);
}

/* x and work = r, p, q hold the start, and the end. Returns rho. */
static double simulate(const problem *d, slip s, double rho, double *x, double *work)
{
    const int64_t n = d->n;
    double *r = work, *p = work + n, *q = work + 2 * n, alpha = old_alpha, beta = old_beta;
    const int steps = d->steps + (s == ONE_MORE) - (s == ONE_LESS);
    for (int k = 0; k < steps; k++) {
        spw_system_product(d->A, p, q);
        const double p_q = dot(d, s, p, q), next = p_q > 0 ? rho / p_q : 0;
        if (s != LATE_ALPHA) alpha = next;
        for (int64_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        if (s == LATE_ALPHA) alpha = next;
        const double r_r = dot(d, s, r, r);
        double other = rho > 0 ? r_r / rho : 0;
        if (s == UPSIDE_DOWN) other = r_r > 0 ? rho / r_r : 0;
        if (s == NO_BETA) other = 0;
        if (s != LATE_BETA) beta = other;
        for (int64_t i = 0; i < n && s != NO_DIRECTION; i++) p[i] = r[i] + beta * p[i];
        if (s == LATE_BETA) beta = other;
        if (s != OLD_RHO) rho = r_r;
    }
    return rho;
}

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *d = of(t);
    (void)i;
    if (d->rho == 0 && d->steps > 1 && d->n > 0)
        snprintf(text, (size_t)size,
                 "r is 0 after the first step: then rho and p.q are 0, and 0 / 0 is no number");
}

static double *start_of(spw_trial *t, const double *x, const double *r, double *work)
{
    const int64_t n = of(t)->n;
    double *copy = spw_trial_doubles(t, n);
    if (!copy) return NULL;
    for (int64_t i = 0; i < n; i++) {
        copy[i] = x[i];
        work[i] = work[n + i] = r[i];
    }
    return copy;
}

static spw_status expect_steps(spw_trial *t, const double *x, const double *r, double rho)
{
    problem *d = of(t);
    const int64_t n = d->n;
    double *work = spw_trial_doubles(t, 3 * n), *right = work ? start_of(t, x, r, work) : NULL;
    double *tolerance = spw_trial_doubles(t, n), largest = 0;
    if (!right || !tolerance) return SPW_ERR_MEMORY;
    d->start = rho;
    d->rho = simulate(d, RIGHT, rho, right, work);
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(right[i]));
    for (int64_t i = 0; i < n; i++) tolerance[i] = 1e-10 * largest;
    spw_trial_expect(
        t, d->x,
        (spw_expectation){
            .expected = right, .tolerance = tolerance, .count = n, .describe = describe});
    for (int s = RIGHT + 1; s < SLIPS && n <= LARGE; s++) {
        double *wrong = start_of(t, x, r, work);
        if (!wrong) return SPW_ERR_MEMORY;
        simulate(d, (slip)s, rho, wrong, work);
        if (spw_system_finite(n, wrong)) spw_trial_mistake(t, d->x, wrong, slip_texts[s]);
    }
    return SPW_OK;
}

static spw_status setup_iterate(spw_trial *t, const char *name)
{
    const spw_status status = begin_system(t, name);
    if (status) return status;
    problem *d = of(t);
    const int64_t n = d->n;
    const bool solved = strncmp(name, "solved", 6) == 0;
    spw_trial_say(t, "n = %lld, %d blocks, %d step%s", (long long)n, d->blocks, d->steps,
                  d->steps == 1 ? "" : "s");
    double *x = spw_trial_numbers(t, n, 1), *r = spw_trial_numbers(t, n, 2),
           *numbers = spw_trial_doubles(t, NUMBERS);
    if (!x || !r || !numbers) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n && solved; i++) r[i] = (double)(i % 5 - 2);
    numbers[RHO] = dot(d, RIGHT, r, r);
    numbers[ALPHA] = old_alpha;
    numbers[BETA] = old_beta;
    d->x = spw_trial_inout_doubles(t, "x", n, x);
    d->r = spw_trial_inout_doubles(t, "r", n, r);
    d->p = spw_trial_inout_doubles(t, "p", n, r);
    d->q = spw_trial_output_doubles(t, "q", n);
    d->parts = spw_trial_output_doubles(t, "parts", d->blocks);
    d->numbers = spw_trial_inout_doubles(t, "numbers", NUMBERS, numbers);
    if (!d->x || !d->r || !d->p || !d->q || !d->parts || !d->numbers) return SPW_ERR_MEMORY;
    return expect_steps(t, x, r, numbers[RHO]);
}

static void call_iterate(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((iterate_fn)f)(spw_device_csr(t, d->A), d->blocks, d->steps, spw_device_doubles(t, d->x),
                    spw_device_doubles(t, d->r), spw_device_doubles(t, d->p),
                    spw_device_doubles(t, d->q), spw_device_doubles(t, d->parts),
                    spw_device_doubles(t, d->numbers));
}

/* x is right by now. */
static void check_iterate(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    long double r_r = 0;
    for (int64_t i = 0; i < d->n; i++) r_r += (long double)d->r[i] * d->r[i];
    if (fabs(d->numbers[RHO] - d->rho) > 1e-8 * d->rho + 1e-20)
        spw_trial_fail(t, "x is right, but numbers[RHO] is %.9g on return, expected r.r = %.9g%s",
                       d->numbers[RHO], d->rho,
                       d->numbers[RHO] == d->start ? ".\nrho stays that of the first step: once "
                                                     "beta is known, r.r is the new rho"
                                                   : "");
    else if (fabs((double)r_r - d->rho) > 1e-8 * d->rho + 1e-20)
        spw_trial_fail(t, "x is right, but r on return is not b - A x: its r.r is %.9g, not %.9g",
                       (double)r_r, d->rho);
}

static spw_cost true_cost(double n, double nz)
{
    return (spw_cost){
        .load = 12 * nz + 4 * (n + 1) + 56 * n, .store = 32 * n, .flop = 2 * nz + 10 * n};
}

static spw_cost cost_of_iterate(const spw_trial *t)
{
    const problem *d = of(t);
    const spw_cost one = true_cost((double)d->n, d->A->nnz);
    return (spw_cost){d->steps * one.load, d->steps * one.store, d->steps * one.flop};
}

/* --- the model: of one iteration, judged on all steps ----------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz;
    spw_cost got = ((cost_fn)model)(n, nz);
    if (got.load == 12 * nz + 60 * n) got.load += 4; /* n pointers are as good as n + 1 */
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
        {8 * n, 0, 0,
         "that is the write-allocate of q. A GPU stores whole sectors and reads nothing\n"
         "before"},
        {24 * n, 0, 0,
         "this is the plain iteration: here p.q reads nothing of its own, 16 n, and neither\n"
         "does r.r, 8 n"},
        {32 * n, 0, 0,
         "this is the plain iteration on a CPU: 24 n for p.q and r.r of their own, and the\n"
         "write-allocate of q"},
        {16 * n, 0, 0, "p.q reads nothing any more: row i has p[i] and q[i] at hand"},
        {-4 * (n + 1), 0, 0, "row_ptr has to be loaded, too: n + 1 entries of 4 bytes"},
        {4 * nz, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {8 * nz - 8 * n, 0, 0, "p is counted once an entry: what must be loaded is each p[j] once"},
        {-16 * n, 0, 0, "p and q are read again in update, and r and p in direction"},
        {0, -8 * n, 0, "four arrays are stored, q, x, r and p"},
        {0, 0, -2 * n, "2 n flop are missing: p.q, x, r, r.r and p take 2 n each"},
        {0, 0, -4 * n, "4 n flop are missing: p.q, x, r, r.r and p take 2 n each"},
        {0, 0, -nz, "each entry costs a multiplication and an addition: 2 flop"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 5, text, size);
}

/* --- the declaration ------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const matrices[] = {
    "one-by-one@1", "nothing@2", "zeros@2", "empty-first-last@3", "prime@2", "every-length@1", "laplace2d:33x31@9", NULL};
static const char *const lengths[] = {"1@1", "0@2", "31@1", "257@1", "1009@3", "700@5", "4000@7", NULL};
static const char *const systems[] = {
    "tridiag:3@1,1", "tridiag:3@2,2", "tridiag:1@1,1", "tridiag:3@1,0", "solved@1,3", "laplace2d:17x9@1,4",
    "laplace2d:40x30@3,3", "tridiag:65700@257,1", NULL};
/* clang-format on */

static const char coalesce[] = "neighbouring lanes must touch neighbouring elements: 32 doubles "
                               "are 8 sectors";
static const char one_a_block[] =
    "one thread of a block stores the block's sum, when all others have added theirs";

static const spw_sector_bound product_bounds[] = {
    {.array = "row_ptr",
     .access = SPW_LOADS,
     .per_request = 5.5,
     .hint = "neighbouring lanes must have neighbouring rows"},
    {.array = "q",
     .access = SPW_STORES,
     .per_request = 8.5,
     .hint = "neighbouring lanes must have neighbouring rows"},
    {.array = "q",
     .access = SPW_LOADS,
     .times_size = 0.1,
     .hint = "q[i] is in a register when its row is done: add p[i] q[i] there, in the same loop"},
    {.array = "parts", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {.array = NULL}};

static const spw_sector_bound update_bounds[] = {
    {.array = "x", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "r", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "r",
     .access = SPW_LOADS,
     .times_size = 1.1,
     .hint = "r[i] is in a register when it has just changed: add its square there, in the same\n"
             "loop, and not in one that reads r again"},
    {.array = "x", .access = SPW_LOADS, .times_size = 1.1, .hint = "x is read once"},
    {.array = "parts", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {.array = NULL}};

/* Two steps. */
static const spw_sector_bound iterate_bounds[] = {
    {.array = "x", .access = SPW_LOADS, .times_size = 2.2, .hint = "once in each of the two steps"},
    {.array = "q",
     .access = SPW_LOADS,
     .times_size = 2.2,
     .hint = "by update alone: p.q is made\n"
             "where q is"},
    {.array = "r",
     .access = SPW_LOADS,
     .times_size = 4.4,
     .hint = "by update and by direction, each once a step: r.r is made where r is"},
    {.array = "p", .access = SPW_STORES, .per_request = 8.5, .hint = coalesce},
    {.array = "p", .access = SPW_STORES, .times_size = 2.2, .hint = "once a step"},
    {.array = "parts",
     .access = SPW_LOADS,
     .times_size = 6,
     .hint = "one thread reads them one by one, or every block reads them all: let 256 threads\n"
             "of one block do it, neighbours from neighbours"},
    {.array = NULL}};

static const spw_part parts[] = {{.function = "spmv_dot",
                                  .cases = matrices,
                                  .setup = setup_product,
                                  .call = call_product,
                                  .claim = check_product,
                                  .cost = cost_of_product,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = product_bounds,
                                  .traffic = "laplace2d:100x100@40",
                                  .speed = "laplace3d:200", /* on a GPU: 0.8 GB */
                                  .takes_matrix = true,
                                  .target = 0.5,
                                  .stretch = {"library's best", library_product}},
                                 {.function = "update",
                                  .cases = lengths,
                                  .setup = setup_update,
                                  .call = call_update,
                                  .claim = check_update,
                                  .cost = cost_of_update,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = update_bounds,
                                  .traffic = "10003@8",
                                  .speed = "16000000", /* on a GPU: 0.8 GB */
                                  .target = 0.7,
                                  .stretch = {"library's best", library_update}},
                                 {.function = "iterate",
                                  .model = "cg_iteration_cost",
                                  .cases = systems,
                                  .setup = setup_iterate,
                                  .call = call_iterate,
                                  .claim = check_iterate,
                                  .predict = predict,
                                  .explain_model = explain_model,
                                  .cost = cost_of_iterate,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = iterate_bounds,
                                  .traffic = "laplace2d:100x100@40,2",
                                  .speed = "laplace3d:200@1056,4", /* on a GPU: 0.8 GB */
                                  .takes_matrix = true,
                                  .target = 0.5}};

static const char *const forbidden[] = {"spw_cg_cuda", "spw_spmv_dots_csr_cuda", "spw_cg_step_cuda",
                                        NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .gpu = true,
                                     .forbidden = forbidden},
                     argc, argv);
}

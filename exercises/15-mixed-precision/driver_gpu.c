/* Exercise 15, GPU part: cases, true costs, bounds on the traffic and explanations for the product with float
 * values and for what surrounds a solver in float. */
#include "mixed_precision_gpu.h"

#include "kernels/single.h"
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

typedef void (*spmv_fn)(csr_single, const double *, double *);
typedef void (*residual_fn)(spw_csr, int, const double *, const double *, double *, double *);
typedef void (*round_fn)(int64_t, int, const double *, const double *, float *, double *);
typedef void (*correct_fn)(int64_t, int, double, const double *, const float *, double *);
typedef spw_cost (*spmv_cost_fn)(const csr_single *);
typedef spw_cost (*residual_cost_fn)(const spw_csr *);

enum { WARP = 32, MOST_BLOCKS = 1056, LARGE = 1000000 };

/* The float has u = 2^-24: what is wrong by so much, and no more, was rounded to it on the way. */
static const double float_digits = 4e-6;

typedef struct problem {
    const spw_csr *A;
    csr_single S;
    int64_t n;
    int blocks;
    const double *x, *b, *parts_in, *r_in, *norm_in, *expected, *size;
    const float *d;
    double *y, *r, *parts, *norm;
    float *small;
    double scale, r_r, slack;
} problem;

static problem *of(const spw_trial *t)
{
    return (problem *)spw_trial_data(t);
}

/* a values, in memory that is kept */
static double *times(spw_trial *t, double a, const double *values)
{
    const int64_t n = of(t)->n;
    double *scaled = spw_trial_doubles(t, n);
    for (int64_t i = 0; scaled && i < n; i++) scaled[i] = a * values[i];
    return scaled;
}

/* --- a case: NAME@BLOCKS, or NAME*FACTOR@BLOCKS --------------------------------------------------------- */

static problem *begin(spw_trial *t, const char *name, char *rest, size_t size, double *factor)
{
    problem *d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return NULL;
    snprintf(rest, size, "%s", name);
    char *at = strchr(rest, '@'), *star;
    d->blocks = at ? (int)strtol(at + 1, NULL, 10) : MOST_BLOCKS;
    if (at) *at = 0;
    star = strchr(rest, '*');
    *factor = star ? strtod(star + 1, NULL) : 1;
    if (star) *star = 0;
    return d;
}

static spw_status matrix(const char *name, uint64_t seed, double factor, spw_csr *A)
{
    const spw_status status = spw_csr_named(name, seed, A);
    for (spw_idx k = 0; !status && k < A->nnz; k++) A->val[k] *= factor;
    return status;
}

static spw_status begin_matrix(spw_trial *t, const char *name, bool square)
{
    char rest[128];
    double factor;
    spw_csr A = {0};
    problem *d = begin(t, name, rest, sizeof rest, &factor);
    if (!d) return SPW_ERR_MEMORY;
    const spw_status status = matrix(rest, spw_trial_seed(t), factor, &A);
    if (status) return status;
    if (square && A.n_rows != A.n_cols) {
        spw_csr_destroy(&A);
        return spw_error(SPW_ERR_ARG, "%s is not square", rest);
    }
    spw_trial_unit(t, "nz", A.nnz);
    spw_trial_unit(t, "n_rows", A.n_rows);
    if (A.n_cols != A.n_rows) spw_trial_unit(t, "n_cols", A.n_cols);
    d->n = A.n_rows;
    d->A = spw_trial_csr(t, &A);
    return d->A ? SPW_OK : SPW_ERR_MEMORY;
}

/* Wrong in the 8th digit only? */
static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *d = of(t);
    const double got = d->y ? d->y[i] : d->r[i];
    if (fabs(got - d->expected[i]) < float_digits * d->size[i])
        snprintf(text, (size_t)size,
                 "right to 7 digits of what was added up: where does a double become a float?");
}

/* --- spmv_single ------------------------------------------------------------------------------------------ */

static bool lane_0(spw_idx j)
{
    return j % WARP == 0;
}

static bool first_round(spw_idx j)
{
    return j < WARP;
}

static double *chosen(spw_trial *t, bool (*of_entry)(spw_idx))
{
    const problem *d = of(t);
    const csr_single *S = &d->S;
    double *y = spw_trial_doubles(t, d->n);
    for (spw_idx i = 0; y && i < S->n_rows; i++)
        for (spw_idx k = d->A->row_ptr[i]; k < d->A->row_ptr[i + 1]; k++)
            if (of_entry(k - d->A->row_ptr[i]))
                y[i] += S->scale * (double)S->val[k] * d->x[d->A->col_idx[k]];
    return y;
}

/* The sum that the rounded values give. */
static spw_status expect_product(spw_trial *t)
{
    problem *d = of(t);
    spw_csr rounded = *d->A;
    double *val = spw_trial_doubles(t, d->A->nnz), *y = spw_trial_doubles(t, d->n),
           *tolerance = spw_trial_doubles(t, d->n);
    if (!val || !y || !tolerance) return SPW_ERR_MEMORY;
    for (spw_idx k = 0; k < d->A->nnz; k++) val[k] = d->S.scale * (double)d->S.val[k];
    rounded.val = val;
    spw_spmv_expected(&rounded, d->x, y, tolerance);
    double *size = spw_trial_doubles(t, d->n);
    if (!size) return SPW_ERR_MEMORY;
    for (spw_idx i = 0; i < d->A->n_rows; i++)
        for (spw_idx k = d->A->row_ptr[i]; k < d->A->row_ptr[i + 1]; k++)
            size[i] += fabs(val[k] * d->x[d->A->col_idx[k]]);
    d->expected = y;
    d->size = size;
    spw_trial_expect(t, d->y,
                     (spw_expectation){.expected = y,
                                       .tolerance = tolerance,
                                       .count = d->n,
                                       .noun = "row",
                                       .describe = describe});
    if (d->A->nnz > LARGE) return SPW_OK;
    if (d->S.scale != 1) {
        spw_trial_mistake(t, d->y, times(t, 1 / d->S.scale, y),
                          "these are the products with val: entry k of A is scale * val[k]");
        spw_trial_mistake(t, d->y, times(t, d->S.scale, y), "scale was multiplied in twice");
        spw_trial_mistake(t, d->y, times(t, 1 / d->S.scale / d->S.scale, y),
                          "the sum was divided by scale: entry k of A is scale * val[k]");
    }
    spw_trial_mistake(t, d->y, chosen(t, lane_0),
                      "only the share of lane 0 is there: the lanes' sums were not added up");
    spw_trial_mistake(t, d->y, chosen(t, first_round),
                      "only the first 32 entries of each row are there: a longer row takes more\n"
                      "rounds, k += 32");
    return SPW_OK;
}

static spw_status setup_spmv(spw_trial *t, const char *name)
{
    const spw_status status = begin_matrix(t, name, false);
    if (status) return status;
    problem *d = of(t);
    spw_csr_single S;
    if (spw_csr_single_from_csr(d->A, &S)) return SPW_ERR_MEMORY;
    spw_trial_say(t, "%d x %d, nz %d, scale %g", S.n_rows, S.n_cols, S.nnz, S.scale);
    d->S = (csr_single){S.n_rows, S.n_cols, S.nnz, S.row_ptr, S.col_idx, NULL, S.scale};
    d->S.val = (const float *)spw_trial_adopt(t, "float val", SPW_FLOAT, S.nnz, S.val);
    d->x = spw_trial_random(t, "x", S.n_cols);
    d->y = spw_trial_output_doubles(t, "y", S.n_rows);
    if (!d->S.val || !d->x || !d->y) return SPW_ERR_MEMORY;
    return expect_product(t);
}

static void call_spmv(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    csr_single S = d->S;
    S.row_ptr = (const spw_idx *)spw_trial_device(t, d->A->row_ptr);
    S.col_idx = (const spw_idx *)spw_trial_device(t, d->A->col_idx);
    S.val = (const float *)spw_trial_device(t, d->S.val);
    ((spmv_fn)f)(S, spw_device_doubles(t, d->x), spw_device_doubles(t, d->y));
}

static spw_cost predict_spmv(spw_trial *t, spw_function model)
{
    return ((spmv_cost_fn)model)(&of(t)->S);
}

static spw_cost cost_spmv(const spw_trial *t)
{
    const csr_single *S = &of(t)->S;
    return (spw_cost){.load = 8.0 * S->nnz + 4 * (S->n_rows + 1.0) + 8.0 * S->n_cols,
                      .store = 8.0 * S->n_rows,
                      .flop = 2.0 * S->nnz};
}

/* --- residual ---------------------------------------------------------------------------------------------- */

static double *with_sign(spw_trial *t, double by_b, double by_y, const double *y)
{
    const problem *d = of(t);
    double *r = spw_trial_doubles(t, d->n);
    for (int64_t i = 0; r && i < d->n; i++) r[i] = by_b * d->b[i] + by_y * y[i];
    return r;
}

/* x is near the solution: b and A x agree in nine digits. */
static spw_status setup_residual(spw_trial *t, const char *name)
{
    const spw_status status = begin_matrix(t, name, true);
    if (status) return status;
    problem *d = of(t);
    const int64_t n = d->n;
    spw_trial_say(t, "n = %lld, %d blocks", (long long)n, d->blocks);
    d->x = spw_trial_random(t, "x", n);
    double *b = (double *)spw_trial_input(t, "b", SPW_DOUBLE, n), *y = spw_trial_doubles(t, n);
    double *tolerance = spw_trial_doubles(t, n), *r = spw_trial_doubles(t, n),
           *size = spw_trial_doubles(t, n), *away = spw_trial_doubles(t, n);
    d->r = spw_trial_output_doubles(t, "r", n);
    d->parts = spw_trial_output_doubles(t, "parts", d->blocks);
    if (!d->x || !b || !y || !tolerance || !r || !size || !away || !d->r || !d->parts)
        return SPW_ERR_MEMORY;
    spw_case_vector(spw_trial_seed(t) + 5, n, away);
    spw_spmv_expected(d->A, d->x, y, tolerance);
    long double r_r = 0;
    for (int64_t i = 0; i < n; i++) {
        b[i] = y[i] + 1e-9 * away[i] * (y[i] != 0 ? fabs(y[i]) : 1);
        r[i] = b[i] - y[i];
        tolerance[i] += DBL_EPSILON * fabs(b[i]);
        size[i] = fabs(b[i]) + fabs(y[i]);
        r_r += (long double)r[i] * r[i];
        d->slack += 2 * tolerance[i] * (fabs(r[i]) + tolerance[i]);
    }
    for (spw_idx i = 0; i < d->A->n_rows; i++) /* what may cancel on the way is larger than y */
        for (spw_idx k = d->A->row_ptr[i]; k < d->A->row_ptr[i + 1]; k++)
            size[i] += fabs(d->A->val[k] * d->x[d->A->col_idx[k]]);
    d->b = b;
    d->expected = r;
    d->size = size;
    d->r_r = (double)r_r;
    d->slack += (double)(n + 2) * DBL_EPSILON * d->r_r;
    spw_trial_expect(t, d->r,
                     (spw_expectation){.expected = r,
                                       .tolerance = tolerance,
                                       .count = n,
                                       .noun = "row",
                                       .describe = describe});
    if (n > LARGE) return SPW_OK;
    spw_trial_mistake(t, d->r, y, "this is A x: b is missing");
    spw_trial_mistake(t, d->r, with_sign(t, 1, 1, y), "this is b + A x: the sign");
    spw_trial_mistake(t, d->r, with_sign(t, -1, 1, y), "this is A x - b: the sign");
    spw_trial_mistake(t, d->r, b, "this is b: A x was not subtracted");
    return SPW_OK;
}

static void call_residual(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((residual_fn)f)(spw_device_csr(t, d->A), d->blocks, spw_device_doubles(t, d->b),
                     spw_device_doubles(t, d->x), spw_device_doubles(t, d->r),
                     spw_device_doubles(t, d->parts));
}

/* The sum over the rows of the first warps, of the first round, and so on. */
static const char *why_parts(const problem *d, double got)
{
    long double warp_0 = 0, once = 0, b_b = 0;
    const int64_t warps = BLOCK / WARP;
    if (got == 0) return "Nothing was added up";
    for (int64_t i = 0; i < d->n; i++) {
        const long double square = (long double)d->expected[i] * d->expected[i];
        if (i % warps == 0) warp_0 += square;
        if (i < warps * d->blocks) once += square;
        b_b += (long double)d->b[i] * d->b[i];
    }
    if (fabs(got - WARP * d->r_r) <= WARP * d->slack)
        return "That is 32 times as much: each lane of a warp has added the square of its row";
    if (fabs(got - (double)warp_0) <= d->slack)
        return "These are the rows of the first warp of each block";
    if (fabs(got - (double)once) <= d->slack)
        return "These are the first 8 * blocks rows: a warp goes on by the warps of the grid";
    if (fabs(got - (double)b_b) <= 1e-9 * got) return "This is b.b";
    return "Lane 0 of each warp adds up the squares of its rows, block_sum those of the block";
}

static void check_residual(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    long double sum = 0;
    for (int b = 0; b < d->blocks; b++) {
        sum += d->parts[b];
        if (isfinite(d->parts[b]) && d->parts[b] != spw_poison_double(b)) continue;
        spw_trial_fail(t, "parts[%d] is %g: every block leaves its sum, one that had no row a 0%s",
                       b, d->parts[b], isfinite(d->parts[b]) ? ".\nIt was never written" : "");
        return;
    }
    if (fabs((double)sum - d->r_r) > d->slack)
        spw_trial_fail(t, "the %d parts of r.r add up to %.12g, expected %.12g\n%s", d->blocks,
                       (double)sum, d->r_r, why_parts(d, (double)sum));
}

static spw_cost predict_residual(spw_trial *t, spw_function model)
{
    return ((residual_cost_fn)model)(of(t)->A);
}

static spw_cost cost_residual(const spw_trial *t)
{
    const double n = (double)of(t)->n, nz = of(t)->A->nnz;
    return (spw_cost){
        .load = 12 * nz + 4 * (n + 1) + 16 * n, .store = 8 * n, .flop = 2 * nz + 3 * n};
}

/* --- round_residual, correct -------------------------------------------------------------------------------- */

/* Was r, or its norm, rounded before it was divided? */
static void describe_small(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *d = of(t);
    const float r = (float)d->r_in[i], norm = (float)sqrt(d->r_r);
    if (d->r_r == 0)
        snprintf(text, (size_t)size, "r is 0 here, so is its norm, and 0 / 0 is no number");
    else if (r == 0 || norm == 0 || !isfinite(r) || !isfinite(norm))
        snprintf(text, (size_t)size, "%g is no float: divide in double, then round", d->r_in[i]);
}

static spw_status expect_small(spw_trial *t, double norm)
{
    const problem *d = of(t);
    const int64_t n = d->n;
    float *small = (float *)spw_trial_memory(t, n, sizeof *small);
    double *tolerance = spw_trial_doubles(t, n);
    if (!small || !tolerance) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        small[i] = norm > 0 ? (float)(d->r_in[i] / norm) : 0;
        tolerance[i] = 2 * (double)FLT_EPSILON * fabs((double)small[i]) + 1e-44;
    }
    spw_trial_expect(
        t, d->small,
        (spw_expectation){
            .expected = small, .tolerance = tolerance, .count = n, .describe = describe_small});
    const struct {
        double factor;
        const char *text;
    } known[] = {
        {norm, "these are r: divide by the norm first"},
        {1 / norm, "this is r / r.r: the norm is the root of the sum of parts"},
        {norm * norm, "this is r times the norm: divide by it"},
    };
    for (size_t m = 0; m < sizeof known / sizeof known[0] && norm > 0 && n <= LARGE; m++) {
        float *wrong = (float *)spw_trial_memory(t, n, sizeof *wrong);
        if (!wrong) return SPW_ERR_MEMORY;
        for (int64_t i = 0; i < n; i++) wrong[i] = (float)(d->r_in[i] / norm * known[m].factor);
        if (n > 0 && isfinite(wrong[0])) spw_trial_mistake(t, d->small, wrong, known[m].text);
    }
    return SPW_OK;
}

static spw_status setup_round(spw_trial *t, const char *name)
{
    char rest[128];
    double factor;
    problem *d = begin(t, name, rest, sizeof rest, &factor);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n = strtoll(rest, NULL, 10);
    spw_trial_say(t, "n = %lld, %d blocks, r of size %g", (long long)n, d->blocks, factor);
    double *r = (double *)spw_trial_input(t, "r", SPW_DOUBLE, n);
    double *parts = (double *)spw_trial_input(t, "parts", SPW_DOUBLE, d->blocks);
    d->small = (float *)spw_trial_output(t, "small", SPW_FLOAT, n);
    d->norm = spw_trial_output_doubles(t, "norm", 1);
    if (!r || !parts || !d->small || !d->norm) return SPW_ERR_MEMORY;
    spw_case_vector(spw_trial_seed(t) + 7, n, r);
    long double sum = 0;
    for (int b = 0; b < d->blocks; b++) parts[b] = 0;
    for (int64_t i = 0; i < n; i++) {
        r[i] *= factor;
        parts[i % d->blocks] += r[i] * r[i];
        sum += (long double)r[i] * r[i];
    }
    d->r_in = r;
    d->parts_in = parts;
    d->r_r = (double)sum;
    return expect_small(t, sqrt(d->r_r));
}

static void call_round(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((round_fn)f)(d->n, d->blocks, spw_device_doubles(t, d->parts_in),
                  spw_device_doubles(t, d->r_in), (float *)spw_trial_device(t, d->small),
                  spw_device_doubles(t, d->norm));
}

static void check_round(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    const double norm = sqrt(d->r_r), got = d->norm[0];
    if (!(fabs(got - norm) <= 1e-12 * norm))
        spw_trial_fail(t, "norm is %.12g, expected %.12g%s", got, norm,
                       fabs(got - norm) <= float_digits * norm
                           ? ".\nIt is right to 7 digits: correct needs it in double"
                           : "");
}

static spw_cost cost_round(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 8 * n, .store = 4 * n, .flop = n};
}

static void describe_x(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *d = of(t);
    if (fabs(d->y[i] - d->expected[i]) < float_digits * d->size[i])
        snprintf(text, (size_t)size,
                 "right to 7 digits: x is added up in double, or nothing of "
                 "its\n8th digit is left");
}

static spw_status setup_correct(spw_trial *t, const char *name)
{
    char rest[128];
    double factor;
    problem *d = begin(t, name, rest, sizeof rest, &factor);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n = strtoll(rest, NULL, 10);
    d->scale = 16;
    spw_trial_say(t, "n = %lld, %d blocks, norm of size %g", (long long)n, d->blocks, factor);
    float *correction = (float *)spw_trial_input(t, "d", SPW_FLOAT, n);
    double *norm = (double *)spw_trial_input(t, "norm", SPW_DOUBLE, 1),
           *x = spw_trial_doubles(t, n);
    double *expected = spw_trial_doubles(t, n), *tolerance = spw_trial_doubles(t, n),
           *size = spw_trial_doubles(t, n), *random = spw_trial_doubles(t, n);
    if (!correction || !norm || !x || !expected || !tolerance || !size || !random)
        return SPW_ERR_MEMORY;
    *norm = 3 * factor;
    spw_case_vector(spw_trial_seed(t) + 8, n, x);
    spw_case_vector(spw_trial_seed(t) + 9, n, random);
    for (int64_t i = 0; i < n; i++) {
        x[i] *= fmax(1, factor);
        correction[i] = (float)random[i];
        expected[i] = x[i] + *norm / d->scale * (double)correction[i];
        size[i] = fabs(x[i]) + fabs(expected[i] - x[i]);
        tolerance[i] = 4 * DBL_EPSILON * size[i];
    }
    d->norm_in = norm;
    d->d = correction;
    d->expected = expected;
    d->size = size;
    d->y = (double *)spw_trial_inout(t, "x", SPW_DOUBLE, n, x);
    if (!d->y) return SPW_ERR_MEMORY;
    spw_trial_expect(
        t, d->y,
        (spw_expectation){
            .expected = expected, .tolerance = tolerance, .count = n, .describe = describe_x});
    const struct {
        double factor;
        const char *text;
    } known[] = {
        {*norm, "scale is missing: the float matrix is A / scale, so d is scale times too large"},
        {*norm * d->scale, "this is x + norm * scale * d: divide by scale"},
        {1 / d->scale, "norm is missing: the solver was given r / norm"},
        {1, "norm / scale is missing: this is x + d"},
        {-*norm / d->scale, "the sign is wrong: A d = r, and x grows by d"},
        {1 / *norm / d->scale, "the correction was divided by norm: small was, so d is multiplied"},
    };
    for (size_t m = 0; m < sizeof known / sizeof known[0] && n <= LARGE; m++) {
        double *wrong = spw_trial_doubles(t, n);
        for (int64_t i = 0; wrong && i < n; i++)
            wrong[i] = x[i] + known[m].factor * (double)correction[i];
        spw_trial_mistake(t, d->y, wrong, known[m].text);
    }
    return SPW_OK;
}

static void call_correct(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((correct_fn)f)(d->n, d->blocks, d->scale, spw_device_doubles(t, d->norm_in),
                    (const float *)spw_trial_device(t, d->d), spw_device_doubles(t, d->y));
}

static spw_cost cost_correct(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 12 * n, .store = 8 * n, .flop = 2 * n};
}

/* --- wrong models --------------------------------------------------------------------------------------------- */

static void explain_spmv(const spw_trial *t, spw_cost got, char *text, int size)
{
    const csr_single *S = &of(t)->S;
    const double nz = S->nnz, r = S->n_rows, c = S->n_cols;
    const spw_known_cost known[] = {
        {4 * nz, 0, 0, "this is the product in double: a float has 4 bytes, and so has its column"},
        {-4 * nz, 0, 0, "an entry is a float and a 32-bit column: 4 + 4 = 8 bytes"},
        {-2 * nz, 0, 0, "half of 12 is not what an entry takes: the column keeps its 4 bytes"},
        {-4 * c, -4 * r, 0, "x and y are double: 8 bytes each"},
        {-4 * c, 0, 0, "x is double: 8 bytes a column"},
        {8 * r, 0, 0, "y is written, not read; and a GPU has no write-allocate"},
        {-4 * (r + 1), 0, 0, "row_ptr has to be loaded, too: n_rows + 1 entries of 4 bytes"},
        {-4, 0, 0, "row_ptr has one entry more than there are rows"},
        {0, 0, r, "multiplying by scale counts for nothing: 2 flop an entry"},
        {0, 0, -nz, "each entry costs a multiplication and an addition: 2 flop"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_spmv(t), 0.5, text, size);
}

static void explain_residual(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double nz = of(t)->A->nnz, n = (double)of(t)->n;
    const spw_known_cost known[] = {
        {-4 * nz, 0, 0, "the residual is computed with A in double: 12 bytes an entry, not 8"},
        {-8 * n, 0, 0, "x and b are loaded: 8 bytes a row each"},
        {8 * n, 0, 0,
         "r is written, not read: r.r has r[i] at hand, and there is no write-allocate"},
        {-4 * (n + 1), 0, 0, "row_ptr has to be loaded, too: n + 1 entries of 4 bytes"},
        {-4, 0, 0, "row_ptr has one entry more than there are rows"},
        {0, 0, -n, "b - A x takes n flop, r.r takes 2 n"},
        {0, 0, -2 * n, "r.r takes 2 n flop"},
        {0, 0, -3 * n, "b - A x takes n flop, r.r takes 2 n"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_residual(t), 0.5, text,
                        size);
}

/* --- the declaration ------------------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const matrices[] = {
    "one-by-one", "no-rows", "no-columns", "no-entries", "empty-first-last", "every-length", "every-length*1e60",
    "every-length*1e-60", "dense-row", "rectangular-wide", "rectangular-tall", "prime", NULL};
static const char *const systems[] = {
    "one-by-one@1", "nothing@2", "zeros@2", "empty-first-last@3", "prime@2", "every-length@1", "laplace2d:33x31@20", NULL};
static const char *const lengths[] = {
    "1@1", "0@2", "257@1", "1009@3", "700@300", "1009*1e-60@3", "1009*1e60@3", "300*0@2", NULL};
static const char *const corrections[] = {
    "1@1", "0@2", "257@1", "1009@3", "700@5", "1009*1e-9@3", "1009*1e60@3", NULL};
/* clang-format on */

#define SIDE_BY_SIDE "neighbouring lanes must read neighbouring entries of the same row"
#define ALL_READ                                                                                   \
    "sectors are moved for a part of their bytes: in each step all lanes of the warp must\n"       \
    "read, neighbours from neighbours"
static const spw_sector_bound single_bounds[] = {
    {.array = "float val", .access = SPW_LOADS, .per_request = 4.6, .hint = SIDE_BY_SIDE},
    {.array = "float val", .access = SPW_LOADS, .times_size = 2.5, .hint = ALL_READ},
    {.array = "col_idx", .access = SPW_LOADS, .per_request = 4.6, .hint = SIDE_BY_SIDE},
    {.array = NULL}};
static const spw_sector_bound residual_bounds[] = {
    {.array = "val", .access = SPW_LOADS, .per_request = 8.5, .hint = SIDE_BY_SIDE},
    {.array = "val", .access = SPW_LOADS, .times_size = 2.5, .hint = ALL_READ},
    {.array = "r",
     .access = SPW_LOADS,
     .times_size = 0.1,
     .hint = "r[i] is in a register when its row is done: add its square there, in the same loop"},
    {.array = "parts",
     .access = SPW_STORES,
     .per_block = 1,
     .hint = "one thread of the block stores the block's sum"},
    {.array = NULL}};
static const spw_sector_bound round_bounds[] = {
    {.array = "r", .access = SPW_LOADS, .per_request = 8.5, .hint = "neighbours from neighbours"},
    {.array = "small",
     .access = SPW_STORES,
     .per_request = 4.5,
     .hint = "neighbours to neighbours"},
    {.array = "parts",
     .access = SPW_LOADS,
     .times_size = 3,
     .hint = "every block reads all parts: let one block do it, in a launch before"},
    {.array = NULL}};
static const spw_sector_bound correct_bounds[] = {
    {.array = "d", .access = SPW_LOADS, .per_request = 4.5, .hint = "neighbours from neighbours"},
    {.array = "x", .access = SPW_LOADS, .per_request = 8.5, .hint = "neighbours from neighbours"},
    {.array = NULL}};

static const spw_part parts[] = {{.function = "spmv_single",
                                  .model = "spmv_single_cost",
                                  .cases = matrices,
                                  .setup = setup_spmv,
                                  .call = call_spmv,
                                  .predict = predict_spmv,
                                  .cost = cost_spmv,
                                  .explain_model = explain_spmv,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = single_bounds,
                                  .traffic = "stencil27:10x25x40",
                                  .speed = "stencil27:140", /* on a GPU: 0.6 GB */
                                  .takes_matrix = true,
                                  .target = 0.7},
                                 {.function = "residual",
                                  .model = "residual_cost",
                                  .cases = systems,
                                  .setup = setup_residual,
                                  .call = call_residual,
                                  .claim = check_residual,
                                  .predict = predict_residual,
                                  .cost = cost_residual,
                                  .explain_model = explain_residual,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = residual_bounds,
                                  .traffic = "stencil27:10x10x20@8",
                                  .speed = "stencil27:128", /* on a GPU: 0.7 GB */
                                  .takes_matrix = true,
                                  .target = 0.7},
                                 {.function = "round_residual",
                                  .cases = lengths,
                                  .setup = setup_round,
                                  .call = call_round,
                                  .claim = check_round,
                                  .cost = cost_round,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = round_bounds,
                                  .traffic = "10003@40",
                                  .speed = "60000000", /* on a GPU: 0.7 GB */
                                  .target = 0.7},
                                 {.function = "correct",
                                  .cases = corrections,
                                  .setup = setup_correct,
                                  .call = call_correct,
                                  .cost = cost_correct,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = correct_bounds,
                                  .traffic = "10003@40",
                                  .speed = "40000000", /* on a GPU: 0.8 GB */
                                  .target = 0.7}};

static const char *const forbidden[] = {"spw_residual_cuda", "spw_spmv_csr_cuda",
                                        "spw_partials_sum_cuda", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .gpu = true,
                                     .forbidden = forbidden},
                     argc, argv);
}

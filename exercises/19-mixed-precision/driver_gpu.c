/* Exercise 19, GPU part: the product with float values, and what surrounds a solver in float.
 *
 * What follows a case's @ is the number of blocks, and what a vector's elements are multiplied by: "1009@3*1e-60"; in
 * the part spmv_single it is what problem.h says. */
#include "mixed_precision_gpu.h"

#include "base/random.h"
#include "kit/device_systems.h"
#include "kit/in_parts.h"
#include "problem.h"

#include <float.h>

/* --- spmv_single --------------------------------------------------------------------------------------- */

static void call_spmv(const void *at, spw_function f) {
    const product *o = (const product *)at;
    csr_single S = *o->of.S;
    S.row_ptr = o->of.A->row_ptr;
    S.col_idx = o->of.A->col_idx;
    SPW_AS(spmv_single, f)(S, o->x, o->y);
}

static const spw_slip on_the_gpu[] = {
    {"load 8 n_rows", "y is written, not read; and a GPU has no write-allocate"}, {0}};

static const spw_kit product_kit =
    SPW_KIT_OF(of_product, product, call_spmv, expect_product, .matrix = make_matrix,
               .facts = "{size}, scale {scale}", .predict = predict_product, .cost = PRODUCT_COST,
               .slips = on_the_gpu, .more_slips = product_slips);

/* --- residual ------------------------------------------------------------------------------------------ */

typedef struct residue {
    const spw_csr *A;
    spw_in_parts of;
    const double *x, *b;
    double *r;
} residue;

static spw_status square_matrix(const char *name, uint64_t seed, spw_csr *A) {
    const spw_status status = make_matrix(name, seed, A);
    if (status || A->n_rows == A->n_cols) return status;
    spw_csr_destroy(A);
    return spw_error(SPW_ERR_ARG, "%s is not square", name);
}

/* x is near the solution: b and A x agree in nine digits. */
static void fill_b(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t;
    const residue *o = (const residue *)at;
    double *b = (double *)array;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double terms;
        const double y = row_times(o->A, NULL, o->x, i, &terms);
        b[i] = y + 1e-9 * b[i] * (y != 0 ? fabs(y) : 1);
    }
}

static void describe_residual(const spw_trial *t, int64_t i, char *text, int size) {
    const residue *o = (const residue *)spw_kit_arguments(t);
    double terms;
    const double right = o->b[i] - row_times(o->A, NULL, o->x, i, &terms);
    if (fabs(o->r[i] - right) < FLOAT_DIGITS * (terms + fabs(o->b[i])) &&
        fabs(o->r[i] + right) > 1e-3 * fabs(right)) /* not the sign */
        snprintf(text, (size_t)size, "%s", RIGHT_TO_7_DIGITS);
}

static const spw_argument of_residual[] = {
    SPW_VALUE(residue, of.blocks, "blocks"),
    SPW_VALUE(residue, of.lanes, "32"),
    SPW_CSR(residue, A),
    SPW_RANDOM(residue, x, "n_cols"),
    SPW_FILLED(residue, b, "n_rows", .fill = fill_b),
    SPW_OUTPUT(residue, r, "n_rows", .noun = "row", .describe = describe_residual),
    SPW_OUTPUT_AS("parts", residue, of.parts, "blocks", ),
    {0}};

static void expect_residual(spw_trial *t, const void *at) {
    residue *o = (residue *)(uintptr_t)at;
    const int64_t n = o->A->n_rows;
    double *r = spw_kit_doubles(t, n), *tolerance = spw_kit_doubles(t, n), slack = 0;
    spw_spmv_expected(o->A, o->x, r, tolerance);
    for (int64_t i = 0; i < n; i++) {
        r[i] = o->b[i] - r[i];
        tolerance[i] += DBL_EPSILON * fabs(o->b[i]);
        slack += 2 * tolerance[i] * (fabs(r[i]) + tolerance[i]);
    }
    spw_kit_expect(t, o->r, r, tolerance);
    spw_in_parts_sum(t, &o->of, "r.r", n, r, r, slack);
}

SPW_CALL(call_residual, residual, const residue *o, *o->A, o->of.blocks, o->b, o->x, o->r,
         o->of.parts)

/* How r.r is divided among the blocks is up to the answer. */
static void check_parts(spw_trial *t) {
    spw_in_parts_check(t, &((const residue *)spw_kit_arguments(t))->of);
}

SPW_PREDICT(predict_residual, residual_cost, const residue *o, o->A)

static const spw_slip residual_slips[] = {
    {"load -4 nz", "the residual is computed with A in double: 12 bytes an entry, not 8"},
    {"load -8 n_rows", "x and b are loaded: 8 bytes a row each"},
    {"load 8 n_rows",
     "r is written, not read: r.r has r[i] at hand, and there is no write-allocate"},
    {"load -4 (n_rows + 1)", "row_ptr has to be loaded, too: n + 1 entries of 4 bytes"},
    {"load -4", "row_ptr has one entry more than there are rows"},
    {"flop -n_rows", "b - A x takes n flop, r.r takes 2 n"},
    {"flop -2 n_rows", "r.r takes 2 n flop"},
    {"flop -3 n_rows", "b - A x takes n flop, r.r takes 2 n"},
    {0}};

static const spw_kit residual_kit = SPW_KIT_OF(
    of_residual, residue, call_residual, expect_residual, .matrix = square_matrix,
    .parameters = "@blocks=1056", .facts = "n = {n_rows}, {blocks} blocks",
    .predict = predict_residual,
    .cost = "load 12 nz + 4 (n_rows + 1) + 16 n_rows; store 8 n_rows; flop 2 nz + 3 n_rows",
    .slips = residual_slips);

/* --- round_residual ------------------------------------------------------------------------------------ */

typedef struct vectors {
    int64_t n;
    int blocks;
    double scale;
    const double *r, *parts, *norm_in;
    float *small;
    double *norm;
    const float *d;
    double *x;
} vectors;

#define VALUES                                                                                     \
    SPW_VALUE(vectors, n, "n"), SPW_VALUE(vectors, blocks, "blocks"),                              \
        SPW_VALUE(vectors, scale, "16")

static void fill_r(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)at;
    const double factor = spw_kit_value(t, "factor");
    for (int64_t i = 0; i < n; i++) ((double *)array)[i] *= factor;
}

static void fill_parts(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t;
    const vectors *o = (const vectors *)at;
    double *parts = (double *)array;
    memset(parts, 0, (size_t)n * sizeof *parts);
    for (int64_t i = 0; i < o->n; i++) parts[i % n] += o->r[i] * o->r[i];
}

/* Was r, or its norm, rounded before it was divided? */
static void describe_small(const spw_trial *t, int64_t i, char *text, int size) {
    const vectors *o = (const vectors *)spw_kit_arguments(t);
    const double right = spw_kit_value(t, "norm");
    const float r = (float)o->r[i], norm = (float)right;
    if (right == 0)
        snprintf(text, (size_t)size, "r is 0 here, so is its norm, and 0 / 0 is no number");
    else if (r == 0 || norm == 0 || !isfinite(r) || !isfinite(norm))
        snprintf(text, (size_t)size, "%g is no float: divide in double, then round", o->r[i]);
}

static void describe_norm(const spw_trial *t, int64_t i, char *text, int size) {
    (void)i;
    const double norm = spw_kit_value(t, "norm");
    const vectors *o = (const vectors *)spw_kit_arguments(t);
    if (fabs(o->norm[0] - norm) <= FLOAT_DIGITS * norm)
        snprintf(text, (size_t)size, "right to 7 digits: correct needs it in double");
}

static const spw_argument of_round[] = {
    VALUES,
    SPW_FILLED(vectors, r, "n", .fill = fill_r),
    SPW_FILLED(vectors, parts, "blocks", .fill = fill_parts),
    SPW_OUTPUT(vectors, small, "n", .describe = describe_small),
    SPW_OUTPUT(vectors, norm, "1", .noun = "", .describe = describe_norm),
    {0}};

static void expect_round(spw_trial *t, const void *at) {
    const vectors *o = (const vectors *)at;
    const int64_t n = o->n;
    float *small = (float *)spw_kit_need(t, spw_trial_memory(t, n, sizeof *small));
    double *tolerance = spw_kit_doubles(t, n);
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (long double)o->r[i] * o->r[i];
    const double norm = (double)sqrtl(sum);
    for (int64_t i = 0; i < n; i++) {
        small[i] = norm > 0 ? (float)(o->r[i] / norm) : 0;
        tolerance[i] = 2 * (double)FLT_EPSILON * fabs((double)small[i]) + 1e-44;
    }
    spw_kit_quantity(t, ".norm", norm);
    spw_kit_expect(t, o->small, small, tolerance);
    spw_kit_expect_number(t, o->norm, norm, 1e-12 * norm);
}

SPW_CALL(call_round, round_residual, const vectors *o, o->n, o->blocks, o->parts, o->r, o->small,
         o->norm)
static const spw_kit round_kit = SPW_KIT_OF(
    of_round, vectors, call_round, expect_round, .parameters = "@blocks=1056*factor=1",
    .facts = "n = {n}, {blocks} blocks, r of size {factor}", .cost = "load 8 n; store 4 n; flop n");

/* --- correct ------------------------------------------------------------------------------------------- */

static void fill_norm(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)at, (void)n;
    *(double *)array = 3 * spw_kit_value(t, "factor");
}

static void fill_d(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)at;
    const uint64_t seed = spw_trial_seed(t) + 9;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        ((float *)array)[i] = (float)(spw_random_double(seed, (uint64_t)i) - 1.5);
}

static void fill_x(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)at;
    const double factor = fmax(1, spw_kit_value(t, "factor"));
    for (int64_t i = 0; i < n; i++) ((double *)array)[i] *= factor;
}

static void describe_x(const spw_trial *t, int64_t i, char *text, int size) {
    const vectors *o = (const vectors *)spw_kit_arguments(t);
    const double x = spw_kit_start(t, o->x)[i], by = *o->norm_in / o->scale * (double)o->d[i];
    if (fabs(o->x[i] - (x + by)) < FLOAT_DIGITS * (fabs(x) + fabs(by)))
        snprintf(text, (size_t)size,
                 "right to 7 digits: x is added up in double, and norm / scale is one");
}

static const spw_argument of_correct[] = {
    VALUES,
    SPW_FILLED(vectors, d, "n", .fill = fill_d),
    SPW_INPUT_AS("norm", vectors, norm_in, "1", .fill = fill_norm),
    SPW_START(vectors, x, "n", .fill = fill_x, .describe = describe_x),
    {0}};

static void expect_correct(spw_trial *t, const void *at) {
    const vectors *o = (const vectors *)at;
    double *d = spw_kit_doubles(t, o->n);
    for (int64_t i = 0; i < o->n; i++) d[i] = (double)o->d[i];
    const spw_combination right = {{1, *o->norm_in / o->scale}, NULL};
    spw_kit_expect_combination(t, o->x, o->n, (const double *[]){spw_kit_start(t, o->x), d, NULL},
                               &right, 1);
}

SPW_CALL(call_correct, correct, const vectors *o, o->n, o->blocks, o->scale, o->norm_in, o->d, o->x)
static const spw_kit correct_kit = SPW_KIT_OF(
    of_correct, vectors, call_correct, expect_correct, .parameters = "@blocks=1056*factor=1",
    .facts = "n = {n}, {blocks} blocks, norm of size {factor}",
    .cost = "load 12 n; store 8 n; flop 2 n");

/* --- the declaration ----------------------------------------------------------------------------------- */

/* clang-format off */
/* The first has another scale than 1, whatever its value: what is wrong with the scale shows there. */
static const char *const matrix_cases[] = {
    "one-by-one@*8", "no-rows", "no-columns", "no-entries", "empty-first-last", "every-length", "every-length@*1e60",
    "every-length@*1e-60", "dense-row", "rectangular-wide", "rectangular-tall", "prime", NULL};
static const char *const systems[] = {
    "one-by-one@1", "nothing@2", "zeros@2", "empty-first-last@3", "prime@2", "every-length@1", "laplace2d:33x31@20", NULL};
static const char *const lengths[] = {
    "1@1", "0@2", "257@1", "1009@3", "700@300", "1009@3*1e-60", "1009@3*1e60", "300@2*0", NULL};
static const char *const corrections[] = {
    "1@1", "0@2", "257@1", "1009@3", "700@5", "1009@3*1e-9", "1009@3*1e60", NULL};
/* clang-format on */

#define SIDE_BY_SIDE "neighbouring lanes must read neighbouring entries of the same row"
#define ALL_READ                                                                                   \
    "sectors are moved for a part of their bytes: in each step all lanes of the warp must\n"       \
    "read, neighbours from neighbours"
static const spw_sector_bound single_bounds[] = {
    SPW_A_REQUEST("float val", LOADS, 4.6, SIDE_BY_SIDE),
    SPW_AT_MOST("float val", LOADS, 2.5, ALL_READ),
    SPW_A_REQUEST("col_idx", LOADS, 4.6, SIDE_BY_SIDE),
    {0}};
static const spw_sector_bound residual_bounds[] = {
    SPW_A_REQUEST("val", LOADS, 8.5, SIDE_BY_SIDE),
    SPW_AT_MOST("val", LOADS, 2.5, ALL_READ),
    SPW_AT_MOST(
        "r", LOADS, 0.1,
        "r[i] is in a register when its row is done: add its square there, in the same loop"),
    SPW_A_BLOCK("parts", STORES, 1, "one thread of the block stores the block's sum"),
    {0}};
static const spw_sector_bound round_bounds[] = {
    SPW_A_REQUEST("r", LOADS, 8.5, "neighbours from neighbours"),
    SPW_A_REQUEST("small", STORES, 4.5, "neighbours to neighbours"),
    SPW_AT_MOST("parts", LOADS, 3,
                "every block reads all parts: let one block do it, in a launch before"),
    {0}};
static const spw_sector_bound correct_bounds[] = {
    SPW_A_REQUEST("d", LOADS, 4.5, "neighbours from neighbours"),
    SPW_A_REQUEST("x", LOADS, 8.5, "neighbours from neighbours"),
    {0}};

#define ON_DEVICE .on_device = true, .asynchronous = true, .target = 0.7
static const spw_part parts[] = {
    SPW_PART("spmv_single", matrix_cases, product_kit, .model = "spmv_single_cost",
             .bounds = single_bounds, .traffic = "stencil27:10x25x40",
             .speed = "stencil27:140", /* on a GPU: 0.6 GB */
             .takes_matrix = true, ON_DEVICE),
    SPW_PART("residual", systems, residual_kit, .model = "residual_cost", .claim = check_parts,
             .bounds = residual_bounds, .traffic = "stencil27:10x10x20@8",
             .speed = "stencil27:128", /* on a GPU: 0.7 GB */
             .takes_matrix = true, ON_DEVICE),
    SPW_PART("round_residual", lengths, round_kit, .bounds = round_bounds, .traffic = "10003@40",
             .speed = "60000000", /* on a GPU: 0.7 GB */
             ON_DEVICE),
    SPW_PART("correct", corrections, correct_kit, .bounds = correct_bounds, .traffic = "10003@40",
             .speed = "40000000", /* on a GPU: 0.8 GB */
             ON_DEVICE),
};

SPW_DRIVER(parts, .gpu = true)

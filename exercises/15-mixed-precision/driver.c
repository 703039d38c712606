/* Exercise 15: cases, true costs and explanations for float storage and iterative refinement, and the
 * conjugate gradients in float that refine may call, which look over its shoulder. */
#include "mixed_precision.h"

#include "base/memory.h"
#include "kernels/single.h"
#include "kernels/spmv.h"
#include "solvers/cg.h"
#include "solvers/refine.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double (*to_single_fn)(int64_t, const double *, float *);
typedef void (*spmv_fn)(const csr_single *, const double *, double *);
typedef int (*refine_fn)(const spw_csr *, const csr_single *, const double *, double, double *);
typedef spw_cost (*spmv_cost_fn)(const csr_single *);
typedef spw_cost (*refine_cost_fn)(const spw_csr *, int64_t, int64_t);

enum { MAX_CASES = 64, MISTAKES_UP_TO = 100000, MOST_CALLS = 40, MOST_ITERATIONS = 2000 };
static const double TOLERANCE = 1e-12;

/* What single_cg saw of a refinement. */
typedef struct record {
    int calls;
    int64_t iterations, least; /* of single_cg; what the driver's own refinement takes */
    double reduction;          /* of the last call */
    char finding[400];         /* the first thing that looked wrong */
    double *x, *d;             /* [n] x and the correction at the last call */
    double factor;             /* which brings that one to the size of r */
} record;

typedef struct problem {
    int64_t n; /* values of to_single */
    const double *val;
    float *single;
    double *scale;
    const spw_csr *A;
    const csr_single *S;
    const double *x; /* of the product; b of the refinement */
    double *y;       /* x of the refinement */
    int steps;       /* what refine returned, and what it ought to */
    int right_steps;
    bool hopeless;
    record *seen; /* NULL: nobody looks */
} problem;

static const problem *watched; /* by single_cg */
static jmp_buf enough;

/* --- matrices ---------------------------------------------------------------------------------------- */

static spw_status from_arrays(spw_idx n, spw_idx nz, const spw_idx *ptr, const spw_idx *col,
                              const double *val, spw_csr *A)
{
    const spw_status status = spw_csr_create(n, n, nz, A);
    if (status) return status;
    memcpy(A->row_ptr, ptr, (size_t)(n + 1) * sizeof *ptr);
    memcpy(A->col_idx, col, (size_t)nz * sizeof *col);
    memcpy(A->val, val, (size_t)nz * sizeof *val);
    return SPW_OK;
}

/* Symmetric positive definite, 5 x 5, sizes without a common factor. "singular" has in float two equal
 * rows. */
static spw_status literal(bool singular, spw_csr *A)
{
    static const spw_idx ptr[] = {0, 3, 5, 8, 11, 13};
    static const spw_idx col[] = {0, 1, 3, 0, 1, 2, 3, 4, 0, 2, 3, 2, 4};
    static const double val[] = {4.1, 0.7, -1.3, 0.7, 3.3, 5.7, 0.9, 1.1, -1.3, 0.9, 4.9, 1.1, 2.3};
    static const spw_idx two_ptr[] = {0, 2, 4}, two_col[] = {0, 1, 0, 1};
    static const double two_val[] = {1, 1 - 1e-9, 1 - 1e-9, 1};
    return singular ? from_arrays(2, 4, two_ptr, two_col, two_val, A)
                    : from_arrays(5, 13, ptr, col, val, A);
}

static void change(spw_csr *A, double factor, double shift)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= factor * (A->col_idx[k] == i ? 1 + shift : 1);
}

/* NAME, NAME*FACTOR (all values), NAME+SHIFT (the diagonal times 1 + SHIFT). Also /SIZE: of b. */
static spw_status matrix(const char *full_name, uint64_t seed, spw_csr *A, double *size)
{
    char name[512];
    double factor = 1, shift = 0;
    snprintf(name, sizeof name, "%s", full_name);
    *size = 1;
    char *at = strrchr(name, '@');
    if (at) {
        *at = 0;
        for (at++; *at;) {
            const char kind = *at++;
            const double value = strtod(at, &at);
            *(kind == '*' ? &factor : kind == '+' ? &shift : size) = value;
        }
    }
    spw_status status = SPW_OK;
    bool found = strcmp(name, "small") == 0 || strcmp(name, "singular-in-float") == 0;
    if (found) status = literal(*name != 's' || name[1] == 'i', A);
    if (!found) status = spw_csr_named(name, seed, A);
    if (!status) change(A, factor, shift);
    return status;
}

/* A in float as an input of the trial. A stays the trial's own. */
static const csr_single *single_of(spw_trial *t, const spw_csr *A)
{
    spw_csr_single S;
    if (spw_csr_single_from_csr(A, &S)) return NULL;
    const csr_single given = {
        A->n_rows,  A->n_cols,
        A->nnz,     A->row_ptr,
        A->col_idx, (const float *)spw_trial_adopt(t, "the float values", SPW_FLOAT, A->nnz, S.val),
        S.scale};
    if (!given.val) return NULL;
    return (const csr_single *)spw_trial_struct(t, "the float matrix", &given, sizeof given);
}

static void say(spw_trial *t, const spw_csr *A)
{
    if (A->nnz < 1000000)
        spw_trial_say(t, "%d x %d, nz %d", A->n_rows, A->n_cols, A->nnz);
    else
        spw_trial_say(t, "n = %.2f M, nz = %.1f M", A->n_rows * 1e-6, A->nnz * 1e-6);
    spw_trial_unit(t, "nz", A->nnz);
    spw_trial_unit(t, "n_rows", A->n_rows);
    if (A->n_cols != A->n_rows) spw_trial_unit(t, "n_cols", A->n_cols);
    spw_trial_unit(t, "(n_rows + 1)", A->n_rows + 1.0);
}

/* --- to_single --------------------------------------------------------------------------------------- */

static spw_status values(const char *name, uint64_t seed, int64_t *n, double **val)
{
    const bool large = strcmp(name, "hundred-thousand") == 0;
    const double size = strcmp(name, "huge") == 0 ? 1e60 : strcmp(name, "tiny") == 0 ? 1e-60 : 1;
    *n = strcmp(name, "none") == 0 ? 0 : strcmp(name, "one") == 0 ? 1 : large ? 100003 : 7;
    const spw_status status = SPW_ALLOC_ZERO(val, *n);
    if (status || strcmp(name, "zeros") == 0) return status;
    spw_case_vector(seed, *n, *val);
    /* the largest has a sign, and is nowhere near a power of two */
    if (*n == 1) (*val)[0] = -37.3;
    if (*n > 1) (*val)[1] = 5.3;
    if (*n > 1) (*val)[*n / 2] = strcmp(name, "largest-is-positive") == 0 ? 23.7 : -23.7;
    if (strcmp(name, "power-of-two") == 0) (*val)[3] = -32;
    for (int64_t k = 0; k < *n; k++) (*val)[k] *= size;
    return SPW_OK;
}

static void scale_mistake(spw_trial *t, const problem *p, double value, const char *text)
{
    spw_trial_mistake(t, p->scale, spw_trial_copy(t, &value, 1, sizeof value), text);
}

static void expect_scale_mistakes(spw_trial *t, const problem *p, double right)
{
    double largest = 0, highest = 0;
    int exponent;
    for (int64_t k = 0; k < p->n; k++) {
        largest = fmax(largest, fabs(p->val[k]));
        highest = fmax(highest, p->val[k]);
    }
    if (largest == 0) {
        scale_mistake(t, p, 0, "all values are 0, and nothing can be divided by 0: scale is 1");
        scale_mistake(t, p, 0.5, "all values are 0: scale is 1 then, by definition");
        return;
    }
    scale_mistake(t, p, 1,
                  "the values were taken as they are. A float ends at 3.4e38 and at 1e-45: values\n"
                  "beyond become infinite or 0. Divide by a power of two first");
    scale_mistake(t, p, largest,
                  "this is the largest |val[k]| itself. Divided by it, each value is rounded once\n"
                  "more: a power of two changes the exponent alone");
    scale_mistake(t, p, 2 * right,
                  "this is twice too large: frexp says 0.5 .. 1 times 2^e, and 1 .. 2 is wanted");
    scale_mistake(t, p, right / 2, "this is half of it: the largest must come out below 2");
    scale_mistake(t, p, 1 / right, "this is 1 / scale: val[k] = scale * single[k]");
    frexp(highest, &exponent);
    if (highest > 0)
        scale_mistake(t, p, ldexp(1, exponent - 1),
                      "this is right for the largest value, not for the largest |value|: signs");
    frexp(p->val[0], &exponent);
    scale_mistake(t, p, ldexp(1, exponent - 1),
                  "this is right for the first value, not for the largest");
}

/* Towards 0, as casts to a whole number do. */
static float cut_off(double v)
{
    const float f = (float)v;
    return fabs((double)f) > fabs(v) ? nextafterf(f, 0) : f;
}

static spw_status setup_to_single(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    double *val;
    if (!p) return SPW_ERR_MEMORY;
    const spw_status status = values(name, spw_trial_seed(t), &p->n, &val);
    if (status) return status;
    double largest = 0, scale = 1;
    for (int64_t k = 0; k < p->n; k++) largest = fmax(largest, fabs(val[k]));
    while (largest > 0 && largest / scale >= 2) scale *= 2;
    while (largest > 0 && largest / scale < 1) scale /= 2;
    spw_trial_say(t, "%" PRId64 " values, largest %.3g", p->n, largest);
    p->val = (const double *)spw_trial_adopt(t, "val", SPW_DOUBLE, p->n, val);
    p->scale = (double *)spw_trial_output(t, "scale", SPW_DOUBLE, 1); /* compared first */
    p->single = (float *)spw_trial_output(t, "single", SPW_FLOAT, p->n);
    float *right = (float *)spw_trial_memory(t, p->n, sizeof *right);
    float *cut = (float *)spw_trial_memory(t, p->n, sizeof *cut);
    float *plain = (float *)spw_trial_memory(t, p->n, sizeof *plain);
    if (!p->val || !p->single || !p->scale || !right || !cut || !plain) return SPW_ERR_MEMORY;
    for (int64_t k = 0; k < p->n; k++) {
        right[k] = (float)(p->val[k] / scale);
        cut[k] = cut_off(p->val[k] / scale);
        plain[k] = (float)p->val[k];
    }
    spw_trial_expect(t, p->single, (spw_expectation){.expected = right, .count = p->n});
    spw_trial_expect(t, p->scale,
                     (spw_expectation){.expected = spw_trial_copy(t, &scale, 1, sizeof scale),
                                       .count = 1,
                                       .noun = ""});
    spw_trial_mistake(t, p->single, cut, "the last bits were cut off: a cast to float rounds");
    spw_trial_mistake(t, p->single, plain,
                      "the values were not divided by scale: a float ends at 3.4e38 and at 1e-45");
    expect_scale_mistakes(t, p, scale);
    return SPW_OK;
}

static void call_to_single(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *p->scale = ((to_single_fn)f)(p->n, p->val, p->single);
}

/* --- spmv_single ------------------------------------------------------------------------------------- */

enum { UNSCALED, DIVIDED, FLOAT_X, FLOAT_PRODUCT, FLOAT_SUM, PRODUCTS };
static const char *const product_mistakes[PRODUCTS] = {
    [UNSCALED] = "the scale is missing: the entries of A are scale * val[k]",
    [DIVIDED] = "this was divided by scale: the entries of A are scale * val[k]",
    [FLOAT_X] = "x was rounded to float: it is a double, and stays one. Convert val[k], not x",
    [FLOAT_PRODUCT] = "each product was rounded to float: (double)val[k] * x[...], not\n"
                      "(float)(...). x and the sum stay in double",
    [FLOAT_SUM] = "the sum is kept in float: 8 digits of the 16 that double has. Only the values\n"
                  "are stored in float; arithmetic is in double",
};

static double wrong_row(const csr_single *S, const double *x, spw_idx i, int mistake)
{
    double sum = 0;
    float in_float = 0;
    for (spw_idx k = S->row_ptr[i]; k < S->row_ptr[i + 1]; k++) {
        const double xj = x[S->col_idx[k]];
        const double product = (double)S->val[k] * (mistake == FLOAT_X ? (double)(float)xj : xj);
        sum += mistake == FLOAT_PRODUCT ? (double)(float)product : product;
        in_float = (float)((double)in_float + product);
    }
    return mistake == UNSCALED    ? sum
           : mistake == DIVIDED   ? sum / S->scale
           : mistake == FLOAT_SUM ? S->scale * (double)in_float
                                  : S->scale * sum;
}

/* The expected product is that of the rounded values, taken as double ones. */
static spw_status expect_product(spw_trial *t, const problem *p)
{
    const csr_single *S = p->S;
    double *rounded = (double *)spw_trial_memory(t, S->nnz, sizeof *rounded);
    double *y = (double *)spw_trial_memory(t, S->n_rows, sizeof *y);
    double *tolerance = (double *)spw_trial_memory(t, S->n_rows, sizeof *tolerance);
    if (!rounded || !y || !tolerance) return SPW_ERR_MEMORY;
    for (spw_idx k = 0; k < S->nnz; k++) rounded[k] = S->scale * (double)S->val[k];
    spw_csr R = *p->A;
    R.val = rounded;
    spw_spmv_expected(&R, p->x, y, tolerance);
    spw_trial_expect(t, p->y,
                     (spw_expectation){
                         .expected = y, .tolerance = tolerance, .count = S->n_rows, .noun = "row"});
    if (S->nnz > MISTAKES_UP_TO) return SPW_OK;
    for (int m = 0; m < PRODUCTS; m++) {
        double *wrong = (double *)spw_trial_memory(t, S->n_rows, sizeof *wrong);
        if (!wrong) return SPW_ERR_MEMORY;
        for (spw_idx i = 0; i < S->n_rows; i++) wrong[i] = wrong_row(S, p->x, i, m);
        spw_trial_mistake(t, p->y, wrong, product_mistakes[m]);
    }
    return SPW_OK;
}

static spw_status setup_spmv(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    double size;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    const spw_status status = matrix(name, spw_trial_seed(t), &A, &size);
    if (status) return status;
    say(t, &A);
    p->A = spw_trial_csr(t, &A);
    if (!p->A) return SPW_ERR_MEMORY;
    p->S = single_of(t, p->A);
    p->x = spw_trial_random(t, "x", p->A->n_cols);
    p->y = (double *)spw_trial_output(t, "y", SPW_DOUBLE, p->A->n_rows);
    if (!p->S || !p->x || !p->y) return SPW_ERR_MEMORY;
    return spw_trial_checks(t) ? expect_product(t, p) : SPW_OK;
}

static void call_spmv(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((spmv_fn)f)(p->S, p->x, p->y);
}

static spw_cost predict_spmv(spw_trial *t, spw_function model)
{
    return ((spmv_cost_fn)model)(((const problem *)spw_trial_data(t))->S);
}

static spw_cost cost_spmv(const spw_trial *t)
{
    const spw_csr *A = ((const problem *)spw_trial_data(t))->A;
    return (spw_cost){.load = 8.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
                      .store = 8.0 * A->n_rows,
                      .flop = 2.0 * A->nnz};
}

static void explain_spmv(const spw_trial *t, spw_cost got, char *text, int size)
{
    const spw_csr *A = ((const problem *)spw_trial_data(t))->A;
    const double nz = A->nnz, r = A->n_rows, c = A->n_cols;
    const spw_known_cost known[] = {
        {4 * nz, 0, 0,
         "this is the product with double values: here a value has 4 bytes, and the\n"
         "column as many, 8 bytes an entry"},
        {-2 * nz, 0, 0,
         "half of 12 bytes would be 6, but the column of an entry keeps its 4 bytes"},
        {-4 * nz, 0, 0, "the column of each entry has to be loaded as well as its value"},
        {-4 * c, -4 * r, 0, "x and y are double: 8 bytes. Only the matrix is float"},
        {-4 * c, 0, 0, "x is double: 8 bytes. Only the matrix is float"},
        {0, -4 * r, 0, "y is double: 8 bytes. Only the matrix is float"},
        {8 * r, 0, 0, "y is written, not read"},
        {-4 * (r + 1), 0, 0, "row_ptr has to be loaded too: n_rows + 1 entries of 4 bytes"},
        {-4, 0, 0, "row_ptr has one entry more than there are rows"},
        {-8 * c, 0, 0, "x has to be loaded too: 8 bytes a column"},
        {8 * (nz - c), 0, 0,
         "x is counted once for each entry: at the least each x[j] is loaded once"},
        {0, 0, -nz, "each entry costs a multiplication and an addition: 2 flop"},
        {0, 0, r, "the factor scale, one flop a row, is not counted: it could be put into x"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_spmv(t), 0.5, text, size);
}

static void double_values(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_spmv_csr_omp(p->A, p->x, p->y);
}

static spw_csr_single view_of(const csr_single *S)
{
    return (spw_csr_single){.n_rows = S->n_rows,
                            .n_cols = S->n_cols,
                            .nnz = S->nnz,
                            .row_ptr = S->row_ptr,
                            .col_idx = S->col_idx,
                            .val = (float *)(uintptr_t)S->val,
                            .scale = S->scale};
}

static void library_spmv(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_csr_single S = view_of(p->S);
    spw_spmv_mixed_omp(&S, p->x, p->y);
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < S.n_rows; i++) p->y[i] *= S.scale;
}

/* --- what refine hands to single_cg -------------------------------------------------------------------- */

static void find(record *seen, const char *format, ...) SPW_PRINTF(2, 3);

#include <stdarg.h>
static void find(record *seen, const char *format, ...)
{
    if (seen->finding[0]) return;
    va_list args;
    va_start(args, format);
    vsnprintf(seen->finding, sizeof seen->finding, format, args);
    va_end(args);
}

/* t = b - A x, of the values of A or of those of S. */
static void residual(const problem *p, bool rounded, const double *x, double *t)
{
    for (spw_idx i = 0; i < p->A->n_rows; i++) {
        long double sum = p->x[i];
        for (spw_idx k = p->A->row_ptr[i]; k < p->A->row_ptr[i + 1]; k++)
            sum -= (long double)(rounded ? p->S->scale * (double)p->S->val[k] : p->A->val[k]) *
                   x[p->A->col_idx[k]];
        t[i] = (double)sum;
    }
}

static double norm_of(int64_t n, const double *v)
{
    double largest = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    for (int64_t i = 0; i < n && largest > 0; i++) sum += v[i] / largest * (v[i] / largest);
    return largest * sqrt(sum);
}

/* The factor f for which r is nearest to f t; *error: what is left of r then, relative to t. */
static double factor_of(int64_t n, const float *r, const double *t, double *error)
{
    const double norm = norm_of(n, t);
    double r_t = 0, t_t = 0, left = 0;
    for (int64_t i = 0; i < n && norm > 0; i++) {
        r_t += (double)r[i] * (t[i] / norm);
        t_t += t[i] / norm * (t[i] / norm);
    }
    const double f = t_t > 0 ? r_t / t_t : 0;
    for (int64_t i = 0; i < n && f != 0; i++)
        left += pow((double)r[i] / f - (norm > 0 ? t[i] / norm : 0), 2);
    *error = f != 0 ? sqrt(left) : 1;
    return norm > 0 ? f / norm : 0;
}

static void look_at_size(const problem *p, const float *r)
{
    double largest = 0;
    bool finite = true;
    for (int64_t i = 0; i < p->A->n_rows; i++) {
        finite = finite && isfinite(r[i]);
        largest = fmax(largest, fabs((double)r[i]));
    }
    if (!finite)
        find(p->seen, "the r that single_cg was given holds infinities or NaN: a float ends at "
                      "3.4e38.\nDivide the residual by its norm first, and multiply the correction "
                      "by it");
    else if (largest < 1e-30)
        find(p->seen,
             "the r that single_cg was given is at most %.1e: its squares are 0 in float, and\n"
             "below 1e-45 r is, too. Divide the residual by its norm first, and multiply the\n"
             "correction by it",
             largest);
}

/* Has x changed as it should since the last call? */
static void look_at_x(const problem *p)
{
    const record *seen = p->seen;
    const int64_t n = p->A->n_rows;
    const double *x = p->y;
    bool same = true, replaced = true, floats = true, unscaled = true, negative = true,
         opposite = true;
    double step = 0;
    for (int64_t i = 0; i < n; i++) step = fmax(step, fabs(seen->d[i]));
    const double eps = 1e-4 * step / seen->factor;
    for (int64_t i = 0; i < n; i++) {
        const double by = x[i] - seen->x[i], d = seen->d[i] / seen->factor;
        same = same && x[i] == seen->x[i];
        replaced = replaced && fabs(x[i] - d / p->S->scale) <= eps / p->S->scale;
        floats = floats && x[i] == (double)(float)x[i];
        unscaled = unscaled && fabs(by - d) <= eps;
        opposite = opposite && fabs(by + d / p->S->scale) <= eps / p->S->scale;
        negative = negative && fabs(by - seen->d[i] / p->S->scale) <= 1e-4 * step / p->S->scale;
    }
    if (same)
        find(p->seen, "x is as it was at the last call: the correction d was not added to it");
    else if (replaced && seen->calls > 1)
        find(p->seen, "x is the last correction alone: it is added, x += d, not put in its place");
    else if (opposite)
        find(p->seen, "the correction was subtracted: r = b - A x asks for x += d");
    else if (unscaled && p->S->scale != 1)
        find(p->seen,
             "the correction is of the wrong size: single_cg does not look at S->scale (here\n"
             "%.3g). It solves val * d = r, and A is scale * val: divide d by scale",
             p->S->scale);
    else if (negative && fabs(seen->factor - 1) > 1e-3)
        find(p->seen, "r was divided by its norm, and d was not multiplied by it");
    else if (floats && n > 1)
        find(p->seen,
             "all of x are numbers that fit a float: the correction was added in float. x keeps\n"
             "the digits that all corrections have found, and needs a double for it");
}

static void look_at_r(const problem *p, const float *r)
{
    const int64_t n = p->A->n_rows;
    record *seen = p->seen;
    double *t = malloc((size_t)n * sizeof *t), error, rounded;
    if (!t) return;
    residual(p, false, p->y, t);
    const double norm = norm_of(n, t), norm_b = norm_of(n, p->x);
    double factor = factor_of(n, r, t, &error);
    if (factor < 0 && error < 1e-3)
        find(seen, "r is A x - b, and x is meant to grow by d: it must be b - A x");
    if (error > 1e-5) {
        residual(p, true, p->y, t);
        factor_of(n, r, t, &rounded);
        double of_b;
        factor_of(n, r, p->x, &of_b);
        if (seen->calls > 0 && of_b < 1e-6)
            find(
                seen,
                "at call %d the r that single_cg was given is b still: subtract A x of the x that\n"
                "there is by now, in double, before each call",
                seen->calls + 1);
        else if (rounded < 0.1 * error)
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
    seen->factor = factor;
    free(t);
}

/* Before single_cg runs, in the checks. */
static void look(const problem *p, const float *r)
{
    const int64_t n = p->A->n_rows;
    double largest = 0;
    bool nan = false;
    look_at_size(p, r);
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(p->y[i]));
        nan = nan || isnan(p->y[i]);
    }
    if (p->seen->calls == 0 && (largest > 0 || nan))
        find(p->seen, "x is not 0 when single_cg is called first: it holds garbage on entry");
    if (nan || !isfinite(largest) || p->seen->finding[0]) return;
    if (p->seen->calls > 0) look_at_x(p);
    look_at_r(p, r);
}

static int conjugate_gradients(const csr_single *S, const float *r_given, double reduction,
                               float *d)
{
    const spw_csr_single A = view_of(S);
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
        spw_direction_single_omp(n, iterations ? (float)(rho / old) : 0, r, p);
        const double p_q = spw_spmv_dot_single_omp(&A, p, q);
        if (!(p_q > 0)) break;
        old = rho;
        rho = spw_cg_step_single_omp(n, (float)(rho / p_q), p, q, d, r);
        iterations++;
    }
end:
    spw_free(p);
    spw_free(q);
    spw_free(r);
    return iterations;
}

int single_cg(const csr_single *S, const float *r, double reduction, float *d)
{
    record *seen = watched ? watched->seen : NULL;
    if (!seen) return conjugate_gradients(S, r, reduction, d);
    look(watched, r);
    const int iterations = conjugate_gradients(S, r, reduction, d);
    const int64_t n = S->n_rows;
    memcpy(seen->x, watched->y, (size_t)n * sizeof *seen->x);
    for (int64_t i = 0; i < n; i++) seen->d[i] = (double)d[i];
    seen->calls++;
    seen->iterations += iterations;
    seen->reduction = reduction;
    /* It may go on for ever: back to where refine was called from. */
    if (seen->calls >= MOST_CALLS) longjmp(enough, 1);
    return iterations;
}

/* --- refine ------------------------------------------------------------------------------------------- */

/* The driver's own, which knows how many steps and iterations there ought to be. */
static spw_status own_refinement(const problem *p, int *steps, int64_t *iterations)
{
    const int64_t n = p->A->n_rows;
    double *x = NULL, *t = NULL;
    float *r = NULL, *d = NULL;
    spw_status status = SPW_ALLOC_ZERO(&x, n);
    if (!status) status = SPW_ALLOC_ZERO(&t, n);
    if (!status) status = SPW_ALLOC_ZERO(&r, n);
    if (!status) status = SPW_ALLOC_ZERO(&d, n);
    const double norm_b = norm_of(n, p->x);
    double last = INFINITY;
    *iterations = *steps = 0;
    for (; !status; ++*steps) {
        spw_spmv_csr_omp(p->A, x, t);
        for (int64_t i = 0; i < n; i++) t[i] = p->x[i] - t[i];
        const double norm = norm_of(n, t);
        if (norm <= TOLERANCE * norm_b || !(norm < last / 2)) break;
        last = norm;
        for (int64_t i = 0; i < n; i++) r[i] = (float)(t[i] / norm);
        *iterations += conjugate_gradients(p->S, r, 1e-4, d);
        for (int64_t i = 0; i < n; i++) x[i] += norm / p->S->scale * (double)d[i];
    }
    spw_free(x);
    spw_free(t);
    spw_free(r);
    spw_free(d);
    return status;
}

static spw_status setup_refine(spw_trial *t, const char *name)
{
    spw_csr A = {0};
    double size;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    spw_status status = matrix(name, spw_trial_seed(t), &A, &size);
    if (status) return status;
    say(t, &A);
    const int64_t n = A.n_rows;
    p->hopeless = strncmp(name, "singular", 8) == 0;
    p->A = spw_trial_csr(t, &A);
    if (!p->A) return SPW_ERR_MEMORY;
    p->S = single_of(t, p->A);
    double *b = (double *)spw_trial_input(t, "b", SPW_DOUBLE, n);
    p->y = (double *)spw_trial_output(t, "x", SPW_DOUBLE, n);
    p->seen = (record *)spw_trial_memory(t, 1, sizeof *p->seen);
    if (!p->S || !b || !p->y || !p->seen) return SPW_ERR_MEMORY;
    spw_case_vector(spw_trial_seed(t), n, b);
    for (int64_t i = 0; i < n; i++) b[i] *= size;
    p->x = b;
    status = own_refinement(p, &p->right_steps, &p->seen->least);
    if (status) return status;
    p->seen->x = (double *)spw_trial_memory(t, n, sizeof *b);
    p->seen->d = (double *)spw_trial_memory(t, n, sizeof *b);
    return p->seen->x && p->seen->d ? SPW_OK : SPW_ERR_MEMORY;
}

static void call_refine(spw_trial *t, spw_function f)
{
    problem *p = (problem *)spw_trial_data(t);
    record *seen = p->seen;
    *seen = (record){.x = seen->x, .d = seen->d, .least = seen->least};
    watched = spw_trial_checks(t) && p->A->n_rows <= MISTAKES_UP_TO ? p : NULL;
    p->steps = -2; /* it did not return */
    if (!watched || !setjmp(enough)) p->steps = ((refine_fn)f)(p->A, p->S, p->x, TOLERANCE, p->y);
    watched = NULL;
}

static void check_hopeless(spw_trial *t, const problem *p)
{
    const record *seen = p->seen;
    if (seen->calls >= MOST_CALLS)
        spw_trial_fail(t,
                       "single_cg was called %d times, and there was no end of it: if a correction "
                       "does not\nhalve ||b - A x||, the next one will not either. Return -1 then",
                       seen->calls);
    else if (p->steps != -1)
        spw_trial_fail(
            t,
            "refine returned %d, expected -1: rounded to float this matrix has two equal "
            "rows, so\nthat a correction cannot halve ||b - A x||. Say so, do not claim "
            "an answer",
            p->steps);
}

static void check_work(spw_trial *t, const problem *p)
{
    const record *seen = p->seen;
    if (norm_of(p->A->n_rows, p->x) == 0 && p->steps != 0)
        spw_trial_fail(
            t,
            "refine returned %d, expected 0: b is 0, and so is x, without a step. Do not "
            "divide\nby ||b||",
            p->steps);
    else if (p->steps == -1)
        spw_trial_fail(t,
                       "refine returned -1, but ||b - A x|| is below %.0e ||b||: what is compared "
                       "with what?",
                       TOLERANCE);
    else if (seen->calls == 0)
        return;
    else if (p->steps != seen->calls)
        spw_trial_fail(t, "refine returned %d, and single_cg was called %d times", p->steps,
                       seen->calls);
    else if ((double)seen->iterations > 1.4 * (double)seen->least + 6 && seen->reduction < 1e-6)
        spw_trial_fail(t,
                       "right, but single_cg took %" PRId64 " iterations, where %" PRId64
                       " do: it was asked to reduce\nthe residual to %.0e. Float has 7 digits: "
                       "below some 1e-6 the iterations gain nothing.\nAsk for 1e-2 to 1e-4, and "
                       "come back",
                       seen->iterations, seen->least, seen->reduction);
    else if (seen->calls > 3 * p->right_steps + 1)
        spw_trial_fail(t,
                       "right, but with %d corrections, where %d do: single_cg was asked to reduce "
                       "the residual\nto %.2g only. Each correction costs a product in double and "
                       "throws the direction of\nsearch away. Ask for 1e-2 to 1e-4",
                       seen->calls, p->right_steps, seen->reduction);
}

static void check_refine(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *p = (const problem *)spw_trial_data(t);
    const int64_t n = p->A->n_rows;
    const record *seen = p->seen;
    double *r = malloc((size_t)(n ? n : 1) * sizeof *r);
    if (!r) return;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(p->y[i])) {
            spw_trial_fail(t, "x[%" PRId64 "] is %g.\n%s", i, p->y[i],
                           seen->finding[0] ? seen->finding
                           : seen->calls == 0 && norm_of(n, p->x) > 0
                               ? "x holds garbage on entry: it begins at 0"
                           : norm_of(n, p->x) == 0.0 ? "b is 0, and so is x: do not divide by ||b||"
                                                     : "Something was divided by 0, or overflowed");
            goto end;
        }
    if (p->hopeless) {
        check_hopeless(t, p);
        goto end;
    }
    residual(p, false, p->y, r);
    const double norm_b = norm_of(n, p->x), norm = norm_of(n, r);
    if (!(norm <= 1.5 * TOLERANCE * norm_b)) {
        if (seen->calls > 0) look_at_x(p);
        const bool once = seen->calls == 1 && norm < 0.05 * norm_b;
        spw_trial_fail(
            t, "||b - A x|| is %.1e ||b||, expected at most %.0e; refine returned %d.\n%s",
            norm_b > 0 ? norm / norm_b : norm, TOLERANCE, p->steps,
            seen->calls == 0 && norm_b > 0 && n <= MISTAKES_UP_TO ? "single_cg was never called"
            : seen->finding[0]                                    ? seen->finding
            : once         ? "single_cg was called once. One solution in float is right to what\n"
                             "float can do: compute b - A x anew, in double, and solve again"
            : p->steps < 0 ? "It gave up: too early?"
                           : "It took this for done: what is compared with what?");
    } else
        check_work(t, p);
end:
    free(r);
}

static spw_cost whole_cost(const spw_csr *A, double steps, double iterations)
{
    const double nz = A->nnz, n = A->n_rows;
    const spw_cost again = {12 * nz + 4 * (n + 1) + 16 * n, 8 * n, 2 * nz + 3 * n};
    const spw_cost correct = {20 * n, 12 * n, 3 * n};
    const spw_cost iteration = {8 * nz + 4 * (n + 1) + 28 * n, 16 * n, 2 * nz + 10 * n};
    return (spw_cost){
        (steps + 1) * again.load + steps * correct.load + iterations * iteration.load,
        (steps + 1) * again.store + steps * correct.store + iterations * iteration.store,
        (steps + 1) * again.flop + steps * correct.flop + iterations * iteration.flop,
    };
}

static spw_cost cost_refine(const spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    return whole_cost(p->A, p->right_steps, (double)p->seen->least);
}

static spw_cost predict_refine(spw_trial *t, spw_function model)
{
    const problem *p = (const problem *)spw_trial_data(t);
    return ((refine_cost_fn)model)(p->A, p->right_steps, p->seen->least);
}

static void explain_refine(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const double nz = p->A->nnz, n = p->A->n_rows, s = p->right_steps, its = (double)p->seen->least;
    const spw_cost one = whole_cost(p->A, 0, 0);
    const spw_cost round = {8 * n, 4 * n, n}, add = {12 * n, 8 * n, 2 * n};
    const spw_known_cost known[] = {
        {-one.load, -one.store, -one.flop,
         "the last residual, which says that x is good enough, is computed too: there are\n"
         "steps + 1 of them"},
        {4 * nz * its, 0, 0,
         "the iterations read float values: 8 bytes an entry with its column, not 12"},
        {-4 * nz * (s + 1), 0, 0, "the residuals are computed in double: 12 bytes an entry"},
        {4 * nz * its + 28 * n * its, 16 * n * its, 0,
         "this is an iteration in double: here its vectors have 4 bytes an element, too"},
        {28 * n * its, 16 * n * its, 0,
         "the vectors of an iteration are float: 4 bytes an element"},
        {round.load, round.store, round.flop,
         "there are steps + 1 residuals, but the last one is not rounded: nothing comes after it"},
        {round.load + add.load, round.store + add.store, round.flop + add.flop,
         "there are steps + 1 residuals, but only so many corrections as there are steps"},
        {-4 * (n + 1) * (its + s + 1), 0, 0, "row_ptr is read as well, 4 (n + 1) bytes a product"},
        {-4 * (its + s + 1), 0, 0, "row_ptr has one entry more than there are rows"},
        {-s * 20 * n, -s * 12 * n, -s * 3 * n,
         "a correction costs more than the residual: r is rounded, and x += d"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, whole_cost(p->A, s, its), 0.5,
                        text, size);
}

static void in_double(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_operator A = {0};
    spw_solve_result result = {0};
    memset(p->y, 0, (size_t)p->A->n_rows * sizeof *p->y);
    if (spw_operator_from_csr(p->A, &A) ||
        spw_cg(&A, p->x, p->y, &(spw_solve_options){.tolerance = TOLERANCE}, &result))
        spw_trial_fail(t, "conjugate gradients in double: %s", spw_message());
    spw_solve_result_destroy(&result);
    spw_operator_destroy(&A);
}

static void library_refine(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_csr_single S = view_of(p->S);
    spw_operator A = {0};
    spw_operator_single in_single;
    spw_solve_result result = {0};
    memset(p->y, 0, (size_t)p->A->n_rows * sizeof *p->y);
    if (spw_operator_from_csr(p->A, &A) || spw_operator_single_from_csr(&S, &in_single) ||
        spw_refine(&A, &in_single, p->x, p->y, &(spw_solve_options){.tolerance = TOLERANCE},
                   &result))
        spw_trial_fail(t, "refinement in the library: %s", spw_message());
    spw_solve_result_destroy(&result);
    spw_operator_destroy(&A);
}

/* --- the declaration ---------------------------------------------------------------------------------- */

static const char *const value_cases[] = {"largest-is-positive",
                                          "largest-is-negative",
                                          "one",
                                          "zeros",
                                          "power-of-two",
                                          "huge",
                                          "tiny",
                                          "none",
                                          "hundred-thousand",
                                          NULL};

static const char *matrix_cases[MAX_CASES] = {"small", "small@*1e60", "small@*1e-60"};

static const char *const system_cases[] = {"small",
                                           "small@=0",
                                           "tridiag:13",
                                           "fem1:6@+0.5",
                                           "laplace2d:20x17",
                                           "fem1:9",
                                           "fem1:6@+0.5*1e60",
                                           "fem1:6@+0.5*1e-60",
                                           "small@=1e60",
                                           "small@=1e-60",
                                           "stencil27:9@+0.1=1e-50",
                                           "singular-in-float",
                                           NULL};

static const spw_part parts[] = {
    {.function = "to_single",
     .cases = value_cases,
     .setup = setup_to_single,
     .call = call_to_single},
    {.function = "spmv_single",
     .model = "spmv_single_cost",
     .cases = matrix_cases,
     .setup = setup_spmv,
     .call = call_spmv,
     .predict = predict_spmv,
     .cost = cost_spmv,
     .explain_model = explain_spmv,
     .speed = "stencil27:120",
     .traffic = "stencil27:60",
     .takes_matrix = true,
     .target = 0.75,
     .baseline = {"double values", double_values},
     .stretch = {"library, with prefetch", library_spmv}},
    {.function = "refine",
     .model = "refine_cost",
     .cases = system_cases,
     .setup = setup_refine,
     .call = call_refine,
     .claim = check_refine,
     .predict = predict_refine,
     .cost = cost_refine,
     .explain_model = explain_refine,
     .speed = "fem1:64@+0.3",
     .target = 0.7,
     .baseline = {"CG in double to 1e-12", in_double},
     .stretch = {"library, keeps directions", library_refine}},
};

static const char *const forbidden[] = {"spw_refine", "spw_cg", "spw_pcg",
                                        "spw_csr_single_from_csr", NULL};

int main(int argc, char **argv)
{
    int n = 3;
    for (int c = 0; c < spw_csr_case_count() && n < MAX_CASES - 1; c++)
        matrix_cases[n++] = spw_csr_case_name(c);
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 3, .forbidden = forbidden}, argc,
                     argv);
}

/* Exercise 12, GPU part: cases, true costs, bounds on the traffic and explanations for a PCG step whose
 * numbers stay on the device, and for preconditioners that are parallel in all rows. */
#include "pcg_gpu.h"

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

typedef void (*step_fn)(int64_t, int, const double *, const double *, double *, double *, double *,
                        double *, double *, double *);
typedef void (*blocks_fn)(int64_t, int, const double *, const double *, double *);
typedef spw_cost (*cost_fn)(double, double, double);
typedef void (*chebyshev_fn)(spw_csr, const double *, double, double, int, const double *, double *,
                             double *, double *, double *);
typedef void (*levels_fn)(spw_csr, const double *, int, const spw_idx *, const spw_idx *,
                          const double *, double *);
typedef void (*neumann_fn)(spw_csr, const double *, int, const double *, double *, double *);

enum { WARP = 32, MOST_BLOCKS = 1056, LARGE = 1000000 };

/* What numbers and the second half of parts hold on entry where they are garbage: known, so that its use is
 * recognised. */
static const double old_alpha = 0.3125, old_beta = -0.4375, old_r_r = 77.25, old_part = -12345.625;

static const double low = 0.25, high = 1.75;

typedef struct problem {
    const spw_csr *A; /* or the triangle without its diagonal */
    int64_t n;
    int size; /* of the case: blocks of the grid, rows of a block, or the degree */
    bool solved;
    const double *inverse, *q, *r_in;
    double *x, *r, *z, *p, *parts, *numbers, *residual, *step, *other;
    double alpha, rho, r_z, r_r; /* rho on entry, the sums of the new r */
    double r_z_slack;
    int n_levels;
    spw_idx *level_ptr;
    const spw_idx *row;
} problem;

static problem *of(const spw_trial *t)
{
    return (problem *)spw_trial_data(t);
}

static double *input(spw_trial *t, const char *name, int64_t n)
{
    return (double *)spw_trial_input(t, name, SPW_DOUBLE, n);
}

static spw_status expect(spw_trial *t, const double *array, int64_t n, const double *expected,
                         const double *tolerance)
{
    if (!expected || !tolerance) return SPW_ERR_MEMORY;
    spw_trial_expect(t, array,
                     (spw_expectation){.expected = expected, .tolerance = tolerance, .count = n});
    return SPW_OK;
}

/* Of an array whose mistakes may have grown into infinities. */
static void mistake(spw_trial *t, const double *array, int64_t n, const double *values,
                    const char *text)
{
    if (values && spw_system_finite(n, values)) spw_trial_mistake(t, array, values, text);
}

static double *filled(spw_trial *t, int64_t n, double value)
{
    double *x = spw_trial_doubles(t, n);
    for (int64_t i = 0; x && i < n; i++) x[i] = value;
    return x;
}

/* a x + b y in a new array. */
static double *combined(spw_trial *t, double a, const double *x, double b, const double *y)
{
    const int64_t n = of(t)->n;
    double *sum = spw_trial_doubles(t, n);
    for (int64_t i = 0; sum && i < n; i++) sum[i] = a * x[i] + b * y[i];
    return sum;
}

static double *times(spw_trial *t, const double *x, const double *y)
{
    const int64_t n = of(t)->n;
    double *product = spw_trial_doubles(t, n);
    for (int64_t i = 0; product && i < n; i++) product[i] = x[i] * y[i];
    return product;
}

/* --- a case: NAME@SIZE ------------------------------------------------------------------------------ */

static problem *begin(spw_trial *t, const char *name, char *rest, size_t room_for, int size)
{
    problem *d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    if (!d) return NULL;
    snprintf(rest, room_for, "%s", name);
    d->size = size;
    char *at = strchr(rest, '@');
    if (!at) return d;
    *at = 0;
    d->size = (int)strtol(at + 1, &at, 10);
    d->solved = *at == ',';
    return d;
}

/* n x n without an entry. */
static spw_status empty(spw_idx n, spw_csr *A)
{
    const spw_status status = spw_csr_create(n, n, 0, A);
    for (spw_idx i = 0; !status && i <= n; i++) A->row_ptr[i] = 0;
    return status;
}

static spw_status matrix(const char *name, uint64_t seed, spw_csr *A)
{
    return strcmp(name, "zeros") == 0 ? empty(300, A) : spw_system_load(name, seed, A);
}

/* An inverse of which no two entries are alike, so small that nothing grows: |inverse A| rows add up to 0.9
 * at most. */
static double *inverse_of(spw_trial *t, const spw_csr *A)
{
    const int64_t n = A->n_rows;
    double *inverse = input(t, "inverse", n);
    if (!inverse) return NULL;
    spw_case_vector(spw_trial_seed(t) + 5, n, inverse);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += fabs(A->val[k]);
        inverse[i] = 0.6 * fabs(inverse[i]) / (sum > 0 ? sum : 1);
    }
    return inverse;
}

/* Keeps what is below the diagonal. */
static spw_status keep_lower(spw_csr *A)
{
    spw_csr L;
    spw_idx nnz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) nnz += A->col_idx[k] < i;
    const spw_status status = spw_csr_create(A->n_rows, A->n_rows, nnz, &L);
    nnz = 0;
    for (spw_idx i = 0; !status && i < A->n_rows; i++) {
        L.row_ptr[i] = nnz;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            if (A->col_idx[k] >= i) continue;
            L.col_idx[nnz] = A->col_idx[k];
            L.val[nnz++] = A->val[k];
        }
    }
    if (!status) L.row_ptr[A->n_rows] = nnz;
    spw_csr_destroy(A);
    *A = L;
    return status;
}

static spw_status begin_system(spw_trial *t, const char *name, int size, bool triangle)
{
    char rest[128];
    spw_csr A;
    problem *d = begin(t, name, rest, sizeof rest, size);
    if (!d) return SPW_ERR_MEMORY;
    spw_status status = matrix(rest, spw_trial_seed(t), &A);
    if (!status && triangle) status = keep_lower(&A);
    if (status) return status;
    spw_trial_unit(t, "n", A.n_rows);
    spw_trial_unit(t, "nz", A.nnz);
    d->n = A.n_rows;
    d->A = spw_trial_csr(t, &A);
    d->inverse = d->A ? inverse_of(t, d->A) : NULL;
    return d->inverse ? SPW_OK : SPW_ERR_MEMORY;
}

/* left = b - A x of row i, without what comes from the diagonal of A if there is none. */
static double left_of(const spw_csr *A, int64_t i, double b, double sign, const double *x)
{
    double sum = 0;
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += A->val[k] * x[A->col_idx[k]];
    return b - sign * sum;
}

/* --- pcg_step --------------------------------------------------------------------------------------- */

static double sum_of(const problem *d, const double *x, const double *y, double *size)
{
    long double sum = 0, all = 0;
    for (int64_t i = 0; i < d->n; i++) {
        sum += (long double)x[i] * y[i];
        all += fabsl((long double)x[i] * y[i]);
    }
    if (size) *size = (double)all;
    return (double)sum;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void direction_mistakes(spw_trial *t, const double *p, const double *r, const double *old_r,
                               const double *z)
{
    const problem *d = of(t);
    const double beta = ratio(d->r_z, d->rho), of_r_r = ratio(d->r_r, d->rho);
    const double stale = ratio(sum_of(d, old_r, z, NULL), d->rho);
    const double first = ratio(spw_share_dot(d->n, r, z, d->size, 1), d->rho);
    const struct {
        double beta;
        const double *from;
        const char *text;
    } known[] = {
        {beta, r, "this is r + beta p: with a preconditioner p follows z"},
        {of_r_r, z, "this is beta = r.r / rho, CG's own: with M it is r.z / rho"},
        {old_beta, z,
         "this is the beta of the step before: beta_kernel has to be launched between update and\n"
         "direction"},
        {0, z, "beta is 0, or was never computed: this is p = z"},
        {1, z, "beta is 1: rho was overwritten before r.z was divided by it"},
        {ratio(d->rho, d->r_z), z, "this is beta = rho / r.z, upside down"},
        {-beta, z, "the sign of beta is wrong"},
        {stale, z, "this beta has z times the r on entry: add up with the new r"},
        {first, z, "this beta has the part of block 0 alone: r.z is the sum of all parts"},
    };
    for (size_t m = 0; m < sizeof known / sizeof known[0]; m++)
        mistake(t, d->p, d->n, combined(t, 1, known[m].from, known[m].beta, p), known[m].text);
}

static void update_mistakes(spw_trial *t, const double *x, const double *r, const double *p,
                            const double *left)
{
    const problem *d = of(t);
    const double a = d->alpha;
    mistake(t, d->x, d->n, combined(t, 1, x, old_alpha, p),
            "this is the alpha of the step before: alpha_kernel has to be launched before update");
    mistake(t, d->x, d->n, combined(t, 1, x, -a, p), "the sign is wrong: this is x - alpha p");
    mistake(t, d->x, d->n, combined(t, 1, x, a, d->q), "x moves along p, not along q");
    mistake(t, d->r, d->n, combined(t, 1, r, a, d->q), "the sign is wrong: this is r + alpha q");
    mistake(t, d->r, d->n, combined(t, 1, r, -a, p), "r falls by alpha q, not by p");
    mistake(t, d->z, d->n, times(t, d->inverse, r),
            "this is M^-1 times the r on entry, a stale residual: z follows from the new r");
    mistake(t, d->z, d->n, combined(t, 1, left, 0, left), "this is r itself: inverse is missing");
    double *divided = spw_trial_doubles(t, d->n);
    for (int64_t i = 0; divided && i < d->n; i++) divided[i] = left[i] / d->inverse[i];
    mistake(t, d->z, d->n, divided, "inverse is 1 / diagonal already: multiply by it");
}

static void describe_p(const spw_trial *t, int64_t i, char *text, int size)
{
    (void)i;
    if (of(t)->solved)
        snprintf(text, (size_t)size,
                 "r is 0, so r.z and rho are: 0 / 0 is no number, beta is 0 then");
}

static spw_status expect_step(spw_trial *t, const double *x, const double *r, const double *p)
{
    problem *d = of(t);
    const int64_t n = d->n;
    const double *left = combined(t, 1, r, -d->alpha, d->q);
    const double *z = left ? times(t, d->inverse, left) : NULL;
    double size = 0;
    if (!z) return SPW_ERR_MEMORY;
    d->r_z = sum_of(d, left, z, &size);
    d->r_r = sum_of(d, left, left, NULL);
    d->r_z_slack = 1e-12 * size;
    const double beta = ratio(d->r_z, d->rho), most = 4 * (1 + fabs(d->alpha)) * 1e-14;
    spw_status status = expect(t, d->x, n, combined(t, 1, x, d->alpha, p), filled(t, n, most));
    if (!status) status = expect(t, d->r, n, left, filled(t, n, most));
    if (!status) status = expect(t, d->z, n, z, filled(t, n, 2 * most));
    const double *next = combined(t, 1, z, beta, p);
    const double *slack = filled(t, n, 4 * most + 1e-11 * fabs(beta));
    if (status || !next || !slack) return SPW_ERR_MEMORY;
    spw_trial_expect(t, d->p,
                     (spw_expectation){
                         .expected = next, .tolerance = slack, .count = n, .describe = describe_p});
    if (n > LARGE) return SPW_OK;
    update_mistakes(t, x, r, p, left);
    direction_mistakes(t, p, left, r, z);
    return SPW_OK;
}

/* p.q is given in parts, and need not be that of p and q. It is 0, and so are r, q and rho, where the solution
 * has been reached. */
static spw_status begin_numbers(spw_trial *t)
{
    problem *d = of(t);
    double *numbers = spw_trial_doubles(t, NUMBERS), *parts = spw_trial_doubles(t, 2 * d->size),
           p_q = 0;
    if (!numbers || !parts) return SPW_ERR_MEMORY;
    spw_case_vector(spw_trial_seed(t) + 3, d->size, parts);
    for (int b = 0; b < d->size; b++) {
        p_q += parts[b] = d->solved ? 0 : fabs(parts[b]);
        parts[d->size + b] = old_part;
    }
    numbers[RHO] = d->rho = d->solved ? 0 : 0.7 * (d->size + 1);
    numbers[ALPHA] = old_alpha;
    numbers[BETA] = old_beta;
    numbers[R_R] = old_r_r;
    d->alpha = ratio(d->rho, p_q);
    d->parts = spw_trial_inout_doubles(t, "parts", 2 * d->size, parts);
    d->numbers = spw_trial_inout_doubles(t, "numbers", NUMBERS, numbers);
    return d->parts && d->numbers ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status setup_step(spw_trial *t, const char *name)
{
    char rest[128];
    problem *d = begin(t, name, rest, sizeof rest, MOST_BLOCKS);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n = strtoll(rest, NULL, 10);
    spw_trial_say(t, "n = %lld, %d blocks%s", (long long)n, d->size,
                  d->solved ? ", r = 0, so p.q = 0 and rho = 0" : "");
    double *x = spw_trial_numbers(t, n, 1), *p = spw_trial_numbers(t, n, 2),
           *r = spw_trial_numbers(t, n, 4);
    double *inverse = input(t, "inverse", n), *q = input(t, "q", n);
    if (!x || !p || !r || !inverse || !q || begin_numbers(t)) return SPW_ERR_MEMORY;
    spw_case_vector(spw_trial_seed(t) + 5, n, inverse);
    spw_case_vector(spw_trial_seed(t) + 6, n, q);
    for (int64_t i = 0; i < n; i++) {
        inverse[i] = fabs(inverse[i]);
        if (d->solved) r[i] = q[i] = 0;
    }
    d->inverse = inverse;
    d->q = q;
    d->x = spw_trial_inout_doubles(t, "x", n, x);
    d->r = spw_trial_inout_doubles(t, "r", n, r);
    d->z = spw_trial_output_doubles(t, "z", n);
    d->p = spw_trial_inout_doubles(t, "p", n, p);
    if (!d->x || !d->r || !d->z || !d->p) return SPW_ERR_MEMORY;
    return expect_step(t, x, r, p);
}

static void call_step(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((step_fn)f)(d->n, d->size, spw_device_doubles(t, d->inverse), spw_device_doubles(t, d->q),
                 spw_device_doubles(t, d->x), spw_device_doubles(t, d->r),
                 spw_device_doubles(t, d->z), spw_device_doubles(t, d->p),
                 spw_device_doubles(t, d->parts), spw_device_doubles(t, d->numbers));
}

static const char *why_number(const problem *d, int k, double got)
{
    if (k == RHO && got == d->rho)
        return ".\nrho is still that of the step before: once beta is known, r.z is the new rho";
    if (k == RHO && fabs(got - d->r_r) <= 1e-9 * d->r_r) return ".\nThat is r.r: rho is r.z";
    if (k == R_R && fabs(got - d->r_z) <= 1e-9 * fabs(d->r_z) + d->r_z_slack)
        return ".\nThat is r.z: parts of r.z come first, parts of r.r behind them";
    if (k == R_R && got == old_r_r) return ".\nIt was never written";
    return "";
}

static void check_step(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    const double expected[2] = {d->r_z, d->r_r}, slack[2] = {d->r_z_slack, 1e-12 * d->r_r};
    static const int number[2] = {RHO, R_R};
    static const char *const names[2] = {"RHO", "R_R"}, *const sums[2] = {"r.z", "r.r"};
    for (int k = 0; k < 2; k++) {
        const double got = d->numbers[number[k]];
        long double sum = 0;
        if (!(fabs(got - expected[k]) <= slack[k]))
            spw_trial_fail(t, "numbers[%s] is %.9g on return, expected %s = %.9g%s", names[k], got,
                           sums[k], expected[k], why_number(d, number[k], got));
        for (int b = 0; b < d->size; b++) sum += d->parts[k * d->size + b];
        if (!(fabsl(sum - expected[k]) <= slack[k]))
            spw_trial_fail(t,
                           "parts %d to %d add up to %.9g, expected %s = %.9g:\nevery block "
                           "leaves both its sums, one that had no element two zeros",
                           k * d->size, (k + 1) * d->size - 1, (double)sum, sums[k], expected[k]);
    }
}

static spw_cost cost_of_step(const spw_trial *t)
{
    const double n = (double)of(t)->n;
    return (spw_cost){.load = 56 * n, .store = 32 * n, .flop = 11 * n};
}

/* --- apply_blocks ----------------------------------------------------------------------------------- */

/* What may be added up in place of a row. */
typedef enum sum_of_row {
    ROW,
    DIAGONAL,
    FIRST,
    R_OF_ROW,
    R_OF_BLOCK_0,
    WHOLE_WARP,
    SUMS
} sum_of_row;

static const char *const row_texts[SUMS] = {
    [DIAGONAL] = "this is the diagonal of the inverse alone: z[i] is a sum over the block",
    [FIRST] = "this is entry 0 of the row alone: the `block` lanes have to add up theirs",
    [R_OF_ROW] = "every entry of row i was multiplied by r[i]: entry j belongs to r[first + j]",
    [R_OF_BLOCK_0] = "entry j was multiplied by r[j]: the block begins at row i / block * block",
    [WHOLE_WARP] = "the shuffles run on beyond the row: steps block / 2, ..., 2, 1, not from 16",
};

/* Of lanes lane .. 31 as five shuffles down leave it in `lane`; v has 32. */
static double shuffled(double *v, int lane)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        for (int k = 0; k < WARP; k++) v[k] += v[k + step < WARP ? k + step : k];
    return v[lane];
}

/* Row i, with the entries of the rows that its warp has behind it. */
static double warp_sum(const problem *d, const double *r, int64_t i)
{
    double v[WARP] = {0};
    const int64_t e_0 = i * d->size / WARP * WARP;
    for (int k = 0; k < WARP; k++) {
        const int64_t e = e_0 + k, row = e / d->size;
        const int64_t column = row / d->size * d->size + e % d->size;
        if (row < d->n && column < d->n) v[k] = d->inverse[e] * r[column];
    }
    return shuffled(v, (int)(i * d->size - e_0));
}

static double *block_products(spw_trial *t, sum_of_row what, double *tolerance)
{
    const problem *d = of(t);
    const double *r = d->r_in;
    double *z = spw_trial_doubles(t, d->n);
    for (int64_t i = 0; z && i < d->n; i++) {
        const int64_t first = i / d->size * d->size;
        double sum = 0, size = 0;
        for (int64_t j = 0; j < d->size && first + j < d->n; j++) {
            if ((what == DIAGONAL && first + j != i) || (what == FIRST && j > 0)) continue;
            const int64_t column = what == R_OF_ROW ? i : what == R_OF_BLOCK_0 ? j : first + j;
            sum += d->inverse[i * d->size + j] * r[column];
            size += fabs(d->inverse[i * d->size + j] * r[column]);
        }
        z[i] = what == WHOLE_WARP ? warp_sum(d, r, i) : sum;
        if (tolerance) tolerance[i] = (d->size + 2) * DBL_EPSILON * size;
    }
    return z;
}

/* Symmetric blocks; garbage where there is no column. */
static void fill_blocks(const problem *d, const double *numbers, double *inverse)
{
    for (int64_t i = 0; i < d->n; i++) {
        const int64_t own = i % d->size, first = i - own;
        for (int64_t j = 0; j < d->size; j++) {
            const int64_t a = own < j ? own : j, b = own < j ? j : own;
            inverse[i * d->size + j] =
                first + j < d->n ? numbers[(first + a) * d->size + b] : (double)NAN;
        }
    }
}

static spw_status setup_blocks(spw_trial *t, const char *name)
{
    char rest[128];
    problem *d = begin(t, name, rest, sizeof rest, 4);
    if (!d) return SPW_ERR_MEMORY;
    const int64_t n = d->n = strtoll(rest, NULL, 10);
    spw_trial_say(t, "n = %lld, blocks of %d", (long long)n, d->size);
    double *inverse = input(t, "inverse", n * d->size), *tolerance = spw_trial_doubles(t, n);
    const double *numbers = spw_trial_numbers(t, n * d->size, 5);
    d->r_in = spw_trial_random(t, "r", n);
    d->z = spw_trial_output_doubles(t, "z", n);
    if (!inverse || !numbers || !d->r_in || !d->z || !tolerance) return SPW_ERR_MEMORY;
    fill_blocks(d, numbers, inverse);
    d->inverse = inverse;
    const spw_status status = expect(t, d->z, n, block_products(t, ROW, tolerance), tolerance);
    for (int s = ROW + 1; s < SUMS && n <= LARGE && !status; s++)
        mistake(t, d->z, n, block_products(t, (sum_of_row)s, NULL), row_texts[s]);
    return status;
}

static void call_blocks(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((blocks_fn)f)(d->n, d->size, spw_device_doubles(t, d->inverse), spw_device_doubles(t, d->r_in),
                   spw_device_doubles(t, d->z));
}

static spw_cost cost_of_blocks(const spw_trial *t)
{
    const double n = (double)of(t)->n, block = of(t)->size;
    return (spw_cost){.load = 8 * n * block + 8 * n, .store = 8 * n, .flop = 2 * n * block};
}

/* --- apply_chebyshev -------------------------------------------------------------------------------- */

typedef enum slip {
    RIGHT,
    BEFORE_IS_R,
    NO_INVERSE,
    OLD_RHO,
    A_IS_RHO,
    Z_OVERWRITTEN,
    SAME_STEP,
    ONE_LESS,
    ONE_MORE,
    PLUS,
    SLIPS
} slip;

static const char *const slip_texts[SLIPS] = {
    [BEFORE_IS_R] = "the residual starts from r in every step: from the second on it is the one\n"
                    "before minus A step",
    [NO_INVERSE] = "D^-1 is missing before the residual: this is a polynomial in A for the\n"
                   "eigenvalues of D^-1 A",
    [OLD_RHO] = "rho stays half / center: each step has a rho of its own, from the one before",
    [A_IS_RHO] = "the step before is multiplied by rho' rho, not by rho' alone",
    [Z_OVERWRITTEN] = "this is the last step alone: z is the sum of all steps",
    [SAME_STEP] =
        "A was multiplied by the first step each time: the step that was written must be\n"
        "the one that the next launch reads, so the two arrays change places",
    [ONE_LESS] = "that is one step too few: one without A, then `degree` with it",
    [ONE_MORE] = "that is one step too many: one without A, then `degree` with it",
    [PLUS] = "the residual falls by A step: this adds it",
};

static void chebyshev_step(const problem *d, slip s, double a, double b, double *z, double *work)
{
    const int64_t n = d->n;
    double *residual = work, *step = work + n, *next = work + 2 * n;
    for (int64_t i = 0; i < n; i++) {
        const double before = s == BEFORE_IS_R ? d->r_in[i] : residual[i];
        next[i] = left_of(d->A, i, before, s == PLUS ? -1 : 1, step);
    }
    for (int64_t i = 0; i < n; i++) {
        residual[i] = next[i];
        const double moved = a * step[i] + b * (s == NO_INVERSE ? 1 : d->inverse[i]) * residual[i];
        if (s != SAME_STEP) step[i] = moved;
        z[i] = s == Z_OVERWRITTEN ? moved : z[i] + moved;
    }
}

static double *chebyshev(spw_trial *t, slip s, double *work)
{
    const problem *d = of(t);
    const int64_t n = d->n;
    const double center = (high + low) / 2, half = (high - low) / 2;
    double *z = spw_trial_doubles(t, n), rho = half / center;
    const int steps = d->size + (s == ONE_MORE) - (s == ONE_LESS);
    for (int64_t i = 0; z && i < n; i++) {
        work[i] = d->r_in[i];
        work[n + i] = z[i] = d->inverse[i] * d->r_in[i] / center;
    }
    for (int k = 0; z && k < steps; k++) {
        const double rho_new = 1 / (2 * center / half - rho);
        chebyshev_step(d, s, s == A_IS_RHO ? rho_new : rho_new * rho, 2 * rho_new / half, z, work);
        if (s != OLD_RHO) rho = rho_new;
    }
    return z;
}

/* 1e-12 of the largest. */
static const double *near_largest(spw_trial *t, const double *x)
{
    const int64_t n = of(t)->n;
    return filled(t, n, x ? 1e-12 * spw_system_largest(n, x) : 0);
}

static spw_status setup_chebyshev(spw_trial *t, const char *name)
{
    const spw_status status = begin_system(t, name, 3, false);
    if (status) return status;
    problem *d = of(t);
    const int64_t n = d->n;
    spw_trial_say(t, "n = %lld, degree %d", (long long)n, d->size);
    d->r_in = spw_trial_random(t, "r", n);
    d->z = spw_trial_output_doubles(t, "z", n);
    d->residual = spw_trial_output_doubles(t, "residual", n);
    d->step = spw_trial_output_doubles(t, "step", n);
    d->other = spw_trial_output_doubles(t, "other_step", n);
    double *work = spw_trial_doubles(t, 3 * n);
    if (!d->r_in || !d->z || !d->residual || !d->step || !d->other || !work) return SPW_ERR_MEMORY;
    const double *z = chebyshev(t, RIGHT, work);
    if (expect(t, d->z, n, z, near_largest(t, z))) return SPW_ERR_MEMORY;
    for (int s = RIGHT + 1; s < SLIPS && n <= LARGE; s++)
        mistake(t, d->z, n, chebyshev(t, (slip)s, work), slip_texts[s]);
    return SPW_OK;
}

static void call_chebyshev(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((chebyshev_fn)f)(spw_device_csr(t, d->A), spw_device_doubles(t, d->inverse), low, high,
                      d->size, spw_device_doubles(t, d->r_in), spw_device_doubles(t, d->z),
                      spw_device_doubles(t, d->residual), spw_device_doubles(t, d->step),
                      spw_device_doubles(t, d->other));
}

static spw_cost true_cost(double n, double nz, double k)
{
    return (spw_cost){.load = 16 * n + k * (12 * nz + 4 * (n + 1) + 32 * n),
                      .store = 16 * n + k * 24 * n,
                      .flop = 2 * n + k * (2 * nz + 6 * n)};
}

static spw_cost cost_of_chebyshev(const spw_trial *t)
{
    const problem *d = of(t);
    return true_cost((double)d->n, d->A->nnz, d->size);
}

static spw_cost predict(spw_trial *t, spw_function model)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz;
    spw_cost got = ((cost_fn)model)(n, nz, d->size);
    if (got.load == true_cost(n, nz, d->size).load - 4 * d->size)
        got.load += 4 * d->size; /* n pointers are as good as n + 1 */
    return got;
}

static void explain_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz, k = d->size;
    const spw_cost truth = true_cost(n, nz, k), more = true_cost(n, nz, k + 1);
    const spw_known_cost known[] = {
        {16 * n + 24 * n * k, 0, 0,
         "that is the write-allocate of all that is stored. A GPU stores whole sectors and reads\n"
         "nothing before"},
        {8 * n * k, 8 * n * k, 0,
         "this stores the product, and reads it again. Merged, the sum of row i is in a register\n"
         "when residual, step and z of row i need it"},
        {8 * n, 8 * n, 0,
         "r need not be copied: the first step reads r where later ones read\n"
         "residual"},
        {more.load - truth.load, more.store - truth.store, more.flop - truth.flop,
         "degree + 1 steps, but the first one has no product"},
        {-16 * n, -16 * n, -2 * n, "the first step is missing: z = step = D^-1 r / center"},
        {-4 * (n + 1) * k, 0, 0, "row_ptr has to be loaded, too: n + 1 entries of 4 bytes"},
        {4 * nz * k, 0, 0, "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
        {8 * (nz - n) * k, 0, 0,
         "step is counted once an entry: what must be loaded is each step[j] once"},
        {-8 * n * k, 0, 0,
         "a vector is missing among the loads: residual, step, inverse and z, once a step"},
        {0, -8 * n * k, 0, "a vector is missing among the stores: residual, step and z"},
        {0, 0, -nz * k, "each entry costs a multiplication and an addition: 2 flop"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 4 * k + 1, text, size);
}

/* --- solve_levels ------------------------------------------------------------------------------------ */

static spw_idx *levels_of(spw_trial *t, const spw_csr *N, int *n_levels)
{
    spw_idx *level = (spw_idx *)spw_trial_memory(t, N->n_rows, sizeof *level);
    *n_levels = 0;
    for (spw_idx i = 0; level && i < N->n_rows; i++) {
        for (spw_idx k = N->row_ptr[i]; k < N->row_ptr[i + 1]; k++)
            if (level[N->col_idx[k]] >= level[i]) level[i] = level[N->col_idx[k]] + 1;
        if (level[i] >= *n_levels) *n_levels = level[i] + 1;
    }
    return level;
}

static spw_status sort_by_level(spw_trial *t)
{
    problem *d = of(t);
    const spw_idx *level = levels_of(t, d->A, &d->n_levels);
    d->level_ptr = (spw_idx *)spw_trial_memory(t, d->n_levels + 1, sizeof *d->level_ptr);
    spw_idx *row = (spw_idx *)spw_trial_input(t, "row", SPW_INDEX, d->n);
    spw_idx *next = (spw_idx *)spw_trial_memory(t, d->n_levels + 1, sizeof *next);
    if (!level || !d->level_ptr || !row || !next) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < d->n; i++) d->level_ptr[level[i] + 1]++;
    for (int l = 0; l < d->n_levels; l++) next[l + 1] = d->level_ptr[l + 1] += d->level_ptr[l];
    for (spw_idx i = 0; i < d->n; i++) row[next[level[i]]++] = i;
    d->row = row;
    return SPW_OK;
}

/* x = D^-1 (b - sign N x), rows in order; scaled: with D^-1. */
static double *forward(spw_trial *t, double sign, bool scaled)
{
    const problem *d = of(t);
    double *x = spw_trial_doubles(t, d->n);
    for (int64_t i = 0; x && i < d->n; i++)
        x[i] = (scaled ? d->inverse[i] : 1) * left_of(d->A, i, d->r_in[i], sign, x);
    return x;
}

static spw_status begin_triangle(spw_trial *t, const char *name)
{
    const spw_status status = begin_system(t, name, 2, true);
    if (status) return status;
    problem *d = of(t);
    d->r_in = spw_trial_random(t, "b", d->n);
    d->x = spw_trial_output_doubles(t, "x", d->n);
    return d->r_in && d->x ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status setup_levels(spw_trial *t, const char *name)
{
    spw_status status = begin_triangle(t, name);
    if (!status) status = sort_by_level(t);
    if (status) return status;
    problem *d = of(t);
    spw_trial_say(t, "n = %lld, %d level%s", (long long)d->n, d->n_levels,
                  d->n_levels == 1 ? "" : "s");
    const double *x = forward(t, 1, true);
    if (expect(t, d->x, d->n, x, near_largest(t, x))) return SPW_ERR_MEMORY;
    if (d->n > LARGE) return SPW_OK;
    mistake(t, d->x, d->n, forward(t, -1, true), "the sign is wrong: b minus the sum");
    mistake(t, d->x, d->n, forward(t, 1, false), "inverse is missing: the diagonal divides");
    mistake(t, d->x, d->n, times(t, d->inverse, d->r_in),
            "this is D^-1 b: what N takes away is missing");
    return SPW_OK;
}

static void call_levels(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((levels_fn)f)(spw_device_csr(t, d->A), spw_device_doubles(t, d->inverse), d->n_levels,
                   d->level_ptr, (const spw_idx *)spw_trial_device(t, d->row),
                   spw_device_doubles(t, d->r_in), spw_device_doubles(t, d->x));
}

static spw_cost cost_of_levels(const spw_trial *t)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz;
    return (spw_cost){
        .load = 12 * nz + 4 * (n + 1) + 4 * n + 16 * n, .store = 8 * n, .flop = 2 * nz + n};
}

/* --- apply_neumann ------------------------------------------------------------------------------------ */

typedef enum cut { CUT, CUT_LESS, CUT_MORE, CUT_PLUS, CUT_B, CUT_UNSCALED, CUT_SAME, CUTS } cut;

static const char *const cut_texts[CUTS] = {
    [CUT_LESS] =
        "this is the x of one step before: a step is missing, or the last one was written\n"
        "to d_work. With an odd degree begin in d_work",
    [CUT_MORE] = "that is one step too many: x^0 = D^-1 b, then `degree` products with N",
    [CUT_PLUS] = "the sign is wrong: b minus N x",
    [CUT_B] = "x^0 is D^-1 b, not b",
    [CUT_UNSCALED] = "D^-1 is missing in the steps: x = D^-1 (b - N x)",
    [CUT_SAME] =
        "every step began with x^0: the array that was written is read by the next launch,\n"
        "so the two arrays change places",
};

static double *neumann(spw_trial *t, cut c)
{
    const problem *d = of(t);
    const int64_t n = d->n;
    double *x = spw_trial_doubles(t, n), *y = spw_trial_doubles(t, n);
    const int more = (c == CUT_MORE) - (c == CUT_LESS);
    const int steps = c == CUT_SAME && d->size > 0 ? 1 : d->size + more;
    for (int64_t i = 0; x && i < n; i++) x[i] = (c == CUT_B ? 1 : d->inverse[i]) * d->r_in[i];
    for (int k = 0; x && y && k < steps; k++) {
        for (int64_t i = 0; i < n; i++)
            y[i] = (c == CUT_UNSCALED ? 1 : d->inverse[i]) *
                   left_of(d->A, i, d->r_in[i], c == CUT_PLUS ? -1 : 1, x);
        double *const written = y;
        y = x;
        x = written;
    }
    return y ? x : NULL;
}

static spw_status setup_neumann(spw_trial *t, const char *name)
{
    const spw_status status = begin_triangle(t, name);
    if (status) return status;
    problem *d = of(t);
    spw_trial_say(t, "n = %lld, degree %d", (long long)d->n, d->size);
    d->other = spw_trial_output_doubles(t, "work", d->n);
    const double *x = neumann(t, CUT);
    if (!d->other || expect(t, d->x, d->n, x, near_largest(t, x))) return SPW_ERR_MEMORY;
    for (int c = CUT + 1; c < CUTS && d->n <= LARGE; c++)
        if (d->size > 0 || c != CUT_LESS) mistake(t, d->x, d->n, neumann(t, (cut)c), cut_texts[c]);
    return SPW_OK;
}

static void call_neumann(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((neumann_fn)f)(spw_device_csr(t, d->A), spw_device_doubles(t, d->inverse), d->size,
                    spw_device_doubles(t, d->r_in), spw_device_doubles(t, d->x),
                    spw_device_doubles(t, d->other));
}

static spw_cost cost_of_neumann(const spw_trial *t)
{
    const problem *d = of(t);
    const double n = (double)d->n, nz = d->A->nnz, k = d->size;
    return (spw_cost){.load = 16 * n + k * (12 * nz + 4 * (n + 1) + 24 * n),
                      .store = 8 * n + k * 8 * n,
                      .flop = n + k * (2 * nz + n)};
}

/* --- the declaration ------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const lengths[] = {"1@1", "0@2", "31@1", "257@1", "1009@3", "700@5", "40@2,0", "70000@257", NULL};
static const char *const sizes[] = {"1@2", "0@4", "9@4", "31@8", "63@2", "1001@4", "517@16", "100@32", NULL};
static const char *const systems[] = {
    "tridiag:1@0", "nothing@2", "zeros@1", "tridiag:3@1", "laplace2d:17x9@1", "laplace2d:40x30@3", "prime@4", NULL};
static const char *const sorted[] = {
    "tridiag:1", "nothing", "zeros", "tridiag:6", "laplace2d:17x9", "laplace2d:300x3", "laplace3d:9", "prime", NULL};
static const char *const triangles[] = {
    "tridiag:1@0", "nothing@2", "zeros@1", "tridiag:6@2", "laplace2d:17x9@1", "laplace2d:40x30@3", "prime@4", NULL};
/* clang-format on */

static const char coalesce[] = "neighbouring lanes must touch neighbouring elements: 32 doubles "
                               "are 8 sectors";
static const char one_loop[] =
    "r[i] and z[i] are in registers when they have just been computed: add up r.z and\n"
    "r.r there, in the same loop";

static const spw_sector_bound step_bounds[] = {
    {.array = "x", .access = SPW_LOADS, .per_request = 8.5, .hint = coalesce},
    {.array = "r", .access = SPW_LOADS, .times_size = 1.1, .hint = one_loop},
    {.array = "z", .access = SPW_LOADS, .times_size = 1.1, .hint = one_loop},
    {.array = "x", .access = SPW_LOADS, .times_size = 1.1, .hint = "x is read once"},
    {.array = "inverse", .access = SPW_LOADS, .times_size = 1.1, .hint = "by update alone"},
    {.array = "z", .access = SPW_STORES, .per_request = 8.5, .hint = coalesce},
    {.array = "parts",
     .access = SPW_LOADS,
     .times_size = 4,
     .hint = "one thread reads them one by one, or every block reads them all: let the 256\n"
             "threads of one block do it, sum_of_parts"},
    {.array = NULL}};

static const spw_sector_bound blocks_bounds[] = {
    {.array = "inverse",
     .access = SPW_LOADS,
     .per_request = 8.5,
     .hint = "neighbouring lanes have rows that are 8 * block bytes apart: let each have an\n"
             "entry, and the lanes of a row add up theirs"},
    {.array = "inverse", .access = SPW_LOADS, .times_size = 1.1, .hint = "each entry is used once"},
    {.array = "z",
     .access = SPW_STORES,
     .times_size = 1.2,
     .hint = "one lane of each row stores z[i]"},
    {.array = NULL}};

static const char merged[] =
    "the sum of row i is in a register: residual, step and z of row i follow at once, in\n"
    "the same launch. The product is never stored, and step has two arrays in turn";

/* Degree 3. */
static const spw_sector_bound chebyshev_bounds[] = {
    {.array = "row_ptr", .access = SPW_LOADS, .per_request = 5.5, .hint = coalesce},
    {.array = "other_step", .access = SPW_STORES, .times_size = 2.2, .hint = merged},
    {.array = "step", .access = SPW_STORES, .times_size = 2.2, .hint = merged},
    {.array = "residual",
     .access = SPW_STORES,
     .times_size = 3.3,
     .hint = "once in each of the three steps with A: the first of them reads r itself"},
    {.array = "residual",
     .access = SPW_LOADS,
     .times_size = 2.2,
     .hint = "in the second and the third step with A: the first one reads r itself"},
    {.array = "z", .access = SPW_LOADS, .times_size = 3.3, .hint = merged},
    {.array = "z", .access = SPW_STORES, .per_request = 8.5, .hint = coalesce},
    {.array = NULL}};

static const spw_sector_bound levels_bounds[] = {
    {.array = "row",
     .access = SPW_LOADS,
     .times_size = 1.5,
     .hint = "a launch needs the rows of its level alone"},
    {.array = "x", .access = SPW_STORES, .times_size = 4.1, .hint = "each x_i is written once"},
    {.array = NULL}};

/* Degree 2. */
static const spw_sector_bound neumann_bounds[] = {
    {.array = "row_ptr", .access = SPW_LOADS, .per_request = 5.5, .hint = coalesce},
    {.array = "work",
     .access = SPW_STORES,
     .times_size = 1.1,
     .hint = "N x is never stored: b - N x of row i is in a register. So x^0 goes to d_x, x^1 to\n"
             "d_work, x^2 to d_x"},
    {.array = "x", .access = SPW_STORES, .times_size = 2.2, .hint = "x^0 and x^2"},
    {.array = "x", .access = SPW_STORES, .per_request = 8.5, .hint = coalesce},
    {.array = NULL}};

static const spw_part parts[] = {{.function = "pcg_step",
                                  .cases = lengths,
                                  .setup = setup_step,
                                  .call = call_step,
                                  .claim = check_step,
                                  .cost = cost_of_step,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = step_bounds,
                                  .traffic = "10003@40",
                                  .speed = "9000000", /* on a GPU: 0.8 GB */
                                  .target = 0.7},
                                 {.function = "apply_blocks",
                                  .cases = sizes,
                                  .setup = setup_blocks,
                                  .call = call_blocks,
                                  .cost = cost_of_blocks,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = blocks_bounds,
                                  .traffic = "10003@4",
                                  .speed = "15000000@4", /* on a GPU: 0.7 GB */
                                  .target = 0.7},
                                 {.function = "apply_chebyshev",
                                  .model = "chebyshev_cost",
                                  .cases = systems,
                                  .setup = setup_chebyshev,
                                  .call = call_chebyshev,
                                  .predict = predict,
                                  .explain_model = explain_model,
                                  .cost = cost_of_chebyshev,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = chebyshev_bounds,
                                  .traffic = "laplace2d:100x100@3",
                                  .speed = "laplace3d:190@3", /* on a GPU: 0.6 GB */
                                  .takes_matrix = true,
                                  .target = 0.5},
                                 {.function = "solve_levels",
                                  .cases = sorted,
                                  .setup = setup_levels,
                                  .call = call_levels,
                                  .cost = cost_of_levels,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = levels_bounds,
                                  .traffic = "laplace2d:100x100"},
                                 {.function = "apply_neumann",
                                  .cases = triangles,
                                  .setup = setup_neumann,
                                  .call = call_neumann,
                                  .cost = cost_of_neumann,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = neumann_bounds,
                                  .traffic = "laplace2d:100x100@2",
                                  .speed = "laplace3d:200@2", /* on a GPU: 0.5 GB */
                                  .takes_matrix = true,
                                  .target = 0.5}};

static const char *const forbidden[] = {"spw_block_diag_cuda",
                                        "spw_diag_dot_cuda",
                                        "spw_polynomial_first_cuda",
                                        "spw_polynomial_step_cuda",
                                        "spw_cg_step_cuda",
                                        "spw_spmv_dots_csr_cuda",
                                        NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .gpu = true,
                                     .forbidden = forbidden},
                     argc, argv);
}

/* Exercise 13, GPU part: cases, true costs, bounds on the traffic and explanations for a PCG step whose
 * numbers stay on the device, and for preconditioners that are parallel in all rows. */
#include "kit/device_systems.h"
#include "kit/preconditioners.h"
#include "pcg_gpu.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What numbers and the second half of parts hold on entry where they are garbage: known, so that its use is
 * recognised. */
static const double old_alpha = 0.3125, old_beta = -0.4375, old_r_r = 77.25, old_part = -12345.625;

static const double low = 0.25, high = 1.85; /* a center of 1 would hide where it is left out */

typedef struct problem {
    const spw_csr *A, *N; /* N: a triangle without its diagonal */
    int64_t n;
    int k;
    const double *inverse, *q, *b;
    double *x, *r, *z, *p, *parts, *numbers, *residual, *step, *other_step, *work;
    int n_levels;
    const spw_idx *level_ptr, *row; /* level_ptr: on the host */
} problem;

SPW_ARGUMENTS_OF(of, problem)

/* The name of a case is N or MATRIX, then @ and k: blocks of the grid, rows of a block, or the degree. */
#define LENGTHS SPW_VALUES(problem, n, k)

/* The driver's own struct, which only its kit sees as const. */
static problem *own(const void *at) {
    return (problem *)(uintptr_t)at;
}

/* --- pcg_step: N@BLOCKS, and N@BLOCKS,0 where r is 0 ------------------------------------------------------- */

static void positive(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)at;
    double *x = (double *)array;
    for (int64_t i = 0; i < n; i++) x[i] = fabs(x[i]);
}

static void zero_if_solved(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)at;
    if (spw_kit_value(t, "r") == 0 && n) memset(array, 0, (size_t)n * sizeof(double));
}

/* p.q is given in parts, and need not be that of p and q. It is 0, and so are r, q and rho, where the solution
 * has been reached. */
static void fill_parts(spw_trial *t, const void *at, void *array, int64_t n) {
    double *parts = (double *)array;
    zero_if_solved(t, at, array, n);
    for (int64_t b = n / 2; b < n; b++) parts[b] = old_part;
}

static void fill_numbers(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)n;
    const int blocks = ((const problem *)at)->k;
    double *numbers = (double *)array;
    numbers[RHO] = spw_kit_value(t, "r") == 0 ? 0 : 0.7 * (blocks + 1);
    numbers[ALPHA] = old_alpha;
    numbers[BETA] = old_beta;
    numbers[R_R] = old_r_r;
}

static void describe_p(const spw_trial *t, int64_t i, char *text, int size) {
    (void)i;
    if (spw_kit_value(t, "r") == 0)
        snprintf(text, (size_t)size,
                 "r is 0, so r.z and rho are: 0 / 0 is no number, beta is 0 then");
}

static const spw_argument of_step[] = {LENGTHS,
                                       SPW_FILLED(problem, inverse, "n", .fill = positive),
                                       SPW_FILLED(problem, q, "n", .fill = zero_if_solved),
                                       SPW_START(problem, x, "n", ),
                                       SPW_START(problem, r, "n", .fill = zero_if_solved),
                                       SPW_OUTPUT(problem, z, "n", ),
                                       SPW_START(problem, p, "n", .describe = describe_p),
                                       SPW_START(problem, parts, "2 k", .fill = fill_parts),
                                       SPW_START(problem, numbers, "4", .fill = fill_numbers),
                                       {0}};

static double sum_of(int64_t n, const double *x, const double *y) {
    return spw_taken_sum(n, x, y, NULL, 0);
}

static double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

static void expect_step(spw_trial *t, const void *at) {
    const problem *d = (const problem *)at;
    const double *parts = spw_kit_start(t, d->parts), rho = spw_kit_start(t, d->numbers)[RHO];
    double *x = spw_kit_copy(t, spw_kit_start(t, d->x), d->n), p_q = 0,
           *r = spw_kit_copy(t, spw_kit_start(t, d->r), d->n), *z = spw_kit_doubles(t, d->n),
           *p = spw_kit_copy(t, spw_kit_start(t, d->p), d->n);
    for (int b = 0; b < d->k; b++) p_q += parts[b];
    const double alpha = ratio(rho, p_q), slack = 4 * (1 + fabs(alpha)) * 1e-14;
    for (int64_t i = 0; i < d->n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * d->q[i];
        z[i] = d->inverse[i] * r[i];
    }
    const double beta = ratio(sum_of(d->n, r, z), rho);
    for (int64_t i = 0; i < d->n; i++) p[i] = z[i] + beta * p[i];
    spw_kit_expect_within(t, d->x, x, slack, 0);
    spw_kit_expect_within(t, d->r, r, slack, 0);
    spw_kit_expect_within(t, d->z, z, 2 * slack, 0);
    spw_kit_expect_within(t, d->p, p, 4 * slack + 1e-11 * fabs(beta), 0);
}

SPW_CALL(call_step, pcg_step, const problem *d, d->n, d->k, d->inverse, d->q, d->x, d->r, d->z,
         d->p, d->parts, d->numbers)

static const char *why_number(const spw_trial *t, int k, double r_z, double r_r) {
    const double got = of(t)->numbers[k], rho = spw_kit_start(t, of(t)->numbers)[RHO];
    if (k == RHO && got == rho)
        return ".\nrho is still that of the step before: once beta is known, r.z is the new rho";
    if (k == RHO && fabs(got - r_r) <= 1e-9 * r_r) return ".\nThat is r.r: rho is r.z";
    if (k == R_R && fabs(got - r_z) <= 1e-9 * fabs(r_z))
        return ".\nThat is r.z: parts of r.z come first, parts of r.r behind them";
    if (k == R_R && got == old_r_r) return ".\nIt was never written";
    return "";
}

/* r and z are right by now. */
static void check_step(spw_trial *t) {
    const problem *d = of(t);
    const double expected[2] = {sum_of(d->n, d->r, d->z), sum_of(d->n, d->r, d->r)};
    static const int number[2] = {RHO, R_R};
    static const char *const names[2] = {"RHO", "R_R"}, *const sums[2] = {"r.z", "r.r"};
    for (int k = 0; k < 2; k++) {
        const double got = d->numbers[number[k]], slack = 1e-12 * expected[k];
        long double sum = 0;
        if (!(fabs(got - expected[k]) <= slack))
            spw_trial_fail(t, "numbers[%s] is %.9g on return, expected %s = %.9g%s", names[k], got,
                           sums[k], expected[k],
                           why_number(t, number[k], expected[0], expected[1]));
        for (int b = 0; b < d->k; b++) sum += d->parts[k * d->k + b];
        if (!(fabsl(sum - expected[k]) <= slack))
            spw_trial_fail(t,
                           "parts %d to %d add up to %.9g, expected %s = %.9g:\nevery block "
                           "leaves both its sums, one that had no element two zeros",
                           k * d->k, (k + 1) * d->k - 1, (double)sum, sums[k], expected[k]);
    }
}

static const spw_kit step_kit =
    SPW_KIT_OF(of_step, problem, call_step, expect_step, .parameters = "@k=1056,r=1",
               .facts = "n = {n}, {k} blocks", .cost = "load 56 n; store 32 n; flop 11 n");

/* --- apply_blocks: N@ROWS ------------------------------------------------------------------------------------ */

/* Symmetric blocks; garbage where there is no column. */
static void fill_blocks(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)n;
    const problem *d = (const problem *)at;
    double *inverse = (double *)array;
    for (int64_t i = 0; i < d->n; i++) {
        const int64_t own_column = i % d->k, first = i - own_column;
        for (int64_t j = 0; j < d->k; j++)
            if (first + j >= d->n)
                inverse[i * d->k + j] = (double)NAN;
            else if (j < own_column)
                inverse[i * d->k + j] = inverse[(first + j) * d->k + own_column];
    }
}

static const spw_argument of_blocks[] = {LENGTHS,
                                         SPW_FILLED(problem, inverse, "k n", .fill = fill_blocks),
                                         SPW_RANDOM(problem, r, "n"),
                                         SPW_OUTPUT(problem, z, "n", ),
                                         {0}};

static void expect_blocks(spw_trial *t, const void *at) {
    const problem *d = (const problem *)at;
    spw_plain_expect_blocks(t, d->z, d->n, d->k, d->inverse, d->r);
}

SPW_CALL(call_blocks, apply_blocks, const problem *d, d->n, d->k, d->inverse, d->r, d->z)
static const spw_kit blocks_kit = SPW_KIT_OF(
    of_blocks, problem, call_blocks, expect_blocks, .parameters = "@k=4",
    .facts = "n = {n}, blocks of {k}", .cost = "load 8 k n + 8 n; store 8 n; flop 2 k n");

/* --- apply_chebyshev: MATRIX@DEGREE --------------------------------------------------------------------------- */

/* "zeros": 300 rows without an entry. */
static spw_status make_system(spw_trial *t, const void *at, void *matrix) {
    if (strcmp(spw_kit_case(t), "zeros") != 0) return spw_kit_system(t, at, matrix);
    spw_kit_quantity(t, "n", 300);
    return spw_system_dense(300, spw_kit_doubles(t, 300 * 300), (spw_csr *)matrix);
}

/* No two are alike, and so small that nothing grows: |inverse A| rows add up to 0.9 at most. */
static void fill_inverse(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t;
    const problem *d = (const problem *)at;
    const spw_csr *A = d->A ? d->A : d->N;
    double *inverse = (double *)array;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += fabs(A->val[k]);
        inverse[i] = 0.6 * fabs(inverse[i]) / (sum > 0 ? sum : 1);
    }
}

static const spw_argument of_chebyshev[] = {
    SPW_MATRIX(problem, A, &spw_kit_csr, make_system, ),
    LENGTHS,
    SPW_FILLED(problem, inverse, "n", .fill = fill_inverse),
    SPW_RANDOM(problem, r, "n"),
    SPW_OUTPUT(problem, z, "n", ),
    SPW_EACH(SPW_ROOM, problem, "n", residual, step, other_step),
    {0}};

SPW_NEAR(expect_chebyshev, const problem *d, d->z, d->n, 1e-12,
         spw_plain_chebyshev(d->A, d->inverse, low, high, d->k, d->r, right,
                             spw_kit_doubles(t, 3 * d->n)))
SPW_CALL(call_chebyshev, apply_chebyshev, const problem *d, *d->A, d->inverse, low, high, d->k,
         d->r, d->z, d->residual, d->step, d->other_step)
SPW_PREDICT(predict, chebyshev_cost, const problem *d, (double)d->n, d->A->nnz, d->k)

static const spw_slip slips[] = {
    {"load 16 n + 24 k n",
     "that is the write-allocate of all that is stored. A GPU stores whole sectors and reads\n"
     "nothing before"},
    {"load 8 k n; store 8 k n",
     "this stores the product, and reads it again. Merged, the sum of row i is in a register\n"
     "when residual, step and z of row i need it"},
    {"load 8 n; store 8 n", "r need not be copied: the first step reads r where later ones read\n"
                            "residual"},
    {"load 12 nz + 4 (n + 1) + 32 n; store 24 n; flop 2 nz + 6 n",
     "degree + 1 steps, but the first one has no product"},
    {"load -16 n; store -16 n; flop -2 n", "the first step is missing: z = step = D^-1 r / center"},
    {"load -4 k (n + 1)", "row_ptr has to be loaded, too: n + 1 entries of 4 bytes"},
    {"load 4 k nz", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load 8 k (nz - n)",
     "step is counted once an entry: what must be loaded is each step[j] once"},
    {"load -8 k n",
     "a vector is missing among the loads: residual, step, inverse and z, once a step"},
    {"store -8 k n", "a vector is missing among the stores: residual, step and z"},
    {"flop -k nz", "each entry costs a multiplication and an addition: 2 flop"},
    {0}};

/* as_right: n pointers are as good as n + 1. */
static const spw_kit chebyshev_kit =
    SPW_KIT_OF(of_chebyshev, problem, call_chebyshev, expect_chebyshev, .parameters = "@k=3",
               .facts = "n = {n}, degree {k}", .predict = predict,
               .cost = "load 16 n + k (12 nz + 4 (n + 1) + 32 n); store 16 n + 24 k n;"
                       "flop 2 n + k (2 nz + 6 n)",
               .as_right = "-4 k", .slips = slips);

/* --- solve_levels: MATRIX ----------------------------------------------------------------------------------- */

static spw_status make_triangle(spw_trial *t, const void *at, void *matrix) {
    spw_csr A;
    spw_status status = make_system(t, at, &A);
    if (status) return status;
    status = spw_plain_part(&A, -A.n_rows, -1, (spw_csr *)matrix);
    spw_csr_destroy(&A);
    if (!status) spw_kit_quantity(t, ".nz_N", ((spw_csr *)matrix)->nnz);
    return status;
}

static void fill_rows(spw_trial *t, const void *at, void *row, int64_t n) {
    problem *d = own(at);
    spw_idx *level = spw_kit_indices(t, n);
    d->n_levels = spw_plain_levels(d->N, false, level);
    spw_idx *level_ptr = spw_kit_indices(t, d->n_levels + 1);
    spw_plain_sort((spw_idx)n, level, d->n_levels, level_ptr, (spw_idx *)row);
    d->level_ptr = level_ptr;
    spw_kit_quantity(t, ".levels", d->n_levels);
}

#define TRIANGLE                                                                                   \
    SPW_MATRIX(problem, N, &spw_kit_csr, make_triangle, ), LENGTHS,                                \
        SPW_FILLED(problem, inverse, "n", .fill = fill_inverse), SPW_RANDOM(problem, b, "n"),      \
        SPW_OUTPUT(problem, x, "n", )
static const spw_argument of_levels[] = {
    TRIANGLE, SPW_FILLED(problem, row, "n", .fill = fill_rows), {0}};

SPW_NEAR(expect_levels, const problem *d, d->x, d->n, 1e-12,
         spw_plain_solve(d->N, false, d->inverse, d->b, right))
SPW_CALL(call_levels, solve_levels, const problem *d, *d->N, d->inverse, d->n_levels, d->level_ptr,
         d->row, d->b, d->x)
static const spw_kit levels_kit =
    SPW_KIT_OF(of_levels, problem, call_levels, expect_levels, .parameters = "@k=0",
               .facts = "n = {n}, {levels} levels",
               .cost = "load 12 nz_N + 4 (n + 1) + 20 n; store 8 n; flop 2 nz_N + n");

/* --- apply_neumann: MATRIX@DEGREE ----------------------------------------------------------------------------- */

static const spw_argument of_neumann[] = {TRIANGLE, SPW_ROOM(problem, work, "n", ), {0}};

SPW_NEAR(expect_neumann, const problem *d, d->x, d->n, 1e-12,
         spw_plain_neumann(d->N, d->inverse, d->k, d->b, right, spw_kit_doubles(t, d->n)))
SPW_CALL(call_neumann, apply_neumann, const problem *d, *d->N, d->inverse, d->k, d->b, d->x,
         d->work)
static const spw_kit neumann_kit =
    SPW_KIT_OF(of_neumann, problem, call_neumann, expect_neumann, .parameters = "@k=2",
               .facts = "n = {n}, degree {k}",
               .cost = "load 16 n + k (12 nz_N + 4 (n + 1) + 24 n); store 8 n + 8 k n;"
                       "flop n + k (2 nz_N + n)");

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

static const char one_loop[] =
    "r[i] and z[i] are in registers when they have just been computed: add up r.z and\n"
    "r.r there, in the same loop";

static const spw_sector_bound step_bounds[] = {
    SPW_A_REQUEST("x", LOADS, 8.5, SPW_COALESCE),
    SPW_AT_MOST("r", LOADS, 1.1, one_loop),
    SPW_AT_MOST("z", LOADS, 1.1, one_loop),
    SPW_AT_MOST("x", LOADS, 1.1, "x is read once"),
    SPW_AT_MOST("inverse", LOADS, 1.1, "by update alone"),
    SPW_A_REQUEST("z", STORES, 8.5, SPW_COALESCE),
    SPW_AT_MOST("parts", LOADS, 4,
                "one thread reads them one by one, or every block reads them all: let the 256\n"
                "threads of one block do it, sum_of_parts"),
    {0}};

static const spw_sector_bound blocks_bounds[] = {
    SPW_A_REQUEST("inverse", LOADS, 8.5,
                  "neighbouring lanes have rows that are 8 * block bytes apart: let each have an\n"
                  "entry, and the lanes of a row add up theirs"),
    SPW_AT_MOST("inverse", LOADS, 1.1, "each entry is used once"),
    SPW_AT_MOST("z", STORES, 1.2, "one lane of each row stores z[i]"),
    {0}};

static const char merged[] =
    "the sum of row i is in a register: residual, step and z of row i follow at once, in\n"
    "the same launch. The product is never stored, and step has two arrays in turn";

/* Degree 3. */
static const spw_sector_bound chebyshev_bounds[] = {
    SPW_A_REQUEST("row_ptr", LOADS, 5.5, SPW_COALESCE),
    SPW_AT_MOST("other_step", STORES, 2.2, merged),
    SPW_AT_MOST("step", STORES, 2.2, merged),
    SPW_AT_MOST("residual", STORES, 3.3,
                "once in each of the three steps with A: the first of them reads r itself"),
    SPW_AT_MOST("residual", LOADS, 2.2,
                "in the second and the third step with A: the first one reads r itself"),
    SPW_AT_MOST("z", LOADS, 3.3, merged),
    SPW_A_REQUEST("z", STORES, 8.5, SPW_COALESCE),
    {0}};

static const spw_sector_bound levels_bounds[] = {
    SPW_AT_MOST("row", LOADS, 1.5, "a launch needs the rows of its level alone"),
    SPW_AT_MOST("x", STORES, 4.1, "each x_i is written once"),
    {0}};

/* Degree 2. */
static const spw_sector_bound neumann_bounds[] = {
    SPW_A_REQUEST("row_ptr", LOADS, 5.5, SPW_COALESCE),
    SPW_AT_MOST(
        "work", STORES, 1.1,
        "N x is never stored: b - N x of row i is in a register. So x^0 goes to d_x, x^1 to\n"
        "d_work, x^2 to d_x"),
    SPW_AT_MOST("x", STORES, 2.2, "x^0 and x^2"),
    SPW_A_REQUEST("x", STORES, 8.5, SPW_COALESCE),
    {0}};

#define PART(function_, kit, traffic_, ...)                                                        \
    {                                                                                              \
        .function = function_, .traffic = traffic_, .on_device = true, .asynchronous = true,       \
        SPW_KIT(&kit), __VA_ARGS__                                                                 \
    }
/* On a GPU: 0.5 to 0.8 GB. */
#define TIMED(speed_, target_) .speed = speed_, .target = target_

static const spw_part parts[] = {
    PART("pcg_step", step_kit, "10003@40", .cases = lengths, .bounds = step_bounds,
         .claim = check_step, TIMED("9000000", 0.7)),
    PART("apply_blocks", blocks_kit, "10003@4", .cases = sizes, .bounds = blocks_bounds,
         TIMED("15000000@4", 0.7)),
    PART("apply_chebyshev", chebyshev_kit, "laplace2d:100x100@3", .cases = systems,
         .bounds = chebyshev_bounds, .model = "chebyshev_cost", .takes_matrix = true,
         TIMED("laplace3d:190@3", 0.5)),
    PART("solve_levels", levels_kit, "laplace2d:100x100", .cases = sorted, .bounds = levels_bounds,
         .in_steps = true),
    PART("apply_neumann", neumann_kit, "laplace2d:100x100@2", .cases = triangles,
         .bounds = neumann_bounds, .takes_matrix = true, TIMED("laplace3d:200@2", 0.5)),
};

SPW_DRIVER(parts, .gpu = true)

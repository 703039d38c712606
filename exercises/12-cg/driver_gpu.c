/* Exercise 12, GPU part: cases, true costs, bounds on the traffic and explanations for conjugate gradients
 * whose numbers stay on the device. */
#include "cg_gpu.h"

#include "kernels/costs.h"
#include "kernels/cuda_solver.h"
#include "kit/device_systems.h"
#include "kit/in_parts.h"
#include "kit/krylov.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem.h"

typedef struct problem {
    spw_stepping of;
    double *x, *r, *p, *q, *numbers, *library;
    double start, rho; /* before and after the steps */
} problem;

SPW_ARGUMENTS_OF(of, problem)

/* --- spmv_dot ------------------------------------------------------------------------------------- */

static const spw_argument of_product[] = {
    SPW_MATRIX(problem, of.A, &spw_kit_csr, spw_stepping_matrix, ),
    SPW_RANDOM(problem, p, "n"),
    SPW_OUTPUT(problem, q, "n", .noun = "row"),
    SPW_ROOM_AS("parts", problem, of.sums.parts, "blocks"),
    SPW_ROOM(problem, library, "partials", ),
    {0}};

static void expect_product(spw_trial *t, const void *at) {
    problem *d = (problem *)(uintptr_t)at;
    spw_in_parts_product(t, &d->of.sums, d->q, d->of.A, d->p, d->p, "p.q", NULL);
}

SPW_CALL(call_product, spmv_dot, const problem *d, *d->of.A, d->of.sums.blocks, d->p, d->q,
         d->of.sums.parts)
SPW_LIBRARY(library_product, const problem *d,
            spw_spmv_with_dots_csr_cuda(d->of.A, d->p, d->p, d->q, (spw_partials *)d->library,
                                        NULL))
static const spw_kit product_kit =
    SPW_STEPPING_KIT(of_product, problem, call_product, expect_product, "",
                     .cost = "load 12 nz + 4 (n + 1) + 8 n; store 8 n; flop 2 nz + 2 n");

/* --- update --------------------------------------------------------------------------------------- */

static void fill_given(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)at, (void)n;
    static const double numbers[NUMBERS] = {7, 0.375, 0.625};
    memcpy(array, numbers, sizeof numbers);
}

static const spw_argument of_update[] = {SPW_FILLED(problem, numbers, "3", .fill = fill_given),
                                         SPW_EACH(SPW_RANDOM, problem, "n", p, q),
                                         SPW_EACH(SPW_START, problem, "n", x, r),
                                         SPW_ROOM_AS("parts", problem, of.sums.parts, "blocks"),
                                         SPW_ROOM(problem, library, "partials", ),
                                         {0}};

static void expect_update(spw_trial *t, const void *at) {
    problem *d = (problem *)(uintptr_t)at;
    const double *r = cg_expect_update(t, d->of.n, d->numbers[ALPHA], d->p, d->q, d->x, d->r);
    double extra = 0;
    for (int64_t i = 0; i < d->of.n; i++) extra += 16 * DBL_EPSILON * fabs(r[i]);
    spw_in_parts_sum(t, &d->of.sums, "r.r", d->of.n, r, r, extra);
}

SPW_CALL(call_update, update, const problem *d, d->of.n, d->of.sums.blocks, d->numbers, d->p, d->q,
         d->x, d->r, d->of.sums.parts)
SPW_LIBRARY(library_update, const problem *d,
            spw_cg_step_cuda(d->of.n, d->numbers + ALPHA, d->p, d->q, d->x, d->r,
                             (spw_partials *)d->library))

static void claim_update(spw_trial *t) {
    const double *old = spw_kit_start(t, of(t)->r);
    spw_in_parts_stale(t, &of(t)->of.sums, old, old,
                       "the parts add up to r.r of the r on entry, a stale residual:\n"
                       "add r[i]^2 after r[i] has changed");
    spw_stepping_claim(t);
}

static const spw_kit update_kit =
    SPW_STEPPING_KIT(of_update, problem, call_update, expect_update, "", .cost = SPW_COST_CG_STEP);

/* --- iterate -------------------------------------------------------------------------------------- */

static void describe(const spw_trial *t, int64_t i, char *text, int size) {
    const problem *d = of(t);
    (void)i;
    if (d->rho == 0 && d->of.steps > 1 && d->of.n > 0)
        snprintf(text, (size_t)size,
                 "r is 0 after the first step: then rho and p.q are 0, and 0 / 0 is no number");
}

/* What ALPHA and BETA hold on entry is garbage, but always the same. */
static void fill_numbers(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)n;
    const problem *d = (const problem *)at;
    const double *r = spw_kit_start(t, d->r);
    double *numbers = (double *)array;
    numbers[RHO] = spw_system_dot(d->of.A->n_rows, r, r);
    numbers[ALPHA] = 0.3125;
    numbers[BETA] = -0.4375;
}

static const spw_argument of_iterate[] = {
    SPW_MATRIX(problem, of.A, &spw_kit_csr, spw_stepping_matrix, ),
    SPW_START(problem, x, "n", .describe = describe),
    SPW_START(problem, r, "n", .fill = spw_stepping_vector),
    SPW_START(problem, p, "n", .fill = spw_stepping_vector),
    SPW_ROOM(problem, q, "n", ),
    SPW_ROOM_AS("parts", problem, of.sums.parts, "blocks"),
    SPW_START(problem, numbers, "3", .fill = fill_numbers),
    {0}};

static void expect_steps(spw_trial *t, const void *at) {
    problem *d = (problem *)(uintptr_t)at;
    const int64_t n = d->of.n = d->of.A->n_rows;
    const double *start = spw_kit_start(t, d->r);
    double *r = spw_kit_copy(t, start, n);
    spw_cg_vectors v = {spw_kit_copy(t, spw_kit_start(t, d->x), n),
                        r,
                        spw_kit_copy(t, start, n),
                        spw_kit_doubles(t, n),
                        r,
                        spw_system_dot(n, r, r)};
    d->start = v.rho;
    for (int k = 0; k < d->of.steps && spw_cg_move(d->of.A, &v); k++) spw_cg_turn(n, &v);
    d->rho = v.rho;
    spw_kit_expect_near(t, d->x, n, v.x, CG_TOLERANCE_OF_X);
}

SPW_CALL(call_iterate, iterate, const problem *d, *d->of.A, d->of.sums.blocks, d->of.steps, d->x,
         d->r, d->p, d->q, d->of.sums.parts, d->numbers)

/* x is right by now. */
static void claim_iterate(spw_trial *t) {
    const problem *d = of(t);
    const double r_r = spw_system_dot(d->of.n, d->r, d->r), slack = 1e-8 * d->rho + 1e-20;
    if (spw_stepping_rho(t, d->numbers[RHO], d->rho, slack, d->start, "r.r") &&
        fabs(r_r - d->rho) > slack)
        spw_trial_fail(t, "x is right, but r on return is not b - A x: its r.r is %.9g, not %.9g",
                       r_r, d->rho);
}

static const spw_slip slips[] = {
    {"load 8 n", "that is the write-allocate of q. A GPU stores whole sectors and reads nothing\n"
                 "before"},
    {"load 24 n", "this is the plain iteration: here p.q reads nothing of its own, 16 n, and\n"
                  "neither does r.r, 8 n"},
    {"load 32 n", "this is the plain iteration on a CPU: 24 n for p.q and r.r of their own, and\n"
                  "the write-allocate of q"},
    {"load 16 n", "p.q reads nothing any more: row i has p[i] and q[i] at hand"},
    {"load -16 n", "p and q are read again in update, and r and p in direction"},
    {"load -4 (n + 1)", "row_ptr has to be loaded, too: n + 1 entries of 4 bytes"},
    {0}};

static const spw_kit iterate_kit =
    SPW_STEPPING_KIT(of_iterate, problem, call_iterate, expect_steps, ", steps {steps}",
                     .cost = "load 12 nz + 4 (n + 1) + 56 n; store 32 n; flop 2 nz + 10 n",
                     .repeats = "steps", .as_right = "-4", .slips = slips, .more_slips = cg_slips);

/* --- the declaration ------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const matrices[] = {
    "one-by-one@1", "nothing@2", "zeros@2", "empty-first-last@3", "prime@2", "every-length@1", "laplace2d:33x31@9", NULL};
static const char *const lengths[] = {"1@1", "0@2", "31@1", "257@1", "1009@3", "700@5", "4000@7", NULL};
static const char *const systems[] = {
    "tridiag:3@1,1", "tridiag:3@2,2", "tridiag:1@1,1", "tridiag:3@1,0", "solved@1,3", "laplace2d:17x9@1,4",
    "laplace2d:40x30@3,3", "tridiag:65700@257,1", NULL};
/* clang-format on */

static const char one_a_block[] =
    "one thread of a block stores the block's sum, when all others have added theirs";

static const spw_sector_bound product_bounds[] = {
    SPW_A_REQUEST("row_ptr", LOADS, 5.5, "neighbouring lanes must have neighbouring rows"),
    SPW_A_REQUEST("q", STORES, 8.5, "neighbouring lanes must have neighbouring rows"),
    SPW_AT_MOST(
        "q", LOADS, 0.1,
        "q[i] is in a register when its row is done: add p[i] q[i] there, in the same loop"),
    {.array = "parts", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {0}};

static const spw_sector_bound update_bounds[] = {
    SPW_A_REQUEST("x", LOADS, 8.5, SPW_COALESCE),
    SPW_A_REQUEST("r", LOADS, 8.5, SPW_COALESCE),
    SPW_AT_MOST(
        "r", LOADS, 1.1,
        "r[i] is in a register when it has just changed: add its square there, in the same\n"
        "loop, and not in one that reads r again"),
    SPW_AT_MOST("x", LOADS, 1.1, "x is read once"),
    {.array = "parts", .access = SPW_STORES, .per_block = 1, .hint = one_a_block},
    {0}};

/* Two steps. */
static const spw_sector_bound iterate_bounds[] = {
    SPW_AT_MOST("x", LOADS, 2.2, "once in each of the two steps"),
    SPW_AT_MOST("q", LOADS, 2.2,
                "by update alone: p.q is made\n"
                "where q is"),
    SPW_AT_MOST("r", LOADS, 4.4,
                "by update and by direction, each once a step: r.r is made where r is"),
    SPW_A_REQUEST("p", STORES, 8.5, SPW_COALESCE),
    SPW_AT_MOST("p", STORES, 2.2, "once a step"),
    SPW_AT_MOST("parts", LOADS, 6,
                "one thread reads them one by one, or every block reads them all: let 256 threads\n"
                "of one block do it, neighbours from neighbours"),
    {0}};

static const spw_part parts[] = {
    SPW_DEVICE_PART("spmv_dot", matrices, product_kit, product_bounds, .claim = spw_stepping_claim,
                    .traffic = "laplace2d:100x100@40",
                    .speed = "laplace3d:200", /* on a GPU: 0.8 GB */
                    .takes_matrix = true, .target = 0.5,
                    .stretch = {.label = "library's best", .call = library_product}),
    SPW_DEVICE_PART("update", lengths, update_kit, update_bounds, .claim = claim_update,
                    .traffic = "10003@8", .speed = "16000000", /* on a GPU: 0.8 GB */
                    .target = 0.7, .stretch = {.label = "library's best", .call = library_update}),
    SPW_DEVICE_PART("iterate", systems, iterate_kit, iterate_bounds, .model = "cg_iteration_cost",
                    .claim = claim_iterate, .traffic = "laplace2d:100x100@40,2",
                    .speed = "laplace3d:200@1056,4", /* on a GPU: 0.8 GB */
                    .takes_matrix = true, .target = 0.5),
};

SPW_DRIVER(parts, .gpu = true)

/* Exercise 18, GPU part: cases, true costs, bounds on the traffic and explanations for BiCGStab in
 * super-kernels whose numbers stay on the device. */
#include "bicgstab_gpu.h"

#include "kernels/costs.h"
#include "kernels/cuda_solver.h"
#include "kit/device_systems.h"
#include "kit/in_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem.h"

/* What the numbers are, and hold on entry where they are garbage. */
static const double garbage[NUMBERS] = {7, 0.375, 0.625, -0.5625, 11};

typedef struct problem {
    spw_stepping of;
    int same; /* of spmv_dots: w is x */
    double *x, *w, *y, *r, *p, *v, *t, *c, *numbers, *library;
    double rho, r_r; /* after the steps */
} problem;

SPW_ARGUMENTS_OF(of, problem)

static void fill_given(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t, (void)at, (void)n;
    memcpy(array, garbage, sizeof garbage);
}

/* --- spmv_dots -------------------------------------------------------------------------------------- */

static const spw_argument of_product[] = {
    SPW_MATRIX(problem, of.A, &spw_kit_csr, spw_stepping_matrix, ),
    SPW_EACH(SPW_RANDOM, problem, "n", x, w),
    SPW_OUTPUT(problem, y, "n", .noun = "row"),
    SPW_ROOM_AS("parts", problem, of.sums.parts, "2 blocks"),
    SPW_ROOM(problem, library, "2 partials", ),
    SPW_VALUES(problem, same),
    {0}};

static const double *w_of(const problem *d) {
    return d->same ? d->x : d->w;
}

static void expect_product(spw_trial *t, const void *at) {
    problem *d = (problem *)(uintptr_t)at;
    spw_in_parts_product(t, &d->of.sums, d->y, d->of.A, d->x, w_of(d), "w.y", "y.y");
}

SPW_CALL(call_product, spmv_dots, const problem *d, *d->of.A, d->of.sums.blocks, d->x, w_of(d),
         d->y, d->of.sums.parts)

SPW_LIBRARY(library_product, const problem *d,
            spw_spmv_with_dots_csr_cuda(d->of.A, d->x, w_of(d), d->y, (spw_partials *)d->library,
                                        (spw_partials *)d->library + 1))

static const spw_kit product_kit = SPW_KIT_OF(
    of_product, problem, call_product, expect_product, .parameters = "@blocks=1056,same=0/steps=0",
    .prepare = spw_stepping_prepare, .facts = "n = {n}, {blocks} blocks, w is x: {same}",
    .cost = "load 12 nz + 4 (n + 1) + 8 (2 - same) n; store 8 n; flop 2 nz + 4 n");

/* --- updates ---------------------------------------------------------------------------------------- */

static const spw_argument of_p[] = {SPW_FILLED(problem, numbers, "5", .fill = fill_given),
                                    SPW_EACH(SPW_RANDOM, problem, "n", r, v),
                                    SPW_START(problem, p, "n", ),
                                    {0}};

static void expect_p(spw_trial *t, const void *at) {
    const problem *d = (const problem *)at;
    bicgstab_expect_p(t, d->of.n, d->numbers[BETA], d->numbers[OMEGA], d->r, d->v, d->p);
}

SPW_CALL(call_p, p_update, const problem *d, d->of.n, d->of.sums.blocks, d->numbers, d->r, d->v,
         d->p)
SPW_LIBRARY(library_p, const problem *d,
            spw_bicgstab_direction_cuda(d->of.n, d->numbers + BETA, d->numbers + OMEGA, d->r, d->v,
                                        d->p))

static const spw_argument of_half[] = {SPW_FILLED(problem, numbers, "5", .fill = fill_given),
                                       SPW_RANDOM(problem, v, "n"),
                                       SPW_START(problem, r, "n", ),
                                       {0}};

static void expect_half(spw_trial *t, const void *at) {
    const problem *d = (const problem *)at;
    bicgstab_expect_half(t, d->of.n, d->numbers[ALPHA], d->numbers[OMEGA], d->v, d->r);
}

SPW_CALL(call_half, half_update, const problem *d, d->of.n, d->of.sums.blocks, d->numbers, d->v,
         d->r)

static const spw_argument of_full[] = {SPW_FILLED(problem, numbers, "5", .fill = fill_given),
                                       SPW_EACH(SPW_RANDOM, problem, "n", p, t, c),
                                       SPW_EACH(SPW_START, problem, "n", x, r),
                                       SPW_ROOM_AS("parts", problem, of.sums.parts, "2 blocks"),
                                       SPW_ROOM(problem, library, "2 partials", ),
                                       {0}};

static void expect_full(spw_trial *t, const void *at) {
    problem *d = (problem *)(uintptr_t)at;
    const double *r = bicgstab_expect_full(t, d->of.n, d->numbers[ALPHA], d->numbers[OMEGA], d->p,
                                           d->t, d->x, d->r);
    const double extra = 64 * DBL_EPSILON * (double)d->of.n;
    spw_in_parts_sum(t, &d->of.sums, "c.r", d->of.n, d->c, r, extra);
    spw_in_parts_sum(t, &d->of.sums, "r.r", d->of.n, r, r, extra);
}

SPW_CALL(call_full, full_update, const problem *d, d->of.n, d->of.sums.blocks, d->numbers, d->p,
         d->t, d->c, d->x, d->r, d->of.sums.parts)

SPW_LIBRARY(library_full, const problem *d,
            spw_bicgstab_step_cuda(d->of.n, d->numbers + ALPHA, d->numbers + OMEGA, d->p, d->r,
                                   d->t, d->c, d->x, d->r, (spw_partials *)d->library,
                                   (spw_partials *)d->library + 1))

static void claim_full(spw_trial *t) {
    spw_in_parts_stale(t, &of(t)->of.sums, of(t)->c, spw_kit_start(t, of(t)->r),
                       "the parts of c.r add up to c.s, with the r on entry, a stale residual:\n"
                       "add c[i] r[i] with the new r[i]");
    spw_stepping_claim(t);
}

#define OF_UPDATE(name, cost_)                                                                     \
    SPW_STEPPING_KIT(of_##name, problem, call_##name, expect_##name, "", .cost = cost_)
static const spw_kit p_kit = OF_UPDATE(p, SPW_COST_BICGSTAB_DIRECTION);
static const spw_kit half_kit = OF_UPDATE(half, "load 16 n; store 8 n; flop 2 n");
static const spw_kit full_kit = OF_UPDATE(full, SPW_COST_BICGSTAB_STEP);

/* --- iterate ---------------------------------------------------------------------------------------- */

static void describe(const spw_trial *t, int64_t i, char *text, int size) {
    const bool solved = strcmp(spw_kit_case(t), "solved") == 0;
    (void)i;
    if (solved || strcmp(spw_kit_case(t), "skew") == 0)
        snprintf(text, (size_t)size, "%s, and nothing may be divided by 0",
                 solved ? "s and r are 0 after half a step: then t.t and c.v are 0"
                        : "c.v is 0 here, and t.s, so omega is, too");
}

static void fill_numbers(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)n;
    const problem *d = (const problem *)at;
    const double *r = spw_kit_start(t, d->r);
    double *numbers = (double *)array;
    memcpy(numbers, garbage, sizeof garbage);
    numbers[RHO] = spw_system_dot(d->of.A->n_rows, r, r);
}

static const spw_argument of_iterate[] = {
    SPW_MATRIX(problem, of.A, &spw_kit_csr, spw_stepping_matrix, ),
    SPW_FILLED(problem, c, "n", .fill = spw_stepping_vector),
    SPW_START(problem, x, "n", .describe = describe),
    SPW_START(problem, r, "n", .fill = spw_stepping_vector),
    SPW_START(problem, p, "n", .fill = spw_stepping_vector),
    SPW_EACH(SPW_ROOM, problem, "n", v, t),
    SPW_ROOM_AS("parts", problem, of.sums.parts, "2 blocks"),
    SPW_START(problem, numbers, "5", .fill = fill_numbers),
    {0}};

static void expect_steps(spw_trial *t, const void *at) {
    problem *d = (problem *)(uintptr_t)at;
    const int64_t n = d->of.n = d->of.A->n_rows;
    double *work = spw_kit_doubles(t, 2 * n);
    bicgstab_steps s = {.A = d->of.A,
                        .x = spw_kit_copy(t, spw_kit_start(t, d->x), n),
                        .r = spw_kit_copy(t, d->c, n),
                        .p = spw_kit_copy(t, d->c, n),
                        .c = spw_kit_copy(t, d->c, n),
                        .v = work,
                        .t = work + n,
                        .rho = spw_system_dot(n, d->c, d->c)};
    for (int k = 0; k < d->of.steps; k++) {
        bicgstab_half_step(&s);
        bicgstab_full_step(&s);
    }
    d->rho = s.rho;
    d->r_r = spw_system_dot(n, s.r, s.r);
    spw_kit_expect_near(t, d->x, n, s.x, 1e-9);
}

SPW_CALL(call_iterate, iterate, const problem *d, *d->of.A, d->of.sums.blocks, d->of.steps, d->c,
         d->x, d->r, d->p, d->v, d->t, d->of.sums.parts, d->numbers)

/* x is right by now. */
static void claim_iterate(spw_trial *t) {
    const problem *d = of(t);
    const double r_r = d->numbers[R_R], first = spw_system_dot(d->of.n, d->c, d->c),
                 slack = 1e-7 * sqrt(d->r_r * first) + 1e-16 * first;
    if (spw_stepping_rho(t, d->numbers[RHO], d->rho, slack, first, "c.r") && d->of.steps > 0 &&
        !(fabs(r_r - d->r_r) <= 1e-7 * d->r_r + 1e-16 * first))
        spw_trial_fail(t, "x is right, but numbers[R_R] is %.9g on return, expected r.r = %.9g",
                       r_r, d->r_r);
}

static const spw_slip slips[] = {
    {"load 16 n", "that is the write-allocate of v and t. A GPU stores whole sectors and reads\n"
                  "nothing before"},
    {"load 16 n; flop 2 n",
     "that is the model of the CPU: without the write-allocate of v and t, and s.s, it\n"
     "is this one"},
    {"load 8 n", "one vector too many is loaded: t.s and t.t read nothing of their own"},
    {"flop 2 n", "2 n flop too many: s.s is not computed here"},
    {"load -8 n", "c is read by the first product, w.y, and by full_update: 8 n each"},
    {"load -12 nz - 4 (n + 1) - 8 n; store -8 n; flop -2 nz",
     "there are two products an iteration, v = A p and t = A s"},
    {"load -8 (n + 1)", "row_ptr has to be loaded, too, by both products"},
    {"store -8 n", "six arrays are stored: v, s, t, x, r and p"},
    {"store -16 n", "six arrays are stored: v, s, t, x, r and p"},
    {"flop -2 nz", "each entry costs 2 flop in each of the two products: 4 nz"},
    {"flop -2 n", "2 n flop are missing: c.v, t.s, t.t, c.r, r.r take 2 n each"},
    {"load 80 n; store 24 n", "this is a launch a line: in a super-kernel a vector is read once"},
    {0}};

static const spw_kit iterate_kit =
    SPW_STEPPING_KIT(of_iterate, problem, call_iterate, expect_steps, ", steps {steps}",
                     .cost = "load 24 nz + 8 (n + 1) + 104 n; store 48 n; flop 4 nz + 22 n",
                     .repeats = "steps", .as_right = "-8", .slips = slips);

/* --- the declaration -------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const matrices[] = {
    "one-by-one@1", "nothing@2", "zeros@2", "empty-first-last@3,1", "prime@2", "every-length@1,1", "convdiff2d:33x31@3", NULL};
static const char *const lengths[] = {"1@1", "0@2", "257@1", "1009@3", "700@5", NULL};
static const char *const systems[] = {
    "solved@1,3", "skew@1,2", "tridiag:1@1,1", "tridiag:3@1,0", "convdiff2d:17x9@1,3", "convdiff2d:40x30@3,2",
    "tridiag:65700@257,1", NULL};
/* clang-format on */

static const char one_pass[] =
    "one loop, one pass: what element i needs is at hand in it, in registers";
static const char two_a_block[] = "one thread of the block stores its two sums, and nobody else";

#define ONCE(name)                                                                                 \
    SPW_A_REQUEST(name, LOADS, 8.5, SPW_COALESCE), {                                               \
        .array = name, .access = SPW_LOADS, .times_size = 1.1, .hint = one_pass                    \
    }

static const spw_sector_bound product_bounds[] = {
    SPW_A_REQUEST("y", STORES, 8.5, "neighbouring lanes must have neighbouring rows"),
    SPW_AT_MOST("y", LOADS, 0.1,
                "y[i] is in a register when its row is done: add w[i] y[i] and y[i]^2 there"),
    SPW_AT_MOST("w", LOADS, 1.1, one_pass),
    {.array = "parts", .access = SPW_STORES, .per_block = 2, .hint = two_a_block},
    {0}};
static const spw_sector_bound p_bounds[] = {ONCE("r"), ONCE("v"), ONCE("p"), {0}};
static const spw_sector_bound half_bounds[] = {ONCE("v"), ONCE("r"), {0}};
static const spw_sector_bound full_bounds[] = {
    ONCE("r"), ONCE("x"),
    ONCE("t"), ONCE("p"),
    ONCE("c"), {.array = "parts", .access = SPW_STORES, .per_block = 2, .hint = two_a_block},
    {0}};

/* Two steps. */
static const spw_sector_bound iterate_bounds[] = {
    SPW_AT_MOST("x", LOADS, 2.2, "once in each of the two steps"),
    SPW_AT_MOST("t", LOADS, 2.2, "by full_update alone: t.s and t.t are made where t is"),
    SPW_AT_MOST("v", LOADS, 4.4,
                "by half_update and by p_update, each once a step: c.v is made where v is"),
    SPW_AT_MOST("r", STORES, 4.4, "twice a step, s and r"),
    SPW_AT_MOST("parts", LOADS, 5,
                "one thread reads them one by one, or every block reads them all: let 256 threads\n"
                "of one block do it, neighbours from neighbours"),
    {0}};

static const spw_part parts[] = {
    SPW_DEVICE_PART("spmv_dots", matrices, product_kit, product_bounds, .claim = spw_stepping_claim,
                    .traffic = "convdiff2d:100x100@40",
                    .speed = "convdiff2d:2800", /* on a GPU: 0.7 GB */
                    .takes_matrix = true, .target = 0.5,
                    .stretch = {.label = "library's best", .call = library_product}),
    SPW_DEVICE_PART("p_update", lengths, p_kit, p_bounds, .traffic = "10003@8",
                    .speed = "24000000", /* on a GPU: 0.8 GB */
                    .target = 0.7, .stretch = {.label = "library's best", .call = library_p}),
    SPW_DEVICE_PART("half_update", lengths, half_kit, half_bounds, .traffic = "10003@8"),
    SPW_DEVICE_PART("full_update", lengths, full_kit, full_bounds, .claim = claim_full,
                    .traffic = "10003@8", .speed = "14000000", /* on a GPU: 0.8 GB */
                    .target = 0.7, .stretch = {.label = "library's best", .call = library_full}),
    SPW_DEVICE_PART("iterate", systems, iterate_kit, iterate_bounds,
                    .model = "bicgstab_iteration_cost", .claim = claim_iterate,
                    .traffic = "convdiff2d:100x100@40,2",
                    .speed = "convdiff2d:2800@1056,4", /* on a GPU: 0.9 GB */
                    .takes_matrix = true, .target = 0.5),
};

SPW_DRIVER(parts, .gpu = true)

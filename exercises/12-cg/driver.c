/* Exercise 12: cases, true costs and explanations for conjugate gradients and its three kernels. */
#include "cg.h"

#include "kernels/blas1.h"
#include "kernels/costs.h"
#include "kernels/fused.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"
#include "kit/cases.h"
#include "kit/krylov.h"
#include "kit/one_pass.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

/* --- spmv_dot ---------------------------------------------------------------------------------------- */

typedef struct product {
    const spw_csr *A;
    const double *p;
    double *q, *p_q;
} product;

static const spw_argument of_product[] = {SPW_MATRIX(product, A, &spw_kit_csr, spw_kit_system, ),
                                          SPW_RANDOM(product, p, "n"),
                                          SPW_OUTPUT(product, q, "n", .noun = "row"),
                                          SPW_NUMBER(product, p_q, "p.q"),
                                          {0}};

static void expect_product(spw_trial *t, const void *at) {
    const product *d = (const product *)at;
    const int64_t n = d->A->n_rows;
    double *q = spw_kit_doubles(t, n), *tolerance = spw_kit_doubles(t, n), slack, size = 0;
    spw_spmv_expected(d->A, d->p, q, tolerance);
    spw_kit_expect(t, d->q, q, tolerance);
    const double p_q = spw_dot_expected(n, d->p, q, &slack);
    for (int64_t i = 0; i < n; i++) size += fabs(d->p[i]) * tolerance[i];
    spw_kit_expect_number(t, d->p_q, p_q, slack + size);
    spw_kit_sum_mistake(t, d->p_q, n, d->p, d->p, "this is p.p: the second factor is q[i]");
    spw_kit_sum_mistake(t, d->p_q, n, q, NULL, "this is the sum of q: p[i] is missing");
}

SPW_RESULT(call_product, spmv_dot, const product *d, *d->p_q, d->A, d->p, d->q)

SPW_RIVAL(product_apart, const product *d, spw_spmv_csr_omp(d->A, d->p, d->q);
          *d->p_q = spw_dot_omp(d->A->n_rows, d->p, d->q))

static const spw_kit product_kit =
    SPW_KIT_OF(of_product, product, call_product, expect_product,
               .cost = "load 12 nz + 4 (n + 1) + 16 n; store 8 n; flop 2 nz + 2 n");

#define IN_BOTH                                                                                    \
    {"load -8 n", "the write-allocate of q is missing: 8 n bytes are read because q is written"},  \
        {"load -4 n", "row_ptr is missing: 4 n bytes"}, {                                          \
        "load -12 n", "row_ptr and the write-allocate of q are missing: 4 n + 8 n bytes"           \
    }
static const spw_slip plain_slips[] = {
    {"load -24 n",
     "this is the fused iteration: with one loop for each operation p.q reads p and q\n"
     "again, and r.r reads r again"},
    {"load 8 n", "r.r reads r once: both factors are the same array, 8 n bytes"},
    {"load -16 n", "p.q is missing, or x, r or p was counted as written only: 16 n bytes"},
    {"load 24 n", "x, r and p are read before they are written: their lines are there, no\n"
                  "write-allocate comes on top"},
    IN_BOTH,
    {0}};

/* In one pass, and with it the model of the plain iteration. */
static const spw_kit passes_kit = SPW_KIT_OF(
    of_product, product, call_product, NULL,
    .cost = "load 12 nz + 92 n; store 32 n; flop 2 nz + 10 n", .as_right = "4",
    .slips = plain_slips, .more_slips = cg_slips,
    .one_pass = "In row i both p[i] and q[i] are at hand: add p[i] q[i] to the sum there, in the\n"
                "loop over the rows");

/* --- update, direction -------------------------------------------------------------------------------- */

/* N@S. A timed call is repeated: nothing may grow */
typedef struct vectors {
    int64_t n;
    double s; /* alpha or beta */
    double *p, *q, *x, *r, *r_r;
} vectors;

static const spw_argument of_update[] = {SPW_VALUES(vectors, n, s),
                                         SPW_EACH(SPW_RANDOM, vectors, "n", p, q),
                                         SPW_EACH(SPW_START, vectors, "n", x, r),
                                         SPW_NUMBER(vectors, r_r, "r.r"),
                                         {0}};

static void expect_update(spw_trial *t, const void *at) {
    const vectors *d = (const vectors *)at;
    const int64_t n = d->n;
    const double *r = cg_expect_update(t, n, d->s, d->p, d->q, d->x, d->r);
    double slack, size = 0; /* r has rounding errors of its own, whatever is left of it */
    const double r_r = spw_dot_expected(n, r, r, &slack);
    for (int64_t i = 0; i < n; i++) size += fabs(r[i]);
    spw_kit_expect_number(t, d->r_r, r_r, 4 * slack + 64 * DBL_EPSILON * size);
    spw_kit_sum_mistake(t, d->r_r, n, spw_kit_start(t, d->r), r,
                        "this is the old r times the new one: both factors are the new r[i]");
    spw_trial_number_mistake(t, d->r_r, sqrt(r_r), "this is ||r||: r.r has no square root");
}

SPW_RESULT(call_update, update, const vectors *d, *d->r_r, d->n, d->s, d->p, d->q, d->x, d->r)

SPW_RIVAL(update_apart, const vectors *d, spw_axpby_omp(d->n, d->s, d->p, 1, d->x);
          spw_axpby_omp(d->n, -d->s, d->q, 1, d->r); *d->r_r = spw_dot_omp(d->n, d->r, d->r))

static const spw_kit update_kit = SPW_KIT_OF(
    of_update, vectors, call_update, expect_update, .parameters = "@s=0.375", .facts = "n = {n}",
    .cost = SPW_COST_CG_STEP,
    .one_pass =
        "r[i] is at hand when it has just changed: add its square to the sum there, in the\n"
        "same loop");

static const spw_argument of_direction[] = {
    SPW_VALUES(vectors, n, s), SPW_RANDOM(vectors, r, "n"), SPW_START(vectors, p, "n", ), {0}};

static void expect_direction(spw_trial *t, const void *at) {
    const vectors *d = (const vectors *)at;
    const double b = d->s;
    const spw_combination rows[] = {
        {{1, b}, NULL},
        {{1, -b},
         "the sign is wrong: this is r - beta p. With it p is not A-orthogonal to the\n"
         "directions before, and CG loses its speed"},
        {{b, 1}, "r and p have changed places: this is p + beta r"},
        {{1, 1}, "beta is missing: this is r + p"},
        {{1, 0}, "p is missing: this is r, steepest descent"}};
    spw_kit_expect_combination(t, d->p, d->n,
                               (const double *[]){d->r, spw_kit_start(t, d->p), NULL}, rows, 5);
}

SPW_CALL(call_direction, direction, const vectors *d, d->n, d->s, d->r, d->p)
static const spw_kit direction_kit =
    SPW_KIT_OF(of_direction, vectors, call_direction, expect_direction, .parameters = "@s=0.375",
               .facts = "n = {n}");

/* --- the solver ----------------------------------------------------------------------------------------- */

static const spw_krylov_case systems[] = {
    /* clang-format off */
    {"one-step", "tridiag:3", 0, SPW_B_FIRST, SPW_X_0, 0, 1, 0},  /* the README's, times 3/2: ||r0|| is not r1.r1 */
    {"two-steps", "tridiag:3", 0, SPW_B_FIRST, SPW_X_0, 0, 2, 0},
    {"guess", "laplace2d:5x4", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 1, 0},
    {"three-steps", "laplace2d:9x7", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 3, 0},
    {"no-steps", "laplace2d:5x4", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 0, 0},
    {"one-by-one", "tridiag:1", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 10, 0},
    {"last-step", "tridiag:1", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 1, 0},  /* converges in it */
    {"zero", "laplace2d:5x4", 0, SPW_B_ZERO, SPW_X_0, 1e-8, 10, 0},
    {"solved", "laplace2d:5x4", 0, SPW_B_OF_ONES, SPW_X_ONES, 1e-8, 10, 0},  /* r is 0 to the bit */
    {"zero-dot", "swap", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0},  /* p.q is 0 at once */
    {"nan-dot", "huge-swap", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0},  /* p.q is 0 infinity */
    {"three-values", "three-values", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 50, 0},
    {"laplace2d", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 500, 0},
    {"small-b", "laplace2d:30x29", 0, SPW_B_SMALL, SPW_X_0, 1e-8, 500, 0},
    {"tiny-b", "laplace2d:30x29", 0, SPW_B_TINY, SPW_X_0, 1e-8, 500, 0},  /* p.q is below 1e-36 from the start */
    {"far-guess", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_FAR, 1e-8, 500, 0},
    {"stencil27", "stencil27:9", 0, SPW_B_OF_ONES, SPW_X_RANDOM, 1e-10, 500, 0},
    {"too-few", "laplace2d:30x29", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 20, 0},
    {"not-spd", "laplace2d:12x11", 1, SPW_B_RANDOM, SPW_X_0, 1e-8, 500, 0},  /* A - I is indefinite */
    {0},
    /* clang-format on */
};

/* "three-values": a diagonal of 30 entries that are 1, 2 or 5. "huge-swap": a product that is infinite. */
static spw_status system_matrix(const char *name, uint64_t seed, spw_csr *A) {
    static const double values[3] = {1, 2, 5};
    if (strcmp(name, "huge-swap") == 0)
        return spw_system_dense(2, (const double[]){0, 1e308, 1e308, 0}, A);
    if (strcmp(name, "three-values") != 0) return spw_system_load(name, seed, A);
    const spw_status status = spw_system_fours(30, A);
    for (spw_idx i = 0; i < 30 && !status; i++) A->val[i] = values[i % 3];
    return status;
}

static const char *const stops[] = {"CG_CONVERGED", "CG_ITERATIONS", "CG_NOT_SPD", NULL};
static const char *const breakdowns[] = {SPW_CG_NOT_SPD};

static const spw_krylov_method method = {
    .cases = systems,
    .matrix = system_matrix,
    .timed_steps = 8,
    .first = 6,
    .digits = CG_TOLERANCE_OF_X,
    SPW_KRYLOV_CG,
    .stops = stops,
    .breakdowns = breakdowns,
    .false_alarm =
        "A is positive definite, and p.q is 0 only where p is: ask for convergence first,\n"
        "then for p.q > 0. Or is p.q compared with another number than 0? Where b is small\n"
        "it is small, and nothing is wrong",
    .divided = "Ask before alpha = rho / p.q: has it converged already? is p.q > 0?",
    .too_many = "Right steps, but too many of them: is beta the new r.r over the old one, and\n"
                "the test ||r|| <= tolerance * ||b||?",
};

typedef struct solving {
    spw_krylov k;
    cg_room room;
} solving;

static const spw_argument of_cg[] = {SPW_EACH(SPW_ROOM_OF, solving, "n", p, q, r), {0}};

SPW_KRYLOV_CALL(call_cg, cg, const solving *s, &s->room)

static const spw_slip fused_slips[] = {
    {"load 24 n",
     "this is the plain iteration: in one loop p.q has p[i] and q[i] at hand, 16 n bytes\n"
     "less, and r.r has r[i], 8 n bytes less. Or is write-allocate counted for x, r and p, too?\n"
     "They were read before"},
    {"load 16 n", "p.q reads nothing any more: row i has p[i] and q[i] at hand"},
    {"load 8 n", "r.r reads nothing any more: r[i] has just been computed"},
    {"load -16 n", "p and q are read again in update, and r and p in direction"},
    IN_BOTH,
    {0}};

/* Once a call: r = b - A x, p = r, b.b, r.r. */
static const spw_kit cg_kit = SPW_KRYLOV_KIT(
    of_cg, solving, call_cg, method, .cost = "load 12 nz + 68 n; store 32 n; flop 2 nz + 10 n",
    .once = "load 12 nz + 68 n; store 24 n; flop 2 nz + 7 n", .as_right = "4", .slips = fused_slips,
    .more_slips = cg_slips);

/* --- beside the whole loop -------------------------------------------------------------------------------- */

SPW_RIVAL(plain, const solving *s,
          spw_krylov_cg(&s->k, NULL, false, s->room.p, s->room.q, s->room.r, NULL))
SPW_RIVAL(fused_loops, const solving *s,
          spw_krylov_cg(&s->k, NULL, true, s->room.p, s->room.q, s->room.r, NULL))

/* --- the declaration ---------------------------------------------------------------------------------------- */

static const char *const matrices[] = {
    "one-by-one",     "empty-first-last", "diagonal", "every-length", "prime", "arrow",
    "laplace2d:17x9", "stencil27",        NULL};
static const char *const lengths[] = {"1", "0", "2", "7", "64", "1009", "100003", NULL};
SPW_KRYLOV_NAMES(cases, systems);

/* What fuses comes last: an answer of many loops is right, until then. */
static const spw_part parts[] = {
    SPW_PART("spmv_dot", matrices, product_kit, .speed = "stencil27:64", .target = 0.75,
             .baseline = {.label = "product, then p.q", .call = product_apart},
             .stretch = {.label = "library", .function = (spw_function)spw_spmv_with_dot_csr_omp}),
    SPW_PART("update", lengths, update_kit, .speed = "memory/4@1e-6", .target = 0.8,
             .baseline = {.label = "three loops", .call = update_apart},
             .stretch = {.label = "library", .function = (spw_function)spw_cg_step_omp}),
    SPW_PART("direction", lengths, direction_kit, ),
    SPW_PART("cg", cases, cg_kit, .model = "cg_fused_cost", .claim = spw_krylov_claim,
             .speed = "stencil27:64", .traffic = "stencil27:40", .takes_matrix = true,
             .target = 0.75, .baseline = {.label = "six loops", .call = plain},
             .stretch = {.label = "library", .call = fused_loops}),
    {.function = "spmv_dot", .model = "cg_plain_cost", SPW_ONE_PASS(&passes_kit)},
    {.function = "update", SPW_ONE_PASS(&update_kit)},
};

SPW_KRYLOV_DRIVER(parts, systems, cases)

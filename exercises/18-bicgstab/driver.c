/* Exercise 18: cases, true costs and explanations for BiCGStab and its super-kernels. */
#include "bicgstab.h"

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

/* --- the super-kernels -------------------------------------------------------------------------------- */

/* N@A,W. A timed call is repeated: nothing may grow */
typedef struct vectors {
    int64_t n;
    double a, w;                          /* alpha or beta, omega */
    double *p, *v, *t, *c, *x, *r, *sums; /* sums: what the function returns, and *r_r */
} vectors;

#define LENGTH .parameters = "@a=0.375,w=1.25", .facts = "n = {n}"

static const spw_argument of_p[] = {SPW_VALUES(vectors, n, a, w),
                                    SPW_EACH(SPW_RANDOM, vectors, "n", r, v),
                                    SPW_START(vectors, p, "n", ),
                                    {0}};

static void expect_p(spw_trial *t, const void *at) {
    const vectors *d = (const vectors *)at;
    bicgstab_expect_p(t, d->n, d->a, d->w, d->r, d->v, d->p);
}

SPW_CALL(call_p, p_update, const vectors *d, d->n, d->a, d->w, d->r, d->v, d->p)

static void p_apart(int64_t n, double beta, double omega, const double *r, const double *v,
                    double *p) {
    spw_scal_omp(n, beta, p);
    spw_axpby_omp(n, -beta * omega, v, 1, p);
    spw_axpby_omp(n, 1, r, 1, p);
}

static const spw_kit p_kit =
    SPW_KIT_OF(of_p, vectors, call_p, expect_p, LENGTH, .cost = SPW_COST_BICGSTAB_DIRECTION);

/* Sums: c.r, and with two of them r.r. */
static void expect_sums(spw_trial *t, const vectors *d, int count, const double *c,
                        const double *r) {
    double *values = spw_kit_doubles(t, 2), *tolerance = spw_kit_doubles(t, 2), slack[2], size = 0;
    values[0] = spw_dot_expected(d->n, c, r, &slack[0]);
    values[1] = spw_dot_expected(d->n, r, r, &slack[1]);
    for (int64_t i = 0; i < d->n; i++) size += fabs(c[i]) + fabs(r[i]);
    /* r has rounding errors of its own, whatever is left of it */
    for (int k = 0; k < 2; k++) tolerance[k] = 8 * slack[k] + 64 * DBL_EPSILON * size;
    spw_kit_expect_first(t, d->sums, count, values, tolerance);
}

static void sum_mistake(spw_trial *t, const vectors *d, double first, double second,
                        const char *text) {
    double *values = spw_kit_doubles(t, 2);
    values[0] = first;
    values[1] = second;
    spw_trial_mistake(t, d->sums, values, text);
}

static const spw_argument of_half[] = {SPW_VALUES(vectors, n, a, w),
                                       SPW_RANDOM(vectors, v, "n"),
                                       SPW_START(vectors, r, "n", ),
                                       SPW_NUMBER(vectors, sums, "s.s"),
                                       {0}};

static void expect_half(spw_trial *t, const void *at) {
    const vectors *d = (const vectors *)at;
    const double *s = bicgstab_expect_half(t, d->n, d->a, NAN, d->v, d->r);
    expect_sums(t, d, 1, s, s);
    spw_kit_sum_mistake(t, d->sums, d->n, s, d->v, "this is s.v, not s.s");
}

SPW_RESULT(call_half, half_update, const vectors *d, d->sums[0], d->n, d->a, d->v, d->r)
static const spw_kit half_kit =
    SPW_KIT_OF(of_half, vectors, call_half, expect_half, LENGTH,
               .one_pass = "r[i] is at hand when it has just changed: add its square there");

static const spw_argument of_full[] = {
    SPW_VALUES(vectors, n, a, w),
    SPW_EACH(SPW_RANDOM, vectors, "n", p, t, c),
    SPW_EACH(SPW_START, vectors, "n", x, r),
    SPW_OUTPUT_AS("c.r and r.r", vectors, sums, "2", .noun = "result"),
    {0}};

static void expect_full(spw_trial *t, const void *at) {
    const vectors *d = (const vectors *)at;
    const int64_t n = d->n;
    const double *s = spw_kit_start(t, d->r);
    const double *r = bicgstab_expect_full(t, n, d->a, d->w, d->p, d->t, d->x, d->r);
    double ignored;
    const double c_r = spw_dot_expected(n, d->c, r, &ignored);
    const double r_r = spw_dot_expected(n, r, r, &ignored);
    const double c_s = spw_dot_expected(n, d->c, s, &ignored);
    expect_sums(t, d, 2, d->c, r);
    sum_mistake(t, d, c_s, spw_dot_expected(n, s, s, &ignored),
                "these are c.s and s.s, of the r on entry: add up what has just been written");
    sum_mistake(t, d, c_s, r_r, "this is c.s: rho is c.r with the new r");
    sum_mistake(t, d, r_r, c_r, "c.r and r.r are swapped: c.r is returned");
    sum_mistake(t, d, c_r, sqrt(r_r), "*r_r has no square root");
}

SPW_RESULT(call_full, full_update, const vectors *d, d->sums[0], d->n, d->a, d->w, d->p, d->t, d->c,
           d->x, d->r, &d->sums[1])

static double full_apart(int64_t n, double alpha, double omega, const double *p, const double *t,
                         const double *c, double *x, double *r, double *r_r) {
    spw_axpby_omp(n, alpha, p, 1, x);
    spw_axpby_omp(n, omega, r, 1, x);
    spw_axpby_omp(n, -omega, t, 1, r);
    const double c_r = spw_dot_omp(n, c, r);
    *r_r = spw_dot_omp(n, r, r);
    return c_r;
}

static double full_library(int64_t n, double alpha, double omega, const double *p, const double *t,
                           const double *c, double *x, double *r, double *r_r) {
    double c_r;
    *r_r = spw_bicgstab_step_omp(n, alpha, omega, p, r, t, c, x, r, &c_r);
    return c_r;
}

static const spw_kit full_kit =
    SPW_KIT_OF(of_full, vectors, call_full, expect_full, LENGTH, .cost = SPW_COST_BICGSTAB_STEP,
               .one_pass = "x, then r, then both sums of element i: four statements, one loop");

/* --- in one pass? And with it the model of the plain iteration ---------------------------------------- */

/* Of a five-point matrix on a square of points. */
static void prepare_plain(spw_trial *t, const char *name, void *at) {
    const double n = strtod(name, NULL);
    (void)at;
    spw_kit_quantity(t, "n", n);
    spw_kit_quantity(t, "nz", 5 * n - 4 * floor(sqrt(n)));
}

static const spw_slip both_slips[] = {
    {"load -12 nz - 20 n; store -8 n; flop -2 nz",
     "there are two products an iteration, v = A p and t = A s"},
    {"load -16 n", "the write-allocate of v and t is missing: 8 n for each product"},
    {"load -24 n", "row_ptr and the write-allocate of both products are missing: 24 n"},
    {"load 8 nz", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"flop n", "p takes 4 n flop: beta p, minus, plus, and omega v or (beta omega) v"},
    {"flop -24 n", "the vectors are missing: 24 n flop"},
    {"store -16 n", "v and t have to be stored, too: 8 n each"},
    {"flop -2 nz", "each entry costs 2 flop in each of the two products: 4 nz"},
    {"flop -2 n", "2 n flop are missing: which dot or axpy is it?"},
    {"flop -4 n", "4 n flop are missing: which two dots or axpys are they?"},
    {0}};

static const spw_slip plain_slips[] = {
    {"load -88 n; store -24 n",
     "this is the merged iteration: here each call reads its vectors anew"},
    {"load -154 n; store -49 n", "an element has 8 bytes: these are numbers of elements"},
    {"load -16 n; store -16 n", "p takes three calls, scal, axpy, axpy: 5 n read and 3 n written"},
    {"load 16 n", "s.s and r.r read one vector each, not two"},
    {"load -8 n", "both products need row_ptr, 4 n each: or is one read missing?"},
    {0}};

static const spw_kit plain_kit = SPW_KIT_OF(
    of_p, vectors, call_p, NULL, .prepare = prepare_plain, .parameters = "@a=0.375,w=1.25",
    .cost = "load 24 nz + 216 n; store 72 n; flop 4 nz + 24 n", .as_right = "8",
    .slips = plain_slips, .more_slips = both_slips,
    .one_pass = "r[i] + beta (p[i] - omega v[i]) is one statement of one loop");

/* --- the solver ---------------------------------------------------------------------------------------- */

/* clang-format off */
static const spw_krylov_case systems[] = {
    {"one-step", "convdiff2d:3x2", 0, SPW_B_RANDOM, SPW_X_0, 0, 1, 0},
    {"two-steps", "convdiff2d:5x4", 0, SPW_B_RANDOM, SPW_X_0, 0, 2, 0},
    {"guess", "convdiff2d:5x4", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 1, 0},
    {"three-steps", "convdiff2d:9x7", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 3, 0},
    {"no-steps", "convdiff2d:5x4", 0, SPW_B_RANDOM, SPW_X_RANDOM, 0, 0, 0},
    {"example", "example", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0},     /* the example of the README */
    {"one-by-one", "one", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0}, /* ends after half a step: s = 0 */
    {"last-step", "example", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 1, 0},  /* converges in it */
    {"exact", "one", 0, SPW_B_FIRST, SPW_X_0, 0, 10, 0},              /* s = 0 and tolerance 0 */
    {"omega-below-0", "negative", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0}, /* s = 2 e2, t = -s */
    {"zero", "convdiff2d:5x4", 0, SPW_B_ZERO, SPW_X_0, 1e-8, 10, 0},
    {"solved", "convdiff2d:5x4", 0, SPW_B_OF_ONES, SPW_X_ONES, 1e-8, 10, 0}, /* r is 0 to the bit */
    {"rho", "rho", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0},
    {"alpha", "alpha", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0},
    {"omega", "omega", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0},
    {"singular", "singular", 0, SPW_B_FIRST, SPW_X_0, 1e-8, 10, 0},   /* t is 0: omega would be 0 / 0 */
    {"convdiff", "convdiff2d:9x8", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 200, 0},
    {"small-b", "convdiff2d:9x8", 0, SPW_B_SMALL, SPW_X_0, 1e-8, 200, 0},
    {"tiny-b", "convdiff2d:9x8", 0, SPW_B_TINY, SPW_X_0, 1e-8, 200, 0}, /* dots are below 1e-37 from the start */
    {"far-guess", "convdiff2d:9x8", 0, SPW_B_RANDOM, SPW_X_FAR, 1e-8, 200, 0},
    {"stencil27", "stencil27:7", 0, SPW_B_OF_ONES, SPW_X_RANDOM, 1e-8, 200, 0},
    {"too-few", "convdiff2d:9x8", 0, SPW_B_RANDOM, SPW_X_0, 1e-8, 5, 0},
    {0}};
/* clang-format on */

/* Small matrices with whole numbers, so that what is 0 is 0 to the bit; b = (1, 0, 0). */
static spw_status system_matrix(const char *name, uint64_t seed, spw_csr *A) {
    static const struct {
        const char *name;
        int n;
        double a[9];
    } known[] = {
        {"example", 2, {1, 0, -1, 2}},              /* done in one step */
        {"rho", 3, {1, 0, 1, -1, 1, 0, 0, 1, 1}},   /* c.r = 0 after the first step */
        {"alpha", 2, {0, 1, -1, 0}},                /* skew: c.A c = 0 */
        {"omega", 3, {1, 0, 0, -2, 0, 1, 0, 1, 0}}, /* s = 2 e2, t = 2 e3 */
        {"negative", 2, {1, 0, -2, -1}},            /* t.s = -4, and done in one step */
        {"one", 1, {2}},                            /* s = 0 */
        {"singular", 2, {1, 0, -1, 0}},             /* s = e2, t = 0 */
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(name, known[k].name) == 0) return spw_system_dense(known[k].n, known[k].a, A);
    return spw_system_load(name, seed, A);
}

/* within: ||s|| of the step, or infinity */
static void norms(const spw_krylov *k, const bicgstab_steps *s, double within, double *norm) {
    norm[SPW_NORM_R] = fmin(within, sqrt(spw_system_dot(k->n, s->r, s->r)));
    norm[SPW_NORM_LARGEST] = spw_system_largest(k->n, s->r);
}

static void begin(const spw_krylov *k, double *x, double *work, void *at, double *norm) {
    const int64_t n = k->n;
    bicgstab_steps *s = (bicgstab_steps *)at;
    *s = (bicgstab_steps){.A = k->A,
                          .x = x,
                          .r = work,
                          .p = work + n,
                          .v = work + 2 * n,
                          .t = work + 3 * n,
                          .c = work + 4 * n};
    spw_system_product(k->A, x, s->v);
    for (int64_t i = 0; i < n; i++) s->p[i] = s->c[i] = s->r[i] = k->b[i] - s->v[i];
    s->rho = spw_system_dot(n, s->r, s->r);
    norms(k, s, INFINITY, norm);
}

static int step(const spw_krylov *k, double enough, void *at, double *norm) {
    bicgstab_steps *s = (bicgstab_steps *)at;
    if (s->rho == 0) return BICGSTAB_RHO;
    bicgstab_half_step(s);
    if (s->c_v == 0) return BICGSTAB_ALPHA;
    const double half = sqrt(s->s_s);
    const bool converged = half <= enough, goes_on = !converged && s->t_s != 0;
    if (goes_on) bicgstab_full_step(s);
    for (int64_t i = 0; i < k->n && !goes_on; i++) s->x[i] += s->alpha * s->p[i];
    norms(k, s, half, norm);
    return goes_on ? BICGSTAB_ITERATIONS : converged ? BICGSTAB_CONVERGED : BICGSTAB_OMEGA;
}

static const char *residual_is(const spw_krylov *k, double said, double truth) {
    if (k->got[0] != BICGSTAB_OMEGA && !(said < truth)) return NULL;
    return "x is behind r: after half a step s is the residual of x + alpha p. Has x got it?";
}

static const char *const stops[] = {"BICGSTAB_CONVERGED", "BICGSTAB_ITERATIONS", "BICGSTAB_RHO",
                                    "BICGSTAB_ALPHA",     "BICGSTAB_OMEGA",      NULL};
static const char *const breakdowns[] = {
    "c.r is 0 and r is not: the next alpha would be 0, and the next beta divides by rho = 0.\n"
    "That is a breakdown: BICGSTAB_RHO",
    "c.v is 0, and alpha = rho / c.v is infinite: BICGSTAB_ALPHA, and x stays",
    "t.s is 0, so omega is 0 (or 0 / 0 where t is 0), and beta would be divided by it:\n"
    "take the half step x += alpha p, and return BICGSTAB_OMEGA"};

static const spw_krylov_method method = {
    .cases = systems,
    .matrix = system_matrix,
    .timed_steps = 6,
    .digits = 1e-9,
    .vectors = 5,
    .state_size = sizeof(bicgstab_steps),
    .begin = begin,
    .step = step,
    .stops = stops,
    .breakdowns = breakdowns,
    .false_alarm =
        "Where r or s is 0 all dots are 0, and nothing is wrong: ask for convergence\n"
        "first, before the step and after half of it. Or is a dot below 0, or small as b is?\n"
        "Only 0 is a breakdown",
    .divided = "Ask for convergence before each division: where r or s is 0 all dots are 0",
    .too_many =
        "Too many steps: is beta rho'/rho alpha/omega, with the alpha and the omega of the\n"
        "step before, and the test ||r|| <= tolerance * ||b||?",
    .which_test =
        "Is the test ||r|| <= tolerance * ||b||, before each step, and ||s|| after half of it?",
    .drifted = "r is not b - A x any more: do x and r change together? Or this is another number",
    .blur = 1,
    .residual_is = residual_is};

typedef struct solving {
    spw_krylov k;
    bicgstab_room room;
} solving;

static const spw_argument of_solver[] = {SPW_EACH(SPW_ROOM_OF, solving, "n", p, v, t, r, c), {0}};

SPW_KRYLOV_CALL(call_solver, bicgstab, const solving *s, &s->room)

static const spw_slip merged_slips[] = {
    {"load -77 n; store -28 n", "an element has 8 bytes: these are numbers of elements"},
    {"load 88 n; store 24 n",
     "this is the plain iteration: in a super-kernel a vector is read once"},
    {"load 16 n",
     "t.s and t.t read nothing: in row i of the product t[i] is in a register, and s[i]\n"
     "has just been used"},
    {"load -8 n",
     "c is read in the first product: 8 n, as it is not the vector multiplied. Or is row_ptr\n"
     "missing, 4 n for each of the two products?"},
    {0}};

/* Once a call: the product of the start with its dots, c, p, r. */
static const spw_kit solver_kit =
    SPW_KRYLOV_KIT(of_solver, solving, call_solver, method,
                   .cost = "load 24 nz + 128 n; store 48 n; flop 4 nz + 24 n",
                   .once = "load 12 nz + 76 n; store 32 n; flop 2 nz + 9 n", .as_right = "8",
                   .slips = merged_slips, .more_slips = both_slips);

/* --- beside the whole loop ---------------------------------------------------------------------------------- */

static void product_apart(const spw_csr *A, const double *x, const double *w, double *y,
                          double *w_y, double *y_y) {
    spw_spmv_csr_omp(A, x, y);
    *w_y = spw_dot_omp(A->n_rows, w, y);
    if (x == w) *y_y = spw_dot_omp(A->n_rows, y, y);
}

static double half_apart(int64_t n, double alpha, const double *v, double *r) {
    spw_axpby_omp(n, -alpha, v, 1, r);
    return spw_dot_omp(n, r, r);
}

static const struct kernels {
    __typeof__(product_apart) *product;
    __typeof__(half_update) *half;
    __typeof__(full_update) *full;
    __typeof__(p_update) *direction;
} plain = {product_apart, half_apart, full_apart, p_apart},
  merged = {spw_spmv_with_dots_csr_omp, spw_bicgstab_half_omp, full_library,
            spw_bicgstab_direction_omp};

static void iterate(const solving *s, const struct kernels *f) {
    const spw_csr *A = s->k.A;
    const int64_t n = A->n_rows;
    const bicgstab_room *w = &s->room;
    spw_spmv_csr_omp(A, s->k.x, w->v);
    spw_copy_omp(n, s->k.b, w->r);
    spw_axpby_omp(n, -1, w->v, 1, w->r);
    spw_copy_omp(n, w->r, w->p);
    spw_copy_omp(n, w->r, w->c);
    double rho = spw_dot_omp(n, w->r, w->r), r_r = rho, c_v, t_s, t_t;
    for (int k = 0; k < s->k.most && r_r > 0; k++) {
        f->product(A, w->p, w->c, w->v, &c_v, &t_t);
        const double alpha = rho / c_v, old = rho;
        if (f->half(n, alpha, w->v, w->r) <= 0) return;
        f->product(A, w->r, w->r, w->t, &t_s, &t_t);
        const double omega = t_s / t_t;
        rho = f->full(n, alpha, omega, w->p, w->t, w->c, s->k.x, w->r, &r_r);
        f->direction(n, rho / old * (alpha / omega), omega, w->r, w->v, w->p);
    }
}

SPW_RIVAL(a_call_a_line, const solving *s, iterate(s, &plain))
SPW_RIVAL(library, const solving *s, iterate(s, &merged))

/* --- the declaration ------------------------------------------------------------------------------------------ */

static const char *const lengths[] = {"1", "0", "2", "7", "64", "1009", "100003", NULL};
SPW_KRYLOV_NAMES(cases, systems);

/* What merges comes last: an answer of many loops is right, until then. */
static const spw_part parts[] = {
    SPW_PART("p_update", lengths, p_kit, .speed = "memory/3@1e-6,2e-6", .target = 0.8,
             .baseline = {.label = "scal, axpy, axpy", .function = (spw_function)p_apart},
             .stretch = {.label = "library", .function = (spw_function)spw_bicgstab_direction_omp}),
    SPW_PART("half_update", lengths, half_kit, ),
    SPW_PART("full_update", lengths, full_kit, .speed = "memory/5@1e-6,2e-6", .target = 0.8,
             .baseline = {.label = "five calls", .function = (spw_function)full_apart},
             .stretch = {.label = "library", .function = (spw_function)full_library}),
    SPW_PART("bicgstab", cases, solver_kit, .model = "bicgstab_merged_cost",
             .claim = spw_krylov_claim, .speed = "convdiff2d:700", .traffic = "convdiff2d:300",
             .takes_matrix = true, .target = 0.75,
             .baseline = {.label = "a call a line", .call = a_call_a_line},
             .stretch = {.label = "library", .call = library}),
    {.function = "p_update", .model = "bicgstab_plain_cost", SPW_ONE_PASS(&plain_kit)},
    {.function = "half_update", SPW_ONE_PASS(&half_kit)},
    {.function = "full_update", SPW_ONE_PASS(&full_kit)},
};

SPW_KRYLOV_DRIVER(parts, systems, cases)

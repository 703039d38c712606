/* Exercise 12: cases, true costs and explanations for Neumann's and Chebyshev's polynomials, and three systems on which
 * all preconditioners are compared. */
#include "driver.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "kit/cases.h"
#include "perf/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- neumann ---------------------------------------------------------------------------------------------------------- */

static void prepare_neumann(spw_trial *t, const char *name, void *at)
{
    problem *p = (problem *)at;
    p->kind = IC0_NEUMANN;
    prepare_triangle(t, name, at);
}

static const spw_argument solving[] = {SPW_RANDOM(problem, b, "n"),
                                       SPW_OUTPUT(problem, x, "n", .noun = "row"),
                                       SPW_ROOM(problem, work, "n"),
                                       {0}};

static void expect_neumann(spw_trial *t, const void *at)
{
    const problem *p = (const problem *)at;
    const int64_t n = p->N->n_rows;
    double *x = spw_kit_doubles(t, n), *old = spw_kit_doubles(t, n);
    neumann_steps(p->N, p->inverse, p->k, p->b, x, old);
    expect_near(t, p->x, n, x, 1e-13);
}

static void call_neumann(const void *at, spw_function f)
{
    const problem *p = (const problem *)at;
    ((neumann_fn)f)(p->T, p->k, p->b, p->x, p->work);
}

static const char beside[] =
    "the diagonal is not among the entries: both triangles together have nz - n of them";

static const spw_slip neumann_slips[] = {
    {"load -16 k n - 16 n",
     "the write-allocate is missing: each pass writes a vector that it has not read"},
    {"load -16 k n", "each pass reads b and the x before: 16 n for each triangle"},
    {"load -8 k n", "`row` is missing: 4 n bytes for each triangle and pass"},
    {"load -48 n; store -16 n; flop -2 n",
     "the first term is missing: x = D^-1 b, for each triangle"},
    {"load 12 k n; flop 2 k n", beside},
    {"load 12 k n", beside},
    {"= load 48 n + (k - 1) (12 nz + 68 n)",
     "this is one degree short: the first pass takes no product"},
    {"= load 48 n + (k + 1) (12 nz + 68 n)",
     "this is one degree too many: the first pass takes no product"},
    {0},
};

/* Of both triangles, k passes each. as_right: row_ptr has n + 1 entries. */
static const spw_kit neumann_kit =
    KIT(solving, .prepare = prepare_neumann, .facts = "n = {n}, degree {k}", .call = call_neumann,
        .expect = expect_neumann, .predict = predict_apply, .asked = "kind IC0_NEUMANN, k = {k}",
        .cost = "load 48 n + k (12 nz + 68 n); store 16 n + 16 k n; flop 2 n + 2 k nz",
        .as_right = "8 k", .slips = neumann_slips, .shared = "fours:#/lower/2");

/* --- chebyshev -------------------------------------------------------------------------------------------------------- */

static void prepare_chebyshev(spw_trial *t, const char *name, void *at)
{
    problem *p = (problem *)at;
    prepare_matrix(t, name, at);
    p->kind = CHEBYSHEV;
    p->low = 0.05;
    p->high = 2.1;
    p->inverse = inverse_of(t, p->A);
}

#define ROOM(member)                                                                               \
    {                                                                                              \
        .kind = SPW_ARG_ROOM, .name = #member, .count = "n", .at = offsetof(problem, room.member)  \
    }
static const spw_argument stepping[] = {SPW_RANDOM(problem, r, "n"),
                                        SPW_OUTPUT(problem, z, "n", .noun = "row"),
                                        ROOM(residual),
                                        ROOM(step),
                                        ROOM(product),
                                        {0}};

static void expect_chebyshev(spw_trial *t, const void *at)
{
    const problem *p = (const problem *)at;
    const int64_t n = p->A->n_rows;
    double *z = spw_kit_doubles(t, n), *work = spw_kit_doubles(t, 3 * n);
    chebyshev_steps(p->A, p->inverse, p->low, p->high, p->k, p->r, z, work);
    expect_near(t, p->z, n, z, 1e-12);
}

static void call_chebyshev(const void *at, spw_function f)
{
    const problem *p = (const problem *)at;
    ((chebyshev_fn)f)(p->A, p->inverse, p->low, p->high, p->k, p->r, p->z, &p->room);
}

static const spw_slip chebyshev_slips[] = {
    {"load -8 k n", "the write-allocate of the product is missing: 8 n bytes for each degree"},
    {"load -8 k n - 24 n",
     "write-allocate is missing: residual, step and z in the first pass, the product in each"},
    {"load -24 n", "write-allocate is missing in the first pass: residual, step and z"},
    {"load -8 k n; flop -k n", "inverse is read in each pass, too: 8 n"},
    {"load -4 k n", "row_ptr is missing: 4 n bytes for each degree"},
    {"store -8 k n", "four vectors are stored for each degree: product, residual, step and z"},
    {"load -40 n; store -24 n; flop -2 n",
     "the first step is missing: it takes no product, but r, inverse and three vectors"},
    {"flop -k n", "6 n flop for each degree: residual 1, step 4, z 1"},
    {"= load 40 n + (k - 1) (12 nz + 60 n)",
     "this is one degree short: the first pass takes no product"},
    {"= load 40 n + (k + 1) (12 nz + 60 n)",
     "this is one degree too many: the first pass takes no product"},
    {0},
};

/* as_right: row_ptr has n + 1 entries. */
static const spw_kit chebyshev_kit =
    KIT(stepping, .prepare = prepare_chebyshev,
        .facts = "n = {n}, degree {k}, eigenvalues 0.05 to 2.1", .call = call_chebyshev,
        .expect = expect_chebyshev, .predict = predict_apply, .asked = "kind CHEBYSHEV, k = {k}",
        .cost = "load 40 n + k (12 nz + 60 n); store 24 n + 32 k n; flop 2 n + k (2 nz + 6 n)",
        .as_right = "4 k", .slips = chebyshev_slips, .shared = "fours:#/2");

/* --- the declaration -------------------------------------------------------------------------------------------------- */

static const char *const degrees[] = {"laplace2d:3x3@s/lower/1",
                                      "laplace2d:9x7@s/upper/2",
                                      "laplace2d:9x7@s/lower/0",
                                      "one-by-one/0",
                                      "stencil27:6@s/lower/3",
                                      "fem1:6@s/upper/4",
                                      NULL};
static const char *const polynomials[] = {"one-by-one/0",
                                          "laplace2d:3x3@s/1",
                                          "laplace2d:9x7@s/2",
                                          "laplace2d:9x7@s/0",
                                          "stencil27:6@s/3",
                                          "fem1:7@s/8",
                                          NULL};

const spw_part polynomial_parts[POLYNOMIAL_PARTS] = {
    PART("neumann", degrees, neumann_kit, .model = "apply_cost"),
    SHARED("neumann", neumann_kit),
    PART("chebyshev", polynomials, chebyshev_kit, .model = "apply_cost"),
    SHARED("chebyshev", chebyshev_kit),
};

/* --- three systems, six preconditioners ------------------------------------------------------------------------------- */

enum {
    NONE = CHEBYSHEV + 1,
    CONTENDERS,
    BLOCK_ROWS = 4,
    NEUMANN_DEGREE = 2,
    CHEBYSHEV_DEGREE = 4,
    MOST_STEPS = 400,
    MOST_WITHOUT = 200,
};

static const char *const contender_names[CONTENDERS] = {[JACOBI] = "Jacobi",
                                                        [BLOCK_JACOBI] = "block-Jacobi, 4",
                                                        [IC0] = "IC(0)",
                                                        [IC0_NEUMANN] = "IC(0), Neumann 2",
                                                        [CHEBYSHEV] = "Chebyshev 4",
                                                        [NONE] = "none"};

typedef struct answers {
    invert_fn invert_diagonal;
    jacobi_fn jacobi;
    block_fn block_jacobi;
    ic0_fn ic0;
    levels_fn levels;
    ic0_apply_fn ic0_apply;
    neumann_fn neumann;
    chebyshev_fn chebyshev;
    pcg_fn pcg;
    apply_cost_fn apply_cost;
} answers;

/* A preconditioner made of the answer's functions. */
typedef struct contender {
    int kind;
    const answers *f;
    const spw_csr *A;
    double *inverse, *blocks, *work[3]; /* inverse: of the diagonal of A, or of L */
    double low, high;
    spw_csr below, above;
    sorted below_sorted, above_sorted;
    triangle T, U;
} contender;

static void apply_contender(const void *context, const double *r, double *z)
{
    const contender *c = (const contender *)context;
    const int64_t n = c->A->n_rows;
    switch (c->kind) {
    case JACOBI: c->f->jacobi(n, c->inverse, r, z); break;
    case BLOCK_JACOBI: c->f->block_jacobi(n, BLOCK_ROWS, c->blocks, r, z); break;
    case IC0: c->f->ic0_apply(&c->T, &c->U, r, z, c->work[0]); break;
    case IC0_NEUMANN:
        c->f->neumann(&c->T, NEUMANN_DEGREE, r, c->work[0], c->work[1]);
        c->f->neumann(&c->U, NEUMANN_DEGREE, c->work[0], z, c->work[1]);
        break;
    case CHEBYSHEV:
        c->f->chebyshev(c->A, c->inverse, c->low, c->high, CHEBYSHEV_DEGREE, r, z,
                        &(chebyshev_room){c->work[0], c->work[1], c->work[2]});
        break;
    default: spw_copy_omp(n, r, z);
    }
}

/* The inverse of a positive definite block, by Gauss and Jordan, in its own place. */
static void invert_block(int m, double *a)
{
    for (int k = 0; k < m; k++) {
        const double pivot = 1 / a[k * BLOCK_ROWS + k];
        a[k * BLOCK_ROWS + k] = 1;
        for (int j = 0; j < m; j++) a[k * BLOCK_ROWS + j] *= pivot;
        for (int i = 0; i < m; i++) {
            if (i == k) continue;
            const double factor = a[i * BLOCK_ROWS + k];
            a[i * BLOCK_ROWS + k] = 0;
            for (int j = 0; j < m; j++) a[i * BLOCK_ROWS + j] -= factor * a[k * BLOCK_ROWS + j];
        }
    }
}

static spw_status make_blocks(contender *c)
{
    const spw_csr *A = c->A;
    const spw_status status = SPW_ALLOC_ZERO(&c->blocks, (int64_t)A->n_rows * BLOCK_ROWS);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx first = 0; first < A->n_rows; first += BLOCK_ROWS) {
        const int m = A->n_rows - first < BLOCK_ROWS ? A->n_rows - first : BLOCK_ROWS;
        double *block = c->blocks + (int64_t)first * BLOCK_ROWS;
        for (int i = 0; i < m; i++)
            for (spw_idx k = A->row_ptr[first + i]; k < A->row_ptr[first + i + 1]; k++)
                if (A->col_idx[k] >= first && A->col_idx[k] < first + m)
                    block[i * BLOCK_ROWS + A->col_idx[k] - first] = A->val[k];
        invert_block(m, block);
    }
    return SPW_OK;
}

static spw_status sort_half(contender *c, const spw_csr *N, int upper, sorted *s, triangle *T)
{
    const spw_idx n = N->n_rows;
    spw_idx *level = NULL, n_levels = 0;
    spw_status status = SPW_ALLOC(&level, n);
    if (!status) n_levels = c->f->levels(n, N->row_ptr, N->col_idx, upper, level);
    if (!status) status = SPW_ALLOC(&s->level_ptr, (int64_t)n_levels + 1);
    if (!status) status = SPW_ALLOC(&s->row, n);
    if (!status) status = SPW_ALLOC(&s->row_ptr, (int64_t)n + 1);
    if (!status) status = SPW_ALLOC(&s->col_idx, N->nnz);
    if (!status) status = SPW_ALLOC(&s->val, N->nnz);
    if (!status) sort_triangle(N, level, n_levels, s);
    spw_free(level);
    *T = (triangle){n, n_levels, s->level_ptr, s->row, s->row_ptr, s->col_idx, s->val, c->inverse};
    return status;
}

static spw_status make_ic0(contender *c)
{
    spw_csr L;
    spw_status status = part_of(c->A, -c->A->n_rows, 0, &L);
    if (status) return status;
    c->f->ic0(c->A, &(lower){L.n_rows, L.row_ptr, L.col_idx, L.val});
    status = split_factor(&L, &c->below, &c->above, c->inverse);
    if (!status) status = sort_half(c, &c->below, 0, &c->below_sorted, &c->T);
    if (!status) status = sort_half(c, &c->above, 1, &c->above_sorted, &c->U);
    spw_csr_destroy(&L);
    return status;
}

/* Eigenvalues of D^-1 A are not above the largest sum of a row of |D^-1/2 A D^-1/2|, and by Gershgorin not as
 * far below 1 as that is above. */
static void find_interval(contender *c)
{
    const spw_csr *A = c->A;
    double high = 0;
#pragma omp parallel for schedule(static) reduction(max : high)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += fabs(A->val[k]) * sqrt(c->inverse[i] * c->inverse[A->col_idx[k]]);
        if (sum > high) high = sum;
    }
    c->high = high;
    c->low = fmax(2 - high, high / (4 * (CHEBYSHEV_DEGREE + 1) * (CHEBYSHEV_DEGREE + 1)));
}

static void free_sorted(sorted *s)
{
    spw_free(s->level_ptr);
    spw_free(s->row);
    spw_free(s->row_ptr);
    spw_free(s->col_idx);
    spw_free(s->val);
}

static void free_contender(contender *c)
{
    spw_free(c->inverse);
    spw_free(c->blocks);
    for (int k = 0; k < 3; k++) spw_free(c->work[k]);
    spw_csr_destroy(&c->below);
    spw_csr_destroy(&c->above);
    free_sorted(&c->below_sorted);
    free_sorted(&c->above_sorted);
}

static spw_status make_contender(const answers *f, const spw_csr *A, int kind, contender *c)
{
    *c = (contender){.kind = kind, .f = f, .A = A};
    spw_status status = SPW_ALLOC(&c->inverse, A->n_rows);
    for (int k = 0; k < 3 && !status; k++) status = SPW_ALLOC_ZERO(&c->work[k], A->n_rows);
    if (status) return status;
    if (kind == JACOBI || kind == CHEBYSHEV) f->invert_diagonal(A, c->inverse);
    if (kind == CHEBYSHEV) find_interval(c);
    if (kind == BLOCK_JACOBI) status = make_blocks(c);
    if (kind == IC0 || kind == IC0_NEUMANN) status = make_ic0(c);
    return status;
}

typedef struct score {
    double setup, solve; /* s */
    pcg_result result;
} score;

/* Set-up and solution to 1e-8; a short one twice, and the faster one counts. */
static spw_status run_contender(const answers *f, const spw_csr *A, int kind, const double *b,
                                double *v[5], score *out)
{
    *out = (score){.setup = INFINITY, .solve = INFINITY};
    for (int run = 0; run < 2 && (run == 0 || out->solve < 0.3); run++) {
        contender c;
        double begin = spw_now();
        const spw_status status = make_contender(f, A, kind, &c);
        if (!status) {
            out->setup = fmin(out->setup, spw_now() - begin);
            memset(v[0], 0, (size_t)A->n_rows * sizeof *v[0]);
            const preconditioner M = {apply_contender, &c};
            const pcg_room room = {v[1], v[2], v[3], v[4]};
            begin = spw_now();
            const int most = kind == NONE ? MOST_WITHOUT : MOST_STEPS;
            out->result = f->pcg(A, &M, b, v[0], 1e-8, most, &room);
            out->solve = fmin(out->solve, spw_now() - begin);
        }
        free_contender(&c);
        if (status) return status;
    }
    return SPW_OK;
}

static double in_products(const answers *f, const spw_csr *A, int kind)
{
    const double n = A->n_rows, nz = A->nnz;
    const double k = kind == BLOCK_JACOBI ? BLOCK_ROWS
                     : kind == CHEBYSHEV  ? CHEBYSHEV_DEGREE
                                          : NEUMANN_DEGREE;
    if (kind == NONE) return 0;
    return spw_cost_bytes(f->apply_cost((precond_kind)kind, n, nz, k)) / (12 * nz + 28 * n);
}

static void tell_scores(spw_run *run, const answers *f, const char *title, const spw_csr *A,
                        const score *scores)
{
    int best = 0;
    for (int k = 1; k < CONTENDERS; k++)
        if (scores[k].setup + scores[k].solve < scores[best].setup + scores[best].solve) best = k;
    spw_run_line(run, "%s, n = %d, nz = %.1f M", title, A->n_rows, A->nnz * 1e-6);
    for (int k = 0; k < CONTENDERS; k++) {
        const int kind = k ? k - 1 : NONE;
        const score *s = &scores[kind];
        char steps[16];
        snprintf(steps, sizeof steps, "%s%d", s->result.stop == PCG_CONVERGED ? "" : "> ",
                 s->result.iterations);
        spw_run_line(run, "  %-17s %7.2f %9s x %6.2f ms + %6.0f ms = %7.0f ms%s",
                     contender_names[kind], in_products(f, A, kind), steps,
                     1e3 * s->solve / fmax(1, s->result.iterations), 1e3 * s->setup,
                     1e3 * (s->solve + s->setup), kind == best ? " <" : "");
    }
}

static spw_status contest(spw_run *run, const answers *f, int which)
{
    static const char *const titles[] = {"short time step, odd units", "four coupled unknowns",
                                         "columns of thin layers"};
    spw_csr A;
    double *b = NULL, *v[5] = {NULL};
    score scores[CONTENDERS];
    spw_status status = which == 0   ? spw_system_short_step(36, &A)
                        : which == 1 ? spw_system_coupled(24, &A)
                                     : spw_system_columns(3000, 32, &A);
    if (status) return status;
    status = SPW_ALLOC(&b, A.n_rows);
    for (int k = 0; k < 5 && !status; k++) status = SPW_ALLOC_ZERO(&v[k], A.n_rows);
    if (!status) spw_case_vector(spw_run_seed(run), A.n_rows, b);
    for (int kind = 0; kind < CONTENDERS && !status; kind++)
        status = run_contender(f, &A, kind, b, v, &scores[kind]);
    if (!status) tell_scores(run, f, titles[which], &A, scores);
    for (int k = 0; k < 5; k++) spw_free(v[k]);
    spw_free(b);
    spw_csr_destroy(&A);
    return status;
}

void compare_all(spw_run *run)
{
    const answers f = {(invert_fn)spw_run_symbol(run, "invert_diagonal"),
                       (jacobi_fn)spw_run_symbol(run, "jacobi"),
                       (block_fn)spw_run_symbol(run, "block_jacobi"),
                       (ic0_fn)spw_run_symbol(run, "ic0"),
                       (levels_fn)spw_run_symbol(run, "levels"),
                       (ic0_apply_fn)spw_run_symbol(run, "ic0_apply"),
                       (neumann_fn)spw_run_symbol(run, "neumann"),
                       (chebyshev_fn)spw_run_symbol(run, "chebyshev"),
                       (pcg_fn)spw_run_symbol(run, "pcg"),
                       (apply_cost_fn)spw_run_symbol(run, "apply_cost")};
    spw_run_headline(run, "your functions on three systems, to 1e-8");
    spw_run_line(run, "  %-17s %7s %9s   %9s   %9s   %10s", "", "SpMVs", "steps", "a step",
                 "set-up", "together");
    for (int which = 0; which < 3; which++)
        if (contest(run, &f, which)) spw_run_line(run, "not compared: %s", spw_message());
    spw_run_line(run,
                 "SpMVs: one application in products with A, by your model. < is the fastest.");
}

/* Exercise 14: cases, true costs and explanations for IC(0): the factor, levels, and solving with triangles. */
#include "incomplete_cholesky.h"

#include "base/memory.h"
#include "kernels/trsv.h"
#include "kit/one_pass.h"
#include "kit/preconditioners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A part's arguments. */
typedef struct problem {
    int k; /* of a case, behind its name */
    bool upper;
    const spw_csr *A, *N; /* N: a triangle without its diagonal, of A or of its factor */
    const spw_csr *above; /* of the factor, transposed */
    lower L;
    const triangle *T, *U; /* U: transposed */
    const double *inverse, *r, *b;
    double *z, *x, *work;
    double *number;
    double shift;
    spw_idx *returned, *level;
} problem;

SPW_ARGUMENTS_OF(of, problem)

enum { EXPLAINED_UP_TO = 10000, MOST_SHIFTS = 20 };

/* --- the factor ------------------------------------------------------------------------------------------------- */

/* Column after column, on a dense copy: subtracts from what is right of column k, where A has an entry. In
 * `dense` [n * n] the factor; returns the row without a pivot, or -1. */
static spw_idx factor_dense(const spw_csr *A, double shift, double *dense) {
    const int64_t n = A->n_rows;
    memset(dense, 0, (size_t)(n * n) * sizeof *dense);
    for (int64_t i = 0; i < n; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            dense[i * n + A->col_idx[k]] = A->val[k] * (A->col_idx[k] == i ? 1 + shift : 1);
    for (int64_t k = 0; k < n; k++) {
        const double pivot = dense[k * n + k];
        if (!(pivot > 0)) return (spw_idx)k;
        for (int64_t i = k; i < n; i++) dense[i * n + k] /= sqrt(pivot);
        for (int64_t i = k + 1; i < n; i++)
            for (int64_t j = k + 1; j <= i; j++)
                if (dense[i * n + j] != 0) dense[i * n + j] -= dense[i * n + k] * dense[j * n + k];
    }
    return -1;
}

/* The factor in the pattern of L; returns the row without a pivot, or -1. */
static spw_idx own_factor(const spw_csr *A, const lower *L, double shift, double *dense,
                          double *val) {
    const spw_idx bad = factor_dense(A, shift, dense);
    for (spw_idx i = 0; i < L->n; i++)
        for (spw_idx k = L->row_ptr[i]; k < L->row_ptr[i + 1]; k++)
            val[k] = dense[(int64_t)i * L->n + L->col_idx[k]];
    return bad;
}

static void prepare_matrix(spw_trial *t, const char *name, problem *p) {
    spw_csr A;
    p->k = spw_plain_case(t, name, &A, &p->upper);
    p->A = (const spw_csr *)spw_kit_need(t, spw_trial_csr(t, &A));
}

/* The pattern of L; its values are compared before what is returned: they are why a row is. */
static void prepare_factor(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    spw_csr below;
    prepare_matrix(t, name, p);
    p->shift = p->k / 10.0;
    spw_kit_must(t, spw_plain_part(p->A, -p->A->n_rows, 0, &below));
    spw_free(below.val);
    p->L.n = below.n_rows;
    p->L.row_ptr = (const spw_idx *)spw_trial_adopt(t, "L->row_ptr", SPW_INDEX,
                                                    (int64_t)below.n_rows + 1, below.row_ptr);
    p->L.col_idx =
        (const spw_idx *)spw_trial_adopt(t, "L->col_idx", SPW_INDEX, below.nnz, below.col_idx);
    spw_kit_need(t, p->L.row_ptr);
    spw_kit_need(t, p->L.col_idx);
    spw_kit_quantity(t, ".shift", p->shift);
    spw_kit_quantity(t, ".nz_L", below.nnz);
}

/* What L->val[k] stands for. */
static void describe_entry(const spw_trial *t, int64_t at, char *text, int size) {
    const lower *L = &of(t)->L;
    spw_idx i = 0;
    while (L->row_ptr[i + 1] <= at) i++;
    snprintf(text, (size_t)size, "l_ik of row %d, column %d", i, L->col_idx[at]);
}

#define VALUES SPW_OUTPUT_AS("L->val", problem, L.val, "nz_L", .describe = describe_entry)
static const spw_argument factoring[] = {
    VALUES, SPW_NUMBER(problem, returned, "the returned row"), {0}};
static const spw_argument shifting[] = {
    SPW_NUMBER(problem, number, "the returned shift"), VALUES, {0}};

static void expect_factor(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->L.n, nz = p->L.row_ptr[n];
    double *val = spw_kit_doubles(t, nz), *dense = spw_kit_doubles(t, n * n);
    const spw_idx bad = own_factor(p->A, &p->L, p->shift, dense, val);
    spw_kit_expect_index(t, p->returned, bad);
    if (bad < 0) {
        spw_kit_expect_near(t, p->L.val, nz, val, 1e-12);
        spw_kit_index_mistake(t, p->returned, p->L.n, "there is a factor: that is told by -1");
    } else {
        spw_kit_index_mistake(
            t, p->returned, -1,
            "a pivot is not above 0, and nobody was told: below 0 its square root is a NaN, and\n"
            "a later row is divided by a square root of 0. Ask before it is taken; return the row");
    }
}

SPW_RESULT(call_factor, ic0_factor, const problem *p, *p->returned, p->A, p->shift, &p->L)
static const spw_kit factor_kit =
    SPW_KIT_OF(factoring, problem, call_factor, expect_factor, .prepare = prepare_factor,
               .facts = "n = {n}, shift {shift:1}");

static void expect_ic0(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->L.n, nz = p->L.row_ptr[n];
    double *val = spw_kit_doubles(t, nz), *dense = spw_kit_doubles(t, n * n), shift = 0;
    for (int k = 0; k < MOST_SHIFTS && own_factor(p->A, &p->L, shift, dense, val) >= 0; k++)
        shift = shift > 0 ? 2 * shift : 0.001;
    spw_kit_expect_number(t, p->number, shift, 1e-12 * shift);
    if (shift > 0) {
        spw_trial_number_mistake(
            t, p->number, 0,
            "without a shift this matrix has no factor: the last pivot is below 0. Try 0.001, \n"
            "0.002, 0.004, ... until ic0_factor returns -1");
        spw_trial_number_mistake(
            t, p->number, 2 * shift,
            "this is the next shift: return the one that worked. The first one\n"
            "after 0 is 0.001");
        spw_trial_number_mistake(t, p->number, 0.001,
                                 "0.001 is not enough here: double it until it is");
    } else {
        spw_trial_number_mistake(t, p->number, 0.001,
                                 "no shift is needed here: begin with 0. A shift costs iterations");
    }
    spw_kit_expect_near(t, p->L.val, nz, val, 1e-12);
}

SPW_RESULT(call_ic0, ic0, const problem *p, *p->number, p->A, &p->L)
static const spw_kit ic0_kit = SPW_KIT_OF(shifting, problem, call_ic0, expect_ic0,
                                          .prepare = prepare_factor, .facts = "n = {n}, nz {nz}");

/* --- triangles ------------------------------------------------------------------------------------------------------ */

/* Arrays of a triangle that is sorted by levels. */
typedef struct sorted {
    spw_idx *level_ptr, *row, *row_ptr, *col_idx;
    double *val;
} sorted;

static void sort_triangle(const spw_csr *N, const spw_idx *level, spw_idx n_levels,
                          const sorted *to) {
    spw_idx nz = 0;
    spw_plain_sort(N->n_rows, level, n_levels, to->level_ptr, to->row);
    for (spw_idx k = 0; k < N->n_rows; k++) {
        const spw_idx i = to->row[k];
        to->row_ptr[k] = nz;
        for (spw_idx at = N->row_ptr[i]; at < N->row_ptr[i + 1]; at++) {
            to->col_idx[nz] = N->col_idx[at];
            to->val[nz++] = N->val[at];
        }
    }
    to->row_ptr[N->n_rows] = nz;
}

static void *array(spw_trial *t, const char *prefix, const char *name, spw_type type, int64_t n) {
    char text[32];
    snprintf(text, sizeof text, "%s->%s", prefix, name);
    return spw_kit_need(t, spw_trial_input(t, text, type, n));
}

/* N as inputs of the trial, whose names begin with prefix. */
static const triangle *give_triangle(spw_trial *t, const char *prefix, const spw_csr *N, bool upper,
                                     const double *inverse) {
    spw_idx *level = spw_kit_indices(t, N->n_rows);
    const spw_idx n = N->n_rows, n_levels = spw_plain_levels(N, upper, level);
    const sorted s = {(spw_idx *)array(t, prefix, "level_ptr", SPW_INDEX, (int64_t)n_levels + 1),
                      (spw_idx *)array(t, prefix, "row", SPW_INDEX, n),
                      (spw_idx *)array(t, prefix, "row_ptr", SPW_INDEX, (int64_t)n + 1),
                      (spw_idx *)array(t, prefix, "col_idx", SPW_INDEX, N->nnz),
                      (double *)array(t, prefix, "val", SPW_DOUBLE, N->nnz)};
    double *own = (double *)array(t, prefix, "inverse", SPW_DOUBLE, n);
    sort_triangle(N, level, n_levels, &s);
    if (n) memcpy(own, inverse, (size_t)n * sizeof *own);
    const triangle T = {n, n_levels, s.level_ptr, s.row, s.row_ptr, s.col_idx, s.val, own};
    return (const triangle *)spw_kit_need(t, spw_trial_struct(t, prefix, &T, sizeof T));
}

static spw_status half_of(const problem *p, const spw_csr *A, spw_csr *N) {
    return p->upper ? spw_plain_part(A, 1, A->n_rows, N) : spw_plain_part(A, -A->n_rows, -1, N);
}

static spw_triangle library_triangle; /* of the case that is timed */

/* The triangle of a case, p->N, and as the answer gets it, p->T. Timed, the library's too. */
static void prepare_triangle(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    spw_csr A, N;
    p->k = spw_plain_case(t, name, &A, &p->upper);
    spw_status status = half_of(p, &A, &N);
    double *inverse = spw_trial_doubles(t, A.n_rows);
    for (spw_idx i = 0; inverse && i < A.n_rows; i++) inverse[i] = 1 / *spw_plain_diagonal(&A, i);
    if (!status && A.n_rows >= EXPLAINED_UP_TO) {
        spw_triangle_destroy(&library_triangle);
        status = spw_triangle_from_csr(&A, p->upper ? SPW_UPPER : SPW_LOWER, SPW_DIAGONAL_OWN,
                                       &library_triangle);
        if (!status) status = spw_triangle_schedule(&library_triangle, spw_trial_threads(t), 0);
    }
    spw_csr_destroy(&A);
    spw_kit_must(t, status);
    p->N = (const spw_csr *)spw_kit_need(t, spw_trial_csr(t, &N));
    p->inverse = (const double *)spw_kit_need(t, inverse);
    p->T = give_triangle(t, "T", p->N, p->upper, inverse);
    spw_kit_quantity(t, ".levels", p->T->n_levels);
    spw_kit_quantity(t, ".nz_triangle", p->N->nnz);
}

/* --- levels --------------------------------------------------------------------------------------------------------- */

static void prepare_levels(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    spw_csr A, N;
    p->k = spw_plain_case(t, name, &A, &p->upper);
    const spw_status status = half_of(p, &A, &N);
    spw_csr_destroy(&A);
    spw_kit_must(t, status);
    p->N = (const spw_csr *)spw_kit_need(t, spw_trial_csr(t, &N));
}

static const spw_argument levelling[] = {SPW_OUTPUT(problem, level, "n", .noun = "row"),
                                         SPW_NUMBER(problem, returned, "the returned number"),
                                         {0}};

static void expect_levels(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    spw_idx *level = spw_kit_indices(t, p->N->n_rows);
    const spw_idx count = spw_plain_levels(p->N, p->upper, level);
    spw_kit_expect(t, p->level, level, NULL);
    spw_kit_expect_index(t, p->returned, count);
    spw_kit_index_mistake(t, p->returned, count - 1,
                          "this is the highest level: they begin with 0, so there is\n"
                          "one more");
}

SPW_RESULT(call_levels, levels, const problem *p, *p->returned, p->N->n_rows, p->N->row_ptr,
           p->N->col_idx, p->upper, p->level)
static const spw_kit levels_kit =
    SPW_KIT_OF(levelling, problem, call_levels, expect_levels, .prepare = prepare_levels,
               .facts = "n = {n}, nz {nz}");

/* --- solve ----------------------------------------------------------------------------------------------------------- */

/* To which level does it belong? */
static void describe_row(const spw_trial *t, int64_t i, char *text, int size) {
    const triangle *T = of(t)->T;
    spw_idx k = 0, l = 0;
    if (T->n >= EXPLAINED_UP_TO) return;
    while (T->row[k] != i) k++;
    while (T->level_ptr[l + 1] <= k) l++;
    snprintf(text, (size_t)size, "level %d of 0..%d, needs rows of levels before: %d%s", l,
             T->n_levels - 1, T->row_ptr[k + 1] - T->row_ptr[k],
             spw_trial_threads(t) > 1 ? ": all of those first" : "");
}

static const spw_argument solving[] = {
    SPW_RANDOM(problem, b, "n"),
    SPW_OUTPUT(problem, x, "n", .noun = "row", .describe = describe_row),
    {0}};

static void expect_solve(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    double *right = spw_kit_doubles(t, p->N->n_rows);
    spw_plain_solve(p->N, p->upper, p->inverse, p->b, right);
    spw_kit_expect_near(t, p->x, p->N->n_rows, right, 1e-13);
}

SPW_CALL(call_solve, solve, const problem *p, p->T, p->b, p->x)

/* In the order of levels, as the answer's. */
static void solve_serially(spw_trial *t) {
    const triangle *T = of(t)->T;
    const double *b = of(t)->b;
    double *x = of(t)->x;
    for (spw_idx k = 0; k < T->n; k++) {
        const spw_idx i = T->row[k];
        double sum = b[i];
        for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++)
            sum -= T->val[at] * x[T->col_idx[at]];
        x[i] = sum * T->inverse[i];
    }
}

static void solve_by_library(spw_trial *t) {
    spw_trsv_csr_omp_wait(&library_triangle, of(t)->b, of(t)->x);
}

static const spw_kit solve_kit =
    SPW_KIT_OF(solving, problem, call_solve, expect_solve, .prepare = prepare_triangle,
               .facts = "n = {n}, {levels} levels",
               .cost = "load 12 nz_triangle + 32 n; store 8 n; flop 2 nz_triangle + n",
               .shared = "fours:#/lower");

/* --- ic0_apply -------------------------------------------------------------------------------------------------------- */

/* Both triangles of L L^T without their diagonals, and 1 / that. The lower one, with its diagonal, is in L. */
static spw_status split_factor(const spw_csr *L, spw_csr *below, spw_csr *above, double *inverse) {
    spw_csr U;
    *below = *above = (spw_csr){0};
    spw_status status = spw_csr_transpose(L, &U);
    if (status) return status;
    for (spw_idx i = 0; i < L->n_rows; i++) inverse[i] = 1 / L->val[L->row_ptr[i + 1] - 1];
    status = spw_plain_part(L, -L->n_rows, -1, below);
    if (!status) status = spw_plain_part(&U, 1, L->n_rows, above);
    spw_csr_destroy(&U);
    return status;
}

/* What the answer does not see. N is taken over. */
static const spw_csr *hidden(spw_trial *t, spw_csr N) {
    N.row_ptr = spw_kit_need(t, spw_trial_keep(t, N.row_ptr));
    N.col_idx = spw_kit_need(t, spw_trial_keep(t, N.col_idx));
    N.val = spw_kit_need(t, spw_trial_keep(t, N.val));
    return spw_kit_need(t, spw_trial_copy(t, &N, 1, sizeof N));
}

static void prepare_ic0_apply(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    spw_csr L, below, above;
    prepare_matrix(t, name, p);
    const int64_t n = p->A->n_rows;
    double *inverse = spw_kit_doubles(t, n), *dense = spw_kit_doubles(t, n * n);
    spw_kit_must(t, spw_plain_part(p->A, (spw_idx)-n, 0, &L));
    own_factor(p->A, &(lower){L.n_rows, L.row_ptr, L.col_idx, NULL}, 0, dense, L.val);
    const spw_status status = split_factor(&L, &below, &above, inverse);
    spw_csr_destroy(&L);
    spw_kit_must(t, status);
    p->N = hidden(t, below);
    p->above = hidden(t, above);
    p->inverse = inverse;
    p->T = give_triangle(t, "L", p->N, false, inverse);
    p->U = give_triangle(t, "L_transposed", p->above, true, inverse);
}

static const spw_argument applying[] = {SPW_RANDOM(problem, r, "n"),
                                        SPW_OUTPUT(problem, z, "n", .noun = "row"),
                                        SPW_ROOM(problem, work, "n"),
                                        {0}};

static void expect_ic0_apply(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->N->n_rows;
    double *y = spw_kit_doubles(t, n), *z = spw_kit_doubles(t, n);
    spw_plain_solve(p->N, false, p->inverse, p->r, y);
    spw_plain_solve(p->above, true, p->inverse, y, z);
    spw_kit_expect_near(t, p->z, n, z, 1e-12);
}

SPW_CALL(call_ic0_apply, ic0_apply, const problem *p, p->T, p->U, p->r, p->z, p->work)

static const spw_slip ic0_slips[] = {
    {"load 12 nz - 12 n; flop 2 nz - 2 n",
     "both triangles together have nz - n entries beside the diagonals, not twice that"},
    {"load 12 n; flop 2 n",
     "the diagonal is not among the entries: both triangles together have nz - n of them"},
    {"load 12 n",
     "the diagonal is not among the entries: both triangles together have nz - n of them"},
    {"load -16 n", "the write-allocate of work and z is missing: 8 n bytes for each"},
    {"load -8 n",
     "is `row` missing, 4 n for each triangle? Or the write-allocate of one of the two vectors\n"
     "that are written, work and z: 8 n for each"},
    {"load -24 n", "is `row`, 4 n, in both solutions, and the write-allocate of work and z?"},
    {"load -32 n; store -8 n",
     "this is the solution with one triangle, or one vector is missing: ic0_apply has two"},
    {"load -6 nz - 26 n; store -8 n; flop -nz",
     "this is the solution with one triangle: ic0_apply has two, L and L_transposed"},
    {"flop -2 n", "each row is multiplied by its inverse: n flop more for each triangle"},
    {"load 12 nz - 12 n",
     "both triangles together have nz - n entries beside the diagonals, not twice that"},
    {"load -6 nz - 26 n",
     "these are the loads of one triangle: ic0_apply has two, L and L_transposed"},
    {"load -16 n; flop -2 n", "inverse is missing: 8 n and n flop for each triangle"},
    {0}};

/* as_right: row_ptr has n + 1 entries. */
static const spw_kit apply_kit =
    SPW_KIT_OF(applying, problem, call_ic0_apply, expect_ic0_apply, .prepare = prepare_ic0_apply,
               .facts = "n = {n}, nz {nz}", .cost = "load 12 nz + 52 n; store 16 n; flop 2 nz",
               .as_right = "8", .slips = ic0_slips);

/* --- the declaration -------------------------------------------------------------------------------------------------- */

/* the number is the shift, in tenths */
static const char *const factors[] = {
    "one-by-one/0", "tridiag:5/0", "laplace2d:9x7@s/0", "laplace2d:4x3/5", "stencil27:4@s/0",
    "fem1:4@s/1",   "kershaw/0",   "kershaw/5",         "semidefinite/0",  NULL};
static const char *const shifts[] = {"laplace2d:4x3@s", "kershaw", "nearly", "stencil27:4@s", NULL};
static const char *const triangles[] = {"one-by-one/lower",
                                        "laplace2d:3x3/lower",
                                        "laplace2d:3x3/upper",
                                        "tridiag:13@s/lower",
                                        "tridiag:13@s/upper",
                                        "arrow:23/lower",
                                        "arrow:23/upper",
                                        "laplace2d:40x31@s/lower",
                                        "stencil27:6@s/upper",
                                        "fem1:7@s/lower",
                                        NULL};
static const char *const factored[] = {"one-by-one", "laplace2d:3x3@s", "laplace2d:9x7@s",
                                       "stencil27:5@s", NULL};

static const spw_part parts[] = {
    SPW_PART("ic0_factor", factors, factor_kit, ),
    SPW_PART("ic0", shifts, ic0_kit, ),
    SPW_PART("levels", triangles, levels_kit, ),
    SPW_PART("solve", triangles, solve_kit, .speed = "stencil27:64@c/lower", .target = 0.7,
             .baseline = {"row after row, one thread", .call = solve_serially},
             .stretch = {"library, waits for neighbours", .call = solve_by_library}),
    {.function = "solve", SPW_SHARED(&solve_kit)},
    SPW_PART("ic0_apply", factored, apply_kit, .model = "ic0_cost"),
};

SPW_DRIVER(parts)

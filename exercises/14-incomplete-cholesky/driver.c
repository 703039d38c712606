/* Exercise 14: cases, true costs and explanations for IC(0): the factor, levels, and solving with triangles. */
#include "incomplete_cholesky.h"

#include "base/memory.h"
#include "kernels/trsv.h"
#include "kit/one_pass.h"
#include "kit/preconditioners.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A triangle as the answer gets it, and how many entries it has. */
typedef struct sorted {
    triangle T;
    spw_idx nz;
} sorted;

/* A part's arguments. */
typedef struct problem {
    int upper;
    const spw_csr *A, *pattern; /* pattern: of the factor */
    double *val;
    const spw_csr *N;              /* a triangle without its diagonal, of A or of its factor */
    const spw_csr *factor, *above; /* above: transposed */
    const sorted *S, *U;           /* of N and of above */
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

/* The factor in the pattern L; returns the row without a pivot, or -1. */
static spw_idx own_factor(const spw_csr *A, const spw_csr *L, double shift, double *dense,
                          double *val) {
    const spw_idx bad = factor_dense(A, shift, dense);
    for (spw_idx i = 0; i < L->n_rows; i++)
        for (spw_idx k = L->row_ptr[i]; k < L->row_ptr[i + 1]; k++)
            val[k] = dense[(int64_t)i * L->n_rows + L->col_idx[k]];
    return bad;
}

/* The lower triangle without values. The number of a case is its shift, in tenths. */
static spw_status make_pattern(spw_trial *t, const void *at, void *pattern) {
    const problem *p = (const problem *)at;
    spw_csr *L = (spw_csr *)pattern;
    const spw_status status = spw_plain_part(p->A, -p->A->n_rows, 0, L);
    spw_free(L->val);
    L->val = NULL;
    spw_kit_quantity(t, ".shift", spw_kit_value(t, "k") / 10);
    return status;
}

static const spw_kit_format pattern = {
    sizeof(spw_csr),
    {{"row_ptr", SPW_INDEX, offsetof(spw_csr, row_ptr), offsetof(spw_csr, n_rows), 1, false},
     {"col_idx", SPW_INDEX, offsetof(spw_csr, col_idx), offsetof(spw_csr, nnz), 0, false}},
    {{"nz_L", offsetof(spw_csr, nnz)}},
    "n; nz"};

/* What L->val[k] stands for. */
static void describe_entry(const spw_trial *t, int64_t at, char *text, int size) {
    const spw_csr *L = of(t)->pattern;
    spw_idx i = 0;
    while (L->row_ptr[i + 1] <= at) i++;
    const spw_idx *row = of(t)->returned;
    const int n = snprintf(text, (size_t)size, "l_ik of row %d, column %d", i, L->col_idx[at]);
    if (row && *row >= 0 && *row < L->n_rows)
        snprintf(text + n, (size_t)(size - n), "; returned: row %d", *row);
}

/* The values are compared before what is returned: they are why a row is. */
#define A_GIVEN SPW_MATRIX(problem, A, &spw_kit_csr, spw_plain_system, )
#define PATTERN                                                                                    \
    SPW_MATRIX(problem, pattern, &pattern, make_pattern, .prefix = "L->"),                         \
        SPW_VALUE(problem, shift, "shift")
#define VALUES SPW_OUTPUT_AS("L->val", problem, val, "nz_L", .describe = describe_entry)
#define L_OF                                                                                       \
    &(lower) {                                                                                     \
        p->pattern->n_rows, p->pattern->row_ptr, p->pattern->col_idx, p->val                       \
    }
static const spw_argument factoring[] = {
    A_GIVEN, PATTERN, VALUES, SPW_NUMBER(problem, returned, "the returned row"), {0}};
static const spw_argument shifting[] = {
    A_GIVEN, PATTERN, SPW_NUMBER(problem, number, "the returned shift"), VALUES, {0}};

static void expect_factor(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->A->n_rows, nz = p->pattern->nnz;
    double *val = spw_kit_doubles(t, nz), *dense = spw_kit_doubles(t, n * n);
    const spw_idx bad = own_factor(p->A, p->pattern, p->shift, dense, val);
    spw_kit_expect_index(t, p->returned, bad);
    if (bad < 0) {
        spw_kit_expect_near(t, p->val, nz, val, 1e-12);
        spw_kit_index_mistake(t, p->returned, p->A->n_rows,
                              "there is a factor: that is told by -1");
    }
}

SPW_RESULT(call_factor, ic0_factor, const problem *p, *p->returned, p->A, p->shift, L_OF)
static const spw_kit factor_kit =
    SPW_KIT_OF(factoring, problem, call_factor, expect_factor, .facts = "n = {n}, shift {shift:1}");

static void expect_ic0(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->A->n_rows, nz = p->pattern->nnz;
    double *val = spw_kit_doubles(t, nz), *dense = spw_kit_doubles(t, n * n), shift = 0;
    for (int k = 0; k < MOST_SHIFTS && own_factor(p->A, p->pattern, shift, dense, val) >= 0; k++)
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
    spw_kit_expect_near(t, p->val, nz, val, 1e-12);
}

SPW_RESULT(call_ic0, ic0, const problem *p, *p->number, p->A, L_OF)
static const spw_kit ic0_kit =
    SPW_KIT_OF(shifting, problem, call_ic0, expect_ic0, .facts = "n = {n}, nz {nz}");

/* --- triangles ------------------------------------------------------------------------------------------------------ */

#define ARRAY(member, type, count, more)                                                           \
    { #member, type, offsetof(sorted, T.member), offsetof(sorted, count), more, false }
static const spw_kit_format by_levels = {
    sizeof(sorted),
    {ARRAY(level_ptr, SPW_INDEX, T.n_levels, 1), ARRAY(row, SPW_INDEX, T.n, 0),
     ARRAY(row_ptr, SPW_INDEX, T.n, 1), ARRAY(col_idx, SPW_INDEX, nz, 0),
     ARRAY(val, SPW_DOUBLE, nz, 0), ARRAY(inverse, SPW_DOUBLE, T.n, 0)},
    {{"levels", offsetof(sorted, T.n_levels)}, {"nz_triangle", offsetof(sorted, nz)}},
    "n; nz"};

static spw_status sort(spw_trial *t, const spw_csr *N, bool upper, const double *inverse,
                       sorted *S) {
    const spw_idx n = N->n_rows;
    spw_idx *level = spw_kit_indices(t, n), *level_ptr, *row, nz = 0;
    const spw_idx n_levels = spw_plain_levels(N, upper, level);
    double *own;
    spw_csr M;
    spw_kit_must(t, spw_csr_create(n, n, N->nnz, &M));
    spw_kit_must(t, SPW_ALLOC(&level_ptr, n_levels + 1));
    spw_kit_must(t, SPW_ALLOC(&row, n));
    spw_kit_must(t, SPW_ALLOC(&own, n));
    spw_plain_sort(n, level, n_levels, level_ptr, row);
    for (spw_idx k = 0; k < n; k++) {
        const spw_idx i = row[k];
        own[k] = inverse[k];
        M.row_ptr[k] = nz;
        for (spw_idx at = N->row_ptr[i]; at < N->row_ptr[i + 1]; at++) {
            M.col_idx[nz] = N->col_idx[at];
            M.val[nz++] = N->val[at];
        }
    }
    M.row_ptr[n] = nz;
    *S = (sorted){{n, n_levels, level_ptr, row, M.row_ptr, M.col_idx, M.val, own}, nz};
    return SPW_OK;
}

static spw_triangle library_triangle; /* of the case that is timed */

static spw_status make_sorted(spw_trial *t, const void *at, void *S) {
    const problem *p = (const problem *)at;
    if (p->A->n_rows >= EXPLAINED_UP_TO) {
        spw_triangle_destroy(&library_triangle);
        spw_kit_must(t, spw_triangle_from_csr(p->A, p->upper ? SPW_UPPER : SPW_LOWER,
                                              SPW_DIAGONAL_OWN, &library_triangle));
        spw_kit_must(t, spw_triangle_schedule(&library_triangle, spw_trial_threads(t), 0));
    }
    return sort(t, p->N, p->upper, p->inverse, (sorted *)S);
}

#define A_HIDDEN                                                                                   \
    SPW_HIDDEN(problem, A, &spw_kit_csr, spw_plain_system), SPW_VALUE(problem, upper, "upper")

/* --- levels --------------------------------------------------------------------------------------------------------- */

static const spw_argument levelling[] = {A_HIDDEN,
                                         SPW_MATRIX(problem, N, &spw_kit_csr, spw_plain_half, ),
                                         SPW_OUTPUT(problem, level, "n", .noun = "row"),
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
    SPW_KIT_OF(levelling, problem, call_levels, expect_levels, .facts = "n = {n}, nz {nz}");

/* --- solve ----------------------------------------------------------------------------------------------------------- */

/* To which level does it belong? */
static void describe_row(const spw_trial *t, int64_t i, char *text, int size) {
    const triangle *T = &of(t)->S->T;
    spw_idx k = 0, l = 0;
    if (T->n >= EXPLAINED_UP_TO) return;
    while (T->row[k] != i) k++;
    while (T->level_ptr[l + 1] <= k) l++;
    snprintf(text, (size_t)size, "level %d of 0..%d, needs rows of levels before: %d%s", l,
             T->n_levels - 1, T->row_ptr[k + 1] - T->row_ptr[k],
             spw_trial_threads(t) > 1 ? ": all of those first" : "");
}

static const spw_argument solving[] = {
    A_HIDDEN,
    SPW_HIDDEN(problem, N, &spw_kit_csr, spw_plain_half),
    SPW_FILLED(problem, inverse, "n", .fill = spw_plain_fill_inverse),
    SPW_MATRIX(problem, S, &by_levels, make_sorted, .prefix = "T->"),
    SPW_RANDOM(problem, b, "n"),
    SPW_OUTPUT(problem, x, "n", .noun = "row", .describe = describe_row),
    {0}};

SPW_NEAR(expect_solve, const problem *p, p->x, p->N->n_rows, 1e-13,
         spw_plain_solve(p->N, p->upper, p->inverse, p->b, right))
SPW_CALL(call_solve, solve, const problem *p, &p->S->T, p->b, p->x)

/* In the order of levels, as the answer's. */
static void solve_serially(spw_trial *t) {
    const triangle *T = &of(t)->S->T;
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

SPW_RIVAL(solve_by_library, const problem *p, spw_trsv_csr_omp_wait(&library_triangle, p->b, p->x))

static const spw_kit solve_kit =
    SPW_KIT_OF(solving, problem, call_solve, expect_solve, .facts = "n = {n}, {levels} levels",
               .cost = "load 12 nz_triangle + 32 n; store 8 n; flop 2 nz_triangle + n",
               .shared = "fours:#/lower");

/* --- ic0_apply -------------------------------------------------------------------------------------------------------- */

/* L, with its diagonal; both triangles of L L^T without theirs, and 1 / that. */
static spw_status make_factor(spw_trial *t, const void *at, void *factor) {
    const spw_csr *A = ((const problem *)at)->A;
    spw_csr *L = (spw_csr *)factor;
    spw_kit_must(t, spw_plain_part(A, -A->n_rows, 0, L));
    own_factor(A, L, 0, spw_kit_doubles(t, (int64_t)A->n_rows * A->n_rows), L->val);
    return SPW_OK;
}

static spw_status make_below(spw_trial *t, const void *at, void *N) {
    const spw_csr *L = ((const problem *)at)->factor;
    (void)t;
    return spw_plain_part(L, -L->n_rows, -1, (spw_csr *)N);
}

static spw_status make_above(spw_trial *t, const void *at, void *N) {
    spw_csr U;
    spw_kit_must(t, spw_csr_transpose(((const problem *)at)->factor, &U));
    const spw_status status = spw_plain_part(&U, 1, U.n_rows, (spw_csr *)N);
    spw_csr_destroy(&U);
    return status;
}

static void fill_inverse(spw_trial *t, const void *at, void *inverse, int64_t n) {
    const spw_csr *L = ((const problem *)at)->factor;
    (void)t;
    for (int64_t i = 0; i < n; i++) ((double *)inverse)[i] = 1 / L->val[L->row_ptr[i + 1] - 1];
}

static spw_status make_sorted_above(spw_trial *t, const void *at, void *U) {
    const problem *p = (const problem *)at;
    return sort(t, p->above, true, p->inverse, (sorted *)U);
}

static const spw_argument applying[] = {
    A_HIDDEN,
    SPW_HIDDEN(problem, factor, &spw_kit_csr, make_factor),
    SPW_HIDDEN(problem, N, &spw_kit_csr, make_below),
    SPW_HIDDEN(problem, above, &spw_kit_csr, make_above),
    SPW_FILLED(problem, inverse, "n", .fill = fill_inverse),
    SPW_MATRIX(problem, S, &by_levels, make_sorted, .prefix = "L->"),
    SPW_MATRIX(problem, U, &by_levels, make_sorted_above, .prefix = "L_transposed->"),
    SPW_RANDOM(problem, r, "n"),
    SPW_OUTPUT(problem, z, "n", .noun = "row"),
    SPW_ROOM(problem, work, "n"),
    {0}};

SPW_NEAR(expect_ic0_apply, const problem *p, p->z, p->N->n_rows, 1e-12,
         double *y = spw_kit_doubles(t, p->N->n_rows);
         spw_plain_solve(p->N, false, p->inverse, p->r, y);
         spw_plain_solve(p->above, true, p->inverse, y, right))
SPW_CALL(call_ic0_apply, ic0_apply, const problem *p, &p->S->T, &p->U->T, p->r, p->z, p->work)

static const char
    twice[] = "both triangles together have nz - n entries beside the diagonals, not twice that",
    beside[] = "the diagonal is not among the entries: both triangles together have nz - n of them";
static const spw_slip ic0_slips[] = {
    {"load 12 nz - 12 n; flop 2 nz - 2 n", twice},
    {"load 12 n; flop 2 n", beside},
    {"load 12 n", beside},
    {"load -16 n",
     "16 n are missing: the write-allocate of work and z? b? inverse? row and row_ptr, 4 n each?\n"
     "Both solutions have all of them"},
    {"load -8 n",
     "8 n are missing: is it row or row_ptr, 4 n in each of the two solutions? Or, in one of\n"
     "them, b, inverse or the write-allocate of x?"},
    {"load -24 n",
     "24 n are missing: row or row_ptr, 4 n, and b, inverse or the write-allocate of x, 8 n, in\n"
     "both solutions?"},
    {"load 16 n",
     "x is written: 8 n of write-allocate in each solution. Reading it is not counted"},
    {"load -16 n; store 16 n", "write-allocate is a read: it belongs to the loads"},
    {"flop 2 n",
     "2 n too many: 2 flop for each of the nz - n entries, and in each solution n for inverse"},
    {"load -32 n; store -8 n",
     "this is the solution with one triangle, or one vector is missing: ic0_apply has two"},
    {"load -6 nz - 26 n; store -8 n; flop -nz",
     "this is the solution with one triangle: ic0_apply has two, L and L_transposed"},
    {"flop -2 n", "each row is multiplied by its inverse: n flop more for each triangle"},
    {"load 12 nz - 12 n", twice},
    {"load -6 nz - 26 n",
     "these are the loads of one triangle: ic0_apply has two, L and L_transposed"},
    {"load -16 n; flop -2 n", "inverse is missing: 8 n and n flop for each triangle"},
    {0}};

/* as_right: row_ptr has n + 1 entries. */
static const spw_kit apply_kit = SPW_KIT_OF(
    applying, problem, call_ic0_apply, expect_ic0_apply, .facts = "n = {n}, nz {nz}",
    .cost = "load 12 nz + 52 n; store 16 n; flop 2 nz", .as_right = "8", .slips = ic0_slips);

/* --- the declaration -------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const factors[] = {
    "one-by-one/0", "tridiag:5/0", "laplace2d:9x7@s/0", "laplace2d:4x3/5", "stencil27:4@s/0", "fem1:4@s/1", "kershaw/0",
    "kershaw/5", "semidefinite/0", "tridiag:5@t/0", NULL};
static const char *const shifts[] = {"laplace2d:4x3@s", "kershaw", "nearly", "stencil27:4@s", NULL};
static const char *const triangles[] = {
    "one-by-one/lower", "laplace2d:3x3/lower", "laplace2d:3x3/upper", "tridiag:13@s/lower", "tridiag:13@s/upper",
    "arrow:23/lower", "arrow:23/upper", "laplace2d:40x31@s/lower", "stencil27:6@s/upper", "fem1:7@s/lower", NULL};
/* Besides: triangles whose last row has not the highest level, and one without rows. */
static const char *const levelled[] = {
    "one-by-one/lower", "laplace2d:3x3/lower", "laplace2d:3x3/upper", "tridiag:13@s/lower", "tridiag:13@s/upper",
    "random:60x60x2/upper", "random:60x60x2/lower", "arrow:23/lower", "arrow:23/upper", "laplace2d:40x31@s/lower",
    "stencil27:6@s/upper", "fem1:7@s/lower", "nothing/lower", NULL};
static const char *const factored[] = {"laplace2d:3x3@s", "one-by-one", "laplace2d:9x7@s", "stencil27:5@s", NULL};
/* clang-format on */

static const spw_part parts[] = {
    SPW_PART("ic0_factor", factors, factor_kit, ),
    SPW_PART("ic0", shifts, ic0_kit, ),
    SPW_PART("levels", levelled, levels_kit, ),
    SPW_PART("solve", triangles, solve_kit, .speed = "stencil27:64@cs/lower", .target = 0.7,
             .baseline = {"row after row, one thread", .call = solve_serially},
             .stretch = {"library, waits for neighbours", .call = solve_by_library}),
    {.function = "solve", SPW_SHARED(&solve_kit)},
    SPW_PART("ic0_apply", factored, apply_kit, .model = "ic0_cost"),
};

SPW_DRIVER(parts)

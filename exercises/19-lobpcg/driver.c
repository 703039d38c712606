/* Exercise 19: cases, true costs and explanations for the parts of LOBPCG, and for the whole. */
#include "lobpcg.h"

#include "base/index.h"
#include "base/random.h"
#include "formats/generate.h"
#include "kernels/spmm.h"
#include "perf/working_set.h"
#include "solvers/lobpcg.h"
#include "solvers/operator.h"
#include "solvers/precond.h"
#include "kit/cases.h"
#include "judge/exercise.h"

#include <stdbool.h>
#include <stdio.h>

typedef void (*residuals_fn)(int64_t, int, const double *, const double *, const double *, double *,
                             double *);
typedef spw_cost (*residuals_cost_fn)(int64_t, int);
typedef double (*flops_fn)(int64_t, int64_t, int);
typedef void (*small_fn)(int64_t, int, double *const *, double *const *, const int *, double *,
                         double *);
typedef int (*basis_fn)(int, int, const double *, const double *, const int *, double *);
typedef int (*lobpcg_fn)(const eigenproblem *, double *, double *, double *);

/* One case of any part. */
typedef struct problem {
    int64_t n, nz;
    int nv, m, count[BLOCKS], active[MAX_NV];
    const double *AX, *X, *lambda;  /* of residuals */
    double *R, *norm;               /* what is written */
    double *V[BLOCKS], *AV[BLOCKS]; /* of small_matrices */
    double *GA, *GB;                /* written; of next_basis: read */
    double *H, *U, *used;           /* of next_basis; used: columns of U that count, else 0 */
    spw_idx *number;                /* what is returned */
    eigenproblem E;                 /* of lobpcg */
    spw_csr A;
    double *inverse; /* of its diagonal */
    int64_t vectors; /* that A was multiplied with */
    double *x, *out; /* the block, the eigenvalues */
    double largest[MAX_NV], expected[MAX_NV];
    int reference; /* iterations of the library */
} problem;

static const problem *of(const spw_trial *t)
{
    return (const problem *)spw_trial_data(t);
}

/* --- residuals --------------------------------------------------------------------------------------- */

enum { TIMED_NV = 16 };

static const struct {
    const char *name;
    int64_t n;
    int nv;
} shapes[] = {{"small", 3, 2},       {"square", 5, 5}, {"no-rows", 0, 3},
              {"one-vector", 37, 1}, {"odd", 211, 13}, {"full", 67, 16}};
static const char *const residual_cases[] = {"small", "square", "no-rows", "one-vector",
                                             "odd",   "full",   NULL};

/* kind 0: lambda of the row; 1: plus; 2: lambda AX - X; 3: the squares; 4: lengths of rows; 5: as 0 for norm. */
static void residual_mistake(spw_trial *t, int kind, bool of_norm, const char *text)
{
    const problem *p = of(t);
    const int nv = p->nv;
    double *wrong = (double *)spw_trial_memory(t, of_norm ? nv : p->n * nv, sizeof *wrong);
    if (!wrong) return;
    for (int64_t i = 0; i < p->n; i++)
        for (int j = 0; j < nv; j++) {
            const double ax = p->AX[i * nv + j], x = p->X[i * nv + j];
            const double right = ax - p->lambda[j] * x;
            if (kind == 3)
                wrong[j] += right * right;
            else if (kind == 4)
                wrong[i % nv] += right * right;
            else
                wrong[i * nv + j] = kind == 0   ? ax - p->lambda[i % nv] * x
                                    : kind == 1 ? ax + p->lambda[j] * x
                                                : p->lambda[j] * ax - x;
        }
    for (int j = 0; j < nv && kind == 4; j++) wrong[j] = sqrt(wrong[j]);
    spw_trial_mistake(t, of_norm ? p->norm : p->R, wrong, text);
}

static spw_status expect_residuals(spw_trial *t, const problem *p)
{
    const int nv = p->nv;
    double *R = (double *)spw_trial_memory(t, p->n * nv, sizeof *R);
    double *tolerance = (double *)spw_trial_memory(t, p->n * nv, sizeof *tolerance);
    double *norm = (double *)spw_trial_memory(t, nv, sizeof *norm);
    double *near = (double *)spw_trial_memory(t, nv, sizeof *near);
    if (!R || !tolerance || !norm || !near) return SPW_ERR_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < p->n * nv; k++) {
        R[k] = p->AX[k] - p->lambda[k % nv] * p->X[k];
        tolerance[k] = 1e-14;
    }
    for (int j = 0; j < nv; j++) {
        double square = 0;
#pragma omp parallel for schedule(static) reduction(+ : square)
        for (int64_t i = 0; i < p->n; i++) square += R[i * nv + j] * R[i * nv + j];
        norm[j] = sqrt(square);
        near[j] = 1e-11 * norm[j];
    }
    spw_trial_expect(t, p->R,
                     (spw_expectation){.expected = R, .tolerance = tolerance, .count = p->n * nv});
    spw_trial_expect(t, p->norm,
                     (spw_expectation){.expected = norm, .tolerance = near, .count = nv});
    if (p->n > 10000 || p->n < 2) return SPW_OK;
    residual_mistake(t, 0, false,
                     "lambda of the row was taken: lambda[j] belongs to column j, vector j");
    residual_mistake(t, 1, false, "X lambda was added: the residual is A X - X lambda");
    residual_mistake(t, 2, false, "lambda stands at A X: the residual is A X - X lambda");
    residual_mistake(t, 3, true, "these are the squared lengths: the root is missing");
    residual_mistake(t, 4, true, "lengths of rows: a vector is a column of R");
    return SPW_OK;
}

static spw_status set_up_residuals(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    const int64_t bytes = strcmp(name, "traffic") == 0 ? 16000000 : spw_default_working_set();
    p->n = bytes / (24 * TIMED_NV);
    p->nv = TIMED_NV;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (strcmp(name, shapes[k].name) == 0) {
            p->n = shapes[k].n;
            p->nv = shapes[k].nv;
        }
    p->AX = spw_trial_random(t, "AX", p->n * p->nv);
    p->X = spw_trial_random(t, "X", p->n * p->nv);
    p->lambda = spw_trial_random(t, "lambda", p->nv);
    p->R = (double *)spw_trial_output(t, "R", SPW_DOUBLE, p->n * p->nv);
    p->norm = (double *)spw_trial_output(t, "norm", SPW_DOUBLE, p->nv);
    if (!p->AX || !p->X || !p->lambda || !p->R || !p->norm) return SPW_ERR_MEMORY;
    spw_trial_say(t, "n = %lld, %d vectors", (long long)p->n, p->nv);
    spw_trial_unit(t, "n nv", (double)p->n * p->nv);
    return spw_trial_checks(t) ? expect_residuals(t, p) : SPW_OK;
}

static void call_residuals(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((residuals_fn)f)(p->n, p->nv, p->AX, p->X, p->lambda, p->R, p->norm);
}

static spw_cost predict_residuals(spw_trial *t, spw_function model)
{
    return ((residuals_cost_fn)model)(of(t)->n, of(t)->nv);
}

static spw_cost cost_of_residuals(const spw_trial *t)
{
    const double size = (double)of(t)->n * of(t)->nv;
    return (spw_cost){16 * size, 8 * size, 4 * size};
}

static void explain_residuals(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double k = (double)of(t)->n * of(t)->nv;
    const spw_cost truth = cost_of_residuals(t);
    const char *what = "";
    if (got.load - truth.load == 8 * k)
        what = "R is read again for its lengths: one pass makes both";
    else if (got.load - truth.load == -8 * k)
        what = "two blocks are read, A X and X";
    else if (got.flop - truth.flop == -2 * k)
        what = "the lengths count, too: a multiplication and an addition an element";
    snprintf(text, (size_t)size, "%s", what);
}

static void library_residuals(spw_trial *t)
{
    const problem *p = of(t);
    spw_residual_omp(p->n, p->nv, p->lambda, p->AX, p->nv, p->X, p->nv, p->R, p->nv, p->norm);
}

/* --- iteration_flops --------------------------------------------------------------------------------------- */

static const char *const flop_cases[] = {"seven-point", "dense-rows", "one-vector", NULL};

static void flop_mistake(spw_trial *t, double value, const char *text)
{
    double *wrong = (double *)spw_trial_memory(t, 1, sizeof *wrong);
    if (!wrong) return;
    *wrong = value;
    spw_trial_mistake(t, of(t)->out, wrong, text);
}

static spw_status set_up_flops(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    double *expected = (double *)spw_trial_memory(t, 2, sizeof *expected);
    if (!p || !expected) return SPW_ERR_MEMORY;
    p->n = 1000003 + (int64_t)(spw_trial_seed(t) % 1000);
    p->nz = p->n * (strcmp(name, "dense-rows") == 0 ? 81 : 7);
    p->nv = strcmp(name, "one-vector") == 0 ? 1 : 16;
    p->out = (double *)spw_trial_output(t, "flops", SPW_DOUBLE, 1);
    if (!p->out) return SPW_ERR_MEMORY;
    const double n = (double)p->n, nv = p->nv, product = 2 * (double)p->nz * nv,
                 square = n * nv * nv;
    expected[0] = product + 60 * square;
    expected[1] = 1e-12 * expected[0];
    spw_trial_say(t, "n = %.0f, nz = %.0f, nv = %.0f", n, (double)p->nz, nv);
    spw_trial_expect(
        t, p->out,
        (spw_expectation){.expected = expected, .tolerance = expected + 1, .count = 1, .noun = ""});
    flop_mistake(t, product + 36 * square,
                 "this is the papers' count: here the README's table counts");
    flop_mistake(
        t, product + 48 * square,
        "12 n nv^2 too few. There are two small matrices, of 6 pairs of blocks each; and A X\n"
        "and A P are combined as well as X and P");
    flop_mistake(t, product + 78 * square,
                 "the small matrices are symmetric: 6 of 9 pairs of blocks are computed");
    flop_mistake(t, product + 30 * square, "a multiplication and an addition: 2 flop");
    flop_mistake(t, product + 60 * n * nv, "a Gram matrix of nv and nv vectors has 2 n nv^2 flop");
    flop_mistake(t, 3 * product + 60 * square,
                 "A is multiplied with W alone: A X and A P are carried along");
    return SPW_OK;
}

static void call_flops(spw_trial *t, spw_function f)
{
    of(t)->out[0] = ((flops_fn)f)(of(t)->n, of(t)->nz, of(t)->nv);
}

/* --- small_matrices ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    int64_t n;
    int ld, count[BLOCKS];
} bases[] = {{"first", 29, 3, {3, 3, 0}},    {"full", 61, 3, {3, 3, 3}},
             {"x-alone", 17, 2, {2, 0, 0}},  {"locked", 101, 5, {5, 2, 4}},
             {"one-each", 40, 1, {1, 1, 1}}, {"wide", 97, 16, {16, 15, 13}}};
static const char *const small_cases[] = {"first",    "full", "x-alone", "locked",
                                          "one-each", "wide", NULL};

/* Block and column of vector k of the basis, in the order of the blocks. */
static const double *vector_of(const problem *p, double *const *V, const int *order, int k)
{
    int b = 0;
    while (k >= p->count[order[b]]) k -= p->count[order[b++]];
    return V[order[b]] + k;
}

static double dot(int64_t n, int ld, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i * ld] * y[i * ld];
    return sum;
}

static void fill_small(const problem *p, double *const *right, const int *order, double *G)
{
    for (int a = 0; a < p->m; a++)
        for (int b = 0; b < p->m; b++)
            G[a * p->m + b] =
                dot(p->n, p->nv, vector_of(p, p->V, order, a), vector_of(p, right, order, b));
}

static spw_status expect_small(spw_trial *t, const problem *p)
{
    static const int order[] = {BX, BW, BP}, turned[] = {BX, BP, BW};
    const int64_t size = (int64_t)p->m * p->m;
    double *G[8];
    for (int k = 0; k < 8; k++)
        if (!(G[k] = (double *)spw_trial_memory(t, size, sizeof **G))) return SPW_ERR_MEMORY;
    fill_small(p, p->AV, order, G[0]);
    fill_small(p, p->V, order, G[1]);
    fill_small(p, p->AV, turned, G[3]);
    for (int64_t k = 0; k < size; k++) {
        G[2][k] = 1e-13 * (double)p->n; /* the tolerance */
        G[4][k] = k % (p->m + 1) ? 0 : 1;
        G[5][k] = k / p->m > k % p->m ? 0 : G[0][k];
        const bool same = k / p->m < p->count[BX] && k % p->m < p->count[BX];
        G[6][k] = same && k % (p->m + 1) ? 0 : G[0][k];
    }
    spw_trial_expect(t, p->GA,
                     (spw_expectation){.expected = G[0], .tolerance = G[2], .count = size});
    spw_trial_expect(t, p->GB,
                     (spw_expectation){.expected = G[1], .tolerance = G[2], .count = size});
    spw_trial_mistake(t, p->GA, G[3], "the order of the blocks is X, W, P");
    spw_trial_mistake(t, p->GA, G[5],
                      "the half below the diagonal is missing: it is that above, transposed");
    spw_trial_mistake(t, p->GA, G[1], "this is Sᵀ S: A is missing, AV holds A times the blocks");
    spw_trial_mistake(t, p->GA, G[6], "XᵀAX was taken for diagonal: compute it, rounding included");
    spw_trial_mistake(t, p->GB, G[4],
                      "GB was taken for the identity. It is, but for rounding: and the rounding is "
                      "what\nmakes the small problem wrong. Compute it");
    spw_trial_mistake(t, p->GB, G[0], "this is Sᵀ A S: GB has no A in it");
    return SPW_OK;
}

/* A is diagonal here, so that Sᵀ A S is symmetric. */
static spw_status set_up_small(spw_trial *t, const char *name)
{
    static const char *const names[2][BLOCKS] = {{"X", "W", "P"}, {"AX", "AW", "AP"}};
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    size_t c = 0;
    while (strcmp(name, bases[c].name) != 0) c++;
    p->n = bases[c].n;
    p->nv = bases[c].ld;
    memcpy(p->count, bases[c].count, sizeof p->count);
    p->m = p->count[BX] + p->count[BW] + p->count[BP];
    for (int b = 0; b < BLOCKS; b++) {
        p->V[b] = (double *)spw_trial_input(t, names[0][b], SPW_DOUBLE, p->n * p->nv);
        p->AV[b] = (double *)spw_trial_input(t, names[1][b], SPW_DOUBLE, p->n * p->nv);
        if (!p->V[b] || !p->AV[b]) return SPW_ERR_MEMORY;
        spw_case_vector(spw_trial_seed(t) + (uint64_t)b, p->n * p->nv, p->V[b]);
        for (int64_t k = 0; k < p->n * p->nv; k++)
            p->AV[b][k] = (0.5 + spw_random_double(7, (uint64_t)(k / p->nv))) * p->V[b][k];
    }
    p->GA = (double *)spw_trial_output(t, "GA", SPW_DOUBLE, (int64_t)p->m * p->m);
    p->GB = (double *)spw_trial_output(t, "GB", SPW_DOUBLE, (int64_t)p->m * p->m);
    if (!p->GA || !p->GB) return SPW_ERR_MEMORY;
    spw_trial_say(t, "n = %lld, ld %d, vectors in use %d %d %d", (long long)p->n, p->nv,
                  p->count[BX], p->count[BW], p->count[BP]);
    return expect_small(t, p);
}

static void call_small(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((small_fn)f)(p->n, p->nv, p->V, p->AV, p->count, p->GA, p->GB);
}

/* --- next_basis ------------------------------------------------------------------------------------------------ */

static const char *const basis_cases[] = {"identity",     "rounded",  "no-p", "locked",
                                          "nothing-left", "one-pair", NULL};

typedef enum slip {
    RIGHT,
    COLUMNS,
    WITH_X,
    PLAIN_DOTS,
    NO_LENGTH,
    OWN_X,
    NOT_ORTHOGONAL,
    ALL_PAIRS,
    NOT_EACH_OTHER,
    LARGEST
} slip;

/* aᵀ G b; G NULL: aᵀ b. */
static double inner(int m, const double *G, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < m; i++) {
        double row = G ? 0 : b[i];
        for (int j = 0; j < m && G; j++) row += G[i * m + j] * b[j];
        sum += a[i] * row;
    }
    return sum;
}

/* The columns of U as rows of `rows`, [2 nv * m], by the rules or with a slip. Returns those of P. */
static int basis_rows(const problem *p, slip s, int passes, double *rows)
{
    const int m = p->m, nv = p->nv;
    const double *G = s == PLAIN_DOTS ? NULL : p->GB;
    int np = 0;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < m; i++)
            rows[j * m + i] = s == COLUMNS   ? p->H[i * m + j]
                              : s == LARGEST ? p->H[(m - 1 - j) * m + i]
                                             : p->H[j * m + i];
    for (int j = 0; j < nv; j++) {
        if (!p->active[j] && s != ALL_PAIRS) continue;
        double *y = rows + (nv + np) * m;
        for (int i = 0; i < m; i++) y[i] = i < nv && s != WITH_X ? 0 : rows[j * m + i];
        const double before = sqrt(inner(m, G, y, y));
        for (int pass = 0; pass < passes && s != NOT_ORTHOGONAL; pass++)
            for (int k = s == OWN_X ? j : 0; k < nv + np; k++) {
                if ((s == OWN_X && k != j) || (s == NOT_EACH_OTHER && k >= nv)) continue;
                const double h = inner(m, G, rows + k * m, y);
                for (int i = 0; i < m; i++) y[i] -= h * rows[k * m + i];
            }
        const double length = sqrt(inner(m, G, y, y));
        if (!(length > LEAST_PART * before)) continue;
        for (int i = 0; i < m && s != NO_LENGTH; i++) y[i] /= length;
        np++;
    }
    return np;
}

static const struct {
    slip s;
    const char *text;
} slips[] = {
    {COLUMNS, "rows and columns of H were mixed up: eigenvector k is ROW k of H"},
    {LARGEST,
     "these are the vectors of the largest values: w is ascending, the smallest come first"},
    {WITH_X,
     "the vector of P begins with the part from X, too: then it is the new x itself, and\n"
     "nothing of it is left. Its first nv coefficients are 0: where X moved, not where it is"},
    {PLAIN_DOTS,
     "orthogonal as plain numbers, aᵀ b. The coefficients stand for vectors of the basis:\n"
     "their inner product is aᵀ GB b"},
    {NO_LENGTH, "P's columns are orthogonal, but not of length 1"},
    {OWN_X, "P's column j is orthogonal to the new x_j only: it must be to all new x, and to the\n"
            "columns of P before it"},
    {NOT_ORTHOGONAL,
     "P was not made orthogonal to the new X: then [X P] is no orthonormal basis, and\n"
     "loses its digits as the iteration converges"},
    {ALL_PAIRS, "pairs that have converged get a vector of P, too: active says which must not"},
    {NOT_EACH_OTHER, "P's columns are orthogonal to X, but not to each other"},
};

/* Rows to the columns of a [m * 2 nv] array. */
static void turn(const problem *p, const double *rows, int columns, double *U)
{
    const int ld = 2 * p->nv;
    memset(U, 0, sizeof *U * (size_t)(p->m * ld));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < p->m; i++) U[i * ld + j] = rows[j * p->m + i];
}

static spw_status expect_basis(spw_trial *t, const problem *p)
{
    const int64_t size = (int64_t)p->m * 2 * p->nv;
    double *U = (double *)spw_trial_memory(t, size, sizeof *U);
    double *tolerance = (double *)spw_trial_memory(t, size, sizeof *tolerance);
    spw_idx *np = (spw_idx *)spw_trial_memory(t, 1, sizeof *np);
    double rows[2 * MAX_NV * MAX_M];
    if (!U || !tolerance || !np) return SPW_ERR_MEMORY;
    *np = basis_rows(p, RIGHT, 3, rows);
    turn(p, rows, p->nv + *np, U);
    for (int64_t k = 0; k < size; k++) tolerance[k] = 1e-11;
    spw_trial_expect(t, p->used,
                     (spw_expectation){.expected = U, .tolerance = tolerance, .count = size});
    spw_trial_expect(t, p->number, (spw_expectation){.expected = np, .count = 1, .noun = ""});
    for (size_t k = 0; k < 2 * sizeof slips / sizeof *slips; k++) {
        double *wrong = (double *)spw_trial_memory(t, size, sizeof *wrong);
        if (!wrong) return SPW_ERR_MEMORY;
        const int columns = basis_rows(p, slips[k / 2].s, 1 + (int)k % 2, rows);
        turn(p, rows, p->nv + columns, wrong);
        if (memcmp(wrong, U, sizeof *U * (size_t)size) != 0)
            spw_trial_mistake(t, p->used, wrong, slips[k / 2].text);
    }
    return SPW_OK;
}

static spw_status set_up_basis(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    const bool exact = strcmp(name, "identity") == 0, left = strcmp(name, "nothing-left") == 0;
    const int nv = p->nv = strcmp(name, "one-pair") == 0 ? 1 : 4;
    const int m = p->m = strcmp(name, "no-p") == 0 ? 2 * nv : 3 * nv;
    const uint64_t seed = spw_trial_seed(t);
    double G[MAX_M * MAX_M], w[MAX_M];
    p->GB = (double *)spw_trial_input(t, "GB", SPW_DOUBLE, (int64_t)m * m);
    p->H = (double *)spw_trial_input(t, "H", SPW_DOUBLE, (int64_t)m * m);
    p->U = (double *)spw_trial_output(t, "U", SPW_DOUBLE, (int64_t)m * 2 * nv);
    p->used = (double *)spw_trial_output(t, "used columns of U", SPW_DOUBLE, (int64_t)m * 2 * nv);
    p->number = (spw_idx *)spw_trial_output(t, "columns of P", SPW_INDEX, 1);
    if (!p->GB || !p->H || !p->U || !p->used || !p->number) return SPW_ERR_MEMORY;
    for (int j = 0; j < nv; j++) p->active[j] = strcmp(name, "locked") != 0 || j == 1 || j == 3;
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            const uint64_t at = (uint64_t)(i * m + j);
            /* x_0 stays what it is where nothing shall be left for P */
            const double apart = left && j == 0 && i > 0 ? 0 : 1;
            G[i * m + j] = G[j * m + i] =
                apart * (spw_random_double(seed, at) - 0.5) + (i == j ? (left && !i ? -9 : i) : 0);
            p->GB[i * m + j] = p->GB[j * m + i] =
                (i == j) + (exact ? 0 : apart * 0.1 * (spw_random_double(seed + 1, at) - 0.5));
        }
    if (spw_small_eigen(1, w, w)) return SPW_ERR_UNAVAILABLE;
    if (!small_pairs(m, G, p->GB, p->H, w))
        return spw_error(SPW_ERR_ARG, "the case's own matrix is not positive definite");
    spw_trial_say(t, "m = %d, nv = %d, GB %s", m, nv, exact ? "= I" : "not I");
    return expect_basis(t, p);
}

static void call_basis(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    const int ld = 2 * p->nv, np = ((basis_fn)f)(p->m, p->nv, p->GB, p->H, p->active, p->U);
    *p->number = np;
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < ld; j++) p->used[i * ld + j] = j < p->nv + np ? p->U[i * ld + j] : 0;
}

/* --- lobpcg ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *matrix; /* NULL: a diagonal one */
    int nv;
    double tolerance;
} systems[] = {{"laplace2d", "laplace2d:9", 4, 1e-5}, {"multiple", "laplace3d:4", 4, 1e-5},
               {"one-pair", "laplace2d:7", 1, 1e-5},  {"speeds", NULL, 5, 1e-6},
               {"jacobi", "laplace2d:8", 4, 1e-5},    {"two-values", NULL, 4, 1e-6}};
static const char *const lobpcg_cases[] = {"laplace2d", "multiple",   "one-pair", "speeds",
                                           "jacobi",    "two-values", NULL};

static void multiply(const eigenproblem *E, int count, const double *X, double *Y)
{
    problem *p = (problem *)E->context;
    if (count < 1) return;
    p->vectors += count;
    spw_spmm_csr_omp(&p->A, count, X, E->nv, Y, E->nv);
}

static void precondition(const eigenproblem *E, int count, const double *X, double *Y)
{
    const problem *p = (const problem *)E->context;
    for (int64_t i = 0; i < E->n; i++)
        for (int j = 0; j < count; j++) Y[i * E->nv + j] = p->inverse[i] * X[i * E->nv + j];
}

static spw_status diagonal(const char *name, spw_csr *A)
{
    const int n = 240;
    const spw_status status = spw_csr_create(n, n, n, A);
    if (status) return status;
    A->row_ptr[0] = 0;
    for (int i = 0; i < n; i++) {
        A->row_ptr[i + 1] = i + 1;
        A->col_idx[i] = i;
        /* one far below, four side by side, the others; or three times 1, else 2 */
        A->val[i] = strcmp(name, "speeds") ? (i % 80 ? 2 : 1)
                    : i == 0               ? 0.01
                    : i < 5                ? 1 + 0.1 * i
                                           : 4 + 0.05 * i;
    }
    return SPW_OK;
}

/* S A S with S between 1 and 30: what Jacobi's preconditioner takes back. */
static void scale_rows(spw_csr *A)
{
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= pow(30, spw_random_double(3, (uint64_t)i)) *
                         pow(30, spw_random_double(3, (uint64_t)A->col_idx[k]));
}

/* What the whole must find, and in how many iterations: by LAPACK and by the library. Kept, for a case comes
 * with several numbers of threads. */
static spw_status find_expected(problem *p, size_t c, const double *guess)
{
    static struct {
        double smallest[MAX_NV], largest[MAX_NV];
        int iterations;
        double guess;
    } kept[sizeof systems / sizeof *systems];
    const int n = (int)p->n, nv = p->nv;
    double *dense = NULL, *w = NULL, *x = NULL;
    spw_operator A = {0}, M = {0};
    spw_lobpcg_result result = {0};
    spw_status status = SPW_OK;
    if (kept[c].iterations && kept[c].guess == guess[0]) goto done;
    dense = (double *)calloc((size_t)n * (size_t)n, sizeof *dense);
    w = (double *)calloc((size_t)n, sizeof *w);
    x = (double *)calloc((size_t)(n * nv), sizeof *x);
    status = spw_error(SPW_ERR_MEMORY, "no room for a dense matrix of %d rows", n);
    if (!dense || !w || !x) goto out;
    for (int i = 0; i < n; i++)
        for (spw_idx k = p->A.row_ptr[i]; k < p->A.row_ptr[i + 1]; k++)
            dense[i * n + p->A.col_idx[k]] = p->A.val[k];
    memcpy(x, guess, sizeof *x * (size_t)(n * nv));
    const spw_lobpcg_options options = {.nv = nv, .guard = -1, .tolerance = p->E.tolerance};
    if ((status = spw_small_eigen(n, dense, w)) || (status = spw_operator_from_csr(&p->A, &A)) ||
        (p->E.precondition && (status = spw_precond_jacobi(&p->A, &M))) ||
        (status = spw_lobpcg(&A, NULL, M.apply ? &M : NULL, x, 1, &options, &result)))
        goto out;
    for (int j = 0; j < nv; j++) {
        kept[c].smallest[j] = w[j];
        kept[c].largest[j] = w[n - nv + j];
    }
    kept[c].iterations = result.iterations;
    kept[c].guess = guess[0];
done:
    memcpy(p->expected, kept[c].smallest, sizeof p->expected);
    memcpy(p->largest, kept[c].largest, sizeof p->largest);
    p->reference = kept[c].iterations;
out:
    free(dense);
    free(w);
    free(x);
    spw_lobpcg_result_destroy(&result);
    spw_operator_destroy(&A);
    spw_operator_destroy(&M);
    return status;
}

static spw_status set_up_lobpcg(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    size_t c = 0;
    while (strcmp(name, systems[c].name) != 0) c++;
    spw_csr A = {0};
    spw_status status =
        systems[c].matrix ? spw_csr_load(systems[c].matrix, &A) : diagonal(name, &A);
    if (status) return status;
    const bool jacobi = strcmp(name, "jacobi") == 0;
    if (jacobi) scale_rows(&A);
    const spw_csr *kept = spw_trial_csr(t, &A);
    if (!kept) return SPW_ERR_MEMORY;
    p->A = *kept;
    p->n = p->A.n_rows;
    p->nv = systems[c].nv;
    p->inverse = (double *)spw_trial_memory(t, p->n, sizeof *p->inverse);
    double *guess = (double *)spw_trial_memory(t, p->n * p->nv, sizeof *guess);
    if (!p->inverse || !guess) return SPW_ERR_MEMORY;
    for (spw_idx i = 0; i < p->A.n_rows; i++)
        for (spw_idx k = p->A.row_ptr[i]; k < p->A.row_ptr[i + 1]; k++)
            if (p->A.col_idx[k] == i) p->inverse[i] = 1 / p->A.val[k];
    for (int64_t k = 0; k < p->n * p->nv; k++)
        guess[k] = spw_random_double(spw_trial_seed(t), (uint64_t)k) - 0.5;
    p->E = (eigenproblem){
        p->n, p->nv, systems[c].tolerance, 120, multiply, jacobi ? precondition : NULL, p};
    p->x = (double *)spw_trial_inout(t, "X", SPW_DOUBLE, p->n * p->nv, guess);
    p->out = (double *)spw_trial_output(t, "lambda", SPW_DOUBLE, p->nv);
    p->norm = (double *)spw_trial_output(t, "norm", SPW_DOUBLE, p->nv);
    p->number = (spw_idx *)spw_trial_output(t, "iterations", SPW_INDEX, 1);
    if (!p->x || !p->out || !p->norm || !p->number) return SPW_ERR_MEMORY;
    spw_trial_say(t, "n = %lld, nv = %d%s", (long long)p->n, p->nv,
                  jacobi ? ", Jacobi's preconditioner" : "");
    return find_expected(p, c, guess);
}

static void call_lobpcg(spw_trial *t, spw_function f)
{
    problem *p = (problem *)of(t)->E.context;
    p->vectors = 0;
    *p->number = ((lobpcg_fn)f)(&p->E, p->x, p->out, p->norm);
}

/* ||A x_j - lambda_j x_j|| */
static double true_residual(const problem *p, int j)
{
    double square = 0;
    for (spw_idx i = 0; i < p->A.n_rows; i++) {
        double sum = -p->out[j] * p->x[i * p->nv + j];
        for (spw_idx k = p->A.row_ptr[i]; k < p->A.row_ptr[i + 1]; k++)
            sum += p->A.val[k] * p->x[p->A.col_idx[k] * p->nv + j];
        square += sum * sum;
    }
    return sqrt(square);
}

/* Are the values those of the smallest pairs? Else a sentence. */
static bool wrong_values(spw_trial *t, const problem *p)
{
    const int nv = p->nv;
    const double scale = fabs(p->largest[nv - 1]);
    for (int j = 0; j < nv; j++)
        if (!isfinite(p->out[j]) || !isfinite(p->norm[j])) {
            spw_trial_fail(
                t,
                "lambda[%d] is %g and norm[%d] %g. Was a vector of length 0 normalised, or "
                "are they\nnot written at all?",
                j, p->out[j], j, p->norm[j]);
            return true;
        }
    for (int j = 0; j < nv; j++) {
        if (fabs(p->out[j] - p->expected[j]) <= 1e-5 * fabs(p->expected[j]) + 1e-12 * scale)
            continue;
        bool largest = true;
        for (int k = 0; k < nv; k++)
            largest = largest && fabs(p->out[k] - p->largest[k]) <= 0.2 * scale;
        spw_trial_fail(
            t, "lambda[%d] is %.9g, expected %.9g, after %d iterations%s", j, p->out[j],
            p->expected[j], *p->number,
            largest ? "\nThese are near the largest eigenvalues: the smallest have the first w"
            : j > 0 && p->out[j] < p->out[j - 1] ? "\nThey are not in ascending order"
            : *p->number >= p->E.max_iterations
                ? "\nIt does not converge. Do A X and A P stay what they say? Is norm compared "
                  "with\n"
                  "tolerance times |lambda|?"
                : "\nIt stopped too early: all pairs must have norm <= tolerance |lambda|");
        return true;
    }
    return false;
}

static void check_lobpcg(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    const int nv = p->nv, done = *p->number, limit = p->reference + p->reference / 3 + 8;
    (void)f;
    if (done < 0) {
        spw_trial_fail(t, "it returned %d: no room, or a guess that depends. Neither is the case",
                       done);
        return;
    }
    if (done <= limit && wrong_values(t, p)) return;
    if (done > limit) {
        spw_trial_fail(
            t, "%d iterations; the library takes %d. %s", done, p->reference,
            p->E.precondition
                ? "Is the preconditioner applied to W?"
                : "Is P in the basis, with A P that fits it?\nWithout P this is steepest "
                  "descent, which takes some times as many. If it never ends:\nare "
                  "residuals compared with tolerance times |lambda|?");
        return;
    }
    for (int j = 0; j < nv; j++) {
        const double truth = true_residual(p, j), scale = fabs(p->largest[nv - 1]);
        if (fabs(p->norm[j] - truth) > 0.01 * truth + 1e-12 * scale) {
            spw_trial_fail(
                t,
                "norm[%d] is %.3e, but ||A x - lambda x|| of what is returned is %.3e\nWas "
                "it computed with another lambda, before the last update?",
                j, p->norm[j], truth);
            return;
        }
        if (truth > 1.01 * p->E.tolerance * fabs(p->out[j]) + 1e-12 * scale) {
            spw_trial_fail(t,
                           "pair %d: ||A x - lambda x|| = %.2e: all pairs must have norm <= "
                           "tolerance |lambda|, %.2e",
                           j, truth, p->E.tolerance * fabs(p->out[j]));
            return;
        }
        for (int k = 0; k <= j; k++) {
            const double g = dot(p->n, nv, p->x + k, p->x + j) - (k == j);
            if (fabs(g) < 1e-8) continue;
            spw_trial_fail(t, "the vectors %d and %d returned are not orthonormal: off by %.1e", k,
                           j, g);
            return;
        }
    }
    if (p->vectors > (int64_t)nv * (done + 1))
        spw_trial_fail(
            t,
            "A was multiplied with %lld vectors in %d iterations, %d would do: carry A X and "
            "A P\nalong with the combination that makes X and P. Then A W is the only product",
            (long long)p->vectors, done, nv * (done + 1));
}

static const char *const allowed[] = {"spw_gram_omp", "spw_combine_omp", NULL};
static const char *const forbidden[] = {"spw_lobpcg", NULL};

static const spw_part parts[] = {
    {.function = "residuals",
     .model = "residuals_cost",
     .cases = residual_cases,
     .setup = set_up_residuals,
     .call = call_residuals,
     .predict = predict_residuals,
     .cost = cost_of_residuals,
     .explain_model = explain_residuals,
     .speed = "timed",
     .traffic = "traffic",
     .target = 0.6,
     .stretch = {"library, one pass", library_residuals}},
    {.function = "iteration_flops", .cases = flop_cases, .setup = set_up_flops, .call = call_flops},
    {.function = "small_matrices", .cases = small_cases, .setup = set_up_small, .call = call_small},
    {.function = "next_basis", .cases = basis_cases, .setup = set_up_basis, .call = call_basis},
    {.function = "lobpcg",
     .cases = lobpcg_cases,
     .setup = set_up_lobpcg,
     .call = call_lobpcg,
     .claim = check_lobpcg},
};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = (int)(sizeof parts / sizeof *parts),
                                     .forbidden = forbidden,
                                     .allowed = allowed},
                     argc, argv);
}

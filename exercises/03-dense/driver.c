/* Exercise 3: shapes, true costs and explanations for dgemv and dgemm. */
#include "dense.h"

#include "base/threads.h"
#include "kernels/blas.h"
#include "kernels/dense.h"
#include "perf/working_set.h"
#include "kit/cases.h"
#include "judge/explain.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void (*dgemv_fn)(int64_t, int64_t, const double *, int64_t, const double *, double *);
typedef void (*dgemm_fn)(int64_t, int64_t, int64_t, const double *, int64_t, const double *,
                         int64_t, double *, int64_t);
typedef spw_cost (*dgemv_cost_fn)(int64_t, int64_t);
typedef spw_cost (*dgemm_cost_fn)(int64_t, int64_t, int64_t, int64_t);
typedef double (*knee_fn)(double, double);

/* One case; of dgemv, B is x and C is y. */
typedef struct problem {
    int64_t m, n, k, lda, ldb, ldc;
    int64_t edge; /* for the model: blocks of edge x edge */
    const double *A, *B;
    double *C;
    double P, b; /* of edge_at_knee */
} problem;

typedef struct shape {
    const char *name;
    int64_t m, n, k, gap, edge; /* dgemv: m, n, gap */
} shape;

static const problem *of(const spw_trial *t)
{
    return (const problem *)spw_trial_data(t);
}

/* --- dgemv ----------------------------------------------------------------------------------------- */

static const shape vectors[] = {{"small", 2, 3, 0, 0, 0},      {"one-by-one", 1, 1, 0, 0, 0},
                                {"no-rows", 0, 5, 0, 0, 0},    {"no-columns", 4, 0, 0, 0, 0},
                                {"one-row", 1, 1009, 0, 0, 0}, {"one-column", 1009, 1, 0, 1, 0},
                                {"block", 13, 37, 0, 6, 0},    {"prime", 101, 211, 0, 0, 0}};
static const char *const vector_cases[] = {"small",      "one-by-one", "no-rows",
                                           "no-columns", "one-row",    "one-column",
                                           "block",      "prime",      NULL};

enum { MATRIX_COLUMNS = 4099 };

static void find_vector(const char *name, problem *p)
{
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (strcmp(name, vectors[k].name) == 0) {
            p->m = vectors[k].m;
            p->n = vectors[k].n;
            p->lda = p->n + vectors[k].gap;
        }
    if (p->lda > 0 || strcmp(name, "no-columns") == 0) return;
    const int64_t bytes = strcmp(name, "traffic") == 0 ? 8000000 : spw_default_working_set();
    p->n = p->lda = MATRIX_COLUMNS;
    p->m = bytes / 8 / p->n;
}

static void gemv_with(const problem *p, int64_t lda, int from, double *y)
{
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = from; j < p->n; j++) y[i] += p->A[i * lda + j] * p->B[j];
}

static spw_status state_vector_mistakes(spw_trial *t, const problem *p)
{
    double *y[4];
    for (int k = 0; k < 4; k++)
        if (!(y[k] = (double *)spw_trial_memory(t, p->m, sizeof *y[k]))) return SPW_ERR_MEMORY;
    if (p->lda > p->n) {
        gemv_with(p, p->n, 0, y[0]);
        spw_trial_mistake(t, p->C, y[0],
                          "n was taken for lda: row i begins at A + i * lda, not at A + i * n");
    }
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j + 1 < p->n; j++) y[1][i] += p->A[i * p->lda + j] * p->B[j];
    spw_trial_mistake(t, p->C, y[1], "the last column is missing: j runs up to n - 1");
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            if (i < p->n && j < p->m) y[2][i] += p->A[j * p->lda + i] * p->B[j];
    if (p->m <= p->n)
        spw_trial_mistake(t, p->C, y[2], "this is A^T x: row and column have changed places");
    double sum = 0;
    for (int64_t i = 0; i < p->m; i++) {
        for (int64_t j = 0; j < p->n; j++) sum += p->A[i * p->lda + j] * p->B[j];
        y[3][i] = sum;
    }
    spw_trial_mistake(t, p->C, y[3], "the sum runs on from row to row: it begins at 0 in each");
    return SPW_OK;
}

static spw_status set_up_gemv(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    find_vector(name, p);
    const int64_t entries = p->m > 0 && p->n > 0 ? (p->m - 1) * p->lda + p->n : 0;
    p->A = spw_trial_random(t, "A", entries);
    p->B = spw_trial_random(t, "x", p->n);
    p->C = (double *)spw_trial_output(t, "y", SPW_DOUBLE, p->m);
    if (!p->A || !p->B || !p->C) return SPW_ERR_MEMORY;
    if (entries < 1000000)
        spw_trial_say(t, "%lld x %lld, lda %lld", (long long)p->m, (long long)p->n,
                      (long long)p->lda);
    else
        spw_trial_say(t, "%lld x %lld, %.0f MB", (long long)p->m, (long long)p->n,
                      8e-6 * (double)entries);
    spw_trial_unit(t, "m n", (double)p->m * (double)p->n);
    spw_trial_unit(t, "m", (double)p->m);
    spw_trial_unit(t, "n", (double)p->n);
    if (!spw_trial_checks(t)) return SPW_OK;

    double *y = (double *)spw_trial_memory(t, p->m, sizeof *y);
    double *tolerance = (double *)spw_trial_memory(t, p->m, sizeof *tolerance);
    if (!y || !tolerance) return SPW_ERR_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->m; i++)
        y[i] = spw_dot_expected(p->n, p->A + i * p->lda, p->B, &tolerance[i]);
    spw_trial_expect(
        t, p->C,
        (spw_expectation){.expected = y, .tolerance = tolerance, .count = p->m, .noun = "row"});
    return entries > 0 && entries < 100000 ? state_vector_mistakes(t, p) : SPW_OK;
}

static void call_gemv(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((dgemv_fn)f)(p->m, p->n, p->A, p->lda, p->B, p->C);
}

static spw_cost predict_gemv(spw_trial *t, spw_function model)
{
    return ((dgemv_cost_fn)model)(of(t)->m, of(t)->n);
}

static spw_cost cost_of_gemv(const spw_trial *t)
{
    const double m = (double)of(t)->m, n = (double)of(t)->n;
    return (spw_cost){.load = 8 * m * n + 8 * n, .store = 8 * m, .flop = 2 * m * n};
}

static void explain_gemv_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double m = (double)of(t)->m, n = (double)of(t)->n;
    const spw_known_cost known[] = {
        {8 * (m * n - n), 0, 0,
         "x is counted for each entry of A: it has n entries, and they stay in a cache"},
        {-8 * n, 0, 0, "x has to be loaded, too: n entries of 8 bytes, once"},
        {8 * m, 0, 0, "y is written, not read"},
        {0, -8 * m, 0, "y has to be stored: m entries of 8 bytes"},
        {0, 8 * (m * n - m), 0, "y[i] is stored once a row; the sum stays in a register"},
        {0, 0, -m * n, "a fused multiply-add is one instruction but two operations"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_gemv(t), 0.5, text,
                        size);
}

static void plain_gemv(spw_trial *t)
{
    spw_dgemv_ref(of(t)->m, of(t)->n, of(t)->A, of(t)->B, of(t)->C);
}

static void best_gemv(spw_trial *t)
{
    spw_dgemv_omp_rows4(of(t)->m, of(t)->n, of(t)->A, of(t)->B, of(t)->C);
}

/* --- edge_at_knee ---------------------------------------------------------------------------------- */

static const char *const knee_cases[] = {"lecture", "round", "drawn", NULL};

static void state(spw_trial *t, const problem *p, double value, const char *text)
{
    double *wrong = (double *)spw_trial_memory(t, 1, sizeof *wrong);
    if (!wrong || fabs(value - 8 * p->P / p->b) < 1e-9 * value) return;
    *wrong = value;
    spw_trial_mistake(t, p->C, wrong, text);
}

static spw_status set_up_knee(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    double *expected = (double *)spw_trial_memory(t, 2, sizeof *expected);
    if (!p || !expected) return SPW_ERR_MEMORY;
    const double draw = (double)(spw_trial_seed(t) % 1000);
    p->P = strcmp(name, "lecture") == 0 ? 192e9
           : strcmp(name, "round") == 0 ? 1e12
                                        : 1e9 * (50 + draw);
    p->b = strcmp(name, "lecture") == 0 ? 40e9 : strcmp(name, "round") == 0 ? 100e9 : 37e9;
    p->C = (double *)spw_trial_output(t, "edge", SPW_DOUBLE, 1);
    if (!p->C) return SPW_ERR_MEMORY;
    expected[0] = 8 * p->P / p->b;
    expected[1] = 4 * DBL_EPSILON * expected[0];
    spw_trial_say(t, "P = %.4g Gflop/s, b = %.4g GB/s", p->P * 1e-9, p->b * 1e-9);
    spw_trial_expect(
        t, p->C,
        (spw_expectation){
            .expected = &expected[0], .tolerance = &expected[1], .count = 1, .noun = ""});
    const double knee = p->P / p->b;
    state(t, p, knee,
          "this is the knee itself, in flop/byte: at which edge is I = edge / 8 there?");
    state(t, p, p->b / p->P, "this is b / P: the knee lies at P / b flop/byte");
    state(t, p, 16 * knee, "twice too large: 2 edge^3 flops take 16 edge^2 bytes, I = edge / 8");
    state(t, p, 4 * knee, "half of it: a block of A and one of B are loaded, I = edge / 8");
    state(t, p, knee / 8, "I = edge / 8 was turned round: edge = 8 I");
    return SPW_OK;
}

static void call_knee(spw_trial *t, spw_function f)
{
    of(t)->C[0] = ((knee_fn)f)(of(t)->P, of(t)->b);
}

/* --- dgemm ----------------------------------------------------------------------------------------- */

/* Sizes around all edges that a blocking of 2 to 64 can have; k beyond 256 and 512. */
static const shape products[] = {
    {"square", 6, 6, 6, 0, 3},   {"small", 2, 3, 4, 0, 1},      {"one-by-one", 1, 1, 1, 0, 1},
    {"no-rows", 0, 5, 3, 0, 1},  {"no-terms", 4, 3, 0, 0, 2},   {"full", 64, 64, 64, 0, 16},
    {"edges", 67, 59, 61, 0, 8}, {"one-row", 1, 131, 70, 0, 3}, {"one-column", 131, 1, 70, 0, 5},
    {"block", 33, 29, 47, 5, 7}, {"deep", 19, 23, 1031, 2, 4},  {"wide", 37, 519, 11, 0, 100},
    {"tall", 517, 39, 13, 0, 64}};
static const char *const product_cases[] = {
    "square",  "small",      "one-by-one", "no-rows", "no-terms", "full", "edges",
    "one-row", "one-column", "block",      "deep",    "wide",     "tall", NULL};

/* Odd multiples of 8: rows of B that lie a power of two apart would share one set of the cache. */
static int64_t timed_edge(void)
{
    return 8 * (2 * (int64_t)(40 * cbrt(0.5 * spw_max_threads())) + 1);
}

static void find_product(const char *name, problem *p)
{
    for (size_t k = 0; k < sizeof products / sizeof products[0]; k++)
        if (strcmp(name, products[k].name) == 0) {
            p->m = products[k].m;
            p->n = products[k].n;
            p->k = products[k].k;
            p->edge = products[k].edge;
            p->lda = p->k + products[k].gap;
            p->ldb = p->n + 2 * products[k].gap;
            p->ldc = p->n + 3 * products[k].gap;
        }
    if (p->edge > 0) return;
    p->m = p->n = p->k = strcmp(name, "traffic") == 0 ? 264 : timed_edge();
    p->lda = p->ldb = p->ldc = p->edge = p->n;
}

/* One product of doubles with other index rules than the right ones. */
typedef struct rule {
    int64_t lda, ldb, ldc;
    int64_t m, n, k; /* what is computed of it */
    bool trans_A, trans_B, adds;
    const char *text;
} rule;

static double entry(const double *a, int64_t ld, bool transposed, int64_t i, int64_t j)
{
    return transposed ? a[j * ld + i] : a[i * ld + j];
}

static spw_status state_product(spw_trial *t, const problem *p, const double *right, rule r)
{
    const int64_t entries = (p->m - 1) * p->ldc + p->n;
    double *C = (double *)spw_trial_memory(t, entries, sizeof *C);
    if (!C) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < entries; i++) C[i] = p->ldc > p->n ? right[i] : spw_poison_double(i);
    for (int64_t i = 0; i < r.m; i++)
        for (int64_t j = 0; j < r.n; j++) {
            double sum = 0;
            for (int64_t q = 0; q < r.k; q++)
                sum += entry(p->A, r.lda, r.trans_A, i, q) * entry(p->B, r.ldb, r.trans_B, q, j);
            if (i * r.ldc + j < entries) C[i * r.ldc + j] = r.adds ? 2 * sum : sum;
        }
    spw_trial_mistake(t, p->C, C, r.text);
    return SPW_OK;
}

static spw_status state_product_mistakes(spw_trial *t, const problem *p, const double *right)
{
    const rule plain = {p->lda, p->ldb, p->ldc, p->m, p->n, p->k, false, false, false, ""};
    rule rules[12];
    int n = 0;
    const bool square = p->m == p->n && p->n == p->k;
    for (int c = 0; c < 3 && square; c++) {
        static const char *const texts[] = {
            "this is A^T B: the indices of A have changed places, A[i][p] is A[i * lda + p]",
            "this is A B^T: the indices of B have changed places, B[p][j] is B[p * ldb + j]",
            "this is A^T B^T: the indices of A and of B have changed places"};
        rules[n] = plain;
        rules[n].trans_A = c != 1;
        rules[n].trans_B = c != 0;
        rules[n++].text = texts[c];
    }
    rules[n] = plain;
    rules[n].adds = true;
    rules[n++].text = "every entry twice as large: was it accumulated into C twice?";
    if (p->ldc > p->n) {
        rules[n] = plain;
        rules[n].lda = p->k;
        rules[n++].text = "k was taken for lda: row i of A begins at A + i * lda";
        rules[n] = plain;
        rules[n].ldb = p->n;
        rules[n++].text = "n was taken for ldb: row p of B begins at B + p * ldb";
    }
    for (int edge = 2; edge <= 16 && p->k > edge; edge *= 2) {
        if (p->k % edge == 0) continue;
        rules[n] = plain;
        rules[n].k = p->k - p->k % edge;
        rules[n++].text = "the last terms are missing: k is no multiple of your block";
    }
    for (int k = 0; k < n; k++)
        if (state_product(t, p, right, rules[k])) return SPW_ERR_MEMORY;
    return SPW_OK;
}

static void describe(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *p = of(t);
    if (i % p->ldc < p->n)
        snprintf(text, (size_t)size, "row %lld, column %lld of %lld x %lld",
                 (long long)(i / p->ldc), (long long)(i % p->ldc), (long long)p->m,
                 (long long)p->n);
    else
        snprintf(text, (size_t)size, "behind row %lld: it belongs to somebody else",
                 (long long)(i / p->ldc));
}

/* Exact within rounding; of the large case by another kernel, with the bound of random numbers of 0.5 to
 * 1.5. What lies between the rows must stay. */
static spw_status expect_product(spw_trial *t, problem *p, const double *before, int64_t entries)
{
    double *expected = (double *)spw_trial_memory(t, entries, sizeof *expected);
    double *tolerance = (double *)spw_trial_memory(t, entries, sizeof *tolerance);
    double *column = (double *)spw_trial_memory(t, p->k, sizeof *column);
    if (!expected || !tolerance || !column) return SPW_ERR_MEMORY;
    const bool large = p->edge == p->n && p->n > 200;
    if (before) memcpy(expected, before, (size_t)entries * sizeof *before);
    if (large) spw_dgemm_omp(p->m, p->n, p->k, p->A, p->lda, p->B, p->ldb, expected, p->ldc);
    for (int64_t i = 0; i < entries; i++)
        tolerance[i] = large ? 4 * ((double)p->k + 1) * DBL_EPSILON * 2.25 * (double)p->k : 0;
    for (int64_t j = 0; j < p->n && !large; j++) {
        for (int64_t q = 0; q < p->k; q++) column[q] = p->B[q * p->ldb + j];
        for (int64_t i = 0; i < p->m; i++)
            expected[i * p->ldc + j] =
                spw_dot_expected(p->k, p->A + i * p->lda, column, &tolerance[i * p->ldc + j]);
    }
    spw_trial_expect(
        t, p->C,
        (spw_expectation){
            .expected = expected, .tolerance = tolerance, .count = entries, .describe = describe});
    return !large && entries > 0 && p->k > 0 && p->m * p->n * p->k < 300000
               ? state_product_mistakes(t, p, expected)
               : SPW_OK;
}

static int64_t span(int64_t rows, int64_t cols, int64_t ld)
{
    return rows > 0 && cols > 0 ? (rows - 1) * ld + cols : 0;
}

static spw_status set_up_gemm(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    find_product(name, p);
    const int64_t entries = span(p->m, p->n, p->ldc);
    double *before = NULL;
    p->A = spw_trial_random(t, "A", span(p->m, p->k, p->lda));
    p->B = spw_trial_random(t, "B", span(p->k, p->n, p->ldb));
    if (p->ldc > p->n) { /* as part of a larger matrix, which has to stay as it is */
        before = (double *)spw_trial_memory(t, entries, sizeof *before);
        if (!before) return SPW_ERR_MEMORY;
        for (int64_t i = 0; i < entries; i++) before[i] = spw_poison_double(i);
        p->C = (double *)spw_trial_inout(t, "C", SPW_DOUBLE, entries, before);
    } else {
        p->C = (double *)spw_trial_output(t, "C", SPW_DOUBLE, entries);
    }
    if (!p->A || !p->B || !p->C) return SPW_ERR_MEMORY;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    spw_trial_say(t, "%.0f x %.0f, k = %.0f%s", m, n, k, p->ldc > p->n ? ", with gaps" : "");
    spw_trial_unit(t, "m n k", m * n * k);
    spw_trial_unit(t, "m k", m * k);
    spw_trial_unit(t, "k n", k * n);
    spw_trial_unit(t, "m n", m * n);
    return spw_trial_checks(t) ? expect_product(t, p, before, entries) : SPW_OK;
}

static void call_gemm(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((dgemm_fn)f)(p->m, p->n, p->k, p->A, p->lda, p->B, p->ldb, p->C, p->ldc);
}

static spw_cost predict_gemm(spw_trial *t, spw_function model)
{
    return ((dgemm_cost_fn)model)(of(t)->m, of(t)->n, of(t)->k, of(t)->edge);
}

static spw_cost cost_of_gemm(const spw_trial *t)
{
    const problem *p = of(t);
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k, e = (double)p->edge;
    return (spw_cost){.load = 8 * (m * k * ceil(n / e) + k * n * ceil(m / e)),
                      .store = 8 * m * n,
                      .flop = 2 * m * n * k};
}

static void explain_gemm_model(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *p = of(t);
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k, e = (double)p->edge;
    const double A = 8 * m * k * ceil(n / e), B = 8 * k * n * ceil(m / e), truth = A + B;
    const spw_known_cost known[] = {
        {8 * m * k + 8 * k * n - truth, 0, 0,
         "each matrix is loaded once: that takes a cache that holds them. Here each block of C\n"
         "loads its rows of A and its columns of B again"},
        {16 * m * n * k - truth, 0, 0,
         "this is the naive loop, edge = 1: in a block each entry is used edge times"},
        {16 * m * n * k / e - truth, 0, 0,
         "right where edge divides m and n. The last blocks load all of their rows and columns,\n"
         "too: count the blocks, rounded up"},
        {8 * m * k * floor(n / e) + 8 * k * n * floor(m / e) - truth, 0, 0,
         "the smaller blocks at the edges are missing: round the number of blocks up"},
        {8 * m * k * ceil(m / e) + 8 * k * n * ceil(n / e) - truth, 0, 0,
         "A is loaded once for each column of blocks, n / edge; B for each row of them, m / edge"},
        {-B, 0, 0, "B is loaded, too"},
        {-A, 0, 0, "A is loaded, too"},
        {8 * m * n, 0, 0, "C is overwritten, not read"},
        {0, -8 * m * n, 0, "C has to be stored: m n entries of 8 bytes"},
        {0, 8 * m * n * (k - 1), 0, "an entry of C is stored once; its sum stays in a register"},
        {0, 0, -m * n * k, "a fused multiply-add is one instruction but two operations"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_gemm(t), 0.5, text,
                        size);
}

/* What one writes first: three loops, the rows on all cores. */
static void naive_gemm(spw_trial *t)
{
    const problem *p = of(t);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->m; i++)
        spw_dgemm_ref(1, p->n, p->k, p->A + i * p->lda, p->lda, p->B, p->ldb, p->C + i * p->ldc,
                      p->ldc);
}

static void best_gemm(spw_trial *t)
{
    const problem *p = of(t);
    spw_dgemm_omp_blocked(p->m, p->n, p->k, p->A, p->lda, p->B, p->ldb, p->C, p->ldc);
}

static void blas_gemm(spw_trial *t)
{
    const problem *p = of(t);
    spw_blas_dgemm(p->m, p->n, p->k, p->A, p->lda, p->B, p->ldb, p->C, p->ldc);
}

/* --- the declaration ------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    const spw_part parts[] = {
        {.function = "dgemv",
         .model = "dgemv_cost",
         .cases = vector_cases,
         .setup = set_up_gemv,
         .call = call_gemv,
         .predict = predict_gemv,
         .cost = cost_of_gemv,
         .explain_model = explain_gemv_model,
         .speed = "memory",
         .traffic = "traffic",
         .target = 0.70,
         .baseline = {"plain serial loop", plain_gemv},
         .stretch = {"library", best_gemv}},
        {.function = "edge_at_knee", .cases = knee_cases, .setup = set_up_knee, .call = call_knee},
        {.function = "dgemm",
         .model = "dgemm_cost",
         .cases = product_cases,
         .setup = set_up_gemm,
         .call = call_gemm,
         .predict = predict_gemm,
         .cost = cost_of_gemm,
         .explain_model = explain_gemm_model,
         .speed = "cache",
         .traffic = "traffic",
         .target = 0.40,
         .baseline = {"three plain loops", naive_gemm},
         .stretch = {"library", best_gemm},
         .peer = {spw_blas_name(), blas_gemm}},
    };
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = sizeof parts / sizeof parts[0]},
                     argc, argv);
}

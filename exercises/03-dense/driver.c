/* Exercise 3: shapes, true costs and explanations for dgemv and dgemm. */
#include "dense.h"

#include "base/threads.h"
#include "kernels/blas.h"
#include "kernels/costs.h"
#include "kernels/dense.h"
#include "kit/kit.h"
#include "perf/working_set.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* C = A B with A m x k; of dgemv, B is x and C is y, one column. */
typedef struct product {
    const char *name; /* of a case; NULL ends a table */
    int64_t m, n, k;
    int64_t gap,
        edge; /* above 0: each is part of a larger matrix; for the model: blocks of edge x edge */
    int64_t lda, ldb, ldc;
    const double *A, *B;
    double *C;
} product;

enum { MATRIX_COLUMNS = 4099, LARGE = 100000000 };
/* clang-format off */
#define CASE(name, m, n, k, gap, edge) {name, m, n, k, gap, edge, 0, 0, 0, NULL, NULL, NULL}
static const product vectors[] = {
    CASE("small", 2, 1, 3, 0, 0), CASE("one-by-one", 1, 1, 1, 0, 0), CASE("no-rows", 0, 1, 5, 0, 0), CASE("no-columns", 4, 1, 0, 0, 0),
    CASE("one-row", 1, 1, 1009, 0, 0), CASE("one-column", 1009, 1, 1, 1, 0), CASE("block", 13, 1, 37, 6, 0), CASE("prime", 101, 1, 211, 0, 0), {0}};

/* Sizes around all edges that a blocking of 2 to 64 can have; k beyond 256, 512 and 2048. The long row has more tiles
 * than a table for each thread may have entries. */
static const product products[] = {
    CASE("square", 6, 6, 6, 0, 3), CASE("small", 2, 3, 4, 0, 1), CASE("one-by-one", 1, 1, 1, 0, 1), CASE("no-rows", 0, 5, 3, 0, 1),
    CASE("no-terms", 4, 3, 0, 0, 2), CASE("full", 64, 64, 64, 0, 16), CASE("edges", 67, 59, 61, 0, 8), CASE("one-row", 1, 131, 70, 0, 3),
    CASE("one-column", 131, 1, 70, 0, 5), CASE("block", 33, 29, 47, 5, 7), CASE("deep", 19, 23, 2503, 2, 4), CASE("wide", 37, 519, 11, 0, 100),
    CASE("tall", 517, 39, 13, 0, 64), CASE("long-row", 1, 1063, 3, 0, 3), {0}};
/* clang-format on */

/* Entries that rows of such a distance span. */
static int64_t span(int64_t rows, int64_t columns, int64_t ld) {
    return rows > 0 && columns > 0 ? (rows - 1) * ld + columns : 0;
}

/* Fills in what is small; false: the case is a large one. */
static bool find(const product *s, const char *name, product *p) {
    while (s->name && strcmp(s->name, name) != 0) s++;
    *p = *s;
    p->lda = s->k + s->gap, p->ldb = s->n + 2 * s->gap, p->ldc = s->n + 3 * s->gap;
    return s->name;
}

static void state_sizes(spw_trial *t, const product *p) {
    spw_kit_quantity(t, ".m", (double)p->m);
    spw_kit_quantity(t, ".k", (double)p->k);
    spw_kit_quantity(t, ".size_A", (double)span(p->m, p->k, p->lda));
    spw_kit_quantity(t, ".size_B", (double)span(p->k, p->n, p->ldb));
    spw_kit_quantity(t, ".size_C", (double)span(p->m, p->n, p->ldc));
    spw_kit_quantity(t, ".gaps", (double)(p->ldc - p->n));
}

/* Within the rounding errors of random numbers of 0.5 to 1.5. What lies between the rows must stay. */
static void expect(spw_trial *t, const void *at) {
    const product *p = (const product *)at;
    const int64_t entries = span(p->m, p->n, p->ldc);
    double *right = spw_kit_doubles(t, entries), *tolerance = spw_kit_doubles(t, entries);
    if (p->ldc > p->n && entries)
        memcpy(right, spw_kit_start(t, p->C), (size_t)entries * sizeof *right);
    (p->m * p->n * p->k > LARGE ? spw_dgemm_omp : spw_dgemm_ref)(p->m, p->n, p->k, p->A, p->lda,
                                                                 p->B, p->ldb, right, p->ldc);
    for (int64_t i = 0; i < entries; i++)
        tolerance[i] = 4 * ((double)p->k + 1) * DBL_EPSILON * 2.25 * (double)p->k;
    spw_kit_expect(t, p->C, right, tolerance);
}

/* --- dgemv ----------------------------------------------------------------------------------------- */

static const spw_argument of_gemv[] = {SPW_RANDOM(product, A, "size_A"),
                                       SPW_INPUT_AS("x", product, B, "k"),
                                       SPW_OUTPUT_AS("y", product, C, "m", .noun = "row"),
                                       {0}};

static void prepare_gemv(spw_trial *t, const char *name, void *at) {
    product *p = (product *)at;
    if (!find(vectors, name, p)) {
        const int64_t bytes = strcmp(name, "traffic") == 0 ? 8000000 : spw_default_working_set();
        *p = (product){
            .m = bytes / 8 / MATRIX_COLUMNS, .n = 1, .k = MATRIX_COLUMNS, .lda = MATRIX_COLUMNS};
    }
    p->ldb = p->ldc = 1;
    state_sizes(t, p);
    spw_kit_quantity(t, ".n", (double)p->k);
    spw_kit_quantity(t, ".lda", (double)p->lda);
}

SPW_CALL(call_gemv, dgemv, const product *p, p->m, p->k, p->A, p->lda, p->B, p->C)
SPW_PREDICT(predict_gemv, dgemv_cost, const product *p, p->m, p->k)

static const spw_slip gemv_slips[] = {
    {"load 8 m n - 8 n",
     "x is counted for each entry of A: it has n entries, and they stay in a cache"},
    {"load -8 n", "x has to be loaded, too: n entries of 8 bytes, once"},
    {"load 8 m", "y is written, not read"},
    {"store -8 m", "y has to be stored: m entries of 8 bytes"},
    {"store 8 m n - 8 m", "y[i] is stored once a row; the sum stays in a register"},
    {"flop -m n", "a fused multiply-add is one instruction but two operations"},
    {0}};

/* clang-format off */
static const spw_kit gemv = SPW_KIT_OF(of_gemv, product, call_gemv, expect, .prepare = prepare_gemv, .facts = "{m} x {n}, lda {lda}", .units = "m n; m; n", .predict = predict_gemv, .cost = SPW_COST_DGEMV, .slips = gemv_slips);
/* clang-format on */

SPW_RIVAL(plain_gemv, const product *p, spw_dgemv_ref(p->m, p->k, p->A, p->B, p->C))
SPW_RIVAL(best_gemv, const product *p, spw_dgemv_omp_rows4(p->m, p->k, p->A, p->B, p->C))

/* --- edge_at_knee ---------------------------------------------------------------------------------- */

typedef struct knee {
    double P, bw, *edge;
} knee;

static const spw_argument of_knee[] = {SPW_NUMBER(knee, edge, "edge"), {0}};

static void prepare_knee(spw_trial *t, const char *name, void *at) {
    const double drawn = 1e9 * (50 + (double)(spw_trial_seed(t) % 1000));
    knee *k = (knee *)at;
    *k = strcmp(name, "lecture") == 0 ? (knee){.P = 192e9, .bw = 40e9}
         : strcmp(name, "round") == 0 ? (knee){.P = 1e12, .bw = 100e9}
                                      : (knee){.P = drawn, .bw = 37e9};
    spw_trial_say(t, "P = %.4g Gflop/s, bw = %.4g GB/s", k->P * 1e-9, k->bw * 1e-9);
}

static void expect_knee(spw_trial *t, const void *at) {
    const knee *k = (const knee *)at;
    const double right = 8 * k->P / k->bw;
    spw_kit_expect_number(t, k->edge, right, 4 * DBL_EPSILON * right);
}

SPW_RESULT(call_knee, edge_at_knee, const knee *k, *k->edge, k->P, k->bw)
static const spw_kit at_knee =
    SPW_KIT_OF(of_knee, knee, call_knee, expect_knee, .prepare = prepare_knee);

/* --- dgemm ----------------------------------------------------------------------------------------- */

static void describe(const spw_trial *t, int64_t i, char *text, int size) {
    const product *p = (const product *)spw_kit_arguments(t);
    const long long row = i / p->ldc, column = i % p->ldc;
    if (column < p->n)
        snprintf(text, (size_t)size, "row %lld, column %lld of %lld x %lld", row, column,
                 (long long)p->m, (long long)p->n);
    else
        snprintf(text, (size_t)size, "behind row %lld: it belongs to somebody else", row);
}

static const spw_argument of_gemm[] = {
    SPW_RANDOM(product, A, "size_A"),
    SPW_RANDOM(product, B, "size_B"),
    SPW_OUTPUT(product, C, "size_C", .gaps = "gaps", .describe = describe),
    {0}};

/* Odd multiples of 8: rows of B that lie a power of two apart would share one set of the cache. */
static int64_t timed_edge(void) {
    return 8 * (2 * (int64_t)(40 * cbrt(0.5 * spw_max_threads())) + 1);
}

static void prepare_gemm(spw_trial *t, const char *name, void *at) {
    product *p = (product *)at;
    if (!find(products, name, p)) {
        const int64_t n = strcmp(name, "traffic") == 0 ? 264 : timed_edge();
        *p = (product){.m = n, .n = n, .k = n, .edge = n, .lda = n, .ldb = n, .ldc = n};
    }
    state_sizes(t, p);
    spw_kit_quantity(t, ".n", (double)p->n);
    spw_kit_quantity(t, ".edge", (double)p->edge);
    spw_kit_quantity(t, ".rows", ceil((double)p->m / (double)p->edge)); /* of blocks */
    spw_kit_quantity(t, ".columns", ceil((double)p->n / (double)p->edge));
    spw_kit_quantity(t, ".whole_rows", (double)(p->m / p->edge));
    spw_kit_quantity(t, ".whole_columns", (double)(p->n / p->edge));
    spw_trial_say(t, "%lld x %lld, k = %lld%s", (long long)p->m, (long long)p->n, (long long)p->k,
                  p->ldc > p->n ? ", with gaps" : "");
}

SPW_CALL(call_gemm, dgemm, const product *p, p->m, p->n, p->k, p->A, p->lda, p->B, p->ldb, p->C,
         p->ldc)
SPW_PREDICT(predict_gemm, dgemm_cost, const product *p, p->m, p->n, p->k, p->edge)

static const spw_slip gemm_slips[] = {
    {"= load 8 m k + 8 k n",
     "each matrix is loaded once: that takes a cache that holds them. Here each block of C\n"
     "loads its rows of A and its columns of B again"},
    {"= load 16 m n k",
     "this is the naive loop, edge = 1: in a block each entry is used edge times"},
    {"= load 16 m n k / edge",
     "right where edge divides m and n. The last blocks load all of their rows and columns,\n"
     "too: count the blocks, rounded up"},
    {"= load 8 m k whole_columns + 8 k n whole_rows",
     "the smaller blocks at the edges are missing: round the number of blocks up"},
    {"= load 8 m k rows + 8 k n columns",
     "A is loaded once for each column of blocks, n / edge; B for each row of them, m / edge"},
    {"load -8 k n rows", "B is loaded, too"},
    {"load -8 m k columns", "A is loaded, too"},
    {"load 8 m n", "C is overwritten, not read"},
    {"store -8 m n", "C has to be stored: m n entries of 8 bytes"},
    {"store 8 m n (k - 1)", "an entry of C is stored once; its sum stays in a register"},
    {"flop -m n k", "a fused multiply-add is one instruction but two operations"},
    {0}};

/* clang-format off */
static const spw_kit gemm = SPW_KIT_OF(of_gemm, product, call_gemm, expect, .prepare = prepare_gemm, .units = "m n k; m k; k n; m n", .predict = predict_gemm, .slips = gemm_slips, .cost = "load 8 m k columns + 8 k n rows; store 8 m n; flop 2 m n k");
/* clang-format on */

/* What one writes first: three loops, the rows on all cores. */
static void naive_gemm(spw_trial *t) {
    const product *p = (const product *)spw_kit_called(t);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->m; i++)
        spw_dgemm_ref(1, p->n, p->k, p->A + i * p->lda, p->lda, p->B, p->ldb, p->C + i * p->ldc,
                      p->ldc);
}

/* --- the declaration ------------------------------------------------------------------------------- */

static const char *vector_cases[sizeof vectors / sizeof vectors[0]];
static const char *product_cases[sizeof products / sizeof products[0]];
static const char *const knee_cases[] = {"lecture", "round", "drawn", NULL};

int main(int argc, char **argv) {
    for (int k = 0; vectors[k].name; k++) vector_cases[k] = vectors[k].name;
    for (int k = 0; products[k].name; k++) product_cases[k] = products[k].name;
    /* clang-format off */
    const spw_part parts[] = {SPW_PART("dgemv", vector_cases, gemv, .model = "dgemv_cost", .speed = "memory", .traffic = "traffic", .target = 0.70, .sum_of = 2, .baseline = {.label = "plain serial loop", .call = plain_gemv}, .stretch = {.label = "library", .call = best_gemv}),
SPW_PART("edge_at_knee", knee_cases, at_knee, ),
SPW_PART("dgemm", product_cases, gemm, .model = "dgemm_cost", .speed = "cache", .traffic = "traffic", .target = 0.40, .baseline = {.label = "three plain loops", .call = naive_gemm,
                      .why = "They load B anew for each multiply-add, down its columns. The next step is\n"
                             "          in README.md, \"From three loops to 40 %\"."}, .stretch = {"library", .function = (spw_function)spw_dgemm_omp_blocked}, .peer = {spw_blas_name(), .function = (spw_function)spw_blas_dgemm}),};
    /* clang-format on */
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = sizeof parts / sizeof parts[0]},
                     argc, argv);
}

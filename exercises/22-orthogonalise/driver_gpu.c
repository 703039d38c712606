/* Exercise 22, GPU part: products of tall blocks and Cholesky-QR that never leaves the device; bounds on the traffic. */
#include "orthogonalise_gpu.h"

#include "kit/device_systems.h"
#define WRITE_ALLOCATE SPW_NO_WRITE_ALLOCATE
#include "problem.h"

#include "kernels/cuda_block.h"

#include <stdio.h>

enum { LARGE = 1000000 };

/* --- gram and combine ------------------------------------------------------------------------------------- */

static void prepare_gram(spw_trial *t, const char *name, void *at) {
    operands *o = (operands *)at;
    take_sizes(t, name, o);
    keep_ld(t, o, o->p);
    o->blocks = (int)spw_kit_value(t, "blocks");
    spw_kit_quantity(t, ".library", o->n > LARGE ? (double)SPW_CUDA_PARTS * o->p * o->p : 0);
    spw_trial_say(t, "n = %lld, %d vectors, %d blocks%s", (long long)o->n, o->p, o->blocks,
                  o->same ? ", Y is X" : "");
}

SPW_CALL(call_gram, gram, const operands *o, o->n, o->p, o->blocks, o->X, Y_of(o), o->parts, o->out)

static spw_cost predict_gram(const void *at, spw_function model) {
    return predict_combine(at, model); /* of the same n and nv */
}

SPW_LIBRARY(library_gram, const operands *o,
            spw_gram_cuda(o->n, o->p, o->X, o->p, o->p, Y_of(o), o->p, o->out, o->library))

static void library_combine(spw_trial *t) {
    const operands *o = (const operands *)spw_kit_called(t);
    const spw_block X = {(double *)o->X, o->p, o->p}, Y = {o->out, o->p, o->p};
    spw_trial_library(t, spw_combine_cuda(o->n, 1, &X, o->C, 1, &Y));
}

static const spw_argument of_gram[] = {GRAM_BLOCKS,
                                       SPW_ROOM(operands, parts, "blocks nv nv", ),
                                       SPW_OUTPUT_AS("C", operands, out, "nv nv", ),
                                       SPW_ROOM(operands, library, "library", ),
                                       {0}};
static const spw_kit gram_kit = {GRAM("@blocks=1056/same=0", "n; nv")};

/* --- cholesky_inverse: "NV" ------------------------------------------------------------------------------- */

typedef struct factors {
    int64_t n;
    int nv, blocks, times;
    bool dependent; /* the last row of G, or vector 1 of X */
    const double *X;
    double *Q, *parts, *G, *T;
    spw_idx *rank;
} factors;

SPW_ARGUMENTS_OF(factors_of, factors)

static void take_factors(spw_trial *t, const char *name, factors *o) {
    char *at;
    o->n = strtoll(name, &at, 10);
    o->nv = *at == ',' ? (int)strtol(at + 1, NULL, 10) : (int)o->n;
    o->dependent = spw_kit_value(t, "dependent") != 0;
    spw_kit_quantity(t, ".n", (double)o->n);
    spw_kit_quantity(t, ".nv", o->nv);
}

static void prepare_cholesky(spw_trial *t, const char *name, void *at) {
    factors *o = (factors *)at;
    take_factors(t, name, o);
    spw_trial_say(t, "%d x %d%s", o->nv, o->nv, o->dependent ? ", singular" : "");
}

/* Diagonally dominant; or with whole numbers and the last row such that nothing is left of its diagonal. */
static void fill_gram(spw_trial *t, const void *at, void *array, int64_t size) {
    const factors *o = (const factors *)at;
    const int nv = o->nv;
    double random[MOST_VECTORS * MOST_VECTORS], *G = (double *)array;
    spw_case_vector(spw_trial_seed(t) + 4, size, random);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            const int least = i < j ? i : j, most = i < j ? j : i;
            G[i * nv + j] = (i == j ? 3 * nv : 0) + random[least * nv + most];
            if (o->dependent) /* R: ones, and 0 at the end of its diagonal */
                G[i * nv + j] = least + 1 - (least == nv - 1);
        }
}

static void describe_rank(const spw_trial *t, int64_t i, char *text, int size) {
    (void)i;
    if (factors_of(t)->dependent)
        snprintf(text, (size_t)size,
                 "nothing is left of the diagonal in row %d: there is no R, and T is 0",
                 factors_of(t)->nv - 1);
}

/* The columns of T are the unit vectors, made orthonormal by the product xᵀGy: not the way of the exercise. */
static void inverse_root(int nv, const double *G, double *T) {
    for (int j = 0; j < nv; j++) {
        T[j * nv + j] = 1;
        for (int k = 0; k <= j; k++) {
            long double product = 0;
            for (int a = 0; a <= k; a++)
                for (int b = 0; b <= j; b++)
                    product += (long double)T[a * nv + k] * G[a * nv + b] * T[b * nv + j];
            for (int a = 0; a <= j; a++)
                T[a * nv + j] = (double)(k == j ? T[a * nv + j] / sqrtl(product)
                                                : T[a * nv + j] - product * T[a * nv + k]);
        }
    }
}

static void expect_cholesky(spw_trial *t, const void *at) {
    const factors *o = (const factors *)at;
    double *T = spw_kit_doubles(t, o->nv * o->nv);
    if (!o->dependent) inverse_root(o->nv, o->G, T);
    spw_kit_expect_within(t, o->T, T, o->dependent ? 0 : 1e-12, 0);
    spw_kit_expect_index(t, o->rank, o->nv - o->dependent);
}

SPW_CALL(call_cholesky, cholesky_inverse, const factors *o, o->nv, o->G, o->T, o->rank)

static const spw_argument of_cholesky[] = {
    SPW_FILLED(factors, G, "nv nv", .fill = fill_gram),
    SPW_OUTPUT(factors, T, "nv nv", .describe = describe_rank),
    SPW_OUTPUT(factors, rank, "1", .noun = ""),
    {0}};
static const spw_kit cholesky_kit =
    SPW_KIT_OF(of_cholesky, factors, call_cholesky, expect_cholesky, .parameters = "@dependent=0",
               .prepare = prepare_cholesky);

/* --- cholqr: "N,NV" --------------------------------------------------------------------------------------- */

static void prepare_cholqr(spw_trial *t, const char *name, void *at) {
    factors *o = (factors *)at;
    take_factors(t, name, o);
    o->blocks = (int)spw_kit_value(t, "blocks");
    o->times = (int)spw_kit_value(t, "times");
    spw_trial_say(t, "n = %lld, %d vectors, %d blocks, %s%s", (long long)o->n, o->nv, o->blocks,
                  o->times == 1 ? "once" : "twice", o->dependent ? ", dependent" : "");
}

static void fill_block(spw_trial *t, const void *at, void *array, int64_t size) {
    const factors *o = (const factors *)at;
    double *X = (double *)array;
    spw_case_vector(spw_trial_seed(t) + 6, size, X);
    for (int64_t i = 0; i < o->n && o->dependent; i++) { /* 64 rows: r.r is 64, its root 8 */
        X[i * o->nv] = i % 2 ? 1 : -1;
        X[i * o->nv + 1] = 2 * X[i * o->nv];
    }
}

static void describe_q(const spw_trial *t, int64_t i, char *text, int size) {
    (void)i;
    if (factors_of(t)->dependent)
        snprintf(text, (size_t)size, "vector 1 is twice vector 0: T is 0, and so is Q");
}

/* Any way gives the same Q, since R has a positive diagonal. */
static void expect_cholqr(spw_trial *t, const void *at) {
    const factors *o = (const factors *)at;
    const int64_t size = o->n * o->nv;
    double *Q = o->dependent ? spw_kit_doubles(t, size) : spw_kit_copy(t, o->X, size);
    if (!o->dependent) orthonormal(o->n, o->nv, Q);
    spw_kit_expect_within(t, o->Q, Q, o->dependent ? 0 : 1e-9, 0);
}

SPW_CALL(call_cholqr, cholqr, const factors *o, o->n, o->nv, o->blocks, o->times, o->X, o->Q,
         o->parts, o->G, o->T, o->rank)

/* Q is right to 9 digits; twice makes it orthonormal to all, and leaves the G of that. */
static void claim_cholqr(spw_trial *t) {
    const factors *o = factors_of(t);
    double off = 0;
    for (int k = 0; k < o->nv * o->nv; k++)
        off = fmax(off, fabs(o->G[k] - (k / o->nv == k % o->nv)));
    if (o->dependent) return;
    if (*o->rank != o->nv)
        spw_trial_fail(t, "Q is right, but rank is %d, expected %d", (int)*o->rank, o->nv);
    else if (o->times == 2 && off > 1e-10)
        spw_trial_fail(t,
                       "times is 2, and the last G differs from I by %.2g. It is that of X: the\n"
                       "second time the block is Q, which is nearly orthonormal",
                       off);
    else if (o->times == 1 && off < 1e-10)
        spw_trial_fail(t,
                       "times is 1, and the last G is I, that of an orthonormal block: the three\n"
                       "functions were called once more than `times`, or always twice");
}

static const spw_argument of_cholqr[] = {SPW_FILLED(factors, X, "n nv", .fill = fill_block),
                                         SPW_OUTPUT(factors, Q, "n nv", .describe = describe_q),
                                         SPW_ROOM(factors, parts, "blocks nv nv", ),
                                         SPW_ROOM(factors, G, "nv nv", ),
                                         SPW_ROOM(factors, T, "nv nv", ),
                                         SPW_ROOM(factors, rank, "1"),
                                         {0}};
static const spw_kit cholqr_kit = SPW_KIT_OF(
    of_cholqr, factors, call_cholqr, expect_cholqr,
    .parameters = "@blocks=1056,times=1/dependent=0", .prepare = prepare_cholqr, .units = "n; nv",
    .cost = "load 16 times n nv; store 8 times n nv; flop 4 times n nv nv");

/* --- the declaration -------------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const products[] = {
    "1,1@1", "0,3@2", "33,1@1", "100,5@3", "257,16@3", "129,7@40", "96,4@1/1", NULL};
static const char *const combinations[] = {
    "1,1", "0,3", "300,1", "100,5", "257,16", "37,7@1", "100,16@1", NULL};
static const char *const squares[] = {"1", "2", "5", "16", "2@1", "7@1", NULL};
static const char *const blocks_of_vectors[] = {
    "5,1@1", "40,3@1", "100,16@2", "200,7@3,2", "64,4@2/1", NULL};
/* clang-format on */

static const char neighbours[] =
    "neighbouring threads must read neighbouring elements of the tile, whatever their\nvector: the "
    "rows of a tile lie side by side";
static const char tile_first[] =
    "each row is read by every warp: bring the tile to shared memory first, once";

static const spw_sector_bound gram_bounds[] = {
    SPW_AT_MOST("X", LOADS, 1.1, tile_first),
    SPW_AT_MOST("Y", LOADS, 1.1, tile_first),
    SPW_A_REQUEST("X", LOADS, 8.5, neighbours),
    SPW_AT_MOST("parts", LOADS, 1.1, "each part is read once"),
    {0}};
static const spw_sector_bound combine_bounds[] = {
    SPW_AT_MOST("X", LOADS, 1.1,
                "each row is read nv times: bring the block's rows to shared memory first, once"),
    SPW_A_REQUEST("X", LOADS, 8.5, neighbours),
    SPW_A_REQUEST("Y", STORES, 8.5, neighbours),
    SPW_AT_MOST("Y", STORES, 1.1, "store an element once, when its sum is complete"),
    SPW_A_BLOCK("C", LOADS, 16,
                "a block needs all of C, and needs it once: 256 numbers, for 8 warps one request\n"
                "each, into shared memory"),
    {0}};
static const spw_sector_bound cholqr_bounds[] = {
    SPW_AT_MOST("X", LOADS, 3.3, "gram reads it as X and as Y, combine once more"),
    SPW_AT_MOST("Q", STORES, 1.1, "Q is written once"),
    {0}};

/* Timed on a GPU: 0.6 GB. */
#define PRODUCT(name, cases_, traffic_)                                                            \
    SPW_DEVICE_PART(#name, cases_, name##_kit, name##_bounds, .model = #name "_cost",              \
                    .traffic = traffic_, .speed = "2500000,16", .target = 0.4,                     \
                    .stretch = {.label = "library's best", .call = library_##name})
static const spw_part parts[] = {
    PRODUCT(gram, products, "2000,16@8"),
    PRODUCT(combine, combinations, "2000,16"),
    SPW_DEVICE_PART("cholesky_inverse", squares, cholesky_kit, NULL, ),
    SPW_DEVICE_PART("cholqr", blocks_of_vectors, cholqr_kit, cholqr_bounds, .claim = claim_cholqr,
                    .traffic = "1000,16@8"),
};

SPW_DRIVER(parts, .gpu = true)

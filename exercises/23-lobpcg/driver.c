/* Exercise 23: the parts of LOBPCG, and the whole. */
#include "lobpcg.h"

#include "base/random.h"
#include "kernels/costs.h"
#include "kit/systems.h"
#include "problem.h"

/* --- residuals ---------------------------------------------------------------------------------------------- */

static const spw_argument of_residuals[] = {TALL,
                                            SPW_RANDOM(tall, AX, "n nv"),
                                            SPW_RANDOM(tall, X, "n nv"),
                                            SPW_RANDOM(tall, lambda, "nv"),
                                            SPW_OUTPUT(tall, R, "n nv", .describe = describe_tall),
                                            SPW_OUTPUT(tall, norm, "nv", ),
                                            {0}};

SPW_CALL(call_residuals, residuals, const tall *d, d->n, d->nv, d->AX, d->X, d->lambda, d->R,
         d->norm)
SPW_RIVAL(library_residuals, const tall *d,
          spw_residual_omp(d->n, d->nv, d->lambda, d->AX, d->nv, d->X, d->nv, d->R, d->nv, d->norm))

static const spw_slip residual_slips[] = {
    {"= load 24 n nv", "R is read again for its lengths: one pass makes both"},
    {"= load 8 n nv", "two blocks are read, A X and X"},
    {"= flop 2 n nv", "the lengths count, too: a multiplication and an addition an element"},
    {0}};

/* And what the sum of each thread's root would be: right with one. */
static void expect_norms(spw_trial *t, const void *at) {
    const tall *d = (const tall *)at;
    const int threads = spw_trial_threads(t), nv = d->nv;
    expect_residuals(t, at);
    if (threads == 1 || d->n > 1000) return;
    double *R = spw_kit_doubles(t, d->n * nv), *sums = spw_kit_doubles(t, nv);
    residual_block(d->n, nv, d->AX, d->X, d->lambda, NULL, R, sums);
    memset(sums, 0, sizeof *sums * (size_t)nv);
    for (int64_t s = 0, from = 0, rows; s < threads; s++, from += rows) {
        rows = d->n / threads + (s < d->n % threads);
        for (int j = 0; j < nv; j++) {
            const double *r = R + from * nv + j;
            sums[j] += sqrt(dot(rows, nv, r, r));
        }
    }
    spw_trial_mistake(t, d->norm, sums,
                      "this is a sum of roots, of each thread's sum or of each square: add all\n"
                      "squares up, then take one root");
}

static const spw_kit residual_kit =
    SPW_KIT_OF(of_residuals, tall, call_residuals, expect_norms, .parameters = behind_tall,
               .prepare = prepare_tall, .facts = "n = {n}, {nv} vectors", .units = "n nv",
               .predict = predict_tall, .cost = SPW_COST_RESIDUAL, .slips = residual_slips);

/* --- iteration_flops: a case is ENTRIES-A-ROW@NV ------------------------------------------------------------ */

typedef struct tally {
    int64_t n, nz;
    int nv;
    double *flops;
} tally;

static const char *const count_cases[] = {"7@16", "81@5", "7@1", NULL};
static const spw_argument of_count[] = {SPW_NUMBER(tally, flops, "flops"), {0}};

static void prepare_count(spw_trial *t, const char *name, void *at) {
    tally *d = (tally *)at;
    d->n = 1000003 + (int64_t)(spw_trial_seed(t) % 1000);
    d->nz = d->n * strtoll(name, NULL, 10);
    d->nv = (int)spw_kit_value(t, "nv");
    spw_kit_quantity(t, "n", (double)d->n);
    spw_kit_quantity(t, "nz", (double)d->nz);
    spw_trial_say(t, "n = %lld, nz = %lld, nv = %d", (long long)d->n, (long long)d->nz, d->nv);
}

/* The first is right. */
static const struct {
    const char *flops, *text;
} counts[] = {
    {"2 nz nv + 60 n nv nv", NULL},
    {"2 nz nv + 36 n nv nv", "this is the papers' count: here the README's table counts"},
    {"2 nz nv + 48 n nv nv",
     "12 n nv^2 too few. There are two small matrices, of 6 pairs of blocks each; and A X\n"
     "and A P are combined as well as X and P"},
    {"2 nz nv + 78 n nv nv",
     "the small matrices are symmetric: 6 of 9 pairs of blocks are computed"},
    {"2 nz nv + 30 n nv nv", "a multiplication and an addition: 2 flop"},
    {"2 nz nv + 60 n nv", "a Gram matrix of nv and nv vectors has 2 n nv^2 flop"},
    {"6 nz nv + 60 n nv nv", "A is multiplied with W alone: A X and A P are carried along"},
};

static void expect_count(spw_trial *t, const void *at) {
    const double *flops = ((const tally *)at)->flops, right = spw_kit_value(t, counts[0].flops);
    spw_kit_expect_number(t, flops, right, 1e-12 * right);
    for (size_t k = 1; k < sizeof counts / sizeof counts[0]; k++)
        spw_trial_number_mistake(t, flops, spw_kit_value(t, counts[k].flops), counts[k].text);
}

SPW_RESULT(call_count, iteration_flops, const tally *d, *d->flops, d->n, d->nz, d->nv)
static const spw_kit count_kit = SPW_KIT_OF(of_count, tally, call_count, expect_count,
                                            .parameters = "@nv=16", .prepare = prepare_count);

/* --- small_matrices ----------------------------------------------------------------------------------------- */

typedef struct basis {
    int64_t n;
    int nv, m, count[BLOCKS];
    double *V[BLOCKS], *AV[BLOCKS], *GA, *GB;
} basis;

static const struct {
    const char *name;
    int n, nv, count[BLOCKS];
} bases[] = {{"first", 29, 3, {3, 3, 0}},    {"full", 61, 3, {3, 3, 3}},
             {"x-alone", 17, 2, {2, 0, 0}},  {"locked", 101, 5, {5, 2, 4}},
             {"one-each", 40, 1, {1, 1, 1}}, {"wide", 97, 16, {16, 15, 13}}};
static const char *const base_cases[] = {"first",    "full", "x-alone", "locked",
                                         "one-each", "wide", NULL};

static void prepare_small(spw_trial *t, const char *name, void *at) {
    basis *d = (basis *)at;
    size_t c = 0;
    while (strcmp(name, bases[c].name) != 0) c++;
    d->n = bases[c].n;
    d->nv = bases[c].nv;
    memcpy(d->count, bases[c].count, sizeof d->count);
    d->m = d->count[BX] + d->count[BW] + d->count[BP];
    spw_kit_quantity(t, "n", (double)d->n);
    spw_kit_quantity(t, "nv", d->nv);
    spw_kit_quantity(t, "m", d->m);
    spw_trial_say(t, "n = %d, ld %d, vectors in use %d %d %d", bases[c].n, d->nv, d->count[BX],
                  d->count[BW], d->count[BP]);
}

/* A is diagonal, so that S' A S is symmetric. */
static void fill_product(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t;
    const basis *d = (const basis *)at;
    int b = 0;
    while (d->AV[b] != array) b++;
    for (int64_t k = 0; k < n; k++)
        d->AV[b][k] = (0.5 + spw_random_double(7, (uint64_t)(k / d->nv))) * d->V[b][k];
}

#define TIMES_A(name, b) SPW_INPUT_AS(name, basis, AV[b], "n nv", .fill = fill_product)
static const spw_argument of_small[] = {SPW_INPUT_AS("X", basis, V[BX], "n nv"),
                                        SPW_INPUT_AS("W", basis, V[BW], "n nv"),
                                        SPW_INPUT_AS("P", basis, V[BP], "n nv"),
                                        TIMES_A("AX", BX),
                                        TIMES_A("AW", BW),
                                        TIMES_A("AP", BP),
                                        SPW_OUTPUT(basis, GA, "m m", ),
                                        SPW_OUTPUT(basis, GB, "m m", ),
                                        {0}};

static void expect_products(spw_trial *t, const basis *d, double *const *right,
                            const double *array) {
    const double *x[MAX_M], *y[MAX_M];
    const int64_t size = (int64_t)d->m * d->m;
    double *G = spw_kit_doubles(t, size);
    for (int b = 0, k = 0; b < BLOCKS; b++)
        for (int j = 0; j < d->count[b]; j++, k++) {
            x[k] = d->V[b] + j;
            y[k] = right[b] + j;
        }
    for (int64_t k = 0; k < size; k++) G[k] = dot(d->n, d->nv, x[k / d->m], y[k % d->m]);
    spw_kit_expect_within(t, array, G, 1e-13 * (double)d->n, 0);
}

static void expect_small(spw_trial *t, const void *at) {
    const basis *d = (const basis *)at;
    expect_products(t, d, d->AV, d->GA);
    expect_products(t, d, d->V, d->GB);
}

SPW_CALL(call_small, small_matrices, const basis *d, d->n, d->nv, d->V, d->AV, d->count, d->GA,
         d->GB)
static const spw_kit small_kit =
    SPW_KIT_OF(of_small, basis, call_small, expect_small, .prepare = prepare_small);

/* --- next_basis --------------------------------------------------------------------------------------------- */

typedef struct next {
    int m, nv, active[MAX_NV];
    const double *GB, *H;
    double *U, *of_X, *of_P; /* [m * nv] what counts of U; 0 where P has no column */
    double *between;         /* [nv * nv] inner products of P's columns and the new x */
    spw_idx *columns;
} next;

static const char *const next_cases[] = {"identity",     "rounded",  "no-p", "locked",
                                         "nothing-left", "one-pair", NULL};

static void prepare_next(spw_trial *t, const char *name, void *at) {
    next *d = (next *)at;
    d->nv = strcmp(name, "one-pair") == 0 ? 1 : 4;
    d->m = (strcmp(name, "no-p") == 0 ? 2 : 3) * d->nv;
    for (int j = 0; j < d->nv; j++) d->active[j] = strcmp(name, "locked") != 0 || j == 1 || j == 3;
    spw_kit_quantity(t, "m", d->m);
    spw_kit_quantity(t, "nv", d->nv);
    spw_trial_say(t, "m = %d, nv = %d, GB %s", d->m, d->nv,
                  strcmp(name, "identity") == 0 ? "= I" : "not I");
}

/* A symmetric matrix of random numbers, `size` at most. Where nothing shall be left for P x_0 stays what it is, and next
 * to nothing of x_1 is in the new X: so next to nothing is left of P's last column. The numbers are always the same. */
static double symmetric(const spw_trial *t, const next *d, uint64_t which, double size, int at) {
    const int i = at / d->m, j = at % d->m, low = i < j ? i : j, high = i + j - low;
    if (strcmp(spw_kit_case(t), "nothing-left") == 0 && low < 2 && high > low) return 1e-6 * low;
    return 2 * size * (spw_random_double(which, (uint64_t)(high * d->m + low)) - 0.5);
}

static void fill_GB(spw_trial *t, const void *at, void *array, int64_t n) {
    const next *d = (const next *)at;
    const double size = strcmp(spw_kit_case(t), "identity") == 0 ? 0 : 0.05;
    for (int k = 0; k < (int)n; k++)
        ((double *)array)[k] = (k % (d->m + 1) == 0) + symmetric(t, d, 1, size, k);
}

static void fill_H(spw_trial *t, const void *at, void *array, int64_t n) {
    const next *d = (const next *)at;
    const bool left = strcmp(spw_kit_case(t), "nothing-left") == 0;
    double G[MAX_M * MAX_M], w[MAX_M] = {0};
    for (int k = 0; k < (int)n; k++) {
        const int i = k / d->m;
        G[k] = symmetric(t, d, 0, 0.5, k) + (k % d->m != i ? 0 : left && i < 2 ? 29 * i - 9 : i);
    }
    if (small_pairs(d->m, G, d->GB, (double *)array, w)) return;
    spw_kit_must(t, spw_small_eigen(1, w, w)); /* is there no LAPACK, or no memory for it? */
    spw_kit_must(t, spw_error(SPW_ERR_ARG, "the case's matrix is not positive definite"));
}

static void describe_X(const spw_trial *t, int64_t k, char *text, int size) {
    const int nv = ((const next *)spw_kit_arguments(t))->nv, i = (int)k / nv, j = (int)k % nv;
    snprintf(text, (size_t)size, "row %d, column %d of U: the new x_%d", i, j, j);
}

static void describe_P(const spw_trial *t, int64_t k, char *text, int size) {
    const int nv = ((const next *)spw_kit_arguments(t))->nv, i = (int)k / nv, j = (int)k % nv;
    snprintf(text, (size_t)size, "row %d, column nv + %d of U: P's column %d", i, j, j);
}

static void describe_between(const spw_trial *t, int64_t k, char *text, int size) {
    const next *d = spw_kit_arguments(t);
    const int nv = d->nv;
    snprintf(text, (size_t)size, "of P's column %d and the new x_%d%s", (int)k / nv, (int)k % nv,
             fabs(d->between[k]) < 1e-6
                 ? ": rounding,\nwhich grows where little is left. Is y projected twice?"
                 : "");
}

static const spw_argument of_next[] = {
    SPW_FILLED(next, GB, "m m", .fill = fill_GB),
    SPW_FILLED(next, H, "m m", .fill = fill_H),
    SPW_ROOM(next, U, "2 m nv", ),
    SPW_OUTPUT_AS("U for X", next, of_X, "m nv", .noun = "coefficient", .describe = describe_X),
    SPW_OUTPUT_AS("U for P", next, of_P, "m nv", .noun = "coefficient", .describe = describe_P),
    SPW_OUTPUT_AS("columns of P", next, columns, "1", .noun = ""),
    SPW_OUTPUT_AS("inner products", next, between, "nv nv", .noun = "product",
                  .describe = describe_between),
    {0}};

static void expect_next(spw_trial *t, const void *at) {
    const next *d = (const next *)at;
    const int m = d->m, nv = d->nv;
    double *X = spw_kit_doubles(t, m * nv), *P = spw_kit_doubles(t, m * nv);
    double rows[2 * MAX_NV * MAX_M];
    memcpy(rows, d->H, sizeof *rows * (size_t)(nv * m));
    const int columns = directions_kept(m, nv, d->GB, d->active, LEAST_PART, rows);
    for (int k = 0; k < m * nv; k++) {
        const int i = k / nv, j = k % nv;
        X[k] = rows[j * m + i];
        P[k] = j < columns ? rows[(nv + j) * m + i] : 0;
    }
    spw_kit_expect_within(t, d->of_X, X, 1e-11, 0);
    spw_kit_expect_within(t, d->of_P, P, 1e-8, 0);
    spw_kit_expect_within(t, d->between, spw_kit_doubles(t, nv * nv), 1e-13, 0);
    spw_kit_expect_index(t, d->columns, columns);
}

static void call_next(const void *at, spw_function f) {
    const next *d = (const next *)at;
    const int nv = d->nv;
    *d->columns = SPW_AS(next_basis, f)(d->m, nv, d->GB, d->H, d->active, d->U);
    for (int k = 0; k < d->m * nv; k++) {
        const double *row = d->U + k / nv * 2 * nv;
        d->of_X[k] = row[k % nv];
        d->of_P[k] = k % nv < *d->columns ? row[nv + k % nv] : 0;
    }
    for (int k = 0; k < nv * nv; k++) {
        double p[MAX_M];
        for (int i = 0; i < d->m; i++) p[i] = d->of_P[i * nv + k / nv];
        d->between[k] = inner(d->m, d->GB, p, d->H + k % nv * d->m);
    }
}

static const spw_kit next_kit =
    SPW_KIT_OF(of_next, next, call_next, expect_next, .prepare = prepare_next);

/* --- the declaration ---------------------------------------------------------------------------------------- */

static const spw_part parts[] = {
    SPW_PART("residuals", tall_cases, residual_kit, .model = "residuals_cost", .speed = "memory",
             .traffic = "41666@16", .target = 0.6,
             .stretch = {.label = "library, one pass", .call = library_residuals}),
    SPW_PART("iteration_flops", count_cases, count_kit, ),
    SPW_PART("small_matrices", base_cases, small_kit, ),
    SPW_PART("next_basis", next_cases, next_kit, ),
    SPW_PART("lobpcg", loop_cases, loop_kit, .claim = claim_loop),
};

static const char *const allowed[] = {"spw_small_eigen",
                                      "spw_small_eigen_general",
                                      "spw_orthonormalise",
                                      "spw_gram_omp",
                                      "spw_combine_omp",
                                      "given_calls",
                                      NULL};

SPW_DRIVER(parts, .allowed = allowed)

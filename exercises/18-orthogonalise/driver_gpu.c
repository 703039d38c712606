/* Exercise 18, GPU part: cases, true costs, bounds on the traffic and explanations for products of tall blocks
 * and Cholesky-QR that never leaves the device. */
#include "orthogonalise_gpu.h"

#include "kernels/cuda_block.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "judge/explain.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*gram_fn)(int64_t, int, int, const double *, const double *, double *, double *);
typedef void (*combine_fn)(int64_t, int, const double *, const double *, double *);
typedef void (*cholesky_fn)(int, const double *, double *, int *);
typedef void (*cholqr_fn)(int64_t, int, int, int, const double *, double *, double *, double *,
                          double *, int *);
typedef spw_cost (*cost_fn)(int64_t, int);

enum { MOST_BLOCKS = 1056, LARGE = 1000000 };

typedef struct problem {
    int64_t n;
    int nv, blocks, times;
    bool same, dependent; /* Y is X; vector 1 is twice vector 0 */
    const double *X, *Y, *C;
    double *out, *parts, *G, *T;
    double *library; /* room of the library's kernel, where it is timed */
    spw_idx *rank;
    int right_rank;
} problem;

static problem *of(const spw_trial *t)
{
    return (problem *)spw_trial_data(t);
}

/* --- a case: N,NV@BLOCKS,TIMES; = at the end: in place; ! at the end: vectors depend on each other ------- */

static spw_status begin(spw_trial *t, const char *name)
{
    problem *d = (problem *)spw_trial_memory(t, 1, sizeof *d);
    char *at;
    if (!d) return SPW_ERR_MEMORY;
    d->blocks = MOST_BLOCKS;
    d->times = 1;
    d->n = strtoll(name, &at, 10);
    d->nv = *at == ',' ? (int)strtol(at + 1, &at, 10) : 1;
    if (*at == '@') d->blocks = (int)strtol(at + 1, &at, 10);
    if (*at == ',') d->times = (int)strtol(at + 1, &at, 10);
    d->same = *at == '=';
    d->dependent = *at == '!';
    spw_trial_unit(t, "n", (double)d->n);
    spw_trial_unit(t, "nv", d->nv);
    return SPW_OK;
}

/* --- gram ------------------------------------------------------------------------------------------------- */

/* Which rows were added up, where not all were. */
typedef bool (*choice)(const problem *d, int64_t i);

static bool all(const problem *d, int64_t i)
{
    return i < d->n;
}

static bool of_block_0(const problem *d, int64_t i)
{
    return i / TILE % d->blocks == 0;
}

static bool of_first_tiles(const problem *d, int64_t i)
{
    return i / TILE < d->blocks;
}

static bool of_whole_tiles(const problem *d, int64_t i)
{
    return i < d->n / TILE * TILE;
}

static bool but_the_last_part(const problem *d, int64_t i)
{
    return i / TILE % d->blocks < d->blocks - 1;
}

static const struct {
    choice of;
    bool swapped;
    const char *text;
} gram_mistakes[] = {
    {all, true, "this is YᵀX, the transpose: which of threadIdx.x and threadIdx.y is a, the row?"},
    {of_block_0, false,
     "this is the product of block 0's rows: the products of all blocks have to be added\n"
     "up, in a second launch"},
    {of_first_tiles, false,
     "these are the first `blocks` tiles: a block goes on by gridDim.x tiles, a loop"},
    {of_whole_tiles, false, "the last n mod 32 rows are a tile, too, not a full one"},
    {but_the_last_part, false, "the product of the last block is missing"},
};

static double *product_of(spw_trial *t, choice chosen, bool swapped, double *tolerance)
{
    const problem *d = of(t);
    const int nv = d->nv;
    double *C = spw_trial_doubles(t, nv * nv);
    const double *X = swapped ? d->Y : d->X, *Y = swapped ? d->X : d->Y;
    for (int a = 0; C && a < nv; a++)
        for (int b = 0; b < nv; b++) {
            long double sum = 0, size = 0;
            for (int64_t i = 0; i < d->n; i++) {
                if (!chosen(d, i)) continue;
                const long double product = (long double)X[i * nv + a] * Y[i * nv + b];
                sum += product;
                size += fabsl(product);
            }
            C[a * nv + b] = (double)sum;
            if (tolerance) tolerance[a * nv + b] = (double)(d->n + 2) * DBL_EPSILON * (double)size;
        }
    return C;
}

static spw_status setup_gram(spw_trial *t, const char *name)
{
    if (begin(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const int64_t count = d->n * d->nv;
    const int square = d->nv * d->nv;
    spw_trial_say(t, "n = %lld, %d vectors, %d blocks%s", (long long)d->n, d->nv, d->blocks,
                  d->same ? ", Y is X" : "");
    d->X = spw_trial_random(t, "X", count);
    d->Y = d->same ? d->X : spw_trial_random(t, "Y", count);
    d->parts = spw_trial_output_doubles(t, "parts", (int64_t)d->blocks * square);
    d->out = spw_trial_output_doubles(t, "C", square);
    double *tolerance = spw_trial_doubles(t, square);
    if (!d->X || !d->Y || !d->parts || !d->out || !tolerance) return SPW_ERR_MEMORY;
    if (d->n > LARGE &&
        !(d->library = spw_trial_output_doubles(t, "library", (int64_t)SPW_CUDA_PARTS * square)))
        return SPW_ERR_MEMORY;
    const double *C = product_of(t, all, false, tolerance);
    if (!C) return SPW_ERR_MEMORY;
    spw_trial_expect(t, d->out,
                     (spw_expectation){.expected = C, .tolerance = tolerance, .count = square});
    if (count > LARGE) return SPW_OK;
    for (size_t m = 0; m < sizeof gram_mistakes / sizeof gram_mistakes[0]; m++)
        spw_trial_mistake(t, d->out,
                          product_of(t, gram_mistakes[m].of, gram_mistakes[m].swapped, NULL),
                          gram_mistakes[m].text);
    return SPW_OK;
}

static void call_gram(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((gram_fn)f)(d->n, d->nv, d->blocks, spw_device_doubles(t, d->X), spw_device_doubles(t, d->Y),
                 spw_device_doubles(t, d->parts), spw_device_doubles(t, d->out));
}

static void library_gram(spw_trial *t)
{
    const problem *d = of(t);
    spw_trial_library(t, spw_gram_cuda(d->n, d->nv, spw_device_doubles(t, d->X), d->nv, d->nv,
                                       spw_device_doubles(t, d->Y), d->nv,
                                       spw_device_doubles(t, d->out),
                                       spw_device_doubles(t, d->library)));
}

static spw_cost cost_gram(const spw_trial *t)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    return (spw_cost){.load = 16 * n * nv, .store = 8 * nv * nv, .flop = 2 * n * nv * nv};
}

/* --- combine ------------------------------------------------------------------------------------------------ */

static double *combined(spw_trial *t, const double *X, bool transposed, double *tolerance)
{
    const problem *d = of(t);
    const int nv = d->nv;
    double *Y = spw_trial_doubles(t, d->n * nv);
    for (int64_t i = 0; Y && i < d->n; i++)
        for (int b = 0; b < nv; b++) {
            long double sum = 0, size = 0;
            for (int a = 0; a < nv; a++) {
                const double c = d->C[transposed ? b * nv + a : a * nv + b];
                sum += (long double)X[i * nv + a] * c;
                size += fabsl((long double)X[i * nv + a] * c);
            }
            Y[i * nv + b] = (double)sum;
            if (tolerance) tolerance[i * nv + b] = (nv + 2) * DBL_EPSILON * (double)size;
        }
    return Y;
}

/* A row in which each new element is put before the others have read the old ones. */
static double *overwritten(spw_trial *t, const double *X)
{
    const problem *d = of(t);
    const int nv = d->nv;
    double *Y = spw_trial_doubles(t, d->n * nv);
    for (int64_t i = 0; Y && i < d->n; i++) {
        memcpy(Y + i * nv, X + i * nv, (size_t)nv * sizeof *Y);
        for (int b = 0; b < nv; b++) {
            double sum = 0;
            for (int a = 0; a < nv; a++) sum += Y[i * nv + a] * d->C[a * nv + b];
            Y[i * nv + b] = sum;
        }
    }
    return Y;
}

static spw_status setup_combine(spw_trial *t, const char *name)
{
    if (begin(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const int64_t count = d->n * d->nv;
    spw_trial_say(t, "n = %lld, %d vectors%s", (long long)d->n, d->nv, d->same ? ", Y is X" : "");
    double *X = spw_trial_doubles(t, count), *tolerance = spw_trial_doubles(t, count);
    d->C = spw_trial_random(t, "C", d->nv * d->nv);
    if (!X || !tolerance || !d->C) return SPW_ERR_MEMORY;
    spw_case_vector(spw_trial_seed(t) + 3, count, X);
    if (d->same) {
        d->X = d->out = (double *)spw_trial_inout(t, "X", SPW_DOUBLE, count, X);
    } else {
        double *given = (double *)spw_trial_input(t, "X", SPW_DOUBLE, count);
        if (given && count) memcpy(given, X, (size_t)count * sizeof *X);
        d->X = given;
        d->out = spw_trial_output_doubles(t, "Y", count);
    }
    if (!d->X || !d->out) return SPW_ERR_MEMORY;
    const double *Y = combined(t, X, false, tolerance);
    if (!Y) return SPW_ERR_MEMORY;
    spw_trial_expect(t, d->out,
                     (spw_expectation){.expected = Y, .tolerance = tolerance, .count = count});
    if (count > LARGE) return SPW_OK;
    spw_trial_mistake(t, d->out, combined(t, X, true, NULL),
                      "this is X Cᵀ: element a * nv + b of C is in row a");
    if (d->same)
        spw_trial_mistake(t, d->out, overwritten(t, X),
                          "Y is X here: a row was overwritten while it was still read");
    return SPW_OK;
}

static void call_combine(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((combine_fn)f)(d->n, d->nv, spw_device_doubles(t, d->X), spw_device_doubles(t, d->C),
                    spw_device_doubles(t, d->out));
}

static void library_combine(spw_trial *t)
{
    const problem *d = of(t);
    const spw_block X = {.at = spw_device_doubles(t, d->X), .ld = d->nv, .nv = d->nv};
    const spw_block Y = {.at = spw_device_doubles(t, d->out), .ld = d->nv, .nv = d->nv};
    spw_trial_library(t, spw_combine_cuda(d->n, 1, &X, spw_device_doubles(t, d->C), 1, &Y));
}

static spw_cost cost_combine(const spw_trial *t)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    return (spw_cost){
        .load = 8 * n * nv + 8 * nv * nv, .store = 8 * n * nv, .flop = 2 * n * nv * nv};
}

/* --- cholesky_inverse ----------------------------------------------------------------------------------------- */

/* G = RᵀR row by row, T column by column: not the order of the exercise. Returns the rank. */
static int host_cholesky(int nv, const double *G, double *R, double *T)
{
    memset(R, 0, sizeof *R * (size_t)(nv * nv));
    memset(T, 0, sizeof *T * (size_t)(nv * nv));
    for (int k = 0; k < nv; k++)
        for (int j = k; j < nv; j++) {
            long double left = G[k * nv + j];
            for (int i = 0; i < k; i++) left -= (long double)R[i * nv + k] * R[i * nv + j];
            if (j == k && !(left > 0)) return k;
            R[k * nv + j] = (double)(j == k ? sqrtl(left) : left / R[k * nv + k]);
        }
    for (int j = 0; j < nv; j++)
        for (int i = j; i >= 0; i--) {
            long double sum = i == j;
            for (int l = i + 1; l <= j; l++) sum -= (long double)R[i * nv + l] * T[l * nv + j];
            T[i * nv + j] = (double)(sum / R[i * nv + i]);
        }
    return nv;
}

/* Diagonally dominant; or with whole numbers and the last row such that nothing is left of its diagonal. */
static void fill_gram(const spw_trial *t, double *G)
{
    const problem *d = of(t);
    const int nv = d->nv;
    double random[MOST_VECTORS * MOST_VECTORS];
    spw_case_vector(spw_trial_seed(t) + 4, nv * nv, random);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            G[i * nv + j] = (i == j ? 3 * nv : 0) + random[i < j ? i * nv + j : j * nv + i];
    for (int i = 0; i < nv && d->dependent; i++) /* R: ones, and 0 at the end of its diagonal */
        for (int j = 0; j < nv; j++) {
            const int least = i < j ? i : j;
            G[i * nv + j] = least + 1 - (least == nv - 1);
        }
}

static void describe_rank(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *d = of(t);
    (void)i;
    if (d->dependent)
        snprintf(text, (size_t)size,
                 "nothing is left of the diagonal in row %d: there is no R, and T is 0", d->nv - 1);
}

static spw_status setup_cholesky(spw_trial *t, const char *name)
{
    if (begin(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const int nv = d->nv = (int)d->n, square = nv * nv;
    spw_trial_say(t, "%d x %d%s", nv, nv, d->dependent ? ", singular" : "");
    double *G = (double *)spw_trial_input(t, "G", SPW_DOUBLE, square);
    d->T = spw_trial_output_doubles(t, "T", square);
    d->rank = (spw_idx *)spw_trial_output(t, "rank", SPW_INDEX, 1);
    double *R = spw_trial_doubles(t, square), *T = spw_trial_doubles(t, square),
           *tolerance = spw_trial_doubles(t, square);
    double *transposed = spw_trial_doubles(t, square), *diagonal = spw_trial_doubles(t, square);
    spw_idx *rank = (spw_idx *)spw_trial_memory(t, 1, sizeof *rank);
    if (!G || !d->T || !d->rank || !R || !T || !tolerance || !transposed || !diagonal || !rank)
        return SPW_ERR_MEMORY;
    fill_gram(t, G);
    d->C = G;
    *rank = host_cholesky(nv, G, R, T);
    for (int k = 0; k < square; k++) {
        tolerance[k] = d->dependent ? 0 : 1e-12;
        transposed[k] = T[k % nv * nv + k / nv];
        diagonal[k] = k / nv == k % nv ? T[k] : 0;
    }
    spw_trial_expect(
        t, d->T,
        (spw_expectation){
            .expected = T, .tolerance = tolerance, .count = square, .describe = describe_rank});
    spw_trial_expect(t, d->rank, (spw_expectation){.expected = rank, .count = 1, .noun = ""});
    if (d->dependent) return SPW_OK;
    spw_trial_mistake(t, d->T, R, "this is R: its inverse is wanted");
    spw_trial_mistake(t, d->T, transposed, "this is the inverse of Rᵀ: T is upper triangular");
    spw_trial_mistake(t, d->T, diagonal,
                      "only the diagonal is there: the sum over l = i+1 .. j is missing");
    return SPW_OK;
}

static void call_cholesky(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((cholesky_fn)f)(d->nv, spw_device_doubles(t, d->C), spw_device_doubles(t, d->T),
                     (int *)spw_trial_device(t, d->rank));
}

/* --- cholqr --------------------------------------------------------------------------------------------------- */

/* By modified Gram-Schmidt, twice, in long double: the same Q, since R has a positive diagonal. */
static void orthonormal(int64_t n, int nv, const double *X, double *Q)
{
    for (int64_t k = 0; k < n * nv; k++) Q[k] = X[k];
    for (int j = 0; j < nv; j++) {
        long double square = 0;
        for (int k = 0; k < 2 * j; k++) {
            long double dot = 0;
            for (int64_t i = 0; i < n; i++) dot += (long double)Q[i * nv + k % j] * Q[i * nv + j];
            for (int64_t i = 0; i < n; i++)
                Q[i * nv + j] = (double)(Q[i * nv + j] - dot * Q[i * nv + k % j]);
        }
        for (int64_t i = 0; i < n; i++) square += (long double)Q[i * nv + j] * Q[i * nv + j];
        for (int64_t i = 0; i < n; i++) Q[i * nv + j] = (double)(Q[i * nv + j] / sqrtl(square));
    }
}

static void describe_q(const spw_trial *t, int64_t i, char *text, int size)
{
    (void)i;
    if (of(t)->dependent)
        snprintf(text, (size_t)size, "vector 1 is twice vector 0: T is 0, and so is Q");
}

static spw_status setup_cholqr(spw_trial *t, const char *name)
{
    if (begin(t, name)) return SPW_ERR_MEMORY;
    problem *d = of(t);
    const int nv = d->nv, square = nv * nv;
    const int64_t count = d->n * nv;
    spw_trial_say(t, "n = %lld, %d vectors, %d blocks, %s%s", (long long)d->n, nv, d->blocks,
                  d->times == 1 ? "once" : "twice", d->dependent ? ", dependent" : "");
    double *X = (double *)spw_trial_input(t, "X", SPW_DOUBLE, count);
    d->out = spw_trial_output_doubles(t, "Q", count);
    d->parts = spw_trial_output_doubles(t, "parts", (int64_t)d->blocks * square);
    d->G = spw_trial_output_doubles(t, "G", square);
    d->T = spw_trial_output_doubles(t, "T", square);
    d->rank = (spw_idx *)spw_trial_output(t, "rank", SPW_INDEX, 1);
    double *Q = spw_trial_doubles(t, count), *tolerance = spw_trial_doubles(t, count);
    if (!X || !d->out || !d->parts || !d->G || !d->T || !d->rank || !Q || !tolerance)
        return SPW_ERR_MEMORY;
    d->X = X;
    spw_case_vector(spw_trial_seed(t) + 6, count, X);
    for (int64_t i = 0; i < d->n && d->dependent; i++) { /* 64 rows: r.r is 64, its root 8 */
        X[i * nv] = i % 2 ? 1 : -1;
        X[i * nv + 1] = 2 * X[i * nv];
    }
    if (!d->dependent) orthonormal(d->n, nv, X, Q);
    for (int64_t k = 0; k < count; k++) tolerance[k] = d->dependent ? 0 : 1e-9;
    spw_trial_expect(
        t, d->out,
        (spw_expectation){
            .expected = Q, .tolerance = tolerance, .count = count, .describe = describe_q});
    d->right_rank = d->dependent ? 1 : nv;
    return SPW_OK;
}

static void call_cholqr(spw_trial *t, spw_function f)
{
    const problem *d = of(t);
    ((cholqr_fn)f)(d->n, d->nv, d->blocks, d->times, spw_device_doubles(t, d->X),
                   spw_device_doubles(t, d->out), spw_device_doubles(t, d->parts),
                   spw_device_doubles(t, d->G), spw_device_doubles(t, d->T),
                   (int *)spw_trial_device(t, d->rank));
}

/* Q is right to 9 digits; twice makes it orthonormal to all, and leaves the G of that. */
static void check_cholqr(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *d = of(t);
    double off = 0;
    if (d->dependent) return;
    if (*d->rank != d->right_rank) {
        spw_trial_fail(t, "Q is right, but rank is %d, expected %d", (int)*d->rank, d->right_rank);
        return;
    }
    if (d->times < 2) return;
    for (int k = 0; k < d->nv * d->nv; k++)
        off = fmax(off, fabs(d->G[k] - (k / d->nv == k % d->nv)));
    if (off > 1e-10)
        spw_trial_fail(t,
                       "times is 2, and the last G differs from I by %.2g. It is that of X: the\n"
                       "second time the block is Q, which is nearly orthonormal",
                       off);
}

static spw_cost cost_cholqr(const spw_trial *t)
{
    const problem *d = of(t);
    const double n = (double)d->n, nv = d->nv;
    return (spw_cost){.load = d->times * 16 * n * nv,
                      .store = d->times * 8 * n * nv,
                      .flop = d->times * 4 * n * nv * nv};
}

/* --- the models ------------------------------------------------------------------------------------------------- */

static spw_cost predict(spw_trial *t, spw_function model)
{
    return ((cost_fn)model)(of(t)->n, of(t)->nv);
}

static void explain_gram(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    const spw_known_cost known[] = {
        {16 * n * nv * (nv - 1), 0, 0,
         "this is nv * nv dots, each of which reads two vectors: one pass reads a block once"},
        {-8 * n * nv, 0, 0, "there are two blocks, X and Y, of 8 n nv bytes each"},
        {0, 8 * n * nv - 8 * nv * nv, 0, "what is stored is C, nv x nv numbers, not a block"},
        {0, -8 * nv * nv, 0, "C is stored, too: 8 nv * nv bytes"},
        {0, 0, -n * nv * nv, "a multiplication and an addition: 2 flops a row and element of C"},
        {0, 0, 2 * n * nv - 2 * n * nv * nv, "C has nv * nv elements, not nv: 2 n nv * nv flops"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_gram(t), 0.5, text, size);
}

static void explain_combine(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    const spw_known_cost known[] = {
        {8 * n * nv, 0, 0,
         "that is the write-allocate read of a CPU. A GPU stores whole sectors and reads\n"
         "nothing before"},
        {8 * n * nv * (nv - 1), 0, 0, "each row is read once, not once for each of its elements"},
        {-8 * nv * nv, 0, 0, "C is loaded, too, once: 8 nv * nv bytes"},
        {0, -8 * n * nv, 0, "Y is stored: 8 n nv bytes"},
        {0, 0, -n * nv * nv, "a multiplication and an addition: 2 flops"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_combine(t), 0.5, text,
                        size);
}

/* --- the declaration -------------------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const products[] = {
    "1,1@1", "0,3@2", "33,1@1", "100,5@3", "257,16@3", "129,7@40", "96,4@1=", NULL};
static const char *const combinations[] = {
    "1,1", "0,3", "300,1", "100,5", "257,16", "37,7=", "100,16=", NULL};
static const char *const squares[] = {"1", "2", "5", "16", "2!", "7!", NULL};
static const char *const blocks_of_vectors[] = {
    "5,1@1", "40,3@1", "100,16@2", "200,7@3,2", "64,4@2!", NULL};
/* clang-format on */

static const char neighbours[] =
    "neighbouring threads must read neighbouring elements of the tile, "
    "whatever their\nvector: the rows of a tile lie side by side";
static const char tile_first[] =
    "each row is read by every warp: bring the tile to shared memory first, once";

static const spw_sector_bound gram_bounds[] = {
    {.array = "X", .access = SPW_LOADS, .times_size = 1.1, .hint = tile_first},
    {.array = "Y", .access = SPW_LOADS, .times_size = 1.1, .hint = tile_first},
    {.array = "X", .access = SPW_LOADS, .per_request = 8.5, .hint = neighbours},
    {.array = "parts", .access = SPW_LOADS, .times_size = 1.1, .hint = "each part is read once"},
    {.array = NULL}};
static const spw_sector_bound combine_bounds[] = {
    {.array = "X",
     .access = SPW_LOADS,
     .times_size = 1.1,
     .hint = "each row is read nv times: bring the block's rows to shared memory first, once"},
    {.array = "X", .access = SPW_LOADS, .per_request = 8.5, .hint = neighbours},
    {.array = "Y", .access = SPW_STORES, .per_request = 8.5, .hint = neighbours},
    {.array = "C",
     .access = SPW_LOADS,
     .per_block = 16,
     .hint = "a block needs all of C, and needs it once: 256 numbers, for 8 warps one request\n"
             "each, into shared memory"},
    {.array = NULL}};
static const spw_sector_bound cholqr_bounds[] = {
    {.array = "X",
     .access = SPW_LOADS,
     .times_size = 3.3,
     .hint = "gram reads it as X and as Y, combine once more"},
    {.array = "Q", .access = SPW_STORES, .times_size = 1.1, .hint = "Q is written once"},
    {.array = NULL}};

static const spw_part parts[] = {{.function = "gram",
                                  .model = "gram_cost",
                                  .cases = products,
                                  .setup = setup_gram,
                                  .call = call_gram,
                                  .predict = predict,
                                  .cost = cost_gram,
                                  .explain_model = explain_gram,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = gram_bounds,
                                  .traffic = "2000,16@8",
                                  .speed = "2500000,16", /* on a GPU: 0.6 GB */
                                  .target = 0.4,
                                  .stretch = {"library's best", library_gram}},
                                 {.function = "combine",
                                  .model = "combine_cost",
                                  .cases = combinations,
                                  .setup = setup_combine,
                                  .call = call_combine,
                                  .predict = predict,
                                  .cost = cost_combine,
                                  .explain_model = explain_combine,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = combine_bounds,
                                  .traffic = "2000,16",
                                  .speed = "2500000,16", /* on a GPU: 0.6 GB */
                                  .target = 0.4,
                                  .stretch = {"library's best", library_combine}},
                                 {.function = "cholesky_inverse",
                                  .cases = squares,
                                  .setup = setup_cholesky,
                                  .call = call_cholesky,
                                  .on_device = true,
                                  .asynchronous = true},
                                 {.function = "cholqr",
                                  .cases = blocks_of_vectors,
                                  .setup = setup_cholqr,
                                  .call = call_cholqr,
                                  .claim = check_cholqr,
                                  .cost = cost_cholqr,
                                  .on_device = true,
                                  .asynchronous = true,
                                  .bounds = cholqr_bounds,
                                  .traffic = "1000,16@8"}};

static const char *const forbidden[] = {"spw_gram_cuda", "spw_combine_cuda", "spw_dot_cuda",
                                        "spw_sum_cuda", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .gpu = true,
                                     .forbidden = forbidden},
                     argc, argv);
}

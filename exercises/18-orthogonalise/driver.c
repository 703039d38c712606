/* Exercise 18: cases, true costs and explanations for tall and skinny products and orthogonalisation. */
#include "orthogonalise.h"

#include "base/index.h"
#include "base/random.h"
#include "kernels/block.h"
#include "perf/working_set.h"
#include "kit/cases.h"
#include "judge/explain.h"
#include "kit/models.h"
#include "judge/exercise.h"

#include <stdbool.h>

typedef void (*gram_fn)(int64_t, int, const double *, int, const double *, int64_t, double *);
typedef spw_cost (*gram_cost_fn)(int64_t, int, int);
typedef void (*combine_fn)(int64_t, int, const double *, const double *, double *);
typedef spw_cost (*combine_cost_fn)(int64_t, int);
typedef double (*passes_fn)(method, int);
typedef double (*kappa_fn)(method, double);
typedef int (*ortho_fn)(int64_t, int, const double *, double *);
typedef int (*cholqr_fn)(int64_t, int, const double *, double *, int);

typedef struct problem {
    int64_t n, ld;
    int p, q, nv; /* gram: p and q; all others nv */
    const double *X, *Y, *C;
    double *out;    /* what is written: C of gram, Y of combine, Q, a number */
    spw_idx *count; /* of the methods: what they return */
    method which;
    int times; /* of cholqr */
    double kappa, loss;
    int rank; /* vectors that must be left; -1: none or all of them */
} problem;

static const problem *of(const spw_trial *t)
{
    return (const problem *)spw_trial_data(t);
}

/* --- gram ------------------------------------------------------------------------------------------- */

enum { TIMED_NV = 16 };

static const struct {
    const char *name;
    int64_t n;
    int p, q, gap;
    bool itself; /* Y is X */
} grams[] = {{"small", 3, 2, 2, 0, false},       {"square", 7, 3, 3, 0, false},
             {"itself", 9, 4, 4, 0, true},       {"no-rows", 0, 3, 2, 0, false},
             {"one-vector", 37, 1, 1, 0, false}, {"column", 101, 5, 1, 2, false},
             {"gaps", 53, 3, 6, 5, false},       {"odd", 211, 13, 11, 0, false},
             {"full", 64, 16, 16, 0, false},     {"wide", 97, 64, 63, 0, false}};
static const char *const gram_cases[] = {"small",      "square", "itself", "no-rows",
                                         "one-vector", "column", "gaps",   "odd",
                                         "full",       "wide",   NULL};

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* C = XᵀY with other index rules than the right ones. */
static spw_status gram_mistake(spw_trial *t, int kind, int64_t rows, int64_t ld, const char *text)
{
    const problem *p = of(t);
    double *C = (double *)spw_trial_memory(t, p->p * p->q, sizeof *C);
    if (!C) return SPW_ERR_MEMORY;
    for (int a = 0; a < p->p; a++)
        for (int b = 0; b < p->q; b++) {
            double sum = 0;
            for (int64_t i = 0; i < rows; i++)
                sum += kind == 2 ? p->X[a * p->n + i] * p->Y[b * p->n + i]
                                 : p->X[i * ld + a] * p->Y[i * ld + b];
            if (kind == 1) /* the transpose */
                C[b * p->p + a] = sum;
            else if (kind != 3 || a <= b)
                C[a * p->q + b] = sum;
        }
    spw_trial_mistake(t, p->out, C, text);
    return SPW_OK;
}

static spw_status gram_mistakes(spw_trial *t)
{
    const problem *p = of(t);
    const int64_t n = p->n, ld = p->ld;
    if (n < 2) return SPW_OK;
    if (p->X == p->Y &&
        gram_mistake(t, 3, n, ld,
                     "below the diagonal is nothing: XᵀX is symmetric, but both halves are read"))
        return SPW_ERR_MEMORY;
    if (gram_mistake(t, 1, n, ld,
                     "this is the transpose, YᵀX: C[a * q + b] takes vector a of X and b of Y") ||
        gram_mistake(t, 0, n - 1, ld, "the last row is missing: i runs up to n - 1"))
        return SPW_ERR_MEMORY;
    for (int block = 4; block <= 64; block *= 2)
        if (n % block > 1 &&
            gram_mistake(t, 0, n - n % block, ld,
                         "the last rows are missing: n is no multiple of your block of rows"))
            return SPW_ERR_MEMORY;
    if (ld > most(p->p, p->q) &&
        gram_mistake(t, 0, n, most(p->p, p->q),
                     "rows lie ld apart, not as many columns as there are vectors"))
        return SPW_ERR_MEMORY;
    if (ld == p->p && ld == p->q && ld > 1 &&
        gram_mistake(t, 2, n, ld,
                     "the blocks were read vector after vector: element i of vector a is\n"
                     "X[i * ld + a], the vectors lie side by side"))
        return SPW_ERR_MEMORY;
    return SPW_OK;
}

static spw_status expect_gram(spw_trial *t, const problem *p)
{
    const int64_t size = (int64_t)p->p * p->q;
    double *C = (double *)spw_trial_memory(t, size, sizeof *C);
    double *tolerance = (double *)spw_trial_memory(t, size, sizeof *tolerance);
    double *x = (double *)spw_trial_memory(t, p->n, sizeof *x);
    double *y = (double *)spw_trial_memory(t, p->n, sizeof *y);
    if (!C || !tolerance || !x || !y) return SPW_ERR_MEMORY;
    const bool large = p->n > 10000; /* by another kernel; the errors of random signs */
    if (large) spw_gram_omp(p->n, p->p, p->X, p->ld, p->q, p->Y, p->ld, C);
    for (int a = 0; a < p->p; a++)
        for (int b = 0; b < p->q; b++) {
            tolerance[a * p->q + b] = 1e-12 * (double)p->n;
            for (int64_t i = 0; i < p->n && !large; i++) {
                x[i] = p->X[i * p->ld + a];
                y[i] = p->Y[i * p->ld + b];
            }
            if (!large) C[a * p->q + b] = spw_dot_expected(p->n, x, y, &tolerance[a * p->q + b]);
        }
    spw_trial_expect(t, p->out,
                     (spw_expectation){.expected = C, .tolerance = tolerance, .count = size});
    return large ? SPW_OK : gram_mistakes(t);
}

static int64_t rows_timed(const char *name, int blocks)
{
    const int64_t bytes = strcmp(name, "traffic") == 0 ? 16000000 : spw_default_working_set();
    return bytes / (8 * TIMED_NV * blocks);
}

static spw_status set_up_gram(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    bool itself = false;
    p->n = -1;
    for (size_t k = 0; k < sizeof grams / sizeof *grams; k++)
        if (strcmp(name, grams[k].name) == 0) {
            p->n = grams[k].n;
            p->p = grams[k].p;
            p->q = grams[k].q;
            p->ld = most(p->p, p->q) + grams[k].gap;
            itself = grams[k].itself;
        }
    if (p->n < 0) {
        p->n = rows_timed(name, 2);
        p->ld = p->p = p->q = TIMED_NV;
    }
    p->X = spw_trial_random(t, "X", p->n > 0 ? (p->n - 1) * p->ld + p->p : 0);
    p->Y = itself ? p->X : spw_trial_random(t, "Y", p->n > 0 ? (p->n - 1) * p->ld + p->q : 0);
    p->out = (double *)spw_trial_output(t, "C", SPW_DOUBLE, (int64_t)p->p * p->q);
    if (!p->X || !p->Y || !p->out) return SPW_ERR_MEMORY;
    spw_trial_say(t, "n = %lld, %d and %d vectors, ld %lld%s", (long long)p->n, p->p, p->q,
                  (long long)p->ld, itself ? ", Y is X" : "");
    spw_trial_unit(t, "n p", (double)p->n * p->p);
    spw_trial_unit(t, "n", (double)p->n);
    return spw_trial_checks(t) ? expect_gram(t, p) : SPW_OK;
}

static void call_gram(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((gram_fn)f)(p->n, p->p, p->X, p->q, p->Y, p->ld, p->out);
}

static spw_cost predict_gram(spw_trial *t, spw_function model)
{
    return ((gram_cost_fn)model)(of(t)->n, of(t)->p, of(t)->q);
}

static spw_cost cost_of_gram(const spw_trial *t)
{
    const double n = (double)of(t)->n, p = of(t)->p, q = of(t)->q;
    return (spw_cost){8 * n * (p + q), 8 * p * q, 2 * n * p * q};
}

static void explain_gram(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n, p = of(t)->p, q = of(t)->q;
    const spw_known_cost known[] = {
        {16 * n * p * q - 8 * n * (p + q), 0, 0,
         "these are the bytes of p q single dots. One pass serves all of them:\n"
         "a row of X and a row of Y make p q products"},
        {-8 * n * q, 0, 0, "Y is loaded as well as X"},
        {0, 8 * n * q - 8 * p * q, 0, "C is p x q: small. No block is written"},
        {0, -8 * p * q, 0, "C has to be stored: p q entries of 8 bytes"},
        {0, 0, -n * p * q, "a multiplication and an addition for each of n p q products"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_gram(t), 0.5, text,
                        size);
}

static void library_gram(spw_trial *t)
{
    const problem *p = of(t);
    spw_gram_omp(p->n, p->p, p->X, p->ld, p->q, p->Y, p->ld, p->out);
}

/* --- combine ----------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int64_t n;
    int nv;
    bool in_place;
} combines[] = {{"small", 3, 2, false},      {"in-place", 11, 3, true}, {"no-rows", 0, 3, false},
                {"one-vector", 37, 1, true}, {"odd", 211, 13, false},   {"full", 67, 16, true},
                {"wide", 53, 64, false}};
static const char *const combine_cases[] = {"small", "in-place", "no-rows", "one-vector",
                                            "odd",   "full",     "wide",    NULL};

/* kind 0: C transposed; 1: a row is overwritten while it is still needed. */
static spw_status combine_mistake(spw_trial *t, int kind, const char *text)
{
    const problem *p = of(t);
    const int nv = p->nv;
    double *Y = (double *)spw_trial_memory(t, p->n * nv, sizeof *Y);
    if (!Y) return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < p->n; i++) {
        double row[MAX_VECTORS];
        memcpy(row, p->X + i * nv, sizeof *row * (size_t)nv);
        for (int b = 0; b < nv; b++) {
            double sum = 0;
            for (int a = 0; a < nv; a++) sum += row[a] * p->C[kind == 0 ? b * nv + a : a * nv + b];
            Y[i * nv + b] = sum;
            if (kind == 1) row[b] = sum;
        }
    }
    spw_trial_mistake(t, p->out, Y, text);
    return SPW_OK;
}

static spw_status expect_combine(spw_trial *t, const problem *p)
{
    const int64_t size = p->n * p->nv;
    const int nv = p->nv;
    double *Y = (double *)spw_trial_memory(t, size, sizeof *Y);
    double *tolerance = (double *)spw_trial_memory(t, size, sizeof *tolerance);
    if (!Y || !tolerance) return SPW_ERR_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->n; i++)
        for (int b = 0; b < nv; b++) {
            double column[MAX_VECTORS];
            for (int a = 0; a < nv; a++) column[a] = p->C[a * nv + b];
            Y[i * nv + b] = spw_dot_expected(nv, p->X + i * nv, column, &tolerance[i * nv + b]);
        }
    spw_trial_expect(t, p->out,
                     (spw_expectation){.expected = Y, .tolerance = tolerance, .count = size});
    if (p->n > 10000 || nv == 1) return SPW_OK;
    const spw_status status =
        combine_mistake(t, 0, "C was transposed: entry C[a * nv + b] belongs to X's vector a");
    return status ? status
                  : combine_mistake(t, 1,
                                    "here Y is X: a row was overwritten while it was still needed. "
                                    "Keep a copy\nof the row until all of it is computed");
}

static spw_status set_up_combine(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    bool in_place = false;
    p->n = -1;
    for (size_t k = 0; k < sizeof combines / sizeof *combines; k++)
        if (strcmp(name, combines[k].name) == 0) {
            p->n = combines[k].n;
            p->nv = combines[k].nv;
            in_place = combines[k].in_place;
        }
    if (p->n < 0) {
        p->n = rows_timed(name, 2);
        p->nv = TIMED_NV;
    }
    const int64_t size = p->n * p->nv;
    if (in_place) {
        double *before = (double *)spw_trial_memory(t, size, sizeof *before);
        if (!before) return SPW_ERR_MEMORY;
        spw_case_vector(spw_trial_seed(t), size, before);
        p->X = before; /* what it held; the answer is given `out` for both */
        p->out = (double *)spw_trial_inout(t, "X", SPW_DOUBLE, size, before);
    } else {
        p->X = spw_trial_random(t, "X", size);
        p->out = (double *)spw_trial_output(t, "Y", SPW_DOUBLE, size);
    }
    p->C = spw_trial_random(t, "C", (int64_t)p->nv * p->nv);
    if (!p->X || !p->out || !p->C) return SPW_ERR_MEMORY;
    p->times = in_place;
    spw_trial_say(t, "n = %lld, %d vectors%s", (long long)p->n, p->nv, in_place ? ", Y is X" : "");
    spw_trial_unit(t, "n nv", (double)size);
    spw_trial_unit(t, "n", (double)p->n);
    return spw_trial_checks(t) ? expect_combine(t, p) : SPW_OK;
}

static void call_combine(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    ((combine_fn)f)(p->n, p->nv, p->times ? p->out : p->X, p->C, p->out);
}

static spw_cost predict_combine(spw_trial *t, spw_function model)
{
    return ((combine_cost_fn)model)(of(t)->n, of(t)->nv);
}

static spw_cost cost_of_combine(const spw_trial *t)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    return (spw_cost){8 * n * nv + 8 * nv * nv, 8 * n * nv, 2 * n * nv * nv};
}

static void explain_combine(const spw_trial *t, spw_cost got, char *text, int size)
{
    const double n = (double)of(t)->n, nv = of(t)->nv;
    const spw_known_cost known[] = {
        {-8 * nv * nv, 0, 0, "C has to be loaded too: nv nv entries of 8 bytes, once"},
        {8 * n * nv, 0, 0, "Y is written, not read. The write-allocate read is not in the model"},
        {8 * n * nv * (nv - 1), 0, 0,
         "X is counted once for each vector of Y. A row of X is loaded once and makes a\n"
         "whole row of Y"},
        {0, 8 * n * nv * (nv - 1), 0,
         "Y is counted once for each vector of X: its sums stay in registers"},
        {0, 0, -n * nv * nv, "a multiplication and an addition for each of n nv nv products"},
    };
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, cost_of_combine(t), 0.5, text,
                        size);
}

static void library_combine(spw_trial *t)
{
    const problem *p = of(t);
    const spw_block X = {(double *)p->X, p->nv, p->nv}, Y = {p->out, p->nv, p->nv};
    spw_combine_omp(p->n, 1, &X, p->C, 1, &Y);
}

/* --- the two formulas ---------------------------------------------------------------------------------- */

static const char *const names[] = {"cgs", "mgs", "cholqr", "cholqr2", "svqb"};
static const char *const formula_cases[] = {"cgs", "mgs", "cholqr", "cholqr2", "svqb", NULL};

static method named(const char *name)
{
    int k = 0;
    while (k < SVQB && strcmp(name, names[k]) != 0) k++;
    return (method)k;
}

static void formula_mistake(spw_trial *t, double right, double value, const char *text)
{
    double *wrong = (double *)spw_trial_memory(t, 1, sizeof *wrong);
    if (!wrong || fabs(value - right) < 1e-9 * right) return;
    *wrong = value;
    spw_trial_mistake(t, of(t)->out, wrong, text);
}

static spw_status expect_number(spw_trial *t, problem *p, const char *name, double right)
{
    double *expected = (double *)spw_trial_memory(t, 2, sizeof *expected);
    p->out = (double *)spw_trial_output(t, name, SPW_DOUBLE, 1);
    if (!expected || !p->out) return SPW_ERR_MEMORY;
    expected[0] = right;
    expected[1] = 1e-12 * right;
    spw_trial_expect(
        t, p->out,
        (spw_expectation){.expected = expected, .tolerance = expected + 1, .count = 1, .noun = ""});
    return SPW_OK;
}

static spw_status set_up_passes(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    p->which = named(name);
    p->nv = 7 + (int)(spw_trial_seed(t) % 20);
    const double nv = p->nv, cgs = 3 * nv - 2, mgs = nv * nv;
    const double right = p->which == CGS       ? cgs
                         : p->which == MGS     ? mgs
                         : p->which == CHOLQR2 ? 4
                                               : 2;
    spw_trial_say(t, "nv = %d", p->nv);
    if (expect_number(t, p, "passes", right)) return SPW_ERR_MEMORY;
    if (p->which == CGS) {
        formula_mistake(t, right, mgs,
                        "that is modified Gram-Schmidt: here all dots of a vector "
                        "share one loop");
        formula_mistake(t, right, 3 * nv, "the first vector is only scaled: nothing is before it");
        formula_mistake(t, right, 2 * nv - 2, "scaling is a loop over the rows, too");
        formula_mistake(t, right, 2 * nv - 1,
                        "a projection is two loops: the dots, and the "
                        "subtraction, which needs all of them");
    } else if (p->which == MGS) {
        formula_mistake(t, right, cgs,
                        "that is classical Gram-Schmidt: here each pair of vectors "
                        "has loops of its own");
        formula_mistake(t, right, nv * (nv - 1) / 2, "the number of pairs: each takes two loops");
        formula_mistake(t, right, nv * (nv - 1), "scaling is a loop over the rows, too: nv more");
        formula_mistake(t, right, nv * (nv + 1),
                        "a vector is projected on those before it: 0, 1, "
                        ".. nv - 1 of them");
    } else {
        formula_mistake(t, right, 1,
                        "the Gram matrix has to be complete before the block is "
                        "combined: two loops");
        formula_mistake(t, right, 2, "twice: the second time takes as many loops as the first");
        formula_mistake(t, right, 3, "Q is written in the loop that reads X: reading counts");
        formula_mistake(t, right, 2 * nv,
                        "all vectors share a loop: the number of them does not "
                        "matter");
    }
    return SPW_OK;
}

static void call_passes(spw_trial *t, spw_function f)
{
    of(t)->out[0] = ((passes_fn)f)(of(t)->which, of(t)->nv);
}

static spw_status set_up_kappa(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    p->which = named(name);
    p->loss = pow(10, -4 - (double)(spw_trial_seed(t) % 9));
    const double linear = p->loss / EPS, root = sqrt(linear), twice = 1 / sqrt(EPS);
    const double right = p->which == MGS ? linear : p->which == CHOLQR2 ? twice : root;
    spw_trial_say(t, "loss %.0e", p->loss);
    if (expect_number(t, p, "kappa", right)) return SPW_ERR_MEMORY;
    formula_mistake(t, right, linear,
                    "the Gram matrix has the condition number kappa^2, and so the "
                    "loss\nis EPS kappa^2");
    formula_mistake(t, right, root,
                    p->which == MGS ? "modified Gram-Schmidt loses EPS kappa, not EPS kappa^2"
                                    : "after the second time the loss is EPS, whatever kappa "
                                      "was. The limit is\nwhere the first time breaks down: "
                                      "EPS kappa^2 = 1");
    formula_mistake(t, right, 1 / linear, "turned round: the loss is EPS times a power of kappa");
    formula_mistake(t, right, p->loss * p->loss / EPS, "EPS kappa^2 = loss: take the root of both");
    formula_mistake(t, right, sqrt(p->loss) / EPS,
                    "EPS kappa^2 = loss: divide first, then the root");
    formula_mistake(t, right, 1 / EPS,
                    "CHOLQR2 begins with CHOLQR: that breaks down where EPS "
                    "kappa^2 = 1");
    return SPW_OK;
}

static void call_kappa(spw_trial *t, spw_function f)
{
    of(t)->out[0] = ((kappa_fn)f)(of(t)->which, of(t)->loss);
}

/* --- blocks for the methods ----------------------------------------------------------------------------- */

/* The dot of columns a of X and b of Y. */
static double dot(int64_t n, int nv, const double *X, int a, const double *Y, int b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += X[i * nv + a] * Y[i * nv + b];
    return sum;
}

/* Columns made orthonormal, each twice against all before it. */
static void orthonormal(int64_t n, int nv, double *U)
{
    for (int j = 0; j < nv; j++) {
        for (int again = 0; again < 2; again++)
            for (int k = 0; k < j; k++) {
                const double h = dot(n, nv, U, k, U, j);
                for (int64_t i = 0; i < n; i++) U[i * nv + j] -= h * U[i * nv + k];
            }
        const double length = sqrt(dot(n, nv, U, j, U, j));
        for (int64_t i = 0; i < n; i++) U[i * nv + j] /= length;
    }
}

/* X = U S Vᵀ, U and V orthonormal, S from 1 down to 1 / kappa in equal ratios. */
static void with_condition(uint64_t seed, int64_t n, int nv, double kappa, double *U, double *X)
{
    double V[MAX_VECTORS * MAX_VECTORS];
    for (int64_t k = 0; k < n * nv; k++) U[k] = spw_random_double(seed, (uint64_t)k) - 0.5;
    for (int k = 0; k < nv * nv; k++) V[k] = spw_random_double(seed + 1, (uint64_t)k) - 0.5;
    orthonormal(n, nv, U);
    orthonormal(nv, nv, V);
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < nv; b++) {
            double sum = 0;
            for (int a = 0; a < nv; a++)
                sum += U[i * nv + a] * pow(kappa, nv > 1 ? -a / (nv - 1.0) : 0) * V[b * nv + a];
            X[i * nv + b] = sum;
        }
}

typedef enum twist { PLAIN, GRADED, DEPENDENT, ZERO_COLUMN, ZERO } twist;

static const struct {
    const char *name;
    int64_t n;
    int nv;
    double kappa;
    twist what;
} blocks[] = {{"small", 7, 3, 3, PLAIN},           {"one-vector", 101, 1, 1, PLAIN},
              {"plain", 300, 8, 10, PLAIN},        {"lengths", 211, 5, 10, GRADED},
              {"kappa-1e3", 300, 8, 1e3, PLAIN},   {"kappa-1e5", 300, 8, 1e5, PLAIN},
              {"kappa-1e7", 300, 8, 1e7, PLAIN},   {"kappa-1e10", 300, 8, 1e10, PLAIN},
              {"dependent", 97, 5, 10, DEPENDENT}, {"zero-column", 97, 5, 10, ZERO_COLUMN},
              {"zero", 50, 4, 10, ZERO},           {"wide", 257, 33, 100, PLAIN}};
enum { COLUMN = 3 }; /* that depends, or is zero */

static const char *const cgs_cases[] = {"small",     "one-vector",  "plain", "lengths", "kappa-1e3",
                                        "dependent", "zero-column", "zero",  "wide",    NULL};
static const char *const mgs_cases[] = {"small",     "one-vector", "plain",     "lengths",
                                        "kappa-1e7", "kappa-1e10", "dependent", "zero-column",
                                        "zero",      "wide",       NULL};
static const char *const cholqr_cases[] = {"small",     "one-vector", "plain",       "lengths",
                                           "kappa-1e3", "kappa-1e5",  "zero-column", "zero",
                                           "wide",      NULL};
static const char *const svqb_cases[] = {"small",     "one-vector", "plain",     "lengths",
                                         "kappa-1e3", "kappa-1e5",  "dependent", "zero-column",
                                         "zero",      "wide",       NULL};

static spw_status set_up_block(spw_trial *t, const char *name, method which)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    size_t c = 0;
    while (strcmp(name, blocks[c].name) != 0) c++;
    const int nv = blocks[c].nv;
    const twist what = blocks[c].what;
    *p =
        (problem){.n = blocks[c].n, .nv = nv, .kappa = blocks[c].kappa, .which = which, .times = 1};
    double number = 1;
    const spw_status status = which >= CHOLQR ? spw_small_eigen(1, &number, &number) : SPW_OK;
    if (status) return status; /* without LAPACK */
    double *X = (double *)spw_trial_input(t, "X", SPW_DOUBLE, p->n * nv);
    double *U = (double *)spw_trial_memory(t, p->n * nv, sizeof *U);
    p->out = (double *)spw_trial_output(t, "Q", SPW_DOUBLE, p->n * nv);
    p->count = (spw_idx *)spw_trial_output(t, "count", SPW_INDEX, 1);
    if (!X || !U || !p->out || !p->count) return SPW_ERR_MEMORY;
    with_condition(spw_trial_seed(t), p->n, nv, p->kappa, U, X);
    for (int64_t i = 0; i < p->n; i++) {
        double *x = X + i * nv;
        if (what == DEPENDENT) x[COLUMN] = 2 * x[0] - x[2];
        if (what == ZERO_COLUMN) x[COLUMN] = 0;
        for (int j = 0; j < nv && what == GRADED; j++) x[j] *= pow(10, 6 - 4 * j);
        for (int j = 0; j < nv && what == ZERO; j++) x[j] = 0;
    }
    p->X = X;
    p->rank = what == ZERO ? 0 : what == PLAIN || what == GRADED ? nv : nv - 1;
    if ((which == CHOLQR || which == CHOLQR2) && what > GRADED) p->rank = 0;
    if (which == CHOLQR2) p->times = 2;
    spw_trial_say(t, "n = %lld, %d vectors, %s %.0e", (long long)p->n, nv,
                  what == GRADED        ? "of lengths 1e6 to 1e-10, kappa of directions"
                  : what == DEPENDENT   ? "vector 3 = 2 x_0 - x_2, else kappa"
                  : what == ZERO_COLUMN ? "vector 3 is zero, else kappa"
                  : what == ZERO        ? "all zero, not kappa"
                                        : "kappa",
                  p->kappa);
    return SPW_OK;
}

static spw_status set_up_cgs(spw_trial *t, const char *name)
{
    return set_up_block(t, name, CGS);
}

static spw_status set_up_mgs(spw_trial *t, const char *name)
{
    return set_up_block(t, name, MGS);
}

static spw_status set_up_svqb(spw_trial *t, const char *name)
{
    return set_up_block(t, name, SVQB);
}

/* Both numbers of times in turn: the even cases twice. */
static spw_status set_up_cholqr(spw_trial *t, const char *name)
{
    const bool twice =
        strcmp(name, "kappa-1e5") == 0 || strcmp(name, "lengths") == 0 || strcmp(name, "wide") == 0;
    return set_up_block(t, name, twice ? CHOLQR2 : CHOLQR);
}

static void call_ortho(spw_trial *t, spw_function f)
{
    *of(t)->count = ((ortho_fn)f)(of(t)->n, of(t)->nv, of(t)->X, of(t)->out);
}

static void call_cholqr(spw_trial *t, spw_function f)
{
    *of(t)->count = ((cholqr_fn)f)(of(t)->n, of(t)->nv, of(t)->X, of(t)->out, of(t)->times);
}

/* --- what typical mistakes give -------------------------------------------------------------------------- */

typedef enum slip {
    NO_LENGTH,
    LENGTH_FIRST,
    ONTO_X,
    DOTS_OF_X,
    ADDED,
    LAST_ONLY,
    T_TRANSPOSED,
    R_NOT_INVERSE,
    FROM_X_AGAIN,
    U_TRANSPOSED,
    NO_W,
    W_NOT_ROOT,
    TIMES_W,
    NO_D,
    SMALLEST
} slip;

static void slip_gram_schmidt(const problem *p, slip s, double *Q)
{
    const int nv = p->nv;
    memcpy(Q, p->X, sizeof *Q * (size_t)(p->n * nv));
    for (int j = 0; j < nv; j++) {
        double h[MAX_VECTORS], length = sqrt(dot(p->n, nv, Q, j, Q, j));
        for (int64_t i = 0; i < p->n && s == LENGTH_FIRST; i++) Q[i * nv + j] /= length;
        const int first = s == LAST_ONLY && j > 0 ? j - 1 : 0;
        for (int k = first; k < j && p->which == CGS; k++)
            h[k] = dot(p->n, nv, s == ONTO_X || s == DOTS_OF_X ? p->X : Q, k, Q, j);
        for (int k = first; k < j; k++) {
            if (p->which == MGS)
                h[k] = dot(p->n, nv, s == ONTO_X || s == DOTS_OF_X ? p->X : Q, k, Q, j);
            for (int64_t i = 0; i < p->n; i++)
                Q[i * nv + j] -= (s == ADDED ? -h[k] : h[k]) * (s == ONTO_X ? p->X : Q)[i * nv + k];
        }
        length = s == LENGTH_FIRST || s == NO_LENGTH ? 1 : sqrt(dot(p->n, nv, Q, j, Q, j));
        for (int64_t i = 0; i < p->n; i++) Q[i * nv + j] /= length;
    }
}

static void multiply(const problem *p, const double *T, double *Q)
{
    const spw_block X = {(double *)p->X, p->nv, p->nv}, to = {Q, p->nv, p->nv};
    spw_combine_ref(p->n, 1, &X, T, 1, &to);
}

static void slip_cholqr(const problem *p, slip s, double *Q)
{
    double G[MAX_VECTORS * MAX_VECTORS], T[MAX_VECTORS * MAX_VECTORS];
    double M[MAX_VECTORS * MAX_VECTORS] = {0};
    const int nv = p->nv;
    spw_gram_ref(p->n, nv, p->X, nv, nv, p->X, nv, G);
    if (!cholesky_inverse(nv, G, T)) return;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            if (s == T_TRANSPOSED) M[i * nv + j] = T[j * nv + i];
            for (int k = 0; k < nv && s == R_NOT_INVERSE; k++) /* R = TᵀG */
                M[i * nv + j] += j < i ? 0 : T[k * nv + i] * G[k * nv + j];
            if (s == FROM_X_AGAIN) M[i * nv + j] = i == j;
        }
    multiply(p, M, Q);
}

static void slip_svqb(const problem *p, slip s, double *Q)
{
    double S[MAX_VECTORS * MAX_VECTORS], T[MAX_VECTORS * MAX_VECTORS] = {0};
    double w[MAX_VECTORS], d[MAX_VECTORS];
    const int nv = p->nv;
    spw_gram_ref(p->n, nv, p->X, nv, nv, p->X, nv, S);
    for (int j = 0; j < nv; j++)
        d[j] = s == NO_D || !(S[j * nv + j] > 0) ? 1 : 1 / sqrt(S[j * nv + j]);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) S[i * nv + j] *= d[i] * d[j];
    if (!eigen(nv, S, w)) return;
    for (int k = nv - 1, to = 0; k >= 0 && w[k] > LEAST_EIGENVALUE * w[nv - 1]; k--, to++)
        for (int i = 0; i < nv; i++) {
            const int from = s == SMALLEST ? to : k;
            const double u = s == U_TRANSPOSED ? S[i * nv + k] : S[from * nv + i];
            const double root = sqrt(w[from]);
            const double factor = s == NO_W         ? 1
                                  : s == W_NOT_ROOT ? w[k]
                                  : s == TIMES_W    ? 1 / root
                                                    : root;
            T[i * nv + to] = d[i] * u / factor;
        }
    multiply(p, T, Q);
}

#define SMALLEST_KEPT                                                                              \
    "the smallest eigenvalues were kept and the largest dropped: w is ascending, and\n"            \
    "what depends shows in the small ones"

static const struct {
    unsigned methods; /* bits */
    slip s;
    const char *text;
} slips[] = {
    {3, NO_LENGTH, "the vectors are orthogonal, but not of length 1"},
    {3, LENGTH_FIRST,
     "the vectors were normalised before the projections were subtracted: that changes\n"
     "the length once more. Subtract first, then normalise"},
    {3, ONTO_X,
     "the projections are on vectors of X: those are not orthogonal to each other.\n"
     "Project on those columns of Q that are finished"},
    {3, DOTS_OF_X,
     "the dots were taken with vectors of X, but what is subtracted are vectors of Q"},
    {3, ADDED, "the projections were added: subtract them"},
    {3, LAST_ONLY, "only the projection on the vector before was subtracted: all before it count"},
    {4 + 8, T_TRANSPOSED,
     "this is X R^-T: cholesky_inverse gives T = R^-1, upper triangular, and Q = X T"},
    {4 + 8, R_NOT_INVERSE, "this is X R: X = Q R, so Q is X times the inverse"},
    {8, FROM_X_AGAIN, "the second time begins with X again: it begins with the Q of the first"},
    {16, U_TRANSPOSED,
     "rows and columns of the eigenvectors were mixed up: eigen leaves the vector of\n"
     "w[k] in ROW k of S"},
    {16, NO_W, "the vectors are orthogonal, but of length sqrt(w): W^-1/2 is missing"},
    {16, W_NOT_ROOT, "divided by w: the length of X D^-1/2 u is sqrt(w)"},
    {16, TIMES_W, "multiplied by sqrt(w): divide"},
    {16, NO_D, "not scaled: eigenvalues of XᵀX itself mistake a short vector for a dependent one"},
    {16, SMALLEST, SMALLEST_KEPT},
};

/* Does Q look like one of these? */
static const char *known_slip(const problem *p, double *work)
{
    const int64_t size = p->n * p->nv;
    for (size_t k = 0; k < sizeof slips / sizeof *slips; k++) {
        if (!(slips[k].methods >> p->which & 1)) continue;
        for (int64_t i = 0; i < size; i++) work[i] = NAN;
        if (p->which <= MGS)
            slip_gram_schmidt(p, slips[k].s, work);
        else if (p->which == SVQB)
            slip_svqb(p, slips[k].s, work);
        else
            slip_cholqr(p, slips[k].s, work);
        double largest = 0, apart = 0;
        for (int64_t i = 0; i < size; i++) {
            largest = fmax(largest, fabs(work[i]));
            apart = !(fabs(work[i] - p->out[i]) < INFINITY)
                        ? INFINITY
                        : fmax(apart, fabs(work[i] - p->out[i]));
        }
        if (largest > 0 && apart <= 1e-6 * largest) return slips[k].text;
    }
    return NULL;
}

/* --- is it orthonormal, and does it span X? ------------------------------------------------------------------ */

static bool is_zero(const problem *p, int j)
{
    for (int64_t i = 0; i < p->n; i++)
        if (p->out[i * p->nv + j] != 0) return false;
    return true;
}

/* What the method may lose, by its rule and with room for its constant. */
static double bound(const problem *p)
{
    const double room = 100 * EPS * p->nv, square = p->kappa * p->kappa;
    return p->which == MGS ? room * p->kappa : p->which == CHOLQR2 ? room : room * square;
}

/* The largest share of a column of X that lies outside the span of Q. */
static double outside(const problem *p, double *rest)
{
    double largest = 0;
    const int nv = p->nv;
    memcpy(rest, p->X, sizeof *rest * (size_t)(p->n * nv));
    for (int j = 0; j < nv; j++) {
        const double length = sqrt(dot(p->n, nv, rest, j, rest, j));
        for (int k = 0; k < nv; k++) {
            const double h = dot(p->n, nv, p->out, k, rest, j);
            for (int64_t i = 0; i < p->n; i++) rest[i * nv + j] -= h * p->out[i * nv + k];
        }
        if (length > 0) largest = fmax(largest, sqrt(dot(p->n, nv, rest, j, rest, j)) / length);
    }
    return largest;
}

/* NaN, or never written: one sentence. */
static bool garbage(spw_trial *t, const problem *p)
{
    for (int64_t k = 0; k < p->n * p->nv; k++) {
        const int i = (int)(k / p->nv), j = (int)(k % p->nv);
        if (!isfinite(p->out[k])) {
            const bool breaks = p->rank < p->nv && p->which >= CHOLQR;
            spw_trial_fail(t, "Q[%d][%d] is %g. %s", i, j, p->out[k],
                           !breaks ? "Was Q read before it was written, or divided by zero?"
                           : p->which == SVQB
                               ? "A direction that X does not have was divided by its length"
                               : "The factorisation broke down: cholesky_inverse\nreturned 0, "
                                 "and T is of no use. Return 0 then, with all of Q zero");
            return true;
        }
        if (p->out[k] == spw_poison_double(k)) {
            spw_trial_fail(t, "Q[%d][%d] was never written: columns that are not used are zero", i,
                           j);
            return true;
        }
    }
    return false;
}

/* Which columns may be used? Then false and a sentence. */
static bool wrong_columns(spw_trial *t, const problem *p)
{
    const int count = *p->count;
    int used = 0;
    for (int j = 0; j < p->nv; j++) used += !is_zero(p, j);
    if (count != p->rank && p->rank == 0 && p->which != SVQB && p->which > MGS) {
        spw_trial_fail(
            t,
            "it returned %d, but the factorisation breaks down here: cholesky_inverse\nreturned 0, "
            "and T is of no use. Return 0 then, with all of Q zero",
            count);
        return true;
    }
    if (count != p->rank) {
        const char *why =
            p->which == SVQB && p->rank == p->nv && count < p->nv
                ? "\nA short vector is not a dependent one: scale by D^-1/2 first, then "
                  "compare eigenvalues"
            : p->which <= MGS && p->rank == p->nv && count < p->nv
                ? "\nA vector depends on others if next to nothing is LEFT of it: "
                  "compare with its own\nlength before, not with a fixed number"
            : p->rank == p->nv - 1 && count == p->nv
                ? "\nWhat is left of a dependent vector is rounding: normalised, it "
                  "is a random\ndirection that X does not have. Drop it"
            : p->rank == 0 ? "\nThere is nothing to return: XᵀX is singular"
                           : "";
        spw_trial_fail(t, "it returned %d, but %d vectors are independent%s", count, p->rank, why);
        return true;
    }
    if (used != count) {
        spw_trial_fail(t, "it returned %d, but %d columns of Q are not zero", count, used);
        return true;
    }
    for (int j = 0; j < p->nv && p->which == SVQB; j++)
        if (is_zero(p, j) != (j >= count)) {
            spw_trial_fail(t, "column %d of Q is %szero: the %d used ones come first", j,
                           is_zero(p, j) ? "" : "not ", count);
            return true;
        }
    if (p->which <= MGS && count == p->nv - 1 && !is_zero(p, COLUMN)) {
        spw_trial_fail(t, "the wrong column of Q is zero: vector %d is the one that depends",
                       COLUMN);
        return true;
    }
    return false;
}

static void check_block(spw_trial *t, spw_function f)
{
    const problem *p = of(t);
    const int nv = p->nv;
    (void)f;
    if (garbage(t, p)) return;
    double *work = (double *)spw_trial_memory(t, p->n * nv, sizeof *work);
    if (!work) return;
    double square = 0, odd = 1;
    int at = -1;
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++) {
            const double g = dot(p->n, nv, p->out, a, p->out, b);
            const double rest = g - (a == b && !is_zero(p, a));
            square += rest * rest;
            if (a == b && fabs(rest) > fabs(odd - 1) + 1e-3 + bound(p)) odd = g, at = a;
        }
    const double loss = sqrt(square), out = outside(p, work);
    const bool right = loss <= bound(p) + 1e-13 && (out <= 1e-9 + 4 * loss || *p->count == 0);
    const char *known = right && *p->count == p->rank ? NULL : known_slip(p, work);
    if (known) {
        spw_trial_fail(t, "||I - QᵀQ|| = %.1e, may be %.0e\n%s", loss, bound(p), known);
        return;
    }
    if (wrong_columns(t, p)) return;
    if (at >= 0)
        spw_trial_fail(t, "column %d of Q has the length %.4g, not 1%s", at, sqrt(odd),
                       p->which == SVQB && odd < 1e-6 ? "\n" SMALLEST_KEPT : "");
    else if (loss > bound(p) + 1e-13)
        spw_trial_fail(
            t, "||I - QᵀQ|| = %.1e, may be %.0e at this kappa%s", loss, bound(p),
            p->which == MGS ? "\nLike EPS kappa^2: are all dots taken with the vector as it was at "
                              "first? That is\nclassical Gram-Schmidt. Take the next dot when the "
                              "last projection is gone"
            : p->which == CHOLQR2
                ? "\nThis is what one time leaves. times is 2: the same again, with Q in "
                  "X's place"
                : "");
    else if (!right)
        spw_trial_fail(t, "Q is orthonormal, but a vector of X lies outside its span: %.1e of it",
                       out);
}

static const char *const forbidden[] = {"spw_orthonormalise", "spw_ortho_transform",
                                        "spw_orthogonality_loss", NULL};

static const spw_part parts[] = {
    {.function = "gram",
     .model = "gram_cost",
     .cases = gram_cases,
     .setup = set_up_gram,
     .call = call_gram,
     .predict = predict_gram,
     .cost = cost_of_gram,
     .explain_model = explain_gram,
     .speed = "timed",
     .traffic = "traffic",
     .target = 0.6,
     .stretch = {"library, register tiles", library_gram}},
    {.function = "combine",
     .model = "combine_cost",
     .cases = combine_cases,
     .setup = set_up_combine,
     .call = call_combine,
     .predict = predict_combine,
     .cost = cost_of_combine,
     .explain_model = explain_combine,
     .speed = "timed",
     .traffic = "traffic",
     .target = 0.6,
     .stretch = {"library, register tiles", library_combine}},
    {.function = "passes", .cases = formula_cases, .setup = set_up_passes, .call = call_passes},
    {.function = "largest_kappa",
     .cases = formula_cases,
     .setup = set_up_kappa,
     .call = call_kappa},
    {.function = "cgs",
     .cases = cgs_cases,
     .setup = set_up_cgs,
     .call = call_ortho,
     .claim = check_block},
    {.function = "mgs",
     .cases = mgs_cases,
     .setup = set_up_mgs,
     .call = call_ortho,
     .claim = check_block},
    {.function = "cholqr",
     .cases = cholqr_cases,
     .setup = set_up_cholqr,
     .call = call_cholqr,
     .claim = check_block},
    {.function = "svqb",
     .cases = svqb_cases,
     .setup = set_up_svqb,
     .call = call_ortho,
     .claim = check_block},
};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = (int)(sizeof parts / sizeof *parts),
                                     .forbidden = forbidden},
                     argc, argv);
}

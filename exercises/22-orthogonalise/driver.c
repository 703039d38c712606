/* Exercise 22: tall and skinny products and orthogonalisation, on the CPU. */
#include "orthogonalise.h"

#define WRITE_ALLOCATE "Y is written, not read. The write-allocate read is not in the model"
#include "problem.h"

#include "base/random.h"
#include "judge/explain.h"

#include <stdio.h>

/* --- gram and combine ------------------------------------------------------------------------------------- */

static void prepare_gram(spw_trial *t, const char *name, void *at) {
    operands *o = (operands *)at;
    take_sizes(t, name, o);
    keep_ld(t, o, (o->p > o->q ? o->p : o->q) + (int64_t)spw_kit_value(t, "gap"));
    spw_trial_say(t, "n = %lld, %d and %d vectors, ld %lld%s", (long long)o->n, o->p, o->q,
                  (long long)o->ld, o->same ? ", Y is X" : "");
}

SPW_CALL(call_gram, gram, const operands *o, o->n, o->p, o->X, o->q, Y_of(o), o->ld, o->out)
SPW_PREDICT(predict_gram, gram_cost, const operands *o, o->n, o->p, o->q)
SPW_RIVAL(library_gram, const operands *o,
          spw_gram_omp(o->n, o->p, o->X, o->ld, o->q, Y_of(o), o->ld, o->out))

static void library_combine(spw_trial *t) {
    const operands *o = (const operands *)spw_kit_called(t);
    const spw_block X = {(double *)o->X, o->p, o->p}, Y = {o->out, o->p, o->p};
    spw_combine_omp(o->n, 1, &X, o->C, 1, &Y);
}

static const spw_argument of_gram[] = {
    GRAM_BLOCKS, SPW_OUTPUT_AS("C", operands, out, "p q", ), {0}};
static const spw_kit gram_kit = {GRAM("@gap=0/same=0", "n p; n")};

/* --- the two formulas ------------------------------------------------------------------------------------- */

static const char *const names[] = {"cgs", "mgs", "cholqr", "cholqr2", "svqb", NULL};
static const char *const passes_cases[] = {"cgs",   "mgs",   "cholqr",   "cholqr2",   "svqb",
                                           "cgs@1", "mgs@1", "cholqr@1", "cholqr2@1", "svqb@1",
                                           "cgs@2", "mgs@2", NULL};
#define IS(m) (1 << (m))
#define ALL   31

/* What it is for some methods, and, with a text, what it is not. */
typedef struct known_value {
    unsigned methods;
    const char *terms, *text;
} known_value;

typedef struct formula {
    const known_value *known;
    method which;
    int nv;
    double loss;
    double *value;
} formula;

static const known_value known_passes[] = {
    {IS(CGS), "3 nv - 2", NULL},
    {IS(MGS), "nv nv", NULL},
    {IS(CHOLQR) | IS(SVQB), "2", NULL},
    {IS(CHOLQR2), "4", NULL},
    {IS(CGS), "nv nv", "that is modified Gram-Schmidt: here all dots of a vector share one loop"},
    {IS(CGS), "3 nv", "the first vector is only scaled: nothing is before it"},
    {IS(CGS), "3 nv - 1",
     "vector 0 has no projection: it takes one loop, its scaling, and not two"},
    {IS(CGS), "2 nv - 2", "scaling is a loop over the rows, too"},
    {IS(CGS), "2 nv - 1",
     "a projection is two loops: the dots, and the subtraction, which needs all of them"},
    {IS(MGS), "3 nv - 2",
     "that is classical Gram-Schmidt: here each pair of vectors has loops of its own"},
    {IS(MGS), "nv (nv - 1) / 2", "the number of pairs: each takes two loops"},
    {IS(MGS), "nv (nv + 1) / 2", "each pair takes two loops, the dot and the subtraction"},
    {IS(CGS), "2 nv", "each vector but the first takes three: dots, subtraction, scaling"},
    {IS(MGS), "nv (nv - 1)", "scaling is a loop over the rows, too: nv more"},
    {IS(MGS), "nv (nv + 1)", "a vector is projected on those before it: 0, 1, .. nv - 1 of them"},
    {IS(CHOLQR) | IS(CHOLQR2) | IS(SVQB), "1",
     "the Gram matrix has to be complete before the block is combined: two loops"},
    {IS(CHOLQR2), "2", "twice: the second time takes as many loops as the first"},
    {IS(CHOLQR) | IS(CHOLQR2) | IS(SVQB), "3",
     "Q is written in the loop that reads X: reading counts"},
    {IS(CHOLQR) | IS(CHOLQR2) | IS(SVQB), "2 nv",
     "all vectors share a loop: the number of them does not matter"},
    {0}};

/* linear: loss / EPS, and root its root; twice: 1 / sqrt(EPS) */
static const known_value known_kappas[] = {
    {IS(MGS), "linear", NULL},
    {IS(CHOLQR2), "twice", NULL},
    {IS(CGS) | IS(CHOLQR) | IS(SVQB), "root", NULL},
    {ALL, "linear",
     "the Gram matrix has the condition number kappa^2, and so the loss\nis EPS kappa^2"},
    {IS(MGS), "root", "modified Gram-Schmidt loses EPS kappa, not EPS kappa^2"},
    {IS(CHOLQR2), "root",
     "after the second time the loss is EPS, whatever kappa was. The limit is\n"
     "where the first time breaks down: EPS kappa^2 = 1"},
    {ALL, "1 / linear", "turned round: the loss is EPS times a power of kappa"},
    {ALL, "loss linear", "EPS kappa^2 = loss: take the square root of both"},
    {ALL, "root twice", "EPS kappa^2 = loss: divide first, then the square root"},
    {IS(MGS), "linear / loss", "the loss is EPS kappa, and it may be `loss`: kappa = loss / EPS"},
    {ALL, "linear / loss", "CHOLQR2 begins with CHOLQR: that breaks down where EPS kappa^2 = 1"},
    {0}};

static void prepare_passes(spw_trial *t, const char *name, void *at) {
    formula *o = (formula *)at;
    *o = (formula){.known = known_passes, .nv = (int)spw_kit_value(t, "vectors")};
    if (!o->nv) o->nv = 7 + (int)(spw_trial_seed(t) % 20);
    while (strcmp(name, names[o->which]) != 0) o->which = (method)(o->which + 1);
    spw_kit_quantity(t, ".nv", o->nv);
    spw_trial_say(t, "nv = %d", o->nv);
}

static void prepare_kappa(spw_trial *t, const char *name, void *at) {
    formula *o = (formula *)at;
    prepare_passes(t, name, at);
    o->known = known_kappas;
    o->loss = pow(10, -4 - (double)(spw_trial_seed(t) % 9));
    spw_kit_quantity(t, ".loss", o->loss);
    spw_kit_quantity(t, ".linear", o->loss / EPS);
    spw_kit_quantity(t, ".root", sqrt(o->loss / EPS));
    spw_kit_quantity(t, ".twice", 1 / sqrt(EPS));
    spw_trial_say(t, "loss %.0e", o->loss);
}

/* What is right for many vectors and wrong for few is another mistake than those of a formula. */
static void expect_formula(spw_trial *t, const void *at) {
    const formula *o = (const formula *)at;
    for (const known_value *known = o->known; known->methods; known++) {
        if (!(known->methods & IS(o->which)) || (known->text && o->nv < 7)) continue;
        double *value = spw_kit_doubles(t, 1);
        *value = spw_kit_value(t, known->terms);
        if (known->text)
            spw_trial_mistake(t, o->value, value, known->text);
        else
            spw_kit_expect_number(t, o->value, *value, 1e-12 * *value);
    }
}

SPW_RESULT(call_passes, passes, const formula *o, *o->value, o->which, o->nv)
SPW_RESULT(call_kappa, largest_kappa, const formula *o, *o->value, o->which, o->loss)

#define FORMULA(of, prepare_, call_)                                                               \
    {                                                                                              \
        of, sizeof(formula), .parameters = "@vectors=0", .prepare = prepare_, .call = call_,       \
                             .expect = expect_formula                                              \
    }
static const spw_argument of_passes[] = {SPW_NUMBER(formula, value, "passes"), {0}};
static const spw_argument of_kappa[] = {SPW_NUMBER(formula, value, "kappa"), {0}};
static const spw_kit passes_kit = FORMULA(of_passes, prepare_passes, call_passes);
static const spw_kit kappa_kit = FORMULA(of_kappa, prepare_kappa, call_kappa);

/* --- blocks for the methods ------------------------------------------------------------------------------- */

enum { COLUMN = 3 }; /* that depends, or is zero */
/* Of nearly parallel vectors. Its square, the small eigenvalues, lies between LEAST_EIGENVALUE and nv times that. */
#define APART 6e-7
/* So many elements of two equal vectors are 1, the others 0. For this number rounding leaves their Gram matrix a second
 * pivot above 0, in any order of the operations and with fused ones; but q_1, a multiple of x_1 - x_0, is exactly 0, and
 * the second factorisation breaks down. */
enum { ONES = 430 };
typedef enum twist {
    PLAIN,
    GRADED,
    DEPENDENT,
    LONG,
    ZERO_COLUMN,
    ZERO,
    PARALLEL,
    EQUAL,
    NOT_FINITE
} twist;
static const char *const told[] = {"kappa",
                                   "of lengths 1e6 to 1e-10, kappa of directions",
                                   "vector 3 = 2 x_0 - x_2, else kappa",
                                   "vector 3 = 1e6 (2 x_0 - x_2), else kappa",
                                   "vector 3 is zero, else kappa",
                                   "all zero, not kappa",
                                   "each of them x_0 + 6e-7 times a vector of a block of kappa",
                                   "x_1 = x_0, of 0 and 1, not kappa",
                                   "one element is NaN, else kappa"};

typedef struct kind {
    const char *name;
    int64_t n;
    int nv;
    double kappa;
    twist what;
} kind;

/* clang-format off */
static const kind kinds[] = {
    {"small", 7, 3, 3, PLAIN}, {"one-vector", 101, 1, 1, PLAIN}, {"plain", 300, 8, 10, PLAIN},
    {"lengths", 211, 5, 10, GRADED}, {"kappa-1e3", 300, 8, 1e3, PLAIN}, {"kappa-1e5", 300, 8, 1e5, PLAIN},
    {"kappa-1e7", 300, 8, 1e7, PLAIN}, {"kappa-1e9", 300, 8, 1e9, PLAIN}, {"kappa-1e10", 300, 8, 1e10, PLAIN},
    {"dependent", 97, 5, 10, DEPENDENT}, {"dependent-long", 97, 5, 10, LONG},
    {"zero-column", 97, 5, 10, ZERO_COLUMN}, {"zero", 50, 4, 10, ZERO},
    {"wide", 257, 33, 100, PLAIN}, {"seventeen", 257, 17, 100, PLAIN},
    {"parallel", 211, 16, 1, PARALLEL}, {"equal", 500, 2, 1, EQUAL}, {"not-finite", 97, 5, 10, NOT_FINITE}};
/* clang-format on */

typedef struct block {
    const kind *is;
    int64_t n;
    int nv, times;
    method which;
    int rank; /* vectors that must be left */
    const double *X;
    double *Q, *loss; /* loss: I - QᵀQ, with 0 in I for columns of Q that are zero */
    spw_idx *zero;    /* [nv] is all of a column of Q zero? */
    double *count;    /* what was returned */
    double *work;     /* [n nv] */
} block;

SPW_ARGUMENTS_OF(block_of, block)

/* The method and `times` stand behind the name of the case. */
static void prepare_block(spw_trial *t, const char *name, void *at) {
    block *o = (block *)at;
    const kind *k = kinds;
    double number = 1;
    while (strcmp(name, k->name) != 0) k++;
    *o = (block){.is = k, .n = k->n, .nv = k->nv, .times = (int)spw_kit_value(t, "times")};
    o->which = (method)((int)spw_kit_value(t, "method") + (o->times == 2));
    if (o->which >= CHOLQR) spw_kit_must(t, spw_small_eigen(1, &number, &number)); /* LAPACK? */
    o->rank = k->what <= GRADED ? k->nv : k->nv - 1;
    if (k->what == PARALLEL) o->rank = 1;
    if (k->what == ZERO || k->what == NOT_FINITE) o->rank = 0;
    if ((o->which == CHOLQR || o->which == CHOLQR2) && k->what > GRADED) o->rank = 0;
    o->work = spw_kit_doubles(t, k->n * k->nv);
    spw_kit_quantity(t, ".nv", k->nv);
    spw_kit_quantity(t, ".size", (double)(k->n * k->nv));
    spw_trial_say(t, "n = %lld, %d vectors, %s %.0e%s", (long long)k->n, k->nv, told[k->what],
                  k->kappa, o->times == 2 ? ", twice" : "");
}

/* X = U S Vᵀ, U and V orthonormal, S from 1 down to 1 / kappa in equal ratios. */
static void fill_with_condition(uint64_t seed, const block *o, double *X) {
    const int nv = o->nv;
    double V[MAX_VECTORS * MAX_VECTORS], *U = o->work;
    for (int64_t k = 0; k < o->n * nv; k++) U[k] = spw_random_double(seed, (uint64_t)k) - 0.5;
    for (int k = 0; k < nv * nv; k++) V[k] = spw_random_double(seed + 1, (uint64_t)k) - 0.5;
    orthonormal(o->n, nv, U);
    orthonormal(nv, nv, V);
    for (int64_t i = 0; i < o->n; i++)
        for (int b = 0; b < nv; b++) {
            double sum = 0;
            for (int a = 0; a < nv; a++)
                sum +=
                    U[i * nv + a] * pow(o->is->kappa, nv > 1 ? -a / (nv - 1.0) : 0) * V[b * nv + a];
            X[i * nv + b] = sum;
        }
}

static void fill_block(spw_trial *t, const void *at, void *array, int64_t size) {
    const block *o = (const block *)at;
    const twist what = o->is->what;
    fill_with_condition(spw_trial_seed(t), o, (double *)array);
    for (int64_t i = 0; i < o->n; i++) {
        double *x = (double *)array + i * o->nv;
        if (what == DEPENDENT || what == LONG)
            x[COLUMN] = (what == LONG ? 1e6 : 1) * (2 * x[0] - x[2]);
        if (what == ZERO_COLUMN) x[COLUMN] = 0;
        for (int j = 0; j < o->nv && what == GRADED; j++) x[j] *= pow(10, 6 - 4 * j);
        for (int j = 0; j < o->nv && what == ZERO; j++) x[j] = 0;
        for (int j = 1; j < o->nv && what == PARALLEL; j++) x[j] = x[0] + APART * x[j];
        for (int j = 0; j < o->nv && what == EQUAL; j++) x[j] = i < ONES;
    }
    if (what == NOT_FINITE) ((double *)array)[size / 2] = NAN;
}

/* --- is it orthonormal, and does it span X? --------------------------------------------------------------- */

/* The dot of columns a of X and b of Y. */
static double dot(const block *o, const double *X, int a, const double *Y, int b) {
    double sum = 0;
    for (int64_t i = 0; i < o->n; i++) sum += X[i * o->nv + a] * Y[i * o->nv + b];
    return sum;
}

static bool is_zero(const block *o, int j) {
    for (int64_t i = 0; i < o->n; i++)
        if (o->Q[i * o->nv + j] != 0) return false;
    return true;
}

/* Is the second half of Q's first column what it was before the call, times a number? */
static bool holds_garbage(const block *o) {
    int64_t i = o->n / 2;
    const double factor = o->Q[i * o->nv] / spw_poison_double(i * o->nv);
    while (i < o->n && fabs(o->Q[i * o->nv] - factor * spw_poison_double(i * o->nv)) <=
                           1e-10 * fabs(o->Q[i * o->nv]))
        i++;
    return factor != 0 && i == o->n;
}

/* Was all of Q written, with numbers that are X's? Else a sentence. */
static bool has_numbers(spw_trial *t, const block *o) {
    const bool breaks = o->rank < o->nv && o->which >= CHOLQR;
    int64_t k = 0;
    while (k < o->n * o->nv && isfinite(o->Q[k]) && o->Q[k] != spw_poison_double(k)) k++;
    const int i = (int)(k / o->nv), j = (int)(k % o->nv);
    if (k == o->n * o->nv && holds_garbage(o))
        return spw_trial_fail(t, "column 0 of Q ends with what Q held before the call, times a "
                                 "number. Was X\ncopied to Q first, all of its n nv numbers?");
    if (k == o->n * o->nv) return true;
    if (isfinite(o->Q[k]))
        return spw_trial_fail(t, "Q[%d][%d] was never written: columns that are not used are zero",
                              i, j);
    return spw_trial_fail(
        t, "Q[%d][%d] is %g. %s", i, j, o->Q[k],
        o->is->what == ZERO_COLUMN && !breaks
            ? "Here vector 3 is zero, and 0 / 0 is NaN: a vector of which\nnothing is left is not "
              "divided by its length, its column is zero"
        : !breaks ? "Was Q read before it was written, or divided by zero?"
        : o->is->what == NOT_FINITE
            ? "X has a NaN here. Where eigen returns 0, w and S are of no use:\nreturn 0 then, "
              "with all of Q zero. X times a T of zeros is not zero where X is NaN"
        : o->which == SVQB ? "A direction that X does not have was divided by its length"
                           : "The factorisation broke down: cholesky_inverse\nreturned 0, and T is "
                             "of no use. Return 0 then, with all of Q zero");
}

static void call_block(spw_trial *t, spw_function f) {
    const block *o = block_of(t);
    *o->count = o->which == CHOLQR || o->which == CHOLQR2
                    ? SPW_AS(cholqr, f)(o->n, o->nv, o->X, o->Q, o->times)
                    : SPW_AS(cgs, f)(o->n, o->nv, o->X, o->Q);
}

/* Which columns must be zero. */
static void right_columns(const block *o, spw_idx *zero) {
    for (int j = 0; j < o->nv; j++)
        zero[j] = o->rank == o->nv - 1 && o->which <= MGS ? j == COLUMN : j >= o->rank;
}

static void derive_block(spw_trial *t) {
    const block *o = block_of(t);
    const int nv = o->nv;
    memset(o->loss, 0, sizeof *o->loss * (size_t)(nv * nv));
    for (int j = 0; j < nv; j++) o->zero[j] = is_zero(o, j);
    if (!has_numbers(t, o)) { /* which is told, if nothing else is wrong */
        *o->count = o->rank;
        right_columns(o, o->zero);
        return;
    }
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++)
            o->loss[a * nv + b] = (a == b && !o->zero[a]) - dot(o, o->Q, a, o->Q, b);
}

static void describe_zero(const spw_trial *t, int64_t j, char *text, int size) {
    snprintf(text, (size_t)size, "all of it is%s zero, and %s be",
             block_of(t)->zero[j] ? "" : " not", block_of(t)->zero[j] ? "must not" : "must");
}

static void describe_loss(const spw_trial *t, int64_t i, char *text, int size) {
    const block *o = block_of(t);
    const int a = (int)(i / o->nv), b = (int)(i % o->nv);
    const double square = 1 - o->loss[i];
    if (a != b)
        snprintf(text, (size_t)size, "columns %d and %d of Q", a, b);
    else
        snprintf(
            text, (size_t)size, "column %d of Q has the length %.4g%s", a, sqrt(square),
            o->which == SVQB && square < 1e-6
                ? ":\nthe smallest eigenvalues were kept and the largest dropped, w is ascending"
                : "");
}

/* What the method may lose, by its rule and with room for its constant. */
static double bound(const block *o, bool square) {
    const double kappa = o->is->kappa;
    return 1e-13 + 100 * EPS * o->nv * (square ? kappa * kappa : o->which == MGS ? kappa : 1);
}

/* Of the loss what rounding may leave of no method at all: there is a mistake in it, and not only the wrong method. */
static void expect_block(spw_trial *t, const void *at) {
    const block *o = (const block *)at;
    spw_idx *zero = spw_kit_indices(t, o->nv);
    right_columns(o, zero);
    spw_kit_expect_number(t, o->count, o->rank, 0);
    spw_kit_expect(t, o->zero, zero, NULL);
    spw_kit_expect_within(t, o->loss, spw_kit_doubles(t, o->nv * o->nv), bound(o, true), 0);
}

/* The largest share of a column of X that lies outside the span of Q. */
static double outside(const block *o) {
    const int nv = o->nv;
    double largest = 0, *rest = o->work;
    memcpy(rest, o->X, sizeof *rest * (size_t)(o->n * nv));
    for (int j = 0; j < nv; j++) {
        const double length = sqrt(dot(o, rest, j, rest, j));
        for (int k = 0; k < nv; k++) {
            const double h = dot(o, o->Q, k, rest, j);
            for (int64_t i = 0; i < o->n; i++) rest[i * nv + j] -= h * o->Q[i * nv + k];
        }
        if (length > 0) largest = fmax(largest, sqrt(dot(o, rest, j, rest, j)) / length);
    }
    return largest;
}

static void claim_block(spw_trial *t) {
    const block *o = block_of(t);
    const double may_be = bound(o, o->which != MGS && o->which != CHOLQR2), out = outside(o);
    double square = 0;
    for (int k = 0; k < o->nv * o->nv; k++) square += o->loss[k] * o->loss[k];
    const double loss = sqrt(square);
    if (loss > may_be)
        spw_trial_fail(
            t, "||I - QᵀQ|| = %.1e, may be %.0e at this kappa%s", loss, may_be,
            o->which == MGS
                ? "\nLike EPS kappa^2: are all dots taken with the vector as it was at first? That "
                  "is\nclassical Gram-Schmidt. Take the next dot when the last projection is gone"
            : o->which == CHOLQR2
                ? "\nThis is what one time leaves. times is 2: the same again, with Q in X's place"
                : "");
    else if (o->which == CGS && o->is->kappa >= 1e7 && loss < 30 * EPS * o->is->kappa)
        spw_trial_fail(
            t,
            "||I - QᵀQ|| = %.1e is less than classical Gram-Schmidt can keep, EPS kappa^2.\n"
            "Is each dot taken with what the last projection left? That is modified\n"
            "Gram-Schmidt: all dots of a vector come first. Or is it done twice?",
            loss);
    else if (o->which == CHOLQR && o->is->kappa >= 1e3 && loss < 50 * EPS)
        spw_trial_fail(t,
                       "||I - QᵀQ|| = %.1e is less than one Cholesky-QR can keep, EPS kappa^2.\n"
                       "times is 1 here: was it done twice all the same?",
                       loss);
    else if (out > 1e-9 + 4 * loss && *o->count != 0 && o->is->what != PARALLEL)
        spw_trial_fail(t, "Q is orthonormal, but a vector of X lies outside its span: %.1e of it",
                       out);
}

static const spw_argument of_block[] = {
    SPW_FILLED(block, X, "size", .fill = fill_block),
    SPW_OUTPUT(block, Q, "size", ),
    SPW_OUTPUT(block, zero, "nv", .noun = "column", .describe = describe_zero),
    SPW_OUTPUT_AS("I - QᵀQ", block, loss, "nv nv", .describe = describe_loss),
    SPW_NUMBER(block, count, "the number returned"),
    {0}};
#define KIT(method_)                                                                               \
    {                                                                                              \
        of_block, sizeof(block), .parameters = "@times=1/method=" method_,                         \
                                 .prepare = prepare_block, .expect = expect_block                  \
    }
static const spw_kit cgs_kit = KIT("0"), mgs_kit = KIT("1"), cholqr_kit = KIT("2"),
                     svqb_kit = KIT("4");

/* --- the declaration -------------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const grams[] = {
    "3,2,2", "7,3,3", "9,4,4@0/1", "0,3,2", "37,1,1", "101,5,1@2", "53,3,6@5", "211,13,11", "64,16,16",
    "97,64,63", NULL};
static const char *const combines[] = {
    "3,2", "11,3@1", "0,3", "37,1@1", "211,13", "67,16@1", "53,64", NULL};
static const char *const cgs_cases[] = {
    "small", "one-vector", "plain", "lengths", "kappa-1e3", "kappa-1e7", "kappa-1e9", "dependent", "dependent-long",
    "zero-column", "zero", "wide", NULL};
static const char *const mgs_cases[] = {
    "small", "one-vector", "plain", "lengths", "kappa-1e7", "kappa-1e10", "dependent",
    "dependent-long", "zero-column", "zero", "seventeen", NULL};
static const char *const cholqr_cases[] = {
    "small", "one-vector", "plain", "small@2", "lengths@2", "kappa-1e3", "kappa-1e5@2", "zero-column", "zero",
    "wide@2", "equal@2", NULL};
static const char *const svqb_cases[] = {
    "small", "one-vector", "plain", "lengths", "kappa-1e3", "kappa-1e5", "dependent", "zero-column", "zero",
    "wide", "parallel", "not-finite", NULL};
/* clang-format on */

#define BLOCK(name)                                                                                \
    SPW_PART_CALLED(#name, name##_cases, name##_kit, call_block, .derive = derive_block,           \
                    .claim = claim_block)
#define PRODUCT(name, cases_)                                                                      \
    SPW_PART(#name, cases_, name##_kit, .model = #name "_cost", .speed = "timed",                  \
             .traffic = "traffic", .target = 0.6,                                                  \
             .stretch = {.label = "library, register tiles", .call = library_##name})
static const spw_part parts[] = {
    PRODUCT(gram, grams),
    PRODUCT(combine, combines),
    SPW_PART("passes", passes_cases, passes_kit, ),
    SPW_PART("largest_kappa", names, kappa_kit, ),
    BLOCK(cgs),
    BLOCK(mgs),
    BLOCK(cholqr),
    BLOCK(svqb),
};

static const char *const allowed[] = {"spw_small_eigen", "spw_small_cholesky_inverse", NULL};

SPW_DRIVER(parts, .allowed = allowed)

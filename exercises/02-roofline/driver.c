/* Exercise 2: machines and loops on paper, on which the model and the counts are tried. What mistakes give is told by
 * the patches in tests/wrong/02-roofline. */
#include "problem.h"

#include "base/random.h"
#include "kit/kit.h"
#include "perf/roofline.h"

#include <float.h>
#include <string.h>

enum { MAX_LIMITS = 8 };

typedef struct limits {
    const char *name;
    int n_P, n_bw;
    double P[MAX_LIMITS], bw[MAX_LIMITS], I[MAX_LIMITS];
} limits;

typedef struct paper {
    limits
        machine; /* of the case: what is called with P[0], bw[0], I[0], and what arrays are filled with */
    const double *P, *bw, *I;
    double *performance; /* the result */
    int64_t n, n_rows, n_cols;
} paper;

/* What the formulas may lose in rounding: three operations, should somebody form 1 / max(1/P, 1/(bI)). */
static void expect_number(spw_trial *t, const paper *p, double truth) {
    spw_kit_expect_number(t, p->performance, truth, 4 * DBL_EPSILON * truth);
}

/* The case's row of a table; where it has none, one is drawn. */
static limits limits_of(const spw_trial *t, const char *name, const limits *sets, size_t n_sets) {
    for (size_t k = 0; k < n_sets; k++)
        if (strcmp(name, sets[k].name) == 0) return sets[k];
    limits l = {.name = "drawn", .n_P = 5, .n_bw = 7};
    for (int k = 0; k < MAX_LIMITS; k++) {
        const uint64_t seed = spw_trial_seed(t), at = 3 * (uint64_t)k;
        l.P[k] = 1e9 * (1 + 100 * spw_random_double(seed, at));
        l.bw[k] = 1e9 * (1 + 100 * spw_random_double(seed, at + 1));
        l.I[k] = 0.05 + 5 * spw_random_double(seed, at + 2);
    }
    return l;
}
#define LIMITS_OF(t, name, sets) limits_of(t, name, sets, sizeof sets / sizeof sets[0])

/* --- roofline -------------------------------------------------------------------------------------- */

/* "slides" is the example of the lecture: 10^7 iterations of a[i] = a[i] + s * c[i] take 6.0 ms.
 * "gpu" has the figures of an H100 that the lecture gives, and the intensity of dgemv. */
static const char *const roofline_cases[] = {"slides", "right",   "knee",  "left",
                                             "gpu",    "nothing", "drawn", NULL};
static const limits machines[] = {
    {"slides", 1, 1, {192e9}, {40e9}, {1.0 / 12}}, {"knee", 1, 1, {192e9}, {40e9}, {4.8}},
    {"right", 1, 1, {192e9}, {40e9}, {16}},        {"left", 1, 1, {192e9}, {40e9}, {2.4}},
    {"gpu", 1, 1, {34e12}, {3e12}, {0.25}},        {"nothing", 1, 1, {192e9}, {40e9}, {0}}};

static void prepare_roofline(spw_trial *t, const char *name, void *at) {
    paper *p = (paper *)at;
    p->machine = LIMITS_OF(t, name, machines);
    if (p->machine.n_P > 1) /* drawn: left of the knee */
        p->machine.I[0] *= p->machine.P[0] / p->machine.bw[0] / 6;
    spw_trial_say(t, "P = %.4g Gflop/s, bw = %.4g GB/s, I = %.3g flop/byte", p->machine.P[0] * 1e-9,
                  p->machine.bw[0] * 1e-9, p->machine.I[0]);
}

static void expect_performance(spw_trial *t, const void *at) {
    const paper *p = (const paper *)at;
    const limits *m = &p->machine;
    expect_number(t, p, spw_roofline_performance(m->I[0], m->bw[0], m->P[0]));
}

SPW_RESULT(call_roofline, roofline, const paper *p, *p->performance, p->machine.P[0],
           p->machine.bw[0], p->machine.I[0])

static const spw_argument number[] = {SPW_NUMBER(paper, performance, "performance"), {0}};
static const spw_kit roofline_kit =
    SPW_KIT_OF(number, paper, call_roofline, expect_performance, .prepare = prepare_roofline);

/* --- roofline_multi -------------------------------------------------------------------------------- */

static const char *const multi_cases[] = {
    "last-ceiling", "first-ceiling", "last-path", "first-path",
    "blocked",      "one-of-each",   "drawn",     NULL};

/* "blocked" is a loop that takes its data from the caches: few bytes come from memory, and the
 * third cache decides, not the path with the least bw, nor the first. "one-of-each" is a machine of two exaflop/s. */
static const limits sets[] = {
    {"last-ceiling", 3, 2, {192e9, 96e9, 24e9}, {600e9, 40e9}, {2, 16}},
    {"first-ceiling", 3, 2, {12e9, 96e9, 24e9}, {600e9, 40e9}, {2, 16}},
    {"last-path", 2, 3, {192e9, 96e9}, {1500e9, 600e9, 40e9}, {0.25, 0.0625, 0.125}},
    {"first-path", 2, 3, {192e9, 96e9}, {800e9, 600e9, 40e9}, {0.0625, 0.125, 2}},
    {"blocked", 2, 4, {192e9, 96e9}, {1500e9, 700e9, 250e9, 40e9}, {0.125, 0.125, 0.25, 8}},
    {"one-of-each", 1, 1, {2e18}, {1e17}, {32}},
};

static void prepare_multi(spw_trial *t, const char *name, void *at) {
    limits *l = &((paper *)at)->machine;
    *l = LIMITS_OF(t, name, sets);
    spw_kit_quantity(t, ".n_P", l->n_P);
    spw_kit_quantity(t, ".n_bw", l->n_bw);
    spw_trial_say(t, "%d ceiling%s, %d data path%s", l->n_P, l->n_P == 1 ? "" : "s", l->n_bw,
                  l->n_bw == 1 ? "" : "s");
}

static void fill(spw_trial *t, const void *at, void *array, int64_t n) {
    const paper *p = (const paper *)at;
    const double *from = array == p->P    ? p->machine.P
                         : array == p->bw ? p->machine.bw
                                          : p->machine.I;
    (void)t;
    memcpy(array, from, (size_t)n * sizeof(double));
}

static void expect_multi(spw_trial *t, const void *at) {
    const paper *p = (const paper *)at;
    const limits *l = &p->machine;
    expect_number(t, p, spw_roofline_bound(l->n_P, l->P, l->n_bw, l->bw, l->I));
}

SPW_RESULT(call_multi, roofline_multi, const paper *p, *p->performance, p->machine.n_P, p->P,
           p->machine.n_bw, p->bw, p->I)

static const spw_argument of_multi[] = {SPW_FILLED(paper, P, "n_P", .fill = fill),
                                        SPW_FILLED(paper, bw, "n_bw", .fill = fill),
                                        SPW_FILLED(paper, I, "n_bw", .fill = fill),
                                        SPW_NUMBER(paper, performance, "performance"),
                                        {0}};
static const spw_kit multi =
    SPW_KIT_OF(of_multi, paper, call_multi, expect_multi, .prepare = prepare_multi);

/* --- the four counts ------------------------------------------------------------------------------- */

/* Each is the model of a part whose function is roofline, called with the loop's true intensity on the machine of the
 * lecture. "large" is asked last: its bytes are more than an int holds, and have more digits than a float. */
static const char *const count_cases[] = {"large", "one", "none", "thousand", "lecture", NULL};

/* Behind the sizes: the lecture's machine, and the intensity of the loop that the part is about. */
static void prepare_machine(spw_trial *t, paper *p) {
    p->machine = (limits){"lecture", 1, 1, {192e9}, {40e9}, {spw_cost_intensity(spw_kit_cost(t))}};
}

static void prepare_vector(spw_trial *t, const char *name, void *at) {
    paper *p = (paper *)at;
    p->n = strcmp(name, "none") == 0       ? 0
           : strcmp(name, "one") == 0      ? 1
           : strcmp(name, "thousand") == 0 ? 1000
           : strcmp(name, "large") == 0    ? 3141592653
                                           : 10000000;
    spw_kit_quantity(t, "n", (double)p->n);
    spw_trial_say(t, "n = %lld", (long long)p->n);
    prepare_machine(t, p);
}

static void prepare_matrix(spw_trial *t, const char *name, void *at) {
    paper *p = (paper *)at;
    const bool one = strcmp(name, "one") == 0, large = strcmp(name, "large") == 0;
    p->n_rows = strcmp(name, "none") == 0 ? 0 : one ? 1 : large ? 100003 : 1009;
    p->n_cols = one ? 1 : large ? 50021 : 503;
    spw_kit_quantity(t, "entries", (double)p->n_rows * (double)p->n_cols);
    spw_kit_quantity(t, "n_rows", (double)p->n_rows);
    spw_kit_quantity(t, "n_cols", (double)p->n_cols);
    spw_trial_say(t, "%lld x %lld", (long long)p->n_rows, (long long)p->n_cols);
    prepare_machine(t, p);
}

SPW_PREDICT(predict_vector, daxpy_cost, const paper *p, p->n)
SPW_PREDICT(predict_matrix, dgemv_cost, const paper *p, p->n_rows, p->n_cols)

#define STORED     "The result is stored, too: count it."
#define IN_BYTES   "loads and stores are counted in bytes: a double has 8 of them."
#define FOUR_FLOPS "Two multiplications, a subtraction and an addition: 4 flop."
#define BOTH       "Additions and multiplications both count."
static const spw_slip daxpy_slips[] = {
    {"= load 8 n", "y is read before it is written: two arrays are loaded."},
    {"= load 24 n", "There is no write-allocate here: y has just been loaded, it is in the cache."},
    {"= store 0", STORED},
    {"= load 2 n; store n", IN_BYTES},
    {"= flop n", BOTH},
    {0}};
static const spw_slip dot_slips[] = {
    {"> load 16 n", "sum stays in a register: it is neither loaded nor stored."},
    {"> store 0", "sum stays in a register: it is neither loaded nor stored."},
    {"= load 2 n", IN_BYTES},
    {"= flop n", BOTH},
    {0}};
static const spw_slip update_slips[] = {
    {"= load 16 n", "Three arrays are read: r, v, and p, which is written as well."},
    {"= load 32 n", "There is no write-allocate here: p has just been loaded, it is in the cache."},
    {"= store 0", STORED},
    {"= load 40 n; store 24 n", "These are three loops. In one, what they share is moved once."},
    {"= load 3 n; store n", IN_BYTES},
    {"> flop 4 n", FOUR_FLOPS},
    {"= flop 3 n", FOUR_FLOPS},
    {"= flop 2 n", BOTH},
    {0}};
static const spw_slip dgemv_slips[] = {
    {"= load 8 n_rows", "A has an entry for each row and column: n_rows * n_cols of them."},
    {"> load 8 entries", "Count the matrix only: x and y are small, they stay in a cache."},
    {"> store 0", "Count the matrix only: x and y are small, they stay in a cache."},
    {"= load entries", IN_BYTES},
    {"= flop entries", BOTH},
    {0}};

#define COUNT(name, of, cost_)                                                                     \
    static const spw_kit name##_kit =                                                              \
        SPW_KIT_OF(number, paper, call_roofline, expect_performance, .prepare = prepare_##of,      \
                   .predict = predict_##of, .cost = cost_, .slips = name##_slips);
COUNT(daxpy, vector, "load 16 n; store 8 n; flop 2 n")
COUNT(dot, vector, "load 16 n; flop 2 n")
COUNT(update, vector, "load 24 n; store 8 n; flop 4 n")
COUNT(dgemv, matrix, "load 8 entries; flop 2 entries")

#define PART(name) SPW_PART("roofline", count_cases, name##_kit, .model = #name "_cost")
static const spw_part parts[] = {
    SPW_PART("roofline", roofline_cases, roofline_kit, ),
    SPW_PART("roofline_multi", multi_cases, multi, ),
    PART(daxpy),
    PART(dot),
    PART(dgemv),
    PART(update),
};

SPW_DRIVER(parts, .own_check_name = "PREDICT", .own_check = check_prediction)

/* Exercise 1: what its two parts have in common: arrays, triad and sum, and words for wrong models. */
#include "kernels/costs.h"
#include "kit/kit.h"

#include <stdlib.h>
#include <string.h>

typedef struct loop {
    int64_t n;
    const double *b, *c;
    const double *in; /* a of sum */
    double *a, *part, *sum;
    int threads;
    spw_idx *owner; /* [n of a's pages + 1] of init_first_touch, in case "pages" */
} loop;

/* Exact in double. */
#define SCALE 2.5

SPW_PREDICT(predict, triad_cost, const loop *l, l->n)

static const spw_argument of_triad[] = {SPW_VALUES(loop, n),
                                        SPW_RANDOM(loop, b, "n"),
                                        SPW_RANDOM(loop, c, "n"),
                                        SPW_OUTPUT(loop, a, "n", ),
                                        {0}};

static void expect_triad(spw_trial *t, const void *at) {
    static const spw_combination rows[] = {
        {{1, SCALE}, NULL},
        {{SCALE, 1}, "b and c are swapped, these are s b + c: s belongs to c"},
        {{1, 1}, "s is missing: these are b + c"},
        {{0, SCALE}, "these are s c: b was left out"},
        {{1, 0}, "these are b: s c was left out"},
        {{1, -SCALE}, "the sign is wrong: these are b - s c"},
    };
    const loop *l = (const loop *)at;
    spw_kit_expect_combination(t, l->a, l->n, (const double *[3]){l->b, l->c}, rows,
                               sizeof rows / sizeof rows[0]);
}

SPW_CALL(call_triad, triad, const loop *l, l->n, SCALE, l->b, l->c, l->a)

static void expect_sum(spw_trial *t, const void *at) {
    const loop *l = (const loop *)at;
    spw_kit_expect_sum(t, l->sum, l->n, l->in, NULL);
}

/* WRITE_ALLOCATE: what it is here, of the driver. */
#define IN_BYTES "loads and stores are counted in bytes: a double has 8 of them"
static const spw_slip triad_slips[] = {
    {"load 8 n", WRITE_ALLOCATE "\n(Or is it s? That stays in a register.)"},
    {"store 8 n", "one array is stored, 8 bytes an element; there is no write-allocate"},
    {"load -8 n", "two arrays are loaded, b and c, 8 bytes each"},
    {"load -8 n; store -4 n", "a double has 8 bytes"},
    {"load -14 n; store -7 n", IN_BYTES},
    {"= store 0", "a is written, too"},
    {"flop -n", "a multiplication and an addition: 2 flops. A fused operation counts as 2"},
    {"flop n", "a multiplication and an addition: 2 flops; i++ is not counted"},
    {0}};

#define KIT(name, expect_, cost_, ...)                                                             \
    static const spw_kit name##_kit =                                                              \
        SPW_KIT_OF(of_##name, loop, call_##name, expect_, .facts = "n = {n}", .predict = predict,  \
                   .cost = cost_, .slips = name##_slips, __VA_ARGS__);
KIT(triad, expect_triad, SPW_COST_TRIAD, )

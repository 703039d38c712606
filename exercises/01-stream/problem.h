/* Exercise 1: what its two parts have in common: triad and sum, their cost, and what goes wrong in them. */
#include "kernels/costs.h"
#include "kit/kit.h"

#include "perf/working_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef spw_cost (*cost_fn)(int64_t);

typedef struct loop {
    int64_t n;
    const double *b, *c;
    const double *in; /* a of sum */
    double *a, *part, *sum;
} loop;

/* Exact in double, so that a product with it says nothing on how it was rounded. */
#define SCALE 2.5

/* The n entries that an array has in a case of so many arrays: "n=1000", or a name. */
static void size_of(spw_trial *t, const char *name, loop *l, int arrays)
{
    static const struct {
        const char *name;
        int64_t n;
    } sizes[] = {{"one", 1},           {"none", 0},      {"two", 2},           {"seven", 7},
                 {"prime", 1009},      {"long", 100003}, {"million", 1000003}, {"pages", 1024},
                 {"traffic", 1000000}, {"memory", 0}};
    size_t k = 0;
    while (strcmp(sizes[k].name, name) != 0 && strcmp(sizes[k].name, "memory") != 0) k++;
    l->n = strncmp(name, "n=", 2) == 0 ? strtoll(name + 2, NULL, 10) : sizes[k].n;
    if (strcmp(name, "memory") == 0) {
        l->n = spw_default_working_set() / arrays / (int64_t)sizeof(double);
        spw_trial_say(t, "n = %.1f M, %.0f MB", 1e-6 * (double)l->n, 8e-6 * arrays * (double)l->n);
    } else {
        spw_trial_say(t, "n = %lld", (long long)l->n);
    }
    spw_kit_quantity(t, "n", (double)l->n);
}

static void one_array(spw_trial *t, const char *name, void *at)
{
    size_of(t, name, (loop *)at, 1);
}

static void three_arrays(spw_trial *t, const char *name, void *at)
{
    size_of(t, name, (loop *)at, 3);
}

static spw_cost predict(const void *at, spw_function model)
{
    return ((cost_fn)model)(((const loop *)at)->n);
}

static void describe_triad(const spw_trial *t, int64_t i, char *text, int size);

static const spw_argument of_triad[] = {
    SPW_RANDOM(loop, b, "n"),
    SPW_RANDOM(loop, c, "n"),
    SPW_OUTPUT(loop, a, "n", .describe = describe_triad),
    {0},
};

static void expect_triad(spw_trial *t, const void *at)
{
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

static void expect_sum(spw_trial *t, const void *at)
{
    const loop *l = (const loop *)at;
    spw_kit_expect_sum(t, l->sum, l->n, l->in, NULL);
}

/* WRITE_ALLOCATE: what it is here, of the driver. */
static const spw_slip triad_slips[] = {
    {"load 8 n", WRITE_ALLOCATE},
    {"store 8 n", "one array is stored, 8 bytes an element; there is no write-allocate"},
    {"load -8 n", "two arrays are loaded, b and c, 8 bytes each"},
    {"load -8 n; store -4 n", "a double has 8 bytes"},
    {"load -14 n; store -7 n", "loads and stores are counted in bytes: a double has 8 of them"},
    {"= store 0", "a is written, too"},
    {"flop -n", "a multiplication and an addition: 2 flops. A fused operation counts as 2"},
    {0},
};

/* Exercise 13: the device's part of the rows, from two bandwidths. */
#include "problem.h"

#include <stdio.h>

typedef double (*part_fn)(double, double);

typedef struct best {
    double *part; /* of each pair */
} best;

static const double bandwidths[][2] = {{10, 10},     {100, 300}, {300, 100},
                                       {20.6, 69.8}, {25, 0},    {1, 999}};
enum { PAIRS = sizeof bandwidths / sizeof bandwidths[0] };

static void describe_pair(const spw_trial *t, int64_t k, char *text, int size)
{
    (void)t;
    snprintf(text, (size_t)size, "host %g GB/s, device %g GB/s", bandwidths[k][0],
             bandwidths[k][1]);
}

static void prepare_part(spw_trial *t, const char *name, void *at)
{
    (void)name;
    (void)at;
    spw_kit_quantity(t, ".pairs", PAIRS);
    spw_trial_say(t, "%d pairs of bandwidths", PAIRS);
}

static void expect_part(spw_trial *t, const void *at)
{
    double *const right = spw_kit_doubles(t, PAIRS), *const tolerance = spw_kit_doubles(t, PAIRS);
    for (int k = 0; k < PAIRS; k++) {
        right[k] = bandwidths[k][1] / (bandwidths[k][0] + bandwidths[k][1]);
        tolerance[k] = 1e-12;
    }
    spw_kit_expect(t, ((const best *)at)->part, right, tolerance);
}

static void call_part(const void *at, spw_function f)
{
    const best *const d = (const best *)at;
    for (int k = 0; k < PAIRS; k++) d->part[k] = ((part_fn)f)(bandwidths[k][0], bandwidths[k][1]);
}

static const spw_argument arguments[] = {
    SPW_OUTPUT(best, part, "pairs", .noun = "pair", .describe = describe_pair), {0}};
const spw_kit spw_best_part = {arguments, sizeof(best), .prepare = prepare_part, .call = call_part,
                               .expect = expect_part};

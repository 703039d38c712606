/* Exercise 12: what the drivers of both parts share. */
#pragma once

#include "kit/kit.h"
#include "kit/systems.h"
/* What x may be off after some steps, times its largest |x[i]|: on the processor and on the GPU. */
#define CG_TOLERANCE_OF_X 1e-10

/* x += alpha p; r -= alpha q. Returns what r must be. */
static inline const double *cg_expect_update(spw_trial *t, int64_t n, double alpha, const double *p,
                                             const double *q, const double *x, const double *r) {
    const double a = alpha, *from_x = spw_kit_start(t, x), *from_r = spw_kit_start(t, r);
    const spw_combination of_x[] = {{{1, a, 0}, NULL},
                                    {{1, -a, 0}, "the sign is wrong: this is x - alpha p"},
                                    {{1, 0, a}, "x moves along p, not along q"}};
    const spw_combination of_r[] = {
        {{1, 0, -a}, NULL},
        {{1, 0, a},
         "the sign is wrong: this is r + alpha q. r = b - A x, so r falls by alpha A p\n"
         "when x grows by alpha p"},
        {{1, -a, 0}, "r falls by alpha q, q = A p, not by p"}};
    spw_kit_expect_combination(t, x, n, (const double *[]){from_x, p, q}, of_x, 3);
    return spw_kit_expect_combination(t, r, n, (const double *[]){from_r, p, q}, of_r, 3);
}

/* Wrong models of an iteration that both may get. */
static const spw_slip cg_slips[] = {
    {"load 4 nz", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load -4 nz", "the column of each entry has to be loaded too: 8 + 4 = 12 bytes"},
    {"load 8 nz - 8 n", "p is counted once an entry: what must be loaded is each p[j] once"},
    {"store -8 n", "one of the four stores is missing: q, x, r and p are written"},
    {"flop -nz", "each entry costs a multiplication and an addition: 2 flop"},
    {"flop -2 n", "2 n flop are missing: p.q, x, r, r.r and p take 2 n each"},
    {"flop -4 n", "4 n flop are missing: p.q, x, r, r.r and p take 2 n each"},
    {0}};

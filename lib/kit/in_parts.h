/* kit/in_parts.h -- sums that a kernel on the device leaves in parts: block b its share of sum k in
 * parts[k * blocks + b], 0 if it had no element. Blocks of 256 threads; thread i mod threads has element i.
 *
 * The driver's struct has a spw_in_parts, and `parts` among the arguments:
 *     SPW_ROOM(problem, sums.parts, "2 blocks", .name = "parts")
 *     spw_in_parts_sum(t, &p->sums, "c.r", n, c, r, 0);      in expect, for each of the sums
 *     spw_in_parts_check(t, &p->sums);                       in the claim */
#pragma once

#include "base/extern_c.h"
#include "kit/kit.h"

SPW_C_BEGIN

enum { SPW_IN_PARTS_MOST = 2 };

typedef struct spw_in_parts {
    double *parts;
    int blocks, count; /* of sums */
    int64_t n;         /* elements of each sum */
    struct {
        const char *name;
        const double *terms; /* [n] */
        double value, slack;
    } sum[SPW_IN_PARTS_MOST];
} spw_in_parts;

/* The next sum is that of x[i] y[i], both as they must be; extra: what their own errors add to that of the sum. */
void spw_in_parts_sum(spw_trial *t, spw_in_parts *p, const char *name, int64_t n, const double *x,
                      const double *y, double extra);

/* Fails the trial unless every part was written and they add up to the sums, with what they add up to instead. */
void spw_in_parts_check(spw_trial *t, const spw_in_parts *p);

SPW_C_END

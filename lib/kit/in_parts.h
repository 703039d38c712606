/* kit/in_parts.h -- sums that a kernel on the device leaves in parts: block b its share of sum k in
 * parts[k * blocks + b], 0 if it had no element. Blocks of 256 threads; thread i mod threads has element i.
 *
 * The driver's struct has a spw_in_parts, and `parts` among the arguments:
 *     SPW_ROOM(problem, sums.parts, "2 blocks", .name = "parts")
 *     spw_in_parts_sum(t, &p->sums, "c.r", n, c, r, 0);      in expect, for each of the sums
 *     spw_in_parts_check(t, &p->sums);                       in the claim */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "kit/kit.h"

SPW_C_BEGIN

enum { SPW_IN_PARTS_MOST = 2 };

typedef struct spw_in_parts {
    double *parts;
    int blocks, count; /* of sums */
    int64_t n;         /* elements of each sum */
    int lanes;         /* 32: warp w mod warps has element w, and not a thread */
    struct {
        const char *name;
        const double *terms; /* [n] */
        double value, slack;
    } sum[SPW_IN_PARTS_MOST];
} spw_in_parts;

/* The next sum is that of x[i] y[i], both as they must be; extra: what their own errors add to that of the sum. */
void spw_in_parts_sum(spw_trial *t, spw_in_parts *p, const char *name, int64_t n, const double *x,
                      const double *y, double extra);

/* y must be A x, and the next sum is w_y, of w and y; y_y, unless NULL: and the one after it that of y and y. */
void spw_in_parts_product(spw_trial *t, spw_in_parts *p, const double *y, const spw_csr *A,
                          const double *x, const double *w, const char *w_y, const char *y_y);

/* Fails the trial unless every part was written and they add up to the sums, with what they add up to instead. */
void spw_in_parts_check(spw_trial *t, const spw_in_parts *p);

/* Fails the trial if the parts of the first sum add up to x.y, of vectors as they were on entry. */
void spw_in_parts_stale(spw_trial *t, const spw_in_parts *p, const double *x, const double *y,
                        const char *text);

/* What structs of drivers begin with whose solver's numbers stay on the device: .parameters = SPW_STEPPING, and
 * .prepare = spw_stepping_prepare. A case is MATRIX@BLOCKS,STEPS, or LENGTH@BLOCKS, which gives the quantity n. The
 * quantity partials: doubles that hold a sum as kernels of the library leave it. */
typedef struct spw_stepping {
    spw_in_parts sums;
    const spw_csr *A;
    int64_t n;
    int steps;
} spw_stepping;
#define SPW_STEPPING "@blocks=1056,steps=2"

#define SPW_STEPPING_KIT(arguments_, struct_, call_, expect_, more_facts, ...)                     \
    SPW_KIT_OF(arguments_, struct_, call_, expect_, .parameters = SPW_STEPPING,                    \
               .prepare = spw_stepping_prepare, .facts = "n = {n}, {blocks} blocks" more_facts,    \
               __VA_ARGS__)

/* The rho that a solver leaves, where x is right, must be `right`, the dot of that name; first: before the steps. False:
 * it is not, as has been told. */
bool spw_stepping_rho(spw_trial *t, double got, double right, double slack, double first,
                      const char *dot);

void spw_stepping_prepare(spw_trial *t, const char *name, void *at);
void spw_stepping_claim(spw_trial *t); /* spw_in_parts_check */

/* For arguments: the matrix of the case, which gives the quantity n; "solved" is spw_system_fours, "skew" its own
 * transpose with the other sign. In these two the vector has whole numbers, so that what is 0 is 0 to the bit. */
spw_status spw_stepping_matrix(spw_trial *t, const void *at, void *matrix);
void spw_stepping_vector(spw_trial *t, const void *at, void *array, int64_t n);

SPW_C_END

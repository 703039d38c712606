/* Sums in parts, and what went wrong with them. */
#include "kit/in_parts.h"

#include "judge/explain.h"
#include "kernels/cuda_solver.h"
#include "kit/cases.h"
#include "kit/device_systems.h"
#include "kit/systems.h"

#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, LARGE = 1000000 };

void spw_in_parts_sum(spw_trial *t, spw_in_parts *p, const char *name, int64_t n, const double *x,
                      const double *y, double extra) {
    assert(p->count < SPW_IN_PARTS_MOST);
    double *terms = spw_kit_doubles(t, n), size = 0;
    for (int64_t i = 0; i < n; i++) {
        terms[i] = x[i] * y[i];
        size += fabs(terms[i]);
    }
    const int k = p->count++;
    p->n = n;
    p->sum[k].name = name;
    p->sum[k].terms = terms;
    p->sum[k].value = spw_taken_sum(n, terms, NULL, NULL, 0);
    p->sum[k].slack = (double)(n + 2) * DBL_EPSILON * size + extra;
}

void spw_in_parts_product(spw_trial *t, spw_in_parts *p, const double *y, const spw_csr *A,
                          const double *x, const double *w, const char *w_y, const char *y_y) {
    const int64_t n = A->n_rows;
    double *right = spw_kit_doubles(t, n), *tolerance = spw_kit_doubles(t, n), extra[2] = {0};
    spw_spmv_expected(A, x, right, tolerance);
    spw_kit_expect(t, y, right, tolerance);
    for (int64_t i = 0; i < n; i++) {
        extra[0] += fabs(w[i]) * tolerance[i];
        extra[1] += 2 * fabs(right[i]) * tolerance[i];
    }
    spw_in_parts_sum(t, p, w_y, n, w, right, extra[0]);
    if (y_y) spw_in_parts_sum(t, p, y_y, n, right, right, extra[1]);
}

/* Of warps, of which each takes an element at a time: a block has 8. */
static bool warp_0(int64_t i, int64_t threads) {
    (void)threads;
    return i % 8 == 0;
}

static bool first_round(int64_t i, int64_t threads) { return i < threads / 32; }

static const spw_taken_mistake of_warps[] = {
    {warp_0, "These are the rows of the first warp of each block"},
    {first_round, "These are the first 8 * blocks rows: a warp goes on by the warps of the grid"},
    {NULL, "Lane 0 of each warp adds up the squares of its rows, block_sum those of the block"}};

static const spw_taken_mistake of_threads[] = {
    {spw_taken_once,
     "These are the first 256 * blocks elements: a thread takes first, first + stride, ..."},
    {spw_taken_thread_0,
     "These are the numbers of thread 0 of each block: block_sum has to add up all 256"},
    {spw_taken_lane_0,
     "These are the numbers of lane 0 of each warp: its other 31 lanes are missing"},
    {spw_taken_warp_0,
     "This is the first warp of each block: the sums of the other 7 have to reach thread\n"
     "0 through shared memory"},
    {spw_taken_half, "This is the first half of each block's threads"},
    {NULL, "Each thread adds up its elements, block_sum those of the block, thread 0 stores"}};

static bool near(const spw_in_parts *p, int k, double got, double value, double times) {
    return fabs(got - value) <= times * p->sum[k].slack;
}

static const char *why(const spw_in_parts *p, int k, double got) {
    const spw_taken_mistake *m = p->lanes > 1 ? of_warps : of_threads;
    double alternate = 0;
    for (int b = 0; b < p->blocks; b++) alternate += p->parts[p->count * b + k];
    if (got == 0) return "Nothing was added up, or only what is 0 in this case";
    if (near(p, k, got, p->blocks * p->sum[k].value, p->blocks))
        return "Each block has left the sum of all rows, not of its own";
    if (p->count > 1 && near(p, 1 - k, got, p->sum[1 - k].value, 1))
        return "That is the other sum: the first lies in parts[0 .. blocks-1], the second behind";
    if (p->count > 1 && near(p, k, alternate, p->sum[k].value, 1))
        return "The two sums of a block lie side by side: the second is at blocks + blockIdx.x";
    if (near(p, k, got, 32 * p->sum[k].value, 32))
        return "That is 32 times as much: each lane of a warp has added it";
    const int64_t threads = (int64_t)p->blocks * BLOCK;
    for (; m->taken; m++)
        if (p->n <= LARGE &&
            near(p, k, got, spw_taken_sum(p->n, p->sum[k].terms, NULL, m->taken, threads), 1))
            break;
    return m->text;
}

void spw_in_parts_check(spw_trial *t, const spw_in_parts *p) {
    long double sum[SPW_IN_PARTS_MOST] = {0};
    for (int b = 0; b < p->count * p->blocks; b++) {
        sum[b / p->blocks] += p->parts[b];
        if (isfinite(p->parts[b]) && p->parts[b] != spw_poison_double(b)) continue;
        spw_trial_fail(t, "parts[%d] is %g: every block leaves %s, one that had no element %s%s", b,
                       p->parts[b], p->count > 1 ? "two sums" : "its sum",
                       p->count > 1 ? "two zeros" : "a 0",
                       isfinite(p->parts[b]) ? ".\nIt was never written" : "");
        return;
    }
    for (int k = 0; k < p->count; k++)
        if (!near(p, k, (double)sum[k], p->sum[k].value, 1))
            spw_trial_fail(t, "the %d parts of %s add up to %.15g, expected %.15g\n%s", p->blocks,
                           p->sum[k].name, (double)sum[k], p->sum[k].value,
                           why(p, k, (double)sum[k]));
}

void spw_in_parts_stale(spw_trial *t, const spw_in_parts *p, const double *x, const double *y,
                        const char *text) {
    long double sum = 0;
    for (int b = 0; b < p->blocks; b++) sum += p->parts[b];
    if (p->n > 0 && near(p, 0, (double)sum, spw_taken_sum(p->n, x, y, NULL, 0), 4))
        spw_trial_fail(t, "%s", text);
}

/* --- a solver's steps ------------------------------------------------------------------------------ */

void spw_stepping_prepare(spw_trial *t, const char *name, void *at) {
    spw_stepping *s = (spw_stepping *)at;
    s->sums.blocks = (int)spw_kit_value(t, "blocks");
    s->steps = (int)spw_kit_value(t, "steps");
    spw_kit_quantity(t, ".partials", sizeof(spw_partials) / sizeof(double) + 1);
    if (!isdigit((unsigned char)*name)) return;
    s->n = strtoll(name, NULL, 10);
    spw_kit_quantity(t, "n", (double)s->n);
}

bool spw_stepping_rho(spw_trial *t, double got, double right, double slack, double first,
                      const char *dot) {
    char why[100] = "";
    if (fabs(got - right) <= slack) return true;
    if (fabs(got - first) <= 1e-14 * first)
        snprintf(why, sizeof why,
                 ".\nrho stays that of the first step: once beta is known, %s is the new rho", dot);
    spw_trial_fail(t, "x is right, but numbers[RHO] is %.9g on return, expected %s = %.9g%s", got,
                   dot, right, why);
    return false;
}

void spw_stepping_claim(spw_trial *t) {
    spw_in_parts_check(t, &((const spw_stepping *)spw_kit_arguments(t))->sums);
}

spw_status spw_stepping_matrix(spw_trial *t, const void *at, void *matrix) {
    static const double skew[] = {0, 1, -1, 0};
    const char *name = spw_kit_case(t);
    spw_csr *A = (spw_csr *)matrix;
    const bool solved = strcmp(name, "solved") == 0;
    if (!solved && strcmp(name, "skew") != 0) return spw_kit_system(t, at, matrix);
    const spw_status status = solved ? spw_system_fours(40, A) : spw_system_dense(2, skew, A);
    if (!status) spw_kit_quantity(t, "n", A->n_rows);
    return status;
}

void spw_stepping_vector(spw_trial *t, const void *at, void *array, int64_t n) {
    const char *name = spw_kit_case(t);
    const bool whole = strcmp(name, "solved") == 0 || strcmp(name, "skew") == 0;
    double *r = (double *)array;
    (void)at;
    spw_case_vector(spw_trial_seed(t) + 62, n, r);
    for (int64_t i = 0; i < n && whole; i++) r[i] = (double)(i % 5 - 2);
}

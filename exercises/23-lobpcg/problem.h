/* Exercise 23: what the drivers of both parts share: blocks of vectors, their residuals, the directions that are kept.
 *
 * A block is row-major: element i of vector j of nv is x[i * nv + j]. */
#pragma once

#include "kit/kit.h"
#include "perf/working_set.h"
#include "solvers/lobpcg.h"
#include "solvers/operator.h"
#include "solvers/precond.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tall and skinny, in plain loops ---------------------------------------------------------------------- */

static inline double dot(int64_t n, int ld, const double *x, const double *y) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i * ld] * y[i * ld];
    return sum;
}

/* How far `count` vectors are from orthonormal, NaN where one is; j, k: the two that are the worst. */
typedef struct apart {
    double by;
    int j, k;
} apart;

static inline apart off_orthonormal(int64_t n, int ld, int count, const double *x) {
    apart worst = {0};
    for (int j = 0; j < count; j++)
        for (int k = 0; k <= j; k++) {
            const double by = fabs(dot(n, ld, x + k, x + j) - (k == j));
            if (!(by <= worst.by) && !isnan(worst.by)) worst = (apart){by, j, k};
        }
    return worst;
}

/* R = AX - X diag(lambda), norm: the lengths of its columns. Then R's rows are multiplied by inverse, unless NULL. */
static inline void residual_block(int64_t n, int nv, const double *AX, const double *X,
                                  const double *lambda, const double *inverse, double *R,
                                  double *norm) {
    for (int64_t k = 0; k < n * nv; k++) R[k] = AX[k] - X[k] * lambda[k % nv];
    for (int j = 0; j < nv; j++) norm[j] = sqrt(dot(n, nv, R + j, R + j));
    for (int64_t k = 0; inverse && k < n * nv; k++) R[k] *= inverse[k / nv];
}

/* --- a case of blocks: N@NV,BLOCKS; N is "memory" for the working set ------------------------------------- */

typedef struct tall {
    int64_t n;
    int nv, blocks; /* blocks: of threads, on a GPU */
    const double *lambda, *inverse, *AX, *X, *W, *U;
    double *R, *norm, *parts; /* of residuals and directions; R: of the latter W */
    double *new_X, *new_P;    /* of update */
} tall;

static const char behind_tall[] = "@nv=16,blocks=1056";
static const char *const tall_cases[] = {"3@2,1",   "5@5,2",    "0@3,2",    "1@1,1", "300@1,1",
                                         "100@5,3", "257@16,4", "211@13,9", NULL};

static inline void prepare_tall(spw_trial *t, const char *name, void *at) {
    const int64_t timed = spw_default_working_set() / (24 * (int64_t)spw_kit_value(t, "nv"));
    (void)at;
    spw_kit_quantity(t, "n", strcmp(name, "memory") == 0 ? (double)timed : strtod(name, NULL));
}

#define TALL SPW_VALUE(tall, n, "n"), SPW_VALUE(tall, nv, "nv"), SPW_VALUE(tall, blocks, "blocks")

static inline spw_cost predict_tall(const void *at, spw_function model) {
    const tall *d = at;
    return ((spw_cost(*)(int64_t, int))model)(d->n, d->nv);
}

static inline void describe_tall(const spw_trial *t, int64_t at, char *text, int size) {
    const int nv = ((const tall *)spw_kit_arguments(t))->nv;
    snprintf(text, (size_t)size, "vector %d of row %lld", (int)(at % nv), (long long)(at / nv));
}

static inline void expect_residuals(spw_trial *t, const void *at) {
    const tall *d = (const tall *)at;
    double *R = spw_kit_doubles(t, d->n * d->nv), *norm = spw_kit_doubles(t, d->nv);
    residual_block(d->n, d->nv, d->AX, d->X, d->lambda, d->inverse, R, norm);
    spw_kit_expect_within(t, d->R, R, 1e-14, 0); /* fused or not */
    spw_kit_expect_within(t, d->norm, norm, 0, 1e-11);
}

/* --- the small problem -------------------------------------------------------------------------------------- */

/* a' G b */
static inline double inner(int m, const double *G, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) sum += a[i] * G[i * m + j] * b[j];
    return sum;
}

/* Row `count`, m long, becomes orthogonal by GB to those before it, and of length 1. Returns how many there are: it is
 * none where less than `least` of its length is left. */
static inline int add_row(int m, int count, const double *GB, double least, double *rows) {
    double *y = rows + count * m;
    const double before = sqrt(inner(m, GB, y, y));
    for (int k = 0; k < 3 * count; k++) {
        const double *z = rows + k % count * m, part = inner(m, GB, z, y);
        for (int i = 0; i < m; i++) y[i] -= part * z[i];
    }
    const double square = inner(m, GB, y, y), length = square > 0 ? sqrt(square) : 0;
    if (!(length > least * before)) return count;
    for (int i = 0; i < m; i++) y[i] /= length;
    return count + 1;
}

/* The first nv of rows are the new X, orthonormal by GB. Behind them: for each that is active (NULL: all) what it has
 * from W and P, as above. Returns how many. */
static inline int directions_kept(int m, int nv, const double *GB, const int *active, double least,
                                  double *rows) {
    int count = nv;
    for (int j = 0; j < nv; j++) {
        if (active && !active[j]) continue;
        for (int i = 0; i < m; i++) rows[count * m + i] = i < nv ? 0 : rows[j * m + i];
        count = add_row(m, count, GB, least, rows);
    }
    return count - nv;
}

/* --- by the library --------------------------------------------------------------------------------------- */

/* At most so many steps from X on, 0: until they have converged, with Jacobi's preconditioner or with none. X [n * nv],
 * lambda [nv]: as they are then. Returns the steps; *vectors, unless NULL: that A was multiplied with. */
static inline int library_steps(spw_trial *t, const spw_csr *A, bool jacobi, int nv,
                                double tolerance, int most, double *X, double *lambda,
                                int64_t *vectors) {
    const spw_lobpcg_options options = {
        .nv = nv, .guard = -1, .tolerance = tolerance, .max_iterations = most};
    spw_operator by_A = {0}, by_M = {0};
    spw_lobpcg_result result = {0};
    spw_status status = spw_operator_from_csr(A, &by_A);
    if (!status && jacobi) status = spw_precond_jacobi(A, &by_M);
    if (!status) status = spw_lobpcg(&by_A, NULL, jacobi ? &by_M : NULL, X, 1, &options, &result);
    const int steps = result.iterations;
    if (!status) memcpy(lambda, result.lambda, sizeof *lambda * (size_t)nv);
    if (vectors) *vectors = nv;
    for (int k = 0; vectors && k < result.n_history * nv; k++)
        *vectors += result.history[k] > tolerance;
    spw_lobpcg_result_destroy(&result);
    spw_operator_destroy(&by_A);
    spw_operator_destroy(&by_M);
    spw_kit_must(t, status);
    return steps;
}

/* --- driver_loop.c ------------------------------------------------------------------------------------------ */

extern const spw_kit loop_kit;
extern const char *const loop_cases[];
void claim_loop(spw_trial *t);

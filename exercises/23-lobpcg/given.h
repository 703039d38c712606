/* exercises/23-lobpcg/given.h -- what is given: room, tall and skinny products, small problems. */
#pragma once

#include "kernels/block.h"
#include "solvers/orthogonalise.h"
#include "solvers/small.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NV = 16, MAX_M = 3 * MAX_NV };

/* The three blocks of the basis, in this order side by side. */
enum { BX, BW, BP, BLOCKS };

/* What to solve: the nv smallest eigenvalues of a symmetric A with n rows. */
typedef struct eigenproblem {
    int64_t n;
    int nv;           /* 1 .. MAX_NV */
    double tolerance; /* pair j has converged where ||A x - lambda x|| <= tolerance |lambda| */
    int max_iterations;
    /* Y = A X, and Y = M^-1 X: `count` vectors, in blocks with ld = nv. precondition is NULL if there is none */
    void (*multiply)(const struct eigenproblem *E, int count, const double *X, double *Y);
    void (*precondition)(const struct eigenproblem *E, int count, const double *X, double *Y);
    void *context; /* theirs */
} eigenproblem;

/* All that the iteration keeps. Blocks are [n * nv], row-major with ld = nv; the first count[b] vectors of
 * block b are in use. */
typedef struct space {
    int64_t n;
    int nv, count[BLOCKS];
    double *V[BLOCKS];                           /* X, W, P */
    double *AV[BLOCKS];                          /* A X, A W, A P */
    double GA[MAX_M * MAX_M], GB[MAX_M * MAX_M]; /* the small matrices, [m * m] */
    double H[MAX_M * MAX_M];                     /* eigenvectors of the small problem, in rows */
    double w[MAX_M];                             /* its eigenvalues, ascending */
    double U[MAX_M * 2 * MAX_NV];                /* [m * 2 nv] coefficients of the new X and P */
} space;

/* What the judge sees of the calls below, and how it makes them fail. Not for you. */
enum { NO_ROOM = -1 };
typedef struct given_watch {
    int spaces;  /* created, less those that were given back */
    int calls;   /* of small_pairs */
    int fail_at; /* this one of them fails, 0: none; NO_ROOM: space_create does */
    int rows;    /* of the problem that it was given last */
} given_watch;
extern given_watch given_calls;

static inline void space_destroy(space *s) {
    for (int b = 0; s && b < BLOCKS; b++) {
        free(s->V[b]);
        free(s->AV[b]);
    }
    given_calls.spaces -= s != NULL;
    free(s);
}

/* A struct with room, all zero; NULL if there is none. */
static inline space *space_create(const eigenproblem *E) {
    const size_t size = sizeof(double) * (size_t)(E->n * E->nv);
    space *s = given_calls.fail_at == NO_ROOM ? NULL : (space *)calloc(1, sizeof *s);
    if (!s) return NULL;
    given_calls.spaces++;
    s->n = E->n;
    s->nv = E->nv;
    for (int b = 0; b < BLOCKS; b++) {
        s->V[b] = (double *)calloc(1, size);
        s->AV[b] = (double *)calloc(1, size);
        if (s->V[b] && s->AV[b]) continue;
        space_destroy(s);
        return NULL;
    }
    return s;
}

/* C = XᵀY, [p * q] row-major. ld: of X and Y. */
static inline void gram(int64_t n, int p, const double *X, int q, const double *Y, int ld,
                        double *C) {
    spw_gram_omp(n, p, X, ld, q, Y, ld, C);
}

/* The m x m problem GA h = w GB h, all pairs, w ascending; row k of H is the vector of w[k], with
 * hᵀ GB h = 1. Returns 0 where GB is not positive definite: the basis has become singular. By LAPACK. */
static inline int small_pairs(int m, const double *GA, const double *GB, double *H, double *w) {
    double copy[MAX_M * MAX_M];
    given_calls.rows = m;
    if (++given_calls.calls == given_calls.fail_at) return 0;
    memcpy(H, GA, sizeof *H * (size_t)(m * m));
    memcpy(copy, GB, sizeof *copy * (size_t)(m * m));
    int row; /* where GB is found not to be */
    return !spw_small_eigen_general(m, H, copy, w, &row);
}

/* W = W - [X P] [X P]ᵀ W, then W orthonormal. Vectors that depend on others are dropped: count[BW] sinks.
 * X and P are orthonormal and orthogonal to each other. */
static inline void make_directions(space *s) {
    const int nv = s->nv, *c = s->count;
    double C[MAX_M * MAX_NV];
    spw_block in[BLOCKS], out = {s->V[BW], nv, c[BW]};
    int n_in = 0, at = 0, rank = 0;
    for (int b = 0; b < BLOCKS; b++) {
        if (!c[b]) continue;
        if (b == BW)
            for (int k = 0; k < c[BW] * c[BW]; k++) C[at * c[BW] + k] = k % (c[BW] + 1) ? 0 : 1;
        else
            gram(s->n, c[b], s->V[b], c[BW], s->V[BW], nv, C + at * c[BW]);
        for (int k = 0; k < c[b] * c[BW] && b != BW; k++) C[at * c[BW] + k] *= -1;
        in[n_in++] = (spw_block){s->V[b], nv, c[b]};
        at += c[b];
    }
    if (!c[BW]) return;
    spw_combine_omp(s->n, n_in, in, C, 1, &out);
    const int failed = spw_orthonormalise(SPW_ORTHO_CHOLQR, s->n, c[BW], s->V[BW], nv, &rank) != 0;
    s->count[BW] = failed ? 0 : rank;
}

/* [X P] = [X W P] U and [A X, A P] = [A X, A W, A P] U. X keeps its nv vectors, P gets np. U: [m * 2 nv],
 * columns 0 .. nv - 1 for X and nv .. nv + np - 1 for P. */
static inline void combine(space *s, int np) {
    const int nv = s->nv, *c = s->count, m = c[BX] + c[BW] + c[BP], q = nv + np;
    double C[MAX_M * 2 * MAX_NV];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < q; j++) C[i * q + j] = s->U[i * 2 * nv + j];
    for (int k = 0; k < 2; k++) {
        double **V = k ? s->AV : s->V;
        spw_block in[BLOCKS], out[2] = {{V[BX], nv, nv}, {V[BP], nv, np}};
        int n_in = 0;
        for (int b = 0; b < BLOCKS; b++)
            if (c[b]) in[n_in++] = (spw_block){V[b], nv, c[b]};
        spw_combine_omp(s->n, n_in, in, C, np ? 2 : 1, out);
    }
    s->count[BP] = np;
}

/* First vectors: X of the caller made orthonormal and turned into the Ritz vectors of its span, with A X and
 * their Ritz values. Returns 0 where X's vectors depend on each other. */
static inline int begin(const eigenproblem *E, space *s, const double *X, double *lambda) {
    const int nv = s->nv;
    int rank = 0;
    memcpy(s->V[BX], X, sizeof *X * (size_t)(s->n * nv));
    if (spw_orthonormalise(SPW_ORTHO_CHOLQR2, s->n, nv, s->V[BX], nv, &rank) || rank < nv) return 0;
    E->multiply(E, nv, s->V[BX], s->AV[BX]);
    gram(s->n, nv, s->V[BX], nv, s->AV[BX], nv, s->H);
    if (spw_small_eigen(nv, s->H, lambda)) return 0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) s->U[i * 2 * nv + j] = s->H[j * nv + i];
    s->count[BX] = nv;
    s->count[BW] = s->count[BP] = 0;
    combine(s, 0);
    return 1;
}

/* The residuals of active pairs move to the first columns of W; count[BW] becomes their number. */
static inline void keep_active(space *s, const int *active) {
    const int nv = s->nv;
    int from[MAX_NV], count = 0;
    for (int j = 0; j < nv; j++)
        if (active[j]) from[count++] = j;
    s->count[BW] = count;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < s->n; i++)
        for (int j = 0; j < count; j++) s->V[BW][i * nv + j] = s->V[BW][i * nv + from[j]];
}

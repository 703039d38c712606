/* Exercise 12: what cg.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* The least bytes and the flops of ONE iteration, for n rows and nz entries. Loads hold the write-allocate
 * read of q, the only array that is written without having been read.
 *   plain  one loop for each operation:  q = A p | p.q | x += alpha p | r -= alpha q | r.r | p = r + beta p
 *   fused  one loop for each function:   q = A p with p.q | x, r and r.r | p */
spw_cost cg_plain_cost(double n, double nz);
spw_cost cg_fused_cost(double n, double nz);

/* q = A p; returns p . q. One pass over A, p and q.
 *   A  n x n; rows may be empty
 *   p  [n], does not overlap q
 *   q  [n], overwritten: it holds garbage on entry */
double spmv_dot(const spw_csr *A, const double *p, double *q);

/* x += alpha p; r -= alpha q; returns r . r of the new r. One pass over the four arrays of n elements. */
double update(int64_t n, double alpha, const double *p, const double *q, double *x, double *r);

/* p = r + beta p. Arrays of n elements. */
void direction(int64_t n, double beta, const double *r, double *p);

typedef enum cg_stop {
    CG_CONVERGED,  /* ||r|| <= tolerance ||b|| */
    CG_ITERATIONS, /* max_iterations steps were taken, and it has not converged */
    CG_NOT_SPD /* p . A p is not above 0: A is not positive definite. No step was taken with it */
} cg_stop;

typedef struct cg_result {
    cg_stop stop;
    int iterations;  /* steps taken: how often x was changed */
    double residual; /* ||r|| of the last r, the Euclidean norm; not divided by anything */
} cg_result;

typedef struct cg_room {
    double *p, *q, *r; /* [n] each; garbage on entry and of no interest on return */
} cg_room;

/* Solves A x = b for a symmetric positive definite A by conjugate gradients.
 *   A  n x n
 *   b  [n]
 *   x  [n]  the first guess on entry, the last iterate on return
 *   tolerance       >= 0. It stops as soon as ||r|| <= tolerance ||b||, before the first step too
 *   max_iterations  >= 0. No more steps than that */
cg_result cg(const spw_csr *A, const double *b, double *x, double tolerance, int max_iterations,
             const cg_room *room);

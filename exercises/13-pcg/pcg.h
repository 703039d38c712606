/* Exercise 13: what pcg.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* --- two preconditioners: z = M^-1 r -------------------------------------------------------------------- */

/* inverse[i] = 1 / a_ii. Returns -1; or the first row whose diagonal entry is missing or not above 0, and
 * then inverse is of no interest. */
spw_idx invert_diagonal(const spw_csr *A, double *inverse);

/* z[i] = inverse[i] r[i]. */
void jacobi(int64_t n, const double *inverse, const double *r, double *z);

/* The least bytes and the flops of one application, for n rows.
 * Write-allocate counts as loads: 8 n for each vector that is written without having been read. */
spw_cost jacobi_cost(double n);

/* Blocks of `block` rows along the diagonal; the last one has fewer if block does not divide n. In the block
 * that begins with row first:  z[i] = sum over j of inverse[i * block + j] r[first + j].
 *   inverse  [n * block]  row i of its block's inverse stands at i * block */
void block_jacobi(int64_t n, int block, const double *inverse, const double *r, double *z);

/* The same for block_jacobi, with `block` rows a block; count the last one as a whole block. */
spw_cost block_jacobi_cost(double n, double block);

/* --- the solver ------------------------------------------------------------------------------------------- */

/* Any of them: z = M^-1 r is M->apply(M->context, r, z). */
typedef struct preconditioner {
    void (*apply)(const void *context, const double *r, double *z);
    const void *context;
} preconditioner;

/* The least bytes and the flops of ONE iteration of pcg, without z = M^-1 r: four loops,
 *     q = A p with p.q | x, r and r.r | r.z | p = z + beta p */
spw_cost step_cost(double n, double nz);

typedef enum pcg_stop {
    PCG_CONVERGED,  /* ||r|| <= tolerance ||b|| */
    PCG_ITERATIONS, /* max_iterations steps were taken, and it has not converged */
    PCG_NOT_SPD, /* p . A p is not above 0: A is not positive definite. No step was taken with it */
    PCG_PRECOND  /* r . z is not above 0, and r is not 0: M is not positive definite */
} pcg_stop;

typedef struct pcg_result {
    pcg_stop stop;
    int iterations;  /* steps taken: how often x was changed */
    double residual; /* ||r|| of the last r, the Euclidean norm, without M */
} pcg_result;

typedef struct pcg_room {
    double *p, *q, *r, *z; /* [n] each; garbage on entry and of no interest on return */
} pcg_room;

/* Solves A x = b for symmetric positive definite A and M by preconditioned conjugate gradients. It applies M
 * once an iteration, and may once more.
 *   x  [n]  the first guess on entry, the last iterate on return, and always finite
 *   tolerance       >= 0. It stops as soon as ||r|| <= tolerance ||b||, before the first step too
 *   max_iterations  >= 0. No more steps than that */
pcg_result pcg(const spw_csr *A, const preconditioner *M, const double *b, double *x,
               double tolerance, int max_iterations, const pcg_room *room);

/* Exercise 18: what bicgstab.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* The least bytes and the flops of ONE iteration, for n rows and nz entries: two products, each 12 nz + 4 n +
 * 8 n loaded, 8 n stored, and 8 n of write-allocate that count as loads, and the vectors.
 *   plain   each line in the left half of the README's table is a call of its own
 *   merged  three super-kernels, and the dots inside the products */
spw_cost bicgstab_plain_cost(double n, double nz);
spw_cost bicgstab_merged_cost(double n, double nz);

/* p = r + beta (p - omega v). One pass: 3 n elements read, n written. */
void p_update(int64_t n, double beta, double omega, const double *r, const double *v, double *p);

/* r -= alpha v; returns r . r of the new r, which is s. One pass: 2 n read, n written. */
double half_update(int64_t n, double alpha, const double *v, double *r);

/* x += alpha p + omega r, then r -= omega t; *r_r = r . r of the new r; returns c . r of the new r. On entry r
 * is s. One pass: 5 n read, 2 n written. */
double full_update(int64_t n, double alpha, double omega, const double *p, const double *t,
                   const double *c, double *x, double *r, double *r_r);

typedef enum bicgstab_stop {
    BICGSTAB_CONVERGED,  /* ||r|| or ||s|| <= tolerance ||b|| */
    BICGSTAB_ITERATIONS, /* max_iterations steps were taken, and it has not converged */
    BICGSTAB_RHO,        /* breakdown: c . r = 0, there is no next direction */
    BICGSTAB_ALPHA,      /* breakdown: c . v = 0, there is no step length */
    BICGSTAB_OMEGA       /* breakdown: t . s = 0. The half step x += alpha p has been taken */
} bicgstab_stop;

typedef struct bicgstab_result {
    bicgstab_stop stop;
    int iterations; /* steps taken; one that ends with a small ||s|| counts, one that breaks down does not */
    double residual; /* ||b - A x|| by the recurrence: ||r||, or ||s|| after a half step */
} bicgstab_result;

typedef struct bicgstab_room {
    double *p, *v, *t, *r, *c; /* [n] each; garbage on entry and of no interest on return */
} bicgstab_room;

/* Solves A x = b by BiCGStab; A need be neither symmetric nor positive definite.
 *   A  n x n
 *   b  [n]
 *   x  [n]  the first guess on entry, the last iterate on return, and always finite
 *   tolerance       >= 0. It stops as soon as ||r|| <= tolerance ||b||, before the first step too
 *   max_iterations  >= 0. No more steps than that */
bicgstab_result bicgstab(const spw_csr *A, const double *b, double *x, double tolerance,
                         int max_iterations, const bicgstab_room *room);

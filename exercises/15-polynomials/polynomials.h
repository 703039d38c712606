/* Exercise 15: what polynomials.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* In place of x = T^-1 b for a triangle T = D + N with the diagonal D: x^0 = D^-1 b, then `degree` times
 * x^{m+1} = D^-1 (b - N x^m). degree >= 0.
 *   N        T without its diagonal, lower or upper
 *   inverse  [n]  D^-1
 *   b, x, work  [n], do not overlap; the result is in x */
void neumann(const spw_csr *N, const double *inverse, int degree, const double *b, double *x,
             double *work);

/* The least bytes and the flops of two calls of neumann of this degree, one for each triangle of n rows, which have
 * nz - n entries together.
 * Write-allocate counts as loads: 8 n for each vector that is written without having been read. */
spw_cost neumann_cost(double n, double nz, double degree);

typedef struct chebyshev_room {
    double *residual, *step, *product; /* [n] each; garbage on entry */
} chebyshev_room;

/* degree + 1 steps of the Chebyshev iteration for D^-1 A z = D^-1 r from z = 0, for eigenvalues low .. high,
 * 0 < low < high. The README has it. degree >= 0. inverse = D^-1. */
void chebyshev(const spw_csr *A, const double *inverse, double low, double high, int degree,
               const double *r, double *z, const chebyshev_room *room);

/* The least bytes and the flops of one call of this degree, counted as above. */
spw_cost chebyshev_cost(double n, double nz, double degree);

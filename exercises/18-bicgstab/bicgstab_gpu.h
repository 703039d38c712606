/* Exercise 18, GPU part: what bicgstab.cu must define. Pointers with d_ point to memory of the device. */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

enum { BLOCK = 256 }; /* threads of a block, in every launch */

/* The numbers of the method, an array on the device: d_numbers[RHO] and so on. */
enum { RHO, ALPHA, BETA, OMEGA, R_R, NUMBERS };

/* Two sums at once are left in parts [2 * blocks]: those of the first in front, those of the second behind. */

/* The least bytes and the flops of ONE iteration, for n rows and nz entries: {load, store, flop}. Every
 * array is moved once by each of the five large kernels. Parts of sums and numbers are left out, and
 * of the products' dots the one that nobody needs. */
spw_cost bicgstab_iteration_cost(double n, double nz);

/* y = A x, and in parts w . y and y . y, by one launch: block b leaves its shares in parts[b] and
 * parts[blocks + b].
 *   A        n x n; the struct is on the host, its arrays are on the device. n may be 0
 *   blocks   to launch, at least 1: few for many rows, or more than there is work for
 *   d_x      [n], does not overlap y;  d_w  [n], may be x
 *   d_y      [n], overwritten: it holds garbage on entry
 *   d_parts  [2 * blocks], overwritten, each of them; the sum over nothing is 0 */
void spmv_dots(spw_csr A, int blocks, const double *d_x, const double *d_w, double *d_y,
               double *d_parts);

/* p = r + beta (p - omega v), by one launch. beta and omega are d_numbers[BETA] and [OMEGA]. */
void p_update(int64_t n, int blocks, const double *d_numbers, const double *d_r, const double *d_v,
              double *d_p);

/* r -= alpha v, by one launch: r becomes s. */
void half_update(int64_t n, int blocks, const double *d_numbers, const double *d_v, double *d_r);

/* x += alpha p + omega r, then r -= omega t, and in parts c . r and r . r of the new r, by one launch. On
 * entry r is s. */
void full_update(int64_t n, int blocks, const double *d_numbers, const double *d_p,
                 const double *d_t, const double *d_c, double *d_x, double *d_r, double *d_parts);

/* So many steps of BiCGStab, by launches alone: nothing is copied to the host, and the host waits for
 * nothing. Once r is 0, and where s is 0, x stays finite, and does not move any more, however many steps
 * follow: each of alpha, omega and beta is 0 where its divisor is.
 *   d_x                [n]  the iterate, in and out
 *   d_r, d_p           [n]  its residual and the direction, in and out: p is c on the first call
 *   d_c                [n]  the shadow
 *   d_v, d_t           [n]  room; garbage on entry
 *   d_parts            [2 * blocks]  room; garbage on entry
 *   d_numbers          [NUMBERS]  RHO is c . r on entry. On return RHO and R_R are c . r and r . r, for
 *                     whoever looks at them then. The others are garbage on entry */
void iterate(spw_csr A, int blocks, int steps, const double *d_c, double *d_x, double *d_r,
             double *d_p, double *d_v, double *d_t, double *d_parts, double *d_numbers);

SPW_C_END

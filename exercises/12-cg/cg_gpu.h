/* Exercise 12, GPU part: what cg.cu must define. Pointers with d_ point to memory of the device. */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

enum { BLOCK = 256 }; /* threads of a block, in every launch */

/* The numbers of the method, an array on the device: d_numbers[RHO] and so on. */
enum { RHO, ALPHA, BETA, NUMBERS };

/* The least bytes and the flops of ONE iteration, for n rows and nz entries: {load, store, flop}. Every
 * array is moved once by each of the three large kernels. Parts of sums and numbers are left out. */
spw_cost cg_iteration_cost(double n, double nz);

/* q = A p, and p . q in parts, by one launch: block b leaves the sum over its rows in parts[b].
 *   A        n x n; the struct is on the host, its arrays are on the device. n may be 0
 *   blocks   to launch, at least 1: few for many rows, or more than there is work for
 *   d_p      [n], does not overlap q
 *   d_q      [n], overwritten: it holds garbage on entry
 *   d_parts  [blocks], overwritten, each of them; the sum over nothing is 0 */
void spmv_dot(spw_csr A, int blocks, const double *d_p, double *d_q, double *d_parts);

/* x += alpha p; r -= alpha q; and r . r of the new r in parts, by one launch. alpha is d_numbers[ALPHA].
 * Arrays of n elements; parts and blocks as above. */
void update(int64_t n, int blocks, const double *d_numbers, const double *d_p, const double *d_q,
            double *d_x, double *d_r, double *d_parts);

/* So many steps of conjugate gradients, by launches alone: nothing is copied to the host, and the host
 * waits for nothing. Once the solution is reached to the last bit, rho = 0, x stays as it is, however many
 * steps follow.
 *   A          symmetric positive definite
 *   steps      >= 0
 *   d_x        [n]  the iterate, in and out
 *   d_r, d_p   [n]  its residual b - A x, and the direction; in and out
 *   d_q        [n]  room; garbage on entry
 *   d_parts    [blocks]  room; garbage on entry
 *   d_numbers  [NUMBERS]  RHO is r . r on entry and on return; the others are garbage on entry */
void iterate(spw_csr A, int blocks, int steps, double *d_x, double *d_r, double *d_p, double *d_q,
             double *d_parts, double *d_numbers);

SPW_C_END

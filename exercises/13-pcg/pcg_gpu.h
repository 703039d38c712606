/* Exercise 13, GPU part: what pcg.cu must define. Pointers with d_ point to memory of the device. */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

enum { BLOCK = 256 }; /* threads of a block, in every launch */

/* The numbers of the method, an array on the device: d_numbers[RHO] and so on. RHO is r . z. */
enum { RHO, ALPHA, BETA, R_R, NUMBERS };

/* All of a PCG step with Jacobi but its product, by launches alone: nothing is copied to the host, and the
 * host waits for nothing.
 *     alpha = rho / p.q;  x += alpha p;  r -= alpha q;  z = inverse r;  beta = r.z / rho;  p = z + beta p
 * A quotient whose divisor is 0 is 0.
 *   blocks           to launch, at least 1
 *   d_inverse, d_q   [n]  1 / diagonal of A, and A p
 *   d_x, d_r, d_p    [n]  in and out
 *   d_z              [n]  output
 *   d_parts          [2 * blocks]  p . q in the first `blocks` on entry, as spmv_dot of exercise 12 leaves it;
 *                    on return they hold r . z, one part a block, and the second `blocks` hold r . r
 *   d_numbers        [NUMBERS]  RHO is r . z on entry; on return it is the new one, and R_R is r . r */
void pcg_step(int64_t n, int blocks, const double *d_inverse, const double *d_q, double *d_x,
              double *d_r, double *d_z, double *d_p, double *d_parts, double *d_numbers);

/* z = M^-1 r for blocks of `block` rows along the diagonal; the last one has fewer if block does not divide n.
 *   block      2, 4, 8, 16 or 32
 *   d_inverse  [n * block]  entry j of row i, within its block, is at i * block + j, as on the CPU. In the last
 *              block those of columns n and above hold garbage
 *   d_r, d_z   [n], do not overlap; z holds garbage on entry */
void apply_blocks(int64_t n, int block, const double *d_inverse, const double *d_r, double *d_z);

/* The least bytes and the flops of ONE call of apply_chebyshev, for n rows and nz entries: {load, store, flop}.
 * Every array is moved once by each launch that needs it. */
spw_cost chebyshev_cost(double n, double nz, double degree);

/* `degree` + 1 steps of the Chebyshev iteration for D^-1 A z = D^-1 r from z = 0, for eigenvalues low .. high,
 * 0 < low < high, in as many launches. The README of exercise 15 has the recurrence.
 *   A                     the struct is on the host, its arrays are on the device
 *   d_inverse             [n]  of the diagonal D
 *   d_r, d_z              [n]  input and output
 *   d_residual            [n]  room; garbage on entry and of no interest on return
 *   d_step, d_other_step  [n]  likewise
 * degree >= 0; n may be 0 */
void apply_chebyshev(spw_csr A, const double *d_inverse, double low, double high, int degree,
                     const double *d_r, double *d_z, double *d_residual, double *d_step,
                     double *d_other_step);

/* x = T^-1 b, T = D + N, level after level.
 *   N          [n x n]  a triangle without its diagonal, rows in natural order; arrays on the device
 *   d_inverse  [n]  of D
 *   level_ptr  [n_levels + 1]  on the HOST. Level l are the rows d_row[level_ptr[l]] .. d_row[level_ptr[l+1]-1],
 *              which need rows of levels before it; a level has one row or more
 *   d_row      [n]
 *   d_b, d_x   [n], do not overlap; x holds garbage on entry */
void solve_levels(spw_csr N, const double *d_inverse, int n_levels, const spw_idx *level_ptr,
                  const spw_idx *d_row, const double *d_b, double *d_x);

/* In place of x = T^-1 b: x^0 = D^-1 b, then `degree` times x^{m+1} = D^-1 (b - N x^m). degree >= 0.
 * d_work  [n]  room; garbage on entry. The result is in d_x */
void apply_neumann(spw_csr N, const double *d_inverse, int degree, const double *d_b, double *d_x,
                   double *d_work);

SPW_C_END

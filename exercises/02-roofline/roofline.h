/* exercises/02-roofline: the model, and what four loops move and compute.
 *     P   flop/s     peak, a flat ceiling
 *     bw  byte/s     bandwidth of a data path; 1 GB is 1e9 bytes
 *     I   flop/byte  intensity of a loop
 * All are >= 0. */
#pragma once

#include "perf/cost.h"

#include <math.h>
#include <stdint.h>

/* The most flop/s that a loop of intensity I can reach: one ceiling, one roof. */
double roofline(double P, double bw, double I);

/* The same with n_P ceilings and n_bw roofs. I[j] is the loop's intensity on data path j: its flops
 * over the bytes that it moves there.
 *   P  [n_P]  n_P >= 1          bw, I  [n_bw]  n_bw >= 1 */
double roofline_multi(int n_P, const double *P, int n_bw, const double *bw, const double *I);

/* Bytes loaded, bytes stored and flops of one call, counted as in exercise 1. All is double
 * precision. */

/* y[i] = y[i] + s * x[i], i = 0 .. n-1; s is in a register */
spw_cost daxpy_cost(int64_t n);

/* sum = sum + x[i] * y[i], i = 0 .. n-1; sum is in a register */
spw_cost dot_cost(int64_t n);

/* y[r] = y[r] + A[r][c] * x[c] for all r = 0 .. n_rows-1, c = 0 .. n_cols-1. Count the matrix only:
 * x and y are much smaller and stay in a cache. */
spw_cost dgemv_cost(int64_t n_rows, int64_t n_cols);

/* p[i] = r[i] + beta * (p[i] - omega * v[i]), i = 0 .. n-1; the update of a direction in BiCGStab
 * */
spw_cost update_cost(int64_t n);

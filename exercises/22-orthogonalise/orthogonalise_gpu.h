/* Exercise 22, GPU part: what orthogonalise.cu must define. Pointers with d_ point to memory of the device.
 *
 * A block is nv vectors of n elements side by side, row-major, without gaps: element i of vector j is
 * X[i * nv + j]. Small matrices, C, G and T, are nv x nv, row-major. */
#pragma once

#include "base/extern_c.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

enum { MOST_VECTORS = 16 }; /* 1 <= nv <= MOST_VECTORS, so that nv * nv threads are a block */
enum { TILE = 32 };         /* rows that gram takes at a time */

/* The least bytes and the flops of one call, {load, store, flop}: every array is moved once. What lies
 * between the launches of gram is left out. */
spw_cost gram_cost(int64_t n, int nv);
spw_cost combine_cost(int64_t n, int nv);

/* C = XᵀY: C[a * nv + b] = sum over i of X[i][a] Y[i][b]. By two launches: many blocks leave a product of
 * their rows each, one block adds up these.
 *   blocks   of the first launch, at least 1: few for many tiles, or more than there are tiles
 *   d_X, d_Y [n * nv], may be the same; n may be 0
 *   d_parts  [blocks * nv * nv], room; garbage on entry
 *   d_C      [nv * nv], overwritten; all zero for n = 0 */
void gram(int64_t n, int nv, int blocks, const double *d_X, const double *d_Y, double *d_parts,
          double *d_C);

/* Y = X C: Y[i][b] = sum over a of X[i][a] C[a * nv + b]. By one launch.
 *   d_X, d_Y [n * nv]; Y may be X itself, else they do not overlap; n may be 0 */
void combine(int64_t n, int nv, const double *d_X, const double *d_C, double *d_Y);

/* G = RᵀR with R upper triangular and a positive diagonal: T = R^-1, zero below the diagonal. By one launch of
 * one block.
 *   d_G    [nv * nv] symmetric; stays as it is
 *   d_T    [nv * nv], overwritten. All zero where there is no such R
 *   d_rank [1] overwritten: nv; or k, if the diagonal has come to a number that is not above 0 in row k */
void cholesky_inverse(int nv, const double *d_G, double *d_T, int *d_rank);

/* Cholesky-QR: Q = X T with the T of XᵀX; and the same once more with Q, in place, where times is 2. By
 * launches alone: nothing is copied to the host, and the host waits for nothing. Where there is no T, Q is 0.
 *   d_Q     [n * nv], overwritten, does not overlap X
 *   d_parts as of gram;  d_G, d_T [nv * nv], d_rank [1]  room, and rank on return */
void cholqr(int64_t n, int nv, int blocks, int times, const double *d_X, double *d_Q,
            double *d_parts, double *d_G, double *d_T, int *d_rank);

SPW_C_END

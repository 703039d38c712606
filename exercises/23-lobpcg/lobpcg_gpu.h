/* Exercise 23, GPU part: what lobpcg.cu must define. Pointers with d_ point to memory of the device.
 *
 * A block is nv vectors of n elements side by side, row-major, without gaps: element i of vector j is
 * X[i * nv + j]. */
#pragma once

#include "base/extern_c.h"
#include "formats/sellp.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

enum { MOST_VECTORS = 16 }; /* 1 <= nv <= MOST_VECTORS */
enum { BLOCK = 256 };       /* threads of a block: this many, or as many whole rows as fit */
enum { X_BLOCK, W_BLOCK, P_BLOCK, BLOCKS };

/* The least bytes and the flops of one call, {load, store, flop}: every block is moved once, and so are the
 * diagonal and U. What has nv elements is left out, and what lies between two launches. */
spw_cost directions_cost(int64_t n, int nv);
spw_cost update_cost(int64_t n, int nv);

/* R = AX - X diag(lambda), norm[j] = the length of R's column j, and W = M^-1 R with M = diag(A). R itself is
 * not stored. By two launches: blocks leave sums of squares of their rows, one block makes lengths of these.
 *   blocks    of the first launch, at least 1: few for many rows, or more than there is work for
 *   d_lambda  [nv]
 *   d_inverse [n]       1 / A[i][i]
 *   d_AX, d_X [n * nv]  n may be 0
 *   d_W       [n * nv]  overwritten: it holds garbage on entry, as do the next two
 *   d_parts   [blocks * nv]
 *   d_norm    [nv]      0 for n = 0 */
void directions(int64_t n, int nv, int blocks, const double *d_lambda, const double *d_inverse,
                const double *d_AX, const double *d_X, double *d_W, double *d_parts,
                double *d_norm);

/* [X P] = [X W P] U, in place, by one launch: each block is read once and U once by each block of threads.
 *   d_U       [3 nv * 2 nv]  row-major: rows 0 .. nv - 1 for X, then W, then P; columns 0 .. nv - 1 give the new
 *                            X, the others the new P
 *   d_X, d_P  [n * nv]       in and out; d_W [n * nv] stays as it is. n may be 0 */
void update(int64_t n, int nv, int blocks, const double *d_U, double *d_X, const double *d_W,
            double *d_P);

/* What an iteration has. All doubles of the small problem lie in two arrays, one for each way. */
typedef struct hybrid {
    spw_sellp A;    /* n x n, symmetric; the struct is on the host, its arrays are on the device */
    int nv, blocks; /* blocks: of every launch that takes a number */
    const double *d_inverse;
    double *d_V[BLOCKS], *d_AV[BLOCKS]; /* [n * nv]  X, W, P and A times those */
    double *d_parts;                    /* room for all launches */
    double *d_to_host;   /* [TO_HOST(nv)]    GA, GB, each 3 nv x 3 nv, then norm, nv */
    double *d_to_device; /* [TO_DEVICE(nv)]  lambda, nv, then U, 3 nv x 2 nv */
    /* The small eigenproblem, on the host, from TO_HOST numbers to TO_DEVICE numbers in the order above. A basis
     * whose vectors depend on each other does no harm. */
    void (*small)(void *context, int nv, const double *from_device, double *to_device);
    void *context; /* of small, its first argument */
} hybrid;

#define TO_HOST(nv)   (18 * (nv) * (nv) + (nv))
#define TO_DEVICE(nv) (6 * (nv) * (nv) + (nv))

/* So many steps of LOBPCG. Everything tall stays on the device: a step copies TO_HOST(nv) doubles to the host
 * and TO_DEVICE(nv) back, in one copy each.
 * On entry X, A X, P, A P and lambda (the first nv of d_to_device) are as a step leaves them; P may be 0. W, A W
 * and the rest are garbage. On return X, P, A X, A P and lambda are those of the last step; the norms, in
 * d_to_host, are those that it began with. steps >= 0. */
void iterate(const hybrid *h, int steps);

SPW_C_END

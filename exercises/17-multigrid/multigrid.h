/* Exercise 17: what multigrid.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* A square or a cube of m points in each direction, m = 2^k - 1. Point (i, j) of a square is row j m + i, point
 * (i, j, k) of a cube row (k m + j) m + i. The next coarser grid has (m - 1) / 2 points in each direction: its point I
 * lies on point 2 I + 1 of this one. Around the grid, at -1 and at m, everything is 0. */
typedef struct grid {
    int dim; /* 2 or 3 */
    spw_idx m;
} grid;

typedef struct level {
    grid G;
    spw_csr A;    /* the Laplacian on it: 2 dim on the diagonal, -1 for each neighbour */
    double scale; /* w / (2 dim), w the damping: 1/5 in two dimensions, 1/7 in three */
    double *b;    /* [n]  the right side: given on level 0, yours to write on the others */
    double *x;    /* [n]  the approximation */
    double *y;    /* [n]  room, garbage on entry. x and y may change places */
} level;

/* level[0] is the finest grid, level[count - 1] has one point. */
typedef struct levels {
    int count;
    level *level;
} levels;

/* b = 4 times the weighted mean of r around each coarse point: in each direction the weights are 1/4, 1/2, 1/4.
 *   r  [m^dim] on G
 *   b  [((m - 1) / 2)^dim] on the next coarser grid, overwritten: it holds garbage on entry. G.m is 3 or more */
void restrict_full(grid G, const double *r, double *b);

/* x += e, where e is interpolated: in each direction a point between two coarse ones takes half of each.
 *   e  [((m - 1) / 2)^dim] on the next coarser grid
 *   x  [m^dim] on G */
void prolong_add(grid G, const double *e, double *x);

/* out = x + scale (b - A x), one pass through A. A  n x n; b, x, out  [n], out does not overlap x. */
void relax(const spw_csr *A, double scale, const double *b, const double *x, double *out);

/* One V-cycle for A x = b, from level l to the coarsest and back. On return x of level l is the better approximation.
 *   before, after  relaxations on the way down and up, on each level but the coarsest; before >= 1
 *   guess          1: x of level l holds an approximation on entry; 0: it holds garbage, and counts as 0 */
void v_cycle(levels *L, int l, int before, int after, int guess);

/* The least bytes and the flops of v_cycle(L, 0, before, after, 1): the README's table for each level but the coarsest.
 * Write-allocate counts as loads: 8 bytes for each element that is written without having been read. */
spw_cost v_cycle_cost(const levels *L, int before, int after);

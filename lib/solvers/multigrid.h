/* solvers/multigrid.h -- geometric multigrid for the Laplacian of a square or a cube of 2^k - 1 points an edge.
 *
 *     spw_multigrid *G;
 *     if (spw_multigrid_create(&A, &G)) ...
 *     for (int k = 0; k < 15; k++) spw_multigrid_cycle(G, 2, 1, true, b, x);
 *     spw_multigrid_destroy(G);
 * The grid is found in the matrix, which is not kept: it has the same few numbers in all rows, so no level needs one.
 * Relaxation is Jacobi's, damped by 4/5 in two dimensions and 6/7 in three; coarse grids have the same stencil;
 * restriction is 4 times the weighted mean, interpolation linear in each direction. Exercise 17 has the same with
 * matrices. As a preconditioner: spw_precond_multigrid of solvers/precond.h.
 * Source: A. Brandt, Math. Comp. 31(138), 333-390, 1977, doi:10.1090/S0025-5718-1977-0431719-X. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"
#include "perf/cost.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_multigrid spw_multigrid;

/* On failure *G is NULL.
 *   SPW_ERR_ARG     A is not square; it is not a multiple of laplace2d or laplace3d of formats/generate.h: the message
 *                   has the first row that does not fit; or its grid has not 2^k - 1 points in each direction, all the
 *                   same: the message has how many
 *   SPW_ERR_MEMORY  no room for the levels */
spw_status spw_multigrid_create(const spw_csr *A, spw_multigrid **G);

/* One V-cycle for A x = b with so many relaxations before and after. guess: x holds an approximation; else it holds
 * garbage, and counts as 0. With before = after and no guess x = M^-1 b for an M that is symmetric and positive
 * definite. One G must not be used by two threads at a time. before >= 1, after >= 0; b, x [n] do not overlap. */
void spw_multigrid_cycle(spw_multigrid *G, int before, int after, bool guess, const double *b,
                         double *x);

/* Dimensions of the grid, its points in each direction, and its levels. */
void spw_multigrid_size(const spw_multigrid *G, int *dim, spw_idx *m, int *levels);

/* What a cycle moves and computes at the least; and in *write_allocate what its stores may fetch besides. */
spw_cost spw_multigrid_cost(const spw_multigrid *G, int before, int after, bool guess,
                            double *write_allocate);

/* Takes NULL. */
void spw_multigrid_destroy(spw_multigrid *G);

SPW_C_END

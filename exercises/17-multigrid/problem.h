/* Exercise 17: grids, their matrices and a serial cycle, for the driver and what it tells at the end. */
#pragma once

#include "multigrid.h"

#include "judge/exercise.h"

enum { MOST_LEVELS = 16 };

/* The hierarchy below a grid. The matrix of level l lies in these three arrays behind that of level l - 1. */
typedef struct hierarchy {
    levels L;
    level level[MOST_LEVELS];
    spw_idx *row_ptr, *col_idx;
    double *val;
    int64_t pointers, entries, points; /* of all levels */
} hierarchy;

/* Levels and matrices; b, x and y are NULL. The arrays are to be freed. dim 2 or 3, m = 2^k - 1.
 *   SPW_ERR_MEMORY  no room; *H is all zero */
spw_status make_hierarchy(int dim, spw_idx m, hierarchy *H);

/* Where in an array of all levels level l begins. */
int64_t level_at(const levels *L, int l);

/* r = b - A x; returns its Euclidean norm. */
double plain_residual(const spw_csr *A, const double *b, const double *x, double *r);

/* Every pair of a coarse point and a fine one around it, point after point: fine += weight * coarse, or
 * coarse += 4 / 2^dim weight * fine. */
void plain_prolong(grid G, const double *coarse, double *fine);
void plain_restrict(grid G, const double *fine, double *coarse);

/* The cycle on one thread. x, b and y of all levels must be there. */
void plain_cycle(levels *L, int l, int before, int after, int guess);

/* .closing: how often the answer's cycle reaches 1e-8, alone and in CG. */
void tell_convergence(spw_run *run);

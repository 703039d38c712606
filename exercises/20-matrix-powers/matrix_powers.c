#include "matrix_powers.h"

#include "base/threads.h"

#include <stdlib.h>

/* 1. Write. The levels of a breadth-first search from the row `start`; returns how many there are.
 * Where a search finds no more rows but some are left, the one of the lowest number makes up the next level.
 *   A          n x n, n >= 1; a_ij is stored if a_ji is
 *   perm       [n]    the rows, level after level, in any order within a level
 *   level_ptr  [n+1]  level l: perm[level_ptr[l]] .. perm[level_ptr[l+1]-1] */
spw_idx levels(const spw_csr *A, spw_idx start, spw_idx *perm, spw_idx *level_ptr) {
    /* your code here */
}

/* 2. Predict. The largest p of 1 .. most for which any p neighbouring levels have room in a cache of so many
 * bytes: entries, row_ptr, and three vectors. 1 if not even one level has. */
int largest_power(const level_matrix *L, int64_t cache, int most) {
    /* your model here */
}

/* 3. Predict. What must p powers move at least, and compute?
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
spw_cost powers_cost(const level_matrix *L, int p) {
    /* your model here */
}

/* what powers and filter have in common may stand here */

/* 4. Write. y[k] = A^(k+1) x for k = 0 .. p-1, with the matrix read from memory once, on all cores.
 *   x  [n]
 *   y  [p] arrays of n elements, overwritten: they hold garbage on entry */
void powers(const level_matrix *L, int p, const double *x, double *const *y) {
    /* your code here */
}

/* 5. Write. y = T_d((A - c I) / e) x with the Chebyshev polynomial of degree d = degree, in the same way.
 *     T_0 = x,   T_1 = (A - c I) / e x,   T_k = 2 (A - c I) / e T_(k-1) - T_(k-2)
 *   work  [3] arrays of n elements for your own use
 *   y     [n], overwritten: it holds garbage on entry */
void filter(const level_matrix *L, int degree, double c, double e, const double *x,
            double *const *work, double *y) {
    /* your code here */
}

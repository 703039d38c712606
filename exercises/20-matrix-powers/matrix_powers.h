/* Exercise 20: what matrix_powers.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* A matrix whose rows and columns are in the order of the levels. An entry of a row of level l is in a column
 * of level l-1, l or l+1: in no other. */
typedef struct level_matrix {
    const spw_csr *A; /* n x n */
    spw_idx n_levels;
    const spw_idx
        *level_ptr; /* [n_levels+1]  level l: rows level_ptr[l] .. level_ptr[l+1]-1, one at least */
} level_matrix;

/* --- to be written ----------------------------------------------------------------------------------- */

/* The levels of a breadth-first search. Level 0 is the row `start`; level l+1 are all neighbours of rows of level
 * l that are in no level yet. Where there are none but some rows are left, the one of the lowest number makes up
 * the next level, alone. Returns the number of levels.
 *   A          n x n, n >= 1; a_ij is stored if a_ji is. Rows may be empty, the diagonal may be missing
 *   perm       [n]    the rows, level after level, in any order within a level
 *   level_ptr  [n+1]  level l: perm[level_ptr[l]] .. perm[level_ptr[l+1]-1]; the rest is left as it is */
spw_idx levels(const spw_csr *A, spw_idx start, spw_idx *perm, spw_idx *level_ptr);

/* The largest p of 1 .. most for which ANY p neighbouring levels have room in a cache of so many bytes: their
 * entries (value and column), their part of row_ptr (4 bytes a row), and their elements of three vectors. With
 * more than n_levels levels, those that there are. 1 if not even one level has room everywhere. */
int largest_power(const level_matrix *L, int64_t cache, int most);

/* The least bytes and the flops of `powers`, while its window of levels fits a cache. level_ptr is not counted. */
spw_cost powers_cost(const level_matrix *L, int p);

/* y[k] = A^(k+1) x for k = 0 .. p-1, with the matrix read from memory once, on all cores.
 *   p  1 or more
 *   x  [n]
 *   y  [p] arrays of n elements, overwritten: they hold garbage on entry. No two arrays overlap */
void powers(const level_matrix *L, int p, const double *x, double *const *y);

/* y = T_d((A - c I) / e) x with the Chebyshev polynomial of degree d = degree, by
 *     T_0 = x,   T_1 = (A - c I) / e x,   T_k = 2 (A - c I) / e T_(k-1) - T_(k-2)
 * with the matrix read from memory once, on all cores.
 *   degree  1 or more
 *   e       not 0
 *   work    [3] arrays of n elements for your own use: they hold garbage on entry, and may on return
 *   y       [n], overwritten. No two arrays overlap */
void filter(const level_matrix *L, int degree, double c, double e, const double *x,
            double *const *work, double *y);

/* Exercise 11: what reorder.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

/* The graph of an n x n matrix: rows i and j are neighbours if a_ij or a_ji is an entry, and i is not j. Each is then
 * in the other's list. */
typedef struct graph {
    spw_idx n;
    const spw_idx
        *ptr; /* [n+1]  the neighbours of row i: neighbour[ptr[i]] .. neighbour[ptr[i+1]-1] */
    const spw_idx *neighbour; /* [ptr[n]]  ascending in each row */
} graph;

/* An order of n rows is an array of n numbers, each of 0 .. n-1 once: the new row k is the old row order[k]. */

/* --- to be written ----------------------------------------------------------------------------------- */

/* The rows that can be reached from `start`, in the order of a breadth-first search: first start, then its neighbours,
 * then the neighbours of the first of these, and so on; the neighbours of a row in the order in which they stand. A row
 * gets its place when it is found for the first time. Returns how many there are. O(number of their neighbours).
 *   level  [n]  -1 for rows without a place, 0 or more for those that have one: they are left out. On return level[start]
 *               is 0, and a row that was found by a row of level l has level l + 1
 *   order  [n]  the rows found, from order[0] on; the rest is of no interest */
spw_idx bfs_order(const graph *G, spw_idx start, spw_idx *level, spw_idx *order);

/* Reverse Cuthill-McKee. The parts of the graph one after the other, first the one that has row 0, then always the one
 * with the lowest row that has no place. A part begins with the row rim(G, that row, ...). The search goes on as in
 * bfs_order, but rows that are found by one row are sorted: those with few neighbours first, and of two with as many the
 * one with the lower number. In the end the whole order is reversed.
 *   level  [n]  -1 on entry, of no interest on return
 *   order  [n]  overwritten: it holds garbage on entry */
void rcm_order(const graph *G, spw_idx *level, spw_idx *order);

/* B = P A P^T: entry (i, j) of B is entry (order[i], order[j]) of A. The columns of a row ascend, as in A.
 *   A        n x n
 *   inverse  [n]  for your own use, holds garbage on entry
 *   B        n_rows, n_cols and nnz are given; row_ptr, col_idx and val are to be written */
void permute(const spw_csr *A, const spw_idx *order, spw_idx *inverse, const spw_csr *B);

/* The vector x in the new order, y = P x; and back, x = P^T y. x and y do not overlap. */
void to_new(spw_idx n, const spw_idx *order, const double *x, double *y);
void to_old(spw_idx n, const spw_idx *order, const double *y, double *x);

/* Bytes and flops of one y = A x in CSR, n x n with nz entries, where 8 gamma bytes of x are loaded for each entry.
 * Without the write-allocate of y. */
spw_cost product_cost(double n, double nz, double gamma);

/* Reordering took `setup` seconds, a product takes `before` without and `after` with it. Returns the least number of
 * products, a whole number, for which reordering takes no more time in all; -1: there is none. setup is above 0. */
double repaid_after(double setup, double before, double after);

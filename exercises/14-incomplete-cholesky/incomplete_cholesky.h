/* Exercise 14: what incomplete_cholesky.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* The lower triangle of A, diagonal included. Row i has the entries of row i of A up to the diagonal, in that
 * order: the diagonal is the last one. */
typedef struct lower {
    spw_idx n;
    const spw_idx *row_ptr; /* [n+1] */
    const spw_idx *col_idx; /* [nnz]  ascending in each row */
    double *val;            /* [nnz]  output */
} lower;

/* Incomplete Cholesky factor of A + shift diag(A), in L->val:
 *     l_ik = (a_ik - sum over j < k of l_ij l_kj) / l_kk          for the entries that L has
 *     l_ii = square root of the pivot (1 + shift) a_ii - sum over j < i of l_ij^2
 * Returns -1 if all pivots are above 0; else the first row whose pivot is not, and then L->val is of no
 * interest. */
spw_idx ic0_factor(const spw_csr *A, double shift, const lower *L);

/* The same with the first shift of 0, 0.001, 0.002, 0.004, 0.008 ... that works. Returns the shift. */
double ic0(const spw_csr *A, const lower *L);

/* A triangle of n rows, in CSR without its diagonal. It comes sorted by levels: level l is the stored rows
 * level_ptr[l] .. level_ptr[l+1]-1, and stored row k is row row[k]. A row needs rows of levels before its own. */
typedef struct triangle {
    spw_idx n, n_levels;
    const spw_idx *level_ptr; /* [n_levels+1] */
    const spw_idx *row;       /* [n] */
    const spw_idx *row_ptr;   /* [n+1]  of stored row k */
    const spw_idx *col_idx;   /* [nnz]  rows, not stored rows */
    const double *val;        /* [nnz] */
    const double *inverse;    /* [n]    1 / diagonal of row i, not of stored row i */
} triangle;

/* level[i] = 0 if row i has no entry beside the diagonal, else 1 + the highest level of its columns. Row i of
 * the triangle, not sorted yet, is row_ptr[i] .. row_ptr[i+1]-1, without the diagonal. upper: 1 if all columns
 * of a row are greater than its own number, 0 if they are less. Returns the number of levels, 0 for n = 0. */
spw_idx levels(spw_idx n, const spw_idx *row_ptr, const spw_idx *col_idx, int upper,
               spw_idx *level);

/* x = T^-1 b: x_i = inverse_i (b_i - sum of t_ij x_j). Level after level, the rows of a level on all cores.
 * b, x  [n], do not overlap; x holds garbage on entry */
void solve(const triangle *T, const double *b, double *x);

/* The least bytes and the flops of one ic0_apply, for n rows and nz entries of A: nz - n in both triangles together.
 * Write-allocate counts as loads: 8 n for each vector that is written without having been read. */
spw_cost ic0_cost(double n, double nz);

/* z = (L L^T)^-1 r. work  [n], of no interest on return. */
void ic0_apply(const triangle *L, const triangle *L_transposed, const double *r, double *z,
               double *work);

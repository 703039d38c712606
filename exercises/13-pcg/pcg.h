/* Exercise 13: what pcg.c must define. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* --- the preconditioners: z = M^-1 r -------------------------------------------------------------------- */

typedef enum precond_kind { JACOBI, BLOCK_JACOBI, IC0, IC0_NEUMANN, CHEBYSHEV } precond_kind;

/* The least bytes and the flops of ONE application, for n rows and nz entries of A, nz - n of them beside the
 * diagonal. Write-allocate counts as loads: 8 n for each vector that is written without having been read.
 *   k  BLOCK_JACOBI: rows of a block; IC0_NEUMANN, CHEBYSHEV: the degree; else of no interest */
spw_cost apply_cost(precond_kind kind, double n, double nz, double k);

/* inverse[i] = 1 / a_ii. Returns -1; or the first row whose diagonal entry is missing or not above 0, and
 * then inverse is of no interest. */
spw_idx invert_diagonal(const spw_csr *A, double *inverse);

/* z[i] = inverse[i] r[i]. */
void jacobi(int64_t n, const double *inverse, const double *r, double *z);

/* Blocks of `block` rows along the diagonal; the last one has fewer if block does not divide n. In the block
 * that begins with row first:  z[i] = sum over j of inverse[i * block + j] r[first + j].
 *   inverse  [n * block]  row i of its block's inverse stands at i * block */
void block_jacobi(int64_t n, int block, const double *inverse, const double *r, double *z);

/* The lower triangle of A, diagonal included. Row i has the entries of row i of A up to the diagonal, in that
 * order: the diagonal is the last one. */
typedef struct lower {
    spw_idx n;
    const spw_idx *row_ptr; /* [n+1] */
    const spw_idx *col_idx; /* [nnz]  ascending in each row */
    double *val;            /* [nnz]  output */
} lower;

/* Incomplete Cholesky factor of A + shift diag(A), L L^T near it, in L->val:
 *     l_ik = (a_ik - sum over j < k of l_ij l_kj) / l_kk          for the entries that L has
 *     l_ii = root of (1 + shift) a_ii - sum over j < i of l_ij^2
 * Returns -1; or the first row where that root is not of a number above 0, and then L->val is of no
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
 * the triangle, not sorted yet, is row_ptr[i] .. row_ptr[i+1]-1, without the diagonal. upper: 1 if columns
 * are above i, 0 if they are below. Returns the number of levels, 0 for n = 0. */
spw_idx levels(spw_idx n, const spw_idx *row_ptr, const spw_idx *col_idx, int upper,
               spw_idx *level);

/* x = T^-1 b: x_i = inverse_i (b_i - sum of t_ij x_j). Level after level, the rows of a level on all cores.
 * b, x  [n], do not overlap; x holds garbage on entry */
void solve(const triangle *T, const double *b, double *x);

/* z = (L L^T)^-1 r. work  [n], of no interest on return. */
void ic0_apply(const triangle *L, const triangle *L_transposed, const double *r, double *z,
               double *work);

/* In place of x = T^-1 b: x^0 = D^-1 b, then `degree` times x^{m+1} = D^-1 (b - N x^m), where N is T without its
 * diagonal D. All rows on all cores, levels are of no interest.
 * b, x, work  [n], do not overlap; the result is in x */
void neumann(const triangle *T, int degree, const double *b, double *x, double *work);

typedef struct chebyshev_room {
    double *residual, *step, *product; /* [n] each; garbage on entry */
} chebyshev_room;

/* degree + 1 steps of the Chebyshev iteration for D^-1 A z = D^-1 r from z = 0, for eigenvalues low .. high,
 * 0 < low < high. The README has it. degree >= 0. inverse = D^-1. */
void chebyshev(const spw_csr *A, const double *inverse, double low, double high, int degree,
               const double *r, double *z, const chebyshev_room *room);

/* --- the solver ------------------------------------------------------------------------------------------- */

/* Any of them: z = M^-1 r is M->apply(M->context, r, z). */
typedef struct preconditioner {
    void (*apply)(const void *context, const double *r, double *z);
    const void *context;
} preconditioner;

/* The least bytes and the flops of ONE iteration of pcg, without z = M^-1 r: four loops,
 *     q = A p with p.q | x, r and r.r | r.z | p = z + beta p */
spw_cost step_cost(double n, double nz);

typedef enum pcg_stop {
    PCG_CONVERGED,  /* ||r|| <= tolerance ||b|| */
    PCG_ITERATIONS, /* max_iterations steps were taken, and it has not converged */
    PCG_NOT_SPD, /* p . A p is not above 0: A is not positive definite. No step was taken with it */
    PCG_PRECOND  /* r . z is not above 0, and r is not 0: M is not positive definite */
} pcg_stop;

typedef struct pcg_result {
    pcg_stop stop;
    int iterations;  /* steps taken: how often x was changed */
    double residual; /* ||r|| of the last r, the Euclidean norm, without M */
} pcg_result;

typedef struct pcg_room {
    double *p, *q, *r, *z; /* [n] each; garbage on entry and of no interest on return */
} pcg_room;

/* Solves A x = b for symmetric positive definite A and M by preconditioned conjugate gradients. It applies M
 * once an iteration, and may once more.
 *   x  [n]  the first guess on entry, the last iterate on return, and always finite
 *   tolerance       >= 0. It stops as soon as ||r|| <= tolerance ||b||, before the first step too
 *   max_iterations  >= 0. No more steps than that */
pcg_result pcg(const spw_csr *A, const preconditioner *M, const double *b, double *x,
               double tolerance, int max_iterations, const pcg_room *room);

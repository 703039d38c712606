/* Exercise 19: what mixed_precision.c must define, and what it may call. */
#pragma once

#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

/* A CSR matrix whose values are float. The pattern is that of the double matrix, and is shared with it. */
typedef struct csr_single {
    spw_idx n_rows, n_cols, nnz;
    const spw_idx *row_ptr; /* [n_rows+1] */
    const spw_idx *col_idx; /* [nnz] */
    const float *val;       /* [nnz]  entry k of A is scale * val[k], up to rounding */
    double scale;           /* a power of two */
} csr_single;

/* --- to be written ----------------------------------------------------------------------------------- */

/* single[k] = val[k] / scale, rounded to float, and returns scale: the power of two with which the largest
 * |val[k]| / scale is in [1, 2). A power of two, so that the division rounds nothing. 1 if all are 0. */
double to_single(int64_t nnz, const double *val, float *single);

/* The least bytes and the flops of spmv_single. */
spw_cost spmv_single_cost(const csr_single *A);

/* y = A x: values in float, all else in double.
 *   x  [A->n_cols], does not overlap y
 *   y  [A->n_rows], overwritten: it holds garbage on entry */
void spmv_single(const csr_single *A, const double *x, double *y);

/* The least bytes and the flops of a whole refinement: `steps` corrections, so steps + 1 residuals, and
 * `iterations` of single_cg in all. The table in the README says what each of them does. */
spw_cost refine_cost(const spw_csr *A, int64_t steps, int64_t iterations);

/* Solves A x = b to ||b - A x|| <= tolerance ||b||, Euclidean norms. Returns the number of corrections
 * that were added to x, or -1 if the last one did not halve ||b - A x||: then float is not enough for A.
 *   A  symmetric positive definite, n x n;   S  the same in float, by to_single
 *   b  [n], of any size: 1e-60 and 1e+60 too; 0 gives x = 0 and returns 0
 *   x  [n], overwritten: it holds garbage on entry; begins at 0 */
int refine(const spw_csr *A, const csr_single *S, const double *b, double tolerance, double *x);

/* --- given ------------------------------------------------------------------------------------------- */

/* Conjugate gradients, all in float, with the values as they stand in S->val (scale is not looked at):
 * overwrites d with a solution of val * d = r whose residual is `reduction` times ||r||, as long as rounding
 * lets it, at most 2000 iterations. Works on float arrays: ||r|| should be near 1.
 *   r, d  [n], no overlap. Returns the iterations that it took. */
int single_cg(const csr_single *S, const float *r, double reduction, float *d);

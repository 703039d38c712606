#include "mixed_precision.h"

#include <math.h>
#include <stdlib.h>

/* 1. Write. single[k] = val[k] / scale in float. Returns scale, the power of two with which the largest
 * |val[k]| / scale is in [1, 2); 1 if all values are 0.
 * frexp(v, &e) says that v is 0.5 .. 1 times 2^e; ldexp(1, e) is 2^e. */
double to_single(int64_t nnz, const double *val, float *single) {
    /* your code here */
}

/* 2. Predict. What must one product with float values move at least, and compute?
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
spw_cost spmv_single_cost(const csr_single *A) {
    /* your model here */
}

/* 3. Write. y = A x on all cores: values in float, x, y and all sums in double. The entries of A are
 * scale * val[k].
 *   x  [A->n_cols], does not overlap y
 *   y  [A->n_rows], overwritten: it holds garbage on entry */
void spmv_single(const csr_single *A, const double *x, double *y) {
    /* your code here */
}

/* 4. Predict. A whole refinement with so many corrections and iterations of single_cg in all, by the table
 * in the README. */
spw_cost refine_cost(const spw_csr *A, int64_t steps, int64_t iterations) {
    /* your model here */
}

/* 5. Write. Solves A x = b to ||b - A x|| <= tolerance ||b||; returns the number of corrections, or -1 if
 * the last one did not halve ||b - A x||. You may call single_cg (mixed_precision.h).
 *   A, S  the matrix in double and in float, n x n
 *   b     [n], of any size; 0 gives x = 0
 *   x     [n], overwritten: it holds garbage on entry */
int refine(const spw_csr *A, const csr_single *S, const double *b, double tolerance, double *x) {
    /* your code here */
}

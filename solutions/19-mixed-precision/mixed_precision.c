#include "mixed_precision.h"

#include <math.h>
#include <stdlib.h>

/* 1. Write. single[k] = val[k] / scale in float. Returns scale, the power of two with which the largest
 * |val[k]| / scale is in [1, 2); 1 if all values are 0.
 * frexp(v, &e) says that v is 0.5 .. 1 times 2^e; ldexp(1, e) is 2^e. */
double to_single(int64_t nnz, const double *val, float *single) {
    /* SOLUTION your code here */
    double largest = 0;
    int exponent;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t k = 0; k < nnz; k++) largest = fmax(largest, fabs(val[k]));
    frexp(largest, &exponent);
    const double scale = largest > 0 ? ldexp(1, exponent - 1) : 1;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < nnz; k++) single[k] = (float)(val[k] / scale);
    return scale;
    /* END */
}

/* 2. Predict. What must one product with float values move at least, and compute?
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
spw_cost spmv_single_cost(const csr_single *A) {
    /* SOLUTION your model here */
    return (spw_cost){
        .load = 8.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
        .store = 8.0 * A->n_rows,
        .flop = 2.0 * A->nnz,
    };
    /* END */
}

/* 3. Write. y = A x on all cores: values in float, x, y and all sums in double. The entries of A are
 * scale * val[k].
 *   x  [A->n_cols], does not overlap y
 *   y  [A->n_rows], overwritten: it holds garbage on entry */
void spmv_single(const csr_single *A, const double *x, double *y) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += (double)A->val[k] * x[A->col_idx[k]];
        y[i] = A->scale * sum;
    }
    /* END */
}

/* 4. Predict. A whole refinement with so many corrections and iterations of single_cg in all, by the table
 * in the README. */
spw_cost refine_cost(const spw_csr *A, int64_t steps, int64_t iterations) {
    /* SOLUTION your model here */
    const double nz = A->nnz, n = A->n_rows, s = (double)steps, its = (double)iterations;
    return (spw_cost){
        .load = (s + 1) * (12 * nz + 4 * (n + 1) + 16 * n) + s * (8 + 12) * n +
                its * (8 * nz + 4 * (n + 1) + (4 + 16 + 8) * n),
        .store = (s + 1) * 8 * n + s * (4 + 8) * n + its * (4 + 8 + 4) * n,
        .flop = (s + 1) * (2 * nz + 3 * n) + s * 3 * n + its * (2 * nz + 10 * n),
    };
    /* END */
}

/* 5. Write. Solves A x = b to ||b - A x|| <= tolerance ||b||; returns the number of corrections, or -1 if
 * the last one did not halve ||b - A x||. You may call single_cg (mixed_precision.h).
 *   A, S  the matrix in double and in float, n x n
 *   b     [n], of any size; 0 gives x = 0
 *   x     [n], overwritten: it holds garbage on entry */
int refine(const spw_csr *A, const csr_single *S, const double *b, double tolerance, double *x) {
    /* SOLUTION your code here */
    const int64_t n = A->n_rows;
    double *r = malloc((size_t)n * sizeof *r);
    float *small = malloc((size_t)n * sizeof *small), *d = malloc((size_t)n * sizeof *d);
    double norm_b = 0, last = INFINITY;
    int steps = 0;
#pragma omp parallel for schedule(static) reduction(+ : norm_b)
    for (int64_t i = 0; i < n; i++) {
        x[i] = 0;
        norm_b += b[i] * b[i];
    }
    norm_b = sqrt(norm_b);
    for (;; steps++) {
        double norm = 0;
#pragma omp parallel for schedule(static) reduction(+ : norm)
        for (int64_t i = 0; i < n; i++) {
            double sum = b[i];
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
                sum -= A->val[k] * x[A->col_idx[k]];
            r[i] = sum;
            norm += sum * sum;
        }
        norm = sqrt(norm);
        if (norm <= tolerance * norm_b) break;
        if (!(norm < last / 2)) {
            steps = -1;
            break;
        }
        last = norm;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) small[i] = (float)(r[i] / norm);
        single_cg(S, small, 1e-4, d);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) x[i] += norm / S->scale * (double)d[i];
    }
    free(r);
    free(small);
    free(d);
    return steps;
    /* END */
}

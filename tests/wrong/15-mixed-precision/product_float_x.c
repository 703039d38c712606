/* expect CORRECT: x was rounded to float */
/* Stored as float, and multiplied with x as float: that was not asked for. */
#include "mixed_precision.h"

#include <math.h>
#include <stdlib.h>

double to_single(int64_t nnz, const double *val, float *single)
{
    double largest = 0;
    int exponent;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t k = 0; k < nnz; k++) largest = fmax(largest, fabs(val[k]));
    frexp(largest, &exponent);
    const double scale = largest > 0 ? ldexp(1, exponent - 1) : 1;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < nnz; k++) single[k] = (float)(val[k] / scale);
    return scale;
}

spw_cost spmv_single_cost(const csr_single *A)
{
    return (spw_cost){
        .load = 8.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
        .store = 8.0 * A->n_rows,
        .flop = 2.0 * A->nnz,
    };
}

void spmv_single(const csr_single *A, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += (double)A->val[k] * (double)(float)x[A->col_idx[k]];
        y[i] = A->scale * sum;
    }
}

spw_cost refine_cost(const spw_csr *A, int64_t steps, int64_t iterations)
{
    const double nz = A->nnz, n = A->n_rows, s = (double)steps, its = (double)iterations;
    return (spw_cost){
        .load = (s + 1) * (12 * nz + 4 * (n + 1) + 16 * n) + s * (8 + 12) * n +
                its * (8 * nz + 4 * (n + 1) + (4 + 16 + 8) * n),
        .store = (s + 1) * 8 * n + s * (4 + 8) * n + its * (4 + 8 + 4) * n,
        .flop = (s + 1) * (2 * nz + 3 * n) + s * 3 * n + its * (2 * nz + 10 * n),
    };
}

int refine(const spw_csr *A, const csr_single *S, const double *b, double tolerance, double *x)
{
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
}

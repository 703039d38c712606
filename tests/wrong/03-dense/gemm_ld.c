/* expect CORRECT: n was taken for ldb */
#include "dense.h"

spw_cost dgemv_cost(int64_t m, int64_t n)
{
    return (spw_cost){.load = 8.0 * m * n + 8.0 * n, .store = 8.0 * m, .flop = 2.0 * m * n};
}

void dgemv(int64_t m, int64_t n, const double *A, int64_t lda, const double *x, double *y)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < n; j++) sum += A[i * lda + j] * x[j];
        y[i] = sum;
    }
}

spw_cost dgemm_cost(int64_t m, int64_t n, int64_t k, int64_t edge)
{
    const double columns = (double)((n + edge - 1) / edge), rows = (double)((m + edge - 1) / edge);
    return (spw_cost){.load = 8.0 * m * k * columns + 8.0 * k * n * rows,
                      .store = 8.0 * m * n,
                      .flop = 2.0 * m * n * k};
}

double edge_at_knee(double P, double b)
{
    return 8 * P / b;
}

void dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
           int64_t ldb, double *C, int64_t ldc)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) C[i * ldc + j] = 0;
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = 0; j < n; j++) C[i * ldc + j] += A[i * lda + p] * B[p * n + j];
    }
}

/* Rows of C among the cores, and the loops in the order i, p, j: the innermost one runs along a row of B
 * and a row of C, so that it vectorises. But each multiply-add loads two doubles and stores one. */
#include "kernels/dense.h"

#include <assert.h>

void spw_dgemm_omp(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                   int64_t ldb, double *C, int64_t ldc) {
    assert(m >= 0 && n >= 0 && k >= 0 && lda >= k && ldb >= n && ldc >= n);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < m; i++) {
        double *c = C + i * ldc;
        for (int64_t j = 0; j < n; j++) c[j] = 0;
        for (int64_t p = 0; p < k; p++) {
            const double a = A[i * lda + p], *b = B + p * ldb;
#pragma omp simd
            for (int64_t j = 0; j < n; j++) c[j] += a * b[j];
        }
    }
}

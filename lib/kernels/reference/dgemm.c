#include "kernels/dense.h"

#include <assert.h>

void spw_dgemm_ref(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                   int64_t ldb, double *C, int64_t ldc) {
    assert(m >= 0 && n >= 0 && k >= 0 && lda >= k && ldb >= n && ldc >= n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++) sum += A[i * lda + p] * B[p * ldb + j];
            C[i * ldc + j] = sum;
        }
}

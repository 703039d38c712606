#include "kernels/dense.h"

#include <assert.h>

void spw_dgemv_ref(int64_t m, int64_t n, const double *A, const double *x, double *y) {
    assert(m >= 0 && n >= 0 && (A || m == 0 || n == 0) && (x || n == 0) && (y || m == 0));
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

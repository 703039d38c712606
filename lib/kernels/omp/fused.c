/* Those that one plain loop says; the others, with sums and up to seven arrays, are in expert/fused.c. */
#include "kernels/fused.h"

#include <assert.h>

void spw_scal_omp(int64_t n, double a, double *x) {
    assert(n >= 0 && (n == 0 || x));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) x[i] *= a;
}

void spw_diag_omp(int64_t n, const double *d, const double *x, double *y) {
    assert(n >= 0 && (n == 0 || (d && x && y)));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) y[i] = d[i] * x[i];
}

#include "kernels/spmm.h"

#include <assert.h>

void spw_transpose_omp(int64_t m, int64_t n, const double *from, int64_t ldfrom, double *to,
                       int64_t ldto) {
    assert(m >= 0 && n >= 0 && ldfrom >= n && ldto >= m && ((from && to) || m == 0 || n == 0));
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) to[j * ldto + i] = from[i * ldfrom + j];
}

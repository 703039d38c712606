#include "kernels/blas.h"

#include "base/threads.h"

#include <assert.h>
#include <cblas.h>

const char *spw_blas_name(void) { return "OpenBLAS"; }

void spw_blas_dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                    int64_t ldb, double *C, int64_t ldc) {
    assert(m < INT32_MAX && n < INT32_MAX && k < INT32_MAX);
    assert(lda < INT32_MAX && ldb < INT32_MAX && ldc < INT32_MAX);
    if (openblas_get_num_threads() != spw_max_threads())
        openblas_set_num_threads(spw_max_threads());
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1, A, (int)lda,
                B, (int)ldb, 0, C, (int)ldc);
}

#include "kernels/blas.h"

#include <assert.h>
#include <stddef.h>

const char *spw_blas_name(void) { return NULL; }

void spw_blas_dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                    int64_t ldb, double *C, int64_t ldc) {
    (void)m, (void)n, (void)k, (void)A, (void)lda, (void)B, (void)ldb, (void)C, (void)ldc;
    assert(!"there is no BLAS in this build: spw_blas_name() is NULL");
}

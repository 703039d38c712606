/* kernels/blas.h -- what an installed BLAS makes of the same product, for a figure beside ours.
 *
 * blas_cblas.c where the makefile finds OpenBLAS with its C interface, else blas_none.c. */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

/* "OpenBLAS"; NULL where there is none: then spw_blas_dgemm must not be called. */
const char *spw_blas_name(void);

/* spw_dgemm_fn (kernels/dense.h) by cblas_dgemm, with as many threads as the next parallel region would
 * have. Sizes and leading dimensions are below 2^31; those of empty matrices are at least 1. */
void spw_blas_dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                    int64_t ldb, double *C, int64_t ldc);

SPW_C_END

#include "kernels/single.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

spw_status spw_csr_single_from_csr(const spw_csr *A, spw_csr_single *S)
{
    double largest = 0;
    int64_t bad = A->nnz;
    int exponent;
    *S = (spw_csr_single){0};
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(min : bad)
    for (int64_t k = 0; k < A->nnz; k++) {
        if (!isfinite(A->val[k]) && k < bad) bad = k;
        largest = fmax(largest, fabs(A->val[k]));
    }
    if (bad < A->nnz)
        return spw_error(SPW_ERR_ARG, "entry %" PRId64 " of the matrix is %g: not finite", bad,
                         A->val[bad]);
    frexp(largest, &exponent);
    const double scale = largest > 0 ? ldexp(1, exponent - 1) : 1;
    float *val;
    const spw_status status = SPW_ALLOC(&val, A->nnz);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < A->nnz; k++) val[k] = (float)(A->val[k] / scale);
    *S = (spw_csr_single){.n_rows = A->n_rows,
                          .n_cols = A->n_cols,
                          .nnz = A->nnz,
                          .row_ptr = A->row_ptr,
                          .col_idx = A->col_idx,
                          .val = val,
                          .scale = scale};
    return SPW_OK;
}

void spw_csr_single_destroy(spw_csr_single *S)
{
    if (!S) return;
    spw_free(S->val);
    *S = (spw_csr_single){0};
}

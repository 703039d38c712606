#include "kernels/float.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* A power of two that brings the largest value into [1, 2). */
static spw_status find_scale(const spw_csr *A, double *scale) {
    double largest = 0;
    int64_t bad = A->nnz;
    int exponent;
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(min : bad)
    for (int64_t k = 0; k < A->nnz; k++) {
        if (!isfinite(A->val[k]) && k < bad) bad = k;
        largest = fmax(largest, fabs(A->val[k]));
    }
    if (bad < A->nnz)
        return spw_error(SPW_ERR_ARG, "entry %" PRId64 " of the matrix is %g: not finite", bad,
                         A->val[bad]);
    frexp(largest, &exponent);
    *scale = largest > 0 ? ldexp(1, exponent - 1) : 1;
    return SPW_OK;
}

/* *to owns n of them. */
static spw_status round_values(int64_t n, const double *val, double scale, float **to) {
    const spw_status status = SPW_ALLOC(to, n);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) (*to)[k] = (float)(val[k] / scale);
    return SPW_OK;
}

spw_status spw_csr_float_from_csr(const spw_csr *A, spw_csr_float *S) {
    double scale = 1;
    float *val;
    *S = (spw_csr_float){0};
    spw_status status = find_scale(A, &scale);
    if (!status) status = round_values(A->nnz, A->val, scale, &val);
    if (status) return status;
    *S = (spw_csr_float){.n_rows = A->n_rows,
                         .n_cols = A->n_cols,
                         .nnz = A->nnz,
                         .row_ptr = A->row_ptr,
                         .col_idx = A->col_idx,
                         .val = val,
                         .scale = scale};
    return SPW_OK;
}

void spw_csr_float_destroy(spw_csr_float *S) {
    if (!S) return;
    spw_free(S->val);
    *S = (spw_csr_float){0};
}

spw_status spw_sell_short_float_from_csr(const spw_csr *A, spw_sell_short_float *S) {
    *S = (spw_sell_short_float){0};
    spw_status status = find_scale(A, &S->scale);
    if (!status) status = spw_sell_short_from_csr(A, SPW_SINGLE_ROWS, 1, &S->S);
    if (!status) status = round_values(S->S.n_stored, S->S.val, S->scale, &S->val);
    if (status) {
        spw_sell_short_float_destroy(S);
        return status;
    }
    spw_free(S->S.val);
    S->S.val = NULL;
    return SPW_OK;
}

void spw_sell_short_float_destroy(spw_sell_short_float *S) {
    if (!S) return;
    spw_sell_short_destroy(&S->S);
    spw_free(S->val);
    *S = (spw_sell_short_float){0};
}

int64_t spw_sell_short_float_bytes(const spw_sell_short_float *S) {
    return spw_sell_short_bytes(&S->S) - 4 * (int64_t)S->S.n_stored;
}

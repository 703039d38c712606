/* One vector after the other. */
#include "kernels/trsv.h"

#include <assert.h>

void spw_trsm_csr_ref(const spw_triangle *T, int nv, const double *B, int64_t ldb, double *X,
                      int64_t ldx) {
    assert(T && nv >= 1 && ldb >= nv && ldx >= nv && (T->n == 0 || (B && X)));
    for (int j = 0; j < nv; j++)
        for (spw_idx k = 0; k < T->n; k++) {
            const spw_idx i = T->half == SPW_UPPER ? T->n - 1 - k : k;
            double sum = B[i * ldb + j];
            for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++)
                sum -= T->val[at] * X[T->col_idx[at] * ldx + j];
            X[i * ldx + j] = T->inverse ? sum * T->inverse[i] : sum;
        }
}

/* One row after the other. */
#include "kernels/trsv.h"

#include <assert.h>

void spw_trsv_csr_ref(const spw_triangle *T, const double *b, double *x) {
    assert(T && (T->n == 0 || (b && x)));
    for (spw_idx k = 0; k < T->n; k++) {
        const spw_idx i = T->half == SPW_UPPER ? T->n - 1 - k : k;
        double sum = b[i];
        for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++)
            sum -= T->val[at] * x[T->col_idx[at]];
        x[i] = T->inverse ? sum * T->inverse[i] : sum;
    }
}

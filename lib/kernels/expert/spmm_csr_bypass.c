/* The same with Y past the caches: idea and gain are in spmm_share.h. */
#include "kernels/spmm.h"

#include "kernels/expert/spmm_share.h"

#include <assert.h>

void spw_spmm_csr_omp_bypass(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y,
                             int64_t ldy) {
    assert(A && nv >= 1 && ldx >= nv && ldy >= nv);
    assert((X || A->n_cols == 0) && (Y || A->n_rows == 0));
    if (!spw_spmm_is_whole(nv, Y, ldy)) {
        spw_spmm_csr_omp_registers(A, nv, X, ldx, Y, ldy);
        return;
    }
#pragma omp parallel
    {
        const spw_spmm_matrix M = {A->n_rows, 1, A->row_ptr, A->col_idx, A->val};
        spw_spmm_share(true, &M, nv, X, ldx, Y, ldy);
    }
}

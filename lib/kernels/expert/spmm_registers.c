/* Sums in registers, and the same with Y past the caches: ideas and gains are in spmm_share.h. */
#include "kernels/spmm.h"

#include "kernels/expert/spmm_share.h"

#include <assert.h>

/* A macro: the height of CSR's slices, 1, is a constant only inside of the parallel region. */
#define KERNEL(format, idea, may_bypass, b, ptr)                                                   \
    void spw_spmm_##format##_omp_##idea(const spw_##format *A, spw_idx nv, const double *X,        \
                                        int64_t ldx, double *Y, int64_t ldy) {                     \
        assert(A &&nv >= 1 && ldx >= nv && ldy >= nv);                                             \
        assert((X || A->n_cols == 0) && (Y || A->n_rows == 0));                                    \
        const bool bypass = may_bypass && spw_spmm_is_whole(nv, Y, ldy);                           \
        _Pragma("omp parallel") {                                                                  \
            const spw_spmm_matrix M = {A->n_rows, b, A->ptr, A->col_idx, A->val};                  \
            if (may_bypass && bypass)                                                              \
                spw_spmm_share(true, &M, nv, X, ldx, Y, ldy);                                      \
            else                                                                                   \
                spw_spmm_share(false, &M, nv, X, ldx, Y, ldy);                                     \
        }                                                                                          \
    }

KERNEL(csr, registers, false, 1, row_ptr)
KERNEL(csr, bypass, true, 1, row_ptr)
KERNEL(sellp, registers, false, A->b, slice_ptr)
KERNEL(sellp, bypass, true, A->b, slice_ptr)

/* Sums in registers, and the same with Y past the caches: ideas and gains are in spmm_share.h. */
#include "kernels/spmm.h"

#include "kernels/expert/spmm_share.h"

#include <assert.h>

/* Macros: the height of CSR's slices, 1, is a constant only inside of the parallel region. */
#define SHARE(may_bypass, b, ptr)                                                                  \
    _Pragma("omp parallel") {                                                                      \
        const spw_spmm_matrix M = {A->n_rows, b, A->ptr, A->col_idx, A->val};                      \
        spw_spmm_share(may_bypass, &M, nv, X, ldx, Y, ldy);                                        \
    }
#define KERNELS(format, b, ptr)                                                                    \
    void spw_spmm_##format##_omp_registers(const spw_##format *A, spw_idx nv, const double *X,     \
                                           int64_t ldx, double *Y, int64_t ldy) {                  \
        assert(A &&nv >= 1 && ldx >= nv && ldy >= nv);                                             \
        assert((X || A->n_cols == 0) && (Y || A->n_rows == 0));                                    \
        SHARE(false, b, ptr)                                                                       \
    }                                                                                              \
    void spw_spmm_##format##_omp_bypass(const spw_##format *A, spw_idx nv, const double *X,        \
                                        int64_t ldx, double *Y, int64_t ldy) {                     \
        if (!spw_spmm_is_whole(nv, Y, ldy)) {                                                      \
            spw_spmm_##format##_omp_registers(A, nv, X, ldx, Y, ldy);                              \
            return;                                                                                \
        }                                                                                          \
        SHARE(true, b, ptr)                                                                        \
    }

KERNELS(csr, 1, row_ptr)
KERNELS(sellp, A->b, slice_ptr)

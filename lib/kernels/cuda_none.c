/* No CUDA in this build: the launchers of kernels/cuda.h say so. */
#include "kernels/cuda.h"

/* clang-format off */
#define NONE(name, ...)                                                                            \
    spw_status name(__VA_ARGS__)                                                                   \
    {                                                                                              \
        return spw_error(SPW_ERR_UNAVAILABLE, #name ": this build is without CUDA, no nvcc was found"); \
    }
/* clang-format on */

#pragma GCC diagnostic ignored "-Wunused-parameter"
NONE(spw_axpby_cuda, int64_t n, double a, const double *d_x, double b, double *d_y)
NONE(spw_copy_cuda, int64_t n, const double *d_x, double *d_y)
NONE(spw_triad_cuda, int64_t n, double s, const double *d_b, const double *d_c, double *d_a)
NONE(spw_dot_cuda, int64_t n, const double *d_x, const double *d_y, double *d_result)
NONE(spw_sum_cuda, int64_t n, const double *d_x, double *d_result)
NONE(spw_spmv_coo_cuda, const spw_coo *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_coo_cuda_runs, const spw_coo *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_csr_cuda, const spw_csr *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_csr_cuda_warp, const spw_csr *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_csr_cuda_adaptive, const spw_csr *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_ell_cuda, const spw_ell *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_sell_cuda, const spw_sell *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_sellp_cuda, const spw_sellp *d_A, const double *d_x, double *d_y)
NONE(spw_spmm_csr_cuda, const spw_csr *d_A, spw_idx nv, const double *d_X, int64_t ldx, double *d_Y,
     int64_t ldy)
NONE(spw_spmm_csr_cuda_vectors, const spw_csr *d_A, spw_idx nv, const double *d_X, int64_t ldx,
     double *d_Y, int64_t ldy)
NONE(spw_spmm_sellp_cuda, const spw_sellp *d_A, spw_idx nv, const double *d_X, int64_t ldx,
     double *d_Y, int64_t ldy)
NONE(spw_spmm_sellp_cuda_vectors, const spw_sellp *d_A, spw_idx nv, const double *d_X, int64_t ldx,
     double *d_Y, int64_t ldy)
NONE(spw_transpose_cuda, int64_t m, int64_t n, const double *d_from, int64_t ldfrom, double *d_to,
     int64_t ldto)

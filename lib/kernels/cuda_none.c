/* No CUDA in this build: the launchers of kernels/cuda.h say so. */
#include "kernels/cuda.h"
#include "kernels/cuda_block.h"
#include "kernels/cuda_solver.h"

/* clang-format off */
#define NONE(name, ...)                                                                            \
    spw_status name(__VA_ARGS__)                                                                   \
    {                                                                                              \
        return spw_error(SPW_ERR_UNAVAILABLE, #name ": this build is without CUDA (make info says why)"); \
    }
/* clang-format on */

#pragma GCC diagnostic ignored "-Wunused-parameter"
NONE(spw_axpby_cuda, int64_t n, double a, const double *d_x, double b, double *d_y)
NONE(spw_triad_cuda, int64_t n, double s, const double *d_b, const double *d_c, double *d_a)
NONE(spw_dot_cuda, int64_t n, const double *d_x, const double *d_y, double *d_result)
NONE(spw_sum_cuda, int64_t n, const double *d_x, double *d_result)
NONE(spw_spmv_coo_cuda, const spw_coo *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_coo_cuda_runs, const spw_coo *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_csr_cuda, const spw_csr *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_csr_cuda_warp, const spw_csr *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_ell_cuda, const spw_ell *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_sell_cuda, const spw_sell *d_A, const double *d_x, double *d_y)
NONE(spw_spmv_sellp_cuda, const spw_sellp *d_A, const double *d_x, double *d_y)
NONE(spw_spmm_csr_cuda, const spw_csr *d_A, spw_idx nv, const double *d_X, int64_t ldx, double *d_Y,
     int64_t ldy)
NONE(spw_spmm_sellp_cuda, const spw_sellp *d_A, spw_idx nv, const double *d_X, int64_t ldx,
     double *d_Y, int64_t ldy)
NONE(spw_spmm_sellp_cuda_vectors, const spw_sellp *d_A, spw_idx nv, const double *d_X, int64_t ldx,
     double *d_Y, int64_t ldy)
NONE(spw_partials_sum_cuda, const spw_partials *d_sum, double *d_result)
NONE(spw_cg_step_cuda, int64_t n, const double *d_a, const double *d_p, const double *d_q,
     double *d_x, double *d_r, spw_partials *d_r_r)
NONE(spw_bicgstab_direction_cuda, int64_t n, const double *d_b, const double *d_w,
     const double *d_r, const double *d_v, double *d_p)
NONE(spw_bicgstab_half_cuda, int64_t n, const double *d_a, const double *d_v, double *d_r,
     spw_partials *d_r_r)
NONE(spw_bicgstab_step_cuda, int64_t n, const double *d_a, const double *d_w, const double *d_p,
     const double *d_s, const double *d_t, const double *d_c, double *d_x, double *d_r,
     spw_partials *d_c_r, spw_partials *d_r_r)
NONE(spw_spmv_with_dots_csr_cuda, const spw_csr *d_A, const double *d_x, const double *d_w,
     double *d_y, spw_partials *d_w_y, spw_partials *d_y_y)
NONE(spw_gram_cuda, int64_t n, int p, const double *d_X, int64_t ldx, int q, const double *d_Y,
     int64_t ldy, double *d_C, double *d_room)
NONE(spw_combine_cuda, int64_t n, int n_x, const spw_block *X, const double *d_C, int n_y,
     const spw_block *Y)
NONE(spw_residual_block_cuda, int64_t n, int nv, const double *d_lambda, const double *d_U,
     int64_t ldu, const double *d_V, int64_t ldv, double *d_R, int64_t ldr, double *d_square,
     double *d_room)
NONE(spw_select_cuda, int64_t n, int count, const int *from, const double *d_X, int64_t ldx,
     double *d_Y, int64_t ldy)

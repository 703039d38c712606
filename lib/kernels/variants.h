/* kernels/variants.h -- the table of all kernels. Tests, benchmark and judge take them from here:
 *
 *     for (const spw_variant *v = NULL; (v = spw_variant_next(v, SPW_OP_SPMV, SPW_FORMAT_CSR));)
 *         v->run.spmv_csr(&A, x, y);
 *
 * Kernels of a device take other arguments, return a status, and have a search of their own:
 *
 *     for (const spw_variant *v = NULL; (v = spw_variant_next_cuda(v, SPW_OP_SPMV, SPW_FORMAT_CSR));)
 *         status = v->run.spmv_csr_cuda(&d_A, d_x, d_y);
 *
 * A new kernel is one file and one row, and is then tested and measured without another line. */
#ifndef SPW_KERNELS_VARIANTS_H
#define SPW_KERNELS_VARIANTS_H

#include "kernels/blas1.h"
#include "kernels/block.h"
#include "kernels/cuda.h"
#include "kernels/cuda_block.h"
#include "kernels/cuda_solver.h"
#include "kernels/dense.h"
#include "kernels/fused.h"
#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "kernels/spmv_dot.h"
#include "kernels/trsv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spw_op {
    SPW_OP_ANY, /* for the search only */
    SPW_OP_COPY,
    SPW_OP_SUM,
    SPW_OP_DOT,
    SPW_OP_TRIAD,
    SPW_OP_AXPBY,
    SPW_OP_SCAL,
    SPW_OP_DIAG,
    SPW_OP_DIAG_DOT,
    SPW_OP_CG_STEP,
    SPW_OP_BICGSTAB_DIRECTION,
    SPW_OP_BICGSTAB_HALF,
    SPW_OP_BICGSTAB_STEP,
    SPW_OP_DGEMV,
    SPW_OP_DGEMM,
    SPW_OP_GRAM,
    SPW_OP_GRAM_DD,
    SPW_OP_COMBINE,
    SPW_OP_RESIDUAL,
    SPW_OP_SPMV,
    SPW_OP_SPMV_DOT,
    SPW_OP_SPMM,
    SPW_OP_TRSV,
    SPW_OP_TRSM,
    SPW_OP_TRANSPOSE,
    SPW_OP_END /* behind the last */
} spw_op;

typedef enum spw_format {
    SPW_FORMAT_ANY, /* for the search only */
    SPW_FORMAT_VECTOR,
    SPW_FORMAT_DENSE,
    SPW_FORMAT_COO,
    SPW_FORMAT_CSR,
    SPW_FORMAT_ELL,
    SPW_FORMAT_SELL,
    SPW_FORMAT_SELLP,
    SPW_FORMAT_SELLS,
    SPW_FORMAT_SBCSR
} spw_format;

typedef enum spw_backend { SPW_REFERENCE, SPW_OPENMP, SPW_CUDA } spw_backend;

typedef struct spw_variant {
    const char *symbol; /* as the linker has it: "spw_spmv_csr_omp_balanced" */
    spw_op op;
    spw_format format;
    spw_backend backend;
    const char *idea; /* "balanced"; "" for the plain kernel */
    const char *text; /* gain and cost, one line */
    union {           /* the member is given by op, format and backend */
        spw_copy_fn copy;
        spw_sum_fn sum;
        spw_dot_fn dot;
        spw_triad_fn triad;
        spw_axpby_fn axpby;
        spw_scal_fn scal;
        spw_diag_fn diag;
        spw_diag_dot_fn diag_dot;
        spw_cg_step_fn cg_step;
        spw_bicgstab_direction_fn bicgstab_direction;
        spw_bicgstab_half_fn bicgstab_half;
        spw_bicgstab_step_fn bicgstab_step;
        spw_dgemv_fn dgemv;
        spw_dgemm_fn dgemm;
        spw_gram_fn gram;
        spw_gram_dd_fn gram_dd;
        spw_combine_fn combine;
        spw_residual_fn residual;
        spw_trsv_csr_fn trsv_csr;
        spw_trsm_csr_fn trsm_csr;
        spw_spmv_coo_fn spmv_coo;
        spw_spmv_csr_fn spmv_csr;
        spw_spmv_ell_fn spmv_ell;
        spw_spmv_sell_fn spmv_sell;
        spw_spmv_sellp_fn spmv_sellp;
        spw_spmv_sells_fn spmv_sells;
        spw_spmv_sbcsr_fn spmv_sbcsr;
        spw_spmv_dot_csr_fn spmv_dot_csr;
        spw_spmv_dot_sell_fn spmv_dot_sell;
        spw_spmm_csr_fn spmm_csr;
        spw_spmm_sellp_fn spmm_sellp;
        spw_transpose_fn transpose;
        spw_copy_cuda_fn copy_cuda;
        spw_sum_cuda_fn sum_cuda;
        spw_dot_cuda_fn dot_cuda;
        spw_triad_cuda_fn triad_cuda;
        spw_axpby_cuda_fn axpby_cuda;
        spw_axpby_cuda_device_fn axpby_cuda_device;
        spw_diag_dot_cuda_fn diag_dot_cuda;
        spw_cg_step_cuda_fn cg_step_cuda;
        spw_bicgstab_direction_cuda_fn bicgstab_direction_cuda;
        spw_bicgstab_half_cuda_fn bicgstab_half_cuda;
        spw_bicgstab_step_cuda_fn bicgstab_step_cuda;
        spw_spmv_coo_cuda_fn spmv_coo_cuda;
        spw_spmv_csr_cuda_fn spmv_csr_cuda;
        spw_spmv_ell_cuda_fn spmv_ell_cuda;
        spw_spmv_sell_cuda_fn spmv_sell_cuda;
        spw_spmv_sellp_cuda_fn spmv_sellp_cuda;
        spw_spmm_csr_cuda_fn spmm_csr_cuda;
        spw_spmm_sellp_cuda_fn spmm_sellp_cuda;
        spw_gram_cuda_fn gram_cuda;
        spw_combine_cuda_fn combine_cuda;
    } run;
} spw_variant;

/* All rows, of host and device: 0 .. count-1. */
int spw_variant_count(void);
const spw_variant *spw_variant_at(int i);

/* The next kernel of the host for that operation and format behind `after`, or the first if after is
 * NULL; NULL behind the last. The reference comes first, then the ideas in the order in which they are
 * taught. */
const spw_variant *spw_variant_next(const spw_variant *after, spw_op op, spw_format format);

/* The same among those of backend SPW_CUDA. They are listed in every build; where there is no device
 * their launchers say so. */
const spw_variant *spw_variant_next_cuda(const spw_variant *after, spw_op op, spw_format format);

/* By its symbol; NULL if there is none. */
const spw_variant *spw_variant_find(const char *symbol);

const char *spw_op_name(spw_op op);                /* "copy", "spmv", ... */
const char *spw_format_name(spw_format format);    /* "vector", "dense", "coo", "sellp", ... */
const char *spw_backend_name(spw_backend backend); /* "ref", "omp", "cuda" */

#ifdef __cplusplus
}
#endif

#endif

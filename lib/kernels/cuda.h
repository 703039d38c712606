/* kernels/cuda.h -- launchers of the CUDA kernels: the operations of blas1.h, spmv.h and spmm.h
 * on the device.
 *
 *     spw_csr A, d_A;                                       A on the host, d_A with device pointers
 *     spw_csr_to_device(&A, &d_A);                          formats/device_matrix.h
 *     spw_status status = spw_spmv_csr_cuda_warp(&d_A, d_x, d_y);
 * Pointers with d_ point to device memory. So do those inside of a matrix d_A, whose struct itself is on the host and
 * is passed to the kernel by value. The contract of each operation is that of its host kernel: the same arguments,
 * overlaps and rounding bounds. A launcher returns at once; what it launched runs in the default stream, in order.
 *
 * All return
 *   SPW_OK               launched
 *   SPW_ERR_DEVICE       CUDA refused the launch, or an error of a kernel before it came to light
 *   SPW_ERR_UNAVAILABLE  this build is without CUDA
 * The sources are in kernels/cuda/, one idea a file; each says what it gains and what it costs. Without nvcc
 * cuda_none.c takes their place, and the checker (lib/simt) still builds and runs them. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/coo.h"
#include "formats/csr.h"
#include "formats/ell.h"
#include "formats/sell.h"
#include "formats/sellp.h"

#include <stdint.h>

SPW_C_BEGIN

/* --- vectors: contract and traffic in blas1.h ------------------------------------------------- */

spw_status spw_axpby_cuda(int64_t n, double a, const double *d_x, double b, double *d_y);
spw_status spw_triad_cuda(int64_t n, double s, const double *d_b, const double *d_c, double *d_a);

/* The result stays on the device, in d_result[0], which is overwritten: a copy to the host
 * would have to wait for it. The blocks add their sums in any order, so that the last
 * bits may differ from run to run. */
spw_status spw_dot_cuda(int64_t n, const double *d_x, const double *d_y, double *d_result);
spw_status spw_sum_cuda(int64_t n, const double *d_x, double *d_result);

/* --- sparse matrix times vector: contract and traffic in spmv.h ------------------------------- */

/* COO in any order, positions may come more than once. The last bits may differ from run to run.
 *   cuda       a thread and an atomic addition an entry
 *   cuda_runs  neighbouring entries of one row are added up in the warp first: one atomic a run */
spw_status spw_spmv_coo_cuda(const spw_coo *d_A, const double *d_x, double *d_y);
spw_status spw_spmv_coo_cuda_runs(const spw_coo *d_A, const double *d_x, double *d_y);

/* CSR.
 *   cuda           a thread a row
 *   cuda_warp      2 to 32 lanes a row, by the mean length of the rows */
spw_status spw_spmv_csr_cuda(const spw_csr *d_A, const double *d_x, double *d_y);
spw_status spw_spmv_csr_cuda_warp(const spw_csr *d_A, const double *d_x, double *d_y);

/* ELL and SELL: a thread a row. SELL wants C = 32 or a multiple of it, and takes any.
 * SELL-P: b * t threads a block, t of them a row.
 *   SPW_ERR_ARG  b * t is above 1024, the most threads that a block may have */
spw_status spw_spmv_ell_cuda(const spw_ell *d_A, const double *d_x, double *d_y);
spw_status spw_spmv_sell_cuda(const spw_sell *d_A, const double *d_x, double *d_y);
spw_status spw_spmv_sellp_cuda(const spw_sellp *d_A, const double *d_x, double *d_y);

/* --- sparse matrix times a block of vectors: contract and traffic in spmm.h ------------------- */

/* CSR and SELL-P.
 *   cuda          the third dimension of the block is over vectors, two each; the first two are those
 *                 of SpMV: lanes of a row and rows, rows of a slice and t threads a row
 *   cuda_vectors  of SELL-P: lanes are vectors
 * SELL-P, cuda only: SPW_ERR_ARG  b * t is above 1024, the most threads that a block may have */
spw_status spw_spmm_csr_cuda(const spw_csr *d_A, spw_idx nv, const double *d_X, int64_t ldx,
                             double *d_Y, int64_t ldy);
spw_status spw_spmm_sellp_cuda(const spw_sellp *d_A, spw_idx nv, const double *d_X, int64_t ldx,
                               double *d_Y, int64_t ldy);
spw_status spw_spmm_sellp_cuda_vectors(const spw_sellp *d_A, spw_idx nv, const double *d_X,
                                       int64_t ldx, double *d_Y, int64_t ldy);

SPW_C_END

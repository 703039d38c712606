/* kernels/cuda_solver.h -- vector kernels of iterative solvers on the device: fused, and with scalars in device memory.
 *
 * A host that wants alpha = rho / p.q has to wait for p.q, and then the device waits for the host. Here p.q stays
 * where it is. A sum over a vector is left as one partial sum for each block (spw_partials); one small block adds
 * them up, always in the same order, so that every run has the same bits. A kernel reads its scalars when it runs.
 *
 * That costs small launches more than if the last block of a kernel finished its sum; in return there are no atomics
 * and no fences. A whole method of such kernels is exercise 12's, its GPU part.
 *
 * Launchers return as those of kernels/cuda.h do. Pointers are to device memory. n >= 0; sums over nothing are 0. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_PARTIALS_MOST = 4096 };

/* Lies on the device. One sum, in `blocks` parts. */
typedef struct spw_partials {
    double sum[SPW_PARTIALS_MOST];
    int blocks; /* that wrote theirs, 1 .. SPW_PARTIALS_MOST */
} spw_partials;

/* d_result[0] = the sum of the parts. */
spw_status spw_partials_sum_cuda(const spw_partials *d_sum, double *d_result);

/* --- contract and traffic in fused.h, scalars by pointer ------------------------------------------------- */

/* x += a p; r -= a q; r . r. p and q may be the same array. */
spw_status spw_cg_step_cuda(int64_t n, const double *d_a, const double *d_p, const double *d_q,
                            double *d_x, double *d_r, spw_partials *d_r_r);

/* p = r + b (p - w v) */
spw_status spw_bicgstab_direction_cuda(int64_t n, const double *d_b, const double *d_w,
                                       const double *d_r, const double *d_v, double *d_p);

/* r -= a v; r . r */
spw_status spw_bicgstab_half_cuda(int64_t n, const double *d_a, const double *d_v, double *d_r,
                                  spw_partials *d_r_r);

/* x += a p + w s; r -= w t; c . r and r . r. With w = 0 neither s nor t is read. s may be r. */
spw_status spw_bicgstab_step_cuda(int64_t n, const double *d_a, const double *d_w,
                                  const double *d_p, const double *d_s, const double *d_t,
                                  const double *d_c, double *d_x, double *d_r, spw_partials *d_c_r,
                                  spw_partials *d_r_r);

/* y = A x with w . y and, unless d_y_y is NULL, y . y: spmv_with_dots.h, 2 to 32 lanes a row as in
 * spw_spmv_csr_cuda_warp. A is square; w may be x. */
spw_status spw_spmv_with_dots_csr_cuda(const spw_csr *d_A, const double *d_x, const double *d_w,
                                       double *d_y, spw_partials *d_w_y, spw_partials *d_y_y);

SPW_C_END

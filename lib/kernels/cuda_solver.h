/* kernels/cuda_solver.h -- iterative solvers on the device whose numbers never leave it: fused vector
 * kernels with scalars in device memory, and the kernels that compute these scalars.
 *
 * A host that wants alpha = rho / p.q has to wait for p.q, and then the device waits for the host. Here p.q stays
 * where it is. A sum over a vector is left as one partial sum for each block (spw_partials). One small block adds
 * them up, always in the same order, so that every run has the same bits, and from the sums computes alpha or beta;
 * that block also tests for convergence and for breakdown. The host only launches:
 *
 *     q = A p, p.q            spw_spmv_with_dots_csr_cuda      partial sums
 *     alpha = rho / p.q       spw_cg_alpha_cuda           one block
 *     x += alpha p ...        spw_cg_step_cuda            reads alpha, partial sums of r.r
 *     r.r small? beta = ...   spw_cg_beta_cuda            one block
 *     p = r + beta p          spw_axpby_cuda_device       reads beta
 *
 * That costs two small launches more an iteration than if the last block of a kernel finished its sum; in
 * return there are no atomics and no fences.
 *
 * Once scalars->stop is not zero, all kernels that change the state do nothing: x and r stay those of
 * that iteration, however many launches follow. The host looks at the scalars now and then.
 *
 * Launchers return as those of kernels/cuda.h do. Pointers are to device memory. d_stop: is the method
 * still going on? NULL: it is. n >= 0; sums over nothing are 0. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"

#include <stdint.h>

SPW_C_BEGIN

/* --- sums --------------------------------------------------------------------------------------------- */

enum { SPW_PARTIALS_MOST = 4096 };

/* Lies on the device. One sum, in `blocks` parts. */
typedef struct spw_partials {
    double sum[SPW_PARTIALS_MOST];
    int blocks; /* that wrote theirs, 1 .. SPW_PARTIALS_MOST */
} spw_partials;

/* d_result[0] = the sum of the parts. */
spw_status spw_partials_sum_cuda(const spw_partials *d_sum, double *d_result);

/* w . y and, unless d_y_y is NULL, y . y. */
spw_status spw_dots_cuda(int64_t n, const double *d_w, const double *d_y, spw_partials *d_w_y,
                         spw_partials *d_y_y);

/* --- vectors: contract and traffic in fused.h, scalars by pointer --------------------------------------- */

typedef spw_status (*spw_axpby_cuda_device_fn)(int64_t n, const double *d_a, const double *d_x,
                                               const double *d_b, double *d_y, const int *d_stop);
typedef spw_status (*spw_diag_dot_cuda_fn)(int64_t n, const double *d_d, const double *d_x,
                                           double *d_y, spw_partials *d_x_y);
typedef spw_status (*spw_cg_step_cuda_fn)(int64_t n, const double *d_a, const double *d_p,
                                          const double *d_q, double *d_x, double *d_r,
                                          spw_partials *d_r_r, const int *d_stop);
typedef spw_status (*spw_bicgstab_direction_cuda_fn)(int64_t n, const double *d_b,
                                                     const double *d_w, const double *d_r,
                                                     const double *d_v, double *d_p,
                                                     const int *d_stop);
typedef spw_status (*spw_bicgstab_half_cuda_fn)(int64_t n, const double *d_a, const double *d_v,
                                                double *d_r, spw_partials *d_r_r,
                                                const int *d_stop);
typedef spw_status (*spw_bicgstab_step_cuda_fn)(int64_t n, const double *d_a, const double *d_w,
                                                const double *d_p, const double *d_s,
                                                const double *d_t, const double *d_c, double *d_x,
                                                double *d_r, spw_partials *d_c_r,
                                                spw_partials *d_r_r, const int *d_stop);

/* y = a x + b y; d_a = NULL is a = 1. */
spw_status spw_axpby_cuda_device(int64_t n, const double *d_a, const double *d_x, const double *d_b,
                                 double *d_y, const int *d_stop);

/* y[i] = d[i] x[i]; x . y, unless d_x_y is NULL. */
spw_status spw_diag_dot_cuda(int64_t n, const double *d_d, const double *d_x, double *d_y,
                             spw_partials *d_x_y);

/* x += a p; r -= a q; r . r. p and q may be the same array. */
spw_status spw_cg_step_cuda(int64_t n, const double *d_a, const double *d_p, const double *d_q,
                            double *d_x, double *d_r, spw_partials *d_r_r, const int *d_stop);

/* p = r + b (p - w v) */
spw_status spw_bicgstab_direction_cuda(int64_t n, const double *d_b, const double *d_w,
                                       const double *d_r, const double *d_v, double *d_p,
                                       const int *d_stop);

/* r -= a v; r . r */
spw_status spw_bicgstab_half_cuda(int64_t n, const double *d_a, const double *d_v, double *d_r,
                                  spw_partials *d_r_r, const int *d_stop);

/* x += a p + w s; r -= w t; c . r and r . r. With w = 0 neither s nor t is read. s may be r. */
spw_status spw_bicgstab_step_cuda(int64_t n, const double *d_a, const double *d_w,
                                  const double *d_p, const double *d_s, const double *d_t,
                                  const double *d_c, double *d_x, double *d_r, spw_partials *d_c_r,
                                  spw_partials *d_r_r, const int *d_stop);

/* r = b - q and r . r. r may be q. 24 bytes an element. */
spw_status spw_residual_cuda(int64_t n, const double *d_b, const double *d_q, double *d_r,
                             spw_partials *d_r_r);

/* y = A x with w . y and, unless d_y_y is NULL, y . y: spmv_with_dots.h, 2 to 32 lanes a row as in
 * spw_spmv_csr_cuda_warp. A is square; w may be x. */
spw_status spw_spmv_with_dots_csr_cuda(const spw_csr *d_A, const double *d_x, const double *d_w,
                                       double *d_y, spw_partials *d_w_y, spw_partials *d_y_y);

/* --- preconditioners: their scalars are known before the solve, so they go by value ------------------------ */

/* y = blocks of the diagonal times x, and x . y unless d_x_y is NULL. Block k has the rows k block ..; the
 * last may be smaller. 8 (block + 2) n bytes.
 *   d_inverse  [block * n]  entry j of row i, within its block, is at j n + i */
spw_status spw_block_diag_cuda(int64_t n, int block, const double *d_inverse, const double *d_x,
                               double *d_y, spw_partials *d_x_y);

/* step = y = b D^-1 x; d_inverse is D^-1. 32 n bytes. */
spw_status spw_polynomial_first_cuda(int64_t n, double b, const double *d_inverse,
                                     const double *d_x, double *d_step, double *d_y);

/* residual = before - work; step = a step + b D^-1 residual; y += step; w . y unless d_w_y is NULL. before may
 * be residual. With a = 0 the old step is not read. 64 n bytes, 8 n more with w. */
spw_status spw_polynomial_step_cuda(int64_t n, double a, double b, const double *d_inverse,
                                    const double *d_before, const double *d_work, const double *d_w,
                                    double *d_residual, double *d_step, double *d_y,
                                    spw_partials *d_w_y);

/* --- scalars ---------------------------------------------------------------------------------------------- */

/* Why a method stopped; and which number made it. */
typedef enum spw_halt {
    SPW_HALT_NOT = 0,
    SPW_HALT_CONVERGED,
    SPW_HALT_ITERATIONS,
    SPW_HALT_STAGNATED,
    SPW_HALT_NOT_FINITE,
    SPW_HALT_BREAKDOWN /* p.q <= 0 or r.z <= 0; or a dot of BiCGStab is zero beside its vectors */
} spw_halt;

typedef enum spw_scalar {
    SPW_SCALAR_R_R,
    SPW_SCALAR_P_Q,
    SPW_SCALAR_R_Z,
    SPW_SCALAR_ALPHA,
    SPW_SCALAR_RHO,
    SPW_SCALAR_C_V,
    SPW_SCALAR_S_S,
    SPW_SCALAR_T_T,
    SPW_SCALAR_T_S,
    SPW_SCALAR_OMEGA
} spw_scalar;

/* All that a method carries along beside its vectors. The host writes it before the first iteration and
 * copies it back now and then. */
typedef struct spw_scalars {
    double norm_b, tolerance;       /* converged where sqrt(r.r) <= tolerance norm_b */
    int max_iterations, stagnation; /* as in spw_solve_options */
    double *d_history;              /* [history_room]  residual before each iteration, or NULL */
    int history_room;

    int fresh;     /* 1 before the first iteration */
    int iteration; /* steps taken */
    double residual, best;
    int best_at;                    /* iteration of `best` */
    double rho, alpha, beta, omega; /* begin with 0, 1, 0, 1 */
    double c_norm;                  /* of the shadow residual; set in the first iteration */

    int pending;   /* spw_halt: what will be `stop` once x has taken its last half step */
    int stop;      /* spw_halt */
    int number;    /* spw_scalar: the one that stopped it */
    double value;  /* of it */
    double beside; /* product of its vectors' norms, or 0 */
} spw_scalars;

/* Each is one block. `begins an iteration` means: counts the one before, keeps the residual, stops where
 * it is small enough, not finite, no new smallest for `stagnation` iterations, or where max_iterations is reached. */

/* Begins an iteration. rho' = r.z, or r.r where d_r_z is NULL; beta = rho' / rho, 0 in the first. */
spw_status spw_cg_beta_cuda(const spw_partials *d_r_r, const spw_partials *d_r_z, spw_scalars *d_s);

/* alpha = rho / p.q; stops where p.q <= 0. */
spw_status spw_cg_alpha_cuda(const spw_partials *d_p_q, spw_scalars *d_s);

/* Begins an iteration. rho' = c.r, beta = rho' / rho alpha / omega. */
spw_status spw_bicgstab_beta_cuda(const spw_partials *d_r_r, const spw_partials *d_c_r,
                                  spw_scalars *d_s);

/* alpha = rho / c.v */
spw_status spw_bicgstab_alpha_cuda(const spw_partials *d_c_v, spw_scalars *d_s);

/* omega = t.s / t.t. Where s is small enough or t.s is zero, omega is 0: x takes the half step and the
 * next spw_bicgstab_beta_cuda stops. */
spw_status spw_bicgstab_omega_cuda(const spw_partials *d_s_s, const spw_partials *d_t_s,
                                   const spw_partials *d_t_t, spw_scalars *d_s);

SPW_C_END

/* The scalars of a solver, computed where its sums are: one block adds up the parts, then its first
 * thread does what a host would do between two kernels. No number is divided by before it has been looked at. */
#include "base/device.h"
#include "kernels/cuda/sum.cuh"
#include "kernels/cuda_solver.h"

#include <float.h>

static __device__ void halt(spw_scalars *s, spw_halt why, spw_scalar number, double value) {
    s->number = number;
    s->value = value;
    s->beside = 0;
    s->stop = why;
}

/* Is it a finite number? If not, stops. */
static __device__ bool finite(spw_scalars *s, spw_scalar number, double value) {
    if (fabs(value) <= DBL_MAX) return true; /* not so for a NaN */
    halt(s, SPW_HALT_NOT_FINITE, number, value);
    return false;
}

/* Is it finite and above zero? If not, stops. */
static __device__ bool positive(spw_scalars *s, spw_scalar number, double value) {
    if (!finite(s, number, value)) return false;
    if (value > 0) return true;
    halt(s, SPW_HALT_BREAKDOWN, number, value);
    return false;
}

/* Is a dot product more than rounding, beside the norms of its vectors? If not, stops. */
static __device__ bool usable(spw_scalars *s, spw_scalar number, double value, double norms) {
    if (!finite(s, number, value)) return false;
    if (fabs(value) > DBL_EPSILON * DBL_EPSILON * norms) return true;
    halt(s, SPW_HALT_BREAKDOWN, number, value);
    s->beside = norms;
    return false;
}

/* Counts the iteration before and looks at its residual. False: stopped. */
static __device__ bool goes_on(spw_scalars *s, double r_r) {
    const double residual = sqrt(r_r) / s->norm_b;
    if (!s->fresh) s->iteration++;
    s->residual = residual;
    if (s->iteration < s->history_room) s->d_history[s->iteration] = residual;
    if (residual < s->best) {
        s->best = residual;
        s->best_at = s->iteration;
    }
    if (!finite(s, SPW_SCALAR_R_R, r_r)) return false;
    if (residual <= s->tolerance)
        s->stop = SPW_HALT_CONVERGED;
    else if (s->iteration >= s->max_iterations)
        s->stop = SPW_HALT_ITERATIONS;
    else if (s->iteration - s->best_at >= s->stagnation)
        s->stop = SPW_HALT_STAGNATED;
    return !s->stop;
}

static __global__ void cg_beta(const spw_partials *r_r, const spw_partials *r_z, spw_scalars *s) {
    if (s->stop) return;
    const double square = partials_sum(r_r), rho = r_z ? partials_sum(r_z) : square;
    if (threadIdx.x > 0 || !goes_on(s, square) || !positive(s, SPW_SCALAR_R_Z, rho)) return;
    s->beta = s->fresh ? 0 : rho / s->rho;
    s->rho = rho;
    s->fresh = 0;
}

static __global__ void cg_alpha(const spw_partials *p_q, spw_scalars *s) {
    if (s->stop) return;
    const double curvature = partials_sum(p_q);
    if (threadIdx.x > 0 || !positive(s, SPW_SCALAR_P_Q, curvature)) return;
    s->alpha = s->rho / curvature;
    finite(s, SPW_SCALAR_ALPHA, s->alpha);
}

static __global__ void bicgstab_beta(const spw_partials *r_r, const spw_partials *c_r,
                                     spw_scalars *s) {
    if (s->stop) return;
    const double square = partials_sum(r_r), rho = partials_sum(c_r);
    if (threadIdx.x > 0) return;
    if (s->pending == SPW_HALT_BREAKDOWN) s->stop = s->pending;
    if (s->stop || !goes_on(s, square)) return;
    if (s->pending) { /* rounded otherwise, this sum may be just above the tolerance */
        s->stop = s->pending;
        return;
    }
    if (s->fresh) s->c_norm = sqrt(square);
    if (!usable(s, SPW_SCALAR_RHO, rho, s->c_norm * sqrt(square))) return;
    s->beta = s->fresh ? 0 : rho / s->rho * (s->alpha / s->omega);
    s->rho = rho;
    s->fresh = 0;
}

static __global__ void bicgstab_alpha(const spw_partials *c_v, spw_scalars *s) {
    if (s->stop) return;
    const double dot = partials_sum(c_v);
    if (threadIdx.x > 0 || !usable(s, SPW_SCALAR_C_V, dot, 0)) return;
    s->alpha = s->rho / dot;
    finite(s, SPW_SCALAR_ALPHA, s->alpha);
}

/* By the first thread: omega, or 0 where it may not be used. */
static __device__ double stabilise(spw_scalars *s, double s_s, double t_s, double t_t) {
    if (!finite(s, SPW_SCALAR_S_S, s_s)) return 0;
    if (sqrt(s_s) / s->norm_b <= s->tolerance) {
        s->pending = SPW_HALT_CONVERGED;
        return 0;
    }
    if (!finite(s, SPW_SCALAR_T_T, t_t)) return 0;
    if (!usable(s, SPW_SCALAR_T_S, t_s, sqrt(t_t) * sqrt(s_s))) {
        if (s->stop == SPW_HALT_BREAKDOWN) { /* x may still take the half step */
            s->pending = s->stop;
            s->stop = SPW_HALT_NOT;
        }
        return 0;
    }
    return finite(s, SPW_SCALAR_OMEGA, t_s / t_t) ? t_s / t_t : 0;
}

static __global__ void bicgstab_omega(const spw_partials *s_s, const spw_partials *t_s,
                                      const spw_partials *t_t, spw_scalars *s) {
    if (s->stop) return;
    const double ss = partials_sum(s_s), ts = partials_sum(t_s), tt = partials_sum(t_t);
    if (threadIdx.x == 0) s->omega = stabilise(s, ss, ts, tt);
}

spw_status spw_cg_beta_cuda(const spw_partials *d_r_r, const spw_partials *d_r_z,
                            spw_scalars *d_s) {
    cg_beta<<<1, BLOCK>>>(d_r_r, d_r_z, d_s);
    return spw_device_launched("spw_cg_beta_cuda");
}

spw_status spw_cg_alpha_cuda(const spw_partials *d_p_q, spw_scalars *d_s) {
    cg_alpha<<<1, BLOCK>>>(d_p_q, d_s);
    return spw_device_launched("spw_cg_alpha_cuda");
}

spw_status spw_bicgstab_beta_cuda(const spw_partials *d_r_r, const spw_partials *d_c_r,
                                  spw_scalars *d_s) {
    bicgstab_beta<<<1, BLOCK>>>(d_r_r, d_c_r, d_s);
    return spw_device_launched("spw_bicgstab_beta_cuda");
}

spw_status spw_bicgstab_alpha_cuda(const spw_partials *d_c_v, spw_scalars *d_s) {
    bicgstab_alpha<<<1, BLOCK>>>(d_c_v, d_s);
    return spw_device_launched("spw_bicgstab_alpha_cuda");
}

spw_status spw_bicgstab_omega_cuda(const spw_partials *d_s_s, const spw_partials *d_t_s,
                                   const spw_partials *d_t_t, spw_scalars *d_s) {
    bicgstab_omega<<<1, BLOCK>>>(d_s_s, d_t_s, d_t_t, d_s);
    return spw_device_launched("spw_bicgstab_omega_cuda");
}

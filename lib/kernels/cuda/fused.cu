/* The vector kernels of a solver, each one pass. As many blocks as run at the same time walk through the
 * vectors; scalars come from device memory, one load that a block's threads share. Each block leaves its
 * sum in a place of its own: no atomics, and the same bits in every run. */
#include "base/device.h"
#include "kernels/cuda/sum.cuh"
#include "kernels/cuda_solver.h"

static __device__ __forceinline__ int64_t first(void) {
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

static __device__ __forceinline__ int64_t stride(void) { return (int64_t)gridDim.x * BLOCK; }

static __global__ void add_up(const spw_partials *sum, double *result) {
    const double all = partials_sum(sum);
    if (threadIdx.x == 0) *result = all;
}

static __global__ void cg_step(int64_t n, const double *a, const double *p, const double *q,
                               double *x, double *r, spw_partials *r_r) {
    const double alpha = *a;
    double sum = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double left = r[i] - alpha * q[i];
        x[i] += alpha * p[i];
        r[i] = left;
        sum += left * left;
    }
    leave_sum(sum, r_r);
}

static __global__ void bicgstab_direction(int64_t n, const double *b, const double *w,
                                          const double *r, const double *v, double *p) {
    const double beta = *b, omega = *w;
    for (int64_t i = first(); i < n; i += stride()) p[i] = r[i] + beta * (p[i] - omega * v[i]);
}

static __global__ void bicgstab_half(int64_t n, const double *a, const double *v, double *r,
                                     spw_partials *r_r) {
    const double alpha = *a;
    double sum = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double left = r[i] - alpha * v[i];
        r[i] = left;
        sum += left * left;
    }
    leave_sum(sum, r_r);
}

static __global__ void bicgstab_step(int64_t n, const double *a, const double *w, const double *p,
                                     const double *s, const double *t, const double *c, double *x,
                                     double *r, spw_partials *c_r, spw_partials *r_r) {
    const double alpha = *a, omega = *w;
    double with_c = 0, with_r = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        double left = r[i], add = alpha * p[i];
        if (omega != 0) { /* else s and t may be no numbers */
            add += omega * s[i];
            left -= omega * t[i];
        }
        x[i] += add;
        r[i] = left;
        with_c += c[i] * left;
        with_r += left * left;
    }
    leave_sum(with_c, c_r);
    leave_sum(with_r, r_r);
}

spw_status spw_partials_sum_cuda(const spw_partials *d_sum, double *d_result) {
    add_up<<<1, BLOCK>>>(d_sum, d_result);
    return spw_device_launched("spw_partials_sum_cuda");
}

spw_status spw_cg_step_cuda(int64_t n, const double *d_a, const double *d_p, const double *d_q,
                            double *d_x, double *d_r, spw_partials *d_r_r) {
    cg_step<<<sum_blocks(n), BLOCK>>>(n, d_a, d_p, d_q, d_x, d_r, d_r_r);
    return spw_device_launched("spw_cg_step_cuda");
}

spw_status spw_bicgstab_direction_cuda(int64_t n, const double *d_b, const double *d_w,
                                       const double *d_r, const double *d_v, double *d_p) {
    bicgstab_direction<<<sum_blocks(n), BLOCK>>>(n, d_b, d_w, d_r, d_v, d_p);
    return spw_device_launched("spw_bicgstab_direction_cuda");
}

spw_status spw_bicgstab_half_cuda(int64_t n, const double *d_a, const double *d_v, double *d_r,
                                  spw_partials *d_r_r) {
    bicgstab_half<<<sum_blocks(n), BLOCK>>>(n, d_a, d_v, d_r, d_r_r);
    return spw_device_launched("spw_bicgstab_half_cuda");
}

spw_status spw_bicgstab_step_cuda(int64_t n, const double *d_a, const double *d_w,
                                  const double *d_p, const double *d_s, const double *d_t,
                                  const double *d_c, double *d_x, double *d_r, spw_partials *d_c_r,
                                  spw_partials *d_r_r) {
    bicgstab_step<<<sum_blocks(n), BLOCK>>>(n, d_a, d_w, d_p, d_s, d_t, d_c, d_x, d_r, d_c_r,
                                            d_r_r);
    return spw_device_launched("spw_bicgstab_step_cuda");
}

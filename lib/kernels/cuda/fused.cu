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

static __device__ __forceinline__ bool stopped(const int *stop) { return stop && *stop; }

static __global__ void add_up(const spw_partials *sum, double *result) {
    const double all = partials_sum(sum);
    if (threadIdx.x == 0) *result = all;
}

static __global__ void dots(int64_t n, const double *w, const double *y, spw_partials *w_y,
                            spw_partials *y_y) {
    double a = 0, b = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        a += w[i] * y[i];
        b += y[i] * y[i];
    }
    leave_sum(a, w_y);
    if (y_y) leave_sum(b, y_y);
}

static __global__ void axpby(int64_t n, const double *a, const double *x, const double *b,
                             double *y, const int *stop) {
    if (stopped(stop)) return;
    const double by_x = a ? *a : 1, by_y = *b;
    for (int64_t i = first(); i < n; i += stride()) y[i] = by_x * x[i] + by_y * y[i];
}

static __global__ void diag_dot(int64_t n, const double *d, const double *x, double *y,
                                spw_partials *x_y) {
    double sum = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double scaled = d[i] * x[i];
        sum += x[i] * scaled;
        y[i] = scaled;
    }
    if (x_y) leave_sum(sum, x_y);
}

static __global__ void cg_step(int64_t n, const double *a, const double *p, const double *q,
                               double *x, double *r, spw_partials *r_r, const int *stop) {
    if (stopped(stop)) return;
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
                                          const double *r, const double *v, double *p,
                                          const int *stop) {
    if (stopped(stop)) return;
    const double beta = *b, omega = *w;
    for (int64_t i = first(); i < n; i += stride()) p[i] = r[i] + beta * (p[i] - omega * v[i]);
}

static __global__ void bicgstab_half(int64_t n, const double *a, const double *v, double *r,
                                     spw_partials *r_r, const int *stop) {
    if (stopped(stop)) return;
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
                                     double *r, spw_partials *c_r, spw_partials *r_r,
                                     const int *stop) {
    if (stopped(stop)) return;
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

static __global__ void residual(int64_t n, const double *b, const double *q, double *r,
                                spw_partials *r_r) {
    double sum = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double left = b[i] - q[i];
        r[i] = left;
        sum += left * left;
    }
    leave_sum(sum, r_r);
}

spw_status spw_partials_sum_cuda(const spw_partials *d_sum, double *d_result) {
    add_up<<<1, BLOCK>>>(d_sum, d_result);
    return spw_device_launched("spw_partials_sum_cuda");
}

spw_status spw_dots_cuda(int64_t n, const double *d_w, const double *d_y, spw_partials *d_w_y,
                         spw_partials *d_y_y) {
    dots<<<sum_blocks(n), BLOCK>>>(n, d_w, d_y, d_w_y, d_y_y);
    return spw_device_launched("spw_dots_cuda");
}

spw_status spw_axpby_cuda_device(int64_t n, const double *d_a, const double *d_x, const double *d_b,
                                 double *d_y, const int *d_stop) {
    axpby<<<sum_blocks(n), BLOCK>>>(n, d_a, d_x, d_b, d_y, d_stop);
    return spw_device_launched("spw_axpby_cuda_device");
}

spw_status spw_diag_dot_cuda(int64_t n, const double *d_d, const double *d_x, double *d_y,
                             spw_partials *d_x_y) {
    diag_dot<<<sum_blocks(n), BLOCK>>>(n, d_d, d_x, d_y, d_x_y);
    return spw_device_launched("spw_diag_dot_cuda");
}

spw_status spw_cg_step_cuda(int64_t n, const double *d_a, const double *d_p, const double *d_q,
                            double *d_x, double *d_r, spw_partials *d_r_r, const int *d_stop) {
    cg_step<<<sum_blocks(n), BLOCK>>>(n, d_a, d_p, d_q, d_x, d_r, d_r_r, d_stop);
    return spw_device_launched("spw_cg_step_cuda");
}

spw_status spw_bicgstab_direction_cuda(int64_t n, const double *d_b, const double *d_w,
                                       const double *d_r, const double *d_v, double *d_p,
                                       const int *d_stop) {
    bicgstab_direction<<<sum_blocks(n), BLOCK>>>(n, d_b, d_w, d_r, d_v, d_p, d_stop);
    return spw_device_launched("spw_bicgstab_direction_cuda");
}

spw_status spw_bicgstab_half_cuda(int64_t n, const double *d_a, const double *d_v, double *d_r,
                                  spw_partials *d_r_r, const int *d_stop) {
    bicgstab_half<<<sum_blocks(n), BLOCK>>>(n, d_a, d_v, d_r, d_r_r, d_stop);
    return spw_device_launched("spw_bicgstab_half_cuda");
}

spw_status spw_bicgstab_step_cuda(int64_t n, const double *d_a, const double *d_w,
                                  const double *d_p, const double *d_s, const double *d_t,
                                  const double *d_c, double *d_x, double *d_r, spw_partials *d_c_r,
                                  spw_partials *d_r_r, const int *d_stop) {
    bicgstab_step<<<sum_blocks(n), BLOCK>>>(n, d_a, d_w, d_p, d_s, d_t, d_c, d_x, d_r, d_c_r, d_r_r,
                                            d_stop);
    return spw_device_launched("spw_bicgstab_step_cuda");
}

spw_status spw_residual_cuda(int64_t n, const double *d_b, const double *d_q, double *d_r,
                             spw_partials *d_r_r) {
    residual<<<sum_blocks(n), BLOCK>>>(n, d_b, d_q, d_r, d_r_r);
    return spw_device_launched("spw_residual_cuda");
}

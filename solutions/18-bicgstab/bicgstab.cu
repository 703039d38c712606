#include "bicgstab_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32 };

/* Given. The number of this thread in the grid, and how many there are. */
inline __device__ int64_t first() {
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

inline __device__ int64_t stride() {
    return (int64_t)gridDim.x * BLOCK;
}

/* Given, but it is right for one sum a kernel only. The sum of `value` over the BLOCK threads of a block; valid
 * in thread 0. All of them call it. */
inline __device__ double block_sum(double value) {
    __shared__ double sums[BLOCK / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    value = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < BLOCK / WARP; w++) value += sums[w];
    return value;
}

/* 1. Predict. One iteration of five large kernels: bytes loaded, bytes stored, flops. There is no
 * write-allocate on a GPU. The dots are c.v, t.s, t.t, c.r and r.r. */
spw_cost bicgstab_iteration_cost(double n, double nz) {
    /* SOLUTION your model here: return {..., ..., ...}; */
    const double product = 12 * nz + 4 * (n + 1) + 8 * n;
    return {2 * product + 8 * n + (3 + 2 + 5) * 8 * n, (2 + 1 + 1 + 2) * 8 * n, 4 * nz + 22 * n};
    /* END */
}

/* 2. Write. Leaves the block's sums of a and of b in parts[blockIdx.x] and parts[gridDim.x + blockIdx.x]. */
__device__ void leave_sums(double a, double b, double *parts) {
    /* SOLUTION your code here: block_sum twice. What must lie between the two? */
    a = block_sum(a);
    __syncthreads(); /* thread 0 still reads what the second call overwrites */
    b = block_sum(b);
    if (threadIdx.x > 0) return;
    parts[blockIdx.x] = a;
    parts[gridDim.x + blockIdx.x] = b;
    /* END */
}

/* 3. Write. y = A x, a thread a row, and the shares of w.y and y.y. */
__global__ void product_kernel(spw_csr A, const double *x, const double *w, double *y,
                               double *parts) {
    /* SOLUTION your kernel here */
    double w_y = 0, y_y = 0;
    for (int64_t i = first(); i < A.n_rows; i += stride()) {
        double sum = 0;
        for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k] * x[A.col_idx[k]];
        y[i] = sum;
        w_y += w[i] * sum;
        y_y += sum * sum;
    }
    leave_sums(w_y, y_y, parts);
    /* END */
}

void spmv_dots(spw_csr A, int blocks, const double *d_x, const double *d_w, double *d_y,
               double *d_parts) {
    /* SOLUTION your launch here */
    product_kernel<<<blocks, BLOCK>>>(A, d_x, d_w, d_y, d_parts);
    /* END */
}

/* 4. Write. p = r + beta (p - omega v). */
__global__ void p_kernel(int64_t n, const double *numbers, const double *r, const double *v,
                         double *p) {
    /* SOLUTION your kernel here */
    const double beta = numbers[BETA], omega = numbers[OMEGA];
    for (int64_t i = first(); i < n; i += stride()) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    /* END */
}

void p_update(int64_t n, int blocks, const double *d_numbers, const double *d_r, const double *d_v,
              double *d_p) {
    /* SOLUTION your launch here */
    p_kernel<<<blocks, BLOCK>>>(n, d_numbers, d_r, d_v, d_p);
    /* END */
}

/* 5. Write. r -= alpha v */
__global__ void half_kernel(int64_t n, const double *numbers, const double *v, double *r) {
    /* SOLUTION your kernel here */
    const double alpha = numbers[ALPHA];
    for (int64_t i = first(); i < n; i += stride()) r[i] -= alpha * v[i];
    /* END */
}

void half_update(int64_t n, int blocks, const double *d_numbers, const double *d_v, double *d_r) {
    /* SOLUTION your launch here */
    half_kernel<<<blocks, BLOCK>>>(n, d_numbers, d_v, d_r);
    /* END */
}

/* 6. Write. The super-kernel: x += alpha p + omega r, then r -= omega t, and the shares of c.r and r.r. */
__global__ void full_kernel(int64_t n, const double *numbers, const double *p, const double *t,
                            const double *c, double *x, double *r, double *parts) {
    /* SOLUTION your kernel here */
    const double alpha = numbers[ALPHA], omega = numbers[OMEGA];
    double c_r = 0, r_r = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double s = r[i], left = s - omega * t[i];
        x[i] += alpha * p[i] + omega * s;
        r[i] = left;
        c_r += c[i] * left;
        r_r += left * left;
    }
    leave_sums(c_r, r_r, parts);
    /* END */
}

void full_update(int64_t n, int blocks, const double *d_numbers, const double *d_p,
                 const double *d_t, const double *d_c, double *d_x, double *d_r, double *d_parts) {
    /* SOLUTION your launch here */
    full_kernel<<<blocks, BLOCK>>>(n, d_numbers, d_p, d_t, d_c, d_x, d_r, d_parts);
    /* END */
}

/* Given. The sum of so many parts, by one block; valid in thread 0. */
inline __device__ double parts_sum(int blocks, const double *parts) {
    double sum = 0;
    for (int k = threadIdx.x; k < blocks; k += BLOCK) sum += parts[k];
    return block_sum(sum);
}

/* 7. Write. One block each: alpha = rho / c.v | omega = t.s / t.t | beta = c.r / rho * alpha / omega, and c.r
 * is the next rho; r.r is kept, too. Each is 0 where what it is divided by is 0. */
__global__ void alpha_kernel(int blocks, const double *parts, double *numbers) {
    /* SOLUTION your kernel here */
    const double c_v = parts_sum(blocks, parts);
    if (threadIdx.x == 0) numbers[ALPHA] = c_v != 0 ? numbers[RHO] / c_v : 0;
    /* END */
}

__global__ void omega_kernel(int blocks, const double *parts, double *numbers) {
    /* SOLUTION your kernel here */
    const double t_s = parts_sum(blocks, parts);
    __syncthreads();
    const double t_t = parts_sum(blocks, parts + blocks);
    if (threadIdx.x == 0) numbers[OMEGA] = t_t != 0 ? t_s / t_t : 0;
    /* END */
}

__global__ void beta_kernel(int blocks, const double *parts, double *numbers) {
    /* SOLUTION your kernel here */
    const double c_r = parts_sum(blocks, parts), below = numbers[RHO] * numbers[OMEGA];
    __syncthreads();
    const double r_r = parts_sum(blocks, parts + blocks);
    if (threadIdx.x > 0) return;
    numbers[R_R] = r_r;
    numbers[BETA] = below != 0 ? c_r * numbers[ALPHA] / below : 0;
    numbers[RHO] = c_r;
    /* END */
}

/* 8. Write. Eight launches a step, and nothing else: no copy, no waiting. Which product is given which w? */
void iterate(spw_csr A, int blocks, int steps, const double *d_c, double *d_x, double *d_r,
             double *d_p, double *d_v, double *d_t, double *d_parts, double *d_numbers) {
    /* SOLUTION your loop here */
    for (int k = 0; k < steps; k++) {
        spmv_dots(A, blocks, d_p, d_c, d_v, d_parts);
        alpha_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
        half_update(A.n_rows, blocks, d_numbers, d_v, d_r);
        spmv_dots(A, blocks, d_r, d_r, d_t, d_parts);
        omega_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
        full_update(A.n_rows, blocks, d_numbers, d_p, d_t, d_c, d_x, d_r, d_parts);
        beta_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
        p_update(A.n_rows, blocks, d_numbers, d_r, d_v, d_p);
    }
    /* END */
}

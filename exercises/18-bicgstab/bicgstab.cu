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
    /* your model here: return {..., ..., ...}; */
}

/* 2. Write. Leaves the block's sums of a and of b in parts[blockIdx.x] and parts[gridDim.x + blockIdx.x]. */
__device__ void leave_sums(double a, double b, double *parts) {
    /* your code here: block_sum twice. What must lie between the two? */
}

/* 3. Write. y = A x, a thread a row, and the shares of w.y and y.y. */
__global__ void product_kernel(spw_csr A, const double *x, const double *w, double *y,
                               double *parts) {
    /* your kernel here */
}

void spmv_dots(spw_csr A, int blocks, const double *d_x, const double *d_w, double *d_y,
               double *d_parts) {
    /* your launch here */
}

/* 4. Write. p = r + beta (p - omega v). */
__global__ void p_kernel(int64_t n, const double *numbers, const double *r, const double *v,
                         double *p) {
    /* your kernel here */
}

void p_update(int64_t n, int blocks, const double *d_numbers, const double *d_r, const double *d_v,
              double *d_p) {
    /* your launch here */
}

/* 5. Write. r -= alpha v */
__global__ void half_kernel(int64_t n, const double *numbers, const double *v, double *r) {
    /* your kernel here */
}

void half_update(int64_t n, int blocks, const double *d_numbers, const double *d_v, double *d_r) {
    /* your launch here */
}

/* 6. Write. The super-kernel: x += alpha p + omega r, then r -= omega t, and the shares of c.r and r.r. */
__global__ void full_kernel(int64_t n, const double *numbers, const double *p, const double *t,
                            const double *c, double *x, double *r, double *parts) {
    /* your kernel here */
}

void full_update(int64_t n, int blocks, const double *d_numbers, const double *d_p,
                 const double *d_t, const double *d_c, double *d_x, double *d_r, double *d_parts) {
    /* your launch here */
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
    /* your kernel here */
}

__global__ void omega_kernel(int blocks, const double *parts, double *numbers) {
    /* your kernel here */
}

__global__ void beta_kernel(int blocks, const double *parts, double *numbers) {
    /* your kernel here */
}

/* 8. Write. Eight launches a step, and nothing else: no copy, no waiting. Which product is given which w? */
void iterate(spw_csr A, int blocks, int steps, const double *d_c, double *d_x, double *d_r,
             double *d_p, double *d_v, double *d_t, double *d_parts, double *d_numbers) {
    /* your loop here */
}

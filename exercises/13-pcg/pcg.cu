#include "pcg_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32 };

/* Given. The number of this thread in the grid, and how many there are. */
inline __device__ int64_t first() {
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

inline __device__ int64_t stride() {
    return (int64_t)gridDim.x * BLOCK;
}

/* Given. Blocks of a launch with a thread for each of n; a launch of 0 blocks is an error. */
inline int blocks_for(int64_t n) {
    return n > 0 ? (int)((n + BLOCK - 1) / BLOCK) : 1;
}

/* Given, from exercise 12. The sum over the threads of a block, valid in thread 0. All of them call it, and may
 * call it again at once: the second barrier is for that. */
__device__ double block_sum(double value) {
    __shared__ double sums[BLOCK / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    value = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < BLOCK / WARP; w++) value += sums[w];
    __syncthreads();
    return value;
}

/* Given. The sum of the parts, by one block; valid in thread 0. */
__device__ double sum_of_parts(int blocks, const double *parts) {
    double sum = 0;
    for (int k = threadIdx.x; k < blocks; k += BLOCK) sum += parts[k];
    return block_sum(sum);
}

/* Given. alpha = rho / p.q. */
__global__ void alpha_kernel(int blocks, const double *parts, double *numbers) {
    const double p_q = sum_of_parts(blocks, parts);
    if (threadIdx.x == 0) numbers[ALPHA] = p_q > 0 ? numbers[RHO] / p_q : 0;
}

/* 1. Write. x += alpha p, r -= alpha q, z = inverse r, and the parts of r.z and r.r, in one loop. */
__global__ void update_kernel(int64_t n, const double *numbers, const double *inverse,
                              const double *q, const double *p, double *x, double *r, double *z,
                              double *parts) {
    /* your kernel here: parts of r.z in the first gridDim.x, those of r.r behind them */
}

/* 2. Write. One block: beta = r.z / rho, or 0 if rho is 0; then r.z is the new rho, and r.r goes to
 * numbers[R_R]. */
__global__ void beta_kernel(int blocks, const double *parts, double *numbers) {
    /* your kernel here: sum_of_parts twice, then one thread */
}

/* 3. Write. p = z + beta p. */
__global__ void direction_kernel(int64_t n, const double *numbers, const double *z, double *p) {
    /* your kernel here */
}

/* 4. Write. Four launches, and nothing else: no copy, no waiting. */
void pcg_step(int64_t n, int blocks, const double *d_inverse, const double *d_q, double *d_x,
              double *d_r, double *d_z, double *d_p, double *d_parts, double *d_numbers) {
    /* your launches here */
}

/* 5. Write. A thread for each entry of the inverses: thread e has entry e, and the `block` lanes of a row add
 * up their products by shuffles. No loop over rows. */
__global__ void blocks_kernel(int64_t n, int block, const double *inverse, const double *r,
                              double *z) {
    /* your kernel here: row e / block; all lanes take part in the shuffles */
}

void apply_blocks(int64_t n, int block, const double *d_inverse, const double *d_r, double *d_z) {
    /* your launch here */
}

/* 6. Predict. The first step, and `degree` merged ones: product, residual, step and z in one launch. There is
 * no write-allocate on a GPU. */
spw_cost chebyshev_cost(double n, double nz, double degree) {
    /* your model here: return {..., ..., ...}; */
}

/* 7. Write. step = z = D^-1 r / center. */
__global__ void first_step_kernel(int64_t n, double center, const double *inverse, const double *r,
                                  double *step, double *z) {
    /* your kernel here */
}

/* 8. Write. Of row i:  residual = before - A step,  next = a step + b D^-1 residual,  z = z + next. before is r
 * the first time, then it is residual. */
__global__ void step_kernel(spw_csr A, double a, double b, const double *inverse,
                            const double *before, const double *step, double *residual,
                            double *next, double *z) {
    /* your kernel here: the row's sum is never stored */
}

void apply_chebyshev(spw_csr A, const double *d_inverse, double low, double high, int degree,
                     const double *d_r, double *d_z, double *d_residual, double *d_step,
                     double *d_other_step) {
    /* your launches here: the coefficients are computed on the host */
}

/* 9. Write. Row k of a level, k = 0 .. rows-1, is row[k]: x_i = inverse_i (b_i - sum of n_ij x_j). */
__global__ void level_kernel(spw_csr N, int rows, const spw_idx *row, const double *inverse,
                             const double *b, double *x) {
    /* your kernel here */
}

void solve_levels(spw_csr N, const double *d_inverse, int n_levels, const spw_idx *level_ptr,
                  const spw_idx *d_row, const double *d_b, double *d_x) {
    /* your launches here: the end of a launch is the wall between two levels */
}

/* 10. Write. x = D^-1 b; and y = D^-1 (b - N x). */
__global__ void scale_kernel(int64_t n, const double *inverse, const double *b, double *x) {
    /* your kernel here */
}

__global__ void neumann_kernel(spw_csr N, const double *inverse, const double *b, const double *x,
                               double *y) {
    /* your kernel here */
}

void apply_neumann(spw_csr N, const double *d_inverse, int degree, const double *d_b, double *d_x,
                   double *d_work) {
    /* your launches here: two arrays in turn, and the last one is d_x */
}

#include "cg_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32 };

/* Given. The number of this thread in the grid, and how many there are: a grid-stride loop goes from the
 * one by the other. */
inline __device__ int64_t first() {
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

inline __device__ int64_t stride() {
    return (int64_t)gridDim.x * BLOCK;
}

/* 1. Predict. One iteration of three large kernels, q = A p with p.q | x and r with r.r | p: bytes loaded,
 * bytes stored, flops. There is no write-allocate on a GPU. */
spw_cost cg_iteration_cost(double n, double nz) {
    /* your model here: return {..., ..., ...}; */
}

/* 2. Write. The sum of `value` over the BLOCK threads of a block; valid in thread 0. All of them call it.
 * Halves as in exercise 1, or shuffles as in exercise 4. */
__device__ double block_sum(double value) {
    /* your code here: shared memory, and a barrier wherever one thread reads what another wrote */
}

/* 3. Write. A thread has rows first, first + stride, ...: q[i] = sum over the row, and p[i] q[i] for its
 * share of p.q. Then the block's sum goes to parts. */
__global__ void product_kernel(spw_csr A, const double *p, double *q, double *parts) {
    /* your kernel here: two loops, block_sum, one store by thread 0 */
}

void spmv_dot(spw_csr A, int blocks, const double *d_p, double *d_q, double *d_parts) {
    /* your launch here */
}

/* 4. Write. x += alpha p, r -= alpha q, and the parts of r.r, in one loop. alpha is numbers[ALPHA]. */
__global__ void update_kernel(int64_t n, const double *numbers, const double *p, const double *q,
                              double *x, double *r, double *parts) {
    /* your kernel here */
}

void update(int64_t n, int blocks, const double *d_numbers, const double *d_p, const double *d_q,
            double *d_x, double *d_r, double *d_parts) {
    /* your launch here */
}

/* 5. Write. One block adds up the parts of p.q, and its thread 0 computes alpha = rho / p.q; or 0, if p.q
 * is 0, as it is when the solution has been reached. */
__global__ void alpha_kernel(int blocks, const double *parts, double *numbers) {
    /* your kernel here: a loop over the parts, block_sum, one thread writes */
}

/* 6. Write. The same with the parts of r.r, which is the next rho: beta = r.r / rho, or 0, if rho is 0. */
__global__ void beta_kernel(int blocks, const double *parts, double *numbers) {
    /* your kernel here */
}

/* 7. Write. p = r + beta p, with the beta that lies in numbers. */
__global__ void direction_kernel(int64_t n, const double *numbers, const double *r, double *p) {
    /* your kernel here */
}

/* 8. Write. Five launches a step, and nothing else: no copy, no waiting. */
void iterate(spw_csr A, int blocks, int steps, double *d_x, double *d_r, double *d_p, double *d_q,
             double *d_parts, double *d_numbers) {
    /* your loop here */
}

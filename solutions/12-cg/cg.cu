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
    /* SOLUTION your model here: return {..., ..., ...}; */
    return {12 * nz + 4 * (n + 1) + 8 * n + 32 * n + 16 * n, 32 * n, 2 * nz + 10 * n};
    /* END */
}

/* 2. Write. The sum of `value` over the BLOCK threads of a block; valid in thread 0. All of them call it.
 * Halves as in exercise 1, or shuffles as in exercise 4. */
__device__ double block_sum(double value) {
    /* SOLUTION your code here: shared memory, and a barrier wherever one thread reads what another wrote */
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
    /* END */
}

/* 3. Write. A thread has rows first, first + stride, ...: q[i] = sum over the row, and p[i] q[i] for its
 * share of p.q. Then the block's sum goes to parts. */
__global__ void product_kernel(spw_csr A, const double *p, double *q, double *parts) {
    /* SOLUTION your kernel here: two loops, block_sum, one store by thread 0 */
    double p_q = 0;
    for (int64_t i = first(); i < A.n_rows; i += stride()) {
        double sum = 0;
        for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k] * p[A.col_idx[k]];
        q[i] = sum;
        p_q += p[i] * sum;
    }
    p_q = block_sum(p_q);
    if (threadIdx.x == 0) parts[blockIdx.x] = p_q;
    /* END */
}

void spmv_dot(spw_csr A, int blocks, const double *d_p, double *d_q, double *d_parts) {
    /* SOLUTION your launch here */
    product_kernel<<<blocks, BLOCK>>>(A, d_p, d_q, d_parts);
    /* END */
}

/* 4. Write. x += alpha p, r -= alpha q, and the parts of r.r, in one loop. alpha is numbers[ALPHA]. */
__global__ void update_kernel(int64_t n, const double *numbers, const double *p, const double *q,
                              double *x, double *r, double *parts) {
    /* SOLUTION your kernel here */
    const double alpha = numbers[ALPHA];
    double r_r = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double left = r[i] - alpha * q[i];
        x[i] += alpha * p[i];
        r[i] = left;
        r_r += left * left;
    }
    r_r = block_sum(r_r);
    if (threadIdx.x == 0) parts[blockIdx.x] = r_r;
    /* END */
}

void update(int64_t n, int blocks, const double *d_numbers, const double *d_p, const double *d_q,
            double *d_x, double *d_r, double *d_parts) {
    /* SOLUTION your launch here */
    update_kernel<<<blocks, BLOCK>>>(n, d_numbers, d_p, d_q, d_x, d_r, d_parts);
    /* END */
}

/* 5. Write. One block adds up the parts of p.q, and its thread 0 computes alpha = rho / p.q; or 0, if p.q
 * is 0, as it is when the solution has been reached. */
__global__ void alpha_kernel(int blocks, const double *parts, double *numbers) {
    /* SOLUTION your kernel here: a loop over the parts, block_sum, one thread writes */
    double p_q = 0;
    for (int k = threadIdx.x; k < blocks; k += BLOCK) p_q += parts[k];
    p_q = block_sum(p_q);
    if (threadIdx.x == 0) numbers[ALPHA] = p_q > 0 ? numbers[RHO] / p_q : 0;
    /* END */
}

/* 6. Write. The same with the parts of r.r, which is the next rho: beta = r.r / rho, or 0, if rho is 0. */
__global__ void beta_kernel(int blocks, const double *parts, double *numbers) {
    /* SOLUTION your kernel here */
    double r_r = 0;
    for (int k = threadIdx.x; k < blocks; k += BLOCK) r_r += parts[k];
    r_r = block_sum(r_r);
    if (threadIdx.x > 0) return;
    numbers[BETA] = numbers[RHO] > 0 ? r_r / numbers[RHO] : 0;
    numbers[RHO] = r_r;
    /* END */
}

/* 7. Write. p = r + beta p, with the beta that lies in numbers. */
__global__ void direction_kernel(int64_t n, const double *numbers, const double *r, double *p) {
    /* SOLUTION your kernel here */
    const double beta = numbers[BETA];
    for (int64_t i = first(); i < n; i += stride()) p[i] = r[i] + beta * p[i];
    /* END */
}

/* 8. Write. Five launches a step, and nothing else: no copy, no waiting. */
void iterate(spw_csr A, int blocks, int steps, double *d_x, double *d_r, double *d_p, double *d_q,
             double *d_parts, double *d_numbers) {
    /* SOLUTION your loop here */
    for (int k = 0; k < steps; k++) {
        spmv_dot(A, blocks, d_p, d_q, d_parts);
        alpha_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
        update(A.n_rows, blocks, d_numbers, d_p, d_q, d_x, d_r, d_parts);
        beta_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
        direction_kernel<<<blocks, BLOCK>>>(A.n_rows, d_numbers, d_r, d_p);
    }
    /* END */
}

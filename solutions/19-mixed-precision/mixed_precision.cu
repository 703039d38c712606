#include "mixed_precision_gpu.h"

#include <cuda_runtime.h>

enum { WARP = 32 };

/* Given. The number of this thread in the grid, and how many there are. */
inline __device__ int64_t first() {
    return (int64_t)blockIdx.x * BLOCK + threadIdx.x;
}

inline __device__ int64_t stride() {
    return (int64_t)gridDim.x * BLOCK;
}

/* Given. The sum of `value` over the warp, in lane 0. All 32 lanes come here together. */
inline __device__ double warp_sum(double value) {
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

/* Given. The sum of `value` over the BLOCK threads of a block; valid in thread 0. All of them call it, once. */
inline __device__ double block_sum(double value) {
    __shared__ double sums[BLOCK / WARP];
    value = warp_sum(value);
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = value;
    __syncthreads();
    value = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < BLOCK / WARP; w++) value += sums[w];
    return value;
}

/* 1. Predict. One product with float values: bytes loaded, bytes stored, flops. Write 8.0, not 8. */
spw_cost spmv_single_cost(const csr_single *A) {
    /* SOLUTION your model here: return {..., ..., ...}; */
    return {8.0 * A->nnz + 4 * (A->n_rows + 1.0) + 8.0 * A->n_cols, 8.0 * A->n_rows, 2.0 * A->nnz};
    /* END */
}

/* 2. Write. A warp a row, as in exercise 6; only that val is float. What type has the sum? */
__global__ void single_kernel(csr_single A, const double *x, double *y) {
    /* SOLUTION your kernel here: row, lane, a loop, warp_sum, one store */
    const int64_t i = first() / WARP;
    const int lane = threadIdx.x % WARP;
    if (i >= A.n_rows) return; /* the whole warp leaves: its lanes have the same row */
    double sum = 0;
    for (long long k = (long long)A.row_ptr[i] + lane; k < A.row_ptr[i + 1]; k += WARP)
        sum += (double)A.val[k] * x[A.col_idx[k]];
    sum = warp_sum(sum);
    if (lane == 0) y[i] = A.scale * sum;
    /* END */
}

void spmv_single(csr_single A, const double *d_x, double *d_y) {
    /* SOLUTION your launch here: 32 threads for each row */
    const int64_t blocks = ((int64_t)WARP * A.n_rows + BLOCK - 1) / BLOCK;
    if (A.n_rows > 0) single_kernel<<<(unsigned)blocks, BLOCK>>>(A, d_x, d_y);
    /* END */
}

/* 3. Predict. One residual with its r.r. */
spw_cost residual_cost(const spw_csr *A) {
    /* SOLUTION your model here */
    const double n = A->n_rows, nz = A->nnz;
    return {12 * nz + 4 * (n + 1) + 16 * n, 8 * n, 2 * nz + 3 * n};
    /* END */
}

/* 4. Write. A warp has rows first / 32, and so on by all warps of the grid. Lane 0 has the element of r, and
 * its square for the block's share. All lanes come to block_sum. */
__global__ void residual_kernel(spw_csr A, const double *b, const double *x, double *r,
                                double *parts) {
    /* SOLUTION your kernel here */
    const int lane = threadIdx.x % WARP;
    double r_r = 0;
    for (int64_t i = first() / WARP; i < A.n_rows; i += stride() / WARP) {
        double sum = 0;
        for (long long k = (long long)A.row_ptr[i] + lane; k < A.row_ptr[i + 1]; k += WARP)
            sum += A.val[k] * x[A.col_idx[k]];
        sum = warp_sum(sum);
        if (lane > 0) continue;
        const double left = b[i] - sum;
        r[i] = left;
        r_r += left * left;
    }
    r_r = block_sum(r_r);
    if (threadIdx.x == 0) parts[blockIdx.x] = r_r;
    /* END */
}

void residual(spw_csr A, int blocks, const double *d_b, const double *d_x, double *d_r,
              double *d_parts) {
    /* SOLUTION your launch here */
    residual_kernel<<<blocks, BLOCK>>>(A, d_b, d_x, d_r, d_parts);
    /* END */
}

/* 5. Write. One block: the square root of the sum of the parts. */
__global__ void norm_kernel(int blocks, const double *parts, double *norm) {
    /* SOLUTION your kernel here: a loop over the parts, block_sum, one thread writes */
    double sum = 0;
    for (int k = threadIdx.x; k < blocks; k += BLOCK) sum += parts[k];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *norm = sqrt(sum);
    /* END */
}

/* 6. Write. small = r / norm in float; 0 if norm is 0. */
__global__ void round_kernel(int64_t n, const double *norm, const double *r, float *small) {
    /* SOLUTION your kernel here. What comes first, dividing or rounding? */
    const double by = *norm > 0 ? *norm : 1;
    for (int64_t i = first(); i < n; i += stride()) small[i] = (float)(r[i] / by);
    /* END */
}

void round_residual(int64_t n, int blocks, const double *d_parts, const double *d_r, float *d_small,
                    double *d_norm) {
    /* SOLUTION your two launches here */
    norm_kernel<<<1, BLOCK>>>(blocks, d_parts, d_norm);
    round_kernel<<<blocks, BLOCK>>>(n, d_norm, d_r, d_small);
    /* END */
}

/* 7. Write. x += norm / scale * d */
__global__ void correct_kernel(int64_t n, double scale, const double *norm, const float *d,
                               double *x) {
    /* SOLUTION your kernel here. Which of the three factors may be float? */
    const double factor = *norm / scale;
    for (int64_t i = first(); i < n; i += stride()) x[i] += factor * (double)d[i];
    /* END */
}

void correct(int64_t n, int blocks, double scale, const double *d_norm, const float *d_d,
             double *d_x) {
    /* SOLUTION your launch here */
    correct_kernel<<<blocks, BLOCK>>>(n, scale, d_norm, d_d, d_x);
    /* END */
}

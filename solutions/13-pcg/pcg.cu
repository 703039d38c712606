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
    /* SOLUTION your kernel here: parts of r.z in the first gridDim.x, those of r.r behind them */
    const double alpha = numbers[ALPHA];
    double r_z = 0, r_r = 0;
    for (int64_t i = first(); i < n; i += stride()) {
        const double left = r[i] - alpha * q[i], solved = inverse[i] * left;
        x[i] += alpha * p[i];
        r[i] = left;
        z[i] = solved;
        r_z += left * solved;
        r_r += left * left;
    }
    r_z = block_sum(r_z);
    r_r = block_sum(r_r);
    if (threadIdx.x > 0) return;
    parts[blockIdx.x] = r_z;
    parts[gridDim.x + blockIdx.x] = r_r;
    /* END */
}

/* 2. Write. One block: beta = r.z / rho, or 0 if rho is 0; then r.z is the new rho, and r.r goes to
 * numbers[R_R]. */
__global__ void beta_kernel(int blocks, const double *parts, double *numbers) {
    /* SOLUTION your kernel here: sum_of_parts twice, then one thread */
    const double r_z = sum_of_parts(blocks, parts), r_r = sum_of_parts(blocks, parts + blocks);
    if (threadIdx.x > 0) return;
    numbers[BETA] = numbers[RHO] > 0 ? r_z / numbers[RHO] : 0;
    numbers[RHO] = r_z;
    numbers[R_R] = r_r;
    /* END */
}

/* 3. Write. p = z + beta p. */
__global__ void direction_kernel(int64_t n, const double *numbers, const double *z, double *p) {
    /* SOLUTION your kernel here */
    const double beta = numbers[BETA];
    for (int64_t i = first(); i < n; i += stride()) p[i] = z[i] + beta * p[i];
    /* END */
}

/* 4. Write. Four launches, and nothing else: no copy, no waiting. */
void pcg_step(int64_t n, int blocks, const double *d_inverse, const double *d_q, double *d_x,
              double *d_r, double *d_z, double *d_p, double *d_parts, double *d_numbers) {
    /* SOLUTION your launches here */
    alpha_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
    update_kernel<<<blocks, BLOCK>>>(n, d_numbers, d_inverse, d_q, d_p, d_x, d_r, d_z, d_parts);
    beta_kernel<<<1, BLOCK>>>(blocks, d_parts, d_numbers);
    direction_kernel<<<blocks, BLOCK>>>(n, d_numbers, d_z, d_p);
    /* END */
}

/* 5. Write. A thread for each entry of the inverses: thread e has entry e, and the `block` lanes of a row add
 * up their products by shuffles. No loop over rows. */
__global__ void blocks_kernel(int64_t n, int block, const double *inverse, const double *r,
                              double *z) {
    /* SOLUTION your kernel here: row e / block; all lanes take part in the shuffles */
    const int64_t e = first(), i = e / block;
    const int lane = (int)(e % block);
    const int64_t column = i / block * block + lane;
    double sum = 0;
    if (i < n && column < n) sum = inverse[e] * r[column];
    for (int step = block / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (i < n && lane == 0) z[i] = sum;
    /* END */
}

void apply_blocks(int64_t n, int block, const double *d_inverse, const double *d_r, double *d_z) {
    /* SOLUTION your launch here */
    blocks_kernel<<<blocks_for(n * block), BLOCK>>>(n, block, d_inverse, d_r, d_z);
    /* END */
}

/* 6. Predict. The first step, and `degree` merged ones: product, residual, step and z in one launch. There is
 * no write-allocate on a GPU. */
spw_cost chebyshev_cost(double n, double nz, double degree) {
    /* SOLUTION your model here: return {..., ..., ...}; */
    return {16 * n + degree * (12 * nz + 4 * (n + 1) + 32 * n), 16 * n + degree * 24 * n,
            2 * n + degree * (2 * nz + 6 * n)};
    /* END */
}

/* 7. Write. step = z = D^-1 r / center. */
__global__ void first_step_kernel(int64_t n, double center, const double *inverse, const double *r,
                                  double *step, double *z) {
    /* SOLUTION your kernel here */
    const int64_t i = first();
    if (i < n) step[i] = z[i] = inverse[i] * r[i] / center;
    /* END */
}

/* 8. Write. Of row i:  residual = before - A step,  next = a step + b D^-1 residual,  z = z + next. before is r
 * the first time, then it is residual. */
__global__ void step_kernel(spw_csr A, double a, double b, const double *inverse,
                            const double *before, const double *step, double *residual,
                            double *next, double *z) {
    /* SOLUTION your kernel here: the row's sum is never stored */
    const int64_t i = first();
    if (i >= A.n_rows) return;
    double left = before[i];
    for (int k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) left -= A.val[k] * step[A.col_idx[k]];
    const double moved = a * step[i] + b * inverse[i] * left;
    residual[i] = left;
    next[i] = moved;
    z[i] += moved;
    /* END */
}

void apply_chebyshev(spw_csr A, const double *d_inverse, double low, double high, int degree,
                     const double *d_r, double *d_z, double *d_residual, double *d_step,
                     double *d_other_step) {
    /* SOLUTION your launches here: the coefficients are computed on the host */
    const double center = (high + low) / 2, half = (high - low) / 2;
    double rho = half / center;
    first_step_kernel<<<blocks_for(A.n_rows), BLOCK>>>(A.n_rows, center, d_inverse, d_r, d_step,
                                                       d_z);
    for (int k = 0; k < degree; k++) {
        const double rho_new = 1 / (2 * center / half - rho);
        step_kernel<<<blocks_for(A.n_rows), BLOCK>>>(A, rho_new * rho, 2 * rho_new / half,
                                                     d_inverse, k > 0 ? d_residual : d_r, d_step,
                                                     d_residual, d_other_step, d_z);
        double *const written = d_other_step;
        d_other_step = d_step;
        d_step = written;
        rho = rho_new;
    }
    /* END */
}

/* 9. Write. Row k of a level, k = 0 .. rows-1, is row[k]: x_i = inverse_i (b_i - sum of n_ij x_j). */
__global__ void level_kernel(spw_csr N, int rows, const spw_idx *row, const double *inverse,
                             const double *b, double *x) {
    /* SOLUTION your kernel here */
    const int64_t k = first();
    if (k >= rows) return;
    const int i = row[k];
    double left = b[i];
    for (int e = N.row_ptr[i]; e < N.row_ptr[i + 1]; e++) left -= N.val[e] * x[N.col_idx[e]];
    x[i] = inverse[i] * left;
    /* END */
}

void solve_levels(spw_csr N, const double *d_inverse, int n_levels, const spw_idx *level_ptr,
                  const spw_idx *d_row, const double *d_b, double *d_x) {
    /* SOLUTION your launches here: the end of a launch is the wall between two levels */
    for (int level = 0; level < n_levels; level++) {
        const int rows = level_ptr[level + 1] - level_ptr[level];
        level_kernel<<<blocks_for(rows), BLOCK>>>(N, rows, d_row + level_ptr[level], d_inverse, d_b,
                                                  d_x);
    }
    /* END */
}

/* 10. Write. x = D^-1 b; and y = D^-1 (b - N x). */
__global__ void scale_kernel(int64_t n, const double *inverse, const double *b, double *x) {
    /* SOLUTION your kernel here */
    const int64_t i = first();
    if (i < n) x[i] = inverse[i] * b[i];
    /* END */
}

__global__ void neumann_kernel(spw_csr N, const double *inverse, const double *b, const double *x,
                               double *y) {
    /* SOLUTION your kernel here */
    const int64_t i = first();
    if (i >= N.n_rows) return;
    double left = b[i];
    for (int e = N.row_ptr[i]; e < N.row_ptr[i + 1]; e++) left -= N.val[e] * x[N.col_idx[e]];
    y[i] = inverse[i] * left;
    /* END */
}

void apply_neumann(spw_csr N, const double *d_inverse, int degree, const double *d_b, double *d_x,
                   double *d_work) {
    /* SOLUTION your launches here: two arrays in turn, and the last one is d_x */
    double *now = degree % 2 ? d_work : d_x, *next = degree % 2 ? d_x : d_work;
    scale_kernel<<<blocks_for(N.n_rows), BLOCK>>>(N.n_rows, d_inverse, d_b, now);
    for (int k = 0; k < degree; k++) {
        neumann_kernel<<<blocks_for(N.n_rows), BLOCK>>>(N, d_inverse, d_b, now, next);
        double *const written = next;
        next = now;
        now = written;
    }
    /* END */
}

/* exercises/23-lobpcg/given_gpu.cuh -- what is given on the device: exercises 21 and 22 have it all. */
#pragma once

#include "lobpcg_gpu.h"

#include <cuda_runtime.h>

/* --- Y = A X in SELL-P: neighbouring threads have neighbouring vectors ------------------------------------- */

static __global__ void multiply_kernel(spw_sellp A, int nv, const double *X, double *Y) {
    const int v = threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= A.n_rows) return;
    const int end = A.slice_ptr[i / A.b + 1];
    double sum = 0;
    for (int64_t k = A.slice_ptr[i / A.b] + i % A.b; k < end; k += A.b)
        sum += A.val[k] * X[(int64_t)A.col_idx[k] * nv + v];
    Y[i * nv + v] = sum;
}

static inline void multiply(spw_sellp A, int nv, const double *d_X, double *d_Y) {
    const int rows = BLOCK / nv;
    if (A.n_rows > 0)
        multiply_kernel<<<(A.n_rows + rows - 1) / rows, dim3(nv, rows)>>>(A, nv, d_X, d_Y);
}

/* --- GA = Sᵀ A S and GB = Sᵀ S with S = [X W P] ------------------------------------------------------------ */

enum { TILE = 32 };

/* Three blocks by value, in the launch itself. */
struct row_of_blocks {
    const double *at[BLOCKS];
};

/* blockIdx.y: which two of the three blocks, blockIdx.z: whether the second one is A times it. */
static __global__ void products_kernel(int64_t n, int nv, row_of_blocks V, row_of_blocks AV,
                                       double *parts) {
    __shared__ double x[TILE * MOST_VECTORS], y[TILE * MOST_VECTORS];
    const int first = blockIdx.y / BLOCKS, second = blockIdx.y % BLOCKS;
    const int a = threadIdx.y, b = threadIdx.x, me = a * nv + b, m = BLOCKS * nv;
    const double *X = V.at[first], *Y = blockIdx.z ? V.at[second] : AV.at[second];
    double sum = 0;
    for (int64_t row = (int64_t)blockIdx.x * TILE; row < n; row += (int64_t)gridDim.x * TILE) {
        const int rows = n - row < TILE ? (int)(n - row) : (int)TILE;
        for (int k = me; k < rows * nv; k += nv * nv) {
            x[k] = X[row * nv + k];
            y[k] = Y[row * nv + k];
        }
        __syncthreads();
        for (int i = 0; i < rows; i++) sum += x[i * nv + a] * y[i * nv + b];
        __syncthreads();
    }
    parts[((int64_t)blockIdx.x * 2 + blockIdx.z) * m * m + (first * nv + a) * m + second * nv + b] =
        sum;
}

static __global__ void add_products_kernel(int blocks, int count, const double *parts, double *G) {
    const int me = blockIdx.x * BLOCK + threadIdx.x;
    double sum = 0;
    if (me >= count) return;
    for (int64_t k = 0; k < blocks; k++) sum += parts[k * count + me];
    G[me] = sum;
}

/* d_G [2 * 3 nv * 3 nv]: GA, then GB, overwritten. d_parts: as many for each of the blocks. */
static inline void products(int64_t n, int nv, int blocks, double *const *d_V, double *const *d_AV,
                            double *d_parts, double *d_G) {
    const row_of_blocks V = {{d_V[0], d_V[1], d_V[2]}}, AV = {{d_AV[0], d_AV[1], d_AV[2]}};
    const int count = 2 * BLOCKS * nv * BLOCKS * nv;
    products_kernel<<<dim3(blocks, BLOCKS * BLOCKS, 2), dim3(nv, nv)>>>(n, nv, V, AV, d_parts);
    add_products_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(blocks, count, d_parts, d_G);
}

/* expect BUILD: calls spw_dot_cuda */
/* nv * nv dots by the library; that is not the exercise. */
#include "orthogonalise_gpu.h"

#include "kernels/cuda.h"

#include <cuda_runtime.h>

spw_cost gram_cost(int64_t n, int nv)
{
    return {16.0 * n * nv, 8.0 * nv * nv, 2.0 * n * nv * nv};
}

__global__ void parts_kernel(int64_t n, int nv, const double *X, const double *Y, double *parts)
{
    __shared__ double x[TILE * MOST_VECTORS], y[TILE * MOST_VECTORS];
    const int a = threadIdx.y, b = threadIdx.x, me = a * nv + b;
    double sum = 0;
    for (int64_t row = (int64_t)blockIdx.x * TILE; row < n; row += (int64_t)gridDim.x * TILE) {
        const int rows = n - row < TILE ? (int)(n - row) : TILE;
        for (int k = me; k < rows * nv; k += nv * nv) {
            x[k] = X[row * nv + k];
            y[k] = Y[row * nv + k];
        }
        __syncthreads(); /* the tile is there */
        for (int i = 0; i < rows; i++) sum += x[i * nv + a] * y[i * nv + b];
        __syncthreads(); /* nobody reads it any more */
    }
    parts[(int64_t)blockIdx.x * nv * nv + me] = sum;
}

__global__ void add_kernel(int nv, int blocks, const double *parts, double *C)
{
    const int me = threadIdx.y * nv + threadIdx.x;
    double sum = 0;
    for (int64_t k = 0; k < blocks; k++) sum += parts[k * nv * nv + me];
    C[me] = sum;
}

void gram(int64_t n, int nv, int blocks, const double *d_X, const double *d_Y, double *d_parts,
          double *d_C)
{
    (void)blocks, (void)d_parts;
    for (int k = 0; k < nv * nv; k++) spw_dot_cuda(n, d_X + k / nv, d_Y + k % nv, d_C + k);
}

spw_cost combine_cost(int64_t n, int nv)
{
    return {8.0 * n * nv + 8.0 * nv * nv, 8.0 * n * nv, 2.0 * n * nv * nv};
}

__global__ void combine_kernel(int64_t n, int nv, const double *X, const double *C, double *Y)
{
    __shared__ double x[256], c[MOST_VECTORS * MOST_VECTORS];
    const int b = threadIdx.x, me = threadIdx.y * nv + b, threads = blockDim.y * nv;
    const int64_t at = (int64_t)blockIdx.x * threads + me; /* element of X and of Y */
    if (at < n * nv) x[me] = X[at];
    for (int k = me; k < nv * nv; k += threads) c[k] = C[k];
    __syncthreads();
    if (at >= n * nv) return;
    double sum = 0;
    for (int a = 0; a < nv; a++) sum += x[me - b + a] * c[a * nv + b];
    Y[at] = sum;
}

void combine(int64_t n, int nv, const double *d_X, const double *d_C, double *d_Y)
{
    const int rows = 256 / nv;
    const int64_t blocks = (n + rows - 1) / rows;
    if (n > 0) combine_kernel<<<(unsigned)blocks, dim3(nv, rows)>>>(n, nv, d_X, d_C, d_Y);
}

__global__ void cholesky_kernel(int nv, const double *G, double *T, int *rank)
{
    __shared__ double R[MOST_VECTORS][MOST_VECTORS];
    const int j = threadIdx.x;
    for (int i = 0; i < nv; i++) R[i][j] = G[i * nv + j];
    int k = 0;
    for (; k < nv; k++) {
        __syncthreads();
        const double left = R[k][k];
        if (!(left > 0)) break; /* all threads see the same number */
        __syncthreads();
        if (j >= k) R[k][j] /= sqrt(left);
        __syncthreads();
        if (j > k)
            for (int i = k + 1; i <= j; i++) R[i][j] -= R[k][i] * R[k][j];
    }
    __syncthreads();
    for (int i = nv - 1; i >= 0; i--) {
        double sum = i == j ? 1 : 0;
        if (k == nv && i <= j) {
            for (int l = i + 1; l <= j; l++) sum -= R[i][l] * T[l * nv + j];
            sum /= R[i][i];
        }
        T[i * nv + j] = k == nv ? sum : 0;
    }
    if (j == 0) *rank = k;
}

void cholesky_inverse(int nv, const double *d_G, double *d_T, int *d_rank)
{
    cholesky_kernel<<<1, nv>>>(nv, d_G, d_T, d_rank);
}

void cholqr(int64_t n, int nv, int blocks, int times, const double *d_X, double *d_Q,
            double *d_parts, double *d_G, double *d_T, int *d_rank)
{
    for (int k = 0; k < times; k++) {
        const double *d_from = k == 0 ? d_X : d_Q;
        gram(n, nv, blocks, d_from, d_from, d_parts, d_G);
        cholesky_inverse(nv, d_G, d_T, d_rank);
        combine(n, nv, d_from, d_T, d_Q);
    }
}

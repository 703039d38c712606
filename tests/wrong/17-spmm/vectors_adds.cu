/* expect CORRECT: was added to, not overwritten */
/* Y holds garbage on entry, and is added to. */
#include "spmm_gpu.h"

#include <cuda_runtime.h>

__global__ void layers_kernel(spw_sellp S, int nv, const double *X, double *Y)
{
    extern __shared__ double sums[];
    const int r = threadIdx.x, part = threadIdx.y, v = threadIdx.z;
    double *mine = sums + (v * S.t + part) * S.b + r;
    const int end = S.slice_ptr[blockIdx.x + 1];
    double sum = 0;
    for (long long k = S.slice_ptr[blockIdx.x] + part * S.b + r; k < end; k += S.b * S.t)
        sum += S.val[k] * X[S.col_idx[k] * (long long)nv + v];
    *mine = sum;
    for (int half = S.t / 2; half > 0; half /= 2) {
        __syncthreads();
        if (part < half) *mine += mine[half * S.b];
    }
    const long long i = blockIdx.x * (long long)S.b + r;
    if (part == 0 && i < S.n_rows) Y[i * nv + v] = *mine;
}

void spmm_layers(spw_sellp S, int nv, const double *X, double *Y)
{
    const size_t shared = S.b * S.t * nv * sizeof(double);
    if (S.n_slices > 0) layers_kernel<<<S.n_slices, dim3(S.b, S.t, nv), shared>>>(S, nv, X, Y);
}

spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv)
{
    return {12.0 * S->n_stored + 4 * (S->n_slices + 1.0) + 8.0 * nv * S->n_cols,
            8.0 * nv * S->n_rows, 2.0 * nv * S->nnz};
}

__global__ void vectors_kernel(spw_sellp S, int nv, const double *X, double *Y)
{
    const int v = threadIdx.x;
    const long long i = blockIdx.x * (long long)blockDim.y + threadIdx.y;
    if (i >= S.n_rows) return;
    const int end = S.slice_ptr[i / S.b + 1];
    double sum = 0;
    for (long long k = S.slice_ptr[i / S.b] + i % S.b; k < end; k += S.b)
        sum += S.val[k] * X[S.col_idx[k] * (long long)nv + v];
    Y[i * nv + v] += sum;
}

void spmm_vectors(spw_sellp S, int nv, const double *X, double *Y)
{
    const int rows = 256 / nv;
    if (S.n_rows > 0) vectors_kernel<<<(S.n_rows + rows - 1) / rows, dim3(nv, rows)>>>(S, nv, X, Y);
}

#include "spmm_gpu.h"

#include <cuda_runtime.h>

/* 1. Write. A block a slice, b x t x nv threads: threadIdx.x is the row r of the slice, threadIdx.y the part j
 * of the row, which has its entries j, j + t, j + 2t, ..., threadIdx.z the vector. The t sums of a row and
 * vector are added in shared memory. It is your kernel of exercise 9, and one dimension more. */
__global__ void layers_kernel(spw_sellp S, int nv, const double *X, double *Y) {
    extern __shared__ double sums[]; /* as many as the launch says */
    /* SOLUTION your kernel here: a loop, your sum into `sums`, halving, one store */
    const int r = threadIdx.x, part = threadIdx.y, v = threadIdx.z;
    double *mine = sums + (v * S.t + part) * S.b + r; /* [nv][t][b] */
    const int end = S.slice_ptr[blockIdx.x + 1];
    double sum = 0;
    for (long long k = S.slice_ptr[blockIdx.x] + part * S.b + r; k < end; k += S.b * S.t)
        sum += S.val[k] * X[S.col_idx[k] * (long long)nv + v];
    *mine = sum;
    for (int half = S.t / 2; half > 0; half /= 2) {
        __syncthreads(); /* what the others wrote in the round before */
        if (part < half) *mine += mine[half * S.b];
    }
    const long long i = blockIdx.x * (long long)S.b + r; /* the last slice may have too many */
    if (part == 0 && i < S.n_rows) Y[i * nv + v] = *mine;
    /* END */
}

void spmm_layers(spw_sellp S, int nv, const double *X, double *Y) {
    /* SOLUTION your launch here: kernel<<<blocks, dim3(x, y, z), bytes of shared memory>>>(...) */
    if (S.n_slices > 0)
        layers_kernel<<<S.n_slices, dim3(S.b, S.t, nv), S.b * S.t * nv * sizeof(double)>>>(S, nv, X,
                                                                                           Y);
    /* END */
}

/* 2. Predict. What must one call move at least? Bytes loaded, bytes stored, flops: {..., ..., ...}. It is the
 * model of spmm.c; write 12.0, not 12. The struct is the host's, its arrays are not read here. */
spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv) {
    /* SOLUTION your model here */
    return {12.0 * S->n_stored + 4 * (S->n_slices + 1.0) + 8.0 * nv * S->n_cols,
            8.0 * nv * S->n_rows, 2.0 * nv * S->nnz};
    /* END */
}

/* 3. Write. Neighbouring threads have neighbouring vectors of one row: threadIdx.x is the vector, threadIdx.y
 * the row in the block. A thread has a whole row. Which elements of X do neighbours read now? */
__global__ void vectors_kernel(spw_sellp S, int nv, const double *X, double *Y) {
    /* SOLUTION your kernel here: which row, is there one, a loop, one store */
    const int v = threadIdx.x;
    const long long i = blockIdx.x * (long long)blockDim.y + threadIdx.y;
    if (i >= S.n_rows) return;
    const int end = S.slice_ptr[i / S.b + 1];
    double sum = 0;
    for (long long k = S.slice_ptr[i / S.b] + i % S.b; k < end; k += S.b)
        sum += S.val[k] * X[S.col_idx[k] * (long long)nv + v];
    Y[i * nv + v] = sum;
    /* END */
}

void spmm_vectors(spw_sellp S, int nv, const double *X, double *Y) {
    /* SOLUTION your launch here: about 256 threads a block */
    const int rows = nv < 256 ? 256 / nv : 1;
    if (S.n_rows > 0) vectors_kernel<<<(S.n_rows + rows - 1) / rows, dim3(nv, rows)>>>(S, nv, X, Y);
    /* END */
}

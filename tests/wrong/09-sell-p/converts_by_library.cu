/* expect BUILD: calls spw_sellp_from_csr */
/* The conversion is there already, too. */
#include "sell_p.h"

#include <cuda_runtime.h>

void csr_to_sellp(const spw_csr *A, const spw_sellp *S)
{
    spw_sellp P;
    if (spw_sellp_from_csr(A, S->b, S->t, &P)) return;
    for (spw_idx s = 0; s <= P.n_slices; s++) S->slice_ptr[s] = P.slice_ptr[s];
    for (spw_idx k = 0; k < P.n_stored; k++) {
        S->col_idx[k] = P.col_idx[k];
        S->val[k] = P.val[k];
    }
}

spw_cost spmv_sellp_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_slices, double beta)
{
    return {12.0 * nnz / beta + 4 * (n_slices + 1.0) + 8.0 * n_cols, 8.0 * n_rows, 2.0 * nnz};
}

static __global__ void sellp_slice(spw_sellp A, const double *x, double *y)
{
    extern __shared__ double sums[]; /* [b * t] */
    const int thread = threadIdx.x, part = thread / A.b;
    const int end = A.slice_ptr[blockIdx.x + 1];
    double sum = 0;
    for (long long k = A.slice_ptr[blockIdx.x] + thread; k < end; k += A.b * A.t)
        sum += A.val[k] * x[A.col_idx[k]];
    sums[thread] = sum;

    for (int half = A.t / 2; half > 0; half /= 2) {
        __syncthreads(); /* what the others wrote in the round before */
        if (part < half) sums[thread] += sums[thread + half * A.b];
    }
    const long long i = blockIdx.x * (long long)A.b + thread; /* row, for part 0 */
    if (part == 0 && i < A.n_rows) y[i] = sums[thread];
}

void spmv_sellp(spw_sellp A, const double *x, double *y)
{
    const int threads = A.b * A.t;
    if (A.n_slices > 0) sellp_slice<<<A.n_slices, threads, threads * sizeof(double)>>>(A, x, y);
}

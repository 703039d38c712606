#include "sell_p.h"

#include <cuda_runtime.h>

/* 1. Convert, on the host: fill S->slice_ptr, S->col_idx and S->val; the sizes in S are set.
 * Entry j of row r of slice s is at slice_ptr[s] + j*b + r. A slice is as long as its longest row, rounded
 * up to a multiple of t. Padding: value 0, the row's last column (0 in an empty row). */
void csr_to_sellp(const spw_csr *A, const spw_sellp *S) {
    /* SOLUTION your code here */
    S->slice_ptr[0] = 0;
    for (spw_idx s = 0; s < S->n_slices; s++) {
        spw_idx longest = 0;
        for (spw_idx i = s * S->b; i < (s + 1) * S->b && i < A->n_rows; i++) {
            const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
            if (length > longest) longest = length;
        }
        const spw_idx length = (longest + S->t - 1) / S->t * S->t;
        S->slice_ptr[s + 1] = S->slice_ptr[s] + length * S->b;

        for (spw_idx r = 0; r < S->b; r++) {
            const spw_idx i = s * S->b + r;
            const spw_idx begin = i < A->n_rows ? A->row_ptr[i] : 0;
            const spw_idx end = i < A->n_rows ? A->row_ptr[i + 1] : 0;
            spw_idx column = 0;
            for (spw_idx j = 0; j < length; j++) {
                const spw_idx at = S->slice_ptr[s] + j * S->b + r;
                const bool is_entry = begin + j < end;
                if (is_entry) column = A->col_idx[begin + j];
                S->col_idx[at] = column;
                S->val[at] = is_entry ? A->val[begin + j] : 0;
            }
        }
    }
    /* END */
}

/* 2. Predict. What must one product move at least, and compute? Bytes loaded, bytes stored, flops:
 *     return {load, store, flop};
 * beta is the share of the stored entries that is no padding: nnz / n_stored. Write 12.0, not 12. */
spw_cost spmv_sellp_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_slices,
                         double beta) {
    /* SOLUTION your model here */
    return {12.0 * nnz / beta + 4 * (n_slices + 1.0) + 8.0 * n_cols, 8.0 * n_rows, 2.0 * nnz};
    /* END */
}

/* 3. Write. A block has b * t threads: thread number j*b + r has row r of the slice, and of that row the
 * entries j, j + t, j + 2t, ... The t sums of a row are added in shared memory. */

/* SOLUTION your kernel here: extern __shared__ double sums[]; has the size that the launch says */
static __global__ void sellp_slice(spw_sellp A, const double *x, double *y) {
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
/* END */

void spmv_sellp(spw_sellp A, const double *x, double *y) {
    /* SOLUTION your launch here: kernel<<<blocks, threads, bytes of shared memory>>>(...) */
    const int threads = A.b * A.t;
    if (A.n_slices > 0) sellp_slice<<<A.n_slices, threads, threads * sizeof(double)>>>(A, x, y);
    /* END */
}

#include "sell_p.h"

#include <cuda_runtime.h>

/* 1. Convert, on the host: fill S->slice_ptr, S->col_idx and S->val; the sizes in S are set.
 * Entry j of row r of slice s is at slice_ptr[s] + j*b + r. A slice is as long as its longest row, rounded
 * up to a multiple of t. Padding: value 0, the row's last column (0 in an empty row). */
void csr_to_sellp(const spw_csr *A, const spw_sellp *S) {
    /* your code here */
}

/* 2. Predict. What must one product move at least, and compute? Bytes loaded, bytes stored, flops:
 *     return {load, store, flop};
 * beta is the share of the stored entries that is no padding: nnz / n_stored. Write 12.0, not 12. */
spw_cost spmv_sellp_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_slices,
                         double beta) {
    /* your model here */
}

/* 3. Write. A block has b * t threads: thread number j*b + r has row r of the slice, and of that row the
 * entries j, j + t, j + 2t, ... The t sums of a row are added in shared memory. */

/* your kernel here: extern __shared__ double sums[]; has the size that the launch says */

void spmv_sellp(spw_sellp A, const double *x, double *y) {
    /* your launch here: kernel<<<blocks, threads, bytes of shared memory>>>(...) */
}

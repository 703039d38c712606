#include "kernels/spmv.h"

#include "base/threads.h"
#include "kernels/omp/csr_row.h"

#include <assert.h>

void spw_spmv_csr_omp_prefetch(const spw_csr *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel
    {
        const int64_t begin = spw_part_begin(A->n_rows, spw_thread(), spw_team_size());
        const int64_t end = spw_part_begin(A->n_rows, spw_thread() + 1, spw_team_size());
        spw_idx entry = A->row_ptr[begin];
        for (int64_t i = begin; i < end; i += SPW_ROW_GROUP) {
            const int64_t n = spw_row_group(i, end);
            double sums[SPW_ROW_GROUP];
            entry = spw_row_sums(n, A->row_ptr + i + 1, entry, A->val, A->col_idx, x, sums);
            for (int64_t r = 0; r < n; r++) y[i + r] = sums[r];
        }
    }
}

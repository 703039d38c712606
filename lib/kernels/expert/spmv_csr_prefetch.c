/* Rows by csr_row.h, which has the ideas. Speed of stencil27:90 against the plain loop: 1.38 (one thread,
 * AMD EPYC, family 26 model 2, 2 vCPU KVM virtual machine with
 * other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns). */
#include "kernels/spmv.h"

#include "base/threads.h"
#include "kernels/expert/csr_row.h"

#include <assert.h>

void spw_spmv_csr_omp_prefetch(const spw_csr *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel
    {
        const int64_t begin = spw_part_begin(A->n_rows, spw_thread(), spw_team_size());
        const int64_t end = spw_part_begin(A->n_rows, spw_thread() + 1, spw_team_size());
        spw_row_products(begin, end, A->row_ptr[begin], A->row_ptr, A->val, A->col_idx, x, y);
    }
}

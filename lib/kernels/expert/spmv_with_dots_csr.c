/* Each row by csr_row.h, and its part of the two sums while it is in registers. That saves two passes: 16 n
 * bytes and, unless w is x, 8 n more. */
#include "kernels/spmv_with_dots.h"

#include "base/threads.h"
#include "kernels/expert/csr_row.h"
#include "kernels/expert/sums.h"
#include "kernels/schedule/partition.h"

#include <assert.h>

/* Not inlined into the parallel region, so that what the loop over rows needs stays in registers: 0.79 of
 * the time for stencil27:90, 0.97 for laplace3d:120 (one thread, AMD EPYC, family 26 model 2, 2 vCPU KVM virtual
 * machine with other work on it, gcc 12.2, 2026-11-22; medians of 7 ratios). */
static __attribute__((noinline)) spw_sums multiply(const spw_csr *A, spw_idx begin, spw_idx end,
                                                   const double *x, const double *w, double *y) {
    const spw_idx *row_ptr = A->row_ptr, *col_idx = A->col_idx;
    const double *val = A->val;
    double w_y = 0, y_y = 0;
    spw_idx entry = row_ptr[begin];
    for (int64_t i = begin; i < end; i += SPW_ROW_GROUP) {
        const int64_t n = spw_row_group(i, end);
        double rows[SPW_ROW_GROUP];
        entry = spw_row_sums(n, row_ptr + i + 1, entry, val, col_idx, x, rows);
        for (int64_t r = 0; r < n; r++) {
            y[i + r] = rows[r];
            w_y += w[i + r] * rows[r];
            y_y += rows[r] * rows[r];
        }
    }
    return (spw_sums){w_y, y_y};
}

void spw_spmv_with_dots_csr_omp(const spw_csr *A, const double *x, const double *w, double *y,
                                double *w_y, double *y_y) {
    assert(A && A->n_rows == A->n_cols && w_y && y_y && (A->n_rows == 0 || (x && w && y)));
    spw_sums part[spw_max_threads()];
    int team = 1;
#pragma omp parallel
    {
        const int me = spw_thread(), of = spw_team_size();
        const spw_idx begin = (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, me, of);
        const spw_idx end = (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, me + 1, of);
        part[me] = multiply(A, begin, end, x, w, y);
        if (me == 0) team = of;
    }
    spw_sums_of(team, part, w_y, y_y);
}

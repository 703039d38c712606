#include "kernels/spmv_with_dots.h"

#include "base/threads.h"
#include "kernels/expert/csr_row.h"
#include "kernels/schedule/partition.h"

#include <assert.h>

/* A thread's sums, a cache line apart from those of others. */
typedef struct sums {
    _Alignas(64) double w_y, y_y;
} sums;

static sums multiply(const spw_csr *A, spw_idx begin, spw_idx end, const double *x, const double *w,
                     double *y)
{
    const spw_idx *row_ptr = A->row_ptr, *col_idx = A->col_idx;
    const double *val = A->val;
    sums s = {0, 0};
    spw_idx entry = row_ptr[begin];
    for (int64_t i = begin; i < end; i += SPW_ROW_GROUP) {
        const int64_t n = spw_row_group(i, end);
        double rows[SPW_ROW_GROUP];
        entry = spw_row_sums(n, row_ptr + i + 1, entry, val, col_idx, x, rows);
        for (int64_t r = 0; r < n; r++) {
            y[i + r] = rows[r];
            s.w_y += w[i + r] * rows[r];
            s.y_y += rows[r] * rows[r];
        }
    }
    return s;
}

void spw_spmv_with_dots_csr_omp(const spw_csr *A, const double *x, const double *w, double *y,
                                double *w_y, double *y_y)
{
    assert(A && A->n_rows == A->n_cols && w_y && y_y && (A->n_rows == 0 || (x && w && y)));
    sums part[spw_max_threads()];
    int team = 1;
#pragma omp parallel
    {
        const spw_idx begin =
            (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, spw_thread(), spw_team_size());
        const spw_idx end =
            (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, spw_thread() + 1, spw_team_size());
        part[spw_thread()] = multiply(A, begin, end, x, w, y);
        if (spw_thread() == 0) team = spw_team_size();
    }
    *w_y = *y_y = 0;
    for (int t = 0; t < team; t++) {
        *w_y += part[t].w_y;
        *y_y += part[t].y_y;
    }
}

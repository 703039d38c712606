#include "kernels/spmv_dots.h"

#include "base/threads.h"
#include "kernels/omp/csr_row.h"

#include <assert.h>

/* A thread's sums, a cache line apart from those of others. */
typedef struct sums {
    _Alignas(64) double w_y, y_y;
} sums;

/* The first row with part / parts of all entries and rows in front of it. */
static spw_idx cut_at(const spw_csr *A, int part, int parts)
{
    const int64_t goal = spw_part_begin((int64_t)A->nnz + A->n_rows, part, parts);
    spw_idx low = 0, high = A->n_rows;
    while (low < high) {
        const spw_idx middle = low + (high - low) / 2;
        if ((int64_t)A->row_ptr[middle] + middle < goal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static sums multiply(const spw_csr *A, spw_idx begin, spw_idx end, const double *x, const double *w,
                     double *y)
{
    const spw_idx *row_ptr = A->row_ptr, *col_idx = A->col_idx;
    const double *val = A->val;
    sums s = {0, 0};
    spw_idx entry = row_ptr[begin];
    for (spw_idx i = begin; i < end; i++) {
        const spw_idx next = row_ptr[i + 1];
        const double sum = spw_row_dot(next - entry, val + entry, col_idx + entry, x);
        y[i] = sum;
        s.w_y += w[i] * sum;
        s.y_y += sum * sum;
        entry = next;
    }
    return s;
}

void spw_spmv_dots_csr_omp(const spw_csr *A, const double *x, const double *w, double *y,
                           double *w_y, double *y_y)
{
    assert(A && A->n_rows == A->n_cols && w_y && y_y && (A->n_rows == 0 || (x && w && y)));
    sums part[spw_max_threads()];
    int team = 1;
#pragma omp parallel
    {
        const spw_idx begin = cut_at(A, spw_thread(), spw_team_size());
        const spw_idx end = cut_at(A, spw_thread() + 1, spw_team_size());
        part[spw_thread()] = multiply(A, begin, end, x, w, y);
        if (spw_thread() == 0) team = spw_team_size();
    }
    *w_y = *y_y = 0;
    for (int t = 0; t < team; t++) {
        *w_y += part[t].w_y;
        *y_y += part[t].y_y;
    }
}

#include "kernels/spmv_dot.h"

#include "base/threads.h"
#include "kernels/expert/slice_pairs.h"

#include <assert.h>

/* Stored row k of a matrix of any C. */
static double row_sum(const spw_sell *A, int64_t k, const double *x)
{
    const int64_t chunk = k / A->C, end = A->chunk_ptr[chunk + 1];
    double sum = 0;
    for (int64_t at = A->chunk_ptr[chunk] + k % A->C; at < end; at += A->C)
        sum += A->val[at] * x[A->col_idx[at]];
    return sum;
}

static double row_after_row(const spw_sell *A, const double *x, double *y)
{
    const int parts = spw_max_threads();
    double products[parts], product = 0;
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        double mine = 0;
        const int64_t last = spw_part_begin(A->n_rows, part + 1, parts);
        for (int64_t k = spw_part_begin(A->n_rows, part, parts); k < last; k++) {
            const double sum = row_sum(A, k, x);
            y[A->perm[k]] = sum;
            mine += x[A->perm[k]] * sum;
        }
        products[part] = mine;
    }
    for (int part = 0; part < parts; part++) product += products[part];
    return product;
}

double spw_spmv_dot_sell_omp(const spw_sell *A, const double *x, double *y)
{
    assert(A && A->n_rows == A->n_cols && ((x && y) || A->n_rows == 0));
    const spw_sliced S = spw_sliced_from_sell(A);
    return spw_sliced_fits(A->C) ? spw_sliced_multiply(&S, x, x, y).w_y : row_after_row(A, x, y);
}

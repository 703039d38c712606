#include "kernels/spmv_dot.h"

#include "base/threads.h"
#include "kernels/omp/csr_row.h"

#include <assert.h>

double spw_spmv_dot_csr_omp(const spw_csr *A, const double *x, double *y)
{
    assert(A && A->n_rows == A->n_cols && ((x && y) || A->n_rows == 0));
    const int parts = spw_max_threads();
    double products[parts], product = 0;
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        double mine = 0; /* not in the array: there the threads would share a cache line */
        const int64_t last = spw_part_begin(A->n_rows, part + 1, parts);
        for (int64_t i = spw_part_begin(A->n_rows, part, parts); i < last; i++) {
            const spw_idx begin = A->row_ptr[i], end = A->row_ptr[i + 1];
            const double sum = spw_row_dot(end - begin, A->val + begin, A->col_idx + begin, x);
            y[i] = sum;
            mine += x[i] * sum;
        }
        products[part] = mine;
    }
    for (int part = 0; part < parts; part++) product += products[part];
    return product;
}

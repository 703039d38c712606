#include "kernels/spmv_dot.h"

#include "base/threads.h"
#include "kernels/expert/csr_row.h"

#include <assert.h>

double spw_spmv_dot_csr_omp(const spw_csr *A, const double *x, double *y)
{
    assert(A && A->n_rows == A->n_cols && ((x && y) || A->n_rows == 0));
    const int parts = spw_max_threads();
    double products[parts], product = 0;
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        double mine = 0; /* not in the array: there the threads would share a cache line */
        const int64_t first = spw_part_begin(A->n_rows, part, parts);
        const int64_t last = spw_part_begin(A->n_rows, part + 1, parts);
        spw_idx entry = A->row_ptr[first];
        for (int64_t i = first; i < last; i += SPW_ROW_GROUP) {
            const int64_t n = spw_row_group(i, last);
            double sums[SPW_ROW_GROUP];
            entry = spw_row_sums(n, A->row_ptr + i + 1, entry, A->val, A->col_idx, x, sums);
            for (int64_t r = 0; r < n; r++) {
                y[i + r] = sums[r];
                mine += x[i + r] * sums[r];
            }
        }
        products[part] = mine;
    }
    for (int part = 0; part < parts; part++) product += products[part];
    return product;
}

/* Exercise 7: a matrix on which sorting pays, for the judge and for the command that draws its plot.
 *
 * n rows of 1 to 15 entries, 8 on average, no row like its neighbour: every other column of a band
 * around the diagonal. The same for every call.
 *   SPW_ERR_ARG     fewer than 30 rows
 *   SPW_ERR_RANGE   more than SPW_IDX_MAX entries
 *   SPW_ERR_MEMORY  no room */
#ifndef UNEVEN_H
#define UNEVEN_H

#include "base/random.h"
#include "formats/csr.h"

static inline spw_status uneven_matrix(int n, spw_csr *A)
{
    enum { LONGEST = 15, SEED = 7 };
    if (n < 2 * LONGEST)
        return spw_error(SPW_ERR_ARG, "uneven:%d: at least %d rows", n, 2 * LONGEST);
    int64_t nnz = 0;
    for (int i = 0; i < n; i++) nnz += 1 + spw_random_below(SEED, (uint64_t)i, LONGEST);
    const spw_status status = spw_csr_create(n, n, nnz, A);
    if (status) return status;
    A->row_ptr[0] = 0;
    for (int i = 0; i < n; i++)
        A->row_ptr[i + 1] =
            A->row_ptr[i] + 1 + (spw_idx)spw_random_below(SEED, (uint64_t)i, LONGEST);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        const int length = A->row_ptr[i + 1] - A->row_ptr[i], most = n - 2 * length;
        const int first = i < length ? 0 : i - length < most ? i - length : most;
        for (int j = 0; j < length; j++) {
            const spw_idx k = A->row_ptr[i] + j;
            A->col_idx[k] = first + 2 * j;
            A->val[k] = spw_random_double(SEED + 1, (uint64_t)k) - 0.5;
        }
    }
    return SPW_OK;
}

#endif

#include "kit/uneven.h"

#include "base/random.h"

enum { LONGEST = 15, LENGTH_SEED = 7, VALUE_SEED = 8 };

static spw_idx length_of(spw_idx i)
{
    return 1 + (spw_idx)spw_random_below(LENGTH_SEED, (uint64_t)i, LONGEST);
}

spw_status spw_csr_uneven(spw_idx n, spw_csr *A)
{
    *A = (spw_csr){0};
    if (n < 2 * LONGEST)
        return spw_error(SPW_ERR_ARG, "uneven: %d rows, must be at least %d", n, 2 * LONGEST);
    int64_t nnz = 0;
    for (spw_idx i = 0; i < n; i++) nnz += length_of(i);
    const spw_status status = spw_csr_create(n, n, nnz, A);
    if (status) return status;
    A->row_ptr[0] = 0;
    for (spw_idx i = 0; i < n; i++) A->row_ptr[i + 1] = A->row_ptr[i] + length_of(i);
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < n; i++) {
        const spw_idx begin = A->row_ptr[i], length = A->row_ptr[i + 1] - begin;
        const spw_idx right = n - 2 * length; /* the band ends at the last column */
        const spw_idx first = i < length ? 0 : i - length < right ? i - length : right;
        for (spw_idx j = 0; j < length; j++) {
            A->col_idx[begin + j] = first + 2 * j;
            A->val[begin + j] = spw_random_double(VALUE_SEED, (uint64_t)(begin + j)) - 0.5;
        }
    }
    return SPW_OK;
}

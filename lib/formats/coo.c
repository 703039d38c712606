#include "formats/coo.h"

#include "base/memory.h"
#include "formats/sizes.h"

#include <inttypes.h>

spw_status spw_coo_create(int64_t n_rows, int64_t n_cols, int64_t nnz, spw_coo *A) {
    *A = (spw_coo){0};
    spw_status status = spw_check_sizes(n_rows, n_cols, nnz);
    if (status) return status;

    spw_coo B = {.n_rows = (spw_idx)n_rows, .n_cols = (spw_idx)n_cols, .nnz = (spw_idx)nnz};
    /* The three arrays together: each of them might fit alone. */
    status = spw_memory_check("a COO matrix", spw_coo_bytes(&B));
    if (!status) status = SPW_ALLOC(&B.row_idx, nnz);
    if (!status) status = SPW_ALLOC(&B.col_idx, nnz);
    if (!status) status = SPW_ALLOC(&B.val, nnz);
    if (status)
        spw_coo_destroy(&B);
    else
        *A = B;
    return status;
}

spw_status spw_coo_validate(const spw_coo *A) {
    if (A->n_rows < 0 || A->n_cols < 0 || A->nnz < 0)
        return spw_error(SPW_ERR_ARG, "COO: n_rows is %d, n_cols %d, nnz %d: none may be negative",
                         A->n_rows, A->n_cols, A->nnz);
    if (A->nnz > 0 && (!A->row_idx || !A->col_idx || !A->val))
        return spw_error(SPW_ERR_ARG, "COO: nnz is %d, but an array is NULL", A->nnz);

    int64_t first = A->nnz;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t k = 0; k < A->nnz; k++) {
        const int outside = A->row_idx[k] < 0 || A->row_idx[k] >= A->n_rows || A->col_idx[k] < 0 ||
                            A->col_idx[k] >= A->n_cols;
        if (outside && k < first) first = k;
    }
    if (first < A->nnz)
        return spw_error(SPW_ERR_ARG,
                         "COO: entry %" PRId64 " is at row %d, column %d of a %d x %d matrix",
                         first, A->row_idx[first], A->col_idx[first], A->n_rows, A->n_cols);
    return SPW_OK;
}

void spw_coo_destroy(spw_coo *A) {
    if (!A) return;
    spw_free(A->row_idx);
    spw_free(A->col_idx);
    spw_free(A->val);
    *A = (spw_coo){0};
}

int64_t spw_coo_bytes(const spw_coo *A) {
    return (int64_t)A->nnz * (int64_t)(2 * sizeof(spw_idx) + sizeof(double));
}

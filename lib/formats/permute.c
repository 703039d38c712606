#include "formats/permute.h"

#include "base/memory.h"
#include "formats/coo.h"

#include <stddef.h>

/* inverse[order[i]] = i */
static spw_status invert(spw_idx n, const spw_idx *order, spw_idx **inverse) {
    const spw_status status = SPW_ALLOC(inverse, n);
    if (status) return status;
    for (spw_idx i = 0; i < n; i++) (*inverse)[i] = -1;
    for (spw_idx i = 0; i < n; i++) {
        const spw_idx k = order[i];
        if (k < 0 || k >= n || (*inverse)[k] >= 0)
            return spw_error(SPW_ERR_ARG,
                             "an order of %d: number %d is %d, which is outside or comes twice", n,
                             i, k);
        (*inverse)[k] = i;
    }
    return SPW_OK;
}

static void renumber(int64_t n, const spw_idx *new_number, spw_idx *numbers) {
    if (!new_number) return;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) numbers[k] = new_number[numbers[k]];
}

spw_status spw_csr_permute(const spw_csr *A, const spw_idx *row_order, const spw_idx *col_order,
                           spw_csr *B) {
    spw_idx *new_row = NULL, *new_col = NULL;
    spw_coo C;
    *B = (spw_csr){0};
    spw_status status = spw_coo_from_csr(A, &C);
    if (!status && row_order) status = invert(A->n_rows, row_order, &new_row);
    if (!status && col_order) status = invert(A->n_cols, col_order, &new_col);
    if (!status) {
        renumber(C.nnz, new_row, C.row_idx);
        renumber(C.nnz, new_col, C.col_idx);
        status = spw_csr_from_coo(&C, B);
    }
    spw_coo_destroy(&C);
    spw_free(new_row);
    spw_free(new_col);
    return status;
}

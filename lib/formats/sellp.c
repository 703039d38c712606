#include "formats/sellp.h"

#include "base/memory.h"
#include "formats/slices.h"

#include <stddef.h>

static spw_slices slices(const spw_sellp *S) {
    return (spw_slices){.n_rows = S->n_rows,
                        .n_cols = S->n_cols,
                        .C = S->b,
                        .n_slices = S->n_slices,
                        .slice_ptr = S->slice_ptr,
                        .row_len = S->row_len,
                        .col_idx = S->col_idx,
                        .val = S->val,
                        .n_stored = S->n_stored};
}

spw_status spw_sellp_from_csr(const spw_csr *A, spw_idx b, spw_idx t, spw_sellp *S) {
    *S = (spw_sellp){0};
    if (b < 1 || t < 1)
        return spw_error(SPW_ERR_ARG, "SELL-P: b is %d and t is %d, both must be at least 1", b, t);

    spw_sellp B = {.n_rows = A->n_rows,
                   .n_cols = A->n_cols,
                   .nnz = A->nnz,
                   .b = b,
                   .t = t,
                   .n_slices = (spw_idx)(((int64_t)A->n_rows + b - 1) / b)};
    spw_status status = SPW_ALLOC(&B.slice_ptr, (int64_t)B.n_slices + 1);
    if (!status) status = SPW_ALLOC(&B.row_len, B.n_rows);
    if (!status) status = spw_slices_lay_out(A, NULL, b, B.n_slices, t, B.slice_ptr, "SELL-P");
    if (!status) {
        B.n_stored = B.slice_ptr[B.n_slices];
        status = spw_memory_check("a SELL-P matrix", spw_sellp_bytes(&B));
    }
    if (!status) status = SPW_ALLOC(&B.col_idx, B.n_stored);
    if (!status) status = SPW_ALLOC(&B.val, B.n_stored);
    if (status) {
        spw_sellp_destroy(&B);
        return status;
    }
    const spw_slices inside = slices(&B);
    spw_slices_fill(A, &inside);
    *S = B;
    return SPW_OK;
}

void spw_sellp_destroy(spw_sellp *S) {
    if (!S) return;
    spw_free(S->slice_ptr);
    spw_free(S->row_len);
    spw_free(S->col_idx);
    spw_free(S->val);
    *S = (spw_sellp){0};
}

int64_t spw_sellp_bytes(const spw_sellp *S) {
    return (int64_t)S->n_stored * (int64_t)(sizeof(spw_idx) + sizeof(double)) +
           ((int64_t)S->n_slices + 1) * (int64_t)sizeof(spw_idx);
}

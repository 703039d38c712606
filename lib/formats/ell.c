#include "formats/ell.h"

#include "base/memory.h"
#include "formats/slices.h"

static spw_slices slices(const spw_ell *E) {
    return (spw_slices){.n_rows = E->n_rows,
                        .n_cols = E->n_cols,
                        .C = E->n_rows,
                        .n_slices = E->n_rows > 0,
                        .row_len = E->row_len,
                        .col_idx = E->col_idx,
                        .val = E->val,
                        .n_stored = E->n_stored};
}

spw_status spw_ell_from_csr(const spw_csr *A, spw_ell *E) {
    spw_idx width = 0;
    *E = (spw_ell){0};
#pragma omp parallel for schedule(static) reduction(max : width)
    for (int64_t i = 0; i < A->n_rows; i++) {
        const spw_idx n = A->row_ptr[i + 1] - A->row_ptr[i];
        if (n > width) width = n;
    }
    const int64_t n_stored = (int64_t)width * A->n_rows;
    if (n_stored > SPW_IDX_MAX) return spw_error_padding("ELL", A->nnz, (double)n_stored);

    spw_ell B = {.n_rows = A->n_rows,
                 .n_cols = A->n_cols,
                 .nnz = A->nnz,
                 .width = width,
                 .n_stored = (spw_idx)n_stored};
    spw_status status = spw_memory_check("an ELL matrix", spw_ell_bytes(&B));
    if (!status) status = SPW_ALLOC(&B.row_len, B.n_rows);
    if (!status) status = SPW_ALLOC(&B.col_idx, n_stored);
    if (!status) status = SPW_ALLOC(&B.val, n_stored);
    if (status) {
        spw_ell_destroy(&B);
        return status;
    }
    const spw_slices S = slices(&B);
    spw_slices_fill(A, &S);
    *E = B;
    return SPW_OK;
}

void spw_ell_destroy(spw_ell *E) {
    if (!E) return;
    spw_free(E->row_len);
    spw_free(E->col_idx);
    spw_free(E->val);
    *E = (spw_ell){0};
}

int64_t spw_ell_bytes(const spw_ell *E) {
    return (int64_t)E->n_stored * (int64_t)(sizeof(spw_idx) + sizeof(double));
}

#include "solvers/cholesky.h"

#include "base/memory.h"

#include <cholmod.h>
#include <inttypes.h>
#include <string.h>

/* CHOLMOD's columns are our rows: A is symmetric, and the columns of L are the rows of its transpose. */
static cholmod_sparse view_of(const spw_csr *A) {
    return (cholmod_sparse){.nrow = (size_t)A->n_rows,
                            .ncol = (size_t)A->n_rows,
                            .nzmax = (size_t)A->nnz,
                            .p = A->row_ptr,
                            .i = A->col_idx,
                            .x = A->val,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

/* One entry at a time, so that no kernel of dense blocks is needed, and no threads beside ours. */
static void begin(cholmod_common *c) {
    cholmod_start(c);
    c->print = 0;
    c->supernodal = CHOLMOD_SIMPLICIAL;
    c->final_ll = 1;
    c->quick_return_if_not_posdef = 1;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_AMD;
}

static spw_status failure(const cholmod_common *c, const cholmod_factor *L, spw_idx n) {
    if (c->status == CHOLMOD_OUT_OF_MEMORY)
        return spw_error(SPW_ERR_MEMORY, "cholesky: no room for the factor of %" PRId32 " rows", n);
    if (c->status == CHOLMOD_TOO_LARGE)
        return spw_error(SPW_ERR_RANGE, "cholesky: the factor has more than %" PRId32 " entries",
                         SPW_IDX_MAX);
    if (L && L->minor < (size_t)n)
        return spw_error(SPW_ERR_ARG,
                         "cholesky: the matrix is not positive definite: the pivot of row %d is "
                         "not positive",
                         ((const int *)L->Perm)[L->minor]);
    return spw_error(SPW_ERR_ARG, "cholesky: CHOLMOD gave up with its status %d", c->status);
}

static spw_status take_over(const cholmod_factor *L, spw_csr *Lt, spw_idx **order) {
    const spw_idx n = (spw_idx)L->n, nnz = ((const int *)L->p)[n];
    spw_status status = SPW_ALLOC(order, n);
    if (!status) status = spw_csr_create(n, n, nnz, Lt);
    if (status) return status;
    memcpy(*order, L->Perm, sizeof **order * (size_t)n);
    memcpy(Lt->row_ptr, L->p, sizeof *Lt->row_ptr * ((size_t)n + 1));
    memcpy(Lt->col_idx, L->i, sizeof *Lt->col_idx * (size_t)nnz);
    memcpy(Lt->val, L->x, sizeof *Lt->val * (size_t)nnz);
    return SPW_OK;
}

spw_status spw_cholesky(const spw_csr *A, spw_csr *Lt, spw_idx **order, double *flop) {
    cholmod_common c;
    cholmod_sparse view = view_of(A);
    *Lt = (spw_csr){0};
    *order = NULL;
    *flop = 0;
    begin(&c);
    cholmod_factor *L = cholmod_analyze(&view, &c);
    if (L) cholmod_factorize(&view, L, &c);
    spw_status status =
        L && c.status == CHOLMOD_OK && L->minor == L->n ? SPW_OK : failure(&c, L, A->n_rows);
    if (!status && !cholmod_change_factor(CHOLMOD_REAL, 1, 0, 1, 1, L, &c)) /* LLᵀ, without gaps */
        status = failure(&c, NULL, A->n_rows);
    if (!status) status = take_over(L, Lt, order);
    if (!status) *flop = c.fl;
    cholmod_free_factor(&L, &c);
    cholmod_finish(&c);
    if (status) {
        spw_csr_destroy(Lt);
        spw_free(*order);
        *order = NULL;
    }
    return status;
}

/* expect CORRECT: X was read and Y written column-major */
/* nv vectors one after the other, as in nv calls of SpMV. */
#include "spmm.h"

spw_cost spmm_csr_cost(const spw_csr *A, spw_idx nv)
{
    return (spw_cost){.load = 12.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * nv * A->n_cols,
                      .store = 8.0 * nv * A->n_rows,
                      .flop = 2.0 * nv * A->nnz};
}

spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv)
{
    return (spw_cost){.load = 12.0 * S->n_stored + 4.0 * (S->n_slices + 1.0) + 8.0 * nv * S->n_cols,
                      .store = 8.0 * nv * S->n_rows,
                      .flop = 2.0 * nv * S->nnz};
}

void spmm_csr(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y, int64_t ldy)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        for (spw_idx v = 0; v < nv; v++) Y[v * (int64_t)A->n_rows + i] = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            for (spw_idx v = 0; v < nv; v++)
                Y[v * (int64_t)A->n_rows + i] +=
                    A->val[k] * X[v * (int64_t)A->n_cols + A->col_idx[k]];
    }
}

void spmm_sellp(const spw_sellp *S, spw_idx nv, const double *X, int64_t ldx, double *Y,
                int64_t ldy)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < S->n_rows; i++) {
        const spw_idx begin = S->slice_ptr[i / S->b] + i % S->b, end = S->slice_ptr[i / S->b + 1];
        for (spw_idx v = 0; v < nv; v++) Y[i * ldy + v] = 0;
        for (spw_idx k = begin; k < end; k += S->b)
            for (spw_idx v = 0; v < nv; v++)
                Y[i * ldy + v] += S->val[k] * X[S->col_idx[k] * ldx + v];
    }
}

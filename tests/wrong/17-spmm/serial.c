/* expect FAST: One thread did the work */
/* No pragma in the product with SELL-P: one core cannot draw what the memory gives. */
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

static inline void tile(int width, spw_idx n, spw_idx step, const double *val,
                        const spw_idx *col_idx, const double *X, int64_t ldx, double *y)
{
    double sum[16] = {0};
    for (spw_idx k = 0; k < n; k++)
        for (int v = 0; v < width; v++) sum[v] += val[k * step] * X[col_idx[k * step] * ldx + v];
    for (int v = 0; v < width; v++) y[v] = sum[v];
}

static void row(spw_idx nv, spw_idx n, spw_idx step, const double *val, const spw_idx *col_idx,
                const double *X, int64_t ldx, double *y)
{
    spw_idx v = 0;
    for (; v + 16 <= nv; v += 16) tile(16, n, step, val, col_idx, X + v, ldx, y + v);
    for (; v < nv; v++) tile(1, n, step, val, col_idx, X + v, ldx, y + v);
}

void spmm_csr(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y, int64_t ldy)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx begin = A->row_ptr[i], n = A->row_ptr[i + 1] - begin;
        row(nv, n, 1, A->val + begin, A->col_idx + begin, X, ldx, Y + i * ldy);
    }
}

void spmm_sellp(const spw_sellp *S, spw_idx nv, const double *X, int64_t ldx, double *Y,
                int64_t ldy)
{
    for (int64_t i = 0; i < S->n_rows; i++) {
        const int64_t at = S->slice_ptr[i / S->b] + i % S->b;
        const spw_idx length = (S->slice_ptr[i / S->b + 1] - S->slice_ptr[i / S->b]) / S->b;
        row(nv, length, S->b, S->val + at, S->col_idx + at, X, ldx, Y + i * ldy);
    }
}

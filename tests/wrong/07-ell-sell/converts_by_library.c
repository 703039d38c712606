/* expect BUILD: calls spw_sell_from_csr */
/* The conversion of the library. */
#include "ell_sell.h"

#include <string.h>

double sell_beta(const spw_csr *A, spw_idx C)
{
    double stored = 0;
    for (spw_idx first = 0; first < A->n_rows; first += C) {
        spw_idx longest = 0;
        for (spw_idx i = first; i < first + C && i < A->n_rows; i++)
            if (A->row_ptr[i + 1] - A->row_ptr[i] > longest)
                longest = A->row_ptr[i + 1] - A->row_ptr[i];
        stored += (double)longest * C;
    }
    return stored > 0 ? A->nnz / stored : 1;
}

void csr_to_sell(const spw_csr *A, const spw_sell *S)
{
    spw_sell R;
    if (spw_sell_from_csr(A, S->C, S->sigma, &R)) return;
    memcpy(S->perm, R.perm, (size_t)R.n_rows * sizeof *R.perm);
    memcpy(S->chunk_ptr, R.chunk_ptr, (size_t)(R.n_chunks + 1) * sizeof *R.chunk_ptr);
    memcpy(S->col_idx, R.col_idx, (size_t)R.n_stored * sizeof *R.col_idx);
    memcpy(S->val, R.val, (size_t)R.n_stored * sizeof *R.val);
    spw_sell_destroy(&R);
}

spw_cost spmv_sell_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_chunks, double beta)
{
    return (spw_cost){
        .load = 12.0 * nnz / beta + 4.0 * (n_chunks + 1.0) + 4.0 * n_rows + 8.0 * n_cols,
        .store = 8.0 * n_rows,
        .flop = 2.0 * nnz,
    };
}

void spmv_sell(const spw_sell *S, const double *x, double *y)
{
    const spw_idx C = S->C;
#pragma omp parallel for schedule(static)
    for (spw_idx c = 0; c < S->n_chunks; c++) {
        double sum[MAX_C];
        for (spw_idx r = 0; r < C; r++) sum[r] = 0;
        for (spw_idx at = S->chunk_ptr[c]; at < S->chunk_ptr[c + 1]; at += C) {
            const double *val = S->val + at;
            const spw_idx *col = S->col_idx + at;
#pragma omp simd
            for (spw_idx r = 0; r < C; r++) sum[r] += val[r] * x[col[r]];
        }
        for (spw_idx r = 0; r < C && c * C + r < S->n_rows; r++) y[S->perm[c * C + r]] = sum[r];
    }
}

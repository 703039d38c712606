/* expect CORRECT: the window has sigma rows, it is neither */
/* sigma is forgotten. beta is the best there is, and x is read from everywhere. */
#include "ell_sell.h"

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
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
        spw_idx k = i;
        for (; k > 0; k--) {
            const spw_idx before = S->perm[k - 1];
            if (A->row_ptr[before + 1] - A->row_ptr[before] >= length) break;
            S->perm[k] = before;
        }
        S->perm[k] = i;
    }

    S->chunk_ptr[0] = 0;
    for (spw_idx c = 0; c < S->n_chunks; c++) {
        const spw_idx first = c * S->C, begin = S->chunk_ptr[c];
        spw_idx longest = 0;
        for (spw_idx k = first; k < first + S->C && k < A->n_rows; k++) {
            const spw_idx i = S->perm[k], length = A->row_ptr[i + 1] - A->row_ptr[i];
            if (length > longest) longest = length;
        }
        S->chunk_ptr[c + 1] = begin + longest * S->C;

        for (spw_idx r = 0; r < S->C; r++) {
            spw_idx at = begin + r, column = 0;
            if (first + r < A->n_rows) {
                const spw_idx i = S->perm[first + r];
                for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++, at += S->C) {
                    S->col_idx[at] = column = A->col_idx[k];
                    S->val[at] = A->val[k];
                }
            }
            for (; at < S->chunk_ptr[c + 1]; at += S->C) {
                S->col_idx[at] = column;
                S->val[at] = 0;
            }
        }
    }
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

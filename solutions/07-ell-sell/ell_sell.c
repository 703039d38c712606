#include "ell_sell.h"

/* 1. Predict. Each chunk of C neighbouring rows is padded to its longest row. Which share of the stored
 * elements are entries of A? Nothing is sorted. The last chunk has C rows too, also where A has fewer.
 *   A  rows may be empty (lib/formats/csr.h); if nothing is stored, the share is 1
 *   C  1 or more; C = A->n_rows is ELL */
double sell_beta(const spw_csr *A, spw_idx C) {
    /* SOLUTION your code here */
    double stored = 0;
    for (spw_idx first = 0; first < A->n_rows; first += C) {
        spw_idx longest = 0;
        for (spw_idx i = first; i < first + C && i < A->n_rows; i++)
            if (A->row_ptr[i + 1] - A->row_ptr[i] > longest)
                longest = A->row_ptr[i + 1] - A->row_ptr[i];
        stored += (double)longest * C;
    }
    return stored > 0 ? A->nnz / stored : 1;
    /* END */
}

/* 2. Convert. All arrays of S have their room, and hold garbage (lib/formats/sell.h):
 *   perm       [n_rows]      stored row k is row perm[k] of A. In each window of sigma rows the longest
 *                            come first; rows of equal length keep their order. sigma = 1: perm[k] = k
 *   chunk_ptr  [n_chunks+1]  chunk c: elements chunk_ptr[c] .. chunk_ptr[c+1]-1
 *   col_idx    [n_stored]    padding repeats the last column of its row (0 if the row is empty)
 *   val        [n_stored]    padding is 0
 * Rows of the last chunk that A does not have are empty rows. One core is enough. */
void csr_to_sell(const spw_csr *A, const spw_sell *S) {
    /* SOLUTION your code here */
    /* Sort each window by insertion: a row moves up while the one before it is shorter. */
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx length = A->row_ptr[i + 1] - A->row_ptr[i];
        spw_idx k = i;
        for (; k % S->sigma > 0; k--) {
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
    /* END */
}

/* 3. Predict. What must one call of spmv_sell move at least, and compute?
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...};
 * nnz entries of A, and beta = nnz / stored elements. Write 12.0, not 12: bytes outgrow an int. */
spw_cost spmv_sell_cost(spw_idx n_rows, spw_idx n_cols, spw_idx nnz, spw_idx n_chunks,
                        double beta) {
    /* SOLUTION your model here */
    return (spw_cost){
        .load = 12.0 * nnz / beta + 4.0 * (n_chunks + 1.0) + 4.0 * n_rows + 8.0 * n_cols,
        .store = 8.0 * n_rows,
        .flop = 2.0 * nnz,
    };
    /* END */
}

/* 4. Write. y = A x, on all cores, with the C rows of a chunk side by side in vector registers.
 *   S  C is at most MAX_C; n_rows need not be a multiple of C
 *   x  [S->n_cols], does not overlap y
 *   y  [S->n_rows], in the order of A; overwritten: it holds garbage on entry */
void spmv_sell(const spw_sell *S, const double *x, double *y) {
    /* SOLUTION your code here */
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
    /* END */
}

#include "spmm.h"

/* 1. Predict. What must one call move at least, and compute? Fill in loads, stores (bytes) and flops:
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...};
 * A->nnz entries, A->n_rows rows, A->n_cols columns; write 12.0, not 12: bytes outgrow an int. */
spw_cost spmm_csr_cost(const spw_csr *A, spw_idx nv) {
    /* SOLUTION your model here */
    return (spw_cost){
        .load = 12.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * nv * A->n_cols,
        .store = 8.0 * nv * A->n_rows,
        .flop = 2.0 * nv * A->nnz,
    };
    /* END */
}

/* The same for SELL-P. S->n_stored entries with the padding, S->nnz without, S->n_slices slices. */
spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv) {
    /* SOLUTION your model here */
    return (spw_cost){
        .load = 12.0 * S->n_stored + 4.0 * (S->n_slices + 1.0) + 8.0 * nv * S->n_cols,
        .store = 8.0 * nv * S->n_rows,
        .flop = 2.0 * nv * S->nnz,
    };
    /* END */
}

/* SOLUTION */
enum { TILE = 16 }; /* vectors whose sums stay in registers: two of AVX-512, four of AVX2 */

/* y = a row of n entries, `step` apart, times `width` vectors. */
static inline void tile(int width, spw_idx n, spw_idx step, const double *val,
                        const spw_idx *col_idx, const double *X, int64_t ldx, double *y) {
    double sum[TILE] = {0};
    for (spw_idx k = 0; k < n; k++) {
        const double a = val[k * step], *x = X + col_idx[k * step] * ldx;
        for (int v = 0; v < width; v++) sum[v] += a * x[v];
    }
    for (int v = 0; v < width; v++) y[v] = sum[v];
}

/* Tiles of 16 and 4, and then of 1: in each call the width is a constant, so that the compiler keeps its
 * sums in registers. */
static void row(spw_idx nv, spw_idx n, spw_idx step, const double *val, const spw_idx *col_idx,
                const double *X, int64_t ldx, double *y) {
    spw_idx v = 0;
    for (; v + TILE <= nv; v += TILE) tile(TILE, n, step, val, col_idx, X + v, ldx, y + v);
    for (; v + 4 <= nv; v += 4) tile(4, n, step, val, col_idx, X + v, ldx, y + v);
    for (; v < nv; v++) tile(1, n, step, val, col_idx, X + v, ldx, y + v);
}
/* END */

/* 2. Write. Y[i * ldy + v] = sum over j of A[i][j] X[j * ldx + v], for every row i and vector v, on all
 * cores.
 *   X  [A->n_cols rows of ldx >= nv], does not overlap Y
 *   Y  [A->n_rows rows of ldy >= nv], overwritten: it holds garbage on entry; what lies between nv and
 *      ldy must stay */
void spmm_csr(const spw_csr *A, spw_idx nv, const double *X, int64_t ldx, double *Y, int64_t ldy) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx begin = A->row_ptr[i], n = A->row_ptr[i + 1] - begin;
        row(nv, n, 1, A->val + begin, A->col_idx + begin, X, ldx, Y + i * ldy);
    }
    /* END */
}

/* 3. The same for SELL-P: slice s has the rows s * b .. s * b + b - 1, the last slice perhaps fewer.
 * Entry j of row r of the slice is at slice_ptr[s] + j * b + r (lib/formats/sellp.h). */
void spmm_sellp(const spw_sellp *S, spw_idx nv, const double *X, int64_t ldx, double *Y,
                int64_t ldy) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (spw_idx s = 0; s < S->n_slices; s++) {
        const spw_idx begin = S->slice_ptr[s], length = (S->slice_ptr[s + 1] - begin) / S->b;
        for (spw_idx r = 0; r < S->b; r++) {
            const int64_t i = (int64_t)s * S->b + r;
            if (i == S->n_rows) break;
            row(nv, length, S->b, S->val + begin + r, S->col_idx + begin + r, X, ldx, Y + i * ldy);
        }
    }
    /* END */
}

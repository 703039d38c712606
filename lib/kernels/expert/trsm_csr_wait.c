/* As trsv_csr_wait.c for several vectors: an entry of the triangle is read once for PANEL of them, whose sums
 * stay in registers, and there is nv times as much to do between two waits.
 * The gain over one vector after the other was not measured. */
#include "kernels/trsv.h"

#include "kernels/expert/trsv_rows.h"

#include <assert.h>

enum { PANEL = 8 }; /* a line of cache of X, and one or two registers */

typedef struct blocks {
    int nv;
    const double *B;
    int64_t ldb;
    double *X;
    int64_t ldx;
} blocks;

/* Entry e times x, from the sums of columns `at` .. at+width-1. */
static inline __attribute__((always_inline)) void
subtract(const spw_triangle *T, spw_idx e, const blocks *v, int at, int width, double *sum) {
    const double value = T->val[e];
    const double *const x = v->X + T->col_idx[e] * v->ldx + at;
    for (int j = 0; j < width; j++) sum[j] -= value * x[j];
}

/* Columns `at` .. at+width-1 of stored row k, row i. */
static inline __attribute__((always_inline)) void panel(const spw_triangle *T, spw_idx k, spw_idx i,
                                                        const blocks *v, int at, int width) {
    const double scale = T->inverse ? T->inverse[i] : 1;
    double sum[SPW_TRSV_SUMS][PANEL] = {{0}}; /* as in trsv_rows.h */
    const spw_idx end = T->row_ptr[k + 1];
    spw_idx e = T->row_ptr[k];
    for (int j = 0; j < width; j++) sum[0][j] = v->B[i * v->ldb + at + j];
    for (; end - e > SPW_TRSV_SUMS; e += SPW_TRSV_SUMS) {
        spw_trsv_prefetch(T, e);
        for (int u = 0; u < SPW_TRSV_SUMS; u++) subtract(T, e + u, v, at, width, sum[u]);
    }
    for (int half = SPW_TRSV_SUMS / 2; half > 0; half /= 2)
        for (int u = 0; u < half; u++)
            for (int j = 0; j < width; j++) sum[u][j] += sum[u + half][j];
    for (; e < end; e++) subtract(T, e, v, at, width, sum[0]);
    for (int j = 0; j < width; j++) v->X[i * v->ldx + at + j] = sum[0][j] * scale;
}

static void rows(const spw_triangle *T, spw_idx begin, spw_idx end, const void *with) {
    const blocks *v = with;
    const int whole = v->nv - v->nv % PANEL;
    for (spw_idx k = begin; k < end; k++) {
        const spw_idx i = T->half == SPW_UPPER ? T->n - 1 - k : k;
        for (int at = 0; at < whole; at += PANEL) panel(T, k, i, v, at, PANEL);
        if (whole < v->nv) panel(T, k, i, v, whole, v->nv - whole);
    }
}

void spw_trsm_csr_omp_wait(const spw_triangle *T, int nv, const double *B, int64_t ldb, double *X,
                           int64_t ldx) {
    assert(T && nv >= 1 && ldb >= nv && ldx >= nv && (T->n == 0 || (B && X && T->share_ptr)));
    spw_trsv_wait(T, rows, &(blocks){nv, B, ldb, X, ldx});
}

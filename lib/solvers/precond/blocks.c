/* Block-Jacobi. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "perf/timer.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

enum { WITHOUT_STRUCTURE = 4, LARGEST_FOUND = 16, PANEL = 8 };

typedef struct blocks {
    spw_idx n;
    int b;
    spw_idx n_blocks;
    double *inverse; /* [n_blocks][b][b] */
} blocks;

static void apply(void *context, const double *x, double *y) {
    const blocks *B = context;
    const int b = B->b;
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < B->n_blocks; k++) {
        const spw_idx first = k * b;
        const int rows = B->n - first < b ? (int)(B->n - first) : b;
        const double *const inverse = B->inverse + (int64_t)k * b * b;
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int j = 0; j < rows; j++) sum += inverse[i * b + j] * x[first + j];
            y[first + i] = sum;
        }
    }
}

/* Columns in panels whose sums stay in registers. */
static inline __attribute__((always_inline)) void
row_panel(int rows, const double *inverse, const double *X, int64_t ldx, double *y, int width) {
    double sum[PANEL] = {0};
    for (int j = 0; j < rows; j++)
        for (int v = 0; v < width; v++) sum[v] += inverse[j] * X[j * ldx + v];
    for (int v = 0; v < width; v++) y[v] = sum[v];
}

static void apply_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                        int64_t ldy) {
    const blocks *B = context;
    const int b = B->b, whole = nv - nv % PANEL;
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < B->n_blocks; k++) {
        const int64_t first = (int64_t)k * b;
        const int rows = B->n - first < b ? (int)(B->n - first) : b;
        const double *const inverse = B->inverse + first * b, *const x = X + first * ldx;
        double *const y = Y + first * ldy;
        for (int i = 0; i < rows; i++) {
            const double *const row = inverse + i * b;
            for (int v = 0; v < whole; v += PANEL)
                row_panel(rows, row, x + v, ldx, y + i * ldy + v, PANEL);
            if (whole < nv) row_panel(rows, row, x + whole, ldx, y + i * ldy + whole, nv - whole);
        }
    }
}

static void destroy(void *context) {
    blocks *B = context;
    spw_free(B->inverse);
    spw_free(B);
}

/* --- the size ---------------------------------------------------------------------------------------------- */

/* Have all rows from `first` on, b of them, the same columns, in whole blocks? */
static bool is_block_row(const spw_csr *A, spw_idx first, int b) {
    const spw_idx begin = A->row_ptr[first], length = A->row_ptr[first + 1] - begin;
    if (length % b) return false;
    for (spw_idx k = 0; k < length; k++)
        if (A->col_idx[begin + k] % b != k % b) return false;
    for (int i = 1; i < b; i++) {
        const spw_idx row = A->row_ptr[first + i];
        if (A->row_ptr[first + i + 1] - row != length) return false;
        for (spw_idx k = 0; k < length; k++)
            if (A->col_idx[row + k] != A->col_idx[begin + k]) return false;
    }
    return true;
}

/* 1 where there is none. */
static int find_size(const spw_csr *A) {
    for (int b = LARGEST_FOUND; b > 1; b--) {
        spw_idx first = A->n_rows % b || A->n_rows == 0 ? -1 : 0;
        while (first >= 0 && first < A->n_rows) first = is_block_row(A, first, b) ? first + b : -1;
        if (first >= 0) return b;
    }
    return 1;
}

/* --- inverses ---------------------------------------------------------------------------------------------- */

/* The block of rows and columns first .. first+rows-1; what is outside of the matrix is the identity. */
static void read_block(const spw_csr *A, spw_idx first, int rows, int b, double *block) {
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) block[i * b + j] = i == j && i >= rows;
    for (int i = 0; i < rows; i++)
        for (spw_idx k = A->row_ptr[first + i]; k < A->row_ptr[first + i + 1]; k++)
            if (A->col_idx[k] >= first && A->col_idx[k] < first + rows)
                block[i * b + (A->col_idx[k] - first)] = A->val[k];
}

static void swap_rows(int b, double *matrix, int i, int j) {
    for (int k = 0; k < b; k++) {
        const double kept = matrix[i * b + k];
        matrix[i * b + k] = matrix[j * b + k];
        matrix[j * b + k] = kept;
    }
}

/* Gauss-Jordan with the largest pivot of each column; block is overwritten. All threads do this at the same
 * time on blocks of a few rows: a library call a block would take longer. False: singular to rounding. */
static bool invert(int b, double *block, double *inverse) {
    double largest = 0;
    for (int i = 0; i < b * b; i++) {
        largest = fmax(largest, fabs(block[i]));
        inverse[i] = i % b == i / b;
    }
    for (int c = 0; c < b; c++) {
        int p = c;
        for (int i = c + 1; i < b; i++)
            if (fabs(block[i * b + c]) > fabs(block[p * b + c])) p = i;
        const double scale = 1 / block[p * b + c];
        if (!(fabs(block[p * b + c]) > b * DBL_EPSILON * largest) || !isfinite(scale)) return false;
        swap_rows(b, block, c, p);
        swap_rows(b, inverse, c, p);
        for (int k = 0; k < b; k++) {
            block[c * b + k] *= scale;
            inverse[c * b + k] *= scale;
        }
        for (int i = 0; i < b; i++) {
            const double factor = block[i * b + c];
            if (i == c || factor == 0) continue;
            for (int k = 0; k < b; k++) {
                block[i * b + k] -= factor * block[c * b + k];
                inverse[i * b + k] -= factor * inverse[c * b + k];
            }
        }
    }
    return true;
}

/* The first block without an inverse, n_blocks if there is none. */
static spw_idx invert_all(const spw_csr *A, blocks *B) {
    const int b = B->b;
    spw_idx bad = B->n_blocks;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (spw_idx k = 0; k < B->n_blocks; k++) {
        double block[SPW_BLOCK_ROWS_MAX * SPW_BLOCK_ROWS_MAX];
        const spw_idx first = k * b;
        read_block(A, first, A->n_rows - first < b ? (int)(A->n_rows - first) : b, b, block);
        if (!invert(b, block, B->inverse + (int64_t)k * b * b) && k < bad) bad = k;
    }
    return bad;
}

static spw_status check(const spw_csr *A, int block) {
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG,
                         "bjacobi: the matrix is %" PRId32 " x %" PRId32 ", it must be square",
                         A->n_rows, A->n_cols);
    if (block < 0 || block > SPW_BLOCK_ROWS_MAX)
        return spw_error(SPW_ERR_ARG, "bjacobi: blocks of %d rows, must be 1 to %d, or 0: found",
                         block, SPW_BLOCK_ROWS_MAX);
    return SPW_OK;
}

spw_status spw_precond_bjacobi(const spw_csr *A, int block, spw_operator *M) {
    const double start = spw_now(), n = (double)A->n_rows;
    const int found = block == 0 && A->n_rows == A->n_cols ? find_size(A) : 1;
    const int b = block ? block : found > 1 ? found : WITHOUT_STRUCTURE;
    blocks *B = NULL;
    spw_idx bad;
    *M = (spw_operator){0};
    spw_status status = check(A, block);
    if (!status) status = SPW_ALLOC_ZERO(&B, 1);
    if (status) return status;
    *B = (blocks){.n = A->n_rows, .b = b, .n_blocks = (spw_idx)(((int64_t)A->n_rows + b - 1) / b)};
    status = SPW_ALLOC(&B->inverse, (int64_t)B->n_blocks * b * b);
    if (status) goto fail;
    bad = invert_all(A, B);
    if (bad < B->n_blocks) {
        status = spw_error(SPW_ERR_ARG,
                           "bjacobi: the block of rows %" PRId32 " to %" PRId32 " is singular",
                           bad * b, bad * b + b < B->n ? bad * b + b - 1 : B->n - 1);
        goto fail;
    }
    *M = (spw_operator){
        .name = "bjacobi",
        .n = B->n,
        .cost = {.load = 8 * n * b + 8 * n, .store = 8 * n, .flop = 2 * n * b},
        .write_allocate = 8 * n,
        .setup = {.load = (double)spw_csr_bytes(A), .store = 8 * n * b, .flop = 4 * n * b * b},
        .context = B,
        .apply = apply,
        .apply_block = apply_block,
        .further = {.load = 8 * n, .store = 8 * n, .flop = 2 * n * b},
        .destroy = destroy};
    snprintf(M->note, sizeof M->note, "blocks of %d row%s%s", b, b == 1 ? "" : "s",
             block       ? ""
             : found > 1 ? ", as found"
                         : ", as no structure was found");
    M->setup_seconds = spw_now() - start;
    return SPW_OK;
fail:
    destroy(B);
    return status;
}

/* expect FAST: dgemv */
#include "dense.h"

spw_cost dgemv_cost(int64_t m, int64_t n)
{
    return (spw_cost){.load = 8.0 * m * n + 8.0 * n, .store = 8.0 * m, .flop = 2.0 * m * n};
}

/* One thread, one sum: each addition waits for the one before. */
void dgemv(int64_t m, int64_t n, const double *A, int64_t lda, const double *x, double *y)
{
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += A[i * lda + j] * x[j];
        y[i] = sum;
    }
}

spw_cost dgemm_cost(int64_t m, int64_t n, int64_t k, int64_t edge)
{
    const double columns = (double)((n + edge - 1) / edge), rows = (double)((m + edge - 1) / edge);
    return (spw_cost){.load = 8.0 * m * k * columns + 8.0 * k * n * rows,
                      .store = 8.0 * m * n,
                      .flop = 2.0 * m * n * k};
}

double edge_at_knee(double P, double b)
{
    return 8 * P / b;
}

enum { ROWS = 4, COLS = 2 * VEC, DEPTH = 256, STRIP = 216 };

/* The panel without gaps, and with zeros for the columns that B lacks. */
static void copy_panel(int64_t depth, int64_t cols, const double *B, int64_t ldb, double *panel)
{
    for (int64_t p = 0; p < depth; p++) {
        for (int64_t j = 0; j < cols; j++) panel[p * COLS + j] = B[p * ldb + j];
        for (int64_t j = cols; j < COLS; j++) panel[p * COLS + j] = 0;
    }
}

static void tile(int64_t rows, int64_t cols, int64_t depth, const double *A, int64_t lda,
                 const double *panel, double *C, int64_t ldc, int adds)
{
    const double *a[ROWS];
    vec sum[ROWS][2] = {{{0}}};
    for (int r = 0; r < ROWS; r++) a[r] = A + (r < rows ? r : 0) * lda;
    for (int64_t p = 0; p < depth; p++) {
        const vec left = vec_load(panel + p * COLS), right = vec_load(panel + p * COLS + VEC);
        for (int r = 0; r < ROWS; r++) {
            sum[r][0] += a[r][p] * left;
            sum[r][1] += a[r][p] * right;
        }
    }
    for (int r = 0; r < rows; r++) {
        double row[COLS];
        vec_store(row, sum[r][0]);
        vec_store(row + VEC, sum[r][1]);
        for (int64_t j = 0; j < cols; j++) C[r * ldc + j] = (adds ? C[r * ldc + j] : 0) + row[j];
    }
}

void dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
           int64_t ldb, double *C, int64_t ldc)
{
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int64_t i = 0; i < m; i += STRIP)
        for (int64_t j = 0; j < n; j += COLS) {
            double panel[DEPTH * COLS];
            const int64_t rows = least(STRIP, m - i), cols = least(COLS, n - j);
            for (int64_t p = 0; p == 0 || p < k; p += DEPTH) {
                const int64_t depth = least(DEPTH, k - p);
                copy_panel(depth, cols, B + p * ldb + j, ldb, panel);
                for (int64_t r = 0; r < rows; r += ROWS)
                    tile(least(ROWS, rows - r), cols, depth, A + (i + r) * lda + p, lda, panel,
                         C + (i + r) * ldc + j, ldc, p > 0);
            }
        }
}
/* Three blockings, one for each level that holds something:
 *     registers  ROWS x COLS of C: ROWS + COLS doubles are loaded for 2 ROWS COLS flops
 *     L1         DEPTH x COLS of B, copied so that it is contiguous, used for all rows of the strip
 *     L2         STRIP x DEPTH of A, used for all panels of the block
 * Rows and columns that the last block lacks are computed on zeros, or on a row twice, and not stored. Source: K.
 * Goto, R. van de Geijn, ACM Trans. Math. Softw. 34(3), 12, 2008, doi:10.1145/1356052.1356053. We copy B only:
 * without copies of A it is shorter, and A is read along its rows anyway.
 * Speed of m = n = k = 600 against the plain loops: 3.8 (one thread, AMD EPYC, family 26 model 2, 2 vCPU KVM
 * virtual machine with other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns). */
#include "kernels/dense.h"

#include "kernels/expert/arrays.h"

#include <assert.h>
#include <stdbool.h>

/* As many sums as there are registers for, less those for B and for one element of A. */
enum { VECTORS = 3, ROWS = SPW_VEC_BYTES == 64 ? 8 : 4, COLS = VECTORS * SPW_VEC };
enum { DEPTH = 256, STRIP = 192 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void copy_panel(int64_t depth, int64_t cols, const double *B, int64_t ldb, double *panel) {
    for (int64_t p = 0; p < depth; p++) {
        for (int64_t j = 0; j < cols; j++) panel[p * COLS + j] = B[p * ldb + j];
        for (int64_t j = cols; j < COLS; j++) panel[p * COLS + j] = 0;
    }
}

/* C = or += A times panel, on at most ROWS x COLS of C. */
static void tile(int64_t rows, int64_t cols, int64_t depth, const double *A, int64_t lda,
                 const double *panel, double *C, int64_t ldc, bool adds) {
    const double *a[ROWS];
    spw_vec sum[ROWS][VECTORS] = {{{0}}};
    for (int r = 0; r < ROWS; r++) a[r] = A + (r < rows ? r : 0) * lda;
    for (int64_t p = 0; p < depth; p++) {
        spw_vec b[VECTORS];
        for (int v = 0; v < VECTORS; v++) b[v] = spw_vec_load_any(panel + p * COLS + v * SPW_VEC);
        for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < VECTORS; v++) sum[r][v] += a[r][p] * b[v];
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++)
            for (int64_t j = 0; j < SPW_VEC && v * SPW_VEC + j < cols; j++) {
                double *c = C + r * ldc + v * SPW_VEC + j;
                *c = (adds ? *c : 0) + sum[r][v][j];
            }
}

void spw_dgemm_omp_blocked(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda,
                           const double *B, int64_t ldb, double *C, int64_t ldc) {
    assert(m >= 0 && n >= 0 && k >= 0 && lda >= k && ldb >= n && ldc >= n);
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int64_t i = 0; i < m; i += STRIP)
        for (int64_t j = 0; j < n; j += COLS) {
            double panel[DEPTH * COLS] __attribute__((aligned(64)));
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

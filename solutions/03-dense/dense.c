#include "dense.h"

/* 1. Predict y = A x. Each array is moved once. Fill in loads and stores (bytes) and flops:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */
spw_cost dgemv_cost(int64_t m, int64_t n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 8.0 * m * n + 8.0 * n, .store = 8.0 * m, .flop = 2.0 * m * n};
    /* END */
}

/* 2. Write y = A x, on all cores. y holds garbage on entry. */
void dgemv(int64_t m, int64_t n, const double *A, int64_t lda, const double *x, double *y) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < m; i++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < n; j++) sum += A[i * lda + j] * x[j];
        y[i] = sum;
    }
    /* END */
}

/* 3. Predict C = A B, cut into blocks of edge x edge. The last blocks may be smaller. How often is A
 * loaded, how often B? Mind that m * n * k needs a double. */
spw_cost dgemm_cost(int64_t m, int64_t n, int64_t k, int64_t edge) {
    /* SOLUTION your model here */
    const double times_A = (double)((n + edge - 1) / edge);
    const double times_B = (double)((m + edge - 1) / edge);
    return (spw_cost){.load = 8.0 * m * k * times_A + 8.0 * k * n * times_B,
                      .store = 8.0 * m * n,
                      .flop = 2.0 * m * n * k};
    /* END */
}

/* 4. From which edge on is a large product compute-bound? P in flop/s, bw in byte/s. */
double edge_at_knee(double P, double bw) {
    /* SOLUTION your formula here */
    return 8 * P / bw;
    /* END */
}

/* Given. A tile of ROWS x COLS entries of C stays in registers while p runs over DEPTH of the k terms. The
 * DEPTH x COLS entries of B that it needs, a panel, stay in L1 for all tiles of a strip of rows. */
enum { ROWS = 4, COLS = 2 * VEC, DEPTH = 256, STRIP = 216 };

/* Given. The panel without gaps, and with zeros for the columns that B lacks. */
void copy_panel(int64_t depth, int64_t cols, const double *B, int64_t ldb, double *panel) {
    for (int64_t p = 0; p < depth; p++) {
        for (int64_t j = 0; j < cols; j++) panel[p * COLS + j] = B[p * ldb + j];
        for (int64_t j = cols; j < COLS; j++) panel[p * COLS + j] = 0;
    }
}

/* SOLUTION */
/* C (+)= A * panel. Rows that are lacking are computed from row 0 and not stored. */
static void tile(int64_t rows, int64_t cols, int64_t depth, const double *A, int64_t lda,
                 const double *panel, double *C, int64_t ldc, int adds) {
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

/* END */
/* 5. Write C = A B, on all cores: first the plain loops, then blocked. C holds garbage on entry. */
void dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
           int64_t ldb, double *C, int64_t ldc) {
    /* SOLUTION your code here */
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
    /* END */
}

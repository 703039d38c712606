#include "dense.h"

/* 1. Predict y = A x. Each array is moved once. Fill in loads and stores (bytes) and flops:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */
spw_cost dgemv_cost(int64_t m, int64_t n) {
    /* your model here */
}

/* 2. Write y = A x, on all cores. y holds garbage on entry. */
void dgemv(int64_t m, int64_t n, const double *A, int64_t lda, const double *x, double *y) {
    /* your code here */
}

/* 3. Predict C = A B, cut into blocks of edge x edge. The last blocks may be smaller. How often is A
 * loaded, how often B? Mind that m * n * k needs a double. */
spw_cost dgemm_cost(int64_t m, int64_t n, int64_t k, int64_t edge) {
    /* your model here */
}

/* 4. From which edge on is a large product compute-bound? P in flop/s, bw in byte/s. */
double edge_at_knee(double P, double bw) {
    /* your formula here */
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

/* 5. Write C = A B, on all cores: first the plain loops, then blocked. C holds garbage on entry. */
void dgemm(int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
           int64_t ldb, double *C, int64_t ldc) {
    /* your code here */
}

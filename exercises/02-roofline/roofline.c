#include "roofline.h"

/* 1. The model. P is in flop/s, bw in byte/s, I in flop/byte, the result in flop/s. */
double roofline(double P, double bw, double I) {
    /* your code here */
}

/* 2. Several ceilings P[0 .. n_P-1] and several roofs, data path j with bw[j] and I[j]. */
double roofline_multi(int n_P, const double *P, int n_bw, const double *bw, const double *I) {
    /* your code here */
}

/* 3. Four loops. Fill in what one call loads and stores (bytes) and computes, in this form:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */

/* y[i] = y[i] + s * x[i] */
spw_cost daxpy_cost(int64_t n) {
    /* your model here */
}

/* sum = sum + x[i] * y[i] */
spw_cost dot_cost(int64_t n) {
    /* your model here */
}

/* y[r] = y[r] + A[r][c] * x[c], the matrix only: x and y stay in a cache */
spw_cost dgemv_cost(int64_t n_rows, int64_t n_cols) {
    /* your model here */
}

/* p[i] = r[i] + beta * (p[i] - omega * v[i]) */
spw_cost update_cost(int64_t n) {
    /* your model here */
}

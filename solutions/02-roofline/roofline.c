#include "roofline.h"

/* 1. The model. P is in flop/s, bw in byte/s, I in flop/byte, the result in flop/s. */
double roofline(double P, double bw, double I) {
    /* SOLUTION your code here */
    return fmin(P, I * bw);
    /* END */
}

/* 2. Several ceilings P[0 .. n_P-1] and several roofs, data path j with bw[j] and I[j]. */
double roofline_multi(int n_P, const double *P, int n_bw, const double *bw, const double *I) {
    /* SOLUTION your code here */
    double least = P[0];
    for (int i = 1; i < n_P; i++) least = fmin(least, P[i]);
    for (int j = 0; j < n_bw; j++) least = fmin(least, I[j] * bw[j]);
    return least;
    /* END */
}

/* 3. Four loops. Fill in what one call loads and stores (bytes) and computes, in this form:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */

/* y[i] = y[i] + s * x[i] */
spw_cost daxpy_cost(int64_t n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 16.0 * n, .store = 8.0 * n, .flop = 2.0 * n};
    /* END */
}

/* sum = sum + x[i] * y[i] */
spw_cost dot_cost(int64_t n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 16.0 * n, .store = 0, .flop = 2.0 * n};
    /* END */
}

/* y[r] = y[r] + A[r][c] * x[c], the matrix only: x and y stay in a cache */
spw_cost dgemv_cost(int64_t n_rows, int64_t n_cols) {
    /* SOLUTION your model here */
    const double entries = (double)n_rows * n_cols;
    return (spw_cost){.load = 8 * entries, .store = 0, .flop = 2 * entries};
    /* END */
}

/* p[i] = r[i] + beta * (p[i] - omega * v[i]) */
spw_cost update_cost(int64_t n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 24.0 * n, .store = 8.0 * n, .flop = 4.0 * n};
    /* END */
}

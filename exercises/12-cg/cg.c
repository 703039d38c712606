#include "cg.h"

#include <math.h>

/* Given. x . y; the square of ||x|| if x and y are the same. */
double dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* 1. Predict. One iteration with a loop for each of the six operations, q = A p | p.q | x += alpha p |
 * r -= alpha q | r.r | p = r + beta p: bytes loaded, bytes stored, flops. Count the write-allocate of q, 8 n
 * bytes, among the loads. */
spw_cost cg_plain_cost(double n, double nz) {
    /* your model here: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
}

/* 2. Write. q = A p, and return p . q. First two loops, if you like; in the end one. */
double spmv_dot(const spw_csr *A, const double *p, double *q) {
    /* your code here */
}

/* 3. Write. x += alpha p, r -= alpha q, and return r . r of the new r. In the end one loop. */
double update(int64_t n, double alpha, const double *p, const double *q, double *x, double *r) {
    /* your code here */
}

/* 4. Write. p = r + beta p. */
void direction(int64_t n, double beta, const double *r, double *p) {
    /* your code here */
}

/* 5. Write. The method, of the functions above. cg.h says what it takes and returns. */
cg_result cg(const spw_csr *A, const double *b, double *x, double tolerance, int max_iterations,
             const cg_room *room) {
    /* your code here: r = b - A x, p = r, and then the loop */
}

/* 6. Predict. The same iteration with a loop for each function: what is not moved any more? */
spw_cost cg_fused_cost(double n, double nz) {
    /* your model here */
}

#include "pcg.h"

#include <math.h>

enum { BLOCK = 1024 }; /* elements, to sum up in blocks as in exercise 1 */

/* Given. x . y */
double dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = from + BLOCK < n ? from + BLOCK : n;
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = from; i < to; i++) part += x[i] * y[i];
        sum += part;
    }
    return sum;
}

/* Given, from exercise 12. q = A p; returns p . q. */
double spmv_dot(const spw_csr *A, const double *p, double *q) {
    double p_q = 0;
#pragma omp parallel for schedule(static) reduction(+ : p_q)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * p[A->col_idx[k]];
        q[i] = sum;
        p_q += p[i] * sum;
    }
    return p_q;
}

/* Given, from exercise 12. x += alpha p; r -= alpha q; returns r . r of the new r. */
double update(int64_t n, double alpha, const double *p, const double *q, double *x, double *r) {
    double r_r = 0;
#pragma omp parallel for schedule(static) reduction(+ : r_r)
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = from + BLOCK < n ? from + BLOCK : n;
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = from; i < to; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            part += r[i] * r[i];
        }
        r_r += part;
    }
    return r_r;
}

/* 1. Write. inverse[i] = 1 / a_ii; return -1, or the first row where a_ii is missing or not above 0. */
spw_idx invert_diagonal(const spw_csr *A, double *inverse) {
    /* your code here */
}

/* 2. Write. z[i] = inverse[i] r[i]. */
void jacobi(int64_t n, const double *inverse, const double *r, double *z) {
    /* your code here */
}

/* 3. Predict. Bytes and flops of one application of Jacobi. */
spw_cost jacobi_cost(double n) {
    /* your model here */
}

/* 4. Write. In each block z = inverse r. The last block may be smaller. */
void block_jacobi(int64_t n, int block, const double *inverse, const double *r, double *z) {
    /* your code here */
}

/* 5. Predict. The same of block-Jacobi with block rows a block. */
spw_cost block_jacobi_cost(double n, double block) {
    /* your model here */
}

/* 6. Predict. One iteration of pcg without z = M^-1 r: q = A p with p.q | x, r and r.r | r.z | p. */
spw_cost step_cost(double n, double nz) {
    /* your model here */
}

/* 7. Write. The method. pcg.h says what it takes and returns. */
pcg_result pcg(const spw_csr *A, const preconditioner *M, const double *b, double *x,
               double tolerance, int max_iterations, const pcg_room *room) {
    /* your code here: r = b - A x, and then the loop */
}

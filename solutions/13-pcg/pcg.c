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
    /* SOLUTION your code here */
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double a_ii = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] == i) a_ii = A->val[k];
        if (!(a_ii > 0)) return i;
        inverse[i] = 1 / a_ii;
    }
    return -1;
    /* END */
}

/* 2. Write. z[i] = inverse[i] r[i]. */
void jacobi(int64_t n, const double *inverse, const double *r, double *z) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) z[i] = inverse[i] * r[i];
    /* END */
}

/* 3. Predict. Bytes and flops of one application of Jacobi. */
spw_cost jacobi_cost(double n) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 24 * n, .store = 8 * n, .flop = n};
    /* END */
}

/* 4. Write. In each block z = inverse r. The last block may be smaller. */
void block_jacobi(int64_t n, int block, const double *inverse, const double *r, double *z) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += block) {
        const int64_t m = first + block < n ? block : n - first;
        for (int64_t i = first; i < first + m; i++) {
            double sum = 0;
            for (int64_t j = 0; j < m; j++) sum += inverse[i * block + j] * r[first + j];
            z[i] = sum;
        }
    }
    /* END */
}

/* 5. Predict. The same of block-Jacobi with block rows a block. */
spw_cost block_jacobi_cost(double n, double block) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 8 * block * n + 16 * n, .store = 8 * n, .flop = 2 * block * n};
    /* END */
}

/* 6. Predict. One iteration of pcg without z = M^-1 r: q = A p with p.q | x, r and r.r | r.z | p. */
spw_cost step_cost(double n, double nz) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 12 * nz + 20 * n /* row_ptr, p and q's write-allocate */
                              + 32 * n         /* p, q, x, r */
                              + 16 * n         /* r, z */
                              + 16 * n,        /* z, p */
                      .store = 4 * (8 * n),    /* q, x, r, p */
                      .flop = 2 * nz + 6 * (2 * n)};
    /* END */
}

/* 7. Write. The method. pcg.h says what it takes and returns. */
pcg_result pcg(const spw_csr *A, const preconditioner *M, const double *b, double *x,
               double tolerance, int max_iterations, const pcg_room *room) {
    /* SOLUTION your code here: r = b - A x, and then the loop */
    const int64_t n = A->n_rows;
    double *p = room->p, *q = room->q, *r = room->r, *z = room->z, rho = 0;
    spmv_dot(A, x, q);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) r[i] = b[i] - q[i];
    const double enough = tolerance * sqrt(dot(n, b, b));
    double norm = sqrt(dot(n, r, r));
    for (int k = 0;; k++) {
        if (norm <= enough) return (pcg_result){PCG_CONVERGED, k, norm};
        if (k == max_iterations) return (pcg_result){PCG_ITERATIONS, k, norm};
        M->apply(M->context, r, z);
        const double old = rho;
        rho = dot(n, r, z);
        if (!(rho > 0)) return (pcg_result){PCG_PRECOND, k, norm};
        const double beta = k ? rho / old : 0;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) p[i] = k ? z[i] + beta * p[i] : z[i];
        const double p_q = spmv_dot(A, p, q);
        if (!(p_q > 0)) return (pcg_result){PCG_NOT_SPD, k, norm};
        norm = sqrt(update(n, rho / p_q, p, q, x, r));
    }
    /* END */
}

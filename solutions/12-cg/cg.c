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
    /* SOLUTION your model here: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
    return (spw_cost){.load = 12 * nz + 20 * n      /* row_ptr, p and q's write-allocate */
                              + 16 * n              /* p.q */
                              + 16 * n + 16 * n     /* x and p, r and q */
                              + 8 * n               /* r.r */
                              + 16 * n,             /* r and p */
                      .store = 8 * n + 3 * (8 * n), /* q; x, r, p */
                      .flop = 2 * nz + 5 * (2 * n)};
    /* END */
}

/* 2. Write. q = A p, and return p . q. First two loops, if you like; in the end one. */
double spmv_dot(const spw_csr *A, const double *p, double *q) {
    /* SOLUTION your code here */
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
    /* END */
}

/* 3. Write. x += alpha p, r -= alpha q, and return r . r of the new r. In the end one loop. */
double update(int64_t n, double alpha, const double *p, const double *q, double *x, double *r) {
    /* SOLUTION your code here */
    enum { BLOCK = 1024 }; /* blocks as in exercise 1: simd allows several sums side by side */
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
    /* END */
}

/* 4. Write. p = r + beta p. */
void direction(int64_t n, double beta, const double *r, double *p) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
    /* END */
}

/* 5. Write. The method, of the functions above. cg.h says what it takes and returns. */
cg_result cg(const spw_csr *A, const double *b, double *x, double tolerance, int max_iterations,
             const cg_room *room) {
    /* SOLUTION your code here: r = b - A x, p = r, and then the loop */
    const int64_t n = A->n_rows;
    double *p = room->p, *q = room->q, *r = room->r;
    spmv_dot(A, x, q);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) p[i] = r[i] = b[i] - q[i];
    const double enough = tolerance * sqrt(dot(n, b, b));
    double rho = dot(n, r, r);
    for (int k = 0;; k++) {
        if (sqrt(rho) <= enough) return (cg_result){CG_CONVERGED, k, sqrt(rho)};
        if (k == max_iterations) return (cg_result){CG_ITERATIONS, k, sqrt(rho)};
        const double p_q = spmv_dot(A, p, q);
        if (!(p_q > 0)) return (cg_result){CG_NOT_SPD, k, sqrt(rho)};
        const double old = rho;
        rho = update(n, rho / p_q, p, q, x, r);
        direction(n, rho / old, r, p);
    }
    /* END */
}

/* 6. Predict. The same iteration with a loop for each function: what is not moved any more? */
spw_cost cg_fused_cost(double n, double nz) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 12 * nz + 20 * n /* row_ptr, p and q's write-allocate */
                              + 32 * n         /* p, q, x, r */
                              + 16 * n,        /* r and p */
                      .store = 4 * (8 * n),    /* q, x, r, p */
                      .flop = 2 * nz + 5 * (2 * n)};
    /* END */
}

/* expect CORRECT: spmv_dot gives the right values, but not in one pass */
/* Unfused: p.q is a loop of its own. */
#include "cg.h"

#include <math.h>

/* Given. x . y; the square of ||x|| if x and y are the same. */
double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

spw_cost cg_plain_cost(double n, double nz)
{
    return (spw_cost){.load = 12 * nz + 20 * n      /* row_ptr, p and q's write-allocate */
                              + 16 * n              /* p.q */
                              + 16 * n + 16 * n     /* x and p, r and q */
                              + 8 * n               /* r.r */
                              + 16 * n,             /* r and p */
                      .store = 8 * n + 3 * (8 * n), /* q; x, r, p */
                      .flop = 2 * nz + 5 * (2 * n)};
}

double spmv_dot(const spw_csr *A, const double *p, double *q)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * p[A->col_idx[k]];
        q[i] = sum;
    }
    return dot(A->n_rows, p, q);
}

double update(int64_t n, double alpha, const double *p, const double *q, double *x, double *r)
{
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
}

void direction(int64_t n, double beta, const double *r, double *p)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
}

cg_result cg(const spw_csr *A, const double *b, double *x, double tolerance, int max_iterations,
             const cg_room *room)
{
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
}

spw_cost cg_fused_cost(double n, double nz)
{
    return (spw_cost){.load = 12 * nz + 20 * n /* row_ptr, p and q's write-allocate */
                              + 32 * n         /* p, q, x, r */
                              + 16 * n,        /* r and p */
                      .store = 4 * (8 * n),    /* q, x, r, p */
                      .flop = 2 * nz + 5 * (2 * n)};
}

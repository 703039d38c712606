#include "bicgstab.h"

#include <math.h>

enum { BLOCK = 1024 }; /* elements, to sum up in blocks as in exercise 1 */

/* Given. x . y */
double dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Given. y += a x */
void axpy(int64_t n, double a, const double *x, double *y) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* Given, from exercise 12. y = A x; *y_y = y . y; returns w . y. w may be x. */
double spmv_dots(const spw_csr *A, const double *x, const double *w, double *y, double *y_y) {
    double w_sum = 0, y_sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : w_sum, y_sum)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
        w_sum += w[i] * sum;
        y_sum += sum * sum;
    }
    *y_y = y_sum;
    return w_sum;
}

/* 1. Predict. One iteration of separate calls, the left half of the README's table: bytes loaded, bytes stored, flops. */
spw_cost bicgstab_plain_cost(double n, double nz) {
    /* SOLUTION your model here: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
    return (spw_cost){.load = 2 * (12 * nz + 20 * n) + 22 * (8 * n),
                      .store = 2 * (8 * n) + 7 * (8 * n),
                      .flop = 4 * nz + 24 * n};
    /* END */
}

/* 2. Write. p = r + beta (p - omega v). One loop. */
void p_update(int64_t n, double beta, double omega, const double *r, const double *v, double *p) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    /* END */
}

/* 3. Write. s = r - alpha v in the place of r; return s . s. One loop. */
double half_update(int64_t n, double alpha, const double *v, double *r) {
    /* SOLUTION your code here */
    double s_s = 0;
#pragma omp parallel for schedule(static) reduction(+ : s_s)
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = from + BLOCK < n ? from + BLOCK : n;
        double part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = from; i < to; i++) {
            r[i] -= alpha * v[i];
            part += r[i] * r[i];
        }
        s_s += part;
    }
    return s_s;
    /* END */
}

/* 4. Write. x += alpha p + omega r, with the r on entry, which is s; r -= omega t; *r_r = r . r, and return
 * c . r, with the new r. One loop. */
double full_update(int64_t n, double alpha, double omega, const double *p, const double *t,
                   const double *c, double *x, double *r, double *r_r) {
    /* SOLUTION your code here */
    double c_sum = 0, r_sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : c_sum, r_sum)
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t to = from + BLOCK < n ? from + BLOCK : n;
        double c_part = 0, r_part = 0;
#pragma omp simd reduction(+ : c_part, r_part)
        for (int64_t i = from; i < to; i++) {
            x[i] += alpha * p[i] + omega * r[i];
            r[i] -= omega * t[i];
            c_part += c[i] * r[i];
            r_part += r[i] * r[i];
        }
        c_sum += c_part;
        r_sum += r_part;
    }
    *r_r = r_sum;
    return c_sum;
    /* END */
}

/* 5. Write. The method. bicgstab.h says what it takes and returns. */
bicgstab_result bicgstab(const spw_csr *A, const double *b, double *x, double tolerance,
                         int max_iterations, const bicgstab_room *room) {
    /* SOLUTION your code here: r = b - A x, c = p = r, and then the loop */
    const int64_t n = A->n_rows;
    double *p = room->p, *v = room->v, *t = room->t, *r = room->r, *c = room->c, ignored, t_t;
    spmv_dots(A, x, x, v, &ignored);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) c[i] = p[i] = r[i] = b[i] - v[i];
    const double enough = tolerance * sqrt(dot(n, b, b));
    double r_r = dot(n, r, r), rho = r_r;
    for (int k = 0;; k++) {
        if (sqrt(r_r) <= enough) return (bicgstab_result){BICGSTAB_CONVERGED, k, sqrt(r_r)};
        if (k == max_iterations) return (bicgstab_result){BICGSTAB_ITERATIONS, k, sqrt(r_r)};
        if (rho == 0) return (bicgstab_result){BICGSTAB_RHO, k, sqrt(r_r)};
        const double c_v = spmv_dots(A, p, c, v, &ignored);
        if (c_v == 0) return (bicgstab_result){BICGSTAB_ALPHA, k, sqrt(r_r)};
        const double alpha = rho / c_v, s_s = half_update(n, alpha, v, r);
        const int small = sqrt(s_s) <= enough;
        const double t_s = small ? 0 : spmv_dots(A, r, r, t, &t_t);
        if (t_s == 0) {
            axpy(n, alpha, p, x); /* s is the residual of this x */
            return small ? (bicgstab_result){BICGSTAB_CONVERGED, k + 1, sqrt(s_s)}
                         : (bicgstab_result){BICGSTAB_OMEGA, k, sqrt(s_s)};
        }
        const double omega = t_s / t_t, old = rho;
        rho = full_update(n, alpha, omega, p, t, c, x, r, &r_r);
        p_update(n, rho / old * (alpha / omega), omega, r, v, p);
    }
    /* END */
}

/* 6. Predict. One iteration of super-kernels: what is not moved any more? */
spw_cost bicgstab_merged_cost(double n, double nz) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 2 * (12 * nz + 20 * n) + 11 * (8 * n),
                      .store = 2 * (8 * n) + 4 * (8 * n),
                      .flop = 4 * nz + 24 * n};
    /* END */
}

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
    /* your model here: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
}

/* 2. Write. p = r + beta (p - omega v). One loop. */
void p_update(int64_t n, double beta, double omega, const double *r, const double *v, double *p) {
    /* your code here */
}

/* 3. Write. s = r - alpha v in the place of r; return s . s. One loop. */
double half_update(int64_t n, double alpha, const double *v, double *r) {
    /* your code here */
}

/* 4. Write. x += alpha p + omega r, with the r on entry, which is s; r -= omega t; *r_r = r . r, and return
 * c . r, with the new r. One loop. */
double full_update(int64_t n, double alpha, double omega, const double *p, const double *t,
                   const double *c, double *x, double *r, double *r_r) {
    /* your code here */
}

/* 5. Write. The method. bicgstab.h says what it takes and returns. */
bicgstab_result bicgstab(const spw_csr *A, const double *b, double *x, double tolerance,
                         int max_iterations, const bicgstab_room *room) {
    /* your code here: r = b - A x, c = p = r, and then the loop */
}

/* 6. Predict. One iteration of super-kernels: what is not moved any more? */
spw_cost bicgstab_merged_cost(double n, double nz) {
    /* your model here */
}

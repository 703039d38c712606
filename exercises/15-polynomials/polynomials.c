#include "polynomials.h"

/* Given. y = A x */
void multiply(const spw_csr *A, const double *x, double *y) {
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += A->val[k] * x[A->col_idx[k]];
        y[i] = sum;
    }
}

/* 1. Predict. Bytes and flops of Neumann's polynomial of degree k in place of both triangles, nz - n entries in all. */
spw_cost neumann_cost(double n, double nz, double degree) {
    /* your model here */
}

/* 2. Write. x = D^-1 b, and degree times x = D^-1 (b - N x), all rows from the x before. */
void neumann(const spw_csr *N, const double *inverse, int degree, const double *b, double *x,
             double *work) {
    /* your code here */
}

/* 3. Predict. The same of chebyshev. */
spw_cost chebyshev_cost(double n, double nz, double degree) {
    /* your model here */
}

/* 4. Write. The README has the recurrence. */
void chebyshev(const spw_csr *A, const double *inverse, double low, double high, int degree,
               const double *r, double *z, const chebyshev_room *room) {
    /* your code here; multiply(A, step, product) is A step */
}

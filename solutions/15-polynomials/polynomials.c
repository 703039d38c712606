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
    /* SOLUTION your model here */
    return (spw_cost){.load = 48 * n + degree * (12 * (nz - n) + 2 * (36 * n)),
                      .store = 16 * n * (1 + degree),
                      .flop = 2 * n + degree * (2 * (nz - n) + 2 * n)};
    /* END */
}

/* 2. Write. x = D^-1 b, and degree times x = D^-1 (b - N x), all rows from the x before. */
void neumann(const spw_csr *N, const double *inverse, int degree, const double *b, double *x,
             double *work) {
    /* SOLUTION your code here */
    double *from = degree % 2 ? work : x, *to = degree % 2 ? x : work; /* so that it ends in x */
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < N->n_rows; i++) from[i] = inverse[i] * b[i];
    for (int m = 0; m < degree; m++) {
#pragma omp parallel for schedule(static)
        for (spw_idx i = 0; i < N->n_rows; i++) {
            double sum = b[i];
            for (spw_idx k = N->row_ptr[i]; k < N->row_ptr[i + 1]; k++)
                sum -= N->val[k] * from[N->col_idx[k]];
            to[i] = sum * inverse[i];
        }
        double *const swap = from;
        from = to;
        to = swap;
    }
    /* END */
}

/* 3. Predict. The same of chebyshev. */
spw_cost chebyshev_cost(double n, double nz, double degree) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 40 * n + degree * (12 * nz + 60 * n),
                      .store = 24 * n + degree * (32 * n),
                      .flop = 2 * n + degree * (2 * nz + 6 * n)};
    /* END */
}

/* 4. Write. The README has the recurrence. */
void chebyshev(const spw_csr *A, const double *inverse, double low, double high, int degree,
               const double *r, double *z, const chebyshev_room *room) {
    /* SOLUTION your code here; multiply(A, step, product) is A step */
    const int64_t n = A->n_rows;
    const double center = (high + low) / 2, half = (high - low) / 2;
    double *residual = room->residual, *step = room->step, *product = room->product;
    double tau = half / center;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        residual[i] = r[i];
        z[i] = step[i] = inverse[i] * r[i] / center;
    }
    for (int m = 0; m < degree; m++) {
        const double next = 1 / (2 * center / half - tau), keep = next * tau, add = 2 * next / half;
        multiply(A, step, product);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            residual[i] -= product[i];
            step[i] = keep * step[i] + add * inverse[i] * residual[i];
            z[i] += step[i];
        }
        tau = next;
    }
    /* END */
}

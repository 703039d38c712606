#include "pcg.h"

#include <math.h>

enum { BLOCK = 1024 }; /* elements, to sum up in blocks as in exercise 1 */

/* Given. x . y */
double dot(int64_t n, const double *x, const double *y)
{
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
double spmv_dot(const spw_csr *A, const double *p, double *q)
{
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
double update(int64_t n, double alpha, const double *p, const double *q, double *x, double *r)
{
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

/* Given. The sum over j < k of l_ij l_kj, for rows i and k of L. Both rows are sorted: two fingers move along them,
 * and where they point to the same column there is something to multiply. */
double row_dot(const lower *L, spw_idx i, spw_idx k)
{
    spw_idx a = L->row_ptr[i], b = L->row_ptr[k];
    double sum = 0;
    while (L->col_idx[a] < k && L->col_idx[b] < k) {
        const spw_idx j = L->col_idx[a], m = L->col_idx[b];
        if (j == m) sum += L->val[a] * L->val[b];
        a += j <= m;
        b += m <= j;
    }
    return sum;
}

/* 1. Predict. Bytes and flops of one application of each. k: rows of a block, or the degree. */
spw_cost apply_cost(precond_kind kind, double n, double nz, double k)
{
    /* switch (kind) ...: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
}

/* 2. Write. inverse[i] = 1 / a_ii; return -1, or the first row where a_ii is missing or not above 0. */
spw_idx invert_diagonal(const spw_csr *A, double *inverse)
{
    /* your code here */
}

/* 3. Write. z[i] = inverse[i] r[i]. */
void jacobi(int64_t n, const double *inverse, const double *r, double *z)
{
    /* your code here */
}

/* 4. Write. In each block z = inverse r. The last block may be smaller. */
void block_jacobi(int64_t n, int block, const double *inverse, const double *r, double *z)
{
    /* your code here */
}

/* 5. Write. L->val, row after row; return -1, or the row that has no pivot. One thread: each row needs those
 * above. */
spw_idx ic0_factor(const spw_csr *A, double shift, const lower *L)
{
    /* your code here; row_dot(L, i, k) is the sum */
}

/* 6. Write. The same with the first shift of 0, 0.001, 0.002, 0.004 ... that works; return the shift. */
double ic0(const spw_csr *A, const lower *L)
{
    /* your code here */
}

/* 7. Write. level[i]; return how many levels there are. */
spw_idx levels(spw_idx n, const spw_idx *row_ptr, const spw_idx *col_idx, int upper, spw_idx *level)
{
    /* your code here */
}

/* 8. Write. x = T^-1 b, level after level. */
void solve(const triangle *T, const double *b, double *x)
{
    /* your code here */
}

/* 9. Write. z = (L L^T)^-1 r. */
void ic0_apply(const triangle *L, const triangle *L_transposed, const double *r, double *z,
               double *work)
{
    /* your code here */
}

/* 10. Write. x = D^-1 b, and degree times x = D^-1 (b - N x), all rows from the x before. */
void neumann(const triangle *T, int degree, const double *b, double *x, double *work)
{
    /* your code here */
}

/* 11. Write. The README has the recurrence. */
void chebyshev(const spw_csr *A, const double *inverse, double low, double high, int degree,
               const double *r, double *z, const chebyshev_room *room)
{
    /* your code here; spmv_dot multiplies by A, whatever it returns */
}

/* 12. Predict. One iteration of pcg without z = M^-1 r: q = A p with p.q | x, r and r.r | r.z | p. */
spw_cost step_cost(double n, double nz)
{
    /* your model here */
}

/* 13. Write. The method. pcg.h says what it takes and returns. */
pcg_result pcg(const spw_csr *A, const preconditioner *M, const double *b, double *x,
               double tolerance, int max_iterations, const pcg_room *room)
{
    /* your code here: r = b - A x, and then the loop */
}

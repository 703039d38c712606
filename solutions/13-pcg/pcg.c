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
    /* SOLUTION switch (kind) ...: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
    const double beside = nz - n; /* both triangles */
    switch (kind) {
    case JACOBI: return (spw_cost){.load = 24 * n, .store = 8 * n, .flop = n};
    case BLOCK_JACOBI:
        return (spw_cost){.load = 8 * k * n + 16 * n, .store = 8 * n, .flop = 2 * k * n};
    case IC0:
        return (spw_cost){
            .load = 12 * beside + 2 * (32 * n), .store = 16 * n, .flop = 2 * beside + 2 * n};
    case IC0_NEUMANN:
        return (spw_cost){.load = 48 * n + k * (12 * beside + 2 * (40 * n)),
                          .store = 16 * n * (1 + k),
                          .flop = 2 * n + k * (2 * beside + 2 * n)};
    case CHEBYSHEV:
        return (spw_cost){.load = 40 * n + k * (12 * nz + 60 * n),
                          .store = 24 * n + k * (32 * n),
                          .flop = 2 * n + k * (2 * nz + 6 * n)};
    }
    return (spw_cost){0};
    /* END */
}

/* 2. Write. inverse[i] = 1 / a_ii; return -1, or the first row where a_ii is missing or not above 0. */
spw_idx invert_diagonal(const spw_csr *A, double *inverse)
{
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

/* 3. Write. z[i] = inverse[i] r[i]. */
void jacobi(int64_t n, const double *inverse, const double *r, double *z)
{
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) z[i] = inverse[i] * r[i];
    /* END */
}

/* 4. Write. In each block z = inverse r. The last block may be smaller. */
void block_jacobi(int64_t n, int block, const double *inverse, const double *r, double *z)
{
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

/* 5. Write. L->val, row after row; return -1, or the row that has no pivot. One thread: each row needs those
 * above. */
spw_idx ic0_factor(const spw_csr *A, double shift, const lower *L)
{
    /* SOLUTION your code here; row_dot(L, i, k) is the sum */
    for (spw_idx i = 0; i < L->n; i++) {
        const spw_idx begin = L->row_ptr[i], last = L->row_ptr[i + 1] - 1;
        const double *a = A->val + A->row_ptr[i]; /* a[k - begin] stands where L->val[k] does */
        double pivot = (1 + shift) * a[last - begin];
        for (spw_idx k = begin; k < last; k++) {
            const spw_idx j = L->col_idx[k];
            L->val[k] = (a[k - begin] - row_dot(L, i, j)) / L->val[L->row_ptr[j + 1] - 1];
            pivot -= L->val[k] * L->val[k];
        }
        if (!(pivot > 0)) return i;
        L->val[last] = sqrt(pivot);
    }
    return -1;
    /* END */
}

/* 6. Write. The same with the first shift of 0, 0.001, 0.002, 0.004 ... that works; return the shift. */
double ic0(const spw_csr *A, const lower *L)
{
    /* SOLUTION your code here */
    double shift = 0;
    while (ic0_factor(A, shift, L) >= 0) shift = shift > 0 ? 2 * shift : 0.001;
    return shift;
    /* END */
}

/* 7. Write. level[i]; return how many levels there are. */
spw_idx levels(spw_idx n, const spw_idx *row_ptr, const spw_idx *col_idx, int upper, spw_idx *level)
{
    /* SOLUTION your code here */
    spw_idx count = 0;
    for (spw_idx m = 0; m < n; m++) {
        const spw_idx i = upper ? n - 1 - m : m;
        level[i] = 0;
        for (spw_idx k = row_ptr[i]; k < row_ptr[i + 1]; k++)
            if (level[col_idx[k]] >= level[i]) level[i] = level[col_idx[k]] + 1;
        if (level[i] >= count) count = level[i] + 1;
    }
    return count;
    /* END */
}

/* 8. Write. x = T^-1 b, level after level. */
void solve(const triangle *T, const double *b, double *x)
{
    /* SOLUTION your code here */
#pragma omp parallel
    for (spw_idx l = 0; l < T->n_levels; l++) {
#pragma omp for schedule(static)
        for (spw_idx k = T->level_ptr[l]; k < T->level_ptr[l + 1]; k++) {
            const spw_idx i = T->row[k];
            double sum = b[i];
            for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++)
                sum -= T->val[at] * x[T->col_idx[at]];
            x[i] = sum * T->inverse[i];
        } /* here all wait for each other */
    }
    /* END */
}

/* 9. Write. z = (L L^T)^-1 r. */
void ic0_apply(const triangle *L, const triangle *L_transposed, const double *r, double *z,
               double *work)
{
    /* SOLUTION your code here */
    solve(L, r, work);
    solve(L_transposed, work, z);
    /* END */
}

/* 10. Write. x = D^-1 b, and degree times x = D^-1 (b - N x), all rows from the x before. */
void neumann(const triangle *T, int degree, const double *b, double *x, double *work)
{
    /* SOLUTION your code here */
    double *from = degree % 2 ? work : x, *to = degree % 2 ? x : work; /* so that it ends in x */
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < T->n; i++) from[i] = T->inverse[i] * b[i];
    for (int m = 0; m < degree; m++) {
#pragma omp parallel for schedule(static)
        for (spw_idx k = 0; k < T->n; k++) {
            const spw_idx i = T->row[k];
            double sum = b[i];
            for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++)
                sum -= T->val[at] * from[T->col_idx[at]];
            to[i] = sum * T->inverse[i];
        }
        double *const swap = from;
        from = to;
        to = swap;
    }
    /* END */
}

/* 11. Write. The README has the recurrence. */
void chebyshev(const spw_csr *A, const double *inverse, double low, double high, int degree,
               const double *r, double *z, const chebyshev_room *room)
{
    /* SOLUTION your code here; spmv_dot multiplies by A, whatever it returns */
    const int64_t n = A->n_rows;
    const double center = (high + low) / 2, half = (high - low) / 2;
    double *residual = room->residual, *step = room->step, *product = room->product;
    double rho = half / center;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        residual[i] = r[i];
        z[i] = step[i] = inverse[i] * r[i] / center;
    }
    for (int m = 0; m < degree; m++) {
        const double next = 1 / (2 * center / half - rho), keep = next * rho, add = 2 * next / half;
        spmv_dot(A, step, product);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            residual[i] -= product[i];
            step[i] = keep * step[i] + add * inverse[i] * residual[i];
            z[i] += step[i];
        }
        rho = next;
    }
    /* END */
}

/* 12. Predict. One iteration of pcg without z = M^-1 r: q = A p with p.q | x, r and r.r | r.z | p. */
spw_cost step_cost(double n, double nz)
{
    /* SOLUTION your model here */
    return (spw_cost){.load = 12 * nz + 20 * n /* row_ptr, p and q's write-allocate */
                              + 32 * n         /* p, q, x, r */
                              + 16 * n         /* r, z */
                              + 16 * n,        /* z, p */
                      .store = 4 * (8 * n),    /* q, x, r, p */
                      .flop = 2 * nz + 6 * (2 * n)};
    /* END */
}

/* 13. Write. The method. pcg.h says what it takes and returns. */
pcg_result pcg(const spw_csr *A, const preconditioner *M, const double *b, double *x,
               double tolerance, int max_iterations, const pcg_room *room)
{
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

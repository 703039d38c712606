/* Exercise 13: what the drivers of both parts share: the right results, in plain serial loops. */
#pragma once

#include "kit/kit.h"
#include "kit/systems.h"

#include <string.h>

/* A kit whose struct of arguments is `problem`. */
#define KIT(arguments, ...)                                                                        \
    {                                                                                              \
        arguments, sizeof(problem), __VA_ARGS__                                                    \
    }

/* array must be values, each give or take so much of the largest. */
static inline void expect_near(spw_trial *t, const double *array, int64_t n, const double *values,
                               double share)
{
    const double slack = share * spw_system_largest(n, values);
    double *tolerance = spw_kit_doubles(t, n);
    for (int64_t i = 0; i < n; i++) tolerance[i] = slack;
    spw_kit_expect(t, array, values, tolerance);
}

/* N: the entries of A whose column is from .. to columns behind their row. Errors of spw_csr_create. */
static inline spw_status part_of(const spw_csr *A, spw_idx from, spw_idx to, spw_csr *N)
{
    spw_idx nnz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            nnz += A->col_idx[k] - i >= from && A->col_idx[k] - i <= to;
    const spw_status status = spw_csr_create(A->n_rows, A->n_rows, nnz, N);
    if (status) return status;
    nnz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        N->row_ptr[i] = nnz;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            if (A->col_idx[k] - i < from || A->col_idx[k] - i > to) continue;
            N->col_idx[nnz] = A->col_idx[k];
            N->val[nnz++] = A->val[k];
        }
    }
    N->row_ptr[A->n_rows] = nnz;
    return SPW_OK;
}

/* The level of each row of a triangle; how many there are. */
static inline spw_idx levels_of(const spw_csr *N, bool upper, spw_idx *level)
{
    const spw_idx n = N->n_rows;
    spw_idx count = 0;
    for (spw_idx m = 0; m < n; m++) {
        const spw_idx i = upper ? n - 1 - m : m;
        level[i] = 0;
        for (spw_idx k = N->row_ptr[i]; k < N->row_ptr[i + 1]; k++)
            if (level[i] <= level[N->col_idx[k]]) level[i] = level[N->col_idx[k]] + 1;
        if (count <= level[i]) count = level[i] + 1;
    }
    return count;
}

/* The rows of each level, ascending: row[level_ptr[l]] .. row[level_ptr[l+1] - 1]. level_ptr  [n_levels + 1] */
static inline void sort_by_level(spw_idx n, const spw_idx *level, spw_idx n_levels,
                                 spw_idx *level_ptr, spw_idx *row)
{
    memset(level_ptr, 0, (size_t)(n_levels + 1) * sizeof *level_ptr);
    for (spw_idx i = 0; i < n; i++) level_ptr[level[i] + 1]++;
    for (spw_idx l = 0; l < n_levels; l++) level_ptr[l + 1] += level_ptr[l];
    for (spw_idx i = 0; i < n; i++) row[level_ptr[level[i]]++] = i;
    for (spw_idx l = n_levels; l > 0; l--) level_ptr[l] = level_ptr[l - 1];
    level_ptr[0] = 0;
}

/* b_i - sum of n_ij x_j */
static inline double left_of(const spw_csr *N, int64_t i, double b, const double *x)
{
    for (spw_idx k = N->row_ptr[i]; k < N->row_ptr[i + 1]; k++) b -= N->val[k] * x[N->col_idx[k]];
    return b;
}

/* x = (D + N)^-1 b, row after row. inverse: of D */
static inline void solve_rows(const spw_csr *N, bool upper, const double *inverse, const double *b,
                              double *x)
{
    for (spw_idx m = 0; m < N->n_rows; m++) {
        const spw_idx i = upper ? N->n_rows - 1 - m : m;
        x[i] = inverse[i] * left_of(N, i, b[i], x);
    }
}

/* x = D^-1 b, and degree times x = D^-1 (b - N x). old  [n] */
static inline void neumann_steps(const spw_csr *N, const double *inverse, int degree,
                                 const double *b, double *x, double *old)
{
    for (spw_idx i = 0; i < N->n_rows; i++) x[i] = inverse[i] * b[i];
    for (int k = 0; k < degree; k++) {
        memcpy(old, x, (size_t)N->n_rows * sizeof *x);
        for (spw_idx i = 0; i < N->n_rows; i++) x[i] = inverse[i] * left_of(N, i, b[i], old);
    }
}

/* The README's recurrence. work  [3 n] */
static inline void chebyshev_steps(const spw_csr *A, const double *inverse, double low, double high,
                                   int degree, const double *r, double *z, double *work)
{
    const int64_t n = A->n_rows;
    double *residual = work, *step = work + n, *product = work + 2 * n;
    const double center = (high + low) / 2, half = (high - low) / 2;
    double rho = half / center;
    for (int64_t i = 0; i < n; i++) {
        residual[i] = r[i];
        z[i] = step[i] = inverse[i] * r[i] / center;
    }
    for (int k = 0; k < degree; k++) {
        const double next = 1 / (2 * center / half - rho);
        spw_system_product(A, step, product);
        for (int64_t i = 0; i < n; i++) {
            residual[i] -= product[i];
            step[i] = next * rho * step[i] + 2 * next / half * inverse[i] * residual[i];
            z[i] += step[i];
        }
        rho = next;
    }
}

/* z = M^-1 r for blocks along the diagonal, whose last columns may be missing. tolerance  [n] */
static inline void block_products(int64_t n, int block, const double *inverse, const double *r,
                                  double *z, double *tolerance)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = i - i % block;
        double sum = 0, size = 0;
        for (int64_t j = 0; j < block && first + j < n; j++) {
            const double term = inverse[i * block + j] * r[first + j];
            sum += term;
            size += term < 0 ? -term : term;
        }
        z[i] = sum;
        tolerance[i] = (block + 2) * 0x1p-52 * size;
    }
}

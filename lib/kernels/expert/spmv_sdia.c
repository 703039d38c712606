/* Rows side by side in registers, a diagonal after the other, above and below the main one: an entry is two loads and
 * a multiplication with addition, without a gather. The values of the lower half were read some rows ago and come
 * from a cache.
 * Time against rows of CSR, two threads: stencil27:100 0.69 where CSR drew 71 GB/s, 0.53 to 0.59 where the same machine
 * gave it 46; stencil27:148 0.57, laplace3d:150 0.58, laplace3d:240 0.47 (AMD EPYC, family 26 model 2, 2 vCPU KVM virtual
 * machine, gcc 12.2, quiet, 2026-11-23; medians by turns). It wins wherever memory or gathers are slow: it asks for neither. */
#include "kernels/spmv_with_dots.h"

#include "base/threads.h"
#include "kernels/expert/arrays.h"
#include "kernels/expert/sums.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROWS = 16, GROUP = ROWS / SPW_VEC, AHEAD = 1024 }; /* rows at a time; bytes to a prefetch */

#define INLINE static inline __attribute__((always_inline))

INLINE void add(spw_vec *sums, const double *val, const double *x) {
    for (int v = 0; v < GROUP; v++)
        sums[v] +=
            *(const spw_vec_any *)(val + SPW_VEC * v) * *(const spw_vec_any *)(x + SPW_VEC * v);
}

/* Those whose column is in the matrix: at its edges. */
static void add_some(spw_vec *sums, const double *val, const double *x, int64_t column, int64_t n) {
    for (int64_t r = 0; r < ROWS; r++)
        if (column + r >= 0 && column + r < n) ((double *)sums)[r] += val[r] * x[column + r];
}

/* The sums of rows i to i + ROWS - 1. Behind row n the values are another diagonal's, or spare: x has no element for
 * most, and what the others give is not stored. */
INLINE void multiply_rows(const spw_sdia *A, int64_t i, const double *x, spw_vec *up) {
    const int64_t n = A->n_rows, last = n - ROWS;
    spw_vec down[GROUP] = {{0}};
    int k = 0;
    for (; k < A->n_diagonals && i + A->offset[k] <= last; k++) {
        const double *val = A->val + k * A->stride + i;
        for (int v = 0; v < ROWS; v += 8) spw_prefetch_ahead(val + v, AHEAD);
        add(up, val, x + i + A->offset[k]);
    }
    for (; k < A->n_diagonals; k++)
        add_some(up, A->val + k * A->stride + i, x, i + A->offset[k], n);
    for (k = 1; k < A->n_diagonals && A->offset[k] <= i && i <= last; k++)
        add(down, A->val + k * A->stride + i - A->offset[k], x + i - A->offset[k]);
    for (; k < A->n_diagonals; k++)
        add_some(down, A->val + k * A->stride + i - A->offset[k], x, i - A->offset[k], n);
    for (int v = 0; v < GROUP; v++) up[v] += down[v];
}

/* Rows begin .. end-1, begin a multiple of ROWS; sums with w if it is not NULL. */
static spw_sums multiply(const spw_sdia *A, int64_t begin, int64_t end, const double *x,
                         const double *w, double *y, bool bypass) {
    spw_sums s = {0, 0};
    spw_vec w_y = {0}, y_y = {0}; /* lane by lane: a row after the other is a chain of additions */
    for (int64_t i = begin; i < end; i += ROWS) {
        spw_vec out[GROUP] = {{0}};
        const double *of_row = (const double *)out;
        multiply_rows(A, i, x, out);
        if (end - i < ROWS) {
            for (int64_t r = 0; r < end - i; r++) {
                if (w) spw_sums_row(&s, w[i + r], of_row[r]);
                y[i + r] = of_row[r];
            }
            break;
        }
        for (int v = 0; v < GROUP; v++) {
            double *to = y + i + SPW_VEC * v;
            if (w) w_y += spw_vec_load_any(w + i + SPW_VEC * v) * out[v], y_y += out[v] * out[v];
            if (bypass)
                spw_vec_bypass(to, out[v]);
            else
                *(spw_vec_any *)to = out[v];
        }
    }
    for (int r = 0; r < SPW_VEC; r++) s.w_y += w_y[r], s.y_y += y_y[r];
    spw_bypass_fence();
    return s;
}

void spw_spmv_with_dots_sdia_omp(const spw_sdia *A, const double *x, const double *w, double *y,
                                 double *w_y, double *y_y) {
    assert(A && w_y && y_y && (A->n_rows == 0 || (x && y)));
    enum { LARGE = 32 << 20 }; /* doubles, 256 MiB: y stays in no cache */
    const bool bypass = A->n_diagonals * A->stride >= LARGE && (uintptr_t)y % 64 == 0;
    const int parts = spw_max_threads();
    const int64_t groups = ((int64_t)A->n_rows + ROWS - 1) / ROWS;
    spw_sums part[parts];
#pragma omp parallel for schedule(static, 1)
    for (int p = 0; p < parts; p++) {
        const int64_t end = ROWS * spw_part_begin(groups, p + 1, parts);
        part[p] = multiply(A, ROWS * spw_part_begin(groups, p, parts),
                           end < A->n_rows ? end : A->n_rows, x, w, y, bypass);
    }
    spw_sums_of(parts, part, w_y, y_y);
}

void spw_spmv_sdia_omp(const spw_sdia *A, const double *x, double *y) {
    double w_y, y_y;
    spw_spmv_with_dots_sdia_omp(A, x, NULL, y, &w_y, &y_y);
}

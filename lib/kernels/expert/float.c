/* As in csr_row.h and fused.c: a few sums side by side, x put together from single loads, and software
 * prefetch. A line of float has twice as many entries.
 * Speed of stencil27:90 against the serial loop: 2.4 (one thread, AMD EPYC, family 26 model 2, 2 vCPU KVM virtual
 * machine with other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns). */
#include "kernels/float.h"

#include "base/threads.h"
#include "kernels/expert/arrays.h"
#include "kernels/schedule/partition.h"

#include <assert.h>

enum { LINE = 16, AHEAD_ENTRIES = 1024, AHEAD_BYTES = 1024 };

typedef float line __attribute__((vector_size(64)));
typedef float line_any __attribute__((vector_size(64), aligned(4), may_alias));
typedef float half __attribute__((vector_size(32)));
typedef float half_any __attribute__((vector_size(32), aligned(4), may_alias));

/* A thread's sum, a cache line apart from those of others. */
typedef struct part_sum {
    _Alignas(64) double sum;
} part_sum;

static double add_up(int team, const part_sum *part) {
    double sum = 0;
    for (int t = 0; t < team; t++) sum += part[t].sum;
    return sum;
}

static inline __attribute__((always_inline)) float row_dot(int64_t n, const float *val,
                                                           const spw_idx *c, const float *x) {
    float sum = 0;
    if (n >= 8) {
        half sums = {0};
        for (; n >= 8; n -= 8, val += 8, c += 8) {
            const half gathered = {x[c[0]], x[c[1]], x[c[2]], x[c[3]],
                                   x[c[4]], x[c[5]], x[c[6]], x[c[7]]};
            spw_prefetch_ahead(val, AHEAD_ENTRIES * (int)sizeof *val);
            spw_prefetch_ahead(c, AHEAD_ENTRIES * (int)sizeof *c);
            sums += *(const half_any *)val * gathered;
        }
        sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
              ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
    spw_prefetch_ahead(val, AHEAD_ENTRIES * (int)sizeof *val);
    spw_prefetch_ahead(c, AHEAD_ENTRIES * (int)sizeof *c);
    for (int k = 0; k < 7; k++) {
        if (k >= n) break;
        sum += val[k] * x[c[k]];
    }
    return sum;
}

static double multiply_rows(const spw_csr_float *A, spw_idx begin, spw_idx end, const float *x,
                            float *y) {
    double x_y = 0;
    for (spw_idx i = begin; i < end; i++) {
        const spw_idx at = A->row_ptr[i];
        y[i] = row_dot(A->row_ptr[i + 1] - at, A->val + at, A->col_idx + at, x);
        x_y += (double)x[i] * (double)y[i];
    }
    return x_y;
}

double spw_spmv_with_dot_float_omp(const spw_csr_float *A, const float *x, float *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    part_sum part[spw_max_threads()];
    int team = 1;
#pragma omp parallel
    {
        const spw_idx begin =
            (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, spw_thread(), spw_team_size());
        const spw_idx end =
            (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, spw_thread() + 1, spw_team_size());
        part[spw_thread()].sum = multiply_rows(A, begin, end, x, y);
        if (spw_thread() == 0) team = spw_team_size();
    }
    return add_up(team, part);
}

static void multiply_mixed(const spw_csr_float *A, spw_idx begin, spw_idx end, const double *x,
                           double *y) {
    for (spw_idx i = begin; i < end; i++) {
        double sums[4] = {0};
        spw_idx k = A->row_ptr[i];
        const spw_idx last = A->row_ptr[i + 1];
        for (; k + 4 <= last; k += 4) {
            spw_prefetch_ahead(A->val + k, AHEAD_ENTRIES * (int)sizeof *A->val);
            spw_prefetch_ahead(A->col_idx + k, AHEAD_ENTRIES * (int)sizeof *A->col_idx);
            for (int u = 0; u < 4; u++) sums[u] += (double)A->val[k + u] * x[A->col_idx[k + u]];
        }
        for (; k < last; k++) sums[0] += (double)A->val[k] * x[A->col_idx[k]];
        y[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

void spw_spmv_mixed_omp(const spw_csr_float *A, const double *x, double *y) {
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
#pragma omp parallel
    multiply_mixed(A, (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, spw_thread(), spw_team_size()),
                   (spw_idx)spw_cut_at(A->row_ptr, A->n_rows, 1, spw_thread() + 1, spw_team_size()),
                   x, y);
}

static inline __attribute__((always_inline)) line get(const float *at) {
    spw_prefetch_ahead(at, AHEAD_BYTES);
    return *(const line_any *)at;
}

/* Eight lines at a time are squared and added in float, then the sum goes on in double: a float sum of
 * eight terms loses next to nothing, and a conversion of each element costs as much as all the rest. */
static double step_share(int64_t i, int64_t end, float a, const float *p, const float *q, float *x,
                         float *r) {
    double sum = 0;
    while (i + LINE <= end) {
        line block = {0};
        for (int l = 0; l < 8 && i + LINE <= end; l++, i += LINE) {
            const line xi = get(x + i) + a * get(p + i), ri = get(r + i) - a * get(q + i);
            *(line_any *)(x + i) = xi;
            *(line_any *)(r + i) = ri;
            block += ri * ri;
        }
        for (int k = 0; k < LINE; k++) sum += (double)block[k];
    }
    for (; i < end; i++) {
        x[i] += a * p[i];
        r[i] -= a * q[i];
        sum += (double)r[i] * (double)r[i];
    }
    return sum;
}

double spw_cg_step_float_omp(int64_t n, float a, const float *p, const float *q, float *x,
                             float *r) {
    assert(n >= 0 && (n == 0 || (p && q && x && r)));
    part_sum part[spw_max_threads()];
    int team = 1;
#pragma omp parallel
    {
        const int64_t begin = spw_part_begin(n, spw_thread(), spw_team_size());
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        part[spw_thread()].sum = step_share(begin, end, a, p, q, x, r);
        if (spw_thread() == 0) team = spw_team_size();
    }
    return add_up(team, part);
}

void spw_direction_float_omp(int64_t n, float b, const float *r, float *p) {
    assert(n >= 0 && (n == 0 || (r && p)));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) p[i] = r[i] + b * p[i];
}

void spw_add_float_omp(int64_t n, double s, float *y, double *x) {
    assert(n >= 0 && (n == 0 || (x && y)));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) {
        x[i] += s * (double)y[i];
        y[i] = 0;
    }
}

void spw_round_float_omp(int64_t n, double s, const double *x, float *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) y[i] = (float)(s * x[i]);
}

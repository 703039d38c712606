#include "matrix_powers.h"

#include "base/threads.h"

#include <stdlib.h>

/* 1. Write. The levels of a breadth-first search from the row `start`; returns how many there are.
 * Where a search finds no more rows but some are left, the one of the lowest number makes up the next level.
 *   A          n x n, n >= 1; a_ij is stored if a_ji is
 *   perm       [n]    the rows, level after level, in any order within a level
 *   level_ptr  [n+1]  level l: perm[level_ptr[l]] .. perm[level_ptr[l+1]-1] */
spw_idx levels(const spw_csr *A, spw_idx start, spw_idx *perm, spw_idx *level_ptr) {
    /* SOLUTION your code here */
    const spw_idx n = A->n_rows;
    char *found = calloc((size_t)n, 1);
    spw_idx n_found = 0, n_levels = 0, lowest = 0;
    for (spw_idx begin = 0; begin < n;) {
        if (begin == n_found) { /* nothing was found: a new component */
            while (found[lowest]) lowest++;
            const spw_idx first = n_found == 0 ? start : lowest;
            found[first] = 1;
            perm[n_found++] = first;
        }
        const spw_idx end = n_found;
        level_ptr[n_levels++] = begin;
        for (spw_idx at = begin; at < end; at++)
            for (spw_idx k = A->row_ptr[perm[at]]; k < A->row_ptr[perm[at] + 1]; k++) {
                const spw_idx j = A->col_idx[k];
                if (found[j]) continue;
                found[j] = 1;
                perm[n_found++] = j;
            }
        begin = end;
    }
    level_ptr[n_levels] = n;
    free(found);
    return n_levels;
    /* END */
}

/* 2. Predict. The largest p of 1 .. most for which any p neighbouring levels have room in a cache of so many
 * bytes: entries, row_ptr, and three vectors. 1 if not even one level has. */
int largest_power(const level_matrix *L, int64_t cache, int most) {
    /* SOLUTION your model here */
    const spw_idx *row_ptr = L->A->row_ptr, *level_ptr = L->level_ptr;
    int p = 1;
    for (; p < most; p++)
        for (spw_idx l = 0; l < L->n_levels; l++) {
            const spw_idx last = l + p + 1 < L->n_levels ? l + p + 1 : L->n_levels;
            const spw_idx begin = level_ptr[l], end = level_ptr[last];
            if (12 * (int64_t)(row_ptr[end] - row_ptr[begin]) + 28 * (int64_t)(end - begin) > cache)
                return p;
        }
    return p;
    /* END */
}

/* 3. Predict. What must p powers move at least, and compute?
 *     return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
spw_cost powers_cost(const level_matrix *L, int p) {
    /* SOLUTION your model here */
    const double n = L->A->n_rows, nz = L->A->nnz;
    return (spw_cost){
        .load = 12 * nz + 4 * (n + 1) + 8 * n,
        .store = 8 * n * p,
        .flop = 2 * nz * p,
    };
    /* END */
}

/* SOLUTION what powers and filter have in common may stand here */
/* Power k, 1 .. p, on the rows begin .. end-1. */
typedef void step(const void *context, int k, spw_idx begin, spw_idx end);

static void step_on(const level_matrix *L, step *f, const void *context, int k, spw_idx level) {
    f(context, k, L->level_ptr[level], L->level_ptr[level + 1]);
}

/* The first level of a part: by rows, but each part has 2 p levels or more. */
static spw_idx first_level(const level_matrix *L, int p, int part, int parts) {
    int64_t l = 0;
    if (part == parts) return L->n_levels;
    for (int q = 1; q <= part; q++) {
        const int64_t rows = (int64_t)L->A->n_rows * q / parts;
        const int64_t least = l + 2 * (int64_t)p;
        const int64_t most = L->n_levels - 2 * (int64_t)p * (parts - q);
        while (L->level_ptr[l] < rows) l++;
        l = l < least ? least : l > most ? most : l;
    }
    return (spw_idx)l;
}

/* All powers on all levels. Each thread has levels of its own, begin .. end-1, and a front over them that gets
 * one level shorter with each power where another part begins. What is left over comes after. */
static void traverse(const level_matrix *L, int p, step *f, const void *context) {
    const int64_t room = L->n_levels / (2 * (int64_t)p);
    const int threads = spw_max_threads();
    const int parts = room < 1 ? 1 : room < threads ? (int)room : threads;
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < parts; part++) {
        const spw_idx begin = first_level(L, p, part, parts);
        const spw_idx end = first_level(L, p, part + 1, parts);
        const int left = part > 0, right = part + 1 < parts;
        for (spw_idx t = begin; t < end + p - 1; t++)
            for (int k = 1; k <= p; k++) {
                const spw_idx l = t - (k - 1);
                if (l >= begin + left * (k - 1) && l < end - right * (k - 1))
                    step_on(L, f, context, k, l);
            }
    }
#pragma omp parallel for schedule(static, 1)
    for (int part = 1; part < parts; part++) {
        const spw_idx at = first_level(L, p, part, parts);
        for (int k = 2; k <= p; k++)
            for (spw_idx l = at - (k - 1); l < at + (k - 1); l++) step_on(L, f, context, k, l);
    }
}

typedef struct powers_context {
    const spw_csr *A;
    const double *x;
    double *const *y;
} powers_context;

static void power_step(const void *context, int k, spw_idx begin, spw_idx end) {
    const powers_context *c = context;
    const spw_csr *A = c->A;
    const double *from = k == 1 ? c->x : c->y[k - 2];
    double *to = c->y[k - 1];
    for (spw_idx i = begin; i < end; i++) {
        double sum = 0;
        for (spw_idx at = A->row_ptr[i]; at < A->row_ptr[i + 1]; at++)
            sum += A->val[at] * from[A->col_idx[at]];
        to[i] = sum;
    }
}

typedef struct filter_context {
    const spw_csr *A;
    double c, e;
    const double *x;
    double *const *work;
    double *y;
    int degree;
} filter_context;

static double *vector(const filter_context *f, int k) {
    return k == 0 ? (double *)f->x : k == f->degree ? f->y : f->work[k % 3];
}

static void filter_step(const void *context, int k, spw_idx begin, spw_idx end) {
    const filter_context *f = context;
    const spw_csr *A = f->A;
    const double *last = vector(f, k - 1), *before = k > 1 ? vector(f, k - 2) : NULL;
    const double factor = (k > 1 ? 2 : 1) / f->e;
    double *next = vector(f, k);
    for (spw_idx i = begin; i < end; i++) {
        double sum = 0;
        for (spw_idx at = A->row_ptr[i]; at < A->row_ptr[i + 1]; at++)
            sum += A->val[at] * last[A->col_idx[at]];
        sum = factor * (sum - f->c * last[i]);
        next[i] = k > 1 ? sum - before[i] : sum;
    }
}
/* END */

/* 4. Write. y[k] = A^(k+1) x for k = 0 .. p-1, with the matrix read from memory once, on all cores.
 *   x  [n]
 *   y  [p] arrays of n elements, overwritten: they hold garbage on entry */
void powers(const level_matrix *L, int p, const double *x, double *const *y) {
    /* SOLUTION your code here */
    const powers_context context = {L->A, x, y};
    traverse(L, p, power_step, &context);
    /* END */
}

/* 5. Write. y = T_d((A - c I) / e) x with the Chebyshev polynomial of degree d = degree, in the same way.
 *     T_0 = x,   T_1 = (A - c I) / e x,   T_k = 2 (A - c I) / e T_(k-1) - T_(k-2)
 *   work  [3] arrays of n elements for your own use
 *   y     [n], overwritten: it holds garbage on entry */
void filter(const level_matrix *L, int degree, double c, double e, const double *x,
            double *const *work, double *y) {
    /* SOLUTION your code here */
    const filter_context context = {L->A, c, e, x, work, y, degree};
    traverse(L, degree, filter_step, &context);
    /* END */
}

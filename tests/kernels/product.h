/* kernels/product.h -- a product y = A x: what is expected, what a kernel made of it, for 1, 3, 7 and all threads. */
#pragma once

#include "kernels/kernels.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"
#include "kit/cases.h"
#include "test.h"

enum { SEED = 4711 };

typedef struct product {
    const char *name;
    spw_idx n;      /* rows */
    bool bits_vary; /* with the number of threads */
    double *x, *w, *y, *first, *expected, *tolerance;
} product;

static inline product product_of(const char *name, const spw_csr *A) {
    const spw_idx n = A->n_rows;
    product p = {name,     n,        false,    zeros(A->n_cols), zeros(n),
                 zeros(n), zeros(n), zeros(n), zeros(n)};
    spw_case_vector(SEED, A->n_cols, p.x);
    spw_case_vector(SEED + 1, n, p.w);
    spw_spmv_expected(A, p.x, p.expected, p.tolerance);
    return p;
}

static inline void poison(const product *p) {
    for (spw_idx i = 0; i < p->n; i++) p->y[i] = NAN;
}

/* y is right, and has the bits of the first call. run: of thread_counts. */
static inline void check_y(const product *p, const spw_kernel *v, int run) {
    if (run == 0 && p->n > 0) memcpy(p->first, p->y, sizeof *p->y * (size_t)p->n);
    for (spw_idx i = 0; i < p->n; i++) {
        if (!(fabs(p->y[i] - p->expected[i]) <= p->tolerance[i]))
            fail_msg("%s, %s, %d threads: row %d is %.17g, expected %.17g", v->symbol, p->name,
                     thread_counts[run], i, p->y[i], p->expected[i]);
        if (!p->bits_vary && p->y[i] != p->first[i])
            fail_msg("%s, %s, %d threads: row %d has other bits than with one", v->symbol, p->name,
                     thread_counts[run], i);
    }
}

/* A sum is right, whatever y may be off. */
static inline void check_sum(const product *p, const spw_kernel *v, const double *with, double got,
                             const char *what) {
    double tolerance;
    const double expected = spw_dot_expected(p->n, with, p->expected, &tolerance);
    for (spw_idx i = 0; i < p->n; i++)
        tolerance += 2 * (fabs(with[i]) + fabs(p->expected[i])) * p->tolerance[i];
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s, %s: %s is %.17g, expected %.17g", v->symbol, p->name, what, got, expected);
}

/* The sums, and that those of a second run have the same bits. */
static inline void check_sums(const product *p, const spw_kernel *v, int run,
                              const double sums[4]) {
    check_y(p, v, run);
    check_sum(p, v, p->w, sums[0], "w . y");
    check_sum(p, v, p->expected, sums[1], "y . y");
    if (sums[0] != sums[2] || sums[1] != sums[3])
        fail_msg("%s, %s, %d threads: a sum differs from run to run", v->symbol, p->name,
                 thread_counts[run]);
}

/* All kernels of an operation on a matrix in its format. */
#define CHECK_PRODUCTS(p, operation, matrix)                                                       \
    for (const spw_kernel *v = spw_kernels(#operation); v->symbol; v++)                            \
        for (int t = 0; t < 4; t++) {                                                              \
            spw_set_threads(thread_counts[t]);                                                     \
            poison(p);                                                                             \
            ((spw_##operation##_fn *)v->function)(matrix, (p)->x, (p)->y);                         \
            check_y(p, v, t);                                                                      \
        }

#define CHECK_WITH_DOTS(p, operation, matrix)                                                      \
    for (const spw_kernel *v = spw_kernels(#operation); v->symbol; v++)                            \
        for (int t = 0; t < 4; t++) {                                                              \
            double s_[4];                                                                          \
            spw_set_threads(thread_counts[t]);                                                     \
            for (int again = 0; again < 4; again += 2) {                                           \
                poison(p);                                                                         \
                ((spw_##operation##_fn *)v->function)(matrix, (p)->x, (p)->w, (p)->y, &s_[again],  \
                                                      &s_[again + 1]);                             \
            }                                                                                      \
            check_sums(p, v, t, s_);                                                               \
        }

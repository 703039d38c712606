/* Neumann and Chebyshev polynomials in D^-1 A. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "base/random.h"
#include "kernels/blas1.h"
#include "perf/timer.h"
#include "solvers/precond/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LANCZOS_STEPS = 12, LANCZOS_SEED = 31 };

typedef struct polynomial {
    spw_operator A;
    int degree;
    double center, half;            /* of the interval; half 0: Neumann, whose w is 1 / center */
    double *inverse;                /* [n]  of the diagonal */
    double *residual, *step, *work; /* [n] */
} polynomial;

static void destroy(void *context) {
    polynomial *P = context;
    spw_operator_destroy(&P->A);
    spw_free(P->inverse);
    spw_free(P->residual);
    spw_free(P->step);
    spw_free(P->work);
    spw_free(P);
}

/* --- application -------------------------------------------------------------------------------------------- */

/* The first step from zero: step = y = D^-1 x / center, residual = x. */
static void begin_apply(const polynomial *P, const double *x, double *y) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < P->A.n; i++) {
        P->residual[i] = x[i];
        P->step[i] = y[i] = P->inverse[i] * x[i] / P->center;
    }
}

/* residual -= work; step = a step + b D^-1 residual; y += step. */
static void take_step(const polynomial *P, double a, double b, double *y) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < P->A.n; i++) {
        P->residual[i] -= P->work[i];
        P->step[i] = a * P->step[i] + b * P->inverse[i] * P->residual[i];
        y[i] += P->step[i];
    }
}

static void apply(void *context, const double *x, double *y) {
    const polynomial *P = context;
    const double sigma = P->half > 0 ? P->center / P->half : 0;
    double rho = P->half > 0 ? 1 / sigma : 0;
    begin_apply(P, x, y);
    for (int k = 0; k < P->degree; k++) {
        spw_operator_apply(&P->A, P->step, P->work);
        if (P->half > 0) {
            const double next = 1 / (2 * sigma - rho);
            take_step(P, next * rho, 2 * next / P->half, y);
            rho = next;
        } else {
            take_step(P, 0, 1 / P->center, y);
        }
    }
}

static spw_status make(const char *name, const spw_operator *A, int degree, const double *inverse,
                       spw_operator *M) {
    const double n = (double)A->n;
    polynomial *P = NULL;
    spw_status status = spw_precond_degree(name, degree);
    *M = (spw_operator){0};
    if (!status) status = SPW_ALLOC_ZERO(&P, 1);
    if (status) return status;
    P->degree = degree;
    P->A = *A;
    P->A.destroy = NULL;
    status = SPW_ALLOC(&P->inverse, A->n);
    if (!status) status = SPW_ALLOC(&P->residual, A->n);
    if (!status) status = SPW_ALLOC(&P->step, A->n);
    if (!status) status = SPW_ALLOC(&P->work, A->n);
    if (status) {
        destroy(P);
        return status;
    }
    memcpy(P->inverse, inverse, (size_t)A->n * sizeof *inverse);
    const spw_cost first = {.load = 16 * n, .store = 24 * n, .flop = 2 * n};
    const spw_cost step = {.load = 40 * n, .store = 24 * n, .flop = 6 * n};
    *M = (spw_operator){
        .name = name,
        .n = P->A.n,
        .cost = spw_cost_sum(first, spw_cost_times(degree, spw_cost_sum(step, P->A.cost))),
        .write_allocate = 24 * n + degree * P->A.write_allocate,
        .context = P,
        .apply = apply,
        .destroy = destroy};
    return SPW_OK;
}

/* --- bounds ---------------------------------------------------------------------------------------------------- */

/* max over i of the sum over j of |a_ij| s_i s_j: for s_i s_j = 1 / a_ii the row sums of |D^-1 A|; symmetric:
 * of |D^-1/2 A D^-1/2|. */
static double row_sum_bound(const spw_csr *A, const double *inverse, bool symmetric) {
    double bound = 0;
#pragma omp parallel for schedule(static) reduction(max : bound)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += fabs(A->val[k]) *
                   (symmetric ? sqrt(inverse[i] * inverse[A->col_idx[k]]) : fabs(inverse[i]));
        if (sum > bound) bound = sum;
    }
    return bound;
}

/* Eigenvalues below t of the tridiagonal matrix, by the signs of its Sturm sequence. */
static int count_below(int n, const double *diagonal, const double *side, double t) {
    int count = 0;
    double d = 1;
    for (int i = 0; i < n; i++) {
        d = diagonal[i] - t - (i ? side[i - 1] * side[i - 1] / d : 0);
        if (d == 0) d = 1e-300;
        count += d < 0;
    }
    return count;
}

/* Its eigenvalue number k from below, known to lie in 0 .. high. */
static double tridiagonal_eigenvalue(int n, const double *diagonal, const double *side, double high,
                                     int k) {
    double low = 0;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (count_below(n, diagonal, side, middle) > k)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

/* w = D^-1/2 A D^-1/2 v. */
static void scaled_product(const polynomial *P, const double *v, double *w) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < P->A.n; i++) P->work[i] = sqrt(P->inverse[i]) * v[i];
    spw_operator_apply(&P->A, P->work, w);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < P->A.n; i++) w[i] *= sqrt(P->inverse[i]);
}

static double dot(const polynomial *P, const double *x, const double *y) {
    double sum = spw_dot_omp_prefetch(P->A.n, x, y);
    spw_operator_sum(&P->A, 1, &sum);
    return sum;
}

/* Some steps of Lanczos from a random vector; no reorthogonalisation, as only the ends of the spectrum are
 * asked for. Returns the steps; side[steps-1] is what they left over. old: room for n elements. */
static int lanczos(const polynomial *P, double *old, double *diagonal, double *side) {
    const int64_t n = P->A.n;
    double *v = P->step, *w = P->residual;
    int k = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = 2 * spw_random_double(LANCZOS_SEED, (uint64_t)(P->A.first + i)) - 1;
        old[i] = 0;
    }
    double norm = sqrt(dot(P, v, v));
    while (k < LANCZOS_STEPS && norm > 0) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) v[i] /= norm;
        scaled_product(P, v, w);
        if (k) spw_axpby_omp(n, -side[k - 1], old, 1, w);
        diagonal[k] = dot(P, v, w);
        spw_axpby_omp(n, -diagonal[k], v, 1, w);
        side[k] = sqrt(dot(P, w, w));
        norm = side[k] > 1e-14 * fabs(diagonal[k]) ? side[k] : 0;
        double *const free_one = old;
        old = v;
        v = w;
        w = free_one;
        k++;
    }
    return k;
}

/* old: room for n elements. */
static void find_interval(polynomial *P, double bound, double *old, spw_operator *M) {
    double diagonal[LANCZOS_STEPS], side[LANCZOS_STEPS];
    const double terms = P->degree + 1;
    const int steps = lanczos(P, old, diagonal, side);
    double high = bound, low = 0;
    if (steps > 0) {
        high = fmin(bound, tridiagonal_eigenvalue(steps, diagonal, side, 2 * bound, steps - 1) +
                               side[steps - 1]);
        low = tridiagonal_eigenvalue(steps, diagonal, side, 2 * bound, 0);
    }
    low = fmax(fmin(low, high / 2), high / (4 * terms * terms));
    P->center = (high + low) / 2;
    P->half = (high - low) / 2;
    const double n = (double)P->A.n;
    const spw_cost step = {.load = 96 * n, .store = 48 * n, .flop = 14 * n};
    M->setup = spw_cost_times(steps, spw_cost_sum(P->A.cost, step));
    snprintf(M->note, sizeof M->note, "degree %d for eigenvalues %.3g to %.3g, %d Lanczos steps",
             P->degree, low, high, steps);
}

/* --- the two ------------------------------------------------------------------------------------------------------ */

spw_status spw_precond_polynomial(bool chebyshev, int degree, const spw_operator *A,
                                  const double *inverse, double bound, spw_operator *M) {
    const double begin = spw_now(), n = (double)A->n;
    double *old = NULL;
    spw_status status = make(chebyshev ? "cheby" : "neumann", A, degree, inverse, M);
    if (!status && chebyshev) status = SPW_ALLOC(&old, A->n);
    status = spw_operator_agree(A, status);
    if (status) {
        spw_free(old);
        spw_operator_destroy(M);
        return status;
    }
    polynomial *P = M->context;
    if (chebyshev) {
        find_interval(P, bound, old, M);
        spw_free(old);
    } else {
        P->center = bound > 0 ? bound : 1;
        M->setup = spw_cost_sum(A->cost, (spw_cost){.load = 8 * n});
        snprintf(M->note, sizeof M->note, "degree %d, w = 1 / %.3g", degree, P->center);
    }
    M->setup_seconds = spw_now() - begin;
    return SPW_OK;
}

spw_status spw_precond_polynomial_of(bool chebyshev, int degree, const spw_csr *A,
                                     const spw_operator *op, spw_operator *M) {
    const double begin = spw_now();
    const char *name = chebyshev ? "cheby" : "neumann";
    double *inverse = NULL;
    spw_operator csr;
    *M = (spw_operator){0};
    spw_status status = spw_precond_degree(name, degree);
    if (!status) status = SPW_ALLOC(&inverse, A->n_rows);
    if (!status) status = spw_precond_diagonal(name, A, chebyshev, inverse);
    if (!status && !op) status = spw_operator_from_csr(A, &csr);
    if (!status) {
        for (spw_idx i = 0; i < A->n_rows; i++) inverse[i] = 1 / inverse[i];
        const double bound = row_sum_bound(A, inverse, chebyshev);
        status = spw_precond_polynomial(chebyshev, degree, op ? op : &csr, inverse, bound, M);
    }
    spw_free(inverse);
    if (!status) M->setup_seconds = spw_now() - begin;
    return status;
}

spw_status spw_precond_neumann(const spw_csr *A, int degree, spw_operator *M) {
    return spw_precond_polynomial_of(false, degree, A, NULL, M);
}

spw_status spw_precond_chebyshev(const spw_csr *A, int degree, spw_operator *M) {
    return spw_precond_polynomial_of(true, degree, A, NULL, M);
}

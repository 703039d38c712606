/* Preconditioners that are two triangles: symmetric Gauss-Seidel, IC(0), ILU(0).
 *
 * For SGS and IC(0), M = (D + L) D^-1 (D + U) = (D + L) (I + D^-1 U): a lower triangle with a diagonal and an
 * upper one of ones, so that D^-1 needs no pass of its own. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/incomplete.h"
#include "kernels/trsv.h"
#include "perf/timer.h"
#include "solvers/precond/parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

/* In the place of a degree. Serially: with a schedule for one thread. */
enum { SOLVE = -1, SERIALLY = -2 };

static const double FIRST_SHIFT = 1e-3, LAST_SHIFT = 1000;

typedef struct factored {
    spw_triangle lower, upper;
    int degree;
    double *work[2]; /* [n] each, with a degree */
} factored;

/* --- application -------------------------------------------------------------------------------------------- */

/* next = D^-1 (b - N x) for the triangle D + N: one more term. x NULL: zero. */
static void add_term(const spw_triangle *T, const double *b, const double *x, double *next) {
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < T->n; k++) {
        const spw_idx i = T->half == SPW_UPPER ? T->n - 1 - k : k;
        double sum = b[i];
        for (spw_idx at = T->row_ptr[k]; x && at < T->row_ptr[k + 1]; at++)
            sum -= T->val[at] * x[T->col_idx[at]];
        next[i] = T->inverse ? sum * T->inverse[i] : sum;
    }
}

/* In y, by way of other. */
static void add_terms(const spw_triangle *T, int degree, const double *b, double *y,
                      double *other) {
    double *from = degree % 2 ? other : y, *to = degree % 2 ? y : other;
    add_term(T, b, NULL, from);
    for (int k = 0; k < degree; k++) {
        add_term(T, b, from, to);
        double *const kept = from;
        from = to;
        to = kept;
    }
}

static void apply(void *context, const double *x, double *y) {
    const factored *F = context;
    if (F->degree < 0) {
        spw_trsv_csr_omp_wait(&F->lower, x, y);
        spw_trsv_csr_omp_wait(&F->upper, y, y);
    } else {
        add_terms(&F->lower, F->degree, x, F->work[0], F->work[1]);
        add_terms(&F->upper, F->degree, F->work[0], y, F->work[1]);
    }
}

/* Only where both triangles are solved; terms take one vector at a time. */
static void apply_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                        int64_t ldy) {
    const factored *F = context;
    spw_trsm_csr_omp_wait(&F->lower, nv, X, ldx, Y, ldy);
    spw_trsm_csr_omp_wait(&F->upper, nv, Y, ldy, Y, ldy);
}

static void destroy(void *context) {
    factored *F = context;
    if (!F) return;
    spw_triangle_destroy(&F->lower);
    spw_triangle_destroy(&F->upper);
    spw_free(F->work[0]);
    spw_free(F->work[1]);
    spw_free(F);
}

/* Of one triangle with that degree. */
static spw_cost triangle_cost(const spw_triangle *T, int degree) {
    const double n = T->n, matrix = (double)spw_triangle_bytes(T), diagonal = T->inverse ? n : 0;
    const spw_cost solution = {.load = matrix + 8 * n, .store = 8 * n, .flop = 2.0 * T->nnz + n};
    const spw_cost first = {.load = 8 * diagonal + 8 * n, .store = 8 * n, .flop = diagonal};
    const spw_cost further = {
        .load = matrix + 16 * n, .store = 8 * n, .flop = 2.0 * T->nnz + diagonal};
    if (degree < 0) return solution;
    return spw_cost_sum(first, spw_cost_times(degree, further));
}

/* --- making one ----------------------------------------------------------------------------------------------- */

/* *M of the two triangles, which it owns. The lower one may have a schedule, which the upper one then takes. On
 * failure *M is as it was, and F is destroyed. */
static spw_status make(const char *name, factored *F, int degree, spw_operator *M) {
    const int threads = degree == SERIALLY ? 1 : spw_max_threads();
    spw_status status = SPW_OK;
    F->degree = degree;
    for (int k = 0; k < 2 && degree >= 0 && !status; k++)
        status = SPW_ALLOC(&F->work[k], F->lower.n);
    if (!status && degree < 0 && !F->lower.share_ptr)
        status = spw_triangle_schedule(&F->lower, threads, 0);
    if (!status && degree < 0) status = spw_triangle_schedule_turned(&F->upper, &F->lower);
    if (status) {
        destroy(F);
        return status;
    }
    const double bytes = (double)(spw_triangle_bytes(&F->lower) + spw_triangle_bytes(&F->upper));
    const double passes = degree < 0 ? 2 : 2 * (1 + degree); /* each stores a vector anew */
    *M = (spw_operator){
        .name = name,
        .n = F->lower.n,
        .cost = spw_cost_sum(triangle_cost(&F->lower, degree), triangle_cost(&F->upper, degree)),
        .write_allocate = 8 * (double)F->lower.n * (degree < 0 ? 1 : passes),
        .setup = {.store = bytes},
        .context = F,
        .apply = apply,
        .destroy = destroy};
    if (degree < 0) { /* the triangles are read once for all vectors */
        M->apply_block = apply_block;
        M->further =
            (spw_cost){.load = M->cost.load - bytes, .store = M->cost.store, .flop = M->cost.flop};
    }
    if (degree == SOLVE)
        snprintf(M->note, sizeof M->note, "%" PRId32 " and %" PRId32 " levels of blocks of rows",
                 F->lower.n_levels, F->upper.n_levels);
    else if (degree >= 0)
        snprintf(M->note, sizeof M->note, "%d terms beside the first", degree);
    return SPW_OK;
}

static void end(const spw_csr *A, double begin, double shift, double flop, spw_operator *M) {
    M->setup.load += (double)spw_csr_bytes(A);
    M->setup.flop += flop;
    if (shift > 0) spw_append(M->note, sizeof M->note, "%sshift %g", M->note[0] ? "; " : "", shift);
    M->setup_seconds = spw_now() - begin;
}

/* The checks that all share, before a triangle's message could come without a name. */
static spw_status check(const char *name, const spw_csr *A, bool positive) {
    double *d;
    spw_status status = SPW_ALLOC(&d, A->n_rows);
    if (!status) status = spw_precond_diagonal(name, A, positive, d);
    spw_free(d);
    return status;
}

/* --- symmetric Gauss-Seidel ------------------------------------------------------------------------------------ */

static spw_status make_sgs(const char *name, const spw_csr *A, int degree, spw_operator *M) {
    const double begin = spw_now();
    factored *F = NULL;
    *M = (spw_operator){0};
    spw_status status = check(name, A, false);
    if (!status) status = SPW_ALLOC_ZERO(&F, 1);
    if (!status) status = spw_triangle_from_csr(A, SPW_LOWER, SPW_DIAGONAL_OWN, &F->lower);
    if (!status) status = spw_triangle_from_csr(A, SPW_UPPER, SPW_DIAGONAL_DIVIDED, &F->upper);
    if (status) {
        destroy(F);
        return status;
    }
    status = make(name, F, degree, M);
    if (!status) end(A, begin, 0, (double)A->nnz / 2, M);
    return status;
}

spw_status spw_precond_sgs(const spw_csr *A, spw_operator *M) {
    return make_sgs("sgs", A, SOLVE, M);
}

spw_status spw_precond_sgs_serial(const spw_csr *A, spw_operator *M) {
    return make_sgs("sgs_serial", A, SERIALLY, M);
}

/* --- IC(0) and ILU(0) ------------------------------------------------------------------------------------------ */

/* The triangles of A, and the order of factorisation and solution. */
static spw_status prepare(bool ilu, const spw_csr *A, factored *F) {
    const spw_diagonal lower = ilu ? SPW_DIAGONAL_ONE : SPW_DIAGONAL_OWN;
    spw_status status = spw_triangle_from_csr(A, SPW_LOWER, lower, &F->lower);
    if (!status && ilu) status = spw_triangle_from_csr(A, SPW_UPPER, SPW_DIAGONAL_OWN, &F->upper);
    return status ? status : spw_triangle_schedule(&F->lower, spw_max_threads(), 0);
}

/* Factors, with one shift after the other until all pivots are good. *shift: the last one; *flop: of all. */
static spw_status factor(const char *name, bool ilu, const spw_csr *A, factored *F, double *shift,
                         double *flop) {
    spw_incomplete once;
    *flop = 0;
    for (*shift = 0;; *shift = *shift > 0 ? 2 * *shift : FIRST_SHIFT) {
        const spw_status status = ilu ? spw_ilu0_omp(A, *shift, &F->lower, &F->upper, &once)
                                      : spw_ic0_omp(A, *shift, &F->lower, &once);
        if (status) return status;
        *flop += once.flop;
        if (once.bad == A->n_rows) return SPW_OK;
        if (*shift > LAST_SHIFT)
            return spw_error(SPW_ERR_ARG,
                             "%s: row %" PRId32
                             " has no pivot, even with a shift of %g times the diagonal",
                             name, once.bad, LAST_SHIFT);
    }
}

static spw_status make_incomplete(const char *name, bool ilu, const spw_csr *A, int degree,
                                  spw_operator *M) {
    const double begin = spw_now();
    double shift = 0, flop = 0;
    factored *F = NULL;
    *M = (spw_operator){0};
    spw_status status = check(name, A, !ilu);
    if (!status) status = SPW_ALLOC_ZERO(&F, 1);
    if (!status) status = prepare(ilu, A, F);
    if (!status) status = factor(name, ilu, A, F, &shift, &flop);
    if (!status && !ilu) status = spw_triangle_transpose(&F->lower, &F->upper);
    if (status) {
        destroy(F);
        return status;
    }
    status = make(name, F, degree, M);
    if (!status) end(A, begin, shift, flop, M);
    return status;
}

spw_status spw_precond_ic0(const spw_csr *A, spw_operator *M) {
    return make_incomplete("ic0", false, A, SOLVE, M);
}

spw_status spw_precond_ilu0(const spw_csr *A, spw_operator *M) {
    return make_incomplete("ilu0", true, A, SOLVE, M);
}

static spw_status make_neumann(const char *name, bool ilu, const spw_csr *A, int degree,
                               spw_operator *M) {
    *M = (spw_operator){0};
    const spw_status status = spw_precond_degree(name, degree);
    return status ? status : make_incomplete(name, ilu, A, degree, M);
}

spw_status spw_precond_ic0_neumann(const spw_csr *A, int degree, spw_operator *M) {
    return make_neumann("ic0_neumann", false, A, degree, M);
}

spw_status spw_precond_ilu0_neumann(const spw_csr *A, int degree, spw_operator *M) {
    return make_neumann("ilu0_neumann", true, A, degree, M);
}

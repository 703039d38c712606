/* Preconditioners that are two triangles: symmetric Gauss-Seidel, IC(0), ILU(0).
 *
 * For SGS and IC(0), M = (D + L) D^-1 (D + U) = (D + L) (I + D^-1 U): a lower triangle with a diagonal and an
 * upper one of ones, so that D^-1 needs no pass of its own. IC(0) is brought to the same form: its columns
 * are scaled by the pivots, and no square root is taken. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/trsv.h"
#include "perf/timer.h"
#include "solvers/precond_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SOLVE = -1, SERIALLY = -2 }; /* in the place of a degree */

static const double FIRST_SHIFT = 1e-3, LAST_SHIFT = 1000;

/* A pivot below this part of its row is taken for zero. */
static const double TINY = 1e-10;

typedef struct factored {
    spw_triangle lower, upper;
    int degree;
    double *work[2]; /* [n] each, with a degree */
} factored;

/* --- application -------------------------------------------------------------------------------------------- */

/* next = D^-1 (b - N x) for the triangle D + N: one more term. x NULL: zero. */
static void add_term(const spw_triangle *T, const double *b, const double *x, double *next)
{
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
static void add_terms(const spw_triangle *T, int degree, const double *b, double *y, double *other)
{
    double *from = degree % 2 ? other : y, *to = degree % 2 ? y : other;
    add_term(T, b, NULL, from);
    for (int k = 0; k < degree; k++) {
        add_term(T, b, from, to);
        double *const kept = from;
        from = to;
        to = kept;
    }
}

static void apply(void *context, const double *x, double *y)
{
    const factored *F = context;
    if (F->degree == SERIALLY) {
        spw_trsv_csr_ref(&F->lower, x, y);
        spw_trsv_csr_ref(&F->upper, y, y);
    } else if (F->degree == SOLVE) {
        spw_trsv_csr_omp_wait(&F->lower, x, y);
        spw_trsv_csr_omp_wait(&F->upper, y, y);
    } else {
        add_terms(&F->lower, F->degree, x, F->work[0], F->work[1]);
        add_terms(&F->upper, F->degree, F->work[0], y, F->work[1]);
    }
}

/* Only where both triangles are solved; terms take one vector at a time. */
static void apply_block(void *context, int nv, const double *X, int64_t ldx, double *Y, int64_t ldy)
{
    const factored *F = context;
    const spw_trsm_csr_fn solve = F->degree == SERIALLY ? spw_trsm_csr_ref : spw_trsm_csr_omp_wait;
    solve(&F->lower, nv, X, ldx, Y, ldy);
    solve(&F->upper, nv, Y, ldy, Y, ldy);
}

static void destroy(void *context)
{
    factored *F = context;
    spw_triangle_destroy(&F->lower);
    spw_triangle_destroy(&F->upper);
    spw_free(F->work[0]);
    spw_free(F->work[1]);
    spw_free(F);
}

/* Of one triangle with that degree. */
static spw_cost triangle_cost(const spw_triangle *T, int degree)
{
    const double n = T->n, matrix = (double)spw_triangle_bytes(T), diagonal = T->inverse ? n : 0;
    const spw_cost solution = {.load = matrix + 8 * n, .store = 8 * n, .flop = 2.0 * T->nnz + n};
    const spw_cost first = {.load = 8 * diagonal + 8 * n, .store = 8 * n, .flop = diagonal};
    const spw_cost further = {
        .load = matrix + 16 * n, .store = 8 * n, .flop = 2.0 * T->nnz + diagonal};
    if (degree < 0) return solution;
    return spw_cost_sum(first, spw_cost_times(degree, further));
}

/* --- making one ----------------------------------------------------------------------------------------------- */

/* Lower from one matrix and upper from another; either may be a whole matrix. */
static spw_status make(const char *name, const spw_csr *L, spw_diagonal lower, const spw_csr *U,
                       spw_diagonal upper, int degree, spw_operator *M)
{
    const int threads = degree == SERIALLY ? 1 : spw_max_threads();
    factored *F = NULL;
    spw_status status = SPW_ALLOC_ZERO(&F, 1);
    if (status) return status;
    F->degree = degree;
    status = spw_triangle_from_csr(L, SPW_LOWER, lower, &F->lower);
    if (!status) status = spw_triangle_from_csr(U, SPW_UPPER, upper, &F->upper);
    for (int k = 0; k < 2 && degree >= 0 && !status; k++)
        status = SPW_ALLOC(&F->work[k], F->lower.n);
    if (!status && degree < 0) status = spw_triangle_schedule(&F->lower, threads, 0);
    if (!status && degree < 0) status = spw_triangle_schedule(&F->upper, threads, 0);
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

static void end(const spw_csr *A, double begin, double shift, double flop, spw_operator *M)
{
    M->setup.load += (double)spw_csr_bytes(A);
    M->setup.flop += flop;
    const size_t used = strlen(M->note);
    if (shift > 0)
        snprintf(M->note + used, sizeof M->note - used, "%sshift %g", used ? "; " : "", shift);
    M->setup_seconds = spw_now() - begin;
}

/* The checks that all share, before a triangle's message could come without a name. */
static spw_status check(const char *name, const spw_csr *A, bool positive)
{
    double *d;
    spw_status status = SPW_ALLOC(&d, A->n_rows);
    if (!status) status = spw_precond_diagonal(name, A, positive, d);
    spw_free(d);
    return status;
}

/* --- symmetric Gauss-Seidel ------------------------------------------------------------------------------------ */

static spw_status make_sgs(const char *name, const spw_csr *A, int degree, spw_operator *M)
{
    const double begin = spw_now();
    *M = (spw_operator){0};
    spw_status status = check(name, A, false);
    if (!status) status = make(name, A, SPW_DIAGONAL_OWN, A, SPW_DIAGONAL_DIVIDED, degree, M);
    if (!status) end(A, begin, 0, (double)A->nnz / 2, M);
    return status;
}

spw_status spw_precond_sgs(const spw_csr *A, spw_operator *M)
{
    return make_sgs("sgs", A, SOLVE, M);
}

spw_status spw_precond_sgs_serial(const spw_csr *A, spw_operator *M)
{
    return make_sgs("sgs_serial", A, SERIALLY, M);
}

/* --- IC(0) --------------------------------------------------------------------------------------------------------- */

/* The lower triangle of A with its diagonal, which ends each row. */
static spw_status copy_lower(const spw_csr *A, spw_csr *L)
{
    int64_t nnz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) nnz += spw_csr_entry(A, i, i) + 1 - A->row_ptr[i];
    const spw_status status = spw_csr_create(A->n_rows, A->n_rows, nnz, L);
    if (status) return status;
    spw_idx to = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        L->row_ptr[i] = to;
        for (spw_idx k = A->row_ptr[i]; A->col_idx[k] <= i; k++) {
            L->col_idx[to] = A->col_idx[k];
            L->val[to++] = A->val[k];
            if (A->col_idx[k] == i) break;
        }
    }
    L->row_ptr[A->n_rows] = to;
    return SPW_OK;
}

/* l_ik = a_ik - sum over j < k of l_ij l_kj / d_j;  d_i = a_ii - sum of l_ij^2 / d_j, in the place of l_ii.
 * row: n zeros, and zeros again at the end: l_ij / d_j of the row that is done. Returns the row whose pivot
 * is not positive, n if all are. */
static spw_idx factor_ic0(const spw_csr *A, double shift, spw_csr *L, double *row, double *flop)
{
    *flop = 0;
    for (spw_idx i = 0; i < L->n_rows; i++) {
        const spw_idx begin = L->row_ptr[i], end = L->row_ptr[i + 1] - 1;
        const double a_ii = A->val[A->row_ptr[i] + (end - begin)] * (1 + shift);
        double pivot = a_ii;
        for (spw_idx k = begin; k < end; k++) {
            const spw_idx j = L->col_idx[k], last = L->row_ptr[j + 1] - 1;
            double sum = A->val[A->row_ptr[i] + (k - begin)];
            for (spw_idx at = L->row_ptr[j]; at < last; at++)
                sum -= row[L->col_idx[at]] * L->val[at];
            L->val[k] = sum;
            row[j] = sum / L->val[last];
            pivot -= sum * row[j];
            *flop += 2.0 * (last - L->row_ptr[j]) + 3;
        }
        L->val[end] = pivot;
        for (spw_idx k = begin; k < end; k++) row[L->col_idx[k]] = 0;
        if (!(pivot > TINY * a_ii) || !isfinite(pivot)) return i;
    }
    return L->n_rows;
}

static spw_status no_shift_helped(const char *name, spw_idx row)
{
    return spw_error(SPW_ERR_ARG,
                     "%s: row %" PRId32 " has no pivot, even with a shift of %g times the diagonal",
                     name, row, LAST_SHIFT);
}

static double next_shift(double shift)
{
    return shift > 0 ? 2 * shift : FIRST_SHIFT;
}

static spw_status make_ic0(const char *name, const spw_csr *A, int degree, spw_operator *M)
{
    const double begin = spw_now();
    double *row = NULL, shift = 0, flop = 0, once;
    spw_csr L = {0}, U = {0};
    spw_idx bad = 0;
    *M = (spw_operator){0};
    spw_status status = check(name, A, true);
    if (!status) status = SPW_ALLOC_ZERO(&row, A->n_rows);
    if (!status) status = copy_lower(A, &L);
    for (; !status; shift = next_shift(shift)) {
        bad = factor_ic0(A, shift, &L, row, &once);
        flop += once;
        if (bad == L.n_rows) break;
        if (shift > LAST_SHIFT) status = no_shift_helped(name, bad);
    }
    if (!status) status = spw_csr_transpose(&L, &U);
    if (!status) status = make(name, &L, SPW_DIAGONAL_OWN, &U, SPW_DIAGONAL_DIVIDED, degree, M);
    if (!status) end(A, begin, shift, flop, M);
    spw_csr_destroy(&U);
    spw_csr_destroy(&L);
    spw_free(row);
    return status;
}

spw_status spw_precond_ic0(const spw_csr *A, spw_operator *M)
{
    return make_ic0("ic0", A, SOLVE, M);
}

spw_status spw_precond_ic0_neumann(const spw_csr *A, int degree, spw_operator *M)
{
    *M = (spw_operator){0};
    const spw_status status = spw_precond_degree("ic0_neumann", degree);
    return status ? status : make_ic0("ic0_neumann", A, degree, M);
}

/* --- ILU(0) --------------------------------------------------------------------------------------------------------- */

/* Row i of F minus multiples of the rows above, where F has entries. at: n times -1, and so again at the end:
 * where each column of row i is. */
static double eliminate_row(spw_csr *F, spw_idx i, const spw_idx *diagonal, spw_idx *at)
{
    double flop = 0;
    for (spw_idx k = F->row_ptr[i]; k < F->row_ptr[i + 1]; k++) at[F->col_idx[k]] = k;
    for (spw_idx k = F->row_ptr[i]; k < diagonal[i]; k++) {
        const spw_idx j = F->col_idx[k];
        const double factor = F->val[k] /= F->val[diagonal[j]];
        for (spw_idx m = diagonal[j] + 1; m < F->row_ptr[j + 1]; m++)
            if (at[F->col_idx[m]] >= 0) F->val[at[F->col_idx[m]]] -= factor * F->val[m];
        flop += 2.0 * (F->row_ptr[j + 1] - diagonal[j] - 1) + 1;
    }
    for (spw_idx k = F->row_ptr[i]; k < F->row_ptr[i + 1]; k++) at[F->col_idx[k]] = -1;
    return flop;
}

/* The row whose pivot is next to nothing, n if none is. */
static spw_idx factor_ilu0(const spw_csr *A, double shift, spw_csr *F, spw_idx *diagonal,
                           spw_idx *at, double *flop)
{
    *flop = 0;
    for (spw_idx i = 0; i < F->n_rows; i++) {
        double largest = 0;
        for (spw_idx k = F->row_ptr[i]; k < F->row_ptr[i + 1]; k++) {
            F->val[k] = A->val[k] * (k == diagonal[i] ? 1 + shift : 1);
            largest = fmax(largest, fabs(F->val[k]));
        }
        *flop += eliminate_row(F, i, diagonal, at);
        const double pivot = F->val[diagonal[i]];
        if (!(fabs(pivot) > TINY * largest) || !isfinite(pivot)) return i;
    }
    return F->n_rows;
}

static spw_status copy_pattern(const spw_csr *A, spw_csr *F)
{
    const spw_status status = spw_csr_create(A->n_rows, A->n_cols, A->nnz, F);
    if (status) return status;
    memcpy(F->row_ptr, A->row_ptr, ((size_t)A->n_rows + 1) * sizeof *F->row_ptr);
    memcpy(F->col_idx, A->col_idx, (size_t)A->nnz * sizeof *F->col_idx);
    return SPW_OK;
}

static spw_status make_ilu0(const char *name, const spw_csr *A, int degree, spw_operator *M)
{
    const double begin = spw_now();
    double shift = 0, flop = 0, once;
    spw_idx *diagonal = NULL, *at = NULL, bad = 0;
    spw_csr F = {0};
    *M = (spw_operator){0};
    spw_status status = check(name, A, false);
    if (!status) status = SPW_ALLOC(&diagonal, A->n_rows);
    if (!status) status = SPW_ALLOC(&at, A->n_rows);
    if (!status) status = copy_pattern(A, &F);
    for (spw_idx i = 0; i < A->n_rows && !status; i++) {
        diagonal[i] = spw_csr_entry(A, i, i);
        at[i] = -1;
    }
    for (; !status; shift = next_shift(shift)) {
        bad = factor_ilu0(A, shift, &F, diagonal, at, &once);
        flop += once;
        if (bad == F.n_rows) break;
        if (shift > LAST_SHIFT) status = no_shift_helped(name, bad);
    }
    if (!status) status = make(name, &F, SPW_DIAGONAL_ONE, &F, SPW_DIAGONAL_OWN, degree, M);
    if (!status) end(A, begin, shift, flop, M);
    spw_csr_destroy(&F);
    spw_free(at);
    spw_free(diagonal);
    return status;
}

spw_status spw_precond_ilu0(const spw_csr *A, spw_operator *M)
{
    return make_ilu0("ilu0", A, SOLVE, M);
}

spw_status spw_precond_ilu0_neumann(const spw_csr *A, int degree, spw_operator *M)
{
    *M = (spw_operator){0};
    const spw_status status = spw_precond_degree("ilu0_neumann", degree);
    return status ? status : make_ilu0("ilu0_neumann", A, degree, M);
}

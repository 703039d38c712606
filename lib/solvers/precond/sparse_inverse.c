/* Sparse approximate inverses: FSAI and SPAI. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "base/threads.h"
#include "perf/timer.h"
#include "solvers/precond/parts.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct inverse {
    spw_csr G, Gt;      /* fsai: z = Gt (G r); spai: z = G r, and Gt is empty */
    spw_operator g, gt; /* of them */
    double *work;       /* [n], fsai */
} inverse;

static void apply(void *context, const double *x, double *y) {
    const inverse *I = context;
    if (!I->work) {
        spw_operator_apply(&I->g, x, y);
        return;
    }
    spw_operator_apply(&I->g, x, I->work);
    spw_operator_apply(&I->gt, I->work, y);
}

static void destroy(void *context) {
    inverse *I = context;
    spw_operator_destroy(&I->g);
    spw_operator_destroy(&I->gt);
    spw_csr_destroy(&I->G);
    spw_csr_destroy(&I->Gt);
    spw_free(I->work);
    spw_free(I);
}

/* --- the pattern ---------------------------------------------------------------------------------------------- */

/* An entry of A, by the size of its value. */
typedef struct candidate {
    double size;
    spw_idx column;
} candidate;

static int larger_first(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    if (p->size != q->size) return p->size < q->size ? 1 : -1;
    return (p->column > q->column) - (p->column < q->column);
}

static int by_column(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    return (p->column > q->column) - (p->column < q->column);
}

/* Entries of row i that count: all, or those up to the diagonal. */
static spw_idx row_length(const spw_csr *A, spw_idx i, bool lower) {
    return (lower ? spw_csr_entry(A, i, i) + 1 : A->row_ptr[i + 1]) - A->row_ptr[i];
}

/* The columns of row i, ascending; of long rows those of the largest entries, and the diagonal. */
static void choose_columns(const spw_csr *A, spw_idx i, spw_idx length, candidate *sorted,
                           spw_idx *columns) {
    const spw_idx begin = A->row_ptr[i];
    if (length <= SPW_SAI_WIDEST) {
        for (spw_idx k = 0; k < length; k++) columns[k] = A->col_idx[begin + k];
        return;
    }
    for (spw_idx k = 0; k < length; k++) {
        const spw_idx j = A->col_idx[begin + k];
        sorted[k] = (candidate){j == i ? INFINITY : fabs(A->val[begin + k]), j};
    }
    qsort(sorted, (size_t)length, sizeof *sorted, larger_first);
    qsort(sorted, SPW_SAI_WIDEST, sizeof *sorted, by_column);
    for (spw_idx k = 0; k < SPW_SAI_WIDEST; k++) columns[k] = sorted[k].column;
}

/* G with its pattern, no values. *cut: rows of which only the largest entries were taken. */
static spw_status make_pattern(const spw_csr *A, bool lower, spw_csr *G, spw_idx *cut) {
    int64_t nnz = 0;
    spw_idx longest = 0, to = 0;
    candidate *sorted = NULL;
    *cut = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx length = row_length(A, i, lower);
        if (length > longest) longest = length;
        *cut += length > SPW_SAI_WIDEST;
        nnz += length < SPW_SAI_WIDEST ? length : SPW_SAI_WIDEST;
    }
    spw_status status = spw_csr_create(A->n_rows, A->n_rows, nnz, G);
    if (!status) status = SPW_ALLOC(&sorted, longest);
    if (status) return status;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx length = row_length(A, i, lower);
        G->row_ptr[i] = to;
        choose_columns(A, i, length, sorted, G->col_idx + to);
        to += length < SPW_SAI_WIDEST ? length : SPW_SAI_WIDEST;
    }
    G->row_ptr[A->n_rows] = to;
    spw_free(sorted);
    return SPW_OK;
}

/* --- small dense problems ---------------------------------------------------------------------------------------- */

/* What a thread needs for a row: matrix [k][k] with k = SPW_SAI_WIDEST. All threads solve such
 * problems at the same time, most of some ten rows: a library call each would take longer. */
typedef struct desk {
    double *matrix;
    double *row;    /* [n]  zeros between uses: spai, a row of A */
    spw_idx *where; /* [n]  -1 between uses: fsai, place of each column in the pattern */
    double flop;
} desk;

/* matrix = C C^T in its lower half; vector = matrix^-1 vector. False: not positive definite to rounding. */
static bool solve_positive(int n, double *matrix, double *vector) {
    for (int j = 0; j < n; j++) {
        double *const row_j = matrix + (int64_t)j * n;
        const double own = row_j[j];
        double pivot = own;
        for (int k = 0; k < j; k++) pivot -= row_j[k] * row_j[k];
        if (!(pivot > 4 * n * DBL_EPSILON * own) || !isfinite(pivot)) return false;
        row_j[j] = sqrt(pivot);
        for (int i = j + 1; i < n; i++) {
            double *const row_i = matrix + (int64_t)i * n;
            double sum = row_i[j];
            for (int k = 0; k < j; k++) sum -= row_i[k] * row_j[k];
            row_i[j] = sum / row_j[j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) vector[i] -= matrix[(int64_t)i * n + k] * vector[k];
        vector[i] /= matrix[(int64_t)i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) vector[i] -= matrix[(int64_t)k * n + i] * vector[k];
        vector[i] /= matrix[(int64_t)i * n + i];
    }
    return true;
}

/* Row i of G: A[J][J] g = e_i for the row's columns J, of which i is the last; divided by sqrt(g_i). */
static bool fill_fsai_row(const spw_csr *A, spw_csr *G, spw_idx i, desk *d) {
    const spw_idx *const J = G->col_idx + G->row_ptr[i];
    double *const g = G->val + G->row_ptr[i];
    const int n = G->row_ptr[i + 1] - G->row_ptr[i];
    memset(d->matrix, 0, (size_t)n * (size_t)n * sizeof *d->matrix);
    for (int k = 0; k < n; k++) {
        d->where[J[k]] = k;
        g[k] = k == n - 1;
    }
    for (int p = 0; p < n; p++)
        for (spw_idx k = A->row_ptr[J[p]]; k < A->row_ptr[J[p] + 1] && A->col_idx[k] <= J[p]; k++)
            if (d->where[A->col_idx[k]] >= 0)
                d->matrix[(int64_t)p * n + d->where[A->col_idx[k]]] = A->val[k];
    for (int k = 0; k < n; k++) d->where[J[k]] = -1;
    d->flop += (double)n * n * n / 3 + 2.0 * n * n;
    if (!solve_positive(n, d->matrix, g) || !(g[n - 1] > 0)) return false;
    const double scale = 1 / sqrt(g[n - 1]);
    for (int k = 0; k < n; k++) g[k] *= scale;
    return true;
}

static double sparse_dot(const spw_csr *A, spw_idx i, const double *x) {
    double sum = 0;
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += A->val[k] * x[A->col_idx[k]];
    return sum;
}

/* Row i of M^-1: the m over the row's columns J that minimises ||e_i - m A[J]||, by its normal equations
 * (A[J] A[J]^T) m = A[J] e_i. */
static bool fill_spai_row(const spw_csr *A, spw_csr *G, spw_idx i, desk *d) {
    const spw_idx *const J = G->col_idx + G->row_ptr[i];
    double *const m = G->val + G->row_ptr[i];
    const int n = G->row_ptr[i + 1] - G->row_ptr[i];
    for (int p = 0; p < n; p++) {
        const spw_idx begin = A->row_ptr[J[p]], end = A->row_ptr[J[p] + 1];
        for (spw_idx k = begin; k < end; k++) d->row[A->col_idx[k]] = A->val[k];
        m[p] = d->row[i];
        for (int q = p; q < n; q++) {
            d->matrix[(int64_t)q * n + p] = sparse_dot(A, J[q], d->row);
            d->flop += 2.0 * (A->row_ptr[J[q] + 1] - A->row_ptr[J[q]]);
        }
        for (spw_idx k = begin; k < end; k++) d->row[A->col_idx[k]] = 0;
    }
    d->flop += (double)n * n * n / 3 + 2.0 * n * n;
    return n > 0 && solve_positive(n, d->matrix, m);
}

static spw_status make_desk(spw_idx n, bool lower, desk *d) {
    *d = (desk){0};
    spw_status status = SPW_ALLOC(&d->matrix, SPW_SAI_WIDEST * SPW_SAI_WIDEST);
    if (!status && lower) status = SPW_ALLOC(&d->where, n);
    if (!status && !lower) status = SPW_ALLOC_ZERO(&d->row, n);
    for (spw_idx i = 0; lower && !status && i < n; i++) d->where[i] = -1;
    return status;
}

static void clear_desk(desk *d) {
    spw_free(d->matrix);
    spw_free(d->where);
    spw_free(d->row);
}

/* All rows of G. *bad: the first whose problem has no solution, n if all have. */
static spw_status fill_rows(const spw_csr *A, bool lower, spw_csr *G, spw_idx *bad, double *flop) {
    const int parts = spw_max_threads();
    desk desks[parts];
    spw_status status = SPW_OK;
    spw_idx first = G->n_rows;
    memset(desks, 0, sizeof desks);
    *flop = 0;
    for (int t = 0; t < parts && !status; t++) status = make_desk(G->n_rows, lower, &desks[t]);
    if (!status) {
#pragma omp parallel for schedule(dynamic, 64) reduction(min : first)
        for (spw_idx i = 0; i < G->n_rows; i++) {
            desk *const d = &desks[spw_thread()];
            if (!(lower ? fill_fsai_row : fill_spai_row)(A, G, i, d) && i < first) first = i;
        }
    }
    for (int t = 0; t < parts; t++) {
        *flop += desks[t].flop;
        clear_desk(&desks[t]);
    }
    *bad = first;
    return status;
}

/* --- the two --------------------------------------------------------------------------------------------------------- */

static spw_status check(const char *name, const spw_csr *A) {
    double *d;
    spw_status status = SPW_ALLOC(&d, A->n_rows);
    if (!status) status = spw_precond_diagonal(name, A, strcmp(name, "fsai") == 0, d);
    spw_free(d);
    return status;
}

static spw_status make(const char *name, const spw_csr *A, bool lower, spw_operator *M) {
    const double begin = spw_now(), n = A->n_rows;
    inverse *I = NULL;
    spw_idx cut = 0, bad = 0;
    double flop = 0;
    *M = (spw_operator){0};
    spw_status status = check(name, A);
    if (!status) status = SPW_ALLOC_ZERO(&I, 1);
    if (status) return status;
    status = make_pattern(A, lower, &I->G, &cut);
    if (!status) status = fill_rows(A, lower, &I->G, &bad, &flop);
    if (!status && bad < A->n_rows)
        status =
            spw_error(SPW_ERR_ARG, "%s: the small problem of row %" PRId32 " has no solution%s",
                      name, bad, lower ? ": the matrix is not positive definite" : "");
    if (!status && lower) status = spw_csr_transpose(&I->G, &I->Gt);
    if (!status && lower) status = SPW_ALLOC(&I->work, A->n_rows);
    if (!status) status = spw_operator_from_csr(&I->G, &I->g);
    if (!status && lower) status = spw_operator_from_csr(&I->Gt, &I->gt);
    if (status) {
        destroy(I);
        return status;
    }
    *M = (spw_operator){.name = name,
                        .n = A->n_rows,
                        .cost = spw_cost_sum(I->g.cost, I->gt.cost),
                        .write_allocate = (lower ? 16 : 8) * n,
                        .setup = {.load = (double)spw_csr_bytes(A),
                                  .store = (double)spw_csr_bytes(&I->G) * (lower ? 2 : 1),
                                  .flop = flop},
                        .context = I,
                        .apply = apply,
                        .destroy = destroy};
    if (cut)
        snprintf(M->note, sizeof M->note, "the %d largest entries of %" PRId32 " row%s",
                 SPW_SAI_WIDEST, cut, cut == 1 ? "" : "s");
    M->setup_seconds = spw_now() - begin;
    return SPW_OK;
}

spw_status spw_precond_fsai(const spw_csr *A, spw_operator *M) { return make("fsai", A, true, M); }

spw_status spw_precond_spai(const spw_csr *A, spw_operator *M) { return make("spai", A, false, M); }

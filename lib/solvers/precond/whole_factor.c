/* The whole factorisation as a preconditioner: z = A^-1 r, up to rounding. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/trsv.h"
#include "perf/timer.h"
#include "solvers/cholesky.h"
#include "solvers/precond/parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PANEL = 8 }; /* vectors for which the triangles are read once */

typedef struct whole {
    spw_triangle lower, upper;
    spw_idx *order; /* [n]  row k of the triangles is row order[k] */
    double *room;   /* [n * PANEL] */
} whole;

static void apply_panel(const whole *W, int nv, const double *X, int64_t ldx, double *Y,
                        int64_t ldy) {
    const spw_idx n = W->lower.n;
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < n; k++)
        memcpy(W->room + (int64_t)k * nv, X + W->order[k] * ldx, sizeof *X * (size_t)nv);
    spw_trsm_csr_omp_wait(&W->lower, nv, W->room, nv, W->room, nv);
    spw_trsm_csr_omp_wait(&W->upper, nv, W->room, nv, W->room, nv);
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < n; k++)
        memcpy(Y + W->order[k] * ldy, W->room + (int64_t)k * nv, sizeof *Y * (size_t)nv);
}

static void apply_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                        int64_t ldy) {
    for (int at = 0; at < nv; at += PANEL)
        apply_panel(context, nv - at < PANEL ? nv - at : PANEL, X + at, ldx, Y + at, ldy);
}

static void apply(void *context, const double *x, double *y) {
    apply_panel(context, 1, x, 1, y, 1);
}

static void destroy(void *context) {
    whole *W = context;
    spw_triangle_destroy(&W->lower);
    spw_triangle_destroy(&W->upper);
    spw_free(W->order);
    spw_free(W->room);
    spw_free(W);
}

static spw_status factor(const spw_csr *A, whole *W, double *flop) {
    spw_csr L = {0}, Lt = {0};
    spw_status status = spw_cholesky(A, &Lt, &W->order, flop);
    if (!status) status = spw_csr_transpose(&Lt, &L);
    if (!status) status = spw_triangle_from_csr(&L, SPW_LOWER, SPW_DIAGONAL_OWN, &W->lower);
    if (!status) status = spw_triangle_from_csr(&Lt, SPW_UPPER, SPW_DIAGONAL_OWN, &W->upper);
    if (!status) status = spw_triangle_schedule(&W->lower, spw_max_threads(), 0);
    if (!status) status = spw_triangle_schedule_turned(&W->upper, &W->lower);
    if (!status) status = SPW_ALLOC(&W->room, PANEL * (int64_t)A->n_rows);
    spw_csr_destroy(&L);
    spw_csr_destroy(&Lt);
    return status;
}

spw_status spw_precond_cholesky(const spw_csr *A, spw_operator *M) {
    const double begin = spw_now(), n = A->n_rows;
    double *d = NULL, flop = 0;
    whole *W = NULL;
    *M = (spw_operator){0};
    spw_status status = SPW_ALLOC(&d, A->n_rows);
    if (!status) status = spw_precond_diagonal("cholesky", A, true, d);
    spw_free(d);
    if (!status) status = SPW_ALLOC_ZERO(&W, 1);
    if (status) return status;
    status = factor(A, W, &flop);
    if (status) {
        destroy(W);
        return status;
    }
    const double bytes = (double)(spw_triangle_bytes(&W->lower) + spw_triangle_bytes(&W->upper));
    const double flops = 4.0 * W->lower.nnz + 2 * n;
    /* per vector: gather and scatter by order, and two solutions */
    *M = (spw_operator){.name = "cholesky",
                        .n = A->n_rows,
                        .cost = {.load = bytes + 8 * n + 32 * n, .store = 32 * n, .flop = flops},
                        .write_allocate = 8 * n,
                        .setup = {.load = (double)spw_csr_bytes(A), .store = bytes, .flop = flop},
                        .setup_seconds = spw_now() - begin,
                        .context = W,
                        .apply = apply,
                        .apply_block = apply_block,
                        .further = {.load = bytes / PANEL + 32 * n, .store = 32 * n, .flop = flops},
                        .destroy = destroy};
    snprintf(M->note, sizeof M->note, "%" PRId32 " entries in the factor, %.1f times A's",
             W->lower.nnz + W->lower.n,
             A->nnz > 0 ? 2 * ((double)W->lower.nnz + n) / ((double)A->nnz + n) : 1);
    return SPW_OK;
}

#include "solvers/operator.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/sbcsr.h"
#include "formats/sell_short.h"
#include "kernels/blas1.h"
#include "kernels/spmm.h"
#include "kernels/schedule/partition.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"
#include "perf/timer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

enum { STREAM_BYTES = 32 << 20 };

void spw_operator_apply(const spw_operator *A, const double *x, double *y) {
    assert(A && A->apply);
    A->apply(A->context, x, y);
}

void spw_operator_apply_dots(const spw_operator *A, const double *x, const double *w, double *y,
                             double *w_y, double *y_y) {
    assert(A && A->apply && w_y);
    if (A->apply_dots) {
        A->apply_dots(A->context, x, w, y, w_y, y_y);
        return;
    }
    A->apply(A->context, x, y);
    *w_y = spw_dot_omp_prefetch(A->n, w, y);
    if (y_y) *y_y = spw_dot_omp_prefetch(A->n, y, y);
}

spw_cost spw_operator_cost_dots(const spw_operator *A, int w_is_x, int with_y_y) {
    const double n = (double)A->n;
    spw_cost c = A->cost;
    c.flop += with_y_y ? 4 * n : 2 * n;
    if (A->apply_dots)
        c.load += w_is_x ? 0 : 8 * n;
    else
        c.load += with_y_y ? 24 * n : 16 * n;
    return c;
}

void spw_operator_apply_block(const spw_operator *A, int nv, const double *X, int64_t ldx,
                              double *Y, int64_t ldy, double *room, int one_by_one) {
    assert(A && A->apply && nv >= 1 && ldx >= nv && ldy >= nv);
    if (A->apply_block && !one_by_one) {
        A->apply_block(A->context, nv, X, ldx, Y, ldy);
        return;
    }
    double *x = room, *y = room + A->n;
    for (int j = 0; j < nv; j++) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < A->n; i++) x[i] = X[i * ldx + j];
        A->apply(A->context, x, y);
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < A->n; i++) Y[i * ldy + j] = y[i];
    }
}

spw_cost spw_operator_cost_block(const spw_operator *A, int nv, int one_by_one) {
    const bool at_once = A->apply_block && !one_by_one;
    const double further = at_once ? nv - 1 : 0, times = at_once ? 1 : nv;
    const double copies = at_once ? 0 : 16 * (double)A->n * nv;
    return (spw_cost){times * A->cost.load + further * A->further.load + copies,
                      times * A->cost.store + further * A->further.store + copies,
                      times * A->cost.flop + further * A->further.flop};
}

void spw_operator_sum(const spw_operator *A, int count, double *values) {
    if (A->sum) A->sum(A->context, count, values);
}

void spw_operator_destroy(spw_operator *A) {
    if (!A) return;
    if (A->destroy) A->destroy(A->context);
    *A = (spw_operator){0};
}

static spw_status check_square(int64_t n_rows, int64_t n_cols) {
    if (n_rows == n_cols) return SPW_OK;
    return spw_error(SPW_ERR_ARG,
                     "the matrix is %" PRId64 " x %" PRId64 ": a solver needs a square one", n_rows,
                     n_cols);
}

/* matrix_bytes: what a kernel reads of the matrix; stored: entries with the padding. */
static spw_operator make(const char *name, int64_t n, int64_t matrix_bytes, int64_t stored,
                         const void *matrix) {
    const double rows = (double)n;
    return (spw_operator){.name = name,
                          .n = n,
                          .cost = {.load = (double)matrix_bytes + 8 * rows,
                                   .store = 8 * rows,
                                   .flop = 2 * (double)stored},
                          .write_allocate = 8 * rows,
                          .context = (void *)matrix};
}

/* --- CSR --------------------------------------------------------------------------------------------- */

static void apply_csr(void *context, const double *x, double *y) {
    spw_spmv_csr_omp_balanced(context, x, y);
}

static void apply_csr_dots(void *context, const double *x, const double *w, double *y, double *w_y,
                           double *y_y) {
    double unused;
    spw_spmv_with_dots_csr_omp(context, x, w, y, w_y, y_y ? y_y : &unused);
}

/* Blocks that no cache keeps are written past the caches. */
static void apply_csr_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                            int64_t ldy) {
    const spw_csr *A = context;
    const bool large = 8 * (int64_t)nv * A->n_rows > STREAM_BYTES;
    (large ? spw_spmm_csr_omp_bypass : spw_spmm_csr_omp_registers)(A, nv, X, ldx, Y, ldy);
}

spw_status spw_operator_from_csr(const spw_csr *A, spw_operator *op) {
    spw_csr_shares shares;
    *op = (spw_operator){0};
    const spw_status status = check_square(A->n_rows, A->n_cols);
    if (status) return status;
    *op = make("csr", A->n_rows, spw_csr_bytes(A), A->nnz, A);
    op->apply = apply_csr;
    op->apply_block = apply_csr_block;
    op->further = (spw_cost){8.0 * A->n_rows, 8.0 * A->n_rows, 2.0 * A->nnz};
    /* A giant row must be shared by threads, which the product with sums does not do. */
    spw_csr_divide(A, spw_max_threads(), &shares);
    if (shares.n_giants == 0) op->apply_dots = apply_csr_dots;
    return SPW_OK;
}

/* --- other formats, in a copy of its own --------------------------------------------------------------- */

/* A chunk of SELL. And a block of SBCSR is worth its mirror image from so many rows on: by pairs of single entries
 * the product was slower than by SELL (stencil27:100; kernels/expert/spmv_sbcsr.c). */
enum { SLICE = 8, LEAST_BLOCK = 3 };

typedef struct converted {
    const spw_csr *A;
    spw_sell_short S; /* one of both; the other is all zero */
    spw_sbcsr H;
} converted;

static void apply_sell_short(void *context, const double *x, double *y) {
    spw_spmv_sell_short_omp(&((const converted *)context)->S, x, y);
}

static void apply_sell_short_dots(void *context, const double *x, const double *w, double *y,
                                  double *w_y, double *y_y) {
    double unused;
    spw_spmv_with_dots_sell_short_omp(&((const converted *)context)->S, x, w, y, w_y,
                                      y_y ? y_y : &unused);
}

static void apply_sbcsr(void *context, const double *x, double *y) {
    spw_spmv_sbcsr_omp(&((const converted *)context)->H, x, y);
}

static void apply_converted_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                                  int64_t ldy) {
    apply_csr_block((void *)((const converted *)context)->A, nv, X, ldx, Y, ldy);
}

static void destroy_converted(void *context) {
    converted *c = context;
    spw_sell_short_destroy(&c->S);
    spw_sbcsr_destroy(&c->H);
    spw_free(c);
}

/* The copy, and what it is; with neither *op stays as it is. */
static spw_status convert(converted *c, spw_operator *op) {
    const spw_csr *A = c->A;
    int suits;
    spw_status status = SPW_ERR_ARG;
    if (spw_sbcsr_block(A) >= LEAST_BLOCK) status = spw_sbcsr_from_csr(A, spw_max_threads(), &c->H);
    if (!status) {
        *op = make("sbcsr", A->n_rows, spw_sbcsr_bytes(&c->H), A->nnz, c);
        op->apply = apply_sbcsr;
        return SPW_OK;
    }
    if (status != SPW_ERR_ARG) return status; /* else it has no blocks, or is not symmetric */
    status = spw_sell_short_suits(A, SLICE, &suits);
    if (status || !suits) return status;
    status = spw_sell_short_from_csr(A, SLICE, 1, &c->S);
    if (status) return status;
    *op = make("sell_short", A->n_rows, spw_sell_short_bytes(&c->S), c->S.n_stored, c);
    op->apply = apply_sell_short;
    op->apply_dots = apply_sell_short_dots;
    return SPW_OK;
}

spw_status spw_operator_convert(const spw_csr *A, spw_operator *op) {
    const double begin = spw_now();
    converted *c = NULL;
    spw_operator csr;
    *op = (spw_operator){0};
    spw_status status = spw_operator_from_csr(A, &csr);
    if (!status) status = SPW_ALLOC_ZERO(&c, 1);
    if (status) return status;
    c->A = A;
    status = convert(c, op);
    if (status || !op->apply) {
        destroy_converted(c);
        if (!status) *op = csr;
        return status;
    }
    op->apply_block = apply_converted_block;
    op->further = csr.further;
    op->destroy = destroy_converted;
    op->setup_seconds = spw_now() - begin;
    return SPW_OK;
}

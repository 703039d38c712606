/* LOBPCG with its tall matrices in the host's memory. Nothing here can fail but an allocation. */
#include "solvers/lobpcg_parts.h"

#include "base/memory.h"

#include <stddef.h>
#include <string.h>

/* The context: room for a vector and its product, where an operator takes one at a time. */
static spw_status begin(int64_t n, int width, void **context) {
    double *room;
    (void)width;
    const spw_status status = SPW_ALLOC(&room, 2 * n);
    *context = room;
    return status;
}

static spw_status alloc(int64_t count, double **V) { return SPW_ALLOC(V, count); }

static void release(double *V) { spw_free(V); }

static spw_status copy(int64_t count, const double *from, double *to) {
    memcpy(to, from, sizeof *to * (size_t)count);
    return SPW_OK;
}

static spw_status wait_for_nothing(void) { return SPW_OK; }

static spw_status gram(void *context, int64_t n, int n_x, const spw_block *X, int n_y,
                       const spw_block *Y, double *C) {
    (void)context;
    spw_gram_blocks_omp(n, n_x, X, n_y, Y, C);
    return SPW_OK;
}

static spw_status combine(void *context, int64_t n, int n_x, const spw_block *X, const double *C,
                          int n_y, const spw_block *Y) {
    (void)context;
    spw_combine_omp(n, n_x, X, C, n_y, Y);
    return SPW_OK;
}

static spw_status residual(void *context, int64_t n, int nv, const double *lambda, const double *U,
                           const double *V, int64_t ld, double *R, double *square) {
    (void)context;
    spw_residual_omp(n, nv, lambda, U, ld, V, ld, R, ld, square);
    return SPW_OK;
}

static spw_status select(int64_t n, int count, const int *from, const double *X, int64_t ldx,
                         double *Y, int64_t ldy) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < count; j++) Y[i * ldy + j] = X[i * ldx + from[j]];
    return SPW_OK;
}

static spw_status multiply(void *context, const void *op, int nv, const double *X, double *Y,
                           int64_t ld, int one_by_one) {
    spw_operator_apply_block(op, nv, X, ld, Y, ld, context, one_by_one);
    return SPW_OK;
}

static spw_cost cost(const void *op, int nv, int one_by_one) {
    return spw_operator_cost_block(op, nv, one_by_one);
}

static void sum(const void *op, int count, double *values) { spw_operator_sum(op, count, values); }

static spw_lobpcg_matrix matrix(const spw_operator *op) {
    return op ? (spw_lobpcg_matrix){op, op->name, op->n, op->first, op->sum != NULL}
              : (spw_lobpcg_matrix){0};
}

spw_status spw_lobpcg(const spw_operator *A, const spw_operator *B, const spw_operator *M,
                      double *X, int use_guess, const spw_lobpcg_options *options,
                      spw_lobpcg_result *result) {
    static const spw_lobpcg_place host = {.on_host = true,
                                          .begin = begin,
                                          .end = spw_free,
                                          .alloc = alloc,
                                          .release = release,
                                          .to_host = copy,
                                          .from_host = copy,
                                          .wait = wait_for_nothing,
                                          .gram = gram,
                                          .combine = combine,
                                          .residual = residual,
                                          .select = select,
                                          .multiply = multiply,
                                          .cost = cost,
                                          .sum = sum};
    return spw_lobpcg_run(&host, matrix(A), matrix(B), matrix(M), X, use_guess, options, result);
}

#include "solvers/operator_float.h"

#include "base/memory.h"
#include "perf/timer.h"

#include <inttypes.h>
#include <stddef.h>

static spw_status check_square(spw_idx rows, spw_idx cols) {
    if (rows == cols) return SPW_OK;
    return spw_error(SPW_ERR_ARG,
                     "an operator in single precision of a %" PRId32 " x %" PRId32
                     " matrix: it must be square",
                     rows, cols);
}

/* x and y besides the matrix. */
static spw_operator_float make(const char *name, double n, double scale, double bytes,
                               double stored, const void *context) {
    return (spw_operator_float){
        .name = name,
        .n = (int64_t)n,
        .scale = scale,
        .cost = {.load = bytes + 4 * n, .store = 4 * n, .flop = 2 * stored + 2 * n},
        .write_allocate = 4 * n,
        .context = (void *)context};
}

void spw_operator_float_destroy(spw_operator_float *op) {
    if (!op) return;
    if (op->destroy) op->destroy(op->context);
    *op = (spw_operator_float){0};
}

/* --- CSR ----------------------------------------------------------------------------------------------------- */

static double apply_csr(const void *context, const float *x, float *y) {
    return spw_spmv_with_dot_float_omp(context, x, y);
}

static void destroy_csr(void *context) {
    spw_csr_float_destroy(context);
    spw_free(context);
}

spw_status spw_operator_float_from_csr(const spw_csr_float *S, spw_operator_float *op) {
    *op = (spw_operator_float){0};
    const spw_status status = check_square(S->n_rows, S->n_cols);
    if (status) return status;
    *op = make("csr", S->n_rows, S->scale, 8.0 * S->nnz + 4.0 * S->n_rows + 4, S->nnz, S);
    op->apply_dot = apply_csr;
    return SPW_OK;
}

static spw_status own_csr(const spw_csr *A, spw_operator_float *op) {
    spw_csr_float *S = NULL;
    spw_status status = SPW_ALLOC_ZERO(&S, 1);
    if (!status) status = spw_csr_float_from_csr(A, S);
    if (!status) status = spw_operator_float_from_csr(S, op);
    if (status)
        destroy_csr(S);
    else
        op->destroy = destroy_csr;
    return status;
}

/* --- SELL with short indices ---------------------------------------------------------------------------------- */

static double apply_sell_short(const void *context, const float *x, float *y) {
    return spw_spmv_with_dot_sell_short_float_omp(context, x, y);
}

static void destroy_sell_short(void *context) {
    spw_sell_short_float_destroy(context);
    spw_free(context);
}

static spw_status own_sell_short(const spw_csr *A, spw_operator_float *op) {
    spw_sell_short_float *S = NULL;
    spw_status status = SPW_ALLOC_ZERO(&S, 1);
    if (!status) status = spw_sell_short_float_from_csr(A, S);
    if (status) {
        destroy_sell_short(S);
        return status;
    }
    *op = make("sell_short", A->n_rows, S->scale, (double)spw_sell_short_float_bytes(S),
               S->S.n_stored, S);
    op->apply_dot = apply_sell_short;
    op->destroy = destroy_sell_short;
    return SPW_OK;
}

spw_status spw_operator_float_convert(const spw_csr *A, spw_operator_float *op) {
    const double begin = spw_now();
    int suits;
    *op = (spw_operator_float){0};
    spw_status status = check_square(A->n_rows, A->n_cols);
    if (!status) status = spw_sell_short_suits(A, SPW_SINGLE_ROWS, &suits);
    if (!status) status = (suits ? own_sell_short : own_csr)(A, op);
    if (!status) op->setup_seconds = spw_now() - begin;
    return status;
}

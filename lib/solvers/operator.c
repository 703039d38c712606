#include "solvers/operator.h"

#include "kernels/blas1.h"

#include <assert.h>
#include <stdbool.h>

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
    return spw_cost_sum(
        spw_cost_sum(spw_cost_times(times, A->cost), spw_cost_times(further, A->further)),
        (spw_cost){copies, copies, 0});
}

void spw_operator_sum(const spw_operator *A, int count, double *values) {
    if (A->sum) A->sum(A->context, count, values);
}

spw_status spw_operator_agree(const spw_operator *A, spw_status mine) {
    double failed = mine != SPW_OK;
    spw_operator_sum(A, 1, &failed);
    return failed && !mine ? spw_error(SPW_ERR_MEMORY, "no room for another part of A") : mine;
}

void spw_operator_destroy(spw_operator *A) {
    if (!A) return;
    if (A->destroy) A->destroy(A->context);
    *A = (spw_operator){0};
}

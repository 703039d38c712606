/* Rows of a rank as an operator: the exchange runs while the own part is multiplied. */
#include "distributed/rows.h"

#include "base/memory.h"

#include <stddef.h>

typedef struct distributed {
    const spw_comm *c;
    const spw_rows *R;
    spw_operator local;
    spw_transfer transfer;
    int width; /* vectors of a message */
    double *sent, *ghosts;
} distributed;

static void apply_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                        int64_t ldy) {
    distributed *d = context;
    const spw_rows *R = d->R;
    const spw_csr *G = &R->ghost;
    const spw_idx n = R->pairs.to_ptr[R->pairs.n_to];
    for (; nv > d->width; nv -= d->width, X += d->width, Y += d->width)
        apply_block(d, d->width, X, ldx, Y, ldy);
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < n; k++)
        for (int j = 0; j < nv; j++) d->sent[(int64_t)k * nv + j] = X[R->sent[k] * ldx + j];
    spw_transfer_begin(&R->pairs, nv, d->sent, d->ghosts, &d->transfer);
    if (nv > 1 || ldx > 1 || ldy > 1)
        spw_operator_apply_block(&d->local, nv, X, ldx, Y, ldy, NULL, 0);
    else
        spw_operator_apply(&d->local, X, Y);
    spw_transfer_finish(&d->transfer);
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < R->n_boundary; k++) {
        const spw_idx i = R->boundary[k];
        for (int j = 0; j < nv; j++) {
            double sum = 0;
            for (spw_idx e = G->row_ptr[i]; e < G->row_ptr[i + 1]; e++)
                sum += G->val[e] * d->ghosts[(int64_t)G->col_idx[e] * nv + j];
            Y[i * ldy + j] += sum;
        }
    }
}

static void apply(void *context, const double *x, double *y) {
    apply_block(context, 1, x, 1, y, 1);
}

/* One rank does what one process does, to the bit. */
static void apply_dots(void *context, const double *x, const double *w, double *y, double *w_y,
                       double *y_y) {
    const distributed *d = context;
    spw_operator_apply_dots(&d->local, x, w, y, w_y, y_y);
}

static void sum(void *context, int count, double *values) {
    spw_comm_sum(((const distributed *)context)->c, count, values);
}

static void destroy(void *context) {
    distributed *d = context;
    spw_transfer_destroy(&d->transfer);
    spw_operator_destroy(&d->local);
    spw_free(d->sent);
    spw_free(d->ghosts);
    spw_free(d);
}

spw_status spw_operator_from_rows(const spw_comm *c, const spw_rows *R, int width,
                                  const char *format, spw_operator *op) {
    distributed *d;
    *op = (spw_operator){0};
    spw_status status = SPW_ALLOC_ZERO(&d, 1);
    if (status) return spw_comm_agree(c, status);
    d->c = c;
    d->R = R;
    d->width = width;
    const double ghosts = (double)R->n_ghosts, sent = (double)R->pairs.to_ptr[R->pairs.n_to];
    status = format      ? spw_operator_in(&R->local, format, &d->local)
             : width > 1 ? spw_operator_from_csr(&R->local, &d->local)
                         : spw_operator_convert(&R->local, &d->local);
    if (!status) status = SPW_ALLOC(&d->sent, (int64_t)sent * width);
    if (!status) status = SPW_ALLOC(&d->ghosts, (int64_t)R->n_ghosts * width);
    if (!status) status = spw_transfer_create(&R->pairs, &d->transfer);
    status = spw_comm_agree(c, status);
    if (status) {
        destroy(d);
        return status;
    }
    const spw_operator *A = &d->local;
    *op = (spw_operator){.name = A->name,
                         .n = A->n,
                         .cost = A->cost,
                         .write_allocate = A->write_allocate,
                         .setup_seconds = A->setup_seconds,
                         .context = d,
                         .apply = apply,
                         .apply_dots = c->size == 1 && A->apply_dots ? apply_dots : NULL,
                         .apply_block = width > 1 ? apply_block : NULL,
                         .further = A->further,
                         .sum = sum,
                         .first = R->first[c->rank],
                         .destroy = destroy};
    op->cost.load += 12 * (double)R->ghost.nnz + 8 * ghosts + 12 * sent;
    op->cost.store += 8 * sent;
    op->cost.flop += 2 * (double)R->ghost.nnz;
    return SPW_OK;
}

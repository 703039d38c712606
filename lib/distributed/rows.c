#include "distributed/rows.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- which rows ------------------------------------------------------------------------------------------ */

/* An entry counts as much as a row, as in kernels/schedule/partition.h. */
static spw_status cut(const spw_comm *c, const spw_csr *A, const int64_t *first, spw_rows *R) {
    const spw_status status = SPW_ALLOC(&R->first, c->size + 1);
    if (status) return status;
    if (first) {
        memcpy(R->first, first, (size_t)(c->size + 1) * sizeof *first);
        return SPW_OK;
    }
    const double work = (double)A->nnz + (double)A->n_rows;
    spw_idx i = 0;
    for (int r = 0; r <= c->size; r++) {
        while (i < A->n_rows && (double)A->row_ptr[i] + (double)i < work * r / c->size) i++;
        R->first[r] = r == c->size ? A->n_rows : i;
    }
    return SPW_OK;
}

/* --- split ----------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Global columns of other ranks, each once. */
static spw_status find_ghosts(const spw_csr *A, int64_t begin, int64_t end, spw_rows *R) {
    int64_t many = 0;
    for (spw_idx k = A->row_ptr[begin]; k < A->row_ptr[end]; k++)
        many += A->col_idx[k] < begin || A->col_idx[k] >= end;
    const spw_status status = SPW_ALLOC(&R->ghosts, many);
    if (status) return status;
    int64_t n = 0;
    for (spw_idx k = A->row_ptr[begin]; k < A->row_ptr[end]; k++)
        if (A->col_idx[k] < begin || A->col_idx[k] >= end) R->ghosts[n++] = A->col_idx[k];
    if (n) qsort(R->ghosts, (size_t)n, sizeof *R->ghosts, ascending);
    for (int64_t k = 0; k < n; k++)
        if (R->n_ghosts == 0 || R->ghosts[R->n_ghosts - 1] != R->ghosts[k])
            R->ghosts[R->n_ghosts++] = R->ghosts[k];
    return SPW_OK;
}

static spw_idx number_of(const spw_rows *R, int64_t column) {
    const int64_t *found =
        bsearch(&column, R->ghosts, (size_t)R->n_ghosts, sizeof column, ascending);
    return (spw_idx)(found - R->ghosts);
}

static void fill(const spw_csr *A, int64_t begin, int64_t end, spw_rows *R) {
    spw_idx n_local = 0, n_ghost = 0;
    R->local.row_ptr[0] = R->ghost.row_ptr[0] = 0;
    for (int64_t i = begin; i < end; i++) {
        const spw_idx before = n_ghost;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const int64_t j = A->col_idx[k];
            const bool mine = j >= begin && j < end;
            spw_csr *to = mine ? &R->local : &R->ghost;
            const spw_idx at = mine ? n_local++ : n_ghost++;
            to->col_idx[at] = mine ? (spw_idx)(j - begin) : number_of(R, j);
            to->val[at] = A->val[k];
        }
        if (n_ghost > before) R->boundary[R->n_boundary++] = (spw_idx)(i - begin);
        R->local.row_ptr[i - begin + 1] = n_local;
        R->ghost.row_ptr[i - begin + 1] = n_ghost;
    }
}

static spw_status split(const spw_csr *A, int64_t begin, int64_t end, spw_rows *R) {
    const int64_t n = end - begin;
    int64_t others = 0;
    spw_status status = find_ghosts(A, begin, end, R);
    if (status) return status;
    for (spw_idx k = A->row_ptr[begin]; k < A->row_ptr[end]; k++)
        others += A->col_idx[k] < begin || A->col_idx[k] >= end;
    const int64_t all = A->row_ptr[end] - A->row_ptr[begin];
    status = spw_csr_create(n, n, all - others, &R->local);
    if (!status) status = spw_csr_create(n, R->n_ghosts, others, &R->ghost);
    if (!status) status = SPW_ALLOC(&R->boundary, n);
    if (!status) fill(A, begin, end, R);
    return status;
}

/* --- who sends what --------------------------------------------------------------------------------------- */

static spw_status make_room(int size, spw_pairs *p) {
    spw_status status = SPW_ALLOC_ZERO(&p->to, size);
    if (!status) status = SPW_ALLOC_ZERO(&p->from, size);
    if (!status) status = SPW_ALLOC_ZERO(&p->to_ptr, size + 1);
    if (!status) status = SPW_ALLOC_ZERO(&p->from_ptr, size + 1);
    return status;
}

/* counts[r]: of the ghosts, how many are rank r's. */
static void count_ghosts(const spw_comm *c, const spw_rows *R, int *counts) {
    int owner = 0;
    memset(counts, 0, (size_t)c->size * sizeof *counts);
    for (spw_idx k = 0; k < R->n_ghosts; k++) {
        while (R->ghosts[k] >= R->first[owner + 1]) owner++;
        counts[owner]++;
    }
}

static int list(int size, const int *counts, int *ranks, spw_idx *ptr) {
    int n = 0;
    for (int r = 0; r < size; r++) {
        if (!counts[r]) continue;
        ranks[n] = r;
        ptr[n + 1] = ptr[n] + counts[r];
        n++;
    }
    return n;
}

/* Each tells the owners of its ghosts which they are: the exchange backwards, with numbers. */
static spw_status ask(const spw_comm *c, spw_rows *R) {
    spw_pairs *p = &R->pairs;
    const spw_idx n = p->to_ptr[p->n_to];
    const spw_pairs back = {p->n_from, p->n_to, p->from, p->to, p->from_ptr, p->to_ptr};
    int64_t *wanted = NULL;
    spw_transfer t = {0};
    spw_status status = SPW_ALLOC(&wanted, n);
    if (!status) status = SPW_ALLOC(&R->sent, n);
    if (!status) status = spw_transfer_create(&back, &t);
    status = spw_comm_agree(c, status);
    if (!status) {
        spw_transfer_begin_numbers(&back, R->ghosts, wanted, &t);
        spw_transfer_finish(&t);
        for (spw_idx k = 0; k < n; k++) R->sent[k] = (spw_idx)(wanted[k] - R->first[c->rank]);
    }
    spw_transfer_destroy(&t);
    spw_free(wanted);
    return status;
}

static spw_status plan(const spw_comm *c, spw_rows *R) {
    int *wanted = NULL, *asked = NULL;
    spw_status status = make_room(c->size, &R->pairs);
    if (!status) status = SPW_ALLOC(&wanted, c->size);
    if (!status) status = SPW_ALLOC(&asked, c->size);
    status = spw_comm_agree(c, status);
    if (!status) {
        spw_pairs *p = &R->pairs;
        count_ghosts(c, R, wanted);
        spw_comm_tell_counts(c, wanted, asked);
        p->n_from = list(c->size, wanted, p->from, p->from_ptr);
        p->n_to = list(c->size, asked, p->to, p->to_ptr);
        status = ask(c, R);
    }
    spw_free(wanted);
    spw_free(asked);
    return status;
}

spw_status spw_rows_split(const spw_comm *c, const spw_csr *A, const int64_t *first, spw_rows *R) {
    *R = (spw_rows){.n_global = A->n_rows};
    spw_status status = SPW_OK;
    if (A->n_rows != A->n_cols)
        status = spw_error(SPW_ERR_ARG,
                           "the matrix is %" PRId64 " x %" PRId64 ": a solver needs a square one",
                           (int64_t)A->n_rows, (int64_t)A->n_cols);
    if (!status) status = cut(c, A, first, R);
    if (!status) status = split(A, R->first[c->rank], R->first[c->rank + 1], R);
    if (status) spw_rows_destroy(R);
    return status;
}

spw_status spw_rows_from_csr(const spw_comm *c, const spw_csr *A, const int64_t *first,
                             spw_rows *R) {
    spw_status status = spw_comm_agree(c, spw_rows_split(c, A, first, R));
    if (!status) status = plan(c, R);
    if (status) spw_rows_destroy(R);
    return status;
}

void spw_rows_destroy(spw_rows *R) {
    if (!R) return;
    spw_csr_destroy(&R->local);
    spw_csr_destroy(&R->ghost);
    spw_free(R->first);
    spw_free(R->boundary);
    spw_free(R->ghosts);
    spw_free(R->sent);
    spw_free(R->pairs.to);
    spw_free(R->pairs.from);
    spw_free(R->pairs.to_ptr);
    spw_free(R->pairs.from_ptr);
    *R = (spw_rows){0};
}

int64_t spw_rows_messages(const spw_rows *R) { return R->pairs.n_to; }
int64_t spw_rows_bytes(const spw_rows *R) {
    return R->pairs.n_to ? 8 * (int64_t)R->pairs.to_ptr[R->pairs.n_to] : 0;
}

/* --- the operator ----------------------------------------------------------------------------------------- */

typedef struct distributed {
    const spw_comm *c;
    const spw_rows *R;
    spw_operator local;
    spw_transfer transfer;
    double *sent, *ghosts;
} distributed;

static void apply(void *context, const double *x, double *y) {
    distributed *d = context;
    const spw_rows *R = d->R;
    const spw_csr *G = &R->ghost;
    const spw_idx n = R->pairs.to_ptr[R->pairs.n_to];
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < n; k++) d->sent[k] = x[R->sent[k]];
    spw_transfer_begin(&R->pairs, d->sent, d->ghosts, &d->transfer);
    spw_operator_apply(&d->local, x, y);
    spw_transfer_finish(&d->transfer);
#pragma omp parallel for schedule(static)
    for (spw_idx k = 0; k < R->n_boundary; k++) {
        const spw_idx i = R->boundary[k];
        double sum = 0;
        for (spw_idx e = G->row_ptr[i]; e < G->row_ptr[i + 1]; e++)
            sum += G->val[e] * d->ghosts[G->col_idx[e]];
        y[i] += sum;
    }
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

spw_status spw_operator_from_rows(const spw_comm *c, const spw_rows *R, spw_operator *op) {
    distributed *d;
    *op = (spw_operator){0};
    spw_status status = SPW_ALLOC_ZERO(&d, 1);
    if (status) return spw_comm_agree(c, status);
    d->c = c;
    d->R = R;
    const double ghosts = (double)R->n_ghosts, sent = (double)R->pairs.to_ptr[R->pairs.n_to];
    status = spw_operator_convert(&R->local, &d->local);
    if (!status) status = SPW_ALLOC(&d->sent, (int64_t)sent);
    if (!status) status = SPW_ALLOC(&d->ghosts, R->n_ghosts);
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
                         .sum = sum,
                         .destroy = destroy};
    op->cost.load += 12 * (double)R->ghost.nnz + 8 * ghosts + 12 * sent;
    op->cost.store += 8 * sent;
    op->cost.flop += 2 * (double)R->ghost.nnz;
    return SPW_OK;
}

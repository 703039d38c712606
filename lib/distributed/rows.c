#include "distributed/rows.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- split ----------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Global columns of other ranks, each once. many: their entries. */
static spw_status find_ghosts(const spw_csr *A, int64_t begin, int64_t end, int64_t many,
                              spw_rows *R) {
    const spw_status status = SPW_ALLOC(&R->ghosts, many);
    if (status) return status;
    int64_t n = 0;
    for (spw_idx k = A->row_ptr[0]; k < A->row_ptr[A->n_rows]; k++)
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
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx before = n_ghost;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const int64_t j = A->col_idx[k];
            const bool mine = j >= begin && j < end;
            spw_csr *to = mine ? &R->local : &R->ghost;
            const spw_idx at = mine ? n_local++ : n_ghost++;
            to->col_idx[at] = mine ? (spw_idx)(j - begin) : number_of(R, j);
            to->val[at] = A->val[k];
        }
        if (n_ghost > before) R->boundary[R->n_boundary++] = i;
        R->local.row_ptr[i + 1] = n_local;
        R->ghost.row_ptr[i + 1] = n_ghost;
    }
}

static spw_status split(const spw_csr *A, int64_t begin, int64_t end, spw_rows *R) {
    const spw_idx n = A->n_rows, all = A->row_ptr[n] - A->row_ptr[0];
    int64_t others = 0;
    for (spw_idx k = A->row_ptr[0]; k < A->row_ptr[n]; k++)
        others += A->col_idx[k] < begin || A->col_idx[k] >= end;
    spw_status status = find_ghosts(A, begin, end, others, R);
    if (!status) status = spw_csr_create(n, n, all - others, &R->local);
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

spw_status spw_rows_split(const spw_comm *c, const spw_csr *mine, const int64_t *first,
                          spw_rows *R) {
    *R = (spw_rows){.n_global = mine->n_cols};
    spw_status status = SPW_ALLOC(&R->first, c->size + 1);
    if (!status) {
        memcpy(R->first, first, (size_t)(c->size + 1) * sizeof *first);
        status = split(mine, first[c->rank], first[c->rank + 1], R);
    }
    if (status) spw_rows_destroy(R);
    return status;
}

spw_status spw_rows_from_csr(const spw_comm *c, const spw_csr *mine, const int64_t *first,
                             spw_rows *R) {
    double entries = mine->row_ptr[mine->n_rows] - mine->row_ptr[0];
    spw_status status = spw_comm_agree(c, spw_rows_split(c, mine, first, R));
    if (!status) status = plan(c, R);
    if (!status) {
        spw_comm_sum(c, 1, &entries);
        R->nnz_global = (int64_t)entries;
    } else {
        spw_rows_destroy(R);
    }
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

/* By what is received: each owner of ghosts once, and each ghost once. */
void spw_rows_least(const spw_comm *c, const spw_rows *R, double *messages, double *bytes) {
    double least[2] = {0, 8 * (double)R->n_ghosts};
    int owner = -1;
    for (spw_idx k = 0; k < R->n_ghosts; k++) {
        if (k && R->ghosts[k] < R->first[owner + 1]) continue;
        while (R->ghosts[k] >= R->first[owner + 1]) owner++;
        least[0]++;
    }
    spw_comm_sum(c, 2, least);
    *messages = least[0];
    *bytes = least[1];
}

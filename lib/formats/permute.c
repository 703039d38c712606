#include "formats/permute.h"

#include "base/memory.h"
#include "formats/coo.h"

#include <stdbool.h>
#include <stdlib.h>

/* --- reverse Cuthill-McKee ------------------------------------------------------------------------- */

/* The graph, and what a walk over it needs. */
typedef struct walk {
    const spw_csr *A;
    spw_csr T;       /* the transpose */
    spw_idx *degree; /* [n]  neighbours, without the vertex itself */
    spw_idx *level;  /* [n]  in the last search from a vertex; UNSEEN, DONE */
    spw_idx *queue;  /* [n] */
    int64_t *keys;   /* [n]  neighbours to be sorted */
} walk;

enum { UNSEEN = -1, DONE = -2 };

/* Visits each neighbour of v once: the two rows are merged. Begin with *a and *b at the starts of v's rows;
 * -1 when all have been visited. */
static spw_idx next_neighbour(const walk *w, spw_idx v, spw_idx *a, spw_idx *b)
{
    for (;;) {
        const bool in_a = *a < w->A->row_ptr[v + 1], in_b = *b < w->T.row_ptr[v + 1];
        if (!in_a && !in_b) return -1;
        const spw_idx from_a = in_a ? w->A->col_idx[*a] : SPW_IDX_MAX;
        const spw_idx from_b = in_b ? w->T.col_idx[*b] : SPW_IDX_MAX;
        const spw_idx u = from_a < from_b ? from_a : from_b;
        *a += in_a && from_a == u;
        *b += in_b && from_b == u;
        if (u != v) return u;
    }
}

#define FOR_NEIGHBOURS(w, v, u)                                                                    \
    for (spw_idx u, at_a = (w)->A->row_ptr[v], at_b = (w)->T.row_ptr[v];                           \
         (u = next_neighbour(w, v, &at_a, &at_b)) >= 0;)

/* Levels of all that can be reached from `root`, which go to queue[0 .. *count-1]; returns the last
 * level. */
static spw_idx search(const walk *w, spw_idx root, int64_t *count)
{
    int64_t end = 0;
    w->queue[end++] = root;
    w->level[root] = 0;
    for (int64_t at = 0; at < end; at++) {
        const spw_idx v = w->queue[at];
        FOR_NEIGHBOURS(w, v, u)
        {
            if (w->level[u] != UNSEEN) continue;
            w->level[u] = w->level[v] + 1;
            w->queue[end++] = u;
        }
    }
    *count = end;
    return w->level[w->queue[end - 1]];
}

/* A vertex at the rim of the part of the graph that v belongs to: as long as a search from a vertex of
 * least degree in the last level goes deeper, go there. */
static spw_idx find_rim(const walk *w, spw_idx v)
{
    spw_idx depth = -1;
    for (;;) {
        int64_t count;
        const spw_idx deepest = search(w, v, &count);
        spw_idx next = w->queue[count - 1];
        for (int64_t k = count - 1; k >= 0 && w->level[w->queue[k]] == deepest; k--)
            if (w->degree[w->queue[k]] <= w->degree[next]) next = w->queue[k];
        for (int64_t k = 0; k < count; k++) w->level[w->queue[k]] = UNSEEN;
        if (deepest <= depth) return v;
        depth = deepest;
        v = next;
    }
}

static int by_key(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Numbers root's part of the graph, from order[begin] on; returns its end. */
static int64_t number(const walk *w, spw_idx root, int64_t begin, spw_idx *order)
{
    const int64_t above = INT64_C(1) << 32;
    int64_t end = begin;
    order[end++] = root;
    w->level[root] = DONE;
    for (int64_t at = begin; at < end; at++) {
        int64_t count = 0;
        FOR_NEIGHBOURS(w, order[at], u)
        {
            if (w->level[u] == DONE) continue;
            w->level[u] = DONE;
            w->keys[count++] = w->degree[u] * above + u;
        }
        if (count > 1) qsort(w->keys, (size_t)count, sizeof *w->keys, by_key);
        for (int64_t k = 0; k < count; k++) order[end++] = (spw_idx)(w->keys[k] % above);
    }
    return end;
}

static void number_all(const walk *w, spw_idx *order)
{
    const spw_idx n = w->A->n_rows;
    for (spw_idx v = 0; v < n; v++) {
        w->level[v] = UNSEEN;
        w->degree[v] = 0;
        FOR_NEIGHBOURS(w, v, u) w->degree[v]++;
    }
    int64_t end = 0;
    for (spw_idx v = 0; v < n; v++)
        if (w->level[v] == UNSEEN) end = number(w, find_rim(w, v), end, order);
    for (int64_t i = 0, j = end - 1; i < j; i++, j--) {
        const spw_idx swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

spw_status spw_csr_rcm(const spw_csr *A, spw_idx **order)
{
    *order = NULL;
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG,
                         "reverse Cuthill-McKee: the matrix is %d x %d, must be square", A->n_rows,
                         A->n_cols);
    walk w = {.A = A};
    spw_status status = spw_csr_transpose(A, &w.T);
    if (!status) status = SPW_ALLOC(&w.degree, A->n_rows);
    if (!status) status = SPW_ALLOC(&w.level, A->n_rows);
    if (!status) status = SPW_ALLOC(&w.queue, A->n_rows);
    if (!status) status = SPW_ALLOC(&w.keys, A->n_rows);
    if (!status) status = SPW_ALLOC(order, A->n_rows);
    if (!status) number_all(&w, *order);
    spw_csr_destroy(&w.T);
    spw_free(w.degree);
    spw_free(w.level);
    spw_free(w.queue);
    spw_free(w.keys);
    return status;
}

/* --- permutations ---------------------------------------------------------------------------------- */

spw_status spw_order_invert(spw_idx n, const spw_idx *order, spw_idx *inverse)
{
    for (spw_idx i = 0; i < n; i++) inverse[i] = -1;
    for (spw_idx i = 0; i < n; i++) {
        const spw_idx k = order[i];
        if (k < 0 || k >= n || inverse[k] >= 0)
            return spw_error(SPW_ERR_ARG,
                             "an order of %d: number %d is %d, which is outside or comes twice", n,
                             i, k);
        inverse[k] = i;
    }
    return SPW_OK;
}

static spw_status invert(spw_idx n, const spw_idx *order, spw_idx **inverse)
{
    const spw_status status = SPW_ALLOC(inverse, n);
    return status ? status : spw_order_invert(n, order, *inverse);
}

static void renumber(int64_t n, const spw_idx *new_number, spw_idx *numbers)
{
    if (!new_number) return;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < n; k++) numbers[k] = new_number[numbers[k]];
}

spw_status spw_csr_permute(const spw_csr *A, const spw_idx *row_order, const spw_idx *col_order,
                           spw_csr *B)
{
    spw_idx *new_row = NULL, *new_col = NULL;
    spw_coo C;
    *B = (spw_csr){0};
    spw_status status = spw_coo_from_csr(A, &C);
    if (!status && row_order) status = invert(A->n_rows, row_order, &new_row);
    if (!status && col_order) status = invert(A->n_cols, col_order, &new_col);
    if (!status) {
        renumber(C.nnz, new_row, C.row_idx);
        renumber(C.nnz, new_col, C.col_idx);
        status = spw_csr_from_coo(&C, B);
    }
    spw_coo_destroy(&C);
    spw_free(new_row);
    spw_free(new_col);
    return status;
}

void spw_permute(spw_idx n, const spw_idx *order, const double *from, double *to)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < n; i++) to[i] = from[order[i]];
}

void spw_permute_back(spw_idx n, const spw_idx *order, const double *from, double *to)
{
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < n; i++) to[order[i]] = from[i];
}

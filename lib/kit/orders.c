#include "kit/orders.h"

#include "base/memory.h"
#include "base/random.h"
#include "formats/permute.h"
#include "perf/line_cache.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

spw_status spw_order_shuffle(uint64_t seed, spw_idx run, spw_csr *A) {
    const spw_idx n = A->n_rows, runs = (n + run - 1) / run;
    spw_idx *order, *first = NULL, row = 0;
    spw_csr B = {0};
    spw_status status = SPW_ALLOC(&order, n + 1);
    if (!status) status = SPW_ALLOC(&first, runs + 1);
    if (!status) {
        for (spw_idx i = 0; i < runs; i++) first[i] = i * run;
        for (spw_idx i = runs - 1; i > 0; i--) {
            const spw_idx k = (spw_idx)spw_random_below(seed, (uint64_t)i, i + 1), last = first[i];
            first[i] = first[k];
            first[k] = last;
        }
        for (spw_idx i = 0; i < runs; i++)
            for (spw_idx k = first[i]; k < first[i] + run && k < n; k++) order[row++] = k;
        status = spw_csr_permute(A, order, order, &B);
    }
    spw_free(order);
    spw_free(first);
    spw_csr_destroy(A);
    *A = B;
    return status;
}

spw_status spw_order_graph(const spw_csr *A, spw_csr *G) {
    spw_coo C;
    *G = (spw_csr){0};
    spw_status status = spw_coo_create(A->n_rows, A->n_rows, 2 * (int64_t)A->nnz, &C);
    if (status) return status;
    spw_idx m = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx j = A->col_idx[k];
            if (i == j) continue;
            C.row_idx[m] = C.col_idx[m + 1] = i;
            C.col_idx[m] = C.row_idx[m + 1] = j;
            C.val[m] = C.val[m + 1] = 1;
            m += 2;
        }
    C.nnz = m;
    status = spw_csr_from_coo(&C, G);
    spw_coo_destroy(&C);
    return status;
}

static const spw_csr *sorted; /* by whose degrees `fewer` compares */

static spw_idx degree_of(const spw_csr *G, spw_idx i) { return G->row_ptr[i + 1] - G->row_ptr[i]; }

static int fewer(const void *a, const void *b) {
    const spw_idx i = *(const spw_idx *)a, j = *(const spw_idx *)b;
    const spw_idx d = degree_of(sorted, i), e = degree_of(sorted, j);
    return d != e ? (d > e) - (d < e) : (i > j) - (i < j);
}

static spw_idx search(const spw_csr *G, spw_idx start, bool by_degree, spw_idx *level,
                      spw_idx *order) {
    spw_idx count = 0;
    level[start] = 0;
    order[count++] = start;
    sorted = G;
    for (spw_idx k = 0; k < count; k++) {
        const spw_idx first = count;
        for (spw_idx at = G->row_ptr[order[k]]; at < G->row_ptr[order[k] + 1]; at++)
            if (level[G->col_idx[at]] < 0) {
                level[G->col_idx[at]] = level[order[k]] + 1;
                order[count++] = G->col_idx[at];
            }
        if (by_degree && count - first > 1)
            qsort(order + first, (size_t)(count - first), sizeof *order, fewer);
    }
    return count;
}

spw_idx spw_order_bfs(const spw_csr *G, spw_idx start, spw_idx *level, spw_idx *order) {
    return search(G, start, false, level, order);
}

static spw_idx at_rim(const spw_csr *G, spw_idx start, spw_idx *level, spw_idx *room) {
    for (spw_idx depth = 0;;) {
        const spw_idx count = spw_order_bfs(G, start, level, room), last = level[room[count - 1]];
        spw_idx first = count - 1, next;
        while (first > 0 && level[room[first - 1]] == last) first--;
        next = room[first];
        for (spw_idx k = first; k < count; k++)
            if (degree_of(G, room[k]) < degree_of(G, next)) next = room[k];
        for (spw_idx k = 0; k < count; k++) level[room[k]] = -1;
        if (last <= depth) return start;
        depth = last;
        start = next;
    }
}

void spw_order_rcm(const spw_csr *G, spw_idx *level, spw_idx *order) {
    spw_idx count = 0;
    for (spw_idx row = 0; row < G->n_rows; row++)
        if (level[row] < 0) {
            const spw_idx start = at_rim(G, row, level, order + count);
            count += search(G, start, true, level, order + count);
        }
    for (spw_idx k = 0; k < count / 2; k++) {
        const spw_idx row = order[k];
        order[k] = order[count - 1 - k];
        order[count - 1 - k] = row;
    }
}

/* Streams take one access for each of their lines. Addresses that no array has, a page apart. */
spw_status spw_order_gamma(const spw_csr *A, int64_t cache, double *gamma) {
    spw_line_cache c;
    double fetched = 0;
    if (A->nnz < 1) return spw_error(SPW_ERR_ARG, "a matrix without entries has no gamma");
    const spw_status status = spw_line_cache_create(cache, &c);
    if (status) return status;
    const uintptr_t room = (uintptr_t)1 << 40, val = room, col = 2 * room, x = 3 * room,
                    y = 4 * room, ptr = 5 * room;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            if (k % 8 == 0) spw_line_cache_access(&c, (const void *)(val + 8 * (uintptr_t)k), 8);
            if (k % 16 == 0) spw_line_cache_access(&c, (const void *)(col + 4 * (uintptr_t)k), 4);
            const double before = c.fetched;
            spw_line_cache_access(&c, (const void *)(x + 8 * (uintptr_t)A->col_idx[k]), 8);
            fetched += c.fetched - before;
        }
        if (i % 8 == 0) spw_line_cache_access(&c, (const void *)(y + 8 * (uintptr_t)i), 8);
        if (i % 16 == 0) spw_line_cache_access(&c, (const void *)(ptr + 4 * (uintptr_t)i), 4);
    }
    spw_line_cache_destroy(&c);
    *gamma = 8 * fetched / A->nnz;
    return SPW_OK;
}

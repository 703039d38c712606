#include "reorder.h"

#include <math.h>

/* Given. How many neighbours row i has. */
spw_idx degree(const graph *G, spw_idx i) {
    return G->ptr[i + 1] - G->ptr[i];
}

/* Given. Sorts `count` rows: few neighbours first, and of two with as many the lower number. */
void sort_by_degree(const graph *G, spw_idx *rows, spw_idx count) {
    for (spw_idx gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (spw_idx k = gap; k < count; k++) {
            const spw_idx row = rows[k], d = degree(G, row);
            spw_idx m = k;
            for (; m >= gap; m -= gap) {
                const spw_idx other = rows[m - gap], e = degree(G, other);
                if (e < d || (e == d && other < row)) break;
                rows[m] = other;
            }
            rows[m] = row;
        }
}

/* Given. Sorts the n entries of a row by column. */
void sort_row(spw_idx *col, double *val, spw_idx n) {
    for (spw_idx gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (spw_idx k = gap; k < n; k++) {
            const spw_idx j = col[k];
            const double v = val[k];
            spw_idx m = k;
            for (; m >= gap && col[m - gap] > j; m -= gap) {
                col[m] = col[m - gap];
                val[m] = val[m - gap];
            }
            col[m] = j;
            val[m] = v;
        }
}

/* 1. Write. The rows that are reached from start; return how many. */
spw_idx bfs_order(const graph *G, spw_idx start, spw_idx *level, spw_idx *order) {
    /* your code here */
}

/* Given. A row at the rim of the part that has row `start`: of the last level the row with the fewest neighbours, and
 * from there again, as long as that makes more levels. level is -1 in that part, before and after. room  [n] */
spw_idx rim(const graph *G, spw_idx start, spw_idx *level, spw_idx *room) {
    for (spw_idx levels = 0;;) {
        const spw_idx count = bfs_order(G, start, level, room);
        if (count < 1) return start;
        const spw_idx last = level[room[count - 1]];
        spw_idx next = room[count - 1];
        for (spw_idx k = count - 1; k >= 0 && level[room[k]] == last; k--)
            if (degree(G, room[k]) <= degree(G, next)) next = room[k];
        for (spw_idx k = 0; k < count; k++) level[room[k]] = -1;
        if (last <= levels) return start;
        levels = last;
        start = next;
    }
}

/* 2. Write. Reverse Cuthill-McKee; rim(G, row, level, order + count) may use what is behind the rows that have a place.
 */
void rcm_order(const graph *G, spw_idx *level, spw_idx *order) {
    /* your code here */
}

/* 3. Write. B = P A P^T. */
void permute(const spw_csr *A, const spw_idx *order, spw_idx *inverse, const spw_csr *B) {
    /* your code here */
}

/* 4. Write. y = P x. */
void to_new(spw_idx n, const spw_idx *order, const double *x, double *y) {
    /* your code here */
}

/* 5. Write. x = P^T y. */
void to_old(spw_idx n, const spw_idx *order, const double *y, double *x) {
    /* your code here */
}

/* 6. Predict. One product, with 8 gamma bytes of x for each entry. */
spw_cost product_cost(double n, double nz, double gamma) {
    /* your model here */
}

/* 7. Write. After how many products reordering has paid for itself; -1: never. */
double repaid_after(double setup, double before, double after) {
    /* your code here */
}

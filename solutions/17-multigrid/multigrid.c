#include "multigrid.h"

/* Given. r = b - A x */
void residual(const spw_csr *A, const double *b, const double *x, double *r) {
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = b[i];
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum -= A->val[k] * x[A->col_idx[k]];
        r[i] = sum;
    }
}

/* Given. x and y of a level change places. */
void swap(level *V) {
    double *x = V->x;
    V->x = V->y;
    V->y = x;
}

/* 1. Write. b = 4 times the weighted mean of r around each coarse point. */
void restrict_full(grid G, const double *r, double *b) {
    /* SOLUTION your code here */
    const spw_idx m = G.m, half = (m - 1) / 2;
    const int reach = G.dim == 3; /* planes to either side */
#pragma omp parallel for schedule(static)
    for (spw_idx line = 0; line < (G.dim == 3 ? half * half : half); line++) {
        const int64_t j = 2 * (line % half) + 1, k = G.dim == 3 ? 2 * (line / half) + 1 : 0;
        double *to = b + (int64_t)line * half;
        for (spw_idx I = 0; I < half; I++) to[I] = 0;
        for (int dz = -reach; dz <= reach; dz++)
            for (int dy = -1; dy <= 1; dy++) {
                const double *from = r + ((k + dz) * m + j + dy) * m;
                /* 4 (1/4 or 1/2) in each direction: 1 or 1/2 on the point itself */
                const double w = (G.dim == 3 ? 0.5 : 1) * (dy ? 0.5 : 1) * (dz ? 0.5 : 1);
                for (spw_idx I = 0; I < half; I++)
                    to[I] += w * (0.5 * from[2 * I] + from[2 * I + 1] + 0.5 * from[2 * I + 2]);
            }
    }
    /* END */
}

/* 2. Write. x += e, interpolated. */
void prolong_add(grid G, const double *e, double *x) {
    /* SOLUTION your code here */
    const spw_idx m = G.m, half = (m - 1) / 2;
#pragma omp parallel for schedule(static)
    for (spw_idx line = 0; line < (G.dim == 3 ? m * m : m); line++) {
        const spw_idx j = line % m, k = G.dim == 3 ? line / m : 1;
        double *to = x + (int64_t)line * m;
        for (spw_idx K = (k + 1) / 2 - 1; K <= k / 2; K++) /* once, or the two beside */
            for (spw_idx J = (j + 1) / 2 - 1; J <= j / 2; J++) {
                if (K < 0 || K >= half || J < 0 || J >= half) continue; /* 0 around the grid */
                const double *from = e + ((int64_t)(G.dim == 3 ? K : 0) * half + J) * half;
                const double w = (j % 2 ? 1 : 0.5) * (k % 2 ? 1 : 0.5);
                to[0] += 0.5 * w * from[0];
                for (spw_idx I = 0; I < half; I++) {
                    const double next = I + 1 < half ? from[I + 1] : 0;
                    to[2 * I + 1] += w * from[I];
                    to[2 * I + 2] += 0.5 * w * (from[I] + next);
                }
            }
    }
    /* END */
}

/* 3. Write. out = x + scale (b - A x) */
void relax(const spw_csr *A, double scale, const double *b, const double *x, double *out) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = b[i];
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum -= A->val[k] * x[A->col_idx[k]];
        out[i] = x[i] + scale * sum;
    }
    /* END */
}

/* 4. Write. One V-cycle from level l to the coarsest and back. */
void v_cycle(levels *L, int l, int before, int after, int guess) {
    /* SOLUTION your code here */
    level *V = &L->level[l];
    if (l + 1 == L->count) { /* one point */
        V->x[0] = V->b[0] / V->A.val[0];
        return;
    }
    level *coarse = &L->level[l + 1];
    if (!guess) { /* the first relaxation of 0 */
#pragma omp parallel for schedule(static)
        for (spw_idx i = 0; i < V->A.n_rows; i++) V->x[i] = V->scale * V->b[i];
    }
    for (int s = guess ? 0 : 1; s < before; s++) {
        relax(&V->A, V->scale, V->b, V->x, V->y);
        swap(V);
    }
    residual(&V->A, V->b, V->x, V->y);
    restrict_full(V->G, V->y, coarse->b);
    v_cycle(L, l + 1, before, after, 0);
    prolong_add(V->G, coarse->x, V->x);
    for (int s = 0; s < after; s++) {
        relax(&V->A, V->scale, V->b, V->x, V->y);
        swap(V);
    }
    /* END */
}

/* 5. Predict. Bytes and flops of v_cycle(L, 0, before, after, 1). */
spw_cost v_cycle_cost(const levels *L, int before, int after) {
    /* SOLUTION your model here */
    spw_cost sum = {0};
    for (int l = 0; l + 1 < L->count; l++) {
        const double n = L->level[l].A.n_rows, nz = L->level[l].A.nnz;
        const double coarse = L->level[l + 1].A.n_rows, weights = L->level[l].G.dim == 3 ? 27 : 9;
        const int zero = l > 0; /* the first relaxation begins at 0 */
        const double relaxations = before + after - zero, passes = relaxations + 1;
        sum.load += passes * (12 * nz + 28 * n) + zero * 16 * n + 16 * n + 16 * coarse;
        sum.store += passes * 8 * n + zero * 8 * n + 8 * n + 8 * coarse;
        sum.flop += passes * 2 * nz + relaxations * 2 * n + zero * n + 4 * weights * coarse;
    }
    return sum;
    /* END */
}

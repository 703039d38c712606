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
    /* your code here */
}

/* 2. Write. x += e, interpolated. */
void prolong_add(grid G, const double *e, double *x) {
    /* your code here */
}

/* 3. Write. out = x + scale (b - A x) */
void relax(const spw_csr *A, double scale, const double *b, const double *x, double *out) {
    /* your code here */
}

/* 4. Write. One V-cycle from level l to the coarsest and back. */
void v_cycle(levels *L, int l, int before, int after, int guess) {
    /* your code here */
}

/* 5. Predict. Bytes and flops of v_cycle(L, 0, before, after, 1). */
spw_cost v_cycle_cost(const levels *L, int before, int after) {
    /* your model here */
}

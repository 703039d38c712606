#include "incomplete_cholesky.h"

#include <math.h>

/* Given. The sum over j < k of l_ij l_kj, for rows i and k of L. Both rows are sorted: a and b move along them, and
 * where both are at the same column there is a product to add. */
double row_dot(const lower *L, spw_idx i, spw_idx k) {
    spw_idx a = L->row_ptr[i], b = L->row_ptr[k];
    double sum = 0;
    while (L->col_idx[a] < k && L->col_idx[b] < k) {
        const spw_idx j = L->col_idx[a], m = L->col_idx[b];
        if (j == m) sum += L->val[a] * L->val[b];
        a += j <= m;
        b += m <= j;
    }
    return sum;
}

/* 1. Write. L->val, row after row; return -1, or the first row whose pivot is not above 0. One thread: a row needs
 * rows above. */
spw_idx ic0_factor(const spw_csr *A, double shift, const lower *L) {
    /* SOLUTION your code here; row_dot(L, i, k) is the sum */
    for (spw_idx i = 0; i < L->n; i++) {
        const spw_idx begin = L->row_ptr[i], last = L->row_ptr[i + 1] - 1;
        const double *a = A->val + A->row_ptr[i]; /* a[k - begin] stands where L->val[k] does */
        double pivot = (1 + shift) * a[last - begin];
        for (spw_idx k = begin; k < last; k++) {
            const spw_idx j = L->col_idx[k];
            L->val[k] = (a[k - begin] - row_dot(L, i, j)) / L->val[L->row_ptr[j + 1] - 1];
            pivot -= L->val[k] * L->val[k];
        }
        if (!(pivot > 0)) return i;
        L->val[last] = sqrt(pivot);
    }
    return -1;
    /* END */
}

/* 2. Write. The same with the first shift of 0, 0.001, 0.002, 0.004 ... that works; return the shift. */
double ic0(const spw_csr *A, const lower *L) {
    /* SOLUTION your code here */
    double shift = 0;
    while (ic0_factor(A, shift, L) >= 0) shift = shift > 0 ? 2 * shift : 0.001;
    return shift;
    /* END */
}

/* 3. Write. level[i]; return how many levels there are. */
spw_idx levels(spw_idx n, const spw_idx *row_ptr, const spw_idx *col_idx, int upper,
               spw_idx *level) {
    /* SOLUTION your code here */
    spw_idx count = 0;
    for (spw_idx m = 0; m < n; m++) {
        const spw_idx i = upper ? n - 1 - m : m;
        level[i] = 0;
        for (spw_idx k = row_ptr[i]; k < row_ptr[i + 1]; k++)
            if (level[col_idx[k]] >= level[i]) level[i] = level[col_idx[k]] + 1;
        if (level[i] >= count) count = level[i] + 1;
    }
    return count;
    /* END */
}

/* 4. Predict. Bytes and flops of one ic0_apply, both triangles. */
spw_cost ic0_cost(double n, double nz) {
    /* SOLUTION your model here */
    const double beside = nz - n; /* in both triangles together */
    return (spw_cost){
        .load = 12 * beside + 2 * (32 * n), .store = 16 * n, .flop = 2 * beside + 2 * n};
    /* END */
}

/* 5. Write. x = T^-1 b, level after level. */
void solve(const triangle *T, const double *b, double *x) {
    /* SOLUTION your code here */
#pragma omp parallel
    for (spw_idx l = 0; l < T->n_levels; l++) {
#pragma omp for schedule(static)
        for (spw_idx k = T->level_ptr[l]; k < T->level_ptr[l + 1]; k++) {
            const spw_idx i = T->row[k];
            double sum = b[i];
            for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++)
                sum -= T->val[at] * x[T->col_idx[at]];
            x[i] = sum * T->inverse[i];
        } /* here all wait for each other */
    }
    /* END */
}

/* 6. Write. z = (L L^T)^-1 r. */
void ic0_apply(const triangle *L, const triangle *L_transposed, const double *r, double *z,
               double *work) {
    /* SOLUTION your code here */
    solve(L, r, work);
    solve(L_transposed, work, z);
    /* END */
}

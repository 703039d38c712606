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
    /* your code here; row_dot(L, i, k) is the sum */
}

/* 2. Write. The same with the first shift of 0, 0.001, 0.002, 0.004 ... that works; return the shift. */
double ic0(const spw_csr *A, const lower *L) {
    /* your code here */
}

/* 3. Write. level[i]; return how many levels there are. */
spw_idx levels(spw_idx n, const spw_idx *row_ptr, const spw_idx *col_idx, int upper,
               spw_idx *level) {
    /* your code here */
}

/* 4. Predict. Bytes and flops of one ic0_apply, both triangles. */
spw_cost ic0_cost(double n, double nz) {
    /* your model here */
}

/* 5. Write. x = T^-1 b, level after level. */
void solve(const triangle *T, const double *b, double *x) {
    /* your code here */
}

/* 6. Write. z = (L L^T)^-1 r. */
void ic0_apply(const triangle *L, const triangle *L_transposed, const double *r, double *z,
               double *work) {
    /* your code here */
}

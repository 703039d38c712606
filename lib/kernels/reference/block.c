#include "kernels/block.h"

#include <assert.h>

void spw_gram_ref(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                  int64_t ldy, double *C) {
    assert(n >= 0 && p >= 1 && q >= 1 && ldx >= p && ldy >= q);
    for (int a = 0; a < p; a++)
        for (int b = 0; b < q; b++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++) sum += X[i * ldx + a] * Y[i * ldy + b];
            C[a * q + b] = sum;
        }
}

void spw_combine_ref(int64_t n, int n_x, const spw_block *X, const double *C, int n_y,
                     const spw_block *Y) {
    const int q = spw_block_columns(n_y, Y);
    assert(n >= 0 && n_x >= 1 && n_y >= 1 && q <= SPW_BLOCK_MAX);
    for (int64_t i = 0; i < n; i++) {
        double sum[SPW_BLOCK_MAX]; /* Y may be X */
        for (int b = 0; b < q; b++) {
            sum[b] = 0;
            for (int k = 0, a = 0; k < n_x; k++)
                for (int j = 0; j < X[k].nv; j++, a++)
                    sum[b] += X[k].at[i * X[k].ld + j] * C[a * q + b];
        }
        for (int k = 0, b = 0; k < n_y; k++)
            for (int j = 0; j < Y[k].nv; j++, b++) Y[k].at[i * Y[k].ld + j] = sum[b];
    }
}

void spw_residual_ref(int64_t n, int nv, const double *lambda, const double *U, int64_t ldu,
                      const double *V, int64_t ldv, double *R, int64_t ldr, double *square) {
    assert(n >= 0 && nv >= 1 && ldu >= nv && ldv >= nv && ldr >= nv);
    for (int j = 0; j < nv; j++) {
        square[j] = 0;
        for (int64_t i = 0; i < n; i++) {
            const double r = U[i * ldu + j] - lambda[j] * V[i * ldv + j];
            R[i * ldr + j] = r;
            square[j] += r * r;
        }
    }
}

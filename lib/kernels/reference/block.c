#include "kernels/block.h"

#include <assert.h>

void spw_gram_ref(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                  int64_t ldy, double *C)
{
    assert(n >= 0 && p >= 1 && q >= 1 && ldx >= p && ldy >= q);
    for (int a = 0; a < p; a++)
        for (int b = 0; b < q; b++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++) sum += X[i * ldx + a] * Y[i * ldy + b];
            C[a * q + b] = sum;
        }
}

void spw_combine_ref(int64_t n, int p, const double *X, int64_t ldx, int q, const double *C,
                     double *Y, int64_t ldy)
{
    assert(n >= 0 && p >= 1 && q >= 1 && q <= SPW_BLOCK_MAX && ldx >= p && ldy >= q);
    for (int64_t i = 0; i < n; i++) {
        double row[SPW_BLOCK_MAX]; /* Y may be X */
        for (int b = 0; b < q; b++) {
            row[b] = 0;
            for (int a = 0; a < p; a++) row[b] += X[i * ldx + a] * C[a * q + b];
        }
        for (int b = 0; b < q; b++) Y[i * ldy + b] = row[b];
    }
}

void spw_residual_ref(int64_t n, int nv, const double *lambda, const double *U, int64_t ldu,
                      const double *V, int64_t ldv, double *R, int64_t ldr, double *square)
{
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

#include "kernels/block.h"
#include "kernels/double_double.h"

#include <assert.h>

void spw_gram_dd_ref(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                     int64_t ldy, double *hi, double *lo) {
    assert(n >= 0 && p >= 1 && q >= 1 && ldx >= p && ldy >= q);
    for (int a = 0; a < p; a++)
        for (int b = 0; b < q; b++) {
            spw_dd sum = {0, 0};
            for (int64_t i = 0; i < n; i++)
                sum = spw_dd_add(sum, spw_dd_two_product(X[i * ldx + a], Y[i * ldy + b]));
            hi[a * q + b] = sum.hi;
            lo[a * q + b] = sum.lo;
        }
}

#include "solvers/orthogonalise_mixed.h"

#include "base/memory.h"
#include "kernels/double_double.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Of a vector's length, what is left of it beside the others: below, it is rounding error. */
static const double DEPENDENT = 32 * DBL_EPSILON;

/* Row by row: R[k][k..] from G[k][k..] and the rows above. Vectors that depend on earlier ones leave a zero
 * pivot and a zero row. */
static void factorise(int nv, spw_dd *R) {
    for (int k = 0; k < nv; k++) {
        const double before = R[k * nv + k].hi;
        for (int r = 0; r < k; r++)
            for (int j = k; j < nv; j++)
                R[k * nv + j] = spw_dd_add(
                    R[k * nv + j], spw_dd_negative(spw_dd_multiply(R[r * nv + k], R[r * nv + j])));
        const spw_dd pivot = R[k * nv + k];
        const int dropped = !(pivot.hi > DEPENDENT * DEPENDENT * before);
        const spw_dd root = spw_dd_sqrt(pivot);
        for (int j = k; j < nv; j++)
            R[k * nv + j] = dropped ? (spw_dd){0, 0} : spw_dd_divide(R[k * nv + j], root);
    }
}

/* Column j of R^-1, by solving R t = e_j from the bottom; rows of zero pivots stay zero. */
static void invert_column(int nv, const spw_dd *R, int j, spw_dd *t) {
    for (int k = 0; k < nv; k++) t[k] = (spw_dd){0, 0};
    t[j] = spw_dd_divide((spw_dd){1, 0}, R[j * nv + j]);
    for (int k = j - 1; k >= 0; k--) {
        if (R[k * nv + k].hi == 0) continue;
        spw_dd sum = {0, 0};
        for (int c = k + 1; c <= j; c++)
            sum = spw_dd_add(sum, spw_dd_multiply(R[k * nv + c], t[c]));
        t[k] = spw_dd_negative(spw_dd_divide(sum, R[k * nv + k]));
    }
}

spw_status spw_ortho_transform_dd(int nv, const double *hi, const double *lo, double *T,
                                  int *rank) {
    spw_dd *R = NULL;
    spw_status status = SPW_ALLOC(&R, (int64_t)nv * (nv + 1));
    *rank = 0;
    if (status) return status;
    spw_dd *t = R + (int64_t)nv * nv;
    memset(T, 0, sizeof *T * (size_t)nv * (size_t)nv);
    for (int64_t k = 0; k < (int64_t)nv * nv && !status; k++) {
        R[k] = (spw_dd){hi[k], lo[k]};
        if (!isfinite(hi[k]) || !isfinite(lo[k]))
            status = spw_error(SPW_ERR_ARG,
                               "the product of vectors %d and %d is %g: a value is not "
                               "finite, or too large",
                               (int)(k / nv), (int)(k % nv), hi[k]);
    }
    if (status) goto out;
    factorise(nv, R);
    for (int j = 0; j < nv; j++) {
        if (R[j * nv + j].hi == 0) continue;
        invert_column(nv, R, j, t);
        for (int k = 0; k <= j; k++) T[k * nv + *rank] = t[k].hi;
        ++*rank;
    }
out:
    spw_free(R);
    return status;
}

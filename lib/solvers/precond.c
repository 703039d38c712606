/* Identity and Jacobi. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "perf/timer.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* --- identity ------------------------------------------------------------------------------------------ */

typedef struct identity {
    int64_t n;
} identity;

static void apply_identity(void *context, const double *x, double *y)
{
    const identity *I = context;
    spw_copy_omp(I->n, x, y);
}

spw_status spw_precond_identity(int64_t n, spw_operator *M)
{
    identity *I;
    *M = (spw_operator){0};
    if (n < 0) return spw_error(SPW_ERR_ARG, "a preconditioner of %" PRId64 " rows", n);
    const spw_status status = SPW_ALLOC(&I, 1);
    if (status) return status;
    I->n = n;
    *M = (spw_operator){.name = "identity",
                        .n = n,
                        .cost = {.load = 8 * (double)n, .store = 8 * (double)n},
                        .write_allocate = 8 * (double)n,
                        .context = I,
                        .apply = apply_identity,
                        .destroy = spw_free};
    return SPW_OK;
}

/* --- Jacobi -------------------------------------------------------------------------------------------- */

typedef struct jacobi {
    int64_t n;
    double *inverse; /* [n] */
} jacobi;

static void apply_jacobi(void *context, const double *x, double *y)
{
    const jacobi *J = context;
    spw_diag_omp(J->n, J->inverse, x, y);
}

static void apply_jacobi_dots(void *context, const double *x, const double *w, double *y,
                              double *w_y, double *y_y)
{
    const jacobi *J = context;
    if (w == x) {
        *w_y = spw_diag_dot_omp(J->n, J->inverse, x, y);
    } else {
        spw_diag_omp(J->n, J->inverse, x, y);
        *w_y = spw_dot_omp_prefetch(J->n, w, y);
    }
    if (y_y) *y_y = spw_dot_omp_prefetch(J->n, y, y);
}

static void destroy_jacobi(void *context)
{
    jacobi *J = context;
    spw_free(J->inverse);
    spw_free(J);
}

/* Position of the diagonal entry of row i, -1 if there is none. */
static spw_idx find_diagonal(const spw_csr *A, spw_idx i)
{
    spw_idx low = A->row_ptr[i], high = A->row_ptr[i + 1];
    while (low < high) {
        const spw_idx middle = low + (high - low) / 2;
        if (A->col_idx[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->row_ptr[i + 1] && A->col_idx[low] == i ? low : -1;
}

/* inverse[i] = 1 / a_ii; returns the first row where that cannot be, n_rows if there is none. */
static spw_idx invert_diagonal(const spw_csr *A, double *inverse)
{
    spw_idx bad = A->n_rows;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx k = find_diagonal(A, i);
        inverse[i] = k < 0 ? 0 : 1 / A->val[k];
        if ((k < 0 || !isfinite(inverse[i]) || inverse[i] == 0) && i < bad) bad = i;
    }
    return bad;
}

spw_status spw_precond_jacobi(const spw_csr *A, spw_operator *M)
{
    const double begin = spw_now(), n = (double)A->n_rows;
    jacobi *J = NULL;
    spw_idx bad;
    *M = (spw_operator){0};
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG,
                         "jacobi: the matrix is %" PRId32 " x %" PRId32 ", it must be square",
                         A->n_rows, A->n_cols);
    spw_status status = SPW_ALLOC_ZERO(&J, 1);
    if (!status) status = SPW_ALLOC(&J->inverse, A->n_rows);
    if (status) goto fail;
    J->n = A->n_rows;
    bad = invert_diagonal(A, J->inverse);
    if (bad < A->n_rows) {
        const spw_idx k = find_diagonal(A, bad);
        status = k < 0
                     ? spw_error(SPW_ERR_ARG, "jacobi: row %" PRId32 " has no diagonal entry", bad)
                     : spw_error(SPW_ERR_ARG,
                                 "jacobi: the diagonal entry of row %" PRId32
                                 " is %g, which has no inverse",
                                 bad, A->val[k]);
        goto fail;
    }
    *M = (spw_operator){.name = "jacobi",
                        .n = A->n_rows,
                        .cost = {.load = 16 * n, .store = 8 * n, .flop = n},
                        .write_allocate = 8 * n,
                        .setup = {.load = 12 * n + 4 * n, .store = 8 * n, .flop = n},
                        .setup_seconds = spw_now() - begin,
                        .context = J,
                        .apply = apply_jacobi,
                        .apply_dots = apply_jacobi_dots,
                        .only_x_y = 1,
                        .destroy = destroy_jacobi};
    return SPW_OK;
fail:
    if (J) destroy_jacobi(J);
    return status;
}

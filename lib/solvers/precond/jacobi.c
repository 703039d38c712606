/* Jacobi: the diagonal. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "perf/timer.h"
#include "solvers/precond/parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

typedef struct jacobi {
    int64_t n;
    double *inverse; /* [n] */
} jacobi;

static void apply_jacobi(void *context, const double *x, double *y) {
    const jacobi *J = context;
    spw_diag_omp(J->n, J->inverse, x, y);
}

static void apply_jacobi_dots(void *context, const double *x, const double *w, double *y,
                              double *w_y, double *y_y) {
    const jacobi *J = context;
    if (w == x) {
        *w_y = spw_diag_dot_omp(J->n, J->inverse, x, y);
    } else {
        spw_diag_omp(J->n, J->inverse, x, y);
        *w_y = spw_dot_omp_prefetch(J->n, w, y);
    }
    if (y_y) *y_y = spw_dot_omp_prefetch(J->n, y, y);
}

static void apply_jacobi_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                               int64_t ldy) {
    const jacobi *J = context;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < J->n; i++)
        for (int j = 0; j < nv; j++) Y[i * ldy + j] = J->inverse[i] * X[i * ldx + j];
}

static void destroy_jacobi(void *context) {
    jacobi *J = context;
    spw_free(J->inverse);
    spw_free(J);
}

spw_status spw_precond_jacobi(const spw_csr *A, spw_operator *M) {
    const double begin = spw_now(), n = (double)A->n_rows;
    jacobi *J = NULL;
    *M = (spw_operator){0};
    spw_status status = SPW_ALLOC_ZERO(&J, 1);
    if (!status) status = SPW_ALLOC(&J->inverse, A->n_rows);
    if (!status) status = spw_precond_diagonal("jacobi", A, false, J->inverse);
    if (status) goto fail;
    J->n = A->n_rows;
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) J->inverse[i] = 1 / J->inverse[i];
    *M = (spw_operator){.name = "jacobi",
                        .n = A->n_rows,
                        .cost = {.load = 16 * n, .store = 8 * n, .flop = n},
                        .write_allocate = 8 * n,
                        .setup = {.load = 12 * n + 4 * n, .store = 8 * n, .flop = n},
                        .setup_seconds = spw_now() - begin,
                        .context = J,
                        .apply = apply_jacobi,
                        .apply_dots = apply_jacobi_dots,
                        .apply_block = apply_jacobi_block,
                        .further = {.load = 8 * n, .store = 8 * n, .flop = n},
                        .destroy = destroy_jacobi};
    return SPW_OK;
fail:
    if (J) destroy_jacobi(J);
    return status;
}

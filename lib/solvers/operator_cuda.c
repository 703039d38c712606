#include "solvers/operator_cuda.h"

#include "base/device.h"
#include "base/memory.h"
#include "kernels/cuda.h"
#include "kernels/device_matrix.h"
#include "solvers/precond.h"

#include <inttypes.h>
#include <stddef.h>

spw_status spw_cuda_operator_apply(const spw_cuda_operator *A, const double *d_x, double *d_y)
{
    return A->apply(A->context, d_x, d_y);
}

spw_status spw_cuda_operator_apply_dots(const spw_cuda_operator *A, const double *d_x,
                                        const double *d_w, double *d_y, spw_partials *d_w_y,
                                        spw_partials *d_y_y)
{
    if (A->apply_dots) return A->apply_dots(A->context, d_x, d_w, d_y, d_w_y, d_y_y);
    const spw_status status = A->apply(A->context, d_x, d_y);
    return status ? status : spw_dots_cuda(A->n, d_w, d_y, d_w_y, d_y_y);
}

void spw_cuda_operator_destroy(spw_cuda_operator *A)
{
    if (!A) return;
    if (A->destroy) A->destroy(A->context);
    *A = (spw_cuda_operator){0};
}

static spw_status square(const char *what, spw_idx n_rows, spw_idx n_cols)
{
    if (n_rows == n_cols) return SPW_OK;
    return spw_error(SPW_ERR_ARG, "%s needs a square matrix, this one has %d rows and %d columns",
                     what, n_rows, n_cols);
}

/* --- CSR ------------------------------------------------------------------------------------------------ */

static spw_status apply_csr(void *context, const double *d_x, double *d_y)
{
    return spw_spmv_csr_cuda_warp(context, d_x, d_y);
}

static spw_status apply_csr_dots(void *context, const double *d_x, const double *d_w, double *d_y,
                                 spw_partials *d_w_y, spw_partials *d_y_y)
{
    return spw_spmv_dots_csr_cuda(context, d_x, d_w, d_y, d_w_y, d_y_y);
}

static void destroy_csr(void *context)
{
    spw_csr_device_destroy(context);
    spw_free(context);
}

spw_status spw_cuda_operator_from_csr(const spw_csr *A, spw_cuda_operator *op)
{
    spw_csr *d_A = NULL;
    *op = (spw_cuda_operator){0};
    spw_status status = square("a solver", A->n_rows, A->n_cols);
    if (!status) status = SPW_ALLOC(&d_A, 1);
    if (!status) status = spw_csr_to_device(A, d_A);
    if (status) {
        spw_free(d_A);
        return status;
    }
    const double rows = A->n_rows, entries = A->nnz;
    *op = (spw_cuda_operator){.name = "csr",
                              .n = A->n_rows,
                              .cost = {12 * entries + 12 * rows + 4, 8 * rows, 2 * entries},
                              .context = d_A,
                              .apply = apply_csr,
                              .apply_dots = apply_csr_dots,
                              .destroy = destroy_csr};
    return SPW_OK;
}

/* --- SELL-C-sigma ----------------------------------------------------------------------------------------- */

static spw_status apply_sell(void *context, const double *d_x, double *d_y)
{
    return spw_spmv_sell_cuda(context, d_x, d_y);
}

static void destroy_sell(void *context)
{
    spw_sell_device_destroy(context);
    spw_free(context);
}

spw_status spw_cuda_operator_from_sell(const spw_sell *A, spw_cuda_operator *op)
{
    spw_sell *d_A = NULL;
    *op = (spw_cuda_operator){0};
    spw_status status = square("a solver", A->n_rows, A->n_cols);
    if (!status) status = SPW_ALLOC(&d_A, 1);
    if (!status) status = spw_sell_to_device(A, d_A);
    if (status) {
        spw_free(d_A);
        return status;
    }
    const double rows = A->n_rows, stored = A->n_stored;
    const double matrix = 12 * stored + 4 * rows + 4 * (A->n_chunks + 1.0);
    *op = (spw_cuda_operator){.name = "sell",
                              .n = A->n_rows,
                              .cost = {matrix + 8 * rows, 8 * rows, 2 * stored},
                              .context = d_A,
                              .apply = apply_sell,
                              .destroy = destroy_sell};
    return SPW_OK;
}

/* --- Jacobi ----------------------------------------------------------------------------------------------- */

typedef struct jacobi {
    int64_t n;
    double *d_inverse; /* [n] */
} jacobi;

static spw_status apply_jacobi(void *context, const double *d_x, double *d_y)
{
    const jacobi *J = context;
    return spw_diag_dot_cuda(J->n, J->d_inverse, d_x, d_y, NULL);
}

static spw_status apply_jacobi_dots(void *context, const double *d_x, const double *d_w,
                                    double *d_y, spw_partials *d_w_y, spw_partials *d_y_y)
{
    const jacobi *J = context;
    if (d_w == d_x && !d_y_y) return spw_diag_dot_cuda(J->n, J->d_inverse, d_x, d_y, d_w_y);
    const spw_status status = apply_jacobi(context, d_x, d_y);
    return status ? status : spw_dots_cuda(J->n, d_w, d_y, d_w_y, d_y_y);
}

static void destroy_jacobi(void *context)
{
    jacobi *J = context;
    spw_device_free(J->d_inverse);
    spw_free(J);
}

/* The host's preconditioner checks the diagonal and inverts it: applied to ones, it is the inverse. */
static spw_status inverse_diagonal(const spw_csr *A, double *inverse)
{
    spw_operator M = {0};
    double *ones = NULL;
    spw_status status = spw_precond_jacobi(A, &M);
    if (!status) status = SPW_ALLOC(&ones, A->n_rows);
    if (!status) {
        for (spw_idx i = 0; i < A->n_rows; i++) ones[i] = 1;
        spw_operator_apply(&M, ones, inverse);
    }
    spw_free(ones);
    spw_operator_destroy(&M);
    return status;
}

spw_status spw_cuda_precond_jacobi(const spw_csr *A, spw_cuda_operator *M)
{
    const int64_t n = A->n_rows;
    jacobi *J = NULL;
    double *inverse = NULL, *d_inverse = NULL;
    *M = (spw_cuda_operator){0};
    spw_status status = square("Jacobi", A->n_rows, A->n_cols);
    if (!status) status = SPW_ALLOC(&inverse, n);
    if (!status) status = inverse_diagonal(A, inverse);
    if (!status) status = SPW_DEVICE_ALLOC(&d_inverse, n);
    if (!status) status = spw_device_copy_to(d_inverse, inverse, n * (int64_t)sizeof *inverse);
    if (!status) status = SPW_ALLOC(&J, 1);
    spw_free(inverse);
    if (status) {
        spw_device_free(d_inverse);
        return status;
    }
    *J = (jacobi){n, d_inverse};
    *M = (spw_cuda_operator){.name = "jacobi",
                             .n = n,
                             .cost = {16 * (double)n, 8 * (double)n, (double)n},
                             .context = J,
                             .apply = apply_jacobi,
                             .apply_dots = apply_jacobi_dots,
                             .destroy = destroy_jacobi};
    return SPW_OK;
}

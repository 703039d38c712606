#include "solvers/operator_cuda.h"

#include "base/memory.h"
#include "kernels/cuda.h"
#include "kernels/device_matrix.h"

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

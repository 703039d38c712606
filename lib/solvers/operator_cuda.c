#include "solvers/operator_cuda.h"

#include "base/memory.h"
#include "kernels/cuda.h"
#include "kernels/cuda_block.h"
#include "formats/device_matrix.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

/* A vector is a block of one: gathered, multiplied and scattered. */
static spw_status one_vector(const spw_cuda_operator *A, int j, const double *d_X, int64_t ldx,
                             double *d_Y, int64_t ldy, double *d_room) {
    const int first = 0;
    double *d_x = d_room, *d_y = d_room + A->n;
    spw_status status = spw_select_cuda(A->n, 1, &j, d_X, ldx, d_x, 1);
    if (!status) status = A->apply(A->context, d_x, d_y);
    return status ? status : spw_select_cuda(A->n, 1, &first, d_y, 1, d_Y + j, ldy);
}

spw_status spw_cuda_operator_apply_block(const spw_cuda_operator *A, int nv, const double *d_X,
                                         int64_t ldx, double *d_Y, int64_t ldy, double *d_room,
                                         int one_by_one) {
    if (A->apply_block && !one_by_one) return A->apply_block(A->context, nv, d_X, ldx, d_Y, ldy);
    spw_status status = SPW_OK;
    for (int j = 0; j < nv && !status; j++) status = one_vector(A, j, d_X, ldx, d_Y, ldy, d_room);
    return status;
}

spw_cost spw_cuda_operator_cost_block(const spw_cuda_operator *A, int nv, int one_by_one) {
    const bool at_once = A->apply_block && !one_by_one;
    const double further = at_once ? nv - 1 : 0, times = at_once ? 1 : nv;
    const double copies = at_once ? 0 : 16 * (double)A->n * nv;
    return spw_cost_sum(
        spw_cost_sum(spw_cost_times(times, A->cost), spw_cost_times(further, A->further)),
        (spw_cost){copies, copies, 0});
}

void spw_cuda_operator_destroy(spw_cuda_operator *A) {
    if (!A) return;
    if (A->destroy) A->destroy(A->context);
    *A = (spw_cuda_operator){0};
}

static spw_status apply_sellp(void *context, const double *d_x, double *d_y) {
    return spw_spmv_sellp_cuda(context, d_x, d_y);
}

/* The block's third dimension is over vectors, as in the papers. */
static spw_status apply_sellp_block(void *context, int nv, const double *d_X, int64_t ldx,
                                    double *d_Y, int64_t ldy) {
    return spw_spmm_sellp_cuda(context, nv, d_X, ldx, d_Y, ldy);
}

static void destroy_sellp(void *context) {
    spw_sellp_device_destroy(context);
    spw_free(context);
}

spw_status spw_cuda_operator_from_sellp(const spw_sellp *A, spw_cuda_operator *op) {
    spw_sellp *d_A = NULL;
    *op = (spw_cuda_operator){0};
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG,
                         "a solver needs a square matrix, this one has %d rows and %d columns",
                         A->n_rows, A->n_cols);
    spw_status status = SPW_ALLOC(&d_A, 1);
    if (!status) status = spw_sellp_to_device(A, d_A);
    if (status) {
        spw_free(d_A);
        return status;
    }
    const double rows = A->n_rows, stored = A->n_stored;
    *op = (spw_cuda_operator){.name = "sellp",
                              .n = A->n_rows,
                              .cost = {(double)spw_sellp_bytes(A) + 8 * rows, 8 * rows, 2 * stored},
                              .context = d_A,
                              .apply = apply_sellp,
                              .apply_block = apply_sellp_block,
                              .further = {8 * rows, 8 * rows, 2 * stored},
                              .destroy = destroy_sellp};
    return SPW_OK;
}

/* solvers/operator_cuda.h -- matrices on the device, as a solver there sees them. Preconditioners are operators, too.
 *
 *     spw_cuda_operator A;
 *     if (spw_cuda_operator_from_sellp(&host_A, &A)) ...      copies the matrix to the device
 *     if (spw_lobpcg_cuda(&A, NULL, NULL, d_X, 0, &options, &result)) ...
 *     spw_cuda_operator_destroy(&A);
 *
 * The counterpart of solvers/operator.h. All functions only launch, and return as launchers do. An
 * operator may keep room for its work, so that one operator belongs to one solve at a time. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/sellp.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_cuda_operator {
    const char *name; /* "sellp": lives as long as the operator */
    int64_t n;        /* rows and columns */
    spw_cost cost;    /* of one apply, at the least */
    void *context;    /* handed to the functions below */

    /* y = A x. x and y have n elements and do not overlap; y is overwritten. */
    spw_status (*apply)(void *context, const double *d_x, double *d_y);

    /* Y = A X for nv vectors side by side, row-major (kernels/block.h), in one pass through A. `further` is
     * what every vector but the first adds to cost. NULL: there is none, and spw_cuda_operator_apply_block
     * takes one vector at a time. */
    spw_status (*apply_block)(void *context, int nv, const double *d_X, int64_t ldx, double *d_Y,
                              int64_t ldy);
    spw_cost further;

    /* Frees the context. NULL: it is not the operator's. */
    void (*destroy)(void *context);
} spw_cuda_operator;

/* Y = A X, 1 <= nv <= SPW_BLOCK_MAX; X and Y do not overlap. d_room: [2 * n], for one vector and its product, used
 * where there is no apply_block or where one_by_one is not 0. */
spw_status spw_cuda_operator_apply_block(const spw_cuda_operator *A, int nv, const double *d_X,
                                         int64_t ldx, double *d_Y, int64_t ldy, double *d_room,
                                         int one_by_one);

/* What that costs. One by one it is nv products, and 32 n bytes each of gathering and scattering. */
spw_cost spw_cuda_operator_cost_block(const spw_cuda_operator *A, int nv, int one_by_one);

/* Destroys what the operator owns and sets *A to zero. Takes NULL and a zero struct. */
void spw_cuda_operator_destroy(spw_cuda_operator *A);

/* A is a matrix on the host, of which a copy goes to the device. On failure *op is all zero.
 *   SPW_ERR_ARG          A is not square
 *   SPW_ERR_MEMORY       no room on the device, or on the host
 *   SPW_ERR_DEVICE       a copy failed
 *   SPW_ERR_UNAVAILABLE  no device */
spw_status spw_cuda_operator_from_sellp(const spw_sellp *A, spw_cuda_operator *op);

SPW_C_END

/* solvers/operator_float.h -- a square matrix in single precision, as the inner solver of refine.h sees it.
 *
 *     spw_operator_float S;
 *     if (spw_operator_float_convert(&A, &S)) ...
 *     double p_q = S.apply_dot(S.context, p, q);     q = A p / S.scale, and p . q
 *     spw_operator_float_destroy(&S);
 *
 * As in solvers/operator.h, no solver knows a format. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "formats/csr.h"
#include "kernels/float.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_operator_float {
    const char *name; /* "csr": for tables; lives as long as the operator */
    int64_t n;        /* rows and columns */
    double scale;     /* a power of two: what is stored is A / scale, its largest value in [1, 2) */
    spw_cost cost;    /* of one apply_dot, x loaded once */
    double write_allocate; /* bytes of one that stores may fetch besides */
    double setup_seconds;  /* that making it took */
    void *context;         /* handed to the functions below */

    /* y = (A / scale) x; returns x . y. x and y have n elements and do not overlap. */
    double (*apply_dot)(const void *context, const float *x, float *y);

    /* Frees the context. NULL: it is not the operator's. */
    void (*destroy)(void *context);
} spw_operator_float;

/* On failure *op is all zero.
 *   from_csr  S is kept, not copied: it must outlive the operator
 *   convert   A rounded, by the format that is fastest for it, the operator's own: short column indices
 *             (spw_sell_short_float), or CSR where padding would be a twentieth or more. Then A is kept
 *   SPW_ERR_ARG     the matrix is not square; convert: a value is not finite
 *   SPW_ERR_MEMORY  convert: no room */
spw_status spw_operator_float_from_csr(const spw_csr_float *S, spw_operator_float *op);
spw_status spw_operator_float_convert(const spw_csr *A, spw_operator_float *op);

/* Destroys what the operator owns and sets *op to zero. Takes NULL and a zero struct. */
void spw_operator_float_destroy(spw_operator_float *op);

SPW_C_END

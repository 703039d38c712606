/* kernels/float.h -- conjugate gradients in single precision: half the bytes of every value.
 *
 *                 computes                                bytes                          double has
 *     spmv        y = A x, and x . y                      8 nz + 4 n + 8 n (+ 4 n WA)    12 nz + 4 n + 16 n (+ 8 n)
 *     mixed       y = A x, x and y in double              8 nz + 4 n + 16 n (+ 8 n)
 *     step        x += a p; r -= a q; r . r               24 n                           48 n
 *     direction   p = r + b p                             12 n                           24 n
 *
 * The column indices of CSR stay 4 bytes, so that a product saves a third of its bytes and not a half. With
 * short ones (formats/sell_short.h) it moves some 4.3 bytes an entry on a mesh. Sums of a row are in float, or in
 * double where the vectors are; sums over vectors are in double: n terms of 6e-8 each would not leave much.
 *
 * For all: arrays of n elements, any alignment; outputs overlap nothing; n = 0 is allowed. _ref is the
 * obvious serial loop; _omp shares it among the threads, rows of A in equal shares of entries and rows, each
 * row whole. Sums are added in the order of the threads. */
#pragma once

#include "base/extern_c.h"
#include "base/index.h"
#include "base/status.h"
#include "formats/csr.h"
#include "formats/sell_short.h"

#include <stdint.h>

SPW_C_BEGIN

/* A CSR matrix with values in float, divided by a power of two that keeps them in range. */
typedef struct spw_csr_float {
    spw_idx n_rows, n_cols, nnz;
    const spw_idx *row_ptr, *col_idx; /* those of the double matrix, not owned */
    float *val;                       /* [nnz]  owned: A's value / scale, rounded */
    double scale; /* a power of two, max |a_ij| / scale is in [1, 2); 1 if A is 0 */
} spw_csr_float;

/* Rounds A. A is kept: it must outlive *S. On failure *S is all zero.
 *   SPW_ERR_ARG     a value is not finite
 *   SPW_ERR_MEMORY  no room for 4 nnz bytes */
spw_status spw_csr_float_from_csr(const spw_csr *A, spw_csr_float *S);
void spw_csr_float_destroy(spw_csr_float *S);

/* The same in slices of 16 rows, a line of cache of float, with short column indices. */
enum { SPW_SINGLE_ROWS = 16 };
typedef struct spw_sell_short_float {
    spw_sell_short S; /* of C = SPW_SINGLE_ROWS and sigma = 1; val is NULL */
    float *val;       /* [S.n_stored]  owned, as above; padding is 0 */
    double scale;
} spw_sell_short_float;

/* Rounds A, which is not kept. For a while it is there in double, too. On failure *S is all zero.
 *   SPW_ERR_ARG     a value is not finite
 *   SPW_ERR_RANGE   the padded matrix has more than SPW_IDX_MAX entries
 *   SPW_ERR_MEMORY  no room */
spw_status spw_sell_short_float_from_csr(const spw_csr *A, spw_sell_short_float *S);
void spw_sell_short_float_destroy(spw_sell_short_float *S);

/* Bytes that a product reads of it. */
int64_t spw_sell_short_float_bytes(const spw_sell_short_float *S);

/* y = A x; returns x . y, for which A must be square. */
double spw_spmv_with_dot_float_ref(const spw_csr_float *A, const float *x, float *y);
double spw_spmv_with_dot_float_omp(const spw_csr_float *A, const float *x, float *y);
double spw_spmv_with_dot_sell_short_float_ref(const spw_sell_short_float *A, const float *x,
                                              float *y);
double spw_spmv_with_dot_sell_short_float_omp(const spw_sell_short_float *A, const float *x,
                                              float *y);

/* y = A x with vectors and sums in double. */
void spw_spmv_mixed_ref(const spw_csr_float *A, const double *x, double *y);
void spw_spmv_mixed_omp(const spw_csr_float *A, const double *x, double *y);

/* x += a p; r -= a q; returns r . r. */
double spw_cg_step_float_ref(int64_t n, float a, const float *p, const float *q, float *x,
                             float *r);
double spw_cg_step_float_omp(int64_t n, float a, const float *p, const float *q, float *x,
                             float *r);

/* p = r + b p */
void spw_direction_float_ref(int64_t n, float b, const float *r, float *p);
void spw_direction_float_omp(int64_t n, float b, const float *r, float *p);

/* From single to double and back: x += s y and y = 0; y = (float)(s x). */
void spw_add_float_omp(int64_t n, double s, float *y, double *x);
void spw_round_float_omp(int64_t n, double s, const double *x, float *y);

SPW_C_END

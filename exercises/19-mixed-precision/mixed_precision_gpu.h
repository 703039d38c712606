/* Exercise 19, GPU part: what mixed_precision.cu must define. Pointers with d_ point to memory of the device. */
#pragma once

#include "base/extern_c.h"
#include "formats/csr.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

enum { BLOCK = 256 }; /* threads of a block, in every launch */

/* A CSR matrix whose values are float. The struct is on the host, its arrays are on the device. */
typedef struct csr_single {
    spw_idx n_rows, n_cols, nnz;
    const spw_idx *row_ptr; /* [n_rows+1] */
    const spw_idx *col_idx; /* [nnz] */
    const float *val;       /* [nnz]  entry k of A is scale * val[k], up to rounding */
    double scale;           /* a power of two */
} csr_single;

/* The least bytes and the flops of one call, {load, store, flop}: every array is moved once, the parts of r . r are
 * left out. The arrays of the structs may not be looked at. */
spw_cost spmv_single_cost(const csr_single *A);
spw_cost residual_cost(const spw_csr *A); /* r = b - A x and r . r; A is n x n */

/* y = A x: values in float, all else in double. By one launch.
 *   A    any size may be 0
 *   d_x  [A.n_cols], does not overlap y
 *   d_y  [A.n_rows], overwritten: it holds garbage on entry */
void spmv_single(csr_single A, const double *d_x, double *d_y);

/* r = b - A x, all in double, and r . r in parts: block b leaves its share in parts[b]. By one launch.
 *   A        n x n, n may be 0
 *   blocks   to launch, at least 1: few for many rows, or more than there is work for
 *   d_b, d_x [n];  d_r  [n], overwritten: it holds garbage on entry
 *   d_parts  [blocks], overwritten, each of them; the sum over nothing is 0 */
void residual(spw_csr A, int blocks, const double *d_b, const double *d_x, double *d_r,
              double *d_parts);

/* norm = ||r||, the square root of the sum of parts; then small = r / norm, rounded to float. small = 0 if norm is 0.
 * r may be of any size, 1e-60 and 1e+60 too. By two launches; the host does not see norm.
 *   d_parts  [blocks]  as residual leaves it
 *   d_small  [n]       overwritten: it holds garbage on entry
 *   d_norm   [1]       overwritten: it holds garbage on entry */
void round_residual(int64_t n, int blocks, const double *d_parts, const double *d_r, float *d_small,
                    double *d_norm);

/* x += norm / scale * d, in double, by one launch: d is what a solver in float made of small. */
void correct(int64_t n, int blocks, double scale, const double *d_norm, const float *d_d,
             double *d_x);

SPW_C_END

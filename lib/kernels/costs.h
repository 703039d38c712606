/* kernels/costs.h -- what one call must move and compute at the least, in the terms of perf/terms.h. The table of
 * kernels, bench and drivers of exercises take it from here; a driver states what is its exercise's alone.
 *
 * Quantities: n elements of a vector; n_rows, n_cols, nz entries of a matrix; n_stored entries with the padding;
 * n_slices or n_chunks of it; nv vectors side by side; m x n and p, q of dense ones. matrix: bytes of a format whose
 * size is no formula of these (its spw_..._bytes). */
#pragma once

/* vectors */
#define SPW_COST_COPY               "load 8 n; store 8 n"
#define SPW_COST_SUM                "load 8 n; flop n"
#define SPW_COST_DOT                "load 16 n; flop 2 n"
#define SPW_COST_TRIAD              "load 16 n; store 8 n; flop 2 n"
#define SPW_COST_AXPBY              "load 16 n; store 8 n; flop 3 n"
#define SPW_COST_SCAL               "load 8 n; store 8 n; flop n"
#define SPW_COST_DIAG               "load 16 n; store 8 n; flop n"
#define SPW_COST_DIAG_DOT           "load 16 n; store 8 n; flop 3 n"
#define SPW_COST_CG_STEP            "load 32 n; store 16 n; flop 6 n"
#define SPW_COST_BICGSTAB_DIRECTION "load 24 n; store 8 n; flop 4 n"
#define SPW_COST_BICGSTAB_HALF      "load 16 n; store 8 n; flop 4 n"
#define SPW_COST_BICGSTAB_STEP      "load 40 n; store 16 n; flop 10 n" /* s is r, else 48 n are loaded */

/* dense: y = A x, C = A B, C = X'Y, Y = X C, R = U - V diag */
#define SPW_COST_DGEMV "load 8 m n + 8 n; store 8 m; flop 2 m n"
#define SPW_COST_DGEMM "load 8 m k + 8 k n; store 8 m n; flop 2 m n k"
#define SPW_COST_GRAM  "load 8 n (p + q); flop 2 n p q"
#define SPW_COST_GRAM_DD                                                                           \
    "load 8 n (p + q); flop 2 n p q" /* as many as are asked for; their errors are apart */
#define SPW_COST_COMBINE   "load 8 n p; store 8 n q; flop 2 n p q"
#define SPW_COST_RESIDUAL  "load 16 n nv; store 8 n nv; flop 4 n nv"
#define SPW_COST_TRANSPOSE "load 8 m n; store 8 m n"

/* y = A x */
#define SPW_COST_SPMV_COO "load 16 nz + 8 n_cols; store 16 n_rows; flop 2 nz" /* y = 0, then sums */
#define SPW_COST_SPMV_CSR "load 12 nz + 4 (n_rows + 1) + 8 n_cols; store 8 n_rows; flop 2 nz"
#define SPW_COST_SPMV_ELL "load 12 n_stored + 8 n_cols; store 8 n_rows; flop 2 nz"
#define SPW_COST_SPMV_SELL                                                                         \
    "load 12 n_stored + 4 (n_chunks + 1) + 4 n_rows + 8 n_cols; store 8 n_rows; flop 2 nz"
#define SPW_COST_SPMV_SELLP                                                                        \
    "load 12 n_stored + 4 (n_slices + 1) + 8 n_cols; store 8 n_rows; flop 2 nz"
#define SPW_COST_SPMV_MATRIX "load matrix + 8 n_cols; store 8 n_rows; flop 2 nz"

/* with w . y and y . y: w is read; if it is x, it is there already */
#define SPW_COST_SPMV_WITH_DOTS_CSR                                                                \
    "load 12 nz + 4 (n_rows + 1) + 16 n_rows; store 8 n_rows; flop 2 nz + 4 n_rows"
#define SPW_COST_SPMV_WITH_DOTS_MATRIX                                                             \
    "load matrix + 16 n_rows; store 8 n_rows; flop 2 nz + 4 n_rows"

/* Y = A X */
#define SPW_COST_SPMM_CSR                                                                          \
    "load 12 nz + 4 (n_rows + 1) + 8 nv n_cols; store 8 nv n_rows; flop 2 nv nz"
#define SPW_COST_SPMM_SELLP                                                                        \
    "load 12 n_stored + 4 (n_slices + 1) + 8 nv n_cols; store 8 nv n_rows; flop 2 nv nz"

/* x = T^-1 b: nz entries beside the diagonal, which is read too */
#define SPW_COST_TRSV "load 12 nz + 4 (n_rows + 1) + 16 n_rows; store 8 n_rows; flop 2 nz + n_rows"
#define SPW_COST_TRSM                                                                              \
    "load 12 nz + 4 (n_rows + 1) + 8 n_rows + 8 nv n_rows; store 8 nv n_rows; flop nv (2 nz + "    \
    "n_rows)"
/* the pattern of L and the values of A once, those of L both ways; its flops are told by the call */
#define SPW_COST_INCOMPLETE "load 16 nz + 8 n_rows; store 8 nz + 8 n_rows"

/* in float, or with a matrix of float */
#define SPW_COST_SPMV_WITH_DOT_FLOAT                                                               \
    "load 8 nz + 4 (n_rows + 1) + 4 n_rows; store 4 n_rows; flop 2 nz + 2 n_rows"
#define SPW_COST_SPMV_WITH_DOT_FLOAT_MATRIX                                                        \
    "load matrix + 4 n_rows; store 4 n_rows; flop 2 nz + 2 n_rows"
#define SPW_COST_SPMV_MIXED      "load 8 nz + 4 (n_rows + 1) + 8 n_cols; store 8 n_rows; flop 2 nz"
#define SPW_COST_CG_STEP_FLOAT   "load 16 n; store 8 n; flop 6 n"
#define SPW_COST_DIRECTION_FLOAT "load 8 n; store 4 n; flop 2 n"
#define SPW_COST_ADD_FLOAT       "load 12 n; store 12 n; flop 2 n"
#define SPW_COST_ROUND_FLOAT     "load 8 n; store 4 n; flop n"

/* of a coloured matrix: a product; a sweep forth and back, which reads it twice but for one of its two ends */
#define SPW_COST_SPMV_COLOURED "load matrix + 8 n_places; store 8 n_places; flop 2 nz"
#define SPW_COST_SYMGS_COLOURED                                                                    \
    "load 2 matrix + 48 n_places; store 16 n_places; flop 4 nz + 6 n_places"

/* CUDA's alone */
#define SPW_COST_SELECT "load 8 count n; store 8 count n"

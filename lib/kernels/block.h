/* kernels/block.h -- tall and skinny: dense products with blocks of vectors.
 *
 * A block is a few vectors side by side, nv of them with n elements each, n in the millions and nv below a hundred.
 * It is stored row by row, so that one line of cache holds the same element of several vectors. Element i of vector j
 * is X[i * ld + j]; the leading dimension ld >= nv lets a block be some columns of a wider one:
 *
 *          ld = 5, X = columns 1 and 2           C = XᵀY    nv x nv, small: it stays in a cache
 *          . X X . .                             Y = X C    n x nv, tall: it comes from memory
 *          . X X . .
 *          . X X . .  n rows
 *
 *              computes                          bytes                         flops
 *     gram     C = XᵀY      p and q vectors      8 n (p + q), 8 n p if X is Y  2 n p q
 *              X, and Y, may be several blocks side by side: [X0 X1]ᵀ[Y0 Y1 Y2]
 *     gram_dd  the same     in double-double     the same                      10 n p q
 *     combine  Y = X C      p vectors into q     8 n (p + q) (+ 8 n q WA)      2 n p q
 *              X, and Y, may be several blocks side by side: [Y0 Y1] = [X0 X1 X2] C
 *     residual R = U - V Λ  nv vectors           24 n nv (+ 8 n nv WA)         4 n nv
 *
 * With p = q = nv an element takes part in nv / 8 flops a byte: below some 30 vectors memory sets the
 * speed, above it is the arithmetic, and a kernel must do well on both sides.
 *
 * Source of the operations and of what they are for: H. Anzt, S. Tomov, J. Dongarra, Int. J. High
 * Perform. Comput. Appl. 31(5), 375-390, 2017, doi:10.1177/1094342016672081. There blocks are stored column by
 * column for the dense products and row by row for SpMM; here row by row throughout, which saves the
 * transposition. The register tiling is that of K. Goto and R. A. van de Geijn, ACM Trans. Math. Softw.
 * 34(3), 12, 2008, doi:10.1145/1356052.1356053, without its packing: these blocks are read once.
 *
 * For all: n >= 0, 1 <= p, q, nv <= SPW_BLOCK_MAX, ld at least the number of columns, any alignment; with
 * n = 0 pointers to blocks may be NULL. Inputs do not overlap outputs, but where it is said. For one
 * number of threads the bits are the same in every run. */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

enum {
    SPW_BLOCK_MAX = 256, /* columns: three blocks of 64 side by side, and room */
    SPW_BLOCKS_MAX = 8   /* blocks side by side */
};

/* C = XᵀY.
 *   X  [n, p]  ldx      may be Y
 *   Y  [n, q]  ldy
 *   C  [p * q]          row-major without gaps, overwritten; all zero for n = 0
 * Each entry's error is within 2 (n + 1) eps |X|ᵀ|Y|. */
typedef void spw_gram_fn(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                         int64_t ldy, double *C);

/* The same, accumulated in double-double (kernels/double_double.h): C = hi + lo, error within
 * 4 n^2 2^-104 |X|ᵀ|Y|, some ten times the arithmetic and the same bytes.
 *   hi, lo  [p * q]  row-major without gaps, overwritten
 * Source: I. Yamazaki, S. Tomov, J. Dongarra, SIAM J. Sci. Comput. 37(3), C307-C330, 2015, doi:10.1137/14M0973773. */
typedef void spw_gram_dd_fn(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                            int64_t ldy, double *hi, double *lo);

/* A block as an argument: columns 0 .. nv-1 of rows of ld. */
typedef struct spw_block {
    double *at; /* [n * ld] */
    int64_t ld;
    int nv; /* >= 1 */
} spw_block;

/* Columns of blocks side by side. */
static inline int spw_block_columns(int count, const spw_block *blocks) {
    int sum = 0;
    for (int k = 0; k < count; k++) sum += blocks[k].nv;
    return sum;
}

/* C = [X0 X1 ..]ᵀ [Y0 Y1 ..], the blocks side by side: each is read once, where a product for each pair would
 * read it once a partner.
 *   X  [n_x]   n_x = 1 .. SPW_BLOCKS_MAX blocks, together p <= SPW_BLOCK_MAX vectors
 *   Y  [n_y]   n_y = 1 .. SPW_BLOCKS_MAX blocks, together q <= SPW_BLOCK_MAX vectors; may be blocks of X
 *   C  [p * q] row-major without gaps, overwritten; all zero for n = 0 */
typedef void spw_gram_blocks_fn(int64_t n, int n_x, const spw_block *X, int n_y, const spw_block *Y,
                                double *C);

/* [Y0 Y1 ..] = [X0 X1 ..] C, the blocks side by side. That all stand in one call saves the passes of adding
 * up products of single blocks.
 *   X  [n_x]   n_x >= 1 blocks, together p <= SPW_BLOCK_MAX vectors; they are read only
 *   C  [p * q] row-major without gaps
 *   Y  [n_y]   n_y >= 1 blocks, together q <= SPW_BLOCK_MAX vectors; overwritten, never read. A block of Y
 *              may lie in the memory of a block of X with the same ld, such that row i overlaps
 *              row i only: a row is read whole before it is written. */
typedef void spw_combine_fn(int64_t n, int n_x, const spw_block *X, const double *C, int n_y,
                            const spw_block *Y);

/* R = U - V diag(lambda), and the squared length of each column of R, from the same pass.
 *   lambda [nv]
 *   U, V   [n, nv]  ldu, ldv   A X and X, or A X and B X. R may be U or V.
 *   R      [n, nv]  ldr        overwritten
 *   square [nv]                sum over i of R[i][j]^2, overwritten */
typedef void spw_residual_fn(int64_t n, int nv, const double *lambda, const double *U, int64_t ldu,
                             const double *V, int64_t ldv, double *R, int64_t ldr, double *square);

spw_gram_fn spw_gram_ref, spw_gram_omp;
spw_gram_blocks_fn spw_gram_blocks_omp;
spw_gram_dd_fn spw_gram_dd_ref, spw_gram_dd_omp;
spw_combine_fn spw_combine_ref, spw_combine_omp;
spw_residual_fn spw_residual_ref, spw_residual_omp;

/* X = X C in place, with C [nv * nv]. */
static inline void spw_combine_in_place(int64_t n, int nv, double *X, int64_t ld, const double *C) {
    const spw_block block = {X, ld, nv};
    spw_combine_omp(n, 1, &block, C, 1, &block);
}

SPW_C_END

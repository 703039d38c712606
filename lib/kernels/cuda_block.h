/* kernels/cuda_block.h -- tall and skinny on the device: the operations of kernels/block.h, and what a block method
 * needs besides.
 *
 *     gram      C = XᵀY. A product of n rows is many products of some hundred rows, as many as blocks of
 *               threads run at the same time, each of which leaves its p x q sums; a second kernel adds
 *               them up, always in the same order: the same bits in every run, and no atomics.
 *     combine   [Y0 Y1] = [X0 X1 X2] C, in place where rows overlap with themselves only. A block of
 *               threads has 32 rows, and all of their sums in registers: it reads before it writes.
 *     residual  R = U - V diag(lambda) and the squares of its columns, in one pass.
 *     select    Y = some columns of X.
 *
 * Contracts, shapes and bytes are those of block.h, without write-allocate: a GPU does not fetch a line that it
 * overwrites. Matrices of p x q lie on the device too, row-major without gaps. Launchers return as those
 * of kernels/cuda.h do, and SPW_ERR_ARG where there are more blocks than SPW_CUDA_BLOCKS. Pointers are to
 * device memory unless it is said.
 * Source of splitting XᵀY: I. Yamazaki, S. Tomov, T. Dong, J. Dongarra, VECPAR 2014, LNCS 8969, 17-30,
 * doi:10.1007/978-3-319-17353-5_2, who hand the small products to a batched dgemm. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "kernels/block.h"

#include <stdint.h>

SPW_C_BEGIN

enum {
    SPW_CUDA_PARTS = 1024, /* sums of a product, or of a column, at most */
    SPW_CUDA_BLOCKS = 4    /* side by side in combine */
};

/* d_room: [SPW_CUDA_PARTS * p * q], overwritten. */
spw_status spw_gram_cuda(int64_t n, int p, const double *d_X, int64_t ldx, int q, const double *d_Y,
                         int64_t ldy, double *d_C, double *d_room);

/* X and Y: arrays on the host, of blocks on the device. */
spw_status spw_combine_cuda(int64_t n, int n_x, const spw_block *X, const double *d_C, int n_y,
                            const spw_block *Y);

/* d_room: [SPW_CUDA_PARTS * nv], overwritten. */
spw_status spw_residual_block_cuda(int64_t n, int nv, const double *d_lambda, const double *d_U,
                                   int64_t ldu, const double *d_V, int64_t ldv, double *d_R,
                                   int64_t ldr, double *d_square, double *d_room);

/* Y[i][j] = X[i][from[j]], j = 0 .. count-1. from: on the host, [count], count <= SPW_BLOCK_MAX. X and Y do not
 * overlap. 16 n count bytes. */
spw_status spw_select_cuda(int64_t n, int count, const int *from, const double *d_X, int64_t ldx,
                           double *d_Y, int64_t ldy);

SPW_C_END

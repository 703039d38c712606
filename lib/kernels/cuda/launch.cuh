/* kernels/cuda/launch.cuh -- sizes that the kernels share. Internal.
 *
 * 256 threads a block: eight such blocks fill a multiprocessor of 2048 threads, if a thread uses no
 * more than 32 of its 65536 registers; with 64, four do. */
#pragma once

#include <cuda_runtime.h>

#include <stdint.h>

enum { WARP = 32, BLOCK = 256, LARGEST_BLOCK = 1024 };
static const unsigned ALL_LANES = 0xffffffffu; /* of a warp */
static_assert(BLOCK % WARP == 0 && BLOCK / WARP <= WARP && BLOCK <= LARGEST_BLOCK,
              "block_sum needs whole warps, and their sums must fit one warp");

/* Blocks of BLOCK threads for n threads, n >= 1. A grid has at most 2^31 - 1 blocks, so that n may
 * be as large as 2^39: every array fits. */
static inline unsigned blocks_for(int64_t n) { return (unsigned)((n + BLOCK - 1) / BLOCK); }

/* A block whose lanes are vectors, 1 to 32 of them, as many rows as it has room for. */
static inline dim3 block_of_vectors(int nv) {
    unsigned lanes = 1;
    while (lanes < WARP && (int)lanes < nv) lanes *= 2;
    return dim3(lanes, BLOCK / lanes);
}

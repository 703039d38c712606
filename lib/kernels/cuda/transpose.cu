/* Tiles of 32 x 32 by way of shared memory: lanes read neighbouring elements of a row of `from`, and
 * write neighbouring elements of a row of `to`; the turn is made in between. A row of the tile has 33
 * elements, or its column would lie in one bank, two with elements of 8 bytes. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"

enum { TILE = WARP, TILE_ROWS = BLOCK / TILE };

static __global__ void transpose_tile(int64_t m, int64_t n, int64_t across, const double *from,
                                      int64_t ldfrom, double *to, int64_t ldto)
{
    __shared__ double tile[TILE][TILE + 1];
    const int64_t i0 = blockIdx.x / across * TILE, j0 = blockIdx.x % across * TILE;
    for (int r = threadIdx.y; r < TILE; r += TILE_ROWS)
        if (i0 + r < m && j0 + threadIdx.x < n)
            tile[r][threadIdx.x] = __ldg(from + (i0 + r) * ldfrom + j0 + threadIdx.x);
    __syncthreads();
    for (int r = threadIdx.y; r < TILE; r += TILE_ROWS)
        if (j0 + r < n && i0 + threadIdx.x < m)
            to[(j0 + r) * ldto + i0 + threadIdx.x] = tile[threadIdx.x][r];
}

spw_status spw_transpose_cuda(int64_t m, int64_t n, const double *d_from, int64_t ldfrom,
                              double *d_to, int64_t ldto)
{
    if (m == 0 || n == 0) return SPW_OK;
    const int64_t across = (n + TILE - 1) / TILE;
    const unsigned blocks = (unsigned)((m + TILE - 1) / TILE * across);
    transpose_tile<<<blocks, dim3(TILE, TILE_ROWS)>>>(m, n, across, d_from, ldfrom, d_to, ldto);
    return spw_device_launched("spw_transpose_cuda");
}

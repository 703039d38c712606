/* Tall and skinny products. Both keep a tile of sums in each thread's registers and stage what they multiply in
 * shared memory, DEPTH at a time, so that an element that came from memory once serves all sums of its block
 * of threads.
 *
 *     gram: 16 x 16 threads, R x R sums each           combine: 8 warps of 4 rows, G sums a lane and row
 *
 *          q0 .. q0 + 16 R                                   C   32 G columns
 *        +--------+                                        +--------+
 *     p0 |  sums  |  over the rows of this part        k   |        |   32 rows at a time,
 *     .. +--------+                                        +--------+   all columns of Y
 */
#include "base/device.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda_block.h"

#include <stddef.h>

enum {
    SIDE = 16,
    DEPTH = 16,
    LANE_ROWS = 4,
    ROWS = BLOCK / WARP * LANE_ROWS,
    A_MULTIPROCESSOR = 4, /* parts of a sum */
    ADDERS = BLOCK / WARP
};
static_assert(SIDE * SIDE == BLOCK, "a thread has one place in the tile");

/* --- sums in parts ---------------------------------------------------------------------------------------- */

static int64_t parts_at_most() {
    int device = 0, multiprocessors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const int64_t wanted = (int64_t)multiprocessors * A_MULTIPROCESSOR;
    return wanted < SPW_CUDA_PARTS ? wanted : (int64_t)SPW_CUDA_PARTS;
}

/* sum[e] = parts[0][e] + parts[1][e] + ...: a lane an entry, each of ADDERS warps every ADDERS-th part. */
static __global__ void add_parts(int n_parts, int64_t count, const double *parts, double *sum) {
    __shared__ double partial[ADDERS][WARP];
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int64_t entry = (int64_t)blockIdx.x * WARP + lane;
    double mine = 0;
    if (entry < count)
        for (int k = warp; k < n_parts; k += ADDERS) mine += parts[k * count + entry];
    partial[warp][lane] = mine;
    __syncthreads();
    if (warp > 0 || entry >= count) return;
    for (int k = 1; k < ADDERS; k++) mine += partial[k][lane];
    sum[entry] = mine;
}

static void launch_add_parts(int n_parts, int64_t count, const double *parts, double *sum) {
    add_parts<<<(unsigned)((count + WARP - 1) / WARP), dim3(WARP, ADDERS)>>>(n_parts, count, parts,
                                                                             sum);
}

/* --- gram --------------------------------------------------------------------------------------------------- */

/* DEPTH rows from `first` on, `width` columns from `column` on; zeros outside. */
template <int width>
static __device__ __forceinline__ void stage(int64_t first, int64_t end, int column, int columns,
                                             const double *X, int64_t ld, double (*to)[width]) {
    for (int e = threadIdx.x; e < DEPTH * width; e += BLOCK) {
        const int row = e / width, j = e % width;
        to[row][j] =
            first + row < end && column + j < columns ? X[(first + row) * ld + column + j] : 0;
    }
}

/* The sums over rows blockIdx.x * rows .., of one tile. */
template <int R>
static __global__ void gram_part(int64_t n, int64_t rows, int p, const double *X, int64_t ldx,
                                 int q, const double *Y, int64_t ldy, double *parts) {
    __shared__ double x[DEPTH][SIDE * R], y[DEPTH][SIDE * R];
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    const int p0 = blockIdx.y * SIDE * R, q0 = blockIdx.z * SIDE * R;
    const int64_t begin = blockIdx.x * rows, end = begin + rows < n ? begin + rows : n;
    const bool busy = p0 + ty < p && q0 + tx < q;
    double sum[R][R];
    for (int a = 0; a < R; a++)
        for (int b = 0; b < R; b++) sum[a][b] = 0;
    for (int64_t first = begin; first < end; first += DEPTH) {
        stage<SIDE * R>(first, end, p0, p, X, ldx, x);
        stage<SIDE * R>(first, end, q0, q, Y, ldy, y);
        __syncthreads();
        const int depth = end - first < DEPTH ? (int)(end - first) : (int)DEPTH;
        for (int k = 0; busy && k < depth; k++)
#pragma unroll
            for (int a = 0; a < R; a++)
#pragma unroll
                for (int b = 0; b < R; b++) sum[a][b] += x[k][ty + SIDE * a] * y[k][tx + SIDE * b];
        __syncthreads();
    }
    for (int a = 0; a < R; a++)
        for (int b = 0; b < R; b++) {
            const int i = p0 + ty + SIDE * a, j = q0 + tx + SIDE * b;
            if (i < p && j < q) parts[((int64_t)blockIdx.x * p + i) * q + j] = sum[a][b];
        }
}

template <int R>
static void launch_gram(int64_t n, int64_t rows, int n_parts, int p, const double *X, int64_t ldx,
                        int q, const double *Y, int64_t ldy, double *parts) {
    const int tile = SIDE * R;
    const dim3 grid((unsigned)n_parts, (unsigned)((p + tile - 1) / tile),
                    (unsigned)((q + tile - 1) / tile));
    gram_part<R><<<grid, BLOCK>>>(n, rows, p, X, ldx, q, Y, ldy, parts);
}

spw_status spw_gram_cuda(int64_t n, int p, const double *d_X, int64_t ldx, int q, const double *d_Y,
                         int64_t ldy, double *d_C, double *d_room) {
    if (n == 0) return spw_device_zero(d_C, (int64_t)sizeof *d_C * p * q);
    const int64_t most = parts_at_most(), chunks = (n + DEPTH - 1) / DEPTH;
    const int64_t rows = (chunks + most - 1) / most * DEPTH;
    const int n_parts = (int)((n + rows - 1) / rows), larger = p > q ? p : q;
    switch ((larger + SIDE - 1) / SIDE) {
    case 1: launch_gram<1>(n, rows, n_parts, p, d_X, ldx, q, d_Y, ldy, d_room); break;
    case 2: launch_gram<2>(n, rows, n_parts, p, d_X, ldx, q, d_Y, ldy, d_room); break;
    case 3: launch_gram<3>(n, rows, n_parts, p, d_X, ldx, q, d_Y, ldy, d_room); break;
    case 5: launch_gram<5>(n, rows, n_parts, p, d_X, ldx, q, d_Y, ldy, d_room); break;
    default: launch_gram<4>(n, rows, n_parts, p, d_X, ldx, q, d_Y, ldy, d_room); break;
    }
    launch_add_parts(n_parts, (int64_t)p * q, d_room, d_C);
    return spw_device_launched("spw_gram_cuda");
}

/* --- combine ------------------------------------------------------------------------------------------------ */

/* Blocks side by side. */
struct row_of_blocks {
    int columns;
    spw_block block[SPW_CUDA_BLOCKS]; /* those that are not there have no columns */
};

/* Where element (i, column) is. Indices that are known when it is compiled leave S where launches put it. */
static __device__ __forceinline__ double *element(const row_of_blocks &S, int64_t i, int column) {
    double *at = NULL;
#pragma unroll
    for (int k = 0; k < SPW_CUDA_BLOCKS; k++) {
        if (column >= 0 && column < S.block[k].nv) at = S.block[k].at + i * S.block[k].ld + column;
        column -= S.block[k].nv;
    }
    return at;
}

template <int G>
static __global__ void combine(int64_t n, row_of_blocks X, const double *C, row_of_blocks Y) {
    __shared__ double x[ROWS][DEPTH], c[DEPTH][WARP * G];
    const int lane = threadIdx.x % WARP, mine = threadIdx.x / WARP * LANE_ROWS;
    const int64_t first = (int64_t)blockIdx.x * ROWS;
    const bool busy = lane < Y.columns && first + mine < n;
    double sum[LANE_ROWS][G];
    for (int r = 0; r < LANE_ROWS; r++)
        for (int g = 0; g < G; g++) sum[r][g] = 0;
    for (int k0 = 0; k0 < X.columns; k0 += DEPTH) {
        for (int e = threadIdx.x; e < ROWS * DEPTH; e += BLOCK) {
            const int row = e / DEPTH, k = e % DEPTH;
            x[row][k] =
                first + row < n && k0 + k < X.columns ? *element(X, first + row, k0 + k) : 0;
        }
        for (int e = threadIdx.x; e < DEPTH * WARP * G; e += BLOCK) {
            const int k = e / (WARP * G), j = e % (WARP * G);
            c[k][j] =
                k0 + k < X.columns && j < Y.columns ? C[(int64_t)(k0 + k) * Y.columns + j] : 0;
        }
        __syncthreads();
        const int depth = X.columns - k0 < DEPTH ? X.columns - k0 : (int)DEPTH;
        for (int k = 0; busy && k < depth; k++)
#pragma unroll
            for (int r = 0; r < LANE_ROWS; r++)
#pragma unroll
                for (int g = 0; g < G; g++) sum[r][g] += x[mine + r][k] * c[k][lane + WARP * g];
        __syncthreads(); /* behind the last one all rows of this block have been read */
    }
    for (int r = 0; r < LANE_ROWS; r++)
        for (int g = 0; g < G; g++) {
            const int64_t i = first + mine + r;
            const int j = lane + WARP * g;
            if (i < n && j < Y.columns) *element(Y, i, j) = sum[r][g];
        }
}

static spw_status take_blocks(int count, const spw_block *from, row_of_blocks *S) {
    if (count < 1 || count > SPW_CUDA_BLOCKS)
        return spw_error(SPW_ERR_ARG, "%d blocks side by side, must be 1 to %d", count,
                         SPW_CUDA_BLOCKS);
    S->columns = 0;
    for (int k = 0; k < SPW_CUDA_BLOCKS; k++) {
        S->block[k] = from[k < count ? k : 0];
        if (k >= count) S->block[k].nv = 0;
        S->columns += S->block[k].nv;
    }
    return SPW_OK;
}

spw_status spw_combine_cuda(int64_t n, int n_x, const spw_block *X, const double *d_C, int n_y,
                            const spw_block *Y) {
    row_of_blocks from, to;
    spw_status status = take_blocks(n_x, X, &from);
    if (!status) status = take_blocks(n_y, Y, &to);
    if (status || n == 0) return status;
    const unsigned blocks = (unsigned)((n + ROWS - 1) / ROWS);
    switch ((to.columns + WARP - 1) / WARP) {
    case 1: combine<1><<<blocks, BLOCK>>>(n, from, d_C, to); break;
    case 2: combine<2><<<blocks, BLOCK>>>(n, from, d_C, to); break;
    case 3: combine<3><<<blocks, BLOCK>>>(n, from, d_C, to); break;
    case 4: combine<4><<<blocks, BLOCK>>>(n, from, d_C, to); break;
    case 5: combine<5><<<blocks, BLOCK>>>(n, from, d_C, to); break;
    default: combine<8><<<blocks, BLOCK>>>(n, from, d_C, to); break;
    }
    return spw_device_launched("spw_combine_cuda");
}

/* --- residual, select, diagonal blocks: lanes are vectors ---------------------------------------------------- */

/* A block of threads leaves the squares of its rows; those of a column are added up in shared memory. */
static __global__ void residual(int64_t n, int nv, const double *lambda, const double *U,
                                int64_t ldu, const double *V, int64_t ldv, double *R, int64_t ldr,
                                double *parts) {
    __shared__ double squares[BLOCK];
    const int lanes = blockDim.x, lane = threadIdx.x, row = threadIdx.y;
    for (int v0 = 0; v0 < nv;
         v0 += lanes) { /* all threads make as many rounds: barriers are for all */
        const int v = v0 + lane;
        double square = 0;
        for (int64_t i = (int64_t)blockIdx.x * blockDim.y + row; v < nv && i < n;
             i += (int64_t)gridDim.x * blockDim.y) {
            const double rest = U[i * ldu + v] - lambda[v] * V[i * ldv + v];
            R[i * ldr + v] = rest;
            square += rest * rest;
        }
        squares[row * lanes + lane] = square;
        for (int half = blockDim.y / 2; half > 0; half /= 2) {
            __syncthreads();
            if (row < half) squares[row * lanes + lane] += squares[(row + half) * lanes + lane];
        }
        if (row == 0 && v < nv) parts[(int64_t)blockIdx.x * nv + v] = squares[lane];
        __syncthreads();
    }
}

spw_status spw_residual_block_cuda(int64_t n, int nv, const double *d_lambda, const double *d_U,
                                   int64_t ldu, const double *d_V, int64_t ldv, double *d_R,
                                   int64_t ldr, double *d_square, double *d_room) {
    if (n == 0) return spw_device_zero(d_square, (int64_t)sizeof *d_square * nv);
    const dim3 block = block_of_vectors(nv);
    const int64_t needed = (n + block.y - 1) / block.y, most = parts_at_most();
    const int blocks = (int)(needed < most ? needed : most);
    residual<<<(unsigned)blocks, block>>>(n, nv, d_lambda, d_U, ldu, d_V, ldv, d_R, ldr, d_room);
    launch_add_parts(blocks, nv, d_room, d_square);
    return spw_device_launched("spw_residual_block_cuda");
}

/* By value, in the launch itself: no copy to the device. */
struct columns {
    uint16_t at[SPW_BLOCK_MAX];
};

static __global__ void select(int64_t n, int count, columns from, const double *X, int64_t ldx,
                              double *Y, int64_t ldy) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= n) return;
    for (int v = threadIdx.x; v < count; v += blockDim.x) Y[i * ldy + v] = X[i * ldx + from.at[v]];
}

static unsigned row_blocks(int64_t n, dim3 block) {
    return (unsigned)((n + block.y - 1) / block.y);
}

spw_status spw_select_cuda(int64_t n, int count, const int *from, const double *d_X, int64_t ldx,
                           double *d_Y, int64_t ldy) {
    columns chosen;
    if (n == 0) return SPW_OK;
    for (int v = 0; v < SPW_BLOCK_MAX; v++) chosen.at[v] = (uint16_t)(v < count ? from[v] : 0);
    const dim3 block = block_of_vectors(count);
    select<<<row_blocks(n, block), block>>>(n, count, chosen, d_X, ldx, d_Y, ldy);
    return spw_device_launched("spw_select_cuda");
}

/* Tall and skinny products in register tiles.
 *
 * Both products are the same inner loop with other strides: a tile of TILE_ROWS x TILE_COLS sums stays in
 * registers while it runs along the long side (gram: the rows of the block) or the short one (combine:
 * its columns), one vector load serves TILE_ROWS rows and one broadcast TILE_COLS columns. Gram walks
 * down the block in chunks that stay in the L2 cache, so that all tiles share one pass through memory.
 * What is left at the edges of a tile is copied into a narrow strip, padded with zeros.
 *   - Gram goes through a chunk once a tile, and only the first tiles would read from memory: each fetches a
 *     part of the next chunk, so that memory is busy all the time.
 *   - Combine stores Y past the caches if it is larger than they are, which saves the fetch of its lines.
 * With 16 columns and a million rows, one thread, gram takes about the time of a dot product of as many
 * elements (without fetching ahead 1.5 times that), combine 1.2 times that of a copy past the caches (1.7
 * without both). (Intel Xeon, family 6 model 143, 2 vCPU KVM virtual machine with other work on it, gcc 12.2,
 * 2026-11-21: seconds of CPU, the least of 25.) */
#include "kernels/block.h"

#include "base/threads.h"
#include "kernels/omp/stream.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum {
    TILE_ROWS = SPW_VEC >= 8 ? 8 : 4, /* as many sums as there are registers for */
    TILE_COLS = 2 * SPW_VEC,
    CHUNK = 16,      /* rows of a block */
    PANEL = 64,      /* columns: sums of a panel stay in the L1 cache, and on the stack */
    ROWS_AHEAD = 32, /* of X, in combine: 4 KiB for 16 columns */
    LINE = 8,        /* doubles of a cache line */
    LINES = (TILE_COLS + LINE - 1) / LINE
};

static const int64_t stream_from = (int64_t)64 << 20; /* bytes of Y */

/* The line so many elements behind this address, which may lie behind the block. */
static inline __attribute__((always_inline)) void fetch(const double *at, int64_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)ahead * sizeof *at));
}

/* Lines to be fetched that many elements behind the operands of a tile: of a, and the lines from .. to-1
 * of b. */
typedef struct later {
    int64_t a, b;
    int from, to;
} later;

/* sum[r][:] += over k of a[r * a_row + k * a_step] * b[k * b_step + :] */
static inline __attribute__((always_inline)) void tile(int64_t depth, const double *a,
                                                       int64_t a_row, int64_t a_step,
                                                       const double *b, int64_t b_step, later next,
                                                       spw_vec sum[TILE_ROWS][2])
{
    for (int64_t k = 0; k < depth; k++) {
        if (next.a) fetch(a + k * a_step, next.a);
        for (int l = next.from; l < next.to; l++) fetch(b + k * b_step + LINE * l, next.b);
        const spw_vec b0 = spw_vec_load_any(b + k * b_step);
        const spw_vec b1 = spw_vec_load_any(b + k * b_step + SPW_VEC);
        for (int r = 0; r < TILE_ROWS; r++) {
            const double factor = a[r * a_row + k * a_step];
            sum[r][0] += factor * b0;
            sum[r][1] += factor * b1;
        }
    }
}

/* Columns first .. first+have-1 of some rows, padded with zeros to width `wide`. */
static void copy_strip(int64_t rows, const double *from, int64_t ld, int have, int wide,
                       double *strip)
{
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < wide; j++) strip[i * wide + j] = j < have ? from[i * ld + j] : 0;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* C[PANEL][PANEL] += XᵀY for one chunk and one panel of at most PANEL x PANEL sums. */
static void gram_chunk(int64_t rows, int p, const double *X, int64_t ldx, int q, const double *Y,
                       int64_t ldy, double C[PANEL][PANEL])
{
    double x_strip[CHUNK * TILE_ROWS], y_strip[CHUNK * TILE_COLS];
    const int p_whole = p - p % TILE_ROWS, q_whole = q - q % TILE_COLS;
    const int p_shared = p > TILE_ROWS ? LINES * TILE_ROWS : TILE_ROWS; /* tiles that fetch of Y */
    if (p > p_whole) copy_strip(rows, X + p_whole, ldx, p - p_whole, TILE_ROWS, x_strip);
    if (q > q_whole) copy_strip(rows, Y + q_whole, ldy, q - q_whole, TILE_COLS, y_strip);
    for (int b = 0; b < q; b += TILE_COLS)
        for (int a = 0; a < p; a += TILE_ROWS) {
            const bool whole_a = a < p_whole, whole_b = b < q_whole;
            spw_vec sum[TILE_ROWS][2];
            for (int r = 0; r < TILE_ROWS; r++)
                for (int h = 0; h < 2; h++)
                    sum[r][h] = spw_vec_load_any(&C[a + r][b + h * SPW_VEC]);
            later next = {.a = whole_a && b == 0 ? CHUNK * ldx : 0, .b = CHUNK * ldy};
            if (whole_b && a < p_shared) {
                next.from = a * LINES / p_shared;
                next.to = (a + TILE_ROWS) * LINES / p_shared;
            }
            tile(rows, whole_a ? X + a : x_strip, 1, whole_a ? ldx : TILE_ROWS,
                 whole_b ? Y + b : y_strip, whole_b ? ldy : TILE_COLS, next, sum);
            for (int r = 0; r < TILE_ROWS; r++)
                for (int h = 0; h < 2; h++)
                    memcpy(&C[a + r][b + h * SPW_VEC], &sum[r][h], sizeof(spw_vec));
        }
}

static void gram_panel(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                       int64_t ldy, double *C, int ldc)
{
#pragma omp parallel
    {
        double mine[PANEL][PANEL] __attribute__((aligned(64)));
        memset(mine, 0, sizeof mine);
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        for (int64_t i = spw_part_begin(n, spw_thread(), spw_team_size()); i < end; i += CHUNK) {
            const int64_t rows = end - i < CHUNK ? end - i : CHUNK;
            gram_chunk(rows, p, X + i * ldx, ldx, q, Y + i * ldy, ldy, mine);
        }
        /* in the order of the threads, so that the bits are the same in every run */
#pragma omp for ordered schedule(static, 1)
        for (int t = 0; t < spw_team_size(); t++) {
#pragma omp ordered
            for (int a = 0; a < p; a++)
                for (int b = 0; b < q; b++) C[a * ldc + b] += mine[a][b];
        }
    }
}

void spw_gram_omp(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                  int64_t ldy, double *C)
{
    assert(n >= 0 && p >= 1 && p <= SPW_BLOCK_MAX && q >= 1 && q <= SPW_BLOCK_MAX);
    assert(ldx >= p && ldy >= q && C && (n == 0 || (X && Y)));
    memset(C, 0, sizeof *C * (size_t)p * (size_t)q);
    for (int a = 0; a < p; a += PANEL)
        for (int b = 0; b < q; b += PANEL)
            gram_panel(n, least(p - a, PANEL), X + a, ldx, least(q - b, PANEL), Y + b, ldy,
                       C + a * q + b, q);
}

static int columns(int count, const spw_block *blocks)
{
    int sum = 0;
    for (int k = 0; k < count; k++) sum += blocks[k].nv;
    return sum;
}

/* TILE_ROWS rows of the blocks, from row i, times C. strip: the last columns of C, if a tile is not full. */
static inline __attribute__((always_inline)) void combine_rows(int64_t i, int n_x,
                                                               const spw_block *X, int q,
                                                               const double *C, const double *strip,
                                                               double out[TILE_ROWS][SPW_BLOCK_MAX])
{
    for (int b = 0; b < q; b += TILE_COLS) {
        const bool whole = b + TILE_COLS <= q;
        const double *c = whole ? C + b : strip;
        const int64_t step = whole ? q : TILE_COLS;
        spw_vec sum[TILE_ROWS][2] = {{{0}}};
        for (int k = 0; k < n_x; k++) {
            const double *x = X[k].at + i * X[k].ld;
            for (int r = 0; b == 0 && r < TILE_ROWS; r++)
                for (int at = 0; at < X[k].nv; at += LINE)
                    fetch(x + r * X[k].ld + at, ROWS_AHEAD * X[k].ld);
            tile(X[k].nv, x, X[k].ld, 1, c, step, (later){0}, sum);
            c += X[k].nv * step;
        }
        for (int r = 0; r < TILE_ROWS; r++)
            for (int h = 0; h < 2; h++) spw_vec_store(&out[r][b + h * SPW_VEC], sum[r][h]);
    }
}

/* Are the blocks worth it, and do their rows consist of whole lines? */
static bool is_streamed(int64_t n, int n_y, const spw_block *Y)
{
    bool whole = SPW_HAVE_STREAM;
    for (int k = 0; k < n_y; k++)
        whole = whole && Y[k].nv % LINE == 0 && Y[k].ld % LINE == 0 && (uintptr_t)Y[k].at % 64 == 0;
    return whole && 8 * n * columns(n_y, Y) >= stream_from;
}

/* A row of the product goes to row i of the blocks; row: aligned to 64 bytes. */
static inline void put_row(bool stream, int64_t i, const double *row, int n_y, const spw_block *Y)
{
    for (int k = 0; k < n_y; row += Y[k++].nv) {
        double *to = Y[k].at + i * Y[k].ld;
        if (!stream) memcpy(to, row, sizeof *row * (size_t)Y[k].nv);
        for (int b = 0; stream && b < Y[k].nv; b += SPW_VEC)
            spw_vec_stream(to + b, spw_vec_load(row + b));
    }
}

/* The last rows, fewer than a tile has: all blocks side by side, padded with zeros. */
static void last_rows(int64_t i, int rows, int n_x, const spw_block *X, int p, double *copy)
{
    memset(copy, 0, sizeof *copy * TILE_ROWS * (size_t)p);
    for (int r = 0; r < rows; r++)
        for (int k = 0, a = 0; k < n_x; a += X[k++].nv)
            memcpy(copy + r * p + a, X[k].at + (i + r) * X[k].ld, sizeof *copy * (size_t)X[k].nv);
}

void spw_combine_omp(int64_t n, int n_x, const spw_block *X, const double *C, int n_y,
                     const spw_block *Y)
{
    const int p = columns(n_x, X), q = columns(n_y, Y);
    assert(n >= 0 && n_x >= 1 && p <= SPW_BLOCK_MAX && n_y >= 1 && q <= SPW_BLOCK_MAX && C);
    double strip[SPW_BLOCK_MAX * TILE_COLS];
    const int q_whole = q - q % TILE_COLS;
    const bool stream = is_streamed(n, n_y, Y);
    copy_strip(q > q_whole ? p : 0, C + q_whole, q, q - q_whole, TILE_COLS, strip);
#pragma omp parallel
    {
        double out[TILE_ROWS][SPW_BLOCK_MAX] __attribute__((aligned(64)));
        double copy[TILE_ROWS * SPW_BLOCK_MAX];
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        for (int64_t i = spw_part_begin(n, spw_thread(), spw_team_size()); i < end;
             i += TILE_ROWS) {
            const int rows = end - i < TILE_ROWS ? (int)(end - i) : TILE_ROWS;
            if (rows == TILE_ROWS) {
                combine_rows(i, n_x, X, q, C, strip, out);
            } else {
                last_rows(i, rows, n_x, X, p, copy);
                combine_rows(0, 1, &(spw_block){copy, p, p}, q, C, strip, out);
            }
            for (int r = 0; r < rows; r++) put_row(stream, i + r, out[r], n_y, Y);
        }
        if (stream) spw_stream_fence();
    }
}

void spw_residual_omp(int64_t n, int nv, const double *lambda, const double *U, int64_t ldu,
                      const double *V, int64_t ldv, double *R, int64_t ldr, double *square)
{
    assert(n >= 0 && nv >= 1 && nv <= SPW_BLOCK_MAX && ldu >= nv && ldv >= nv && ldr >= nv);
    assert(lambda && square && (n == 0 || (U && V && R)));
    memset(square, 0, sizeof *square * (size_t)nv);
#pragma omp parallel
    {
        double mine[SPW_BLOCK_MAX] = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            const double *u = U + i * ldu, *v = V + i * ldv;
            double *r = R + i * ldr;
#pragma omp simd
            for (int j = 0; j < nv; j++) {
                const double rest = u[j] - lambda[j] * v[j];
                r[j] = rest;
                mine[j] += rest * rest;
            }
        }
#pragma omp for ordered schedule(static, 1)
        for (int t = 0; t < spw_team_size(); t++) {
#pragma omp ordered
            for (int j = 0; j < nv; j++) square[j] += mine[j];
        }
    }
}

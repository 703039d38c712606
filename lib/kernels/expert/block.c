/* Tall and skinny products in register tiles.
 *
 * Both products are the same inner loop with other strides: a tile of TILE_ROWS x TILE_COLS sums stays in registers
 * while it runs along the long side (gram: the rows of the block) or the short one (combine: its columns), one vector
 * load serves TILE_ROWS rows and one broadcast TILE_COLS columns. Gram walks down the blocks in chunks that stay in
 * the L1 cache, so that all tiles of all blocks share one pass through memory; blocks that do not consist of whole
 * tiles are copied side by side, a chunk at a time. Combine takes a copy of the small matrix in strips as wide as a
 * tile, the last one padded with zeros.
 *
 * With 16 columns arithmetic takes half as long as memory, and is hidden only if memory has work all the time:
 * what must come and go is spread over the steps of a tile.
 *   - Gram goes through a chunk once a tile, and only the first tiles would read from memory: each fetches a
 *     part of a later chunk.
 *   - Combine fetches a line of a later tile in each step. It stores Y past the caches if it is larger than
 *     they are, which saves the fetch of its lines, and a line in each step, too, of the tile before: all
 *     lines of a tile at once take 1.2 times the time.
 * A million rows of 16 columns, two threads: gram reaches 76 % of the best load kernel, a dot product of as many
 * elements 86; combine 67 % and residual 74 of the best copy and triad. With three blocks side by side both
 * products are as fast as in a cache, 60 Gflop/s. (Intel Xeon, family 6 model 143, 2 vCPU KVM virtual machine, gcc
 * 12.2, 2026-11-21.) */
#include "kernels/block.h"

#include "base/threads.h"
#include "kernels/expert/arrays.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    TILE_ROWS = SPW_VEC >= 8 ? 8 : 4, /* as many sums as there are registers for */
    TILE_COLS = 2 * SPW_VEC,
    CHUNK = 16,      /* rows of a block */
    SUMS = 8192,     /* of gram at a time, on the stack: 64 KiB */
    GRAM_AHEAD = 16, /* rows */
    ROWS_AHEAD = 32, /* of X, in combine: 4 KiB for 16 columns */
    LINE = 8,        /* doubles of a cache line */
    LINES_MAX = TILE_ROWS * SPW_BLOCK_MAX / LINE,
    ALONE = 1 << 15 /* products that take one thread 1 us: a team would take longer to start */
};

static const int64_t stream_from = (int64_t)64 << 20; /* bytes of Y */

/* So many elements behind this address: what is fetched there may lie behind the block, and no pointer may. */
static inline uintptr_t behind(const double *at, int64_t elements) {
    return (uintptr_t)at + (uintptr_t)elements * sizeof *at;
}

static int least(int a, int b) { return a < b ? a : b; }

static int rounded(int n, int to) { return (n + to - 1) / to * to; }

/* Lines that leave for Y: `from` on, each to its own address. */
typedef struct writer {
    const double *from;
    const uintptr_t *to, *end;
} writer;

static inline void write_line(const double *from, uintptr_t to) {
    for (int v = 0; v < LINE; v += SPW_VEC)
        spw_vec_bypass((double *)to + v, spw_vec_load(from + v));
}

static void write_all(writer *w) {
    for (; w->to < w->end; w->to++, w->from += LINE) write_line(w->from, *w->to);
}

/* Columns first .. first+have-1 of some rows, padded with zeros to width `wide`. */
static void copy_strip(int64_t rows, const double *from, int64_t ld, int have, int wide,
                       double *strip) {
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < wide; j++) strip[i * wide + j] = j < have ? from[i * ld + j] : 0;
}

/* --- gram
 * -------------------------------------------------------------------------------------------------- */

/* c[r * ldc + :] += over k of a[k * a_step + r] * b[k * b_step + :]. In each step the lines of next_a and
 * next_b are fetched, as far apart as the steps. Not inlined: GCC would make copies for special cases, and worse
 * code. */
static __attribute__((noinline)) void gram_tile(int64_t depth, const double *a, int64_t a_step,
                                                const double *b, int64_t b_step, uintptr_t next_a,
                                                uintptr_t next_b, double *c, int64_t ldc) {
    const uintptr_t a_bytes = (uintptr_t)a_step * sizeof *a,
                    b_bytes = (uintptr_t)b_step * sizeof *b;
    spw_vec sum[TILE_ROWS][2];
    for (int r = 0; r < TILE_ROWS; r++)
        for (int h = 0; h < 2; h++) sum[r][h] = spw_vec_load(c + r * ldc + h * SPW_VEC);
    for (int64_t k = 0; k < depth; k++, a += a_step, b += b_step) {
        __builtin_prefetch((const void *)next_a);
        __builtin_prefetch((const void *)next_b);
        next_a += a_bytes;
        next_b += b_bytes;
        const spw_vec b0 = spw_vec_load_any(b), b1 = spw_vec_load_any(b + SPW_VEC);
        for (int r = 0; r < TILE_ROWS; r++) {
            sum[r][0] += a[r] * b0;
            sum[r][1] += a[r] * b1;
        }
    }
    for (int r = 0; r < TILE_ROWS; r++)
        for (int h = 0; h < 2; h++) spw_vec_store(c + r * ldc + h * SPW_VEC, sum[r][h]);
}

/* Sums [p * ldc] += XᵀY for one chunk, of one block each, in whole tiles. first_x, first_y: nobody fetches of
 * this X, of this Y. */
static void gram_chunk(int64_t rows, const spw_block *X, bool first_x, const spw_block *Y,
                       bool first_y, double *C, int ldc) {
    for (int b = 0; b < Y->nv; b += TILE_COLS)
        for (int a = 0; a < X->nv; a += TILE_ROWS) {
            /* a tile reads a line of a row of X, and up to TILE_COLS / LINE of Y: so many tiles fetch them */
            const int64_t ahead_x = first_x && b == 0 ? GRAM_AHEAD * X->ld : 0;
            const int64_t line = a / TILE_ROWS * LINE;
            const int64_t ahead_y = first_y && line < TILE_COLS ? GRAM_AHEAD * Y->ld + line : 0;
            gram_tile(rows, X->at + a, X->ld, Y->at + b, Y->ld, behind(X->at + a, ahead_x),
                      behind(Y->at + b, ahead_y), C + a * ldc + b, ldc);
        }
}

/* Columns first .. last-1 of blocks side by side, as blocks. Returns how many. */
static int cut_blocks(int count, const spw_block *blocks, int first, int last, spw_block *out) {
    int n = 0;
    for (int k = 0, at = 0; k < count; at += blocks[k++].nv) {
        const int from = first > at ? first - at : 0, to = least(last - at, blocks[k].nv);
        if (from < to) out[n++] = (spw_block){blocks[k].at + from, blocks[k].ld, to - from};
    }
    return n;
}

/* Blocks side by side as gram takes them: whole tiles as they are, else all of them in one copy of a chunk. */
typedef struct side {
    const spw_block *blocks;
    int n, width, wide; /* wide: columns in whole tiles */
    bool whole;
} side;

static side side_of(int n, const spw_block *blocks, int tile) {
    side s = {blocks, n, spw_block_columns(n, blocks), 0, true};
    for (int k = 0; k < n; k++) s.whole = s.whole && blocks[k].nv % tile == 0;
    s.wide = rounded(s.width, tile);
    return s;
}

/* The blocks of rows i .. i+rows-1. copy [CHUNK * s->wide]: what is behind the columns stays as it is. */
static int chunk_of(const side *s, int64_t i, int64_t rows, double *copy, spw_block *out) {
    for (int k = 0; k < s->n && s->whole; k++)
        out[k] =
            (spw_block){s->blocks[k].at + i * s->blocks[k].ld, s->blocks[k].ld, s->blocks[k].nv};
    if (s->whole) return s->n;
    for (int k = 0, at = 0; k < s->n; at += s->blocks[k++].nv)
        for (int64_t r = 0; r < rows; r++) {
            const double *from = s->blocks[k].at + (i + r) * s->blocks[k].ld;
            for (int c = 0; c < s->blocks[k].nv; c += LINE)
                __builtin_prefetch((const void *)behind(from, GRAM_AHEAD * s->blocks[k].ld + c));
            for (int c = 0; c < s->blocks[k].nv; c++) copy[r * s->wide + at + c] = from[c];
        }
    *out = (spw_block){copy, s->wide, s->wide};
    return 1;
}

/* C, of ldc columns, = XᵀY. The sums in whole tiles are at most SUMS. */
static void gram_sides(int64_t n, const side *X, const side *Y, double *C, int ldc) {
#pragma omp parallel if (n * X->width * Y->width > ALONE)
    {
        double mine[SUMS] __attribute__((aligned(64)));
        double x_copy[CHUNK * SPW_BLOCK_MAX] __attribute__((aligned(64)));
        double y_copy[CHUNK * SPW_BLOCK_MAX] __attribute__((aligned(64)));
        if (!X->whole) memset(x_copy, 0, sizeof *x_copy * CHUNK * (size_t)X->wide);
        if (!Y->whole) memset(y_copy, 0, sizeof *y_copy * CHUNK * (size_t)Y->wide);
        memset(mine, 0, sizeof *mine * (size_t)(X->wide * Y->wide));
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        for (int64_t i = spw_part_begin(n, spw_thread(), spw_team_size()); i < end; i += CHUNK) {
            const int64_t rows = end - i < CHUNK ? end - i : CHUNK;
            spw_block x[SPW_BLOCKS_MAX], y[SPW_BLOCKS_MAX];
            const int n_x = chunk_of(X, i, rows, x_copy, x), n_y = chunk_of(Y, i, rows, y_copy, y);
            double *row = mine;
            for (int a = 0; a < n_x; row += Y->wide * x[a++].nv)
                for (int b = 0, at = 0; b < n_y; at += y[b++].nv)
                    gram_chunk(rows, &x[a], X->whole && b == 0, &y[b], Y->whole && a == 0, row + at,
                               Y->wide);
        }
        /* in the order of the threads, so that the bits are the same in every run */
#pragma omp for ordered schedule(static, 1)
        for (int t = 0; t < spw_team_size(); t++) {
#pragma omp ordered
            for (int a = 0; a < X->width; a++)
                for (int b = 0; b < Y->width; b++) C[a * ldc + b] += mine[a * Y->wide + b];
        }
    }
}

void spw_gram_blocks_omp(int64_t n, int n_x, const spw_block *X, int n_y, const spw_block *Y,
                         double *C) {
    const side right = side_of(n_y, Y, TILE_COLS);
    const int p = spw_block_columns(n_x, X), q = right.width;
    assert(n >= 0 && n_x >= 1 && n_x <= SPW_BLOCKS_MAX && n_y >= 1 && n_y <= SPW_BLOCKS_MAX);
    assert(p >= 1 && p <= SPW_BLOCK_MAX && q >= 1 && q <= SPW_BLOCK_MAX && C);
    memset(C, 0, sizeof *C * (size_t)p * (size_t)q);
    /* as many columns of X at a time as there is room for their sums */
    const int room = SUMS / right.wide / TILE_ROWS * TILE_ROWS;
    for (int first = 0; first < p; first += room) {
        spw_block some[SPW_BLOCKS_MAX];
        const side left = side_of(cut_blocks(n_x, X, first, first + room, some), some, TILE_ROWS);
        gram_sides(n, &left, &right, C + first * q, q);
    }
}

void spw_gram_omp(int64_t n, int p, const double *X, int64_t ldx, int q, const double *Y,
                  int64_t ldy, double *C) {
    assert(ldx >= p && ldy >= q && (n == 0 || (X && Y)));
    const spw_block x = {(double *)X, ldx, p}, y = {(double *)Y, ldy, q}; /* only read */
    spw_gram_blocks_omp(n, 1, &x, 1, &y, C);
}

/* --- combine
 * ----------------------------------------------------------------------------------------------- */

/* Loops over the rows of a tile are unrolled early, so that GCC keeps the sums in registers: else it stores them in
 * every step, as the lines that are written might be part of them, and with streaming stores combine takes 1.5 to 2.5
 * times the time (one thread, AMD EPYC, family 26 model 2, 2 vCPU, gcc 12.2, 2026-11-22).
 *
 * out[r * wide + :] = or += over k of x[r * ld + k] * c[k * TILE_COLS + :]. In each step the line later[k] is
 * fetched and, with `writes`, one stored. */
static inline __attribute__((always_inline)) void
combine_steps(bool writes, int64_t steps, int64_t ld, bool first, const double *x, const double *c,
              const uintptr_t *later, const writer *w, double *out, int64_t wide) {
    const double *from = w->from;
    const uintptr_t *to = w->to;
    spw_vec left[TILE_ROWS], right[TILE_ROWS];
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++) left[r] = right[r] = (spw_vec){0};
    for (int64_t k = 0; k < steps; k++) {
        __builtin_prefetch((const void *)later[k]);
        if (writes) write_line(from + LINE * k, to[k]);
        const spw_vec c0 = spw_vec_load(c + k * TILE_COLS);
        const spw_vec c1 = spw_vec_load(c + k * TILE_COLS + SPW_VEC);
#pragma GCC unroll 8
        for (int r = 0; r < TILE_ROWS; r++) {
            left[r] += x[r * ld + k] * c0;
            right[r] += x[r * ld + k] * c1;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < TILE_ROWS; r++) {
        double *at = out + r * wide;
        if (!first) {
            left[r] += spw_vec_load(at);
            right[r] += spw_vec_load(at + SPW_VEC);
        }
        spw_vec_store(at, left[r]);
        spw_vec_store(at + SPW_VEC, right[r]);
    }
}

/* All steps, of which as many write as there are lines. */
static __attribute__((noinline)) void combine_tile(int64_t ld, bool first, int64_t depth,
                                                   const double *x, const double *c,
                                                   const uintptr_t *later, writer *w, double *out,
                                                   int64_t wide) {
    const int64_t lines = w->end - w->to, both = lines < depth ? lines : depth;
    if (both) combine_steps(true, both, ld, first, x, c, later, w, out, wide);
    if (both < depth)
        combine_steps(false, depth - both, ld, first && !both, x + both, c + both * TILE_COLS,
                      later + both, w, out, wide);
    *w = (writer){w->from + LINE * both, w->to + both, w->end};
}

/* TILE_ROWS rows of the blocks, from row i, times C, which is packed. later [p]. out [TILE_ROWS * wide], wide:
 * columns of C in whole tiles. */
static void combine_rows(int64_t i, int n_x, const spw_block *X, const double *packed,
                         const uintptr_t *later, writer *w, double *out, int wide) {
    for (int b = 0; b < wide; b += TILE_COLS)
        for (int k = 0, at = 0; k < n_x; packed += X[k].nv * TILE_COLS, at += X[k++].nv)
            combine_tile(X[k].ld, k == 0, X[k].nv, X[k].at + i * X[k].ld, packed, later + at, w,
                         out + b, wide);
}

/* Are the blocks worth it, and do their rows consist of whole lines? */
static bool is_bypassing(int64_t n, int n_y, const spw_block *Y) {
    bool whole = SPW_HAVE_BYPASS;
    for (int k = 0; k < n_y; k++)
        whole = whole && Y[k].nv % LINE == 0 && Y[k].ld % LINE == 0 && (uintptr_t)Y[k].at % 64 == 0;
    return whole && 8 * n * spw_block_columns(n_y, Y) >= stream_from;
}

/* So many rows of the product, `wide` apart, go to row i .. of the blocks. */
static void put_rows(int64_t i, int rows, const double *row, int wide, int n_y,
                     const spw_block *Y) {
    for (int k = 0; k < n_y; row += Y[k++].nv)
        for (int r = 0; r < rows; r++) {
            double *to = Y[k].at + (i + r) * Y[k].ld;
#pragma omp simd
            for (int c = 0; c < Y[k].nv; c++) to[c] = row[r * wide + c];
        }
}

/* The first lines of TILE_ROWS rows from row i on, row by row: their addresses, and from there to the next
 * tile.
 * Returns how many, at most `most`. */
static int address_lines(int64_t i, int n, const spw_block *blocks, int most, uintptr_t *line,
                         uintptr_t *tile) {
    int count = 0;
    for (int r = 0; r < TILE_ROWS; r++)
        for (int k = 0; k < n; k++)
            for (int at = 0; at < blocks[k].nv && count < most; at += LINE, count++) {
                line[count] = behind(blocks[k].at, (i + r) * blocks[k].ld + at);
                tile[count] = (uintptr_t)(TILE_ROWS * blocks[k].ld) * sizeof(double);
            }
    return count;
}

static void next_tile(int n, uintptr_t *line, const uintptr_t *tile) {
    for (int l = 0; l < n; l++) line[l] += tile[l];
}

/* The last rows, fewer than a tile has: all blocks side by side, padded with zeros. */
static void last_rows(int64_t i, int rows, int n_x, const spw_block *X, int p, double *copy) {
    memset(copy, 0, sizeof *copy * TILE_ROWS * (size_t)p);
    for (int r = 0; r < rows; r++)
        for (int k = 0, a = 0; k < n_x; a += X[k++].nv)
            memcpy(copy + r * p + a, X[k].at + (i + r) * X[k].ld, sizeof *copy * (size_t)X[k].nv);
}

void spw_combine_omp(int64_t n, int n_x, const spw_block *X, const double *C, int n_y,
                     const spw_block *Y) {
    const int p = spw_block_columns(n_x, X), q = spw_block_columns(n_y, Y),
              wide = rounded(q, TILE_COLS);
    assert(n >= 0 && n_x >= 1 && p <= SPW_BLOCK_MAX && n_y >= 1 && q <= SPW_BLOCK_MAX && C);
    /* C by strips of TILE_COLS columns, each without gaps, the last one filled up with zeros */
    double packed[p * wide] __attribute__((aligned(64)));
    for (int b = 0; b < q; b += TILE_COLS)
        copy_strip(p, C + b, q, least(q - b, TILE_COLS), TILE_COLS, packed + b * p);
    const bool bypass = q == wide && is_bypassing(n, n_y, Y);
#pragma omp parallel if (n * p * q > ALONE)
    {
        double out[2][TILE_ROWS * SPW_BLOCK_MAX] __attribute__((aligned(64)));
        double copy[TILE_ROWS * SPW_BLOCK_MAX];
        uintptr_t to[LINES_MAX], to_tile[LINES_MAX], later[SPW_BLOCK_MAX],
            later_tile[SPW_BLOCK_MAX];
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        int64_t i = spw_part_begin(n, spw_thread(), spw_team_size());
        const int lines = bypass ? address_lines(i - TILE_ROWS, n_y, Y, LINES_MAX, to, to_tile) : 0;
        const int fetched = address_lines(i + ROWS_AHEAD, n_x, X, p, later, later_tile);
        for (int k = fetched; k < p; k++)
            later[k] = later[0]; /* more steps than lines: nothing new */
        writer w = {NULL, to, to};
        for (int turn = 0; i + TILE_ROWS <= end; i += TILE_ROWS, turn = !turn) {
            combine_rows(i, n_x, X, packed, later, &w, out[turn], wide);
            next_tile(fetched, later, later_tile);
            if (!bypass) put_rows(i, TILE_ROWS, out[turn], wide, n_y, Y);
            write_all(&w);
            next_tile(lines, to, to_tile);
            w = (writer){out[turn], to, to + lines};
        }
        write_all(&w);
        if (i < end) {
            last_rows(i, (int)(end - i), n_x, X, p, copy);
            combine_rows(0, 1, &(spw_block){copy, p, p}, packed, later, &w, out[0], wide);
            put_rows(i, (int)(end - i), out[0], wide, n_y, Y);
        }
        if (bypass) spw_bypass_fence();
    }
}

/* --- residual
 * ---------------------------------------------------------------------------------------------- */

/* The same columns of all three blocks, SPW_VEC of them, for some rows; returns the sums of squares. */
static inline spw_vec residual_columns(int64_t rows, spw_vec lambda, const double *U, int64_t ldu,
                                       const double *V, int64_t ldv, double *R, int64_t ldr,
                                       bool bypass) {
    spw_vec sum = {0};
    for (int64_t r = 0; r < rows; r++) {
        __builtin_prefetch((const void *)behind(U, (r + GRAM_AHEAD) * ldu));
        __builtin_prefetch((const void *)behind(V, (r + GRAM_AHEAD) * ldv));
        const spw_vec rest = spw_vec_load_any(U + r * ldu) - lambda * spw_vec_load_any(V + r * ldv);
        if (bypass)
            spw_vec_bypass(R + r * ldr, rest);
        else
            *(spw_vec_any *)(R + r * ldr) = rest;
        sum += rest * rest;
    }
    return sum;
}

static double residual_column(int64_t rows, double lambda, const double *U, int64_t ldu,
                              const double *V, int64_t ldv, double *R, int64_t ldr) {
    double sum = 0;
    for (int64_t r = 0; r < rows; r++) {
        const double rest = U[r * ldu] - lambda * V[r * ldv];
        R[r * ldr] = rest;
        sum += rest * rest;
    }
    return sum;
}

void spw_residual_omp(int64_t n, int nv, const double *lambda, const double *U, int64_t ldu,
                      const double *V, int64_t ldv, double *R, int64_t ldr, double *square) {
    assert(n >= 0 && nv >= 1 && nv <= SPW_BLOCK_MAX && ldu >= nv && ldv >= nv && ldr >= nv);
    assert(lambda && square && (n == 0 || (U && V && R)));
    const spw_block out = {R, ldr, nv};
    const bool bypass = is_bypassing(n, 1, &out);
    memset(square, 0, sizeof *square * (size_t)nv);
#pragma omp parallel
    {
        double mine[SPW_BLOCK_MAX] = {0};
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        for (int64_t i = spw_part_begin(n, spw_thread(), spw_team_size()); i < end; i += CHUNK) {
            const int64_t rows = end - i < CHUNK ? end - i : CHUNK;
            const double *u = U + i * ldu, *v = V + i * ldv;
            double *r = R + i * ldr;
            int j = 0;
            for (; j + SPW_VEC <= nv; j += SPW_VEC)
                *(spw_vec_any *)(mine + j) += residual_columns(
                    rows, spw_vec_load_any(lambda + j), u + j, ldu, v + j, ldv, r + j, ldr, bypass);
            for (; j < nv; j++)
                mine[j] += residual_column(rows, lambda[j], u + j, ldu, v + j, ldv, r + j, ldr);
        }
#pragma omp for ordered schedule(static, 1)
        for (int t = 0; t < spw_team_size(); t++) {
#pragma omp ordered
            for (int j = 0; j < nv; j++) square[j] += mine[j];
        }
        if (bypass) spw_bypass_fence();
    }
}

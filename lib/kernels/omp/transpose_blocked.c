/* One of the two arrays is always walked against its lines, and a line has eight elements: tiles of
 * 8 x 8 take all eight of them at once, so that each line is fetched once whatever the caches hold.
 * Tiles run along the longer side. There they are as many streams as the shorter side has elements, more
 * than a hardware prefetcher follows: software fetches them ahead. */
#include "kernels/spmm.h"

#include "base/threads.h"
#include "kernels/omp/stream.h"

#include <assert.h>

enum { TILE = 8, AHEAD = 8 * 64 /* bytes */ };

/* m x n of them, at most TILE x TILE; whole tiles have loops that the compiler writes out. */
static inline __attribute__((always_inline)) void tile(int64_t m, int64_t n, const double *from,
                                                       int64_t ldfrom, double *to, int64_t ldto)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) to[j * ldto + i] = from[i * ldfrom + j];
}

/* Row i0 and column j0 of `from` are the tile's first. */
static void tile_at(int64_t i0, int64_t j0, int64_t m, int64_t n, const double *from,
                    int64_t ldfrom, double *to, int64_t ldto)
{
    const int64_t rows = m - i0 < TILE ? m - i0 : TILE, columns = n - j0 < TILE ? n - j0 : TILE;
    const double *at = from + i0 * ldfrom + j0;
    if (n >= m) /* else the next tiles are in the next lines, and hardware finds those */
        for (int64_t i = 0; i < rows; i++) spw_prefetch_ahead(at + i * ldfrom, AHEAD);
    if (rows == TILE && columns == TILE)
        tile(TILE, TILE, at, ldfrom, to + j0 * ldto + i0, ldto);
    else
        tile(rows, columns, at, ldfrom, to + j0 * ldto + i0, ldto);
}

void spw_transpose_omp_blocked(int64_t m, int64_t n, const double *from, int64_t ldfrom, double *to,
                               int64_t ldto)
{
    assert(m >= 0 && n >= 0 && ldfrom >= n && ldto >= m && ((from && to) || m == 0 || n == 0));
    const int64_t length = m > n ? m : n, width = m > n ? n : m;
#pragma omp parallel for schedule(static)
    for (int64_t along = 0; along < length; along += TILE)
        for (int64_t across = 0; across < width; across += TILE)
            tile_at(m > n ? along : across, m > n ? across : along, m, n, from, ldfrom, to, ldto);
}

/* ELL as column after column. Entries of one column of ELL are neighbours, those of one row n_rows apart:
 * the taller the tile of rows, the longer the pieces that are read from one place, and the fewer rows'
 * sums fit a cache. 512 rows are pieces of 4 KiB of val, a page, and 4 KiB of sums. While one piece is
 * used, the piece of the next column is fetched, which no hardware prefetcher guesses. */
#include "kernels/spmv.h"

#include "kernels/omp/cpu.h"

#include <assert.h>

enum { TILE = 512, LINE = 8 };

static inline __attribute__((always_inline)) void
add_line(const double *val, const spw_idx *col_idx, const double *x, double *sums)
{
#pragma omp simd
    for (int r = 0; r < LINE; r++) sums[r] += val[r] * x[col_idx[r]];
}

/* y of rows i .. i+n-1. */
static inline __attribute__((always_inline)) void tile(const spw_ell *A, int64_t i, int64_t n,
                                                       const double *x, double *y)
{
    const uintptr_t to_next = (uintptr_t)A->n_rows;
    for (int64_t r = 0; r < n; r++) y[i + r] = 0;
    for (int64_t j = 0; j < A->width; j++) {
        const double *val = A->val + j * A->n_rows + i;
        const spw_idx *col_idx = A->col_idx + j * A->n_rows + i;
        int64_t r = 0;
        for (; r + LINE <= n; r += LINE) {
            /* By way of an integer: behind the last column there is nothing. */
            __builtin_prefetch((const void *)((uintptr_t)(val + r) + to_next * sizeof *val));
            __builtin_prefetch(
                (const void *)((uintptr_t)(col_idx + r) + to_next * sizeof *col_idx));
            add_line(val + r, col_idx + r, x, y + i + r);
        }
        for (; r < n; r++) y[i + r] += val[r] * x[col_idx[r]];
    }
}

static SPW_FOR_AVX512 void tile_avx512(const spw_ell *A, int64_t i, int64_t n, const double *x,
                                       double *y)
{
    tile(A, i, n, x, y);
}

static SPW_FOR_AVX2 void tile_avx2(const spw_ell *A, int64_t i, int64_t n, const double *x,
                                   double *y)
{
    tile(A, i, n, x, y);
}

static void tile_any(const spw_ell *A, int64_t i, int64_t n, const double *x, double *y)
{
    tile(A, i, n, x, y);
}

void spw_spmv_ell_omp_tall(const spw_ell *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    const spw_cpu cpu = spw_cpu_best();
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n_rows; i += TILE) {
        const int64_t n = A->n_rows - i < TILE ? A->n_rows - i : TILE;
        switch (cpu) {
        case SPW_CPU_AVX512: tile_avx512(A, i, n, x, y); break;
        case SPW_CPU_AVX2: tile_avx2(A, i, n, x, y); break;
        case SPW_CPU_ANY: tile_any(A, i, n, x, y); break;
        }
    }
}

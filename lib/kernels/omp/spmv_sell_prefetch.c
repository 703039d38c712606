/* SELL-C-sigma with the sums of a chunk in registers. For C = 8, 16 and 32 the number of rows is a
 * constant of the compiler, so that the sums of a chunk are 1, 2 or 4 registers of 64 bytes (twice
 * as many of 32) and y is written once. val and col_idx are streams, which software fetches some
 * KiB ahead, x is put together from single loads: both as in csr_row.h, which says why. A thread
 * gets an equal share of entries and rows, as in partition.h, because sorting gathers the long rows
 * in some chunks. */
#include "kernels/spmv.h"

#include "base/threads.h"
#include "kernels/omp/csr_row.h"
#include "kernels/partition.h"

#include <assert.h>

/* y of stored rows of one chunk; n of its `vectors` * 4 rows are there. */
static inline __attribute__((always_inline)) void
chunk_rows(int vectors, int64_t length, const double *val, const spw_idx *col_idx, const double *x,
           int64_t n, const spw_idx *perm, double *y)
{
    spw_row_vec sums[8] = {{0}}; /* [vectors], 8 for C = 32 */
    for (int64_t j = 0; j < length; j++, val += 4 * vectors, col_idx += 4 * vectors) {
        for (int v = 0; v < vectors; v++) {
            const spw_idx *c = col_idx + 4 * v;
            if (v % 2 == 0) spw_row_prefetch(val + 4 * v, c); /* 8 entries are a line of val */
            const spw_row_vec gathered = {x[c[0]], x[c[1]], x[c[2]], x[c[3]]};
            sums[v] += *(const spw_row_vec_any *)(val + 4 * v) * gathered;
        }
    }
    for (int64_t r = 0; r < n; r++) y[perm[r]] = sums[r / 4][r % 4];
}

static inline __attribute__((always_inline)) void
chunks(int vectors, const spw_sell *A, int64_t from, int64_t to, const double *x, double *y)
{
    const int64_t C = 4 * vectors;
    for (int64_t c = from; c < to; c++) {
        const int64_t begin = A->chunk_ptr[c], length = (A->chunk_ptr[c + 1] - begin) / C;
        const int64_t left = A->n_rows - c * C, n = left < C ? left : C;
        chunk_rows(vectors, length, A->val + begin, A->col_idx + begin, x, n, A->perm + c * C, y);
    }
}

void spw_spmv_sell_omp_prefetch(const spw_sell *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    if (A->C != 8 && A->C != 16 && A->C != 32) {
        spw_spmv_sell_omp(A, x, y);
        return;
    }
#pragma omp parallel
    {
        const int64_t from =
            spw_cut_at(A->chunk_ptr, A->n_chunks, A->C, spw_thread(), spw_team_size());
        const int64_t to =
            spw_cut_at(A->chunk_ptr, A->n_chunks, A->C, spw_thread() + 1, spw_team_size());
        switch (A->C) {
        case 8: chunks(2, A, from, to, x, y); break;
        case 16: chunks(4, A, from, to, x, y); break;
        default: chunks(8, A, from, to, x, y); break;
        }
    }
}

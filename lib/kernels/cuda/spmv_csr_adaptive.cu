/* Equal shares of entries a block, whatever the rows look like, and three ways to work on them:
 *
 *   short rows   As many whole rows as have TILE entries together. All threads load the entries
 *                side by side, as if there were no rows, and leave the products in shared memory;
 *                then 1 to 32 lanes a row, by the number of rows, add them up. Every load is a
 *                whole line.
 *   long rows    A row that does not fit a tile: the block adds it up in registers.
 *   longer ones  of 1024 entries and more, may begin in one share and end in another (cut). The
 *                block in whose share the row ends writes y; the sums of the others are carried,
 *                and added to y by a second, small kernel: one atomic a block that has a carry.
 *
 *     share   |  a a b c c c | c c c c c c | c d d e |       c is cut twice
 *     y          a b           -             c d e           carries: c, c
 *
 * Gain: no lane idles because rows differ, and a dense row does not hold up the rest. Cost: three
 * barriers a tile, the search for the cuts in every call (five steps of a warp, for some 8192
 * entries), the second launch.
 *
 * Source: CSR-Adaptive, J. L. Greathouse, M. Daga, SC14, doi:10.1109/SC.2014.68: stream and vector.
 * Theirs finds the rows of each block once, on the host, and keeps them beside the matrix; we
 * search in every call, so that a plain CSR matrix will do. Long rows on several blocks as in M.
 * Daga, J. L. Greathouse, HiPC 2015, doi:10.1109/HiPC.2015.55; the carries, and cutting by entries
 * and rows, as in D. Merrill, M. Garland, SC16, doi:10.1109/SC.2016.57. The cuts are those of
 * kernels/partition.h. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/row_sum.cuh"
#include "kernels/cuda/sum.cuh"
#include "kernels/partition.h"

enum {
    PER_THREAD = 8,            /* entries of a tile that a thread loads at once */
    TILE = PER_THREAD * BLOCK, /* entries: 16 KiB of products */
    SHARE = 4 * TILE, /* entries and rows of a share, if there are not more than MOST_SHARES */
    MOST_SHARES = 65536
};
static_assert(TILE >= (int)SPW_SHARE_FROM, "a row that is not cut should fit a tile");

typedef struct carry {
    double sum;
    spw_idx row; /* -1: none */
} carry;

/* What blocks hand on to the second kernel; calls in one stream follow each other. */
static __device__ carry carries[MOST_SHARES];

static __device__ __forceinline__ int64_t work_before(const spw_csr &A, int64_t row)
{
    return __ldg(A.row_ptr + row) + row;
}

/* spw_csr_cut_at of partition.h by a whole warp: 32 places are looked at in each step instead of
 * one, so that 2^25 rows take five steps and not 25. All lanes return the same. */
static __device__ spw_csr_cut cut_at(const spw_csr &A, int part, int parts)
{
    const int lane = threadIdx.x % WARP;
    const int64_t all = A.nnz + (int64_t)A.n_rows;
    const int64_t goal = all / parts * part + all % parts * part / parts;

    int64_t low = 0, row = A.n_rows; /* the first row with at least the goal in front of it */
    while (low < row) {
        const int64_t step = (row - low + WARP - 1) / WARP, probe = low + lane * step;
        const bool is_below = probe < row && work_before(A, probe) < goal;
        const int below = __popc(__ballot_sync(ALL_LANES, is_below)); /* lanes 0 .. below-1 */
        if (below < WARP && low + below * step < row) row = low + below * step;
        if (below > 0) low += (below - 1) * step + 1;
    }
    if (work_before(A, row) > goal) { /* the goal lies inside the row before */
        const int64_t begin = __ldg(A.row_ptr + row - 1), end = __ldg(A.row_ptr + row);
        const int64_t entry = goal - (row - 1);
        if (end - begin >= SPW_SHARE_FROM) {
            if (entry < end) return spw_csr_cut{(spw_idx)(row - 1), (spw_idx)entry};
        } else if (entry - begin < end - entry) {
            row--;
        }
    }
    return spw_csr_cut{(spw_idx)row, __ldg(A.row_ptr + row)};
}

/* Entries begin .. end-1 times x, by the whole block; valid in thread 0. */
static __device__ double long_row(const spw_csr &A, const double *x, unsigned begin, unsigned end)
{
    return block_sum(row_sum(A.val, A.col_idx, x, begin + threadIdx.x, end, BLOCK));
}

/* products[k] = the product of entry begin + k, for the entries in front of end, at most TILE. */
static __device__ void load_tile(const spw_csr &A, const double *x, unsigned begin, unsigned end,
                                 double *products)
{
    double a[PER_THREAD];
    spw_idx column[PER_THREAD];
#pragma unroll
    for (int u = 0; u < PER_THREAD; u++) {
        const unsigned k = begin + u * BLOCK + threadIdx.x;
        column[u] = k < end ? __ldcs(A.col_idx + k) : -1;
        a[u] = k < end ? __ldcs(A.val + k) : 0;
    }
#pragma unroll
    for (int u = 0; u < PER_THREAD; u++)
        if (column[u] >= 0) products[u * BLOCK + threadIdx.x] = a[u] * __ldg(x + column[u]);
}

/* y of n_rows <= BLOCK rows; row r has the products ends[r-1] .. ends[r]-1, less begin; ends[-1]
 * is begin.
 * As many lanes a row as there are, a power of two. */
static __device__ void short_rows(const double *products, const unsigned *ends, unsigned begin,
                                  int n_rows, double *y)
{
    int lanes = WARP;
    while (lanes * n_rows > BLOCK) lanes /= 2;
    const int r = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    double sum = 0;
    if (r < n_rows) {
        const unsigned end = ends[r] - begin;
        for (unsigned k = (r ? ends[r - 1] - begin : 0) + lane; k < end; k += lanes)
            sum += products[k];
    }
    sum = lanes_sum(sum, lanes);
    if (r < n_rows && lane == 0) y[r] = sum;
}

static __global__ void __launch_bounds__(BLOCK) csr_shares(spw_csr A, const double *x, double *y)
{
    __shared__ double products[TILE];
    __shared__ unsigned ends[BLOCK]; /* of the next rows of the share */
    __shared__ spw_csr_cut cuts[2];  /* where the share begins and ends */
    static_assert(BLOCK >= 2 * WARP, "two warps search at the same time");

    const int warp = threadIdx.x / WARP;
    if (warp < 2) {
        const spw_csr_cut cut = cut_at(A, blockIdx.x + warp, gridDim.x);
        if (threadIdx.x % WARP == 0) cuts[warp] = cut;
    }
    __syncthreads();
    const spw_csr_cut to = cuts[1];
    spw_idx row = cuts[0].row;
    unsigned begin = cuts[0].entry;

    while (row < to.row) {
        const int64_t next = (int64_t)row + threadIdx.x; /* row whose end this thread looks up */
        bool fits = false;
        if (next < to.row) {
            ends[threadIdx.x] = __ldg(A.row_ptr + next + 1);
            fits = ends[threadIdx.x] - begin <= TILE;
        }
        const int n_rows = __syncthreads_count(fits); /* ends ascend: the first n_rows fit */
        if (n_rows > 0) {
            load_tile(A, x, begin, ends[n_rows - 1], products);
            __syncthreads();
            short_rows(products, ends, begin, n_rows, y + row);
            begin = ends[n_rows - 1];
            row += n_rows;
        } else {
            const double sum = long_row(A, x, begin, ends[0]);
            if (threadIdx.x == 0) y[row] = sum;
            begin = ends[0];
            row++;
        }
        __syncthreads(); /* all have read ends and products before they are overwritten */
    }
    const bool is_cut = begin < (unsigned)to.entry;
    const double sum = is_cut ? long_row(A, x, begin, to.entry) : 0;
    if (threadIdx.x == 0) carries[blockIdx.x] = carry{sum, is_cut ? to.row : -1};
}

static __global__ void add_carries(int n_shares, double *y)
{
    const int share = blockIdx.x * BLOCK + threadIdx.x;
    if (share >= n_shares || carries[share].row < 0) return;
    atomicAdd(y + carries[share].row, carries[share].sum);
}

spw_status spw_spmv_csr_cuda_adaptive(const spw_csr *d_A, const double *d_x, double *d_y)
{
    if (d_A->n_rows == 0) return SPW_OK;
    const int64_t wanted = (d_A->nnz + (int64_t)d_A->n_rows + SHARE - 1) / SHARE;
    const int n_shares = wanted < MOST_SHARES ? (int)wanted : MOST_SHARES;
    csr_shares<<<n_shares, BLOCK>>>(*d_A, d_x, d_y);
    add_carries<<<blocks_for(n_shares), BLOCK>>>(n_shares, d_y);
    return spw_device_launched("spw_spmv_csr_cuda_adaptive");
}

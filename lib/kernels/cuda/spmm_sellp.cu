/* The block of the papers: b x t x layers threads a slice. x: the rows of the slice; y: t threads a
 * row; z: layers, each with two vectors, 16 bytes of X. The t sums of a row and vector are added in
 * shared memory, halving their number each time, as in spmv_sellp.cu.
 * Where b * t threads leave no room for the layers that nv asks for, a layer takes several pairs of
 * vectors one after the other.
 * Source: H. Anzt, S. Tomov, J. Dongarra, Int. J. High Perform. Comput. Appl. 31(5), 375-390, 2017,
 * doi:10.1177/1094342016672081. They read X through texture memory, whose reads have 16 bytes. */
#include "base/device.h"
#include "kernels/cuda.h"
#include "kernels/cuda/launch.cuh"

enum { MOST_THREADS = 512, PER_LAYER = 2 };

static __global__ void sellp_layers(spw_sellp S, spw_idx nv, const double *X, int64_t ldx,
                                    double *Y, int64_t ldy) {
    extern __shared__ double sums[]; /* [layers][PER_LAYER][t][b] */
    const int b = blockDim.x, t = blockDim.y, row_in_slice = threadIdx.x, part = threadIdx.y;
    double *mine = sums + (threadIdx.z * PER_LAYER * t + part) * b + row_in_slice;
    const unsigned slice = blockIdx.x, step = b * t;
    const unsigned begin = __ldg(S.slice_ptr + slice), end = __ldg(S.slice_ptr + slice + 1);
    const int64_t row = (int64_t)slice * b + row_in_slice; /* the last slice may have too many */

    /* All threads make as many rounds: barriers are for all. */
    for (spw_idx first = 0; first < nv; first += PER_LAYER * blockDim.z) {
        const spw_idx v = first + PER_LAYER * threadIdx.z;
        double sum0 = 0, sum1 = 0;
        for (unsigned at = begin + part * b + row_in_slice; v < nv && at < end; at += step) {
            const double a = __ldg(S.val + at), *x = X + __ldg(S.col_idx + at) * ldx + v;
            sum0 += a * __ldg(x);
            if (v + 1 < nv) sum1 += a * __ldg(x + 1);
        }
        if (first > 0) __syncthreads(); /* the sums of the round before have been read */
        mine[0] = sum0;
        mine[step] = sum1;
        for (int width = t; width > 1;) {
            const int half = (width + 1) / 2;
            __syncthreads();
            if (part + half < width) {
                mine[0] += mine[half * b];
                mine[step] += mine[step + half * b];
            }
            width = half;
        }
        if (part > 0 || row >= S.n_rows) continue;
        if (v < nv) Y[row * ldy + v] = mine[0];
        if (v + 1 < nv) Y[row * ldy + v + 1] = mine[step];
    }
}

spw_status spw_spmm_sellp_cuda(const spw_sellp *d_A, spw_idx nv, const double *d_X, int64_t ldx,
                               double *d_Y, int64_t ldy) {
    const int64_t threads = (int64_t)d_A->b * d_A->t;
    if (d_A->n_rows == 0) return SPW_OK;
    if (threads > LARGEST_BLOCK)
        return spw_error(SPW_ERR_ARG, "SELL-P: b * t is %d * %d, a block has at most %d threads",
                         d_A->b, d_A->t, LARGEST_BLOCK);
    const int64_t wanted = ((int64_t)nv + PER_LAYER - 1) / PER_LAYER;
    const int64_t room = threads < MOST_THREADS ? MOST_THREADS / threads : 1;
    int64_t layers = wanted < room ? wanted : room;
    if (layers > 64) layers = 64; /* the most that CUDA allows */
    const dim3 block(d_A->b, d_A->t, (unsigned)layers);
    const size_t shared = threads * layers * PER_LAYER * sizeof(double);
    sellp_layers<<<d_A->n_slices, block, shared>>>(*d_A, nv, d_X, ldx, d_Y, ldy);
    return spw_device_launched("spw_spmm_sellp_cuda");
}

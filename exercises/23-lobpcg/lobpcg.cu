#include "given_gpu.cuh"
#include "lobpcg_gpu.h"

#include <cuda_runtime.h>

/* 1. Predict. What must one call of directions move at least, and compute? Write 8.0, not 8. */
spw_cost directions_cost(int64_t n, int nv) {
    /* your model here: return {..., ..., ...}; */
}

/* 2. Write. A block has nv x rows threads: the one at x = j, y = r has element j of rows
 * blockIdx.x * rows + r, + gridDim.x * rows, ... It stores W and adds up the squares of R. Then the block's sums
 * of the nv columns go to parts[blockIdx.x * nv + j].
 *     __shared__ double squares[BLOCK]; */
__global__ void directions_kernel(int64_t n, int nv, const double *lambda, const double *inverse,
                                  const double *AX, const double *X, double *W, double *parts) {
    /* your kernel here: a loop over rows, shared memory, one barrier, nv stores */
}

/* 3. Write. One block of nv threads: thread j adds up the parts of column j. What it stores is a length. */
__global__ void norm_kernel(int nv, int blocks, const double *parts, double *norm) {
    /* your kernel here */
}

void directions(int64_t n, int nv, int blocks, const double *d_lambda, const double *d_inverse,
                const double *d_AX, const double *d_X, double *d_W, double *d_parts,
                double *d_norm) {
    /* your two launches here: BLOCK / nv rows in the first */
}

/* 4. Predict. The same for update: three blocks in, two blocks out, and U. */
spw_cost update_cost(int64_t n, int nv) {
    /* your model here */
}

/* 5. Write. A block has 2 nv x rows threads: the one at x = c, y = r computes column c of row r, for c < nv of X,
 * else of P. First U goes to shared memory, once. Then tiles of `rows` rows: blockIdx.x, blockIdx.x + gridDim.x,
 * ... of them: the rows of X, W and P go to shared memory before anyone writes.
 *     __shared__ double u[6 * MOST_VECTORS * MOST_VECTORS], x[BLOCK / 2], w[BLOCK / 2], p[BLOCK / 2]; */
__global__ void update_kernel(int64_t n, int nv, const double *U, double *X, const double *W,
                              double *P) {
    /* your kernel here: U, and a loop over tiles with two barriers */
}

void update(int64_t n, int nv, int blocks, const double *d_U, double *d_X, const double *d_W,
            double *d_P) {
    /* your launch here */
}

/* 6. Write. The host's side: launches, two copies a step, h->small between them. multiply and products are
 * given (given_gpu.cuh). */
void iterate(const hybrid *h, int steps) {
    /* your loop here */
}

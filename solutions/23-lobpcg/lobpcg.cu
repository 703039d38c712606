#include "given_gpu.cuh"
#include "lobpcg_gpu.h"

#include <cuda_runtime.h>

/* 1. Predict. What must one call of directions move at least, and compute? Write 8.0, not 8. */
spw_cost directions_cost(int64_t n, int nv) {
    /* SOLUTION your model here: return {..., ..., ...}; */
    return {16.0 * n * nv + 8.0 * n, 8.0 * n * nv, 5.0 * n * nv};
    /* END */
}

/* 2. Write. A block has nv x rows threads: the one at x = j, y = r has element j of rows
 * blockIdx.x * rows + r, + gridDim.x * rows, ... It stores W and adds up the squares of R. Then the block's sums
 * of the nv columns go to parts[blockIdx.x * nv + j].
 *     __shared__ double squares[BLOCK]; */
__global__ void directions_kernel(int64_t n, int nv, const double *lambda, const double *inverse,
                                  const double *AX, const double *X, double *W, double *parts) {
    /* SOLUTION your kernel here: a loop over rows, shared memory, one barrier, nv stores */
    __shared__ double squares[BLOCK];
    const int j = threadIdx.x, r = threadIdx.y, rows = blockDim.y;
    const double mine = lambda[j];
    double square = 0;
    for (int64_t i = (int64_t)blockIdx.x * rows + r; i < n; i += (int64_t)gridDim.x * rows) {
        const double rest = AX[i * nv + j] - X[i * nv + j] * mine;
        W[i * nv + j] = rest * inverse[i];
        square += rest * rest;
    }
    squares[r * nv + j] = square;
    __syncthreads();
    if (r > 0) return;
    for (int k = 1; k < rows; k++) square += squares[k * nv + j];
    parts[blockIdx.x * nv + j] = square;
    /* END */
}

/* 3. Write. One block of nv threads: thread j adds up the parts of column j. What it stores is a length. */
__global__ void norm_kernel(int nv, int blocks, const double *parts, double *norm) {
    /* SOLUTION your kernel here */
    const int j = threadIdx.x;
    double square = 0;
    for (int k = 0; k < blocks; k++) square += parts[k * nv + j];
    norm[j] = sqrt(square);
    /* END */
}

void directions(int64_t n, int nv, int blocks, const double *d_lambda, const double *d_inverse,
                const double *d_AX, const double *d_X, double *d_W, double *d_parts,
                double *d_norm) {
    /* SOLUTION your two launches here: BLOCK / nv rows in the first */
    directions_kernel<<<blocks, dim3(nv, BLOCK / nv)>>>(n, nv, d_lambda, d_inverse, d_AX, d_X, d_W,
                                                        d_parts);
    norm_kernel<<<1, nv>>>(nv, blocks, d_parts, d_norm);
    /* END */
}

/* 4. Predict. The same for update: three blocks in, two blocks out, and U. */
spw_cost update_cost(int64_t n, int nv) {
    /* SOLUTION your model here */
    return {24.0 * n * nv + 48.0 * nv * nv, 16.0 * n * nv, 12.0 * n * nv * nv};
    /* END */
}

/* 5. Write. A block has 2 nv x rows threads: the one at x = c, y = r computes column c of row r, for c < nv of X,
 * else of P. First U goes to shared memory, once. Then tiles of `rows` rows: blockIdx.x, blockIdx.x + gridDim.x,
 * ... of them: the rows of X, W and P go to shared memory before anyone writes.
 *     __shared__ double u[6 * MOST_VECTORS * MOST_VECTORS], x[BLOCK / 2], w[BLOCK / 2], p[BLOCK / 2]; */
__global__ void update_kernel(int64_t n, int nv, const double *U, double *X, const double *W,
                              double *P) {
    /* SOLUTION your kernel here: U, and a loop over tiles with two barriers */
    __shared__ double u[6 * MOST_VECTORS * MOST_VECTORS];
    __shared__ double x[BLOCK / 2], w[BLOCK / 2], p[BLOCK / 2];
    const int c = threadIdx.x, r = threadIdx.y, rows = blockDim.y, two = 2 * nv;
    const int me = r * two + c, threads = rows * two;
    for (int k = me; k < 6 * nv * nv; k += threads) u[k] = U[k];
    for (int64_t row = (int64_t)blockIdx.x * rows; row < n; row += (int64_t)gridDim.x * rows) {
        const int64_t left = n - row;
        if (me < rows * nv && me < left * nv) {
            x[me] = X[row * nv + me];
            w[me] = W[row * nv + me];
            p[me] = P[row * nv + me];
        }
        __syncthreads(); /* tile and U are there */
        double sum = 0;
        for (int a = 0; a < nv && r < left; a++)
            sum += x[r * nv + a] * u[a * two + c] + w[r * nv + a] * u[(nv + a) * two + c] +
                   p[r * nv + a] * u[(two + a) * two + c];
        if (r < left && c < nv) X[(row + r) * nv + c] = sum;
        if (r < left && c >= nv) P[(row + r) * nv + c - nv] = sum;
        __syncthreads(); /* nobody reads the tile any more */
    }
    /* END */
}

void update(int64_t n, int nv, int blocks, const double *d_U, double *d_X, const double *d_W,
            double *d_P) {
    /* SOLUTION your launch here */
    update_kernel<<<blocks, dim3(2 * nv, BLOCK / (2 * nv))>>>(n, nv, d_U, d_X, d_W, d_P);
    /* END */
}

/* 6. Write. The host's side: launches, two copies a step, h->small between them. multiply and products are
 * given (given_gpu.cuh). */
void iterate(const hybrid *h, int steps) {
    /* SOLUTION your loop here */
    const int nv = h->nv, blocks = h->blocks;
    const int64_t n = h->A.n_rows;
    double *d_norm = h->d_to_host + 18 * nv * nv, *d_lambda = h->d_to_device, *d_U = d_lambda + nv;
    double to_host[TO_HOST(MOST_VECTORS)], to_device[TO_DEVICE(MOST_VECTORS)];
    for (int k = 0; k < steps; k++) {
        directions(n, nv, blocks, d_lambda, h->d_inverse, h->d_AV[X_BLOCK], h->d_V[X_BLOCK],
                   h->d_V[W_BLOCK], h->d_parts, d_norm);
        multiply(h->A, nv, h->d_V[W_BLOCK], h->d_AV[W_BLOCK]);
        products(n, nv, blocks, h->d_V, h->d_AV, h->d_parts, h->d_to_host);
        cudaMemcpy(to_host, h->d_to_host, TO_HOST(nv) * sizeof(double), cudaMemcpyDeviceToHost);
        h->small(h->context, nv, to_host, to_device);
        cudaMemcpy(h->d_to_device, to_device, TO_DEVICE(nv) * sizeof(double),
                   cudaMemcpyHostToDevice);
        update(n, nv, blocks, d_U, h->d_V[X_BLOCK], h->d_V[W_BLOCK], h->d_V[P_BLOCK]);
        update(n, nv, blocks, d_U, h->d_AV[X_BLOCK], h->d_AV[W_BLOCK], h->d_AV[P_BLOCK]);
    }
    /* END */
}

#include "orthogonalise_gpu.h"

#include <cuda_runtime.h>

/* 1. Predict. What must one call of gram move at least, and compute? Write 16.0, not 16. */
spw_cost gram_cost(int64_t n, int nv) {
    /* SOLUTION your model here: return {..., ..., ...}; */
    return {16.0 * n * nv, 8.0 * nv * nv, 2.0 * n * nv * nv};
    /* END */
}

/* 2. Write. A block has nv x nv threads: the one at x = b, y = a sums up C[a][b] over the block's rows. The block takes
 * tiles blockIdx.x, blockIdx.x + gridDim.x, ... of TILE rows: first all its threads bring the tile to shared memory,
 * neighbours from neighbours; then each goes through its rows. In shared memory:
 *     __shared__ double x[TILE * MOST_VECTORS], y[TILE * MOST_VECTORS]; */
__global__ void parts_kernel(int64_t n, int nv, const double *X, const double *Y, double *parts) {
    /* SOLUTION your kernel here: a loop over tiles, in it two barriers; one store */
    __shared__ double x[TILE * MOST_VECTORS], y[TILE * MOST_VECTORS];
    const int a = threadIdx.y, b = threadIdx.x, me = a * nv + b;
    double sum = 0;
    for (int64_t row = (int64_t)blockIdx.x * TILE; row < n; row += (int64_t)gridDim.x * TILE) {
        const int rows = n - row < TILE ? (int)(n - row) : TILE;
        for (int k = me; k < rows * nv; k += nv * nv) {
            x[k] = X[row * nv + k];
            y[k] = Y[row * nv + k];
        }
        __syncthreads(); /* the tile is there */
        for (int i = 0; i < rows; i++) sum += x[i * nv + a] * y[i * nv + b];
        __syncthreads(); /* nobody reads it any more */
    }
    parts[(int64_t)blockIdx.x * nv * nv + me] = sum;
    /* END */
}

/* 3. Write. One block: each thread adds up one element of the products of all blocks. */
__global__ void add_kernel(int nv, int blocks, const double *parts, double *C) {
    /* SOLUTION your kernel here */
    const int me = threadIdx.y * nv + threadIdx.x;
    double sum = 0;
    for (int64_t k = 0; k < blocks; k++) sum += parts[k * nv * nv + me];
    C[me] = sum;
    /* END */
}

void gram(int64_t n, int nv, int blocks, const double *d_X, const double *d_Y, double *d_parts,
          double *d_C) {
    /* SOLUTION your two launches here: dim3(nv, nv) threads each */
    parts_kernel<<<blocks, dim3(nv, nv)>>>(n, nv, d_X, d_Y, d_parts);
    add_kernel<<<1, dim3(nv, nv)>>>(nv, blocks, d_parts, d_C);
    /* END */
}

/* 4. Predict. The same for combine. C is small, and loaded once. */
spw_cost combine_cost(int64_t n, int nv) {
    /* SOLUTION your model here */
    return {8.0 * n * nv + 8.0 * nv * nv, 8.0 * n * nv, 2.0 * n * nv * nv};
    /* END */
}

/* 5. Write. A block has nv x rows threads: the one at x = b, y = r computes element b of row blockIdx.x * rows + r. C and
 * the rows go to shared memory first. Y may be X.
 *     __shared__ double x[256], c[MOST_VECTORS * MOST_VECTORS]; */
__global__ void combine_kernel(int64_t n, int nv, const double *X, const double *C, double *Y) {
    /* SOLUTION your kernel here: loads, one barrier for all, a sum, one store */
    __shared__ double x[256], c[MOST_VECTORS * MOST_VECTORS];
    const int b = threadIdx.x, me = threadIdx.y * nv + b, threads = blockDim.y * nv;
    const int64_t at = (int64_t)blockIdx.x * threads + me; /* element of X and of Y */
    if (at < n * nv) x[me] = X[at];
    for (int k = me; k < nv * nv; k += threads) c[k] = C[k];
    __syncthreads();
    if (at >= n * nv) return;
    double sum = 0;
    for (int a = 0; a < nv; a++) sum += x[me - b + a] * c[a * nv + b];
    Y[at] = sum;
    /* END */
}

void combine(int64_t n, int nv, const double *d_X, const double *d_C, double *d_Y) {
    /* SOLUTION your launch here: 256 / nv rows a block, if there are rows */
    const int rows = 256 / nv;
    const int64_t blocks = (n + rows - 1) / rows;
    if (n > 0) combine_kernel<<<(unsigned)blocks, dim3(nv, rows)>>>(n, nv, d_X, d_C, d_Y);
    /* END */
}

/* 6. Write. One block of nv threads, thread j has column j. Row k of R: its diagonal is the square root of what is left of
 * G[k][k]; then R[k][j] = G[k][j] / R[k][k], and R[k][i] R[k][j] goes off G[i][j] for all i, j > k. At last column j of the
 * inverse, from the diagonal up: T[i][j] = -(R[i][i+1] T[i+1][j] + ... + R[i][j] T[j][j]) / R[i][i].
 *     __shared__ double R[MOST_VECTORS][MOST_VECTORS]; */
__global__ void cholesky_kernel(int nv, const double *G, double *T, int *rank) {
    /* SOLUTION your kernel here. Where does one thread read what another has written? */
    __shared__ double R[MOST_VECTORS][MOST_VECTORS];
    const int j = threadIdx.x;
    for (int i = 0; i < nv; i++) R[i][j] = G[i * nv + j];
    int k = 0;
    for (; k < nv; k++) {
        __syncthreads();
        const double left = R[k][k];
        if (!(left > 0)) break; /* all threads see the same number */
        __syncthreads();
        if (j >= k) R[k][j] /= sqrt(left);
        __syncthreads();
        if (j > k)
            for (int i = k + 1; i <= j; i++) R[i][j] -= R[k][i] * R[k][j];
    }
    __syncthreads();
    for (int i = nv - 1; i >= 0; i--) {
        double sum = i == j ? 1 : 0;
        if (k == nv && i <= j) {
            for (int l = i + 1; l <= j; l++) sum -= R[i][l] * T[l * nv + j];
            sum /= R[i][i];
        }
        T[i * nv + j] = k == nv ? sum : 0;
    }
    if (j == 0) *rank = k;
    /* END */
}

void cholesky_inverse(int nv, const double *d_G, double *d_T, int *d_rank) {
    /* SOLUTION your launch here */
    cholesky_kernel<<<1, nv>>>(nv, d_G, d_T, d_rank);
    /* END */
}

/* 7. Write. Three functions, once or twice. The second time Q takes the place of X, and of Q. */
void cholqr(int64_t n, int nv, int blocks, int times, const double *d_X, double *d_Q,
            double *d_parts, double *d_G, double *d_T, int *d_rank) {
    /* SOLUTION your code here */
    for (int k = 0; k < times; k++) {
        const double *d_from = k == 0 ? d_X : d_Q;
        gram(n, nv, blocks, d_from, d_from, d_parts, d_G);
        cholesky_inverse(nv, d_G, d_T, d_rank);
        combine(n, nv, d_from, d_T, d_Q);
    }
    /* END */
}

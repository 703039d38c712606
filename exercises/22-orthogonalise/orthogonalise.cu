#include "orthogonalise_gpu.h"

#include <cuda_runtime.h>

/* 1. Predict. What must one call of gram move at least, and compute? Write 16.0, not 16. */
spw_cost gram_cost(int64_t n, int nv) {
    /* your model here: return {..., ..., ...}; */
}

/* 2. Write. A block has nv x nv threads: the one at x = b, y = a sums up C[a][b] over the block's rows. The block takes
 * tiles blockIdx.x, blockIdx.x + gridDim.x, ... of TILE rows: first all its threads bring the tile to shared memory,
 * neighbours from neighbours; then each goes through its rows. In shared memory:
 *     __shared__ double x[TILE * MOST_VECTORS], y[TILE * MOST_VECTORS]; */
__global__ void parts_kernel(int64_t n, int nv, const double *X, const double *Y, double *parts) {
    /* your kernel here: a loop over tiles, in it two barriers; one store */
}

/* 3. Write. One block: each thread adds up one element of the products of all blocks. */
__global__ void add_kernel(int nv, int blocks, const double *parts, double *C) {
    /* your kernel here */
}

void gram(int64_t n, int nv, int blocks, const double *d_X, const double *d_Y, double *d_parts,
          double *d_C) {
    /* your two launches here: dim3(nv, nv) threads each */
}

/* 4. Predict. The same for combine. C is small, and loaded once. */
spw_cost combine_cost(int64_t n, int nv) {
    /* your model here */
}

/* 5. Write. A block has nv x rows threads: the one at x = b, y = r computes element b of row blockIdx.x * rows + r. C and
 * the rows go to shared memory first. Y may be X.
 *     __shared__ double x[256], c[MOST_VECTORS * MOST_VECTORS]; */
__global__ void combine_kernel(int64_t n, int nv, const double *X, const double *C, double *Y) {
    /* your kernel here: loads, one barrier for all, a sum, one store */
}

void combine(int64_t n, int nv, const double *d_X, const double *d_C, double *d_Y) {
    /* your launch here: 256 / nv rows a block, if there are rows */
}

/* 6. Write. One block of nv threads, thread j has column j. Row k of R: its diagonal is the square root of what is left of
 * G[k][k]; then R[k][j] = G[k][j] / R[k][k], and R[k][i] R[k][j] goes off G[i][j] for all i, j > k. At last column j of the
 * inverse, from the diagonal up: T[i][j] = -(R[i][i+1] T[i+1][j] + ... + R[i][j] T[j][j]) / R[i][i].
 *     __shared__ double R[MOST_VECTORS][MOST_VECTORS]; */
__global__ void cholesky_kernel(int nv, const double *G, double *T, int *rank) {
    /* your kernel here. Where does one thread read what another has written? */
}

void cholesky_inverse(int nv, const double *d_G, double *d_T, int *d_rank) {
    /* your launch here */
}

/* 7. Write. Three functions, once or twice. The second time Q takes the place of X, and of Q. */
void cholqr(int64_t n, int nv, int blocks, int times, const double *d_X, double *d_Q,
            double *d_parts, double *d_G, double *d_T, int *d_rank) {
    /* your code here */
}

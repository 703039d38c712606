#include "spmm_gpu.h"

#include <cuda_runtime.h>

/* 1. Write. A block a slice, b x t x nv threads: threadIdx.x is the row r of the slice, threadIdx.y the part j
 * of the row, which has its entries j, j + t, j + 2t, ..., threadIdx.z the vector. The t sums of a row and
 * vector are added in shared memory. It is your kernel of exercise 9, and one dimension more. */
__global__ void layers_kernel(spw_sellp S, int nv, const double *X, double *Y) {
    extern __shared__ double sums[]; /* as many as the launch says */
    /* your kernel here: a loop, your sum into `sums`, halving, one store */
}

void spmm_layers(spw_sellp S, int nv, const double *X, double *Y) {
    /* your launch here: kernel<<<blocks, dim3(x, y, z), bytes of shared memory>>>(...) */
}

/* 2. Predict. What must one call move at least? Bytes loaded, bytes stored, flops: {..., ..., ...}. It is the
 * model of spmm.c; write 12.0, not 12. The struct is the host's, its arrays are not read here. */
spw_cost spmm_sellp_cost(const spw_sellp *S, spw_idx nv) {
    /* your model here */
}

/* 3. Write. Neighbouring threads have neighbouring vectors of one row: threadIdx.x is the vector, threadIdx.y
 * the row in the block. A thread has a whole row. Which elements of X do neighbours read now? */
__global__ void vectors_kernel(spw_sellp S, int nv, const double *X, double *Y) {
    /* your kernel here: which row, is there one, a loop, one store */
}

void spmm_vectors(spw_sellp S, int nv, const double *X, double *Y) {
    /* your launch here: about 256 threads a block */
}

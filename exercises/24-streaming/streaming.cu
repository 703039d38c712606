#include "streaming_gpu.h"

#include <cuda_runtime.h>
#include <string.h>

enum { THREADS = 256 };

/* Given. A thread has one vector of one row; neighbours have neighbouring vectors. */
__global__ void multiply_kernel(int64_t rows, int64_t nz, const char *at, int nv, const double *X,
                                double *Y) {
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const double *val = (const double *)at;
    const int *col_idx = (const int *)(at + 8 * nz), *row_ptr = (const int *)(at + 12 * nz);
    if (k >= rows * nv) return;
    const int64_t i = k / nv, v = k % nv;
    double sum = 0;
    for (int j = row_ptr[i]; j < row_ptr[i + 1]; j++)
        sum += val[j] * X[(int64_t)col_idx[j] * nv + v];
    Y[k] = sum;
}

/* Given. Y = A_k X in a stream: block b, which lies at d_buffer. */
inline void multiply(const block *b, const char *d_buffer, int nv, const double *d_X, double *d_Y,
                     cudaStream_t stream) {
    const int64_t n = (int64_t)b->n_rows * nv;
    multiply_kernel<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        b->n_rows, b->nz, d_buffer, nv, d_X, d_Y + (int64_t)b->first_row * nv);
}

/* Given. `room r(B, blocks);` has all that the loop needs; where r goes out of scope the host waits, and frees it. */
struct room {
    char *far, *d_buffer[2];         /* all blocks in pinned memory; two buffers on the device */
    cudaStream_t copies, products;   /* two streams */
    cudaEvent_t arrived[2], used[2]; /* of each buffer: its block is there; it may be overwritten */
    const block *blocks;
    int64_t size; /* of the largest block */

    room(int B, const block *all) : blocks(all), size(1) {
        for (int k = 0; k < B; k++)
            if (all[k].bytes > size) size = all[k].bytes;
        size = (size + 255) / 256 * 256;
        cudaMallocHost(&far, B * size + 1);
        for (int k = 0; k < B; k++) memcpy(far + k * size, all[k].data, all[k].bytes);
        for (int b = 0; b < 2; b++) {
            cudaMalloc(&d_buffer[b], size);
            cudaEventCreate(&arrived[b]);
            cudaEventCreate(&used[b]);
        }
        cudaStreamCreate(&copies);
        cudaStreamCreate(&products);
    }
    /* Brings block k into buffer b, in a stream; returns at once. */
    void bring(int k, int b, cudaStream_t stream) {
        cudaMemcpyAsync(d_buffer[b], far + k * size, blocks[k].bytes, cudaMemcpyHostToDevice,
                        stream);
    }
    ~room() {
        cudaDeviceSynchronize();
        for (int b = 0; b < 2; b++) {
            cudaFree(d_buffer[b]);
            cudaEventDestroy(arrived[b]);
            cudaEventDestroy(used[b]);
        }
        cudaStreamDestroy(copies);
        cudaStreamDestroy(products);
        cudaFreeHost(far);
    }
};

/* Write. Copies in one stream, products in the other, and events between them: a product waits for its block, and a copy
 * for the product that used its buffer before. The host waits for nothing. */
void spmm_streamed(int B, const block *blocks, int nv, const double *d_X, double *d_Y) {
    /* your loop here; `room r(B, blocks);` comes first */
}

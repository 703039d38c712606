/* Answers for tests/judge/test_gpu.c: y = a x, right, slow and wrong in several ways. */
#include <cuda_runtime.h>

#include <stdint.h>

static __global__ void scaled(int64_t n, double a, const double *x, double *y) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}

static __global__ void scaled_again(int64_t n, double a, const double *x, double *y) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < 40; k++) y[i] = a * x[(i + k) % n] - a * x[(i + k) % n] + a * x[i];
}

static __global__ void added(int64_t n, double a, const double *x, double *y) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

static unsigned blocks_for(int64_t n) { return n > 0 ? (unsigned)((n + 127) / 128) : 1; }

extern "C" void scale(int64_t n, double a, const double *d_x, double *d_y) {
    scaled<<<blocks_for(n), 128>>>(n, a, d_x, d_y);
}

extern "C" void scale_slow(int64_t n, double a, const double *d_x, double *d_y) {
    scaled_again<<<blocks_for(n), 128>>>(n, a, d_x, d_y);
}

extern "C" void scale_add(int64_t n, double a, const double *d_x, double *d_y) {
    added<<<blocks_for(n), 128>>>(n, a, d_x, d_y);
}

extern "C" void scale_wrong(int64_t n, double a, const double *d_x, double *d_y) {
    scaled<<<blocks_for(n), 128>>>(n, a + 1, d_x, d_y);
}

extern "C" void scale_all_but_one(int64_t n, double a, const double *d_x, double *d_y) {
    scaled<<<blocks_for(n), 128>>>(n - 1, a, d_x, d_y);
}

extern "C" void scale_input(int64_t n, double a, const double *d_x, double *d_y) {
    scaled<<<blocks_for(n), 128>>>(n, a, d_x, d_y);
    scaled<<<blocks_for(n), 128>>>(n, 2, d_x, (double *)d_x);
}

/* An error that comes to light after the call: no launch, so that the checker has no finding of its own. */
extern "C" void scale_refused(int64_t n, double a, const double *d_x, double *d_y) {
    int device = -1;
    scaled<<<blocks_for(n), 128>>>(n, a, d_x, d_y);
    (void)cudaSetDevice(device);
}

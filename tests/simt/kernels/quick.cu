/* The reference that scale_slow of scale.cu is measured against. */
#include <cuda_runtime.h>

#include <stdint.h>

static __global__ void scaled(int64_t n, double a, const double *x, double *y) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}

extern "C" void scale_slow(int64_t n, double a, const double *d_x, double *d_y) {
    scaled<<<(unsigned)((n + 127) / 128), 128>>>(n, a, d_x, d_y);
}

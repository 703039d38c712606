/* The kernels whose traffic is known: copies, CSR, ELL, transposes. Launched with blocks of 256. */
#include <cuda_runtime.h>

enum { BLOCK = 256 };

static int blocks(int n) { return (n + BLOCK - 1) / BLOCK; }

__global__ void copy(int n, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

__global__ void copy_strided(int n, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[32 * i];
}

__global__ void copy_double2(int n, const double2 *x, double2 *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

__global__ void csr_thread(int n, const int *row_ptr, const int *col, const double *val,
                           const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = row_ptr[i]; k < row_ptr[i + 1]; k++) sum += val[k] * x[col[k]];
    y[i] = sum;
}

__global__ void csr_warp(int n, const int *row_ptr, const int *col, const double *val,
                         const double *x, double *y) {
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    double sum = 0;
    for (int k = row_ptr[i] + lane; k < row_ptr[i + 1]; k += 32) sum += val[k] * x[col[k]];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) y[i] = sum;
}

/* Column-major; padding has value 0. */
__global__ void ell(int n, int width, const int *col, const double *val, const double *x,
                    double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = 0; k < width; k++) sum += val[k * n + i] * x[col[k * n + i]];
    y[i] = sum;
}

template <int Padding> __global__ void transpose(int n, const double *in, double *out) {
    __shared__ double tile[32][32 + Padding];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch_copy(int n, const double *x, double *y) {
    copy<<<blocks(n), BLOCK>>>(n, x, y);
}

extern "C" void launch_copy_strided(int n, const double *x, double *y) {
    copy_strided<<<blocks(n), BLOCK>>>(n, x, y);
}

extern "C" void launch_copy_double2(int n, const double *x, double *y) {
    copy_double2<<<blocks(n), BLOCK>>>(n, (const double2 *)x, (double2 *)y);
}

extern "C" void launch_csr_thread(int n, const int *row_ptr, const int *col, const double *val,
                                  const double *x, double *y) {
    csr_thread<<<blocks(n), BLOCK>>>(n, row_ptr, col, val, x, y);
}

extern "C" void launch_csr_warp(int n, const int *row_ptr, const int *col, const double *val,
                                const double *x, double *y) {
    csr_warp<<<blocks(32 * n), BLOCK>>>(n, row_ptr, col, val, x, y);
}

extern "C" void launch_ell(int n, int width, const int *col, const double *val, const double *x,
                           double *y) {
    ell<<<blocks(n), BLOCK>>>(n, width, col, val, x, y);
}

extern "C" void launch_transpose(int n, int padding, const double *in, double *out) {
    const dim3 grid(n / 32, n / 32), block(32, 32);
    if (padding)
        transpose<1><<<grid, block>>>(n, in, out);
    else
        transpose<0><<<grid, block>>>(n, in, out);
}

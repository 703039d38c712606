// What runs with detail tell: lanes at work, banks, sectors that are touched again.
#include <cuda_runtime.h>

__global__ void loop(int n, const int *length, int *sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = 0;
    for (int k = 0; k < length[i]; k++) {
        s += k * i; // line 9
        s ^= k;
    }
    sum[i] = s;
}
extern "C" void launch_loop(int n, const int *length, int *sum) {
    loop<<<(n + 127) / 128, 128>>>(n, length, sum);
}

__global__ void gather(int n, const int *index, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[index[i]];
}
extern "C" void launch_gather(int n, const int *index, const double *x, double *y) {
    gather<<<(n + 63) / 64, 64>>>(n, index, x, y);
}

__global__ void add_twice(int n, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 1;
    if (i < n) y[i] += 1;
}
extern "C" void launch_add_twice(int n, double *y) { add_twice<<<(n + 63) / 64, 64>>>(n, y); }

template <class T> __global__ void banks(int stride, int lanes) {
    __shared__ T room[1056];
    if ((int)threadIdx.x < lanes) room[threadIdx.x * stride] = T();
}
extern "C" void launch_banks(int size, int stride, int lanes) {
    if (size == 4) banks<float><<<1, 32>>>(stride, lanes);
    if (size == 8) banks<double><<<1, 32>>>(stride, lanes);
}

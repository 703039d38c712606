// A whole program for make check-cuda: right.cu [N [WRONG]] adds up N ones; with a second argument it ends with status 3.
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

__global__ void sum(int n, const double *x, double *total) {
    __shared__ double part[128];
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += x[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const std::vector<double> ones(n, 1.0);
    double *x, *total, result;
    check(cudaMalloc(&x, n * sizeof *x));
    check(cudaMalloc(&total, sizeof *total));
    check(cudaMemcpy(x, ones.data(), n * sizeof *x, cudaMemcpyHostToDevice));
    check(cudaMemset(total, 0, sizeof *total));
    sum<<<4, 128>>>(n, x, total);
    check(cudaGetLastError());
    check(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
    printf("sum %g\n", result);
    check(cudaFree(x));
    check(cudaFree(total));
    return argc > 2 ? 3 : 0;
}

// Pieces of an array go to the device one after the other, and a kernel doubles each: six orders of the same work.
#include <cuda_runtime.h>

__global__ void twice(int n, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

enum { PIECES = 8, LENGTH = 1024 };
static const size_t bytes = LENGTH * sizeof(double);

struct room {
    const bool pinned;
    double *far, *near[2], *result;
    cudaStream_t copies, kernels;
    cudaEvent_t arrived[2], used[2];

    explicit room(bool is_pinned) : pinned(is_pinned) {
        if (pinned)
            cudaMallocHost(&far, PIECES * bytes);
        else
            far = new double[PIECES * LENGTH];
        for (int i = 0; i < PIECES * LENGTH; i++) far[i] = i;
        for (int k = 0; k < 2; k++) {
            cudaMalloc(&near[k], bytes);
            cudaEventCreate(&arrived[k]);
            cudaEventCreate(&used[k]);
        }
        cudaMalloc(&result, PIECES * bytes);
        cudaStreamCreate(&copies);
        cudaStreamCreate(&kernels);
    }
    ~room() {
        for (int k = 0; k < 2; k++) {
            cudaFree(near[k]);
            cudaEventDestroy(arrived[k]);
            cudaEventDestroy(used[k]);
        }
        cudaFree(result);
        cudaStreamDestroy(copies);
        cudaStreamDestroy(kernels);
        if (pinned)
            cudaFreeHost(far);
        else
            delete[] far;
    }

    void bring(int piece, int k, cudaStream_t stream) {
        cudaMemcpyAsync(near[k], far + piece * LENGTH, bytes, cudaMemcpyHostToDevice, stream);
    }
    void work(int piece, int k, cudaStream_t stream) {
        twice<<<LENGTH / 256, 256, 0, stream>>>(LENGTH, near[k], result + piece * LENGTH);
    }
};

static void with_events(bool pinned) {
    room r(pinned);
    for (int p = 0; p < PIECES; p++) {
        const int k = p % 2;
        if (p >= 2) cudaStreamWaitEvent(r.copies, r.used[k], 0);
        r.bring(p, k, r.copies);
        cudaEventRecord(r.arrived[k], r.copies);
        cudaStreamWaitEvent(r.kernels, r.arrived[k], 0);
        r.work(p, k, r.kernels);
        cudaEventRecord(r.used[k], r.kernels);
    }
    cudaDeviceSynchronize();
}

extern "C" void two_buffers_and_events() { with_events(true); }

extern "C" void from_pageable_memory() { with_events(false); }

extern "C" void a_stream_a_buffer() {
    room r(true);
    for (int p = 0; p < PIECES; p++) {
        const cudaStream_t stream = p % 2 ? r.kernels : r.copies;
        r.bring(p, p % 2, stream);
        r.work(p, p % 2, stream);
    }
    cudaDeviceSynchronize();
}

extern "C" void the_default_stream() {
    room r(true);
    for (int p = 0; p < PIECES; p++) {
        r.bring(p, p % 2, 0);
        r.work(p, p % 2, 0);
    }
    cudaDeviceSynchronize();
}

extern "C" void kernels_in_the_default_stream() {
    room r(true);
    for (int p = 0; p < PIECES; p++) {
        r.bring(p, p % 2, r.copies);
        r.work(p, p % 2, 0);
    }
    cudaDeviceSynchronize();
}

extern "C" void one_buffer() {
    room r(true);
    for (int p = 0; p < PIECES; p++) {
        if (p) cudaStreamWaitEvent(r.copies, r.used[0], 0);
        r.bring(p, 0, r.copies);
        cudaEventRecord(r.arrived[0], r.copies);
        cudaStreamWaitEvent(r.kernels, r.arrived[0], 0);
        r.work(p, 0, r.kernels);
        cudaEventRecord(r.used[0], r.kernels);
    }
    cudaDeviceSynchronize();
}

extern "C" void the_host_waits_for_each() {
    room r(true);
    for (int p = 0; p < PIECES; p++) {
        r.bring(p, p % 2, r.copies);
        cudaStreamSynchronize(r.copies);
        r.work(p, p % 2, r.kernels);
        cudaStreamSynchronize(r.kernels);
    }
}

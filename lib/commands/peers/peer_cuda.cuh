/* commands/peers/peer_cuda.cuh -- what plug-ins on a GPU share: is there one, and the time by its clock. */
#pragma once

#include "commands/peers/peer.h"

#include <cuda_runtime.h>

inline bool peer_has_gpu() {
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess && n > 0;
}

/* ok: nothing has failed so far. */
struct PeerClock {
    cudaEvent_t from = nullptr, to = nullptr;
    bool ok = true;

    void check(cudaError_t error) { ok = ok && error == cudaSuccess; }

    PeerClock() {
        check(cudaEventCreate(&from));
        check(cudaEventCreate(&to));
    }

    ~PeerClock() {
        if (from) cudaEventDestroy(from);
        if (to) cudaEventDestroy(to);
    }

    /* Seconds of some calls. */
    template <class Work> double seconds_of(int calls, Work work) {
        float milliseconds = 0;
        check(cudaEventRecord(from));
        for (int c = 0; c < calls; c++) work();
        check(cudaEventRecord(to));
        check(cudaEventSynchronize(to));
        check(cudaEventElapsedTime(&milliseconds, from, to));
        return 1e-3 * milliseconds;
    }
};

/* Ways in which the lanes of a warp may read an array; `make plots` counts their sectors and draws them.
 * Add your own: a name, and the element that thread i reads. */
#include "access.h"

#include <cuda_runtime.h>

static const char *const names[] = {"side by side", "shifted by one", "reversed", "every 2nd",
                                    "every 4th",    "every 32nd",     "all one",  "scattered"};

__host__ __device__ static int64_t index_of(int way, int64_t i) {
    switch (way) {
    case 0: return i;
    case 1: return i + 1;
    case 2: return i ^ 31; /* lane 31 first */
    case 3: return 2 * i;
    case 4: return 4 * i;
    case 5: return 32 * i;
    case 6: return i / 32; /* all lanes of a warp the same element */
    default: return (int64_t)((uint64_t)i * 0x9E3779B97F4A7C15u >> 46); /* below 2^18 */
    }
}

__global__ void read_kernel(int way, int64_t n, const double *x, double *y) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[index_of(way, i)];
}

int access_ways(void) {
    return sizeof names / sizeof *names;
}

const char *access_name(int way) {
    return names[way];
}

int64_t access_index(int way, int64_t i) {
    return index_of(way, i);
}

void access_read(int way, int64_t n, const double *d_x, double *d_y) {
    if (n > 0) read_kernel<<<(unsigned)((n + 255) / 256), 256>>>(way, n, d_x, d_y);
}

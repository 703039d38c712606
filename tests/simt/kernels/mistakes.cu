/* One launcher a mistake; each is valid CUDA for the compiler. tests/simt/test_mistakes.c says what the
 * checker must find in each, and on which line: a line with a mistake ends in its name. */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define LAUNCHER extern "C" void
/* launch_NAME: that launch, on d_y, which are n numbers. */
#define ON_DOUBLES(name, n, ...) ON(double, name, n, __VA_ARGS__)
#define ON(type, name, n, ...)                                                                     \
    LAUNCHER launch_##name() {                                                                     \
        type *d_y;                                                                                 \
        cudaMalloc(&d_y, (n) * sizeof(type));                                                      \
        __VA_ARGS__;                                                                               \
        cudaFree(d_y);                                                                             \
    }

/* --- addresses ------------------------------------------------------------------------------------ */

__global__ void no_guard(double *y, const double *x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i]; /* no_guard */
}

LAUNCHER launch_no_guard() {
    const int n = 1000;
    double *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(double)); /* no_guard_alloc */
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMemset(d_x, 0, n * sizeof(double));
    no_guard<<<(n + 255) / 256, 256>>>(d_y, d_x);
    cudaDeviceSynchronize();
    cudaFree(d_x);
    cudaFree(d_y);
}

__global__ void before(double *y) { y[threadIdx.x - 1] = 1; /* before */ }

LAUNCHER launch_before() {
    double *d_y;
    cudaMalloc((void **)&d_y, 64 * sizeof(double));
    before<<<1, 64>>>(d_y + 0);
    cudaFree(d_y);
}

__global__ void read_null(const double *x, double *y) {
    y[threadIdx.x] = x[threadIdx.x]; /* read_null */
}

ON_DOUBLES(null, 32, read_null<<<1, 32>>>(nullptr, d_y))

LAUNCHER launch_host_pointer() {
    std::vector<double> x(32);
    double *d_y;
    cudaMalloc(&d_y, 256);
    read_null<<<1, 32>>>(x.data(), d_y); /* the line of read_null is the place */
    cudaFree(d_y);
}

LAUNCHER launch_device_pointer() {
    double *d_y;
    cudaMalloc(&d_y, 256);
    cudaMemset(d_y, 0, 256);
    if (d_y[3] != 0) printf("!\n"); /* device_pointer */
    cudaFree(d_y);
}

LAUNCHER launch_freed() {
    double *d_x, *d_y;
    cudaMalloc(&d_x, 256);
    cudaMalloc(&d_y, 256);
    cudaFree(d_x);
    read_null<<<1, 32>>>(d_x, d_y);
}

LAUNCHER launch_free_twice() {
    double *d_x;
    cudaMalloc(&d_x, 256);
    cudaFree(d_x);
    cudaFree(d_x); /* free_twice */
}

__global__ void pairs(const double2 *x, double2 *y) {
    y[threadIdx.x] = x[threadIdx.x]; /* misaligned */
}

LAUNCHER launch_misaligned() {
    double *d_x, *d_y;
    cudaMalloc(&d_x, 66 * sizeof(double));
    cudaMalloc(&d_y, 66 * sizeof(double));
    cudaMemset(d_x, 0, 66 * sizeof(double));
    pairs<<<1, 32>>>((const double2 *)(d_x + 1), (double2 *)d_y);
}

/* --- values --------------------------------------------------------------------------------------- */

__global__ void add_to(double *y) { y[threadIdx.x] += 1; /* uninitialised */ }

ON_DOUBLES(uninitialised, 32, add_to<<<1, 32>>>(d_y))

__global__ void part_written(double *y) {
    __shared__ double s[64];
    if (threadIdx.x < 32) s[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x]; /* shared_uninitialised */
}

ON_DOUBLES(shared_uninitialised, 64, part_written<<<1, 64>>>(d_y))

/* --- races ---------------------------------------------------------------------------------------- */

__global__ void broadcast(double *y) {
    __shared__ double s;
    if (threadIdx.x == 0) s = 5; /* shared_race_writer */
    y[threadIdx.x] = s;          /* shared_race */
}

LAUNCHER launch_broadcast(double *y) {
    double *d_y;
    cudaMalloc(&d_y, 128 * sizeof(double));
    broadcast<<<1, 128>>>(d_y);
    cudaMemcpy(y, d_y, 128 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
}

LAUNCHER launch_with_copies(double *y) {
    double *d_y, *d_other;
    cudaMalloc(&d_y, 128 * sizeof(double));
    cudaMalloc(&d_other, 128 * sizeof(double));
    cudaMemcpy(d_y, y, 128 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_other, d_y, 128 * sizeof(double), cudaMemcpyDeviceToDevice);
    cudaMemcpy(y, d_y, 128 * sizeof(double), cudaMemcpyDeviceToHost); /* copy_to_host */
    cudaDeviceSynchronize();                                          /* wait */
    cudaFree(d_other);
    cudaFree(d_y);
}

__global__ void neighbours(double *y) {
    __shared__ double s[32];
    s[threadIdx.x] = threadIdx.x;         /* warp_race_writer */
    y[threadIdx.x] = s[31 - threadIdx.x]; /* warp_race */
}

ON_DOUBLES(warp_race, 32, neighbours<<<1, 32>>>(d_y))

/* The second barrier is missing: the next round overwrites what others still read. */
__global__ void rounds(double *y) {
    __shared__ double s[64];
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        s[threadIdx.x] = k; /* round_race */
        __syncthreads();
        sum += s[63 - threadIdx.x]; /* round_race_reader */
    }
    y[threadIdx.x] = sum;
}

ON_DOUBLES(round_race, 64, rounds<<<1, 64>>>(d_y))

__global__ void count(int *counter) { *counter += 1; /* global_race */ }

LAUNCHER launch_count(int *result) {
    int *d_counter;
    cudaMalloc(&d_counter, sizeof(int));
    cudaMemset(d_counter, 0, sizeof(int));
    count<<<8, 32>>>(d_counter);
    cudaMemcpy(result, d_counter, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_counter);
}

__global__ void sum_of_blocks(double *result) {
    if (threadIdx.x == 0) *result += blockIdx.x; /* block_race */
}

LAUNCHER launch_block_race() {
    double *d_sum;
    cudaMalloc(&d_sum, sizeof(double));
    cudaMemset(d_sum, 0, sizeof(double));
    sum_of_blocks<<<4, 64>>>(d_sum);
    cudaFree(d_sum);
}

/* --- barriers ------------------------------------------------------------------------------------- */

__global__ void half_waits(double *y) {
    if (threadIdx.x < 40)
        __syncthreads(); /* deadlock */
    else if (threadIdx.x < 50)
        __syncwarp(0xffffffff); /* deadlock_warp */
    y[threadIdx.x] = 1;
}

ON_DOUBLES(deadlock, 64, half_waits<<<1, 64>>>(d_y))

__global__ void two_barriers(double *y) {
    if (threadIdx.x < 32) {
        y[threadIdx.x] = 1;
        __syncthreads(); /* barrier_one */
    } else {
        y[threadIdx.x] = 2;
        __syncthreads(); /* barrier_two */
    }
}

ON_DOUBLES(two_barriers, 64, two_barriers<<<1, 64>>>(d_y))

__global__ void leaves(int n, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __syncthreads(); /* left */
    y[i] = 1;
}

ON_DOUBLES(left, 100, leaves<<<2, 64>>>(100, d_y))

__global__ void wrong_mask(double *y) {
    double sum = 1;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffff, sum, offset); /* mask */
    y[threadIdx.x] = sum;
}

ON_DOUBLES(mask, 32, wrong_mask<<<1, 32>>>(d_y))

__global__ void left_lane(int n, double *y) {
    if ((int)threadIdx.x >= n) return;
    y[threadIdx.x] = __shfl_sync(0xffffffff, (double)threadIdx.x, 31); /* left_lane */
}

ON_DOUBLES(left_lane, 32, left_lane<<<1, 32>>>(20, d_y))

ON_DOUBLES(missing_lane, 48, left_lane<<<1, 48>>>(48, d_y)) /* 48 threads are a warp and a half */

/* --- lanes and threads that are in different calls ------------------------------------------------- */

__global__ void two_shuffles(double *y) {
    double v = threadIdx.x;
    /* clang-format off */
    if (threadIdx.x < 16) v = __shfl_sync(~0u, v, 20); else v = 100 + __shfl_sync(~0u, v, 3); /* two_shuffles */
    /* clang-format on */
    y[threadIdx.x] = v;
}

ON_DOUBLES(two_shuffles, 32, two_shuffles<<<1, 32>>>(d_y))

__global__ void two_votes(double *y) {
    if (threadIdx.x < 16)
        y[threadIdx.x] = __any_sync(0xffffffff, threadIdx.x > 3); /* two_votes_other */
    else
        y[threadIdx.x] = __all_sync(0xffffffff, threadIdx.x > 3); /* two_votes */
}

ON_DOUBLES(two_votes, 32, two_votes<<<1, 32>>>(d_y))

__global__ void one_line(double *y) {
    /* clang-format off */
    if (threadIdx.x < 32) { y[threadIdx.x] = 1; __syncthreads(); } else { __syncthreads(); y[threadIdx.x] = 2; } /* one_line */
    /* clang-format on */
}

ON_DOUBLES(one_line, 64, one_line<<<1, 64>>>(d_y))

/* --- small entries --------------------------------------------------------------------------------- */

__device__ bool is_odd;

__global__ void stores_bools() { is_odd = threadIdx.x & 1; /* bools */ }

LAUNCHER launch_bools() { stores_bools<<<1, 32>>>(); }

__global__ void stores_letters(char *c) { c[threadIdx.x / 2] = (char)threadIdx.x; /* letters */ }

LAUNCHER launch_letters() {
    void *d_c;
    cudaMalloc(&d_c, 64);
    stores_letters<<<1, 32>>>((char *)d_c + 1);
    cudaFree(d_c);
}

/* --- variables of the file ------------------------------------------------------------------------- */

__device__ int table[3] = {1, 2, 3};
__constant__ double weights[4];

__global__ void look_up(int *y, int by) {
    y[threadIdx.x] = table[(int)threadIdx.x - by]; /* negative_entry */
}

ON(int, negative_entry, 3, look_up<<<1, 3>>>(d_y, 1))

__global__ void shifted() { *(int *)((char *)table + 1) = 3; /* shifted */ }

LAUNCHER launch_shifted() { shifted<<<1, 1>>>(); }

#ifndef __NVCC__ /* which sees these, too */
LAUNCHER launch_host_reads_variable() {
    if (table[1] != 2) printf("!\n"); /* host_reads_variable */
}

__global__ void writes_constant() { weights[threadIdx.x] = 1; /* writes_constant */ }

LAUNCHER launch_writes_constant() { writes_constant<<<1, 4>>>(); }
#endif

/* --- a thread's own array, bytes that are moved ------------------------------------------------------ */

__global__ void counts_classes(int *y, int n) {
    int h[8];
    for (int k = 0; k <= n; k++) h[k] = k; /* own_array */
    y[threadIdx.x] = h[n - 1];
}

ON(int, own_array, 32, counts_classes<<<1, 32>>>(d_y, 8))

__global__ void moves_pairs(double *y, const double *x) {
    memcpy(y + threadIdx.x, x + threadIdx.x, 2 * sizeof(double)); /* moves */
}

LAUNCHER launch_moves() {
    double h[33], *d_x, *d_y;
    for (int i = 0; i < 33; i++) h[i] = i;
    cudaMalloc(&d_x, sizeof h);
    cudaMalloc(&d_y, sizeof h);
    cudaMemcpy(d_x, h, sizeof h, cudaMemcpyHostToDevice);
    moves_pairs<<<1, 32>>>(d_y, d_x);
    cudaFree(d_x);
    cudaFree(d_y);
}

/* --- what was not waited for ------------------------------------------------------------------------- */

__global__ void own_numbers(double *x) { x[threadIdx.x] = threadIdx.x; }

LAUNCHER launch_managed() {
    double *m;
    cudaMallocManaged(&m, 32 * sizeof(double));
    own_numbers<<<1, 32>>>(m);
    if (m[3] != 3) printf("!\n"); /* managed */
    cudaFree(m);
}

LAUNCHER launch_no_wait() {
    double *h, *d_x;
    cudaMallocHost(&h, 32 * sizeof(double));
    cudaMalloc(&d_x, 32 * sizeof(double));
    own_numbers<<<1, 32>>>(d_x);
    cudaMemcpyAsync(h, d_x, 32 * sizeof(double), cudaMemcpyDeviceToHost);
    if (h[3] != 3) printf("!\n"); /* no_wait */
    cudaFree(d_x);
    cudaFreeHost(h);
}

LAUNCHER launch_two_streams() {
    double *h, *d_x;
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMallocHost(&h, 32 * sizeof(double));
    cudaMalloc(&d_x, 32 * sizeof(double));
    own_numbers<<<1, 32, 0, a>>>(d_x);
    cudaMemcpyAsync(h, d_x, 256, cudaMemcpyDeviceToHost, b); /* two_streams */
    cudaDeviceSynchronize();
    cudaFree(d_x);
    cudaFreeHost(h);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

/* --- launches and calls --------------------------------------------------------------------------- */

LAUNCHER launch_too_many_threads(int *code) {
    double *d_y;
    cudaMalloc(&d_y, 4096 * sizeof(double));
    add_to<<<1, 2048>>>(d_y); /* too_many_threads */
    *code = (int)cudaGetLastError();
    cudaFree(d_y);
}

LAUNCHER launch_no_blocks(int *code) {
    const int n = 0;
    add_to<<<(n + 255) / 256, 256>>>(nullptr); /* no_blocks */
    *code = (int)cudaGetLastError();
}

__global__ void uses_dynamic(double *y) {
    extern __shared__ double part[];
    part[threadIdx.x] = 1; /* no_dynamic */
    __syncthreads();
    y[threadIdx.x] = part[threadIdx.x ^ 1];
}

ON_DOUBLES(no_dynamic, 32, uses_dynamic<<<1, 32>>>(d_y))

__global__ void past_tile(double *y) {
    __shared__ double tile[4][8];
    tile[threadIdx.x / 8][threadIdx.x % 8] = 0; /* past_tile */
    y[threadIdx.x] = tile[0][threadIdx.x % 8];
}

ON_DOUBLES(past_tile, 64, past_tile<<<1, 40>>>(d_y))

LAUNCHER launch_copy_too_long(int *code) {
    std::vector<double> x(100);
    double *d_x;
    cudaMalloc(&d_x, 100); /* bytes, not doubles */
    const size_t bytes = 100 * sizeof(double);
    const cudaMemcpyKind kind = cudaMemcpyHostToDevice;
    *code = (int)cudaMemcpy(d_x, x.data(), bytes, kind); /* copy_too_long */
    cudaFree(d_x);
}

LAUNCHER launch_copy_backwards(int *code) {
    std::vector<double> x(100);
    double *d_x;
    cudaMalloc(&d_x, 100 * sizeof(double));
    const size_t bytes = 100 * sizeof(double);
    const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
    *code = (int)cudaMemcpy(d_x, x.data(), bytes, kind); /* copy_backwards */
    cudaFree(d_x);
}

__global__ void spin(volatile int *flag) {
    int seen = 0;
    while (!seen) seen = *flag; /* spin */
}

LAUNCHER launch_spin() {
    int *d_flag;
    cudaMalloc(&d_flag, sizeof(int));
    cudaMemset(d_flag, 0, sizeof(int));
    spin<<<2, 1>>>(d_flag);
    cudaDeviceSynchronize();
}

__device__ int deep(int n, double *y) { /* stack */
    volatile double local[64];
    for (int k = 0; k < 64; k++) local[k] = k;
    return n < 0 ? 0 : 1 + deep(n + 1, y) + (int)local[n & 63];
}

__global__ void recursion(double *y) { y[0] = deep(1, y); }

ON_DOUBLES(stack, 1, recursion<<<1, 1>>>(d_y))

int host_counter = 3;

__global__ void divide(int *y, int by) { y[threadIdx.x] = 7 / by; /* division */ }

ON(int, division, 32, divide<<<1, 32>>>(d_y, host_counter - 3))

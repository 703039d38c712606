/* What CUDA's guide and samples write beside the exercises' own way, in kernels whose results are known. Launchers
 * return 0, or the number of what is wrong. Valid for nvcc too. */
#include <cassert>
#include <cmath>
#include <cooperative_groups.h>
#include <cuda.h>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

namespace cg = cooperative_groups;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) return __LINE__;                                                         \
    } while (0)

/* n doubles on the device: 0, 1, 2 ... */
static double *numbers(int n) {
    std::vector<double> h(n);
    double *d = nullptr;
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    return d;
}

/* launch_NAME: that launch, on x, which is the numbers, or room for n of a type. */
#define ON_NUMBERS(name, n, ...) ON(name, double *x = numbers(n), __VA_ARGS__)
#define ON_ROOM(type, name, n, ...)                                                                \
    ON(name, type *x = nullptr; cudaMalloc(&x, (n) * sizeof(type)), __VA_ARGS__)
#define ON(name, memory, ...)                                                                      \
    extern "C" int launch_##name() {                                                               \
        memory;                                                                                    \
        __VA_ARGS__;                                                                               \
        cudaFree(x);                                                                               \
        return 0;                                                                                  \
    }

static std::vector<double> take(double *d, int n) {
    std::vector<double> h(n);
    cudaMemcpy(h.data(), d, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h;
}

/* --- templates whose arguments are deduced, functors, lambdas ------------------------------------- */

template <class T> __global__ void axpy(T a, const T *x, T *y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
template <int Block, class F> __global__ void apply(F f, double *x, int n) {
    const int i = blockIdx.x * Block + threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}
struct scale {
    double a;
    __device__ double operator()(double x) const { return a * x; }
};

extern "C" int launch_deduced() {
    const int n = 100;
    double *x = numbers(n), *y = numbers(n);
    axpy<<<(n + 63) / 64, 64>>>(2., (const double *)x, y, n);
    apply<64><<<2, 64>>>(scale{10.}, y, n);
    const double b = 3;
    apply<64, scale><<<2, 64>>>(scale{1.}, y, n);
#ifndef __NVCC__ /* there it takes --extended-lambda */
    apply<64><<<2, 64>>>([=] __device__(double v) { return v + b; }, y, n);
#else
    (void)b;
#endif
    cudaFree(x);
    const std::vector<double> h = take(y, n);
#ifndef __NVCC__
    for (int i = 0; i < n; i++) EXPECT(h[i] == 30. * i + 3);
#endif
    std::ostringstream text;
    text << *std::make_unique<int>(4);
    EXPECT(text.str() == "4");
    return 0;
}

/* --- shared memory outside of functions, and volatile --------------------------------------------- */

__shared__ double of_file[64];
__shared__ int flags[4], counter;

__global__ void reverse(double *x) {
    volatile __shared__ double s[64];
    __shared__ volatile int last;
    const int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    if (t == 63) last = t;
    if (t == 0) counter = 0;
    if (t < 4) flags[t] = t;
    __syncthreads();
    of_file[t] = s[last - t];
    atomicAdd(&counter, flags[t % 4]);
    __syncthreads();
    x[blockIdx.x * 64 + t] = of_file[t] + counter;
}

extern "C" int launch_file_shared() {
    double *x = numbers(128);
    reverse<<<2, 64>>>(x);
    const std::vector<double> h = take(x, 128);
    for (int i = 0; i < 128; i++) EXPECT(h[i] == (i / 64) * 64 + 63 - i % 64 + 96);
    return 0;
}

/* --- cudaLaunchKernel, groups --------------------------------------------------------------------- */

__global__ void groups(double *x, int n) {
    const cg::grid_group grid = cg::this_grid();
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) x[i] += 1;
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    double sum = eight.thread_rank();
    for (int step = 4; step; step /= 2) sum += eight.shfl_down(sum, step);
    cg::sync(block);
    const cg::thread_group some = cg::tiled_partition(block, 16);
    if (some.thread_rank() == 0 && eight.thread_rank() == 0 && grid.thread_rank() == 0)
        x[n] = sum + some.size();
}

extern "C" int launch_packed() {
    int n = 99;
    double *x = numbers(n + 1);
    void *arguments[] = {&x, &n};
    EXPECT(cudaLaunchKernel((const void *)groups, dim3(2), dim3(64), arguments, 0, nullptr) ==
           cudaSuccess);
    EXPECT(cudaLaunchCooperativeKernel((void *)groups, 1, 64, arguments, 0, nullptr) ==
           cudaSuccess);
    EXPECT(cudaLaunchKernel(reinterpret_cast<void *>(&groups), dim3(1), dim3(32), arguments) ==
           cudaSuccess);
    const std::vector<double> h = take(x, n + 1);
    for (int i = 0; i < n; i++) EXPECT(h[i] == i + 3);
    EXPECT(h[n] == 28 + 16);
    return 0;
}

/* --- intrinsics ----------------------------------------------------------------------------------- */

__global__ void intrinsics(double *x) {
    const unsigned all = 0xffffffff, t = threadIdx.x;
    int same = 0;
    double right = 0;
    right += __reduce_add_sync(all, t) == 496;
    right += __reduce_max_sync(all, (int)t - 40) == -9;
    right += __reduce_min_sync(all, (int)t - 40) == -40;
    right += __reduce_or_sync(all, t) == 31;
    right += __reduce_and_sync(all, t | 64) == 64;
    right += __reduce_xor_sync(all, 1u << t) == all;
    right += __match_all_sync(all, 7, &same) == all && same;
    right += __match_all_sync(all, t, &same) == 0 && !same;
    right += __byte_perm(0x33221100, 0x77665544, 0x7410) == 0x77441100;
    right += __funnelshift_l(0x80000000, 1, 1) == 3;
    right += __umulhi(0x80000000u, 6) == 3;
    const long long before = clock64();
    right += clock64() > before;
    float s, c;
    sincosf(0, &s, &c);
    right += s == 0 && c == 1 && !isnan(s) && isfinite(c) && __saturatef(7) == 1;
    right += __fsqrt_rn(9.f) == 3.f && __expf(0.f) == 1.f;
#pragma unroll
    for (int k = 0; k < 2; k++) right += 1;
    x[t] = right;
}

extern "C" int launch_intrinsics() {
    double *x = numbers(32);
    intrinsics<<<1, 32>>>(x);
    for (const double right : take(x, 32)) EXPECT(right == 16);
    return 0;
}

/* --- pitched copies, registered memory, symbols --------------------------------------------------- */

__constant__ double factor;

__global__ void scale_rows(double *x, size_t pitch) {
    double *row = (double *)((char *)x + blockIdx.x * pitch);
    row[threadIdx.x] *= factor;
}

extern "C" int launch_pitched() {
    double host[3][8], *x, two = 2;
    size_t pitch;
    for (int i = 0; i < 24; i++) host[i / 8][i % 8] = i;
    EXPECT(cudaHostRegister(host, sizeof host, cudaHostRegisterDefault) == cudaSuccess);
    EXPECT(cudaMallocPitch(&x, &pitch, 64, 3) == cudaSuccess && pitch >= 64);
    EXPECT(cudaMemset2D(x, pitch, 0, 64, 3) == cudaSuccess);
    EXPECT(cudaMemcpy2D(x, pitch, host, 64, 64, 3, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cudaMemcpyToSymbolAsync(factor, &two, sizeof two, 0, cudaMemcpyHostToDevice, nullptr) ==
           cudaSuccess);
    scale_rows<<<3, 8>>>(x, pitch);
    EXPECT(cudaMemcpy2D(host, 64, x, pitch, 64, 3, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(cudaMemcpy2D(host, 32, x, pitch, 64, 3, cudaMemcpyDeviceToHost) != cudaSuccess);
    (void)cudaGetLastError();
    for (int i = 0; i < 24; i++) EXPECT(host[i / 8][i % 8] == 2 * i);
    cudaHostUnregister(host);
    cudaFree(x);
    return 0;
}

/* --- order without a barrier: none of this is a race ---------------------------------------------- */

__device__ int lock, flag, found, state;
__device__ double total;

__device__ double add_by_swaps(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void orders(double *sum, int *largest, double *inside) {
    add_by_swaps(sum, 1);
    found = 1; /* all store the same */
    const int mine = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (*(volatile int *)largest < mine) atomicMax(largest, mine);
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        inside[0] += 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

/* The first block leaves data behind a flag; the others look whether it is there. */
__global__ void passes_on(double *data, double *copy) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 7;
        __threadfence();
        *(volatile int *)&flag = 1;
    }
    if (blockIdx.x > 0 && *(volatile int *)&flag)
        copy[blockIdx.x * blockDim.x + threadIdx.x] = data[0];
}

extern "C" int launch_orders() {
    const int n = 4 * 64;
    double *sum, *inside, *data = numbers(1), *copy = numbers(n);
    int *largest, h = 0;
    cudaMemcpyToSymbol(flag, &h, sizeof h);
    cudaMalloc(&sum, sizeof *sum);
    cudaMalloc(&inside, sizeof *inside);
    cudaMalloc(&largest, sizeof *largest);
    cudaMemset(sum, 0, sizeof *sum);
    cudaMemset(inside, 0, sizeof *inside);
    cudaMemset(largest, 0, sizeof *largest);
    orders<<<4, 64>>>(sum, largest, inside);
    passes_on<<<4, 64>>>(data, copy);
    cudaMemcpy(&h, largest, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(largest);
    EXPECT(h == n - 1);
    EXPECT(take(sum, 1)[0] == n);
    EXPECT(take(inside, 1)[0] == 8);
    cudaFree(data);
    cudaFree(copy);
    return 0;
}

__global__ void exchanges(int *fresh, int *seen) {
    seen[threadIdx.x] = 0;
    atomicExch(fresh, (int)threadIdx.x);
}
ON_ROOM(int, exchange, 33, exchanges<<<1, 32>>>(x, x + 1))

/* Votes and shuffles where lanes differ: of the lanes that are there, in each round of a loop, in both branches one after
 * the other; a barrier in a branch that all of the block take. */
__global__ void meets(int *x, int n) {
    const unsigned here = __ballot_sync(0xffffffff, threadIdx.x < 20);
    int sum = 0;
    if (threadIdx.x < 20)
        sum = __shfl_sync(here, (int)threadIdx.x, 3);
    else
        sum = __shfl_sync(~here, (int)threadIdx.x, 21);
    for (int k = 0; k < n; k++) sum += __any_sync(0xffffffff, (int)threadIdx.x == k);
    if (n > 3) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    x[threadIdx.x] = sum;
}
extern "C" int launch_meets() {
    int *x, h[32];
    cudaMalloc(&x, sizeof h);
    meets<<<1, 32>>>(x, 4);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(x);
    for (int i = 0; i < 32; i++) EXPECT(h[i] == (i < 20 ? 3 : 21) + 4);
    return 0;
}

/* Bytes beside each other, of an array that others see as words; a constant table and variables by symbol. */
__device__ char letters[64];
__device__ int counted = 3, of[2] = {4, 5};
__constant__ int steps[2] = {1, 2};

__global__ void small(unsigned *words) {
    __shared__ bool all[64];
    letters[threadIdx.x] = (char)threadIdx.x;
    all[threadIdx.x] = true;
    ((unsigned char *)words)[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x < 16 && all[63 - threadIdx.x]) words[threadIdx.x] += counted + of[steps[0]];
}
extern "C" int launch_small() {
    unsigned *words, h[16];
    int three = 0;
    cudaMalloc(&words, sizeof h);
    small<<<1, 64>>>(words);
    cudaMemcpy(h, words, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&three, counted, sizeof three);
    cudaFree(words);
    for (const unsigned w : h) EXPECT(w == 0x01010101u + 8);
    EXPECT(three == 3);
    return 0;
}

/* Threads that wait for another: of a later warp, of a block before or behind, with something in shared memory. */
__device__ int turn, ready[2];

__global__ void waits(int *x) {
    __shared__ int mine[64];
    __shared__ int left;
    mine[threadIdx.x] = (int)(blockIdx.x + threadIdx.x);
    if (threadIdx.x == 0) left = 0;
    __syncthreads();
    if (threadIdx.x == 40) atomicAdd(&left, 1);
    if (threadIdx.x == 3)
        while (atomicAdd(&left, 0) == 0) {
        }
    if (threadIdx.x == 0) {
        x[blockIdx.x] = (int)blockIdx.x + 5;
        __threadfence();
        atomicExch(&ready[blockIdx.x], 1);
        while (atomicAdd(&ready[1 - blockIdx.x], 0) == 0) {
        }
        x[2 + blockIdx.x] = x[1 - blockIdx.x];
    }
    __syncthreads();
    if (threadIdx.x == 63) x[4 + blockIdx.x] = mine[0] + left;
}
extern "C" int launch_waits() {
    int *x, h[6] = {0};
    const int none[2] = {0, 0};
    cudaMemcpyToSymbol(ready, none, sizeof none);
    cudaMalloc(&x, sizeof h);
    waits<<<2, 64>>>(x);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(x);
    EXPECT(h[2] == 6 && h[3] == 5 && h[4] == 1 && h[5] == 2);
    return 0;
}

/* More threads than a block can have wait at once: a row of blocks, each for the one before, by votes; then for all, in
 * rounds. */
__global__ void waits_in_a_row(int *passed) {
    const bool first = blockIdx.x == 0;
    int seen = first;
    do {
        if (!first && threadIdx.x == 0) seen = atomicAdd(&passed[blockIdx.x - 1], 0);
    } while (!__syncthreads_or(seen));
    if (threadIdx.x == 0) atomicAdd(&passed[blockIdx.x], 1);
}
__global__ void waits_in_rounds(int *arrived, int rounds) {
    for (int k = 1; k <= rounds; k++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            while (atomicAdd(arrived, 0) < k * (int)gridDim.x) {
            }
        }
        __syncthreads();
    }
}
extern "C" int launch_many_wait() {
    enum { BLOCKS = 20, ROUNDS = 6 };
    int *passed, h = 0;
    cudaMalloc(&passed, (BLOCKS + 1) * sizeof *passed);
    cudaMemset(passed, 0, (BLOCKS + 1) * sizeof *passed);
    waits_in_a_row<<<BLOCKS, 128>>>(passed);
    waits_in_rounds<<<BLOCKS, 128>>>(passed + BLOCKS, ROUNDS);
    cudaMemcpy(&h, passed + BLOCKS, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(passed);
    EXPECT(h == BLOCKS * ROUNDS);
    return 0;
}

/* The host reads and writes what is managed; its own functions may be called as a kernel is. */
__managed__ double balance = 1;
__global__ void fill(double *x, double value) { x[threadIdx.x] = balance += value; }
extern "C" int launch_managed_variable() {
    std::vector<double> h(2);
    std::fill(h.begin(), h.end(), 3.);
    balance = h[0];
    double *by_name = nullptr;
    cudaGetSymbolAddress((void **)&by_name, balance);
    fill<<<1, 1>>>(by_name, h[1]);
    cudaDeviceSynchronize();
    EXPECT(balance == 6);
    return 0;
}

/* Two blocks by turns, through a volatile variable: check build only, the other does not see its loads. */
__global__ void takes_turns(volatile int *whose, int *sum) {
    for (int k = (int)blockIdx.x; k < 8; k += 2) {
        while (*whose != k) {
        }
        __threadfence();
        *sum += k;
        __threadfence();
        *whose = k + 1;
    }
}
extern "C" int launch_turns() {
    int *whose, *sum, h = 0;
    cudaMalloc(&whose, sizeof h);
    cudaMalloc(&sum, sizeof h);
    cudaMemset(whose, 0, sizeof h);
    cudaMemset(sum, 0, sizeof h);
    takes_turns<<<2, 1>>>(whose, sum);
    cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(whose);
    cudaFree(sum);
    EXPECT(h == 28);
    return 0;
}

/* A pipeline of two streams, each with its own half; then one that waits for an event of the other; managed memory. */
__global__ void doubles(double *x) {
    double pair[2], all[8] = {0};
    memcpy(pair, x + 2 * threadIdx.x, sizeof pair);
    for (int k = 0; k < 8; k++) all[k] = k < 2 ? 2 * pair[k] : 0;
    memcpy(x + 2 * threadIdx.x, all, sizeof pair);
}
extern "C" int launch_streams() {
    const int n = 64, middle = n / 2;
    double *h, *d, *m;
    cudaStream_t s[2];
    cudaEvent_t done;
    for (cudaStream_t &one : s) cudaStreamCreate(&one);
    cudaEventCreate(&done);
    cudaMallocHost(&h, n * sizeof(double));
    cudaMalloc(&d, n * sizeof(double));
    cudaMallocManaged(&m, n * sizeof(double));
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < middle; i++) h[k * middle + i] = i;
        cudaMemcpyAsync(d + k * middle, h + k * middle, middle * sizeof(double),
                        cudaMemcpyHostToDevice, s[k]);
        doubles<<<1, middle / 2, 0, s[k]>>>(d + k * middle);
        cudaMemcpyAsync(h + k * middle, d + k * middle, middle * sizeof(double),
                        cudaMemcpyDeviceToHost, s[k]);
    }
    cudaStreamSynchronize(s[0]);
    EXPECT(h[3] == 6);
    cudaEventRecord(done, s[1]);
    cudaStreamWaitEvent(s[0], done, 0);
    doubles<<<1, middle, 0, s[0]>>>(d);
    cudaMemcpy(h, d, n * sizeof(double), cudaMemcpyDeviceToHost);
    EXPECT(h[middle + 3] == 12);
    for (int i = 0; i < n; i++) m[i] = 1;
    doubles<<<1, middle>>>(m);
    cudaDeviceSynchronize();
    EXPECT(m[n - 1] == 2);
    cudaFree(d);
    cudaFree(m);
    cudaFreeHost(h);
    for (cudaStream_t one : s) cudaStreamDestroy(one);
    cudaEventDestroy(done);
    return 0;
}

/* Memory that is lost; and some that is kept from call to call. */
extern "C" int launch_leak() {
    double *x;
    cudaMalloc(&x, 32 * sizeof *x);
    return 0;
}
extern "C" int launch_keeps() {
    static double *scratch;
    if (!scratch) cudaMalloc(&scratch, 32 * sizeof *scratch);
    return 0;
}

/* --- mistakes that only these make ---------------------------------------------------------------- */

__global__ void asserts(double *x) {
    assert(threadIdx.x < 16);
    x[threadIdx.x] = 1;
}
ON_NUMBERS(assert, 32, asserts<<<1, 32>>>(x))

__global__ void shifts(double *x) {
    of_file[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = of_file[63 - threadIdx.x];
}
ON_NUMBERS(file_race, 64, shifts<<<1, 64>>>(x))

/* What is __device__ has another address in host code. */
__device__ int on_device[32];
__global__ void reads_it(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }
extern "C" int launch_copies_to_a_name() {
    const int h[32] = {0};
    cudaMemcpy(on_device, h, sizeof h, cudaMemcpyHostToDevice);
    return 0;
}
ON_ROOM(int, with_a_name, 32, reads_it<<<1, 32>>>(on_device, x))

__global__ void waits_for_the_grid(double *x) {
    x[blockIdx.x] = 1;
    cg::this_grid().sync();
}
ON_NUMBERS(grid_sync, 2, waits_for_the_grid<<<2, 1>>>(x))

/* An atomic behind a fence orders what came before the fence, and nothing after it. */
__global__ void loses_updates(double *x) {
    if (threadIdx.x > 0) return;
    __threadfence();
    atomicAdd(&state, 1);
    x[0] += 1;
}
ON_NUMBERS(lost_update, 1, loses_updates<<<4, 32>>>(x))

/* A fence for the threads of the block, for what another block reads. */
__global__ void fences_for_its_block(int *data, int *copy) {
    if (blockIdx.x == 0) {
        data[0] = 7;
        __threadfence_block();
        atomicExch(&turn, 1);
    } else {
        while (atomicAdd(&turn, 0) == 0) {
        }
        copy[0] = data[0];
    }
}
extern "C" int launch_narrow_fence() {
    const int none = 0;
    int *data;
    cudaMemcpyToSymbol(turn, &none, sizeof none);
    cudaMalloc(&data, 2 * sizeof *data);
    fences_for_its_block<<<2, 1>>>(data, data + 1);
    cudaFree(data);
    return 0;
}

__global__ void locks_without_fence(double *x) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    x[0] += 1;
    __threadfence();
    atomicExch(&lock, 0);
}
ON_NUMBERS(lock_without_fence, 1, locks_without_fence<<<2, 1>>>(x))

__global__ void stores_its_number(volatile int *who) { *who = (int)blockIdx.x; }
ON_ROOM(int, volatile_stores, 1, stores_its_number<<<3, 1>>>(x))

__global__ void zeroes_itself(double *result) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *result = 0;
    __syncthreads();
    atomicAdd(result, 1.0);
}
ON_NUMBERS(zeroes_itself, 1, zeroes_itself<<<4, 32>>>(x))

__global__ void stores_bytes(char *c) { c[threadIdx.x / 2] = (char)threadIdx.x; }
__global__ void stores_own_bytes(char *c) { c[threadIdx.x] = (char)threadIdx.x; }
ON_ROOM(char, bytes, 32, stores_bytes<<<1, 32>>>(x))
ON_ROOM(char, own_bytes, 32, stores_own_bytes<<<1, 32>>>(x))

__global__ void counts_in_blocks(int *count) { atomicAdd_block(count, 1); }
ON_ROOM(int, block_scope, 1, cudaMemset(x, 0, sizeof *x); counts_in_blocks<<<2, 32>>>(x))

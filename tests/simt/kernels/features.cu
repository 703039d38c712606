/* What exercises use, in kernels whose results are known. Launchers return 0, or the number of what is
 * wrong. Valid for nvcc too. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(status_));                                                  \
            return __LINE__;                                                                       \
        }                                                                                          \
    } while (0)
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) return __LINE__;                                                         \
    } while (0)

template <class T> struct device_array {
    T *data = nullptr;
    size_t n;
    explicit device_array(const std::vector<T> &from) : n(from.size()) {
        cudaMalloc(&data, n * sizeof(T));
        cudaMemcpy(data, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~device_array() { cudaFree(data); }
    std::vector<T> host() const {
        std::vector<T> to(n);
        cudaMemcpy(to.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
        return to;
    }
};

/* --- reductions ----------------------------------------------------------------------------------- */

template <class T> __device__ T warp_sum(T value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

template <int Block> __global__ void dot(int n, const double *x, const double *y, double *result) {
    __shared__ double part[Block / 32];
    double sum = 0;
    for (int i = blockIdx.x * Block + threadIdx.x; i < n; i += gridDim.x * Block)
        sum += __ldg(x + i) * y[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < Block / 32 ? part[threadIdx.x] : 0;
        sum = warp_sum(sum);
        if (threadIdx.x == 0) atomicAdd(result, sum);
    }
}

extern "C" int launch_dot() {
    const int n = 5000;
    std::vector<double> x(n), y(n);
    double expected = 0;
    for (int i = 0; i < n; i++) {
        x[i] = i % 7;
        y[i] = i % 5;
        expected += x[i] * y[i];
    }
    device_array<double> d_x(x), d_y(y), d_r(std::vector<double>(1, 0.0));
    dot<(1 << 7)><<<dim3(4), dim3(128), 0, cudaStream_t(0)>>>(n, d_x.data, d_y.data, d_r.data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    EXPECT(d_r.host()[0] == expected);
    return 0;
}

/* --- dynamic shared memory, at file scope and in a function ---------------------------------------- */

extern __shared__ double outside[];

__global__ void reverse(double *x) {
    outside[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = outside[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_pairs(int *x) {
    extern __shared__ __align__(16) unsigned char bytes[];
    int *s = (int *)bytes;
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[threadIdx.x ^ 1];
}

extern "C" int launch_dynamic() {
    std::vector<double> x(96);
    std::vector<int> k(64);
    for (int i = 0; i < 96; i++) x[i] = i;
    for (int i = 0; i < 64; i++) k[i] = i;
    device_array<double> d_x(x);
    device_array<int> d_k(k);
    reverse<<<1, 96, 96 * sizeof(double)>>>(d_x.data);
    reverse_pairs<<<1, 64, 64 * sizeof(int)>>>(d_k.data);
    CHECK(cudaGetLastError());
    const std::vector<double> y = d_x.host();
    const std::vector<int> m = d_k.host();
    for (int i = 0; i < 96; i++) EXPECT(y[i] == 95 - i);
    for (int i = 0; i < 64; i++) EXPECT(m[i] == (i ^ 1));
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 << 10));
    reverse<<<1, 96, 96 << 10>>>(d_x.data);
    CHECK(cudaGetLastError());
    return 0;
}

/* --- votes, shuffles, masks ----------------------------------------------------------------------- */

__global__ void votes(unsigned *out) {
    const int lane = threadIdx.x;
    out[lane] = __ballot_sync(0xffffffff, lane % 3 == 0);
    out[32 + lane] = (unsigned)__any_sync(0xffffffff, lane == 31) * 2 +
                     (unsigned)__all_sync(0xffffffff, lane < 31);
    out[64 + lane] = (unsigned)__shfl_xor_sync(0xffffffff, lane, 5);
    out[96 + lane] = (unsigned)__shfl_up_sync(0xffffffff, lane, 2, 8);
    if (lane < 16)
        out[128 + lane] = (unsigned)__shfl_sync(0x0000ffff, 3 * lane, 7);
    else
        out[128 + lane] = (unsigned)__shfl_sync(0xffff0000, 5 * lane, 16);
    out[160 + lane] = 0;
    if (lane >= 20) out[160 + lane] = __activemask();
    out[192 + lane] = (unsigned)__popc(__ballot_sync(0xffffffff, lane & 1)) + (unsigned)__ffs(8) +
                      (unsigned)__clz(1);
}

extern "C" int launch_votes() {
    device_array<unsigned> d(std::vector<unsigned>(224));
    votes<<<1, 32>>>(d.data);
    CHECK(cudaGetLastError());
    const std::vector<unsigned> out = d.host();
    for (unsigned lane = 0; lane < 32; lane++) {
        EXPECT(out[lane] == 0x49249249u);
        EXPECT(out[32 + lane] == 2);
        EXPECT(out[64 + lane] == (lane ^ 5));
        EXPECT(out[96 + lane] == (lane % 8 < 2 ? lane : lane - 2));
        EXPECT(out[128 + lane] == (lane < 16 ? 21 : 80));
        EXPECT(out[160 + lane] == (lane < 20 ? 0 : 0xfff00000u));
        EXPECT(out[192 + lane] == 16 + 4 + 31);
    }
    return 0;
}

__global__ void tiles(const double *x, double *sums) {
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    double sum = x[block.thread_rank()];
    for (int offset = 4; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
    block.sync();
}

extern "C" int launch_tiles() {
    std::vector<double> x(64);
    for (int i = 0; i < 64; i++) x[i] = i;
    device_array<double> d_x(x), d_s(std::vector<double>(8));
    tiles<<<1, 64>>>(d_x.data, d_s.data);
    CHECK(cudaGetLastError());
    const std::vector<double> sums = d_s.host();
    for (int t = 0; t < 8; t++) EXPECT(sums[t] == 64 * t + 28);
    return 0;
}

struct triple {
    double value, square;
    int lane;
};

/* Groups by a label and by a predicate, and values of more than 8 bytes. */
__global__ void groups(int *sums, int *ranks, triple *next) {
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = (int)threadIdx.x;
    const cg::coalesced_group thirds = cg::labeled_partition(warp, i % 3);
    const cg::coalesced_group odd = cg::binary_partition(warp, i & 1);
    sums[i] = 1000 * cg::reduce(thirds, 1, cg::plus<int>()) + cg::reduce(odd, i, cg::plus<int>());
    ranks[i] = (int)(100 * thirds.meta_group_rank() + 10 * thirds.meta_group_size() +
                     odd.meta_group_size()) +
               1000 * odd.shfl_down(i, 1) + 100000 * odd.shfl_up(i, 1);
    next[i] = warp.shfl_down(triple{(double)i, (double)(i * i), i}, 1);
}

extern "C" int launch_groups() {
    EXPECT(cudaSetDeviceFlags(cudaDeviceMapHost) == cudaSuccess);
    device_array<int> d_sums(std::vector<int>(32)), d_ranks(std::vector<int>(32));
    device_array<triple> d_next(std::vector<triple>(32));
    groups<<<1, 32>>>(d_sums.data, d_ranks.data, d_next.data);
    CHECK(cudaGetLastError());
    const std::vector<int> sums = d_sums.host(), ranks = d_ranks.host();
    const std::vector<triple> next = d_next.host();
    for (int i = 0; i < 32; i++) {
        EXPECT(sums[i] == 1000 * (i % 3 == 2 ? 10 : 11) + (i & 1 ? 256 : 240));
        const int below = i < 2 ? i : i - 2, above = i > 29 ? i : i + 2;
        EXPECT(ranks[i] == 100 * (i % 3) + 32 + 1000 * above + 100000 * below);
        const int from = i == 31 ? 31 : i + 1;
        EXPECT(next[i].value == from && next[i].square == from * from && next[i].lane == from);
    }
    return 0;
}

/* --- blocks of three dimensions, vectors, symbols, atomics ----------------------------------------- */

__global__ void three_dimensions(int3 *out) {
    const int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[b * 24 + i] =
        make_int3((int)threadIdx.x, (int)threadIdx.y, (int)(threadIdx.z + 10 * blockIdx.y));
}

__constant__ double coefficients[4];
__device__ int total = 5;

__global__ void symbols(const float4 *x, double *y, int *slot) {
    const float4 v = x[threadIdx.x];
    y[threadIdx.x] = coefficients[0] * v.x + coefficients[1] * v.y + coefficients[2] * v.z +
                     coefficients[3] * v.w;
    const int at = atomicAdd(&total, 1);
    atomicMax(slot, at);
    atomicCAS(slot + 1, 0, 7);
}

extern "C" int launch_symbols() {
    device_array<int3> d_out(std::vector<int3>(2 * 24));
    three_dimensions<<<dim3(1, 2, 1), dim3(4, 3, 2)>>>(d_out.data);
    CHECK(cudaGetLastError());
    const std::vector<int3> out = d_out.host();
    EXPECT(out[24 + 23].x == 3 && out[24 + 23].y == 2 && out[24 + 23].z == 11);
    EXPECT(out[5].x == 1 && out[5].y == 1 && out[5].z == 0);

    const double c[4] = {1, 10, 100, 1000};
    std::vector<float4> x(32, make_float4(1, 2, 3, 4));
    device_array<float4> d_x(x);
    device_array<double> d_y(std::vector<double>(32));
    device_array<int> d_slot(std::vector<int>(2));
    int start = 5, end = 0;
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    CHECK(cudaMemcpyToSymbol(total, &start, sizeof start));
    symbols<<<1, 32>>>(d_x.data, d_y.data, d_slot.data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&end, total, sizeof end));
    EXPECT(end == 37);
    EXPECT(d_y.host()[31] == 4321);
    EXPECT(d_slot.host()[0] == 36 && d_slot.host()[1] == 7);
    return 0;
}

/* --- host functions -------------------------------------------------------------------------------- */

__global__ void set(int *x, int value) { x[threadIdx.x] = value; }

extern "C" int launch_host() {
    cudaDeviceProp properties;
    int count = 0, threads = 0, grid = 0, block = 0, *d = nullptr, *pinned = nullptr,
        *managed = nullptr;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float ms = -1;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
    EXPECT(count >= 1 && properties.warpSize == 32 && threads == 1024 &&
           properties.multiProcessorCount > 0);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, set, 0, 0));
    EXPECT(grid > 0 && block % 32 == 0 && block > 0);

    CHECK(cudaMalloc((void **)&d, 32 * sizeof(int)));
    CHECK(cudaMallocHost((void **)&pinned, 32 * sizeof(int)));
    CHECK(cudaMallocManaged(&managed, 32 * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaMemsetAsync(d, 0, 32 * sizeof(int), stream));
    CHECK(cudaEventRecord(start, stream));
    set<<<1, 32, 0, stream>>>(d, 3.7); /* a double becomes the kernel's int */
    set<<<1, 32, 0, stream>>>(managed, 4);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaMemcpyAsync(pinned, d, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    EXPECT(ms >= 0 && pinned[31] == 3 && managed[0] == 4);

    EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                  "cudaErrorInvalidConfiguration") == 0);
    EXPECT(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    EXPECT(cudaPeekAtLastError() == cudaSuccess);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(d));
    CHECK(cudaFree(nullptr));
    return 0;
}

/* --- the last block sums up ------------------------------------------------------------------------ */

__device__ unsigned finished;

__global__ void last_block(int n, const double *x, double *part, double *result) {
    __shared__ double s[64];
    __shared__ bool is_last;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if ((int)threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        double sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += part[b];
        *result = sum;
    }
}

extern "C" int launch_last_block() {
    std::vector<double> x(1000, 1.0);
    device_array<double> d_x(x), d_part(std::vector<double>(16)), d_r(std::vector<double>(1));
    last_block<<<16, 64>>>(1000, d_x.data, d_part.data, d_r.data);
    CHECK(cudaGetLastError());
    EXPECT(d_r.host()[0] == 1000);
    return 0;
}

/* --- a struct by value, constants in the program, shared memory of a __device__ function -------------- */

struct matrix {
    int n, width;
    const int *col;
    const double *val;
    double scale[3];
};

__device__ double block_sum(double value) {
    __shared__ double part[64], all;
    part[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        all = 0;
        for (int k = 0; k < 64; k++) all += part[k];
    }
    __syncthreads();
    return all;
}

__global__ void product(matrix A, const double *x, double *y) {
    const double weight[4] = {1, 2, 4, 8};
    const int i = threadIdx.x;
    double sum = 0;
    for (int k = 0; k < A.width; k++)
        sum += A.val[k * A.n + i] * x[A.col[k * A.n + i]] * weight[(i + k) % 4];
    y[i] = block_sum(sum * A.scale[i % 3]);
}

extern "C" int launch_struct() {
    std::vector<int> col(128);
    std::vector<double> val(128, 1.0), x(64, 2.0);
    for (int k = 0; k < 128; k++) col[k] = k % 64;
    device_array<int> d_col(col);
    device_array<double> d_val(val), d_x(x), d_y(std::vector<double>(64));
    const matrix A = {64, 2, d_col.data, d_val.data, {1, 1, 1}};
    product<<<1, 64>>>(A, d_x.data, d_y.data);
    CHECK(cudaGetLastError());
    EXPECT(d_y.host()[63] == 2 * 2 * 15 * 16);
    return 0;
}

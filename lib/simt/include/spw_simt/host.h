/* What host code calls: memory, copies, streams, events, errors, properties. Every call takes effect at
 * once; streams do not overlap, and events keep the host's clock (no time of a GPU). */
#ifndef SPW_SIMT_HOST_H
#define SPW_SIMT_HOST_H

/* clang-format off */
enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3, cudaErrorInvalidConfiguration = 9, cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13, cudaErrorInvalidHostPointer = 16, cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidMemcpyDirection = 21, cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101, cudaErrorInvalidResourceHandle = 400, cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources = 701, cudaErrorLaunchTimeout = 702,
    cudaErrorAssert = 710, cudaErrorMisalignedAddress = 716, cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801, cudaErrorUnknown = 999
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4, cudaDevAttrMaxGridDimX = 5, cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13, cudaDevAttrGpuOverlap = 15, cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrIntegrated = 18, cudaDevAttrComputeMode = 20, cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrManagedMemory = 83, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
/* clang-format on */
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};

typedef enum cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int l2CacheSize, memoryBusWidth, integrated, canMapHostMemory, managedMemory, concurrentKernels;
    int unifiedAddressing, asyncEngineCount, cooperativeLaunch;
    int concurrentManagedAccess, pageableMemoryAccess;
    int clockRate, memoryClockRate; /* 0: the checker has no speed */
    size_t totalConstMem;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, maxDynamicSharedSizeBytes;
};

#define cudaStreamDefault              0u
#define cudaStreamNonBlocking          1u
#define cudaEventDefault               0u
#define cudaEventBlockingSync          1u
#define cudaEventDisableTiming         2u
#define cudaDeviceScheduleAuto         0u
#define cudaDeviceScheduleSpin         1u
#define cudaDeviceScheduleYield        2u
#define cudaDeviceScheduleBlockingSync 4u
#define cudaDeviceBlockingSync         4u
#define cudaDeviceMapHost              8u
#define cudaHostAllocDefault           0u
#define cudaHostAllocPortable          1u
#define cudaHostAllocMapped            2u
#define cudaHostRegisterDefault        0u
#define cudaHostRegisterPortable       1u
#define cudaHostRegisterMapped         2u
#define cudaMemAttachGlobal            1u
#define cudaCpuDeviceId                (-1)

/* --- errors --------------------------------------------------------------------------------------- */

static SPW_SIMT_INLINE cudaError_t cudaGetLastError() {
    return (cudaError_t)spw_simt_last_error(1);
}
static SPW_SIMT_INLINE cudaError_t cudaPeekAtLastError() {
    return (cudaError_t)spw_simt_last_error(0);
}

namespace spw_simt {
struct error_text {
    cudaError_t code;
    const char *name, *text;
};

inline const error_text *find_error(cudaError_t code) {
    /* clang-format off */
    static const error_text all[] = {
        {cudaSuccess, "cudaSuccess", "no error"},
        {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
        {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
        {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
        {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
        {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
        {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
        {cudaErrorInvalidHostPointer, "cudaErrorInvalidHostPointer", "invalid host pointer"},
        {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
        {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
        {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
        {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
        {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
        {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
        {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
        {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
        {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
        {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
        {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
        {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
        {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
        {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
    };
    /* clang-format on */
    for (const error_text &e : all)
        if (e.code == code) return &e;
    return nullptr;
}
} // namespace spw_simt

inline const char *cudaGetErrorString(cudaError_t code) {
    const spw_simt::error_text *e = spw_simt::find_error(code);
    return e ? e->text : "unrecognized error code";
}
inline const char *cudaGetErrorName(cudaError_t code) {
    const spw_simt::error_text *e = spw_simt::find_error(code);
    return e ? e->name : "unrecognized error code";
}

/* --- memory --------------------------------------------------------------------------------------- */

namespace spw_simt {
template <class T> struct size_of { static constexpr size_t value = sizeof(T); };
template <> struct size_of<void> { static constexpr size_t value = 0; };

template <class T>
inline cudaError_t allocate(int space, const char *site, const char *file, int line, T **pointer,
                            size_t bytes) {
    return (cudaError_t)spw_simt_malloc((void **)pointer, bytes, size_of<T>::value, space, site,
                                        file, line);
}
/* The forms with flags or a stream. */
template <class T, class F>
inline cudaError_t allocate(int space, const char *site, const char *file, int line, T **pointer,
                            size_t bytes, F) {
    return allocate(space, site, file, line, pointer, bytes);
}
} // namespace spw_simt

/* Macros, so that the report can name the array and the line. */
#define SPW_SIMT_ALLOCATE(space, ...)                                                              \
    ::spw_simt::allocate(space, #__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__)
#define cudaMalloc(...)        SPW_SIMT_ALLOCATE(SPW_SIMT_DEVICE, __VA_ARGS__)
#define cudaMallocAsync(...)   SPW_SIMT_ALLOCATE(SPW_SIMT_DEVICE, __VA_ARGS__)
#define cudaMallocHost(...)    SPW_SIMT_ALLOCATE(SPW_SIMT_PINNED, __VA_ARGS__)
#define cudaHostAlloc(...)     SPW_SIMT_ALLOCATE(SPW_SIMT_PINNED, __VA_ARGS__)
#define cudaMallocManaged(...) SPW_SIMT_ALLOCATE(SPW_SIMT_MANAGED, __VA_ARGS__)

static SPW_SIMT_INLINE cudaError_t cudaFree(void *p) {
    return (cudaError_t)spw_simt_free(p, SPW_SIMT_DEVICE);
}
static SPW_SIMT_INLINE cudaError_t cudaFreeAsync(void *p, cudaStream_t) {
    return (cudaError_t)spw_simt_free(p, SPW_SIMT_DEVICE);
}
static SPW_SIMT_INLINE cudaError_t cudaFreeHost(void *p) {
    return (cudaError_t)spw_simt_free(p, SPW_SIMT_PINNED);
}
static SPW_SIMT_INLINE cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                              cudaMemcpyKind kind) {
    spw_simt_on_stream(nullptr, 0);
    return (cudaError_t)spw_simt_memcpy(to, from, bytes, (int)kind);
}
static SPW_SIMT_INLINE cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                                   cudaMemcpyKind kind,
                                                   cudaStream_t stream = nullptr) {
    spw_simt_on_stream(stream, 1);
    return (cudaError_t)spw_simt_memcpy(to, from, bytes, (int)kind);
}
static SPW_SIMT_INLINE cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    spw_simt_on_stream(nullptr, 1);
    return (cudaError_t)spw_simt_memset(to, value, bytes);
}
static SPW_SIMT_INLINE cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
                                                   cudaStream_t stream = nullptr) {
    spw_simt_on_stream(stream, 1);
    return (cudaError_t)spw_simt_memset(to, value, bytes);
}
/* Rows of a pitched array: each is a copy of its own, as far as addresses are checked. */
template <class T>
inline cudaError_t cudaMallocPitch_at(const char *site, const char *file, int line, T **pointer,
                                      size_t *pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return ::spw_simt::allocate(SPW_SIMT_DEVICE, site, file, line, pointer, *pitch * height);
}
#define cudaMallocPitch(...) cudaMallocPitch_at(#__VA_ARGS__, __FILE__, __LINE__, __VA_ARGS__)
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
    if (width > to_pitch || width > from_pitch)
        return (cudaError_t)spw_simt_error(cudaErrorInvalidPitchValue);
    int code = 0;
    for (size_t row = 0; row < height && !code; row++)
        code = spw_simt_memcpy((char *)to + row * to_pitch, (const char *)from + row * from_pitch,
                               width, (int)kind);
    return (cudaError_t)code;
}
static SPW_SIMT_INLINE cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                                     size_t from_pitch, size_t width, size_t height,
                                                     cudaMemcpyKind kind, cudaStream_t = nullptr) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return (cudaError_t)spw_simt_error(cudaErrorInvalidPitchValue);
    int code = 0;
    for (size_t row = 0; row < height && !code; row++)
        code = spw_simt_memset((char *)to + row * pitch, value, width);
    return (cudaError_t)code;
}
template <class T>
SPW_SIMT_INLINE cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return (cudaError_t)spw_simt_copy_symbol((char *)&symbol + offset, from, bytes, (int)kind);
}
template <class T>
SPW_SIMT_INLINE cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                                 size_t offset = 0,
                                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return (cudaError_t)spw_simt_copy_symbol(to, (const char *)&symbol + offset, bytes, (int)kind);
}
template <class T>
SPW_SIMT_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                                    size_t offset, cudaMemcpyKind kind,
                                                    cudaStream_t = nullptr) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
SPW_SIMT_INLINE cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                                      size_t offset, cudaMemcpyKind kind,
                                                      cudaStream_t = nullptr) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
template <class T>
SPW_SIMT_INLINE cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
    *pointer = spw_simt_symbol((const void *)&symbol);
    return cudaSuccess;
}
static SPW_SIMT_INLINE cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    return (cudaError_t)spw_simt_memory_info(available, total);
}
static SPW_SIMT_INLINE cudaError_t cudaMemPrefetchAsync(const void *, size_t, int,
                                                        cudaStream_t = nullptr) {
    return cudaSuccess;
}

static SPW_SIMT_INLINE cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) {
    return cudaSuccess;
}
/* Host memory that kernels may read is that of cudaMallocHost and cudaMallocManaged alone. */
static SPW_SIMT_INLINE cudaError_t cudaHostRegister(void *, size_t, unsigned) {
    return cudaSuccess;
}
static SPW_SIMT_INLINE cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
template <class T>
SPW_SIMT_INLINE cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned) {
    *device = (T *)host;
    return cudaSuccess;
}
static SPW_SIMT_INLINE cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }

/* --- streams and events --------------------------------------------------------------------------- */

static SPW_SIMT_INLINE cudaError_t cudaDeviceSynchronize() {
    return (cudaError_t)spw_simt_synchronize(nullptr, 'd');
}
static SPW_SIMT_INLINE cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return (cudaError_t)spw_simt_handle_create((void **)stream, 's',
                                               !(flags & cudaStreamNonBlocking));
}
static SPW_SIMT_INLINE cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
static SPW_SIMT_INLINE cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return (cudaError_t)spw_simt_handle_destroy(stream, 's');
}
static SPW_SIMT_INLINE cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return (cudaError_t)spw_simt_synchronize(stream, 's');
}
static SPW_SIMT_INLINE cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return cudaStreamSynchronize(stream);
}
static SPW_SIMT_INLINE cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                       unsigned = 0) {
    return (cudaError_t)spw_simt_stream_wait(stream, event);
}
/* At once, as all before it is done. */
#define CUDART_CB
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                         void *argument, unsigned) {
    function(stream, cudaSuccess, argument);
    return cudaSuccess;
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*function)(void *), void *argument) {
    function(argument);
    return cudaSuccess;
}
static SPW_SIMT_INLINE cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return (cudaError_t)spw_simt_handle_create((void **)event, 'e', 0);
}
static SPW_SIMT_INLINE cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    return cudaEventCreate(event);
}
static SPW_SIMT_INLINE cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return (cudaError_t)spw_simt_handle_destroy(event, 'e');
}
static SPW_SIMT_INLINE cudaError_t cudaEventRecord(cudaEvent_t event,
                                                   cudaStream_t stream = nullptr) {
    return (cudaError_t)spw_simt_event_record(event, stream);
}
static SPW_SIMT_INLINE cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return (cudaError_t)spw_simt_synchronize(event, 'e');
}
static SPW_SIMT_INLINE cudaError_t cudaEventQuery(cudaEvent_t event) {
    return cudaEventSynchronize(event);
}
static SPW_SIMT_INLINE cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start,
                                                        cudaEvent_t stop) {
    return (cudaError_t)spw_simt_event_elapsed(ms, start, stop);
}

/* --- the device ----------------------------------------------------------------------------------- */

static SPW_SIMT_INLINE cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
static SPW_SIMT_INLINE cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
static SPW_SIMT_INLINE cudaError_t cudaSetDevice(int device) {
    return (cudaError_t)spw_simt_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
static SPW_SIMT_INLINE cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
static SPW_SIMT_INLINE cudaError_t cudaDeviceReset() {
    return (cudaError_t)spw_simt_reset_device();
}

/* The limits of compute capability 9.0. It has no speed, so no clocks. */
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
    if (device != 0) return (cudaError_t)spw_simt_error(cudaErrorInvalidDevice);
    *p = cudaDeviceProp();
    snprintf(p->name, sizeof p->name, "CUDA source on the CPU (modelled)");
    spw_simt_memory_info(nullptr, &p->totalGlobalMem);
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerBlockOptin = 227 << 10;
    p->sharedMemPerMultiprocessor = 228 << 10;
    p->totalConstMem = 64 << 10;
    p->regsPerBlock = 65536;
    p->warpSize = 32;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->major = 9;
    p->multiProcessorCount = spw_simt_multiprocessors();
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxBlocksPerMultiProcessor = 32;
    p->l2CacheSize = 50 << 20;
    p->memoryBusWidth = 5120;
    p->concurrentManagedAccess = p->canMapHostMemory = p->managedMemory = p->concurrentKernels =
        p->unifiedAddressing = 1;
    p->cooperativeLaunch = 1;
    p->asyncEngineCount = 1;
    return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp p;
    const cudaError_t status = cudaGetDeviceProperties(&p, device);
    if (status != cudaSuccess) return status;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)p.sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrGpuOverlap: *value = 1; break;
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode: *value = 0; break; /* no; for everybody */
    case cudaDevAttrManagedMemory: *value = p.managedMemory; break;
    default: return (cudaError_t)spw_simt_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

static SPW_SIMT_INLINE cudaError_t cudaDriverGetVersion(int *version) {
    *version = 0; /* as where no driver is installed */
    return cudaSuccess;
}
static SPW_SIMT_INLINE cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = 12000;
    return cudaSuccess;
}

/* --- functions ------------------------------------------------------------------------------------ */

template <class K>
inline cudaError_t cudaFuncSetAttribute(K *kernel, cudaFuncAttribute attribute, int value) {
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    return (cudaError_t)spw_simt_allow_shared((const void *)kernel, (size_t)value);
}
template <class K> inline cudaError_t cudaFuncSetCacheConfig(K *, cudaFuncCache) {
    return cudaSuccess;
}
/* Registers and occupancy are nvcc's and the GPU's business; these are values a program can live with. */
template <class K> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, K *) {
    *a = cudaFuncAttributes();
    a->maxThreadsPerBlock = 1024;
    a->numRegs = 32;
    a->maxDynamicSharedSizeBytes = 48 << 10;
    return cudaSuccess;
}
template <class K>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block, K *, size_t = 0,
                                                      int limit = 0) {
    *block = limit > 0 && limit < 256 ? limit : 256;
    *min_grid = spw_simt_multiprocessors() * (2048 / *block);
    return cudaSuccess;
}
template <class K>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K *, int block,
                                                                 size_t) {
    *blocks = block > 0 ? (2048 / block < 32 ? 2048 / block : 32) : 0;
    return cudaSuccess;
}

#endif

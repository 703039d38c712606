/* The device by way of the CUDA runtime. nvcc builds this file for a GPU, lib/simt for the
 * checker. */
#include "base/device.h"

#include <cuda_runtime.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* cudaGetLastError takes the error off, else the next launch would be blamed for it. */
static spw_status check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return SPW_OK;
    cudaGetLastError();
    return spw_error(SPW_ERR_DEVICE, "%s: %s (%s)", what, cudaGetErrorString(error),
                     cudaGetErrorName(error));
}

/* --- which ------------------------------------------------------------------------------------ */

spw_status spw_device_available(void) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) return SPW_OK;
    cudaGetLastError();
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
    if (driver == 0) return spw_error(SPW_ERR_UNAVAILABLE, "no GPU: no NVIDIA driver is installed");
    if (error == cudaSuccess || error == cudaErrorNoDevice)
        return spw_error(SPW_ERR_UNAVAILABLE, "no GPU: the driver shows no device");
    return check(error, "looking for a GPU");
}

spw_status spw_device_properties(spw_device_info *info) {
    memset(info, 0, sizeof *info);
    spw_status status = spw_device_available();
    if (status) return status;

    int device = 0;
    cudaDeviceProp p;
    size_t available = 0, total = 0;
    spw_device_info found = {};
    status = check(cudaGetDevice(&device), "asking for the device");
    if (!status) status = check(cudaGetDeviceProperties(&p, device), "asking for its properties");
    if (!status) status = check(cudaMemGetInfo(&available, &total), "asking for its memory");
    if (!status) status = check(cudaDriverGetVersion(&found.driver), "asking for the driver");
    if (!status) status = check(cudaRuntimeGetVersion(&found.runtime), "asking for the runtime");
    if (status) return status;

    snprintf(found.name, sizeof found.name, "%s", p.name);
    found.major = p.major;
    found.minor = p.minor;
    found.multiprocessors = p.multiProcessorCount;
    found.memory = (int64_t)total;
    found.l2 = p.l2CacheSize;
    *info = found;
    return SPW_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

spw_status spw_device_alloc(void **d_out, int64_t count, int64_t size) {
    *d_out = NULL;
    if (count < 0 || size < 1)
        return spw_error(SPW_ERR_ARG,
                         "cannot allocate %" PRId64 " items of %" PRId64 " bytes on the device",
                         count, size);
    if (count > INT64_MAX / size)
        return spw_error(SPW_ERR_MEMORY,
                         "%" PRId64 " items of %" PRId64 " bytes are more than any memory", count,
                         size);
    const int64_t bytes = count * size;
    const spw_status status = spw_device_available();
    if (status || bytes == 0) return status;

    void *block = NULL;
    const cudaError_t error = cudaMalloc(&block, (size_t)bytes);
    if (error == cudaErrorMemoryAllocation) {
        size_t available = 0, total = 0;
        cudaGetLastError();
        if (cudaMemGetInfo(&available, &total) != cudaSuccess) cudaGetLastError();
        return spw_error(SPW_ERR_MEMORY,
                         "this allocation needs %.3f GB on the device, which has %.3f GB free",
                         (double)bytes * 1e-9, (double)available * 1e-9);
    }
    *d_out = block;
    return check(error, "allocating on the device");
}

void spw_device_free(void *d_block) {
    if (d_block && cudaFree(d_block) != cudaSuccess) cudaGetLastError();
}

static spw_status copy(void *to, const void *from, int64_t bytes, cudaMemcpyKind kind,
                       const char *what) {
    if (bytes == 0) return SPW_OK;
    if (bytes < 0) return spw_error(SPW_ERR_ARG, "%s: %" PRId64 " bytes", what, bytes);
    return check(cudaMemcpy(to, from, (size_t)bytes, kind), what);
}

spw_status spw_device_copy_to(void *d_to, const void *from, int64_t bytes) {
    return copy(d_to, from, bytes, cudaMemcpyHostToDevice, "copying to the device");
}

spw_status spw_device_copy_from(void *to, const void *d_from, int64_t bytes) {
    return copy(to, d_from, bytes, cudaMemcpyDeviceToHost, "copying from the device");
}

spw_status spw_device_copy(void *d_to, const void *d_from, int64_t bytes) {
    return copy(d_to, d_from, bytes, cudaMemcpyDeviceToDevice, "copying on the device");
}

spw_status spw_device_zero(void *d_block, int64_t bytes) {
    if (bytes == 0) return SPW_OK;
    if (bytes < 0) return spw_error(SPW_ERR_ARG, "zeroing %" PRId64 " bytes", bytes);
    return check(cudaMemsetAsync(d_block, 0, (size_t)bytes), "zeroing on the device");
}

/* --- time ------------------------------------------------------------------------------------- */

spw_status spw_device_synchronise(void) {
    return check(cudaDeviceSynchronize(), "waiting for the device");
}

spw_status spw_device_launched(const char *kernel) { return check(cudaGetLastError(), kernel); }

/* The struct is never defined: an event is CUDA's own handle. */
static cudaEvent_t handle(spw_device_event *event) { return (cudaEvent_t)event; }

spw_status spw_device_event_create(spw_device_event **event) {
    *event = NULL;
    spw_status status = spw_device_available();
    cudaEvent_t made = NULL;
    if (!status) status = check(cudaEventCreate(&made), "making an event");
    if (!status) *event = (spw_device_event *)made;
    return status;
}

void spw_device_event_destroy(spw_device_event *event) {
    if (event && cudaEventDestroy(handle(event)) != cudaSuccess) cudaGetLastError();
}

spw_status spw_device_event_record(spw_device_event *event) {
    return check(cudaEventRecord(handle(event)), "recording an event");
}

spw_status spw_device_event_seconds(spw_device_event *from, spw_device_event *to, double *seconds) {
    float ms = 0;
    *seconds = 0;
    spw_status status = check(cudaEventSynchronize(handle(to)), "waiting for an event");
    if (!status)
        status = check(cudaEventElapsedTime(&ms, handle(from), handle(to)), "reading an event");
    if (!status) *seconds = ms * 1e-3;
    return status;
}

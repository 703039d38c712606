/* base/device.h -- the GPU as C code sees it: memory, copies, events, properties.
 *
 *     double *d_x;                              a name with d_ points to the device's memory
 *     status = SPW_DEVICE_ALLOC(&d_x, n);
 *     if (!status) status = spw_device_copy_to(d_x, x, n * sizeof *x);
 *     ... a launcher of kernels/cuda.h ...
 *     if (!status) status = spw_device_copy_from(x, d_x, n * sizeof *x);
 *     spw_device_free(d_x);
 * One device, the first that CUDA_VISIBLE_DEVICES leaves, and its default stream: what is called
 * later runs later, launches return at once, copies wait. A pair of files: device_cuda.cu, also
 * built by the checker (lib/simt), and device_none.c, in which every call that needs a device is
 * SPW_ERR_UNAVAILABLE.
 * On the checker all of this is called inside of spw_simt_run (simt/simt.h).
 *
 * SPW_ERR_DEVICE comes with CUDA's own words in spw_message(). A kernel runs after its launch has
 * returned, so that its error may come from any later call. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdint.h>

SPW_C_BEGIN

/* --- which ------------------------------------------------------------------------------------ */

/* SPW_OK if there is a device. Else the message says what is missing.
 *   SPW_ERR_UNAVAILABLE  built without CUDA, no driver, or no device
 *   SPW_ERR_DEVICE       the driver reports something else */
spw_status spw_device_available(void);

typedef struct spw_device_info {
    char name[256];      /* "NVIDIA H200"; the checker says that it is one */
    int major, minor;    /* compute capability */
    int multiprocessors; /* SMs */
    int driver, runtime; /* versions, 13000 is 13.0; 0: none */
    int64_t memory;      /* bytes */
    int64_t l2;          /* bytes */
} spw_device_info;

/* On failure *info is all zero. The errors of spw_device_available. */
spw_status spw_device_properties(spw_device_info *info);

/* --- memory ----------------------------------------------------------------------------------- */

/* Allocates count * size bytes on the device, uninitialised. *d_out owns them: spw_device_free. A
 * count of 0 gives NULL, on failure *d_out is NULL, too.
 *   SPW_ERR_ARG          count < 0 or size < 1
 *   SPW_ERR_MEMORY       no room; the message has both figures
 *   SPW_ERR_UNAVAILABLE  no device */
spw_status spw_device_alloc(void **d_out, int64_t count, int64_t size);

/* The same for a typed pointer: SPW_DEVICE_ALLOC(&d_x, n). */
#define SPW_DEVICE_ALLOC(pointer, count)                                                           \
    spw_device_alloc((void **)(pointer), (int64_t)(count), (int64_t)sizeof **(pointer))

/* Takes NULL. */
void spw_device_free(void *d_block);

/* Bytes to, from and within the device; bytes = 0 does nothing. The host's array may be used again
 * on return. SPW_ERR_DEVICE: also an error of a kernel launched before. */
spw_status spw_device_copy_to(void *d_to, const void *from, int64_t bytes);
spw_status spw_device_copy_from(void *to, const void *d_from, int64_t bytes);
spw_status spw_device_copy(void *d_to, const void *d_from, int64_t bytes);

/* Sets all bytes to zero, in the order of the stream. */
spw_status spw_device_zero(void *d_block, int64_t bytes);

/* --- time ------------------------------------------------------------------------------------- */

/* Waits until all that was launched is done. SPW_ERR_DEVICE: one of it failed. */
spw_status spw_device_synchronise(void);

/* SPW_OK, or SPW_ERR_DEVICE if the launch just made was refused; `kernel` begins the message. Every
 * launcher ends with it. Does not wait. */
spw_status spw_device_launched(const char *kernel);

/* A mark in the stream. */
typedef struct spw_device_event spw_device_event;

/* On failure *event is NULL. Takes NULL to destroy. */
spw_status spw_device_event_create(spw_device_event **event);
void spw_device_event_destroy(spw_device_event *event);
spw_status spw_device_event_record(spw_device_event *event);

/* Waits for `to`, then gives the seconds from the one mark to the other, to about a microsecond. On
 * the checker it is time of the CPU and means nothing. */
spw_status spw_device_event_seconds(spw_device_event *from, spw_device_event *to, double *seconds);

SPW_C_END

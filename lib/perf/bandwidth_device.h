/* perf/bandwidth_device.h -- how fast the device moves data: the roof of kernels that run there.
 *
 * As perf/bandwidth.h, whose mixes it shares: a probe owns its arrays, in device memory, and the
 * fastest of several kernels, chosen at its own working set. Time is the device's own, between two
 * events in the stream; copies to and from the host are no part of it and are measured apart.
 * Counted are the bytes that the loop asked for; a GPU does not fetch a line that is overwritten
 * whole.
 *
 * Every function returns SPW_ERR_UNAVAILABLE where there is no device. A pair of files:
 * bandwidth_cuda.cu and bandwidth_cuda_none.c. */
#pragma once

#include "base/extern_c.h"
#include "base/device.h"
#include "base/status.h"
#include "perf/bandwidth.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

typedef struct spw_device_probe {
    spw_mix mix;
    int64_t bytes;           /* working set: all arrays together */
    const char *kernel;      /* name of the chosen kernel, for reports: a thread loads "4 x 16 B" */
    int variant;             /* its row in the table of bandwidth_cuda.cu */
    int64_t n;               /* doubles an array */
    int64_t sweeps;          /* sweeps a run, so that a run is long enough for the clock */
    double *d_a, *d_b, *d_c; /* [n] each, d_b and d_c NULL where the mix has none */
    spw_device_event *from, *to; /* around a run */
} spw_device_probe;

/* Allocates about `bytes` in all on the device and tries all kernels, which takes some
 * milliseconds.
 * p->bytes says what became of bytes: it is rounded up to 32 KiB an array. On failure *p is all
 * zero.
 *   SPW_ERR_ARG     bytes < 0
 *   SPW_ERR_MEMORY  does not fit
 *   SPW_ERR_DEVICE  a kernel or a clock failed */
spw_status spw_device_probe_create(spw_mix mix, int64_t bytes, spw_device_probe *p);

/* One sample, about 1 ms long or one sweep: *seconds a sweep over the working set; waits for it.
 * spw_device_probe_traffic(p) divided by it is the bandwidth. SPW_ERR_DEVICE: *seconds is 0. */
spw_status spw_device_probe_run(spw_device_probe *p, double *seconds);

/* Bytes that one sweep asks for: 8 n times the number of loads and stores of the mix. */
double spw_device_probe_traffic(const spw_device_probe *p);

/* Takes NULL and a zero struct. */
void spw_device_probe_destroy(spw_device_probe *p);

SPW_C_END

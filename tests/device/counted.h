/* device/counted.h -- allocations on the device are counted, and fail where a test says so: for programs that are linked
 * with --wrap of these six functions. */
#pragma once

#include "base/device.h"
#include "test.h"

static int n_alive, allow = -1; /* allow: how many more succeed; -1: all */

static bool refused(void **out) {
    if (allow == 0) {
        *out = NULL;
        return true;
    }
    allow -= allow > 0;
    return false;
}

spw_status __real_spw_device_alloc(void **d_out, int64_t count, int64_t size);
spw_status __real_spw_device_alloc_host(void **out, int64_t count, int64_t size);
spw_status __real_spw_device_event_create(spw_device_event **event);
void __real_spw_device_free(void *d_block);
void __real_spw_device_free_host(void *block);
void __real_spw_device_event_destroy(spw_device_event *event);
spw_status __wrap_spw_device_alloc(void **d_out, int64_t count, int64_t size);
spw_status __wrap_spw_device_alloc_host(void **out, int64_t count, int64_t size);
spw_status __wrap_spw_device_event_create(spw_device_event **event);
void __wrap_spw_device_free(void *d_block);
void __wrap_spw_device_free_host(void *block);
void __wrap_spw_device_event_destroy(spw_device_event *event);

spw_status __wrap_spw_device_alloc(void **d_out, int64_t count, int64_t size) {
    if (refused(d_out)) return spw_error(SPW_ERR_MEMORY, "refused by the test");
    const spw_status status = __real_spw_device_alloc(d_out, count, size);
    n_alive += *d_out != NULL;
    return status;
}

spw_status __wrap_spw_device_alloc_host(void **out, int64_t count, int64_t size) {
    if (refused(out)) return spw_error(SPW_ERR_MEMORY, "refused by the test");
    const spw_status status = __real_spw_device_alloc_host(out, count, size);
    n_alive += *out != NULL;
    return status;
}

spw_status __wrap_spw_device_event_create(spw_device_event **event) {
    if (refused((void **)event)) return spw_error(SPW_ERR_MEMORY, "refused by the test");
    const spw_status status = __real_spw_device_event_create(event);
    n_alive += *event != NULL;
    return status;
}

void __wrap_spw_device_free(void *d_block) {
    n_alive -= d_block != NULL;
    __real_spw_device_free(d_block);
}

void __wrap_spw_device_free_host(void *block) {
    n_alive -= block != NULL;
    __real_spw_device_free_host(block);
}

void __wrap_spw_device_event_destroy(spw_device_event *event) {
    n_alive -= event != NULL;
    __real_spw_device_event_destroy(event);
}

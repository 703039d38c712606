/* No CUDA in this build. */
#include "base/device.h"

#include <stddef.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static spw_status none(void) {
    return spw_error(SPW_ERR_UNAVAILABLE,
                     "no GPU: this build is without CUDA (make info says why)");
}

/* clang-format off */
/* A function that can only say so; result: what it leaves, if it gives something back. */
#define NONE(name, result, ...)                                                                    \
    spw_status name(__VA_ARGS__)                                                                   \
    {                                                                                              \
        result;                                                                                    \
        return none();                                                                             \
    }
#define NOTHING(name, ...)                                                                         \
    void name(__VA_ARGS__)                                                                         \
    {                                                                                              \
    }

NONE(spw_device_available, , void)
NONE(spw_device_properties, *info = (spw_device_info){0}, spw_device_info *info)
NONE(spw_device_alloc, *d_out = NULL, void **d_out, int64_t count, int64_t size)
NONE(spw_device_copy_to, , void *d_to, const void *from, int64_t bytes)
NONE(spw_device_copy_from, , void *to, const void *d_from, int64_t bytes)
NONE(spw_device_copy, , void *d_to, const void *d_from, int64_t bytes)
NONE(spw_device_zero, , void *d_block, int64_t bytes)
NONE(spw_device_synchronise, , void)
NONE(spw_device_launched, , const char *kernel)
NONE(spw_device_event_create, *event = NULL, spw_device_event **event)
NONE(spw_device_event_record, , spw_device_event *event)
NONE(spw_device_event_seconds, *seconds = 0, spw_device_event *from, spw_device_event *to, double *seconds)
NOTHING(spw_device_free, void *d_block)
NOTHING(spw_device_event_destroy, spw_device_event *event)
/* clang-format on */

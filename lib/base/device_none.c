/* No CUDA in this build. */
#include "base/device.h"

#include <stddef.h>

static spw_status none(void)
{
    return spw_error(SPW_ERR_UNAVAILABLE,
                     "no GPU: this build is without CUDA (make info says why)");
}

int spw_device_count(void)
{
    return 0;
}

spw_status spw_device_available(void)
{
    return none();
}

spw_status spw_device_properties(spw_device_info *info)
{
    *info = (spw_device_info){0};
    return none();
}

spw_status spw_device_alloc(void **d_out, int64_t count, int64_t size)
{
    (void)count, (void)size;
    *d_out = NULL;
    return none();
}

void spw_device_free(void *d_block)
{
    (void)d_block;
}

spw_status spw_device_copy_to(void *d_to, const void *from, int64_t bytes)
{
    (void)d_to, (void)from, (void)bytes;
    return none();
}

spw_status spw_device_copy_from(void *to, const void *d_from, int64_t bytes)
{
    (void)to, (void)d_from, (void)bytes;
    return none();
}

spw_status spw_device_copy(void *d_to, const void *d_from, int64_t bytes)
{
    (void)d_to, (void)d_from, (void)bytes;
    return none();
}

spw_status spw_device_copy_from_later(void *to, const void *d_from, int64_t bytes)
{
    (void)to, (void)d_from, (void)bytes;
    return none();
}

spw_status spw_device_zero(void *d_block, int64_t bytes)
{
    (void)d_block, (void)bytes;
    return none();
}

spw_status spw_device_alloc_host(void **out, int64_t count, int64_t size)
{
    (void)count, (void)size;
    *out = NULL;
    return none();
}

void spw_device_free_host(void *block)
{
    (void)block;
}

spw_status spw_device_synchronise(void)
{
    return none();
}

spw_status spw_device_launched(const char *kernel)
{
    (void)kernel;
    return none();
}

spw_status spw_device_event_create(spw_device_event **event)
{
    *event = NULL;
    return none();
}

void spw_device_event_destroy(spw_device_event *event)
{
    (void)event;
}

spw_status spw_device_event_record(spw_device_event *event)
{
    (void)event;
    return none();
}

spw_status spw_device_event_wait(spw_device_event *event)
{
    (void)event;
    return none();
}

spw_status spw_device_event_seconds(spw_device_event *from, spw_device_event *to, double *seconds)
{
    (void)from, (void)to;
    *seconds = 0;
    return none();
}

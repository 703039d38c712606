#include "device/on_device.h"

#include "base/device.h"

#include <stddef.h>

const char *on_device_name(const char **reason)
{
    static spw_device_info info;
    if (!spw_device_properties(&info)) return info.name;
    *reason = spw_message();
    return NULL;
}

const char *on_device(void (*body)(void *argument), void *argument)
{
    body(argument);
    return spw_device_synchronise() ? spw_message() : NULL;
}

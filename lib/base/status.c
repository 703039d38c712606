#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[1024];

spw_status spw_error(spw_status status, const char *format, ...) {
    /* By way of a second buffer, so that spw_message() itself may be among the arguments. */
    char text[sizeof message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(message, sizeof message, "%s", text);
    return status;
}

const char *spw_message(void) { return message; }

const char *spw_status_name(spw_status status) {
    switch (status) {
    case SPW_OK: return "ok";
    case SPW_ERR_ARG: return "bad argument";
    case SPW_ERR_RANGE: return "too large for 32-bit indices";
    case SPW_ERR_MEMORY: return "out of memory";
    case SPW_ERR_FILE: return "file error";
    case SPW_ERR_FORMAT: return "bad file contents";
    case SPW_ERR_UNAVAILABLE: return "not available";
    case SPW_ERR_DEVICE: return "device error";
    }
    return "unknown status";
}

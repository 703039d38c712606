/* base/status.h -- how a function of this library says that something went wrong.
 *
 * What a file, a user, the memory or a device can cause comes back as a status, and one message with
 * the values in it waits in spw_message():
 *     spw_status status = spw_csr_load("fem3:64", &A);
 *     if (status) { fprintf(stderr, "%s\n", spw_message()); return status; }
 * What only a programmer can cause is an assertion. Nothing here prints or exits. */
#pragma once

#include "base/extern_c.h"

#include <stddef.h>

SPW_C_BEGIN

typedef enum spw_status {
    SPW_OK = 0,
    SPW_ERR_ARG,         /* an argument is outside its range */
    SPW_ERR_RANGE,       /* a size does not fit 32-bit indices */
    SPW_ERR_MEMORY,      /* no room, or more than this machine has */
    SPW_ERR_FILE,        /* a file cannot be opened, read or written */
    SPW_ERR_FORMAT,      /* the contents of a file are not what they should be */
    SPW_ERR_UNAVAILABLE, /* this build or this machine cannot do that */
    SPW_ERR_DEVICE       /* a device reported an error */
} spw_status;

#ifdef __GNUC__
#define SPW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SPW_PRINTF(text, first)
#endif

/* Keeps the message for spw_message() of this thread (cut at 1023 bytes) and returns status. */
spw_status spw_error(spw_status status, const char *format, ...) SPW_PRINTF(2, 3);

/* Appends to the text in a buffer of so many bytes; what does not fit is cut off. */
void spw_append(char *text, size_t size, const char *format, ...) SPW_PRINTF(3, 4);

/* The message of this thread's last error; "" before the first. Valid until the next error. */
const char *spw_message(void);

SPW_C_END

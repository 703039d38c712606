/* tests/device/on_device.h -- where a test of CUDA kernels runs them. One of two files is linked:
 * on_device_checker.c for the build of lib/simt, on_device_gpu.c for nvcc's. */
#pragma once

/* Calls body(argument) once for each schedule that there is. Returns NULL, or what went wrong
 * beside the results: the checker's findings. body must return: it may note failures, but not
 * assert. */
const char *on_device(void (*body)(void *argument), void *argument);

/* What a body notes by CHECK, where `c` is its argument. */
typedef struct checked {
    const char *failed; /* the first condition that does not hold; NULL: all do */
} checked;

/* Runs a body, and fails where it noted something. */
#define RUN_CHECKED(body)                                                                          \
    do {                                                                                           \
        checked checked_ = {0};                                                                    \
        const char *finding_ = on_device(body, &checked_);                                         \
        if (checked_.failed) fail_msg("%s (%s)", checked_.failed, spw_message());                  \
        if (finding_) fail_msg("%s", finding_);                                                    \
    } while (0)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && !c->failed) c->failed = #condition;                                    \
    } while (0)

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

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && !c->failed) c->failed = #condition;                                    \
    } while (0)

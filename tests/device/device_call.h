/* device/device_call.h -- a call on arrays: they go to the device, it runs, they come back, for each schedule that there is. */
#pragma once

#include "base/device.h"
#include "device/on_device.h"
#include "test.h"

enum { CALL_ARRAYS = 9 };

typedef struct device_call {
    spw_status (*run)(const struct device_call *c, double **d);
    void (*look)(struct device_call *c); /* at what came back, each time; NULL: behind the last */
    int64_t count[CALL_ARRAYS];          /* 0 behind the last one */
    const double *in[CALL_ARRAYS];       /* NULL: nobody has written it */
    double *out[CALL_ARRAYS];            /* NULL: not wanted */
    spw_status status;
    char wrong[256]; /* what was seen first; "": nothing */
} device_call;

static inline void run_device_call(void *argument) {
    device_call *c = (device_call *)argument;
    double *d[CALL_ARRAYS] = {0};
    spw_status s = SPW_OK;
    for (int k = 0; k < CALL_ARRAYS && !s; k++) {
        s = SPW_DEVICE_ALLOC(&d[k], c->count[k]);
        if (!s && c->in[k]) s = spw_device_copy_to(d[k], c->in[k], 8 * c->count[k]);
    }
    if (!s) s = c->run(c, d);
    if (!s) s = spw_device_synchronise();
    for (int k = 0; k < CALL_ARRAYS && !s; k++)
        if (c->out[k]) s = spw_device_copy_from(c->out[k], d[k], 8 * c->count[k]);
    for (int k = 0; k < CALL_ARRAYS; k++) spw_device_free(d[k]);
    if (s) c->status = s;
    if (!s && c->look) c->look(c);
}

/* The words: of which kernel, on what. */
static inline void assert_device_call(device_call *c, const char *format, ...) SPW_PRINTF(2, 3);
static inline void assert_device_call(device_call *c, const char *format, ...) {
    char what[128];
    va_list words;
    va_start(words, format);
    vsnprintf(what, sizeof what, format, words);
    va_end(words);
    const char *finding = on_device(run_device_call, c);
    if (c->status) fail_msg("%s: %s", what, spw_message());
    if (*c->wrong) fail_msg("%s: %s", what, c->wrong);
    if (finding) fail_msg("%s:\n%s", what, finding);
}

static inline double *nans(int64_t count) {
    double *x = zeros(count);
    for (int64_t k = 0; k < count; k++) x[k] = NAN;
    return x;
}

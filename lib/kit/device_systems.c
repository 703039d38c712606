/* Drivers of kernels on a device. */
#include "kit/device_systems.h"

#include "kit/kit.h"
#include "kit/systems.h"

enum { WARP = 32, BLOCK = 256 };

void spw_trial_library(spw_trial *t, spw_status status) {
    if (status) spw_trial_fail(t, "the library's kernel: %s", spw_message());
}

/* --- shares of a sum ------------------------------------------------------------------------------- */

bool spw_taken_none(int64_t i, int64_t count) {
    (void)i, (void)count;
    return false;
}

bool spw_taken_thread_0(int64_t i, int64_t count) {
    (void)count;
    return i % BLOCK == 0;
}

bool spw_taken_lane_0(int64_t i, int64_t count) {
    (void)count;
    return i % WARP == 0;
}

bool spw_taken_warp_0(int64_t i, int64_t count) {
    (void)count;
    return i % BLOCK < WARP;
}

bool spw_taken_half(int64_t i, int64_t count) {
    (void)count;
    return i % BLOCK < BLOCK / 2;
}

bool spw_taken_once(int64_t i, int64_t count) { return i < count; }

double spw_taken_sum(int64_t n, const double *x, const double *y, spw_taken taken, int64_t count) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        if (!taken || taken(i, count)) sum += y ? (long double)x[i] * y[i] : x[i];
    return (double)sum;
}

void spw_trial_taken_mistakes(spw_trial *t, const double *number, int64_t n, const double *x,
                              const double *y, int64_t count, const spw_taken_mistake *mistakes) {
    for (const spw_taken_mistake *m = mistakes; m->taken && n <= SPW_KIT_LARGE; m++)
        spw_trial_number_mistake(t, number, spw_taken_sum(n, x, y, m->taken, count), m->text);
}

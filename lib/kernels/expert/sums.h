/* kernels/expert/sums.h -- w . y and y . y of a product, by shares of the rows. Internal. */
#pragma once

#include <stdint.h>

/* Of one share; a cache line apart from those of others. */
typedef struct __attribute__((aligned(64))) spw_sums {
    double w_y, y_y;
} spw_sums;

static inline void spw_sums_row(spw_sums *s, double w, double y) {
    s->w_y += w * y;
    s->y_y += y * y;
}

/* Of all n shares, in their order. */
static inline void spw_sums_of(int64_t n, const spw_sums *share, double *w_y, double *y_y) {
    *w_y = *y_y = 0;
    for (int64_t k = 0; k < n; k++) {
        *w_y += share[k].w_y;
        *y_y += share[k].y_y;
    }
}

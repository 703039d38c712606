/* Probes of the device's bandwidth. A thread loads one to eight pieces of 16 bytes, all before it
 * uses the first: many bytes must be on the way at once, because each takes hundreds of cycles to
 * come. */
#include "perf/bandwidth_device.h"

#include "base/memory.h"

#include <cuda_runtime.h>

#include <inttypes.h>
#include <string.h>

enum { BLOCK = 256, MOST_PIECES = 8, PIECE = 2 /* doubles */ };
enum { GRAIN = BLOCK * MOST_PIECES * PIECE }; /* doubles: every kernel fits a multiple of it */
enum { TRIALS = 5, MOST_SWEEPS = 1000 };
static const double RUN_SECONDS = 1e-3,
                    FACTOR = -1; /* update may go on for ever: a changes its sign */

/* --- the kernels ------------------------------------------------------------------------------ */

/* STREAM: the caches are told that nothing will be used again. */
template <bool STREAM> static __device__ __forceinline__ double2 get(const double2 *p) {
    return STREAM ? __ldcs(p) : *p;
}

template <bool STREAM> static __device__ __forceinline__ void put(double2 *p, double2 value) {
    if (STREAM)
        __stcs(p, value);
    else
        *p = value;
}

/* No test for the end: the arrays are a multiple of what a block moves. */
template <int MIX, int PIECES, bool STREAM>
static __global__ void sweep(double s, double2 *a, const double2 *b, const double2 *c) {
    static_assert(MOST_PIECES % PIECES == 0, "a block must move a part of GRAIN");
    const int64_t first = (int64_t)blockIdx.x * (BLOCK * PIECES) + threadIdx.x;
    double2 x[PIECES], y[PIECES];
#pragma unroll
    for (int k = 0; k < PIECES; k++) {
        const int64_t i = first + k * BLOCK;
        x[k] = get<STREAM>(MIX == SPW_LOAD || MIX == SPW_UPDATE ? a + i : b + i);
        if (MIX == SPW_TRIAD) y[k] = get<STREAM>(c + i);
    }
    double sum = 0;
#pragma unroll
    for (int k = 0; k < PIECES; k++) {
        const int64_t i = first + k * BLOCK;
        if (MIX == SPW_LOAD) sum += x[k].x + x[k].y;
        if (MIX == SPW_COPY) put<STREAM>(a + i, x[k]);
        if (MIX == SPW_TRIAD)
            put<STREAM>(a + i, make_double2(x[k].x + s * y[k].x, x[k].y + s * y[k].y));
        if (MIX == SPW_UPDATE) put<STREAM>(a + i, make_double2(s * x[k].x, s * x[k].y));
    }
    /* All elements are 0. The compiler does not know, so that it must load them. */
    if (MIX == SPW_LOAD && sum == 1) a[first] = x[0];
}

template <int MIX, int PIECES, bool STREAM> static void launch(const spw_device_probe *p) {
    const unsigned blocks = (unsigned)(p->n / (BLOCK * PIECES * PIECE));
    sweep<MIX, PIECES, STREAM><<<blocks, BLOCK>>>(FACTOR, (double2 *)p->d_a,
                                                  (const double2 *)p->d_b, (const double2 *)p->d_c);
}

typedef struct row {
    const char *name;
    void (*launch)(const spw_device_probe *p);
} row;

/* clang-format off */
#define ROWS(mix)                                                                                  \
    {{"16 B",                launch<mix, 1, false>},                                               \
     {"2 x 16 B",            launch<mix, 2, false>},                                               \
     {"4 x 16 B",            launch<mix, 4, false>},                                               \
     {"8 x 16 B",            launch<mix, 8, false>},                                               \
     {"16 B, streamed",      launch<mix, 1, true>},                                                \
     {"2 x 16 B, streamed",  launch<mix, 2, true>},                                                \
     {"4 x 16 B, streamed",  launch<mix, 4, true>},                                                \
     {"8 x 16 B, streamed",  launch<mix, 8, true>}}
enum { VARIANTS = 8 };
static const row rows[][VARIANTS] = {ROWS(SPW_LOAD), ROWS(SPW_COPY), ROWS(SPW_TRIAD), ROWS(SPW_UPDATE)};
static const struct { int arrays, moved; } mixes[] = {{1, 1}, {2, 2}, {3, 3}, {1, 2}};
/* clang-format on */
static_assert(sizeof rows / sizeof *rows == SPW_MIXES && sizeof mixes / sizeof *mixes == SPW_MIXES,
              "each mix has its row in both tables");
static_assert(SPW_LOAD == 0 && SPW_COPY == 1 && SPW_TRIAD == 2 && SPW_UPDATE == 3,
              "the order of the tables");

/* --- the probe -------------------------------------------------------------------------------- */

spw_status spw_device_probe_run(spw_device_probe *p, double *seconds) {
    *seconds = 0;
    spw_status status = spw_device_event_record(p->from);
    for (int64_t k = 0; k < p->sweeps && !status; k++) rows[p->mix][p->variant].launch(p);
    if (!status) status = spw_device_launched("the probe of the device's bandwidth");
    if (!status) status = spw_device_event_record(p->to);
    if (!status) status = spw_device_event_seconds(p->from, p->to, seconds);
    *seconds /= (double)p->sweeps;
    return status;
}

/* The best of some samples, the first of which wakes the device up. */
static spw_status best_of(spw_device_probe *p, double *best) {
    spw_status status = SPW_OK;
    *best = 0;
    for (int k = 0; k <= TRIALS && !status; k++) {
        double seconds;
        status = spw_device_probe_run(p, &seconds);
        if (k > 0 && (*best == 0 || seconds < *best)) *best = seconds;
    }
    return status;
}

static spw_status choose(spw_device_probe *p) {
    double seconds, fastest = 0;
    int chosen = 0;
    p->sweeps = 1;
    spw_status status = best_of(p, &seconds);
    if (seconds * MOST_SWEEPS > RUN_SECONDS) {
        if (seconds < RUN_SECONDS) p->sweeps = (int64_t)(RUN_SECONDS / seconds) + 1;
    } else {
        p->sweeps = MOST_SWEEPS;
    }
    for (p->variant = 0; p->variant < VARIANTS && !status; p->variant++) {
        status = best_of(p, &seconds);
        if (p->variant == 0 || seconds < fastest) {
            fastest = seconds;
            chosen = p->variant;
        }
    }
    p->variant = chosen;
    p->kernel = rows[p->mix][chosen].name;
    return status;
}

spw_status spw_device_probe_create(spw_mix mix, int64_t bytes, spw_device_probe *p) {
    memset(p, 0, sizeof *p);
    if (bytes < 0) return spw_error(SPW_ERR_ARG, "a working set of %" PRId64 " bytes", bytes);

    spw_device_probe made = {};
    const int64_t size = (int64_t)sizeof(double), arrays = mixes[mix].arrays;
    const int64_t an_array = bytes / arrays + (bytes % arrays > 0);
    const int64_t grains = an_array / (GRAIN * size) + (an_array % (GRAIN * size) > 0);
    made.mix = mix;
    made.n = (grains > 0 ? grains : 1) * GRAIN;
    made.bytes = made.n * size * arrays;

    double **const array[] = {&made.d_a, &made.d_b, &made.d_c};
    spw_status status = SPW_OK;
    for (int k = 0; k < arrays && !status; k++) {
        status = SPW_DEVICE_ALLOC(array[k], made.n);
        if (!status) status = spw_device_zero(*array[k], made.n * size);
    }
    if (!status) status = spw_device_event_create(&made.from);
    if (!status) status = spw_device_event_create(&made.to);
    if (!status) status = choose(&made);
    if (status)
        spw_device_probe_destroy(&made);
    else
        *p = made;
    return status;
}

double spw_device_probe_traffic(const spw_device_probe *p) {
    return (double)p->n * (double)sizeof(double) * mixes[p->mix].moved;
}

void spw_device_probe_destroy(spw_device_probe *p) {
    if (!p) return;
    spw_device_free(p->d_a);
    spw_device_free(p->d_b);
    spw_device_free(p->d_c);
    spw_device_event_destroy(p->from);
    spw_device_event_destroy(p->to);
    memset(p, 0, sizeof *p);
}

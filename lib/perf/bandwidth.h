/* perf/bandwidth.h -- how fast this machine moves data, at any working set and thread count.
 *
 * A probe owns its arrays and the fastest of several kernels for its mix: one or several streams a
 * thread, with or without software prefetch, ordinary or streaming stores, huge pages asked for. The
 * choice is made once, when the probe is created, at its own working set. The roof is therefore the
 * best this machine does there, and nobody beats it by merely prefetching.
 *     load     s += a[i]               8 bytes read an iteration
 *     copy     a[i] = b[i]             8 read, 8 written
 *     triad    a[i] = b[i] + s * c[i]  16 read, 8 written
 *     update   a[i] = s * a[i]         8 read, 8 written, the same array
 *     axpy     a[i] += s * b[i]        16 read, 8 written, as triad, in place
 * The write-allocate read is not counted: GB/s here are bytes the loop asked for. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "perf/cost.h"

#include <stdbool.h>
#include <stdint.h>

SPW_C_BEGIN

/* The first SPW_MIXES describe a machine (perf/machine.h). */
typedef enum spw_mix {
    SPW_LOAD,
    SPW_COPY,
    SPW_TRIAD,
    SPW_UPDATE,
    SPW_MIXES,
    SPW_AXPY = SPW_MIXES
} spw_mix;

const char *spw_mix_name(spw_mix mix); /* "load", "copy", "triad", "update", "axpy" */

/* The mix whose share of stores is nearest to the cost's. in_place: it stores only where it has loaded. Then there is
 * no write-allocate, which streaming stores would save, and a cache keeps what was stored: axpy for triad, update
 * for copy. */
spw_mix spw_mix_for(spw_cost cost, bool in_place);

typedef struct spw_probe {
    spw_mix mix;
    int threads;
    int64_t bytes;      /* working set: all arrays together */
    const char *kernel; /* name of the chosen kernel, for reports: "load, 4 streams, prefetch" */
    int variant;        /* its row in the table of bandwidth.c */
    int64_t n;          /* doubles an array */
    int64_t sweeps;     /* sweeps a run, so that a run is long enough for the clock */
    double busy;        /* of the last run: seconds a sweep that the slowest thread had a core */
    double sum;         /* what the loads of the last run added up to, so that they are not idle */
    double *a, *b, *c;  /* [n] each, b and c NULL where the mix has none */
} spw_probe;

/* Allocates about `bytes` in all, touches each page by the thread that will use it, tries all kernels
 * and keeps the fastest, which takes about a tenth of a second. p->bytes says what became of bytes: it
 * is rounded to 512 bytes an array and thread, at least one such piece. On failure *p is all zero.
 *   SPW_ERR_ARG     threads < 1
 *   SPW_ERR_MEMORY  does not fit */
spw_status spw_probe_create(spw_mix mix, int64_t bytes, int threads, spw_probe *p);

/* One sample, at least 1 ms long: seconds a sweep over the working set, from the first thread's start
 * to the last one's end. spw_probe_traffic(p) divided by it is the bandwidth. Where it is well above
 * p->busy, a thread had to wait for a core: the sample says more about the neighbours. */
double spw_probe_run(spw_probe *p);

/* Bytes that one sweep asks for: 8 n times the number of loads and stores of the mix. */
double spw_probe_traffic(const spw_probe *p);

void spw_probe_destroy(spw_probe *p);

/* Peak of double-precision arithmetic in flop/s with that many threads, measured with independent
 * fused multiply-adds in registers: what compiled code can reach, not what the data sheet says. The
 * best of 40 samples of 1 ms or more; where there are enough, only those count in which all threads ran
 * at the same time. */
double spw_peak_flops(int threads);

SPW_C_END

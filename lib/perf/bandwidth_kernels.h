/* perf/bandwidth_kernels.h -- the loops among which a bandwidth probe chooses. Internal: bandwidth.c
 * and its tests include it, nobody else.
 *
 * One kernel is one row of the table: a mix, a name, a function. The function works on one thread's
 * share of the arrays and repeats the sweep itself, so that a share of a few KiB shows the bandwidth
 * of the first-level cache and not the cost of a call. */
#pragma once

#include "perf/bandwidth.h"

/* Doubles of which a share is a multiple. Eight vectors of 64 bytes: a kernel's unrolled loop is at
 * most that long, whether it is one stream eight deep or eight streams of one. */
enum { SPW_PROBE_GRAIN = 64 };

typedef struct spw_share {
    double *a;           /* [n]  aligned to 64 bytes, as are b and c */
    const double *b, *c; /* [n]  not read where the mix has none */
    double s;            /* the factor of triad and update */
    int64_t n;           /* a multiple of SPW_PROBE_GRAIN */
    int64_t sweeps;
} spw_share;

typedef struct spw_probe_kernel {
    spw_mix mix;
    const char *name;
    double (*run)(const spw_share *share); /* load returns sweeps times the sum of a, others 0 */
} spw_probe_kernel;

/* All rows; the rows of a mix are neighbours. */
const spw_probe_kernel *spw_probe_kernels(int *count);

/* perf/machine.h -- this machine's roofline, measured and kept in a file.
 *
 * A roofline has one slanted roof for each level of the memory: a working set that fits a cache moves
 * at that cache's speed. The level of a set is where its size puts it:
 *     L1      half of the L1 caches in use       memory  spw_default_working_set (perf/working_set.h)
 *     L2      half of the L2 caches in use
 *     L3      half of the L3 caches, but at most 4 times L2: of a virtual machine's L3 others have a part
 * A level whose size is unknown, or which is not larger than the one above it, has no roof.
 * Besides: the staircase (bandwidth against working set) and the saturation (against threads). */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "perf/bandwidth.h"
#include "perf/topology.h"

#include <stdint.h>

SPW_C_BEGIN

enum { SPW_STAIRS_MAX = 48, SPW_SATURATION_MAX = 32 };

/* Of the mixes so many have curves, staircase and saturation: load, copy and triad. The levels have all. */
enum { SPW_CURVES = SPW_TRIAD + 1 };

typedef enum spw_level { SPW_L1, SPW_L2, SPW_L3, SPW_MEMORY, SPW_LEVELS } spw_level;

const char *spw_level_name(spw_level level); /* "L1", "L2", "L3", "memory" */

/* The median of several samples and its distribution-free interval (perf/timer.h), byte/s. All zero:
 * not measured. */
typedef struct spw_rate {
    double median, low, high;
} spw_rate;

typedef struct spw_machine {
    spw_topology topology;
    char date[24];     /* local time, "2026-11-20 20:15" */
    char compiler[64]; /* "gcc 12.2.0" */
    int threads;       /* used where nothing else is said */
    int quick;         /* 1: fewer sizes, fewer thread counts, load only for both */
    double
        waited; /* share of the samples in which a thread had to wait for a core: 0 is undisturbed */
    double peak_one, peak_all; /* flop/s of one thread and of all */

    struct {
        int64_t bytes; /* working set of all threads together, 0: no such level */
        spw_rate rate[SPW_MIXES];
    } level[SPW_LEVELS];

    int n_stairs;
    struct {
        int64_t bytes; /* ascending */
        spw_rate rate[SPW_MIXES];
    } stair[SPW_STAIRS_MAX];

    int n_saturation;
    struct {
        int threads; /* ascending, from 1 */
        spw_rate rate[SPW_MIXES];
    } saturation[SPW_SATURATION_MAX]; /* at level[SPW_MEMORY].bytes */
} spw_machine;

/* Told now and then how far the measurement is: done in 0 .. 1, what in words. */
typedef void spw_machine_progress(void *context, double done, const char *what);

/* Measures with `threads` threads (0: as many as OpenMP gives); progress may be NULL. quick takes a
 * few seconds, else it is about half a minute.
 *   SPW_ERR_ARG     threads < 0
 *   SPW_ERR_MEMORY  no room for the arrays */
spw_status spw_machine_measure(int threads, int quick, spw_machine_progress *progress,
                               void *context, spw_machine *m);

/* Writes a TSV beside `path` and renames it: the old file stays whole if anything goes wrong. Rates are
 * whole byte/s and flop/s. The last line is a checksum.
 *   SPW_ERR_FILE  the folder is missing or read-only, the disk is full */
spw_status spw_machine_save(const spw_machine *m, const char *path);

/*   SPW_ERR_FILE    there is no such file, or it cannot be read
 *   SPW_ERR_FORMAT  it is damaged, or of another version of the workbook; the message says what to do.
 * On failure *m is all zero. */
spw_status spw_machine_load(const char *path, spw_machine *m);

/* The sizes at which the levels are measured on that machine with that many threads; 0: no such level.
 * memory: bytes for SPW_MEMORY. */
void spw_machine_level_sizes(const spw_topology *t, int threads, int64_t memory,
                             int64_t bytes[SPW_LEVELS]);

SPW_C_END

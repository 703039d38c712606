/* perf/energy.h -- joules, where this machine counts them.
 *
 * Three counters are known: the packages and memories of Linux' powercap (RAPL of Intel and AMD), the same by perf's
 * `power` events where powercap is not there, and the energy of NVIDIA's GPUs by NVML. No joule is computed from
 * anything else, least of all from a TDP: where nothing counts, nothing is told.
 *     spw_meter m;
 *     spw_meter_open(NULL, &m);                  m.state, and m.text, a line or more for the reader
 *     status = spw_meter_run(&m, 2, work, context, &r);       two seconds or more of calls of work
 *     spw_meter_close(&m);
 * A package's counter counts everybody's joules: r.others says what part of the processors others had. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"

#include <stdbool.h>

SPW_C_BEGIN

typedef enum spw_meter_state {
    SPW_METER_ABSENT,  /* there is no counter here */
    SPW_METER_REFUSED, /* there is one, and this user may not read it */
    SPW_METER_COUNTS
} spw_meter_state;

typedef enum spw_meter_kind { SPW_POWERCAP, SPW_PERF, SPW_NVML } spw_meter_kind;

typedef struct spw_meter_source {
    spw_meter_kind kind;
    char name[40];                  /* "package-0", "dram", "GPU 0" */
    char path[240];                 /* of powercap: the file that counts */
    int file;                       /* of perf */
    void *device;                   /* of NVML */
    double unit;                    /* joules a count */
    unsigned long long range, last; /* counts until it begins at 0 again, 0: never */
    double joules;                  /* since the meter was opened */
} spw_meter_source;

enum { SPW_METER_SOURCES = 64 };

/* Where counters are looked for; a test has others. */
typedef struct spw_meter_places {
    const char *sys;  /* "/sys" */
    const char *nvml; /* the library, "libnvidia-ml.so.1"; "": this program itself */
    /* a file that delivers the count of an event, as perf_event_open, or -1 and errno */
    int (*open_event)(unsigned type, unsigned long long config, int cpu);
} spw_meter_places;

typedef struct spw_meter {
    spw_meter_state state;
    char text[512]; /* what there is, or why there is nothing, no newline at its end */
    char how[128];  /* the counters, "package-0 and dram (powercap)"; "" */
    int n;
    spw_meter_source source[SPW_METER_SOURCES];
    void *nvml; /* the library */
    int (*nvml_joules)(void *device, unsigned long long *millijoules);
} spw_meter;

/* Never fails: what cannot be had is told by state and text. NULL: this machine's places. */
void spw_meter_open(const spw_meter_places *places, spw_meter *m);
void spw_meter_close(spw_meter *m);

/* Joules since it was opened, of packages and memories, and of GPUs. It must be called before a counter has gone round
 * twice: at 200 W those of Intel do in 20 minutes.
 *   SPW_ERR_UNAVAILABLE  nothing counts here
 *   SPW_ERR_FILE         a counter vanished, or says nonsense: the message names it */
spw_status spw_meter_read(spw_meter *m, double *host, double *gpu);

typedef struct spw_meter_span {
    double seconds, host, gpu; /* joules */
    double calls;              /* of work */
    double others; /* share of the processors that other programs and the hypervisor had */
} spw_meter_span;

/* Calls work until so many seconds have gone by; NULL: sleeps. The errors of spw_meter_read. */
spw_status spw_meter_run(spw_meter *m, double seconds, void (*work)(void *context), void *context,
                         spw_meter_span *span);

SPW_C_END

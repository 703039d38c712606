/* perf/cpu_time.h -- processor time: this thread's, and the whole machine's. Internal. */
#pragma once

#include <time.h>

/* What a clock says, in seconds; 0 where there is none. */
double spw_clock_seconds(clockid_t clock);

/* The time for which this thread has had a core, in seconds since some moment. It stands still while the thread waits
 * for one, so that a measurement can tell its own work from the work of others. */
double spw_cpu_time(void);

/* Processor seconds of the whole machine since it was started: in all, at work, taken by the hypervisor for others; and
 * those of this process. Zero where /proc/stat does not say. */
typedef struct spw_usage {
    double all, work, stolen, own;
} spw_usage;

spw_usage spw_usage_read(void);

/* The shares of all processors that other programs, and the hypervisor, have taken since then. */
void spw_usage_of_others(const spw_usage *before, double *others, double *stolen);

/* Threads of this process that run or wait for a processor, this one included; 1 where /proc does not say. */
int spw_threads_at_work(void);

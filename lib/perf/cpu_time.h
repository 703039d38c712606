/* perf/cpu_time.h -- the time for which this thread has had a core. It stands still while the thread
 * waits for one, so that a measurement can tell its own work from the work of others. Internal. */
#ifndef SPW_PERF_CPU_TIME_H
#define SPW_PERF_CPU_TIME_H

#include <time.h>

static inline double spw_cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

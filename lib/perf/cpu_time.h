/* perf/cpu_time.h -- the time for which this thread has had a core. It stands still while the thread
 * waits for one, so that a measurement can tell its own work from the work of others. Internal. */
#ifndef SPW_PERF_CPU_TIME_H
#define SPW_PERF_CPU_TIME_H

/* In seconds, since some moment. */
double spw_cpu_time(void);

#endif

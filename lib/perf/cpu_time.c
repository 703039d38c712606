#define _POSIX_C_SOURCE 200809L
#include "perf/cpu_time.h"

#include <time.h>

double spw_cpu_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* base/threads.h -- the few questions about threads that code asks, with and without OpenMP.
 *
 * Without OpenMP the pragmas are ignored and one thread does all: everything still works. */
#pragma once

#include <stdint.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Threads that the next parallel region gets. */
static inline int spw_max_threads(void) {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

/* Asks for n threads in the regions to come, n >= 1. */
static inline void spw_set_threads(int n) {
#ifdef _OPENMP
    omp_set_num_threads(n);
#else
    (void)n;
#endif
}

/* Does OpenMP bind threads to processors? */
static inline int spw_threads_bound(void) {
#ifdef _OPENMP
    return omp_get_proc_bind() != omp_proc_bind_false;
#else
    return 0;
#endif
}

/* Number of this thread in its team, 0 outside a parallel region. */
static inline int spw_thread(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* Threads of this team, 1 outside a parallel region. */
static inline int spw_team_size(void) {
#ifdef _OPENMP
    return omp_get_num_threads();
#else
    return 1;
#endif
}

/* Devices that target regions of this program can run on; 0 where there is only the host. */
static inline int spw_target_devices(void) {
#ifdef _OPENMP
    return omp_get_num_devices();
#else
    return 0;
#endif
}

/* First item of part `part` of `parts` equal parts of 0 .. n-1; part may equal parts, giving n. The
 * parts are those of schedule(static): sizes differ by at most one, larger ones first. */
static inline int64_t spw_part_begin(int64_t n, int part, int parts) {
    const int64_t size = n / parts, rest = n % parts;
    return part * size + (part < rest ? part : rest);
}

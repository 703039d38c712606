#define _POSIX_C_SOURCE 200809L
#include "perf/cpu_time.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double spw_clock_seconds(clockid_t clock) {
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double spw_cpu_time(void) { return spw_clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

spw_usage spw_usage_read(void) {
    double v[8]; /* user nice system idle iowait irq softirq steal */
    spw_usage u = {.own = spw_clock_seconds(CLOCK_PROCESS_CPUTIME_ID)};
    FILE *file = fopen("/proc/stat", "r");
    if (!file) return u;
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4],
               &v[5], &v[6], &v[7]) == 8) {
        const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
        u.work = (v[0] + v[1] + v[2] + v[5] + v[6]) * tick;
        u.stolen = v[7] * tick;
        u.all = u.work + u.stolen + (v[3] + v[4]) * tick;
    }
    fclose(file);
    return u;
}

void spw_usage_of_others(const spw_usage *before, double *others, double *stolen) {
    const spw_usage now = spw_usage_read();
    const double all = now.all - before->all,
                 theirs = now.work - before->work - (now.own - before->own);
    *stolen = all > 0 ? (now.stolen - before->stolen) / all : 0;
    *others = all > 0 ? fmax(0, theirs) / all : 0;
}

int spw_threads_at_work(void) {
    char path[64], state;
    int n = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *d; threads && (d = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", atoi(d->d_name));
        FILE *file = fopen(path, "r");
        if (!file) continue;
        n += fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state == 'R';
        fclose(file);
    }
    if (threads) closedir(threads);
    return n > 0 ? n : 1;
}

#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "perf/timer.h"
#include "perf/working_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIKWID_SWEEPS = 10 };

/* MByte/s of one run in GB/s; 0 if it did not run. */
static double likwid(const char *test, int64_t bytes, int threads) {
    char line[512];
    double rate = 0;
    snprintf(line, sizeof line, "likwid-bench -t %s -i %d -W N:%lldkB:%d 2>/dev/null", test,
             LIKWID_SWEEPS, (long long)(bytes / 1000), threads);
    FILE *pipe = popen(line, "r");
    if (!pipe) return 0;
    while (fgets(line, sizeof line, pipe)) (void)sscanf(line, "MByte/s: %lf", &rate);
    return pclose(pipe) == 0 ? 1e-3 * rate : 0;
}

/* The fastest of some kernels of likwid-bench on this machine, or "". Those that the CPU lacks fail. */
static void best_likwid(const bench *b, const char *const *tests, int64_t bytes, char *best) {
    double rate = 0;
    *best = '\0';
    for (; *tests && !(b->quick && rate > 0); tests++) {
        const double now = likwid(*tests, bytes, b->threads);
        if (now <= rate) continue;
        rate = now;
        set_text(best, "%s", *tests);
    }
}

/* One mix; test is likwid-bench's best for it, or "". */
static int against(bench *b, spw_mix mix, int64_t bytes, const char *test, int rounds) {
    double ours[CONTEST_ROUNDS_MAX], theirs[CONTEST_ROUNDS_MAX], low, high, low2, high2;
    OWNED(spw_probe_destroy) spw_probe probe = {0};
    if (spw_probe_create(mix, bytes, b->threads, &probe)) return 1;
    probe.sweeps *= LIKWID_SWEEPS; /* as many between two barriers */
    for (int round = 0; round < rounds; round++) {
        ours[round] = spw_probe_run(&probe);
        const double rate = *test ? likwid(test, bytes, b->threads) : 0;
        theirs[round] = rate > 0 ? 1 / rate : INFINITY;
    }
    const double traffic = 1e-9 * spw_probe_traffic(&probe);
    const double t = spw_quartile(ours, rounds, &low, &high);
    const double t2 = traffic * spw_quartile(theirs, rounds, &low2, &high2);
    const char *subject = *test ? test : "no likwid-bench";
    result line = {"bandwidth", subject, probe.kernel, traffic / t, .unit = "GB/s"};
    if (*test && isfinite(t2)) {
        line.share = t2 / t;
        line.low = traffic * low2 / high;
        line.high = traffic * high2 / low;
        line.goal = 0.95;
    }
    report(b, line);
    if (*test) printf("    %-41s %7.1f GB/s\n", test, traffic / t2);
    return 0;
}

int bench_bandwidth(bench *b, const bench_case *c) {
    static const struct {
        spw_mix mix;
        const char *const tests[5];
    } kernels[] = {
        {SPW_LOAD, {"load_avx512", "load_avx", "load_sse"}},
        {SPW_COPY, {"copy_mem_avx512", "copy_mem_avx", "copy_mem_sse", "copy_avx512"}},
        {SPW_TRIAD, {"stream_mem_avx512", "stream_mem_avx", "stream_mem_sse", "stream_avx512"}},
        {SPW_UPDATE, {"update_avx512", "update_avx", "update_sse"}},
    };
    const int64_t bytes = b->quick ? 100000000 : spw_default_working_set();
    const bool present = system("command -v likwid-bench >/dev/null 2>&1") == 0;
    (void)c;
    printf("\nBandwidth, %.0f MB: the best loop of this library%s\n", 1e-6 * (double)bytes,
           present ? ", against likwid-bench's best (its stream is our triad)"
                   : "; likwid-bench is not installed");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        char test[BENCH_TEXT] = "";
        if (present) best_likwid(b, kernels[k].tests, bytes, test);
        if (against(b, kernels[k].mix, bytes, test, b->quick ? 2 : 5)) return 1;
    }
    return 0;
}

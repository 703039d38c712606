/* commands/energy.c -- joules of this machine, where it counts them: `make energy`.
 *
 *   energy [--quick] [--threads N] [--out FILE] [--sys FOLDER]
 *     --quick   a tenth of a second each instead of two: for tests, no figures worth a look
 *     --out     a row is added for each run, build/energy.tsv
 *     --sys     where counters are looked for, /sys; a test has another, and then no GPU is looked for
 * Runs are: nothing; loads from memory and products of small matrices, by one thread and by all. Where nothing can be
 * read it says which of the reasons it is, and adds nothing. Exit status: 0, or 1 with one line of what went wrong. */
#include "commands/command.h"
#include "base/memory.h"
#include "base/threads.h"
#include "kernels/dense.h"
#include "perf/bandwidth.h"
#include "perf/energy.h"
#include "perf/topology.h"
#include "perf/working_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 256 }; /* of matrices that caches hold */

static const double BUSY = 0.05;

typedef struct bench {
    const char *out, *sys;
    int quick, threads;
    spw_meter meter;
    FILE *rows;
    char cpu[96], date[16];
    double idle; /* W */
    spw_probe probe;
    double *matrices; /* three */
} bench;

static int read_arguments(int argc, char **argv, bench *b) {
    *b = (bench){.out = "build/energy.tsv"};
    const command_option known[] = {flag_option("--quick", &b->quick),
                                    count_option("--threads", &b->threads, "THREADS", 4096),
                                    text_option("--out", &b->out), text_option("--sys", &b->sys)};
    if (!read_options("energy", known, sizeof known / sizeof *known, argc, argv)) return 1;
    if (!b->threads) b->threads = spw_max_threads();
    return 0;
}

static int failed(void) { return complain(1, "energy", "%s", spw_message()); }

/* --- the work -------------------------------------------------------------------------------------- */

static void load(void *at) { spw_probe_run(&((bench *)at)->probe); }

static void multiply(void *at) {
    double *A = ((bench *)at)->matrices, *B = A + SIDE * SIDE, *D = B + SIDE * SIDE;
    spw_dgemm_omp_blocked(SIDE, SIDE, SIDE, A, SIDE, B, SIDE, D, SIDE);
}

static spw_status furnish(bench *b) {
    const spw_status status = SPW_ALLOC(&b->matrices, 3 * SIDE * SIDE);
    for (int i = 0; i < 3 * SIDE * SIDE && !status; i++) b->matrices[i] = 1e-3;
    return status;
}

/* --- rows ------------------------------------------------------------------------------------------ */

/* GHz of the first processor now; 0: not told. */
static double clock_now(const bench *b) {
    char path[256];
    double kilohertz = 0;
    snprintf(path, sizeof path, "%.200s/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
             b->sys ? b->sys : "/sys");
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%lf", &kilohertz) != 1) kilohertz = 0;
    fclose(file);
    return kilohertz * 1e-6;
}

static int open_rows(bench *b) {
    const bool fresh = access(b->out, F_OK) != 0;
    b->rows = fopen(b->out, "a");
    if (!b->rows) return cannot("energy", "write", b->out);
    if (fresh) fprintf(b->rows, "# machine\tdate\tf GHz\tcores\tt s\tW flop\tQ byte\tE J\thow\n");
    return 0;
}

/* Measures and adds one row. flop and bytes are those of a call of work. */
static int add_row(bench *b, const char *what, int cores, void (*work)(void *), double flop,
                   double bytes) {
    spw_meter_span s;
    char clock[16] = "-", busy[40] = "";
    if (spw_meter_run(&b->meter, b->quick ? 0.1 : 2, work, b, &s)) return failed();
    const double joules = s.host + s.gpu, watts = joules / s.seconds, f = clock_now(b);
    if (f > 0) snprintf(clock, sizeof clock, "%.2f", f);
    if (s.others > BUSY) snprintf(busy, sizeof busy, ", BUSY: others had %.0f %%", 100 * s.others);
    fprintf(b->rows, "%s\t%s\t%s\t%d\t%.4f\t%.4g\t%.4g\t%.4f\t%s, %s%s\n", b->cpu, b->date, clock,
            cores, s.seconds, flop * s.calls, bytes * s.calls, joules, what, b->meter.how, busy);
    if (fflush(b->rows)) return cannot("energy", "write", b->out);
    printf("  %-22s %4d %8.2f %9.1f %8.1f", what, cores, s.seconds, joules, watts);
    if (!work) b->idle = watts;
    if (work && !*busy) {
        const double units = (bytes > 0 ? bytes : flop) * s.calls;
        printf("   %8.3f nJ a %s", 1e9 * (joules - b->idle * s.seconds) / units,
               bytes > 0 ? "byte" : "flop");
    }
    printf("%s\n", busy);
    return 0;
}

static int add_rows(bench *b) {
    printf("  %-22s %4s %8s %9s %8s   above idle\n", "run", "cores", "s", "J", "W");
    if (add_row(b, "idle", 0, NULL, 0, 0)) return 1;
    for (int k = 0; k < 2 && (k == 0 || b->threads > 1); k++) {
        const int threads = k ? b->threads : 1;
        spw_set_threads(threads);
        if (spw_probe_create(SPW_LOAD, spw_default_working_set() / (b->quick ? 64 : 1), threads,
                             &b->probe))
            return failed();
        const double bytes = spw_probe_traffic(&b->probe) * (double)b->probe.sweeps;
        const int bad = add_row(b, "loads from memory", threads, load, bytes / 8, bytes);
        spw_probe_destroy(&b->probe);
        if (bad ||
            add_row(b, "products in a cache", threads, multiply, 2.0 * SIDE * SIDE * SIDE, 0))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    static bench b;
    if (read_arguments(argc, argv, &b)) return 1;
    today(b.date);
    copy_plain(b.cpu, sizeof b.cpu, spw_topology_read().cpu);
    spw_meter_open(b.sys ? &(spw_meter_places){.sys = b.sys, .nvml = "none"} : NULL, &b.meter);
    printf("ENERGY   %s%s\n", b.meter.state == SPW_METER_COUNTS ? "measured: " : "", b.meter.text);
    if (b.meter.state != SPW_METER_COUNTS) {
        printf("Exercise 25 evaluates published runs all the same.\n");
        return 0;
    }
    int status = furnish(&b) ? failed() : open_rows(&b);
    if (!status) status = add_rows(&b);
    if (b.rows && fclose(b.rows) && !status) status = cannot("energy", "write", b.out);
    if (!status) printf("Rows were added to %s\n", b.out);
    spw_meter_close(&b.meter);
    spw_free(b.matrices);
    return status;
}

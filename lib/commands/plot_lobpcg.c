/* commands/plot_lobpcg.c -- LOBPCG: convergence, time against the number of vectors, phases: exercise 19's
 * plots.
 *
 *   plot_lobpcg [--show] [--threads N] [--out FOLDER] [MATRIX]
 *     --show     prints the report of the last time, if there is one, and measures nothing
 *     --out      folder of exercise-19*.tsv, exercise-19.txt and exercise-19-facts.gp, build/plots
 *     MATRIX     of the timings, fem3:12
 * 1. The residuals of 10 pairs of laplace3d:20 over the iterations.
 * 2. Seconds that 100 iterations take on MATRIX with nv vectors, A W as one product and as nv single ones, in
 *    turn: four times those of 25, the better of two.
 * 3. Of the runs with one product: the share that each phase has of the time, and what its model says: the
 *    larger of bytes / b and flop / P, with b and P measured just before.
 * plots/exercise-19.gp draws it. Exit status: 0, or 1 with one line of what went wrong. */
#include "base/threads.h"
#include "formats/generate.h"
#include "perf/bandwidth.h"
#include "perf/bandwidth.h"
#include "perf/timer.h"
#include "perf/topology.h"
#include "solvers/lobpcg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { HUNDRED = 100, PAIRS = 10, ITERATIONS = 25, COUNTS = 5, RUNS = 2 };
static const int counts[COUNTS] = {4, 8, 16, 32, 48};
static const char *const converging = "laplace3d:20";

typedef struct timing {
    double seconds[2]; /* one product; nv single ones */
    double share[SPW_LOBPCG_PHASES], model[SPW_LOBPCG_PHASES], flops[SPW_LOBPCG_PHASES];
} timing;

typedef struct report {
    const char *matrix;
    double n, nnz, bandwidth, peak;
    int threads;
    char cpu[96], date[16];
    timing timings[COUNTS];
} report;

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "plot_lobpcg: %s: %s\n", what, why);
    return 1;
}

static FILE *open_file(const char *folder, const char *name, const char *mode)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file && *mode == 'w') complain(path, strerror(errno));
    return file;
}

/* --- measuring --------------------------------------------------------------------------------------------- */

static int converge(const char *folder)
{
    spw_csr A = {0};
    spw_operator op = {0};
    spw_lobpcg_result r = {0};
    const spw_lobpcg_options options = {.nv = PAIRS, .tolerance = 1e-8};
    FILE *file = open_file(folder, "exercise-19.tsv", "w");
    if (!file) return 1;
    spw_status status = spw_csr_load(converging, &A);
    if (!status) status = spw_operator_from_csr(&A, &op);
    if (!status) status = spw_lobpcg(&op, NULL, NULL, NULL, 0, &options, &r);
    if (!status)
        fprintf(file, "# iteration, ||A x - lambda x|| / |lambda| of pairs 1 to %d\n", PAIRS);
    for (int k = 0; k < r.n_history; k++) {
        fprintf(file, "%d", k);
        for (int j = 0; j < PAIRS; j++) fprintf(file, "\t%.4e", r.history[k * PAIRS + j]);
        fprintf(file, "\n");
    }
    spw_lobpcg_result_destroy(&r);
    spw_operator_destroy(&op);
    spw_csr_destroy(&A);
    const int closed = fclose(file);
    return status   ? complain(converging, spw_message())
           : closed ? complain("exercise-19.tsv", strerror(errno))
                    : 0;
}

static spw_status measure_roofs(report *R, int64_t bytes)
{
    double seconds[7];
    spw_probe probe;
    const spw_status status = spw_probe_create(SPW_LOAD, bytes, R->threads, &probe);
    if (status) return status;
    for (int k = 0; k < 7; k++) seconds[k] = spw_probe_run(&probe);
    R->bandwidth = spw_probe_traffic(&probe) / spw_quartile(seconds, 7, NULL, NULL);
    spw_probe_destroy(&probe);
    R->peak = spw_peak_flops(R->threads);
    return SPW_OK;
}

/* The shares of a run's phases. */
static void take_shares(const report *R, const spw_lobpcg_result *r, timing *t)
{
    double seconds = 0, model = 0, flops = 0;
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        const spw_cost c = r->phases[p].cost;
        t->share[p] = r->phases[p].seconds;
        t->model[p] = fmax(spw_cost_bytes(c) / R->bandwidth, c.flop / R->peak);
        t->flops[p] = c.flop;
        seconds += t->share[p];
        model += t->model[p];
        flops += t->flops[p];
    }
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        t->share[p] *= 100 / seconds;
        t->model[p] *= 100 / model;
        t->flops[p] *= 100 / flops;
    }
}

static spw_status measure(const spw_operator *op, report *R)
{
    for (int c = 0; c < COUNTS; c++) {
        timing *t = &R->timings[c];
        t->seconds[0] = t->seconds[1] = INFINITY;
        for (int run = 0; run < 2 * RUNS; run++) {
            const int single = run % 2;
            const spw_lobpcg_options options = {.nv = counts[c],
                                                .guard = -1,
                                                .tolerance = 1e-300, /* never */
                                                .max_iterations = ITERATIONS,
                                                .one_by_one = single};
            spw_lobpcg_result r;
            const spw_status status = spw_lobpcg(op, NULL, NULL, NULL, 0, &options, &r);
            if (status) return status;
            const double seconds = r.seconds * HUNDRED / fmax(r.iterations, 1);
            if (seconds < t->seconds[single]) {
                t->seconds[single] = seconds;
                if (!single) take_shares(R, &r, t);
            }
            spw_lobpcg_result_destroy(&r);
        }
        fprintf(stderr, ".");
    }
    fprintf(stderr, "\n");
    return SPW_OK;
}

/* --- files ---------------------------------------------------------------------------------------------------- */

static int write_tables(const report *R, const char *folder)
{
    FILE *file = open_file(folder, "exercise-19-time.tsv", "w");
    if (!file) return 1;
    fprintf(file, "# nv\ts of %d iterations, one product\tnv products\n", HUNDRED);
    for (int c = 0; c < COUNTS; c++)
        fprintf(file, "%d\t%.4g\t%.4g\n", counts[c], R->timings[c].seconds[0],
                R->timings[c].seconds[1]);
    if (fclose(file) || !(file = open_file(folder, "exercise-19-phases.tsv", "w"))) return 1;
    fprintf(file, "# phase, then for each nv: %% of the time, %% by the model, %% of the flops\n");
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        if (p == SPW_LOBPCG_PRECONDITION) continue;
        fprintf(file, "%s", spw_lobpcg_phase_name((spw_lobpcg_phase)p));
        for (int c = 0; c < COUNTS; c++)
            fprintf(file, "\t%.1f\t%.1f\t%.1f", R->timings[c].share[p], R->timings[c].model[p],
                    R->timings[c].flops[p]);
        fprintf(file, "\n");
    }
    if (fclose(file) || !(file = open_file(folder, "exercise-19-facts.gp", "w"))) return 1;
    fprintf(file, "cpu = \"%s\"\ndate = '%s'\nthreads = %d\nmatrix = \"%s\"\nconverging = \"%s\"\n",
            R->cpu, R->date, R->threads, R->matrix, converging);
    return fclose(file) ? 1 : 0;
}

static void print_report(const report *R, FILE *out)
{
    fprintf(out, "LOBPCG, %d iterations (timed: 25) on %s: %.0f rows, %.1f entries a row\n",
            HUNDRED, R->matrix, R->n, R->nnz / R->n);
    fprintf(out, "%s, %d thread%s, %s; b = %.1f GB/s, P = %.0f Gflop/s\n\n", R->cpu, R->threads,
            R->threads == 1 ? "" : "s", R->date, 1e-9 * R->bandwidth, 1e-9 * R->peak);
    fprintf(out, "  %-28s", "nv");
    for (int c = 0; c < COUNTS; c++) fprintf(out, "%9d", counts[c]);
    static const char *const kinds[] = {"s, A W as one product", "s, A W as nv products"};
    for (int k = 0; k < 2; k++) {
        fprintf(out, "\n  %-28s", kinds[k]);
        for (int c = 0; c < COUNTS; c++) fprintf(out, "%9.3f", R->timings[c].seconds[k]);
    }
    fprintf(out, "\n  %-28s", "times as fast");
    for (int c = 0; c < COUNTS; c++)
        fprintf(out, "%9.2f", R->timings[c].seconds[1] / R->timings[c].seconds[0]);
    fprintf(out, "\n\n  share of the time, %% (by the model)\n");
    for (int p = 0; p < SPW_LOBPCG_PHASES; p++) {
        if (p == SPW_LOBPCG_PRECONDITION) continue;
        fprintf(out, "  %-28s", spw_lobpcg_phase_name((spw_lobpcg_phase)p));
        for (int c = 0; c < COUNTS; c++)
            fprintf(out, " %3.0f (%2.0f)", R->timings[c].share[p], R->timings[c].model[p]);
        fprintf(out, "\n");
    }
}

/* Copies the report of the last time; false if there is none. */
static int show(const char *folder)
{
    char line[256];
    FILE *file = open_file(folder, "exercise-19.txt", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) fputs(line, stdout);
    fclose(file);
    return 1;
}

static int run(report *R, const char *folder)
{
    spw_csr A = {0};
    spw_operator op = {0};
    int status = converge(folder);
    if (status) return status;
    status = spw_csr_load(R->matrix, &A) || spw_operator_from_csr(&A, &op);
    R->n = A.n_rows;
    R->nnz = A.nnz;
    if (!status) status = measure_roofs(R, spw_csr_bytes(&A) + 8 * 64 * (int64_t)A.n_rows);
    if (!status) status = measure(&op, R);
    spw_operator_destroy(&op);
    spw_csr_destroy(&A);
    if (status) return complain(R->matrix, spw_message());
    print_report(R, stdout);
    FILE *file = open_file(folder, "exercise-19.txt", "w");
    if (!file) return 1;
    print_report(R, file);
    return fclose(file) || write_tables(R, folder);
}

int main(int argc, char **argv)
{
    static report R = {.matrix = "fem3:12"};
    const char *folder = "build/plots";
    int only_show = 0;
    R.threads = spw_max_threads();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0)
            only_show = 1;
        else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc)
            folder = argv[++i];
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            R.threads = atoi(argv[++i]);
        else if (argv[i][0] == '-')
            return complain(argv[i], "no option; known are --show --out --threads");
        else
            R.matrix = argv[i], only_show = 0;
    }
    if (R.threads < 1 || R.threads > 4096) return complain("THREADS", "must be 1 to 4096");
    if (only_show && show(folder)) return 0;
    const time_t now = time(NULL);
    strftime(R.date, sizeof R.date, "%Y-%m-%d", localtime(&now));
    snprintf(R.cpu, sizeof R.cpu, "%s", spw_topology_read().cpu);
    for (char *c = R.cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    spw_set_threads(R.threads);
    return run(&R, folder);
}

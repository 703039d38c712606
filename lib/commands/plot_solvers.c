/* commands/plot_solvers.c -- where an iteration's time goes, plain and merged, and how it converges: the plots
 * of exercises 11 and 14.
 *
 *   plot_solvers --solver cg|bicgstab [--show] [--threads N] [--out FOLDER] [MATRIX [CONVERGENCE]]
 *     --show       shows the table of the last time, if there is one, and measures nothing
 *     --out        folder of exercise-11.tsv, -history.tsv, -facts.gp and .txt (or 14), build/plots
 *     MATRIX       that is timed; CONVERGENCE: that is solved. What MATRIX= takes
 * The library's solver runs plain and merged, by turns, a fixed number of iterations each time; of each kernel
 * the lower quartile is kept, of its time inside the loop and, merged, of its time called alone over and over.
 * The model is the kernel's bytes, write-allocate included, over the bandwidth measured between the runs.
 * plots/exercise-11.gp and -14.gp draw it. Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "formats/generate.h"
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "perf/bandwidth.h"
#include "perf/timer.h"
#include "perf/topology.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { BLOCKS = 9, STEPS = 12, PLAIN = 0, MERGED = 1, MODES = 2 };

typedef spw_status (*solve_fn)(const spw_operator *, const double *, double *,
                               const spw_solve_options *, spw_solve_result *);

static spw_status solve_bicgstab(const spw_operator *A, const double *b, double *x,
                                 const spw_solve_options *options, spw_solve_result *result)
{
    return spw_bicgstab(A, NULL, b, x, options, result);
}

static const struct method {
    const char *name, *number, *title, *matrix, *convergence;
    solve_fn solve;
} methods[] = {
    {"cg", "11", "CG", "stencil27:72", "laplace2d:200", spw_cg},
    {"bicgstab", "14", "BiCGStab", "convdiff2d:700", "convdiff2d:200", solve_bicgstab},
};

typedef struct line {
    char name[48];
    double seconds, model,
        alone; /* a call, which is one an iteration; alone: 0 where not measured */
    double samples[BLOCKS], alone_samples[BLOCKS];
} line;

typedef struct measurement {
    const struct method *m;
    const char *matrix, *convergence;
    spw_csr A;
    spw_operator op;
    double *b, *x, *v[5]; /* v: vectors for the kernels alone */
    line lines[MODES][SPW_KERNELS_MAX];
    int n_lines[MODES], threads;
    double loop[MODES], loop_samples[MODES][BLOCKS]; /* s an iteration, start and end left out */
    double bandwidth;
    spw_solve_result solved;
    char cpu[96], date[16];
} measurement;

/* --- measuring ----------------------------------------------------------------------------------------- */

static void call_alone(measurement *d, int k)
{
    const int64_t n = d->A.n_rows;
    double **v = d->v, one, other;
    const int cg = d->m->solve == spw_cg;
    if (cg && k == 0) spw_operator_apply_dots(&d->op, v[0], v[0], v[1], &one, NULL);
    if (cg && k == 1) spw_cg_step_omp(n, 1e-9, v[0], v[1], v[2], v[3]);
    if (cg && k == 2) spw_axpby_omp(n, 1, v[3], 1e-9, v[0]);
    if (!cg && k == 0) spw_bicgstab_direction_omp(n, 1e-9, 1e-9, v[3], v[1], v[0]);
    if (!cg && k == 1) spw_operator_apply_dots(&d->op, v[0], v[4], v[1], &one, NULL);
    if (!cg && k == 2) spw_bicgstab_half_omp(n, 1e-9, v[1], v[3]);
    if (!cg && k == 3) spw_operator_apply_dots(&d->op, v[3], v[3], v[2], &one, &other);
    if (!cg && k == 4)
        spw_bicgstab_step_omp(n, 1e-9, 1e-9, v[0], v[3], v[2], v[4], d->x, v[3], &one);
}

static spw_status run_loop(measurement *d, int mode, int block)
{
    /* never converges, never stops early */
    const spw_solve_options options = {
        .tolerance = 1e-300, .max_iterations = STEPS, .plain = mode == PLAIN};
    spw_solve_result r;
    memset(d->x, 0, (size_t)d->A.n_rows * sizeof *d->x);
    const spw_status status = d->m->solve(&d->op, d->b, d->x, &options, &r);
    if (status) return status;
    double sum = 0;
    int n = 0;
    for (int k = 0; k < r.n_kernels; k++) {
        const spw_kernel_use *u = &r.kernels[k];
        if (u->calls < r.iterations - 1) continue; /* of the start and the end */
        line *l = &d->lines[mode][n++];
        snprintf(l->name, sizeof l->name, "%s", u->name);
        l->samples[block] = u->seconds / (double)u->calls;
        l->model = spw_cost_bytes(u->cost) + u->write_allocate; /* bytes as yet */
        sum += u->seconds / r.iterations;
    }
    d->n_lines[mode] = n;
    d->loop_samples[mode][block] = sum;
    spw_solve_result_destroy(&r);
    return SPW_OK;
}

static void run_alone(measurement *d, int block)
{
    for (int k = 0; k < d->n_lines[MERGED]; k++) {
        call_alone(d, k);
        const double begin = spw_now();
        for (int c = 0; c < 3; c++) call_alone(d, k);
        d->lines[MERGED][k].alone_samples[block] = (spw_now() - begin) / 3;
    }
}

static spw_status measure(measurement *d)
{
    double traffic[BLOCKS];
    spw_probe probe;
    spw_status status = spw_probe_create(
        SPW_LOAD, spw_csr_bytes(&d->A) + 6 * 8 * (int64_t)d->A.n_rows, d->threads, &probe);
    if (status) return status;
    for (int block = 0; block < BLOCKS && !status; block++) {
        status = run_loop(d, block % 2, block);
        if (!status) status = run_loop(d, 1 - block % 2, block);
        if (!status) run_alone(d, block);
        traffic[block] = spw_probe_run(&probe);
        fprintf(stderr, ".");
    }
    if (!status) {
        d->bandwidth = spw_probe_traffic(&probe) / spw_quartile(traffic, BLOCKS, NULL, NULL);
        for (int mode = 0; mode < MODES; mode++) {
            for (int k = 0; k < d->n_lines[mode]; k++) {
                line *l = &d->lines[mode][k];
                l->seconds = spw_quartile(l->samples, BLOCKS, NULL, NULL);
                l->model /= d->bandwidth;
                if (mode == MERGED) l->alone = spw_quartile(l->alone_samples, BLOCKS, NULL, NULL);
            }
            d->loop[mode] = spw_quartile(d->loop_samples[mode], BLOCKS, NULL, NULL);
        }
    }
    spw_probe_destroy(&probe);
    return status;
}

static spw_status make_room(measurement *d)
{
    const int64_t n = d->A.n_rows;
    spw_status status = spw_operator_from_csr(&d->A, &d->op);
    if (!status) status = SPW_ALLOC(&d->b, n);
    if (!status) status = SPW_ALLOC(&d->x, n);
    for (int k = 0; k < 5 && !status; k++) status = SPW_ALLOC(&d->v[k], n);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        d->b[i] = 0.5 + spw_random_double(1, (uint64_t)i);
        d->x[i] = 0;
        for (int k = 0; k < 5; k++) d->v[k][i] = 1 + k;
    }
    return SPW_OK;
}

static void clear(measurement *d)
{
    spw_operator_destroy(&d->op);
    spw_free(d->b);
    spw_free(d->x);
    for (int k = 0; k < 5; k++) {
        spw_free(d->v[k]);
        d->v[k] = NULL;
    }
    d->b = d->x = NULL;
    spw_csr_destroy(&d->A);
}

static spw_status measure_all(measurement *d)
{
    spw_status status = spw_csr_load(d->matrix, &d->A);
    if (!status) status = make_room(d);
    if (!status) status = measure(d);
    clear(d);
    if (status) return status;
    status = spw_csr_load(d->convergence, &d->A);
    if (!status) status = make_room(d);
    if (!status)
        status =
            d->m->solve(&d->op, d->b, d->x, &(spw_solve_options){.tolerance = 1e-10}, &d->solved);
    clear(d);
    return status;
}

/* --- the tables ----------------------------------------------------------------------------------------- */

static FILE *create(const measurement *d, const char *folder, const char *ending)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-%s%s", folder, d->m->number, ending);
    FILE *file = fopen(path, "w");
    if (!file) fprintf(stderr, "plot_solvers: cannot write %s: %s\n", path, strerror(errno));
    return file;
}

/* One box a kernel: bar, bottom, top, number of the kernel in its bar, name. */
static double write_bar(FILE *file, const measurement *d, int bar, int mode, int model)
{
    double bottom = 0;
    for (int k = 0; k < d->n_lines[mode]; k++) {
        const line *l = &d->lines[mode][k];
        const double top = bottom + 1e3 * (model ? l->model : l->seconds);
        fprintf(file, "%d\t%.5f\t%.5f\t%d\t%s\n", bar, bottom, top, k, l->name);
        bottom = top;
    }
    return bottom;
}

static int write_tables(const measurement *d, const char *folder)
{
    FILE *file = create(d, folder, ".tsv");
    if (!file) return 1;
    fprintf(file, "# bar\tbottom ms\ttop ms\tkernel\tname\n");
    double most = 0, top[4];
    for (int bar = 0; bar < 4; bar++) {
        top[bar] = write_bar(file, d, bar, bar / 2, bar % 2);
        most = fmax(most, top[bar]);
    }
    if (fclose(file)) return 1;
    if (!(file = create(d, folder, "-history.tsv"))) return 1;
    fprintf(file, "# iteration\tresidual\n");
    for (int k = 0; k < d->solved.n_history; k++)
        fprintf(file, "%d\t%.6e\n", k, d->solved.history[k]);
    if (fclose(file)) return 1;
    if (!(file = create(d, folder, "-facts.gp"))) return 1;
    fprintf(file,
            "cpu = \"%s\"\ndate = '%s'\nthreads = %d\nmethod = '%s'\nmatrix = '%s'\n"
            "convergence = '%s'\nbandwidth = %.2f\nmost = %.5f\niterations = %d\n"
            "stopped = \"%s\"\n",
            d->cpu, d->date, d->threads, d->m->title, d->matrix, d->convergence,
            1e-9 * d->bandwidth, most, d->solved.iterations, d->solved.text);
    return fclose(file) ? 1 : 0;
}

static void print_mode(FILE *file, const measurement *d, int mode)
{
    double model = 0, alone = 0, sum = 0;
    fprintf(file, "\n%-26s %10s %10s %10s%s\n", mode == PLAIN ? "plain" : "merged", "in loop, ms",
            "model, ms", "of model", mode == MERGED ? "  alone, ms" : "");
    for (int k = 0; k < d->n_lines[mode]; k++) {
        const line *l = &d->lines[mode][k];
        fprintf(file, "%-26s %10.3f %10.3f %9.0f%%", l->name, 1e3 * l->seconds, 1e3 * l->model,
                100 * l->model / l->seconds);
        if (mode == MERGED) fprintf(file, " %10.3f", 1e3 * l->alone);
        fprintf(file, "\n");
        model += l->model;
        alone += l->alone;
        sum += l->seconds;
    }
    fprintf(file, "%-26s %10.3f %10.3f %9.0f%%", "sum of the kernels", 1e3 * sum, 1e3 * model,
            100 * model / sum);
    if (mode == MERGED) fprintf(file, " %10.3f", 1e3 * alone);
    fprintf(file, "\n%-26s %10.3f\n", "an iteration, whole", 1e3 * d->loop[mode]);
}

static void print_table(FILE *file, const measurement *d)
{
    double bytes[MODES] = {0};
    for (int mode = 0; mode < MODES; mode++)
        for (int k = 0; k < d->n_lines[mode]; k++) bytes[mode] += d->lines[mode][k].model;
    fprintf(file, "%s on %s: %s, %d thread%s, %s, %.1f GB/s\n", d->m->title, d->matrix, d->cpu,
            d->threads, d->threads == 1 ? "" : "s", d->date, 1e-9 * d->bandwidth);
    for (int mode = 0; mode < MODES; mode++) print_mode(file, d, mode);
    fprintf(file, "\nMerged is %.2f times as fast; by the bytes %.2f.\n%s: %s\n",
            d->loop[PLAIN] / d->loop[MERGED], bytes[PLAIN] / bytes[MERGED], d->convergence,
            d->solved.text);
}

static int write_text(const measurement *d, const char *folder)
{
    FILE *file = create(d, folder, ".txt");
    if (!file) return 1;
    print_table(file, d);
    return fclose(file) ? 1 : 0;
}

/* 1: the table of the last time was there. */
static int show_last(const measurement *d, const char *folder)
{
    char path[1024], text[512];
    snprintf(path, sizeof path, "%s/exercise-%s.txt", folder, d->m->number);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(text, sizeof text, file)) fputs(text, stdout);
    fclose(file);
    return 1;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int refuse(const char *format, const char *what)
{
    fprintf(stderr, "plot_solvers: ");
    fprintf(stderr, format, what);
    fprintf(stderr, "\n");
    return 1;
}

static int parse(int argc, char **argv, measurement *d, const char **folder, int *show)
{
    int names = 0;
    const char *given[2] = {NULL, NULL};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            *show = 1;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            *folder = argv[++i];
        } else if (strcmp(argv[i], "--solver") == 0 && i + 1 < argc) {
            i++;
            for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++)
                if (strcmp(argv[i], methods[k].name) == 0) d->m = &methods[k];
            if (!d->m) return refuse("'%s' is no solver here: cg or bicgstab", argv[i]);
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            d->threads = atoi(argv[++i]);
            if (d->threads < 1 || d->threads > 4096)
                return refuse("THREADS is '%s', must be 1 to 4096", argv[i]);
        } else if (argv[i][0] == '-' || names == 2) {
            return refuse("'%s' is no option; known are --solver --show --out --threads, and two "
                          "matrices",
                          argv[i]);
        } else {
            given[names++] = argv[i];
        }
    }
    if (!d->m) return refuse("%s", "which solver? --solver cg or bicgstab");
    d->matrix = given[0] ? given[0] : d->m->matrix;
    d->convergence = given[1] ? given[1] : d->m->convergence;
    return 0;
}

int main(int argc, char **argv)
{
    static measurement d;
    const char *folder = "build/plots";
    int show = 0;
    d.threads = spw_max_threads();
    if (parse(argc, argv, &d, &folder, &show)) return 1;
    if (show && show_last(&d, folder)) return 0;
    const time_t now = time(NULL);
    strftime(d.date, sizeof d.date, "%Y-%m-%d", localtime(&now));
    snprintf(d.cpu, sizeof d.cpu, "%s", spw_topology_read().cpu);
    for (char *c = d.cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    spw_set_threads(d.threads);
    if (measure_all(&d)) {
        fprintf(stderr, "\nplot_solvers: %s\n", spw_message());
        return 1;
    }
    fprintf(stderr, "\n");
    const int status = write_tables(&d, folder) || write_text(&d, folder);
    print_table(stdout, &d);
    spw_solve_result_destroy(&d.solved);
    return status;
}

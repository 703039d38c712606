/* commands/plot_precond.c -- six preconditioners on three systems: residual against iterations and against time,
 * the plot of exercise 12.
 *
 *   plot_precond [--show] [--small] [--threads N] [--out FOLDER]
 *     --show   shows the table of the last time, if there is one, and measures nothing
 *     --small  systems of a thousandth of the size: for tests, no times worth a look
 *     --out    folder of exercise-12.tsv, -facts.gp and .txt, build/plots
 * The library's preconditioners and its PCG, to 1e-8; each runs twice, and the faster run is kept. Time of iteration
 * k is set-up + k times a step. plots/exercise-12.gp draws it. Exit status: 0, or 1 with one line of what
 * went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "perf/topology.h"
#include "solvers/cg.h"
#include "solvers/precond.h"
#include "kit/systems.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SYSTEMS = 3, KINDS = 6, MOST = 400, RUNS = 2 };

static const char *const kind_names[KINDS] = {"none",  "Jacobi",           "block-Jacobi, 4",
                                              "IC(0)", "IC(0), Neumann 2", "Chebyshev 4"};
static const char *const titles[SYSTEMS] = {"short time step", "four coupled unknowns",
                                            "columns of thin layers"};

typedef struct curve {
    double setup, step; /* s */
    double products;    /* that one application costs */
    spw_stop stop;
    int iterations;
    double *history; /* [iterations + 1] */
} curve;

typedef struct measurement {
    curve curves[SYSTEMS][KINDS];
    spw_idx n[SYSTEMS], nz[SYSTEMS];
    bool small;
    int threads;
    char cpu[96], date[16];
} measurement;

/* --- measuring ----------------------------------------------------------------------------------------- */

static spw_status make_system(const measurement *d, int s, spw_csr *A)
{
    if (s == 0) return spw_system_short_step(d->small ? 8 : 36, A);
    if (s == 1) return spw_system_coupled(d->small ? 4 : 24, A);
    return spw_system_columns(d->small ? 10 : 3000, d->small ? 8 : 32, A);
}

static spw_status make_precond(int kind, const spw_csr *A, spw_operator *M)
{
    switch (kind) {
    case 1: return spw_precond_jacobi(A, M);
    case 2: return spw_precond_bjacobi(A, 4, M);
    case 3: return spw_precond_ic0(A, M);
    case 4: return spw_precond_ic0_neumann(A, 2, M);
    case 5: return spw_precond_chebyshev(A, 4, M);
    default: *M = (spw_operator){0}; return SPW_OK;
    }
}

/* Keeps the run if it is the first or the faster one. */
static spw_status keep_run(curve *c, const spw_operator *A, const spw_operator *M,
                           const spw_solve_result *r, bool first)
{
    const double steps = r->iterations > 0 ? r->iterations : 1, step = r->seconds / steps;
    if (!first && c->setup + c->step * steps <= M->setup_seconds + r->seconds) return SPW_OK;
    c->setup = M->setup_seconds;
    c->step = step;
    c->products = M->n ? spw_cost_in_products(M->cost, A) : 0;
    c->stop = r->stop;
    c->iterations = r->iterations;
    spw_free(c->history);
    c->history = NULL;
    const spw_status status = SPW_ALLOC(&c->history, (int64_t)r->iterations + 1);
    for (int k = 0; k <= r->iterations && !status; k++)
        c->history[k] = k < r->n_history ? r->history[k] : r->residual;
    return status;
}

static spw_status run_once(const spw_csr *A, const double *b, double *x, int kind, bool first,
                           curve *c)
{
    const spw_solve_options options = {.tolerance = 1e-8, .max_iterations = MOST};
    spw_solve_result r = {0};
    spw_operator op = {0}, M = {0};
    spw_status status = spw_operator_from_csr(A, &op);
    if (!status) status = make_precond(kind, A, &M);
    if (!status) {
        memset(x, 0, (size_t)A->n_rows * sizeof *x);
        status = spw_pcg(&op, M.n ? &M : NULL, b, x, &options, &r);
    }
    if (!status) status = keep_run(c, &op, &M, &r, first);
    spw_solve_result_destroy(&r);
    spw_operator_destroy(&M);
    spw_operator_destroy(&op);
    return status;
}

static spw_status measure_system(measurement *d, int s)
{
    spw_csr A;
    double *b = NULL, *x = NULL;
    spw_status status = make_system(d, s, &A);
    if (status) return status;
    d->n[s] = A.n_rows;
    d->nz[s] = A.nnz;
    status = SPW_ALLOC(&b, A.n_rows);
    if (!status) status = SPW_ALLOC(&x, A.n_rows);
    for (spw_idx i = 0; i < A.n_rows && !status; i++)
        b[i] = 2 * spw_random_double(1, (uint64_t)i) - 1;
    for (int run = 0; run < RUNS; run++)
        for (int kind = 0; kind < KINDS && !status; kind++) {
            status = run_once(&A, b, x, kind, run == 0, &d->curves[s][kind]);
            fprintf(stderr, ".");
        }
    spw_free(x);
    spw_free(b);
    spw_csr_destroy(&A);
    return status;
}

/* --- the tables ----------------------------------------------------------------------------------------- */

static FILE *create(const char *folder, const char *ending)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-12%s", folder, ending);
    FILE *file = fopen(path, "w");
    if (!file) fprintf(stderr, "plot_precond: cannot write %s: %s\n", path, strerror(errno));
    return file;
}

static int write_tables(const measurement *d, const char *folder)
{
    FILE *file = create(folder, ".tsv");
    if (!file) return 1;
    fprintf(file, "# system\tpreconditioner\titeration\tms\tresidual\n");
    for (int s = 0; s < SYSTEMS; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            const curve *c = &d->curves[s][kind];
            for (int k = 0; k <= c->iterations; k++)
                fprintf(file, "%d\t%d\t%d\t%.5f\t%.6e\n", s, kind, k,
                        1e3 * (c->setup + k * c->step), c->history[k]);
        }
    if (fclose(file)) return 1;
    if (!(file = create(folder, "-facts.gp"))) return 1;
    fprintf(file, "cpu = \"%s\"\ndate = '%s'\nthreads = %d\narray systems = [", d->cpu, d->date,
            d->threads);
    for (int s = 0; s < SYSTEMS; s++) fprintf(file, "%s'%s'", s ? ", " : "", titles[s]);
    fprintf(file, "]\narray kinds = [");
    for (int k = 0; k < KINDS; k++) fprintf(file, "%s'%s'", k ? ", " : "", kind_names[k]);
    fprintf(file, "]\n");
    return fclose(file) ? 1 : 0;
}

static double total(const curve *c)
{
    return 1e3 * (c->setup + c->step * c->iterations);
}

static void print_system(FILE *file, const measurement *d, int s)
{
    int best = -1;
    for (int k = 0; k < KINDS; k++)
        if (d->curves[s][k].stop == SPW_STOP_CONVERGED &&
            (best < 0 || total(&d->curves[s][k]) < total(&d->curves[s][best])))
            best = k;
    fprintf(file, "\n%-24s %7s %9s %12s %12s %13s\n", titles[s], "SpMVs", "steps", "ms a step",
            "set-up, ms", "together, ms");
    for (int k = 0; k < KINDS; k++) {
        const curve *c = &d->curves[s][k];
        fprintf(file, "  %-22s %7.2f %s%*d %12.3f %12.1f %13.1f%s\n", kind_names[k], c->products,
                c->stop == SPW_STOP_CONVERGED ? "" : "> ", c->stop == SPW_STOP_CONVERGED ? 9 : 7,
                c->iterations, 1e3 * c->step, 1e3 * c->setup, total(c), k == best ? " <" : "");
    }
}

static void print_table(FILE *file, const measurement *d)
{
    fprintf(file, "PCG to 1e-8: %s, %d thread%s, %s\n", d->cpu, d->threads,
            d->threads == 1 ? "" : "s", d->date);
    for (int s = 0; s < SYSTEMS; s++) print_system(file, d, s);
}

static int write_text(const measurement *d, const char *folder)
{
    FILE *file = create(folder, ".txt");
    if (!file) return 1;
    print_table(file, d);
    return fclose(file) ? 1 : 0;
}

/* 1: the table of the last time was there. */
static int show_last(const char *folder)
{
    char path[1024], text[512];
    snprintf(path, sizeof path, "%s/exercise-12.txt", folder);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(text, sizeof text, file)) fputs(text, stdout);
    fclose(file);
    return 1;
}

/* --- the command ----------------------------------------------------------------------------------------- */

static int parse(int argc, char **argv, measurement *d, const char **folder, bool *show)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            *show = true;
        } else if (strcmp(argv[i], "--small") == 0) {
            d->small = true;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            *folder = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            d->threads = atoi(argv[++i]);
            if (d->threads < 1 || d->threads > 4096) {
                fprintf(stderr, "plot_precond: THREADS is '%s', must be 1 to 4096\n", argv[i]);
                return 1;
            }
        } else {
            fprintf(stderr,
                    "plot_precond: '%s' is no option; known are --show --small --out --threads\n",
                    argv[i]);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static measurement d;
    const char *folder = "build/plots";
    bool show = false;
    d.threads = spw_max_threads();
    if (parse(argc, argv, &d, &folder, &show)) return 1;
    if (show && show_last(folder)) return 0;
    const time_t now = time(NULL);
    strftime(d.date, sizeof d.date, "%Y-%m-%d", localtime(&now));
    snprintf(d.cpu, sizeof d.cpu, "%s", spw_topology_read().cpu);
    for (char *c = d.cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    spw_set_threads(d.threads);
    int status = 0;
    for (int s = 0; s < SYSTEMS && !status; s++) status = measure_system(&d, s) != SPW_OK;
    if (status) fprintf(stderr, "\nplot_precond: %s", spw_message());
    fprintf(stderr, "\n");
    if (!status) status = write_tables(&d, folder) || write_text(&d, folder);
    if (!status) print_table(stdout, &d);
    for (int s = 0; s < SYSTEMS; s++)
        for (int k = 0; k < KINDS; k++) spw_free(d.curves[s][k].history);
    return status;
}

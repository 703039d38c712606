/* commands/plot_sell.c -- SELL-C-sigma: padding and speed for several C and sigma: exercise 7's plot.
 *
 *   plot_sell --answer ANSWER.so [--show] [--threads N] [--out FOLDER] [MATRIX...]
 *     --answer   a shared object with spmv_sell of exercise 7
 *     --show     shows the table of the last time, if there is one, and measures nothing
 *     --out      folder of exercise-07.tsv and exercise-07-facts.gp, build/plots
 *     MATRIX     what MATRIX= takes, or uneven:ROWS, the matrix of exercise 7; three at most
 * For each matrix, C and sigma the product is timed, and in the same interleaved blocks the plain loop
 * over the rows of CSR: their quotient is what a change of the machine leaves alone.
 * plots/exercise-07.gp draws it. Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/command.h"
#include "formats/generate.h"
#include "formats/sell.h"
#include "kernels/spmv.h"
#include "perf/timer.h"
#include "perf/topology.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MATRICES = 3, HEIGHTS = 4, WINDOWS = 6, BLOCKS = 9 };
static const int heights[HEIGHTS] = {4, 8, 32, 64};
static const int windows[WINDOWS] = {1, 64, 256, 1024, 4096, 16384}; /* multiples of every C */
static const double SAMPLE_SECONDS = 4e-3;

static const char *const usual[MATRICES] = {"uneven:1000000", "powerlaw:30000", "laplace2d:1000"};

typedef struct result {
    char name[64];
    double n_rows, nnz, C, sigma, stored, beta;
    double gflops, csr_gflops, faster; /* faster: times as fast as CSR */
    double bound;                      /* the same if both were at the roof: a quotient of bytes */
} result;

typedef struct table {
    result rows[MATRICES * HEIGHTS * WINDOWS];
    int n, threads;
    char cpu[96], date[16];
} table;

typedef void (*spmv_sell_fn)(const spw_sell *, const double *, double *);

/* --- measuring ------------------------------------------------------------------------------------ */

typedef struct race {
    spmv_sell_fn f;
    const spw_sell *S;
    const spw_csr *A;
    const double *x;
    double *y;
} race;

/* Seconds a call; of the loop over the rows of CSR if which is 1. */
static double sample(const race *r, int which, int calls)
{
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) {
        if (which)
            spw_spmv_csr_omp(r->A, r->x, r->y);
        else
            r->f(r->S, r->x, r->y);
    }
    return (spw_now() - begin) / calls;
}

static void measure(const race *r, result *out)
{
    double time[2][BLOCKS], median[2];
    int calls[2];
    for (int k = 0; k < 2; k++) {
        sample(r, k, 1);
        const double wanted = ceil(SAMPLE_SECONDS / fmax(sample(r, k, 1), 1e-7));
        calls[k] = wanted > 1 ? (int)wanted : 1;
    }
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < 2; k++)
            time[(k + b) % 2][b] = sample(r, (k + b) % 2, calls[(k + b) % 2]);
    for (int k = 0; k < 2; k++) median[k] = spw_quartile(time[k], BLOCKS, NULL, NULL);
    const spw_sell *S = r->S;
    const double vectors = 8.0 * S->n_cols + 8.0 * S->n_rows;
    *out = (result){.n_rows = S->n_rows,
                    .nnz = S->nnz,
                    .C = S->C,
                    .sigma = S->sigma,
                    .stored = S->n_stored,
                    .beta = S->nnz / (double)S->n_stored,
                    .gflops = 2e-9 * S->nnz / median[0],
                    .csr_gflops = 2e-9 * S->nnz / median[1],
                    .faster = median[1] / median[0],
                    .bound = (12.0 * S->nnz + 4 * (S->n_rows + 1.0) + vectors) /
                             ((double)spw_sell_bytes(S) + vectors)};
}

static spw_status load(const char *name, spw_csr *A)
{
    return spw_csr_load(name, A);
}

static spw_status measure_matrix(const char *name, spmv_sell_fn f, table *T)
{
    spw_csr A = {0};
    double *x = NULL, *y = NULL;
    spw_status status = load(name, &A);
    if (!status && A.nnz == 0) status = spw_error(SPW_ERR_ARG, "%s has no entries", name);
    if (!status) status = SPW_ALLOC(&x, A.n_cols);
    if (!status) status = SPW_ALLOC(&y, A.n_rows);
    if (status) goto done;
#pragma omp parallel for schedule(static)
    for (spw_idx j = 0; j < A.n_cols; j++) x[j] = 0.5 + spw_random_double(1, (uint64_t)j);
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A.n_rows; i++) y[i] = 0;
    for (int h = 0; h < HEIGHTS && !status; h++)
        for (int w = 0; w < WINDOWS && !status; w++) {
            spw_sell S;
            status = spw_sell_from_csr(&A, heights[h], windows[w], &S);
            if (status) break;
            result *r = &T->rows[T->n++];
            measure(&(race){.f = f, .S = &S, .A = &A, .x = x, .y = y}, r);
            const char *slash = spw_is_generator(name) ? NULL : strrchr(name, '/');
            snprintf(r->name, sizeof r->name, "%.*s", (int)strcspn(slash ? slash + 1 : name, "."),
                     slash ? slash + 1 : name);
            spw_sell_destroy(&S);
            fprintf(stderr, ".");
        }
done:
    spw_free(x);
    spw_free(y);
    spw_csr_destroy(&A);
    return status;
}

/* --- the table ------------------------------------------------------------------------------------- */

static const char head[] = "# name\trows\tentries\tC\tsigma\tstored\tbeta\tGflop/s\tCSR Gflop/s\t"
                           "times as fast\tbound\n";

static int write_table(const table *T, const char *folder)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-07.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_sell", "write", path);
    fprintf(file, "# %s\t%d\t%s\n%s", T->date, T->threads, T->cpu, head);
    for (int k = 0; k < T->n; k++) {
        const result *r = &T->rows[k];
        fprintf(file, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.4f\t%.3f\t%.3f\t%.3f\t%.3f\n", r->name,
                r->n_rows, r->nnz, r->C, r->sigma, r->stored, r->beta, r->gflops, r->csr_gflops,
                r->faster, r->bound);
    }
    if (fclose(file)) return cannot("plot_sell", "write", path);
    snprintf(path, sizeof path, "%s/exercise-07-facts.gp", folder);
    file = fopen(path, "w");
    if (!file) return cannot("plot_sell", "write", path);
    fprintf(file, "cpu = \"%s\"\ndate = '%s'\nthreads = %d\nmatrices = \"", T->cpu, T->date,
            T->threads);
    for (int k = 0; k < T->n; k += HEIGHTS * WINDOWS)
        fprintf(file, "%s%s", k ? " " : "", T->rows[k].name);
    fprintf(file, "\"\n");
    return fclose(file) ? cannot("plot_sell", "write", path) : 0;
}

/* 0: read; -1: there is no table, or it is of another form. */
static int read_table(const char *folder, table *T)
{
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/exercise-07.tsv", folder);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int ok = fgets(line, sizeof line, file) &&
             sscanf(line, "# %15[^\t]\t%d\t%95[^\n]", T->date, &T->threads, T->cpu) == 3 &&
             fgets(line, sizeof line, file) && strcmp(line, head) == 0;
    while (ok && T->n < MATRICES * HEIGHTS * WINDOWS && fgets(line, sizeof line, file)) {
        result *r = &T->rows[T->n++];
        ok = sscanf(line, "%63[^\t]\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", r->name,
                    &r->n_rows, &r->nnz, &r->C, &r->sigma, &r->stored, &r->beta, &r->gflops,
                    &r->csr_gflops, &r->faster, &r->bound) == 11;
    }
    fclose(file);
    return ok && T->n > 0 && T->n % (HEIGHTS * WINDOWS) == 0 ? 0 : -1;
}

static void print_table(const table *T)
{
    printf("SELL-C-sigma: %s, %d thread%s, %s\n", T->cpu, T->threads, T->threads == 1 ? "" : "s",
           T->date);
    printf("beta: entries / stored. Speed: how many times that of the plain CSR loop.\n");
    for (int m = 0; m < T->n; m += HEIGHTS * WINDOWS) {
        const result *r = &T->rows[m];
        printf("\n%s: %.0f rows, %.3g entries a row, CSR %.2f Gflop/s\n", r->name, r->n_rows,
               r->nnz / r->n_rows, r->csr_gflops);
        printf("%10s   beta, C =", "");
        for (int h = 0; h < HEIGHTS; h++) printf(" %*d", h ? 6 : 2, heights[h]);
        printf("   speed, C =");
        for (int h = 0; h < HEIGHTS; h++) printf(" %*d", h ? 5 : 1, heights[h]);
        printf("\n");
        for (int w = 0; w < WINDOWS; w++) {
            printf("sigma %5d        ", windows[w]);
            for (int h = 0; h < HEIGHTS; h++) printf(" %6.3f", r[h * WINDOWS + w].beta);
            printf("          ");
            for (int h = 0; h < HEIGHTS; h++) printf(" %5.2f", r[h * WINDOWS + w].faster);
            printf("\n");
        }
    }
}

static int load_answer(const char *path, spmv_sell_fn *f)
{
    void *object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = object ? dlsym(object, "spmv_sell") : NULL;
    if (!symbol) {
        fprintf(stderr, "plot_sell: no spmv_sell in %s\n", path ? path : "'', give --answer");
        return 1;
    }
    memcpy(f, &symbol, sizeof *f); /* ISO C has no cast from object to function */
    return 0;
}

int main(int argc, char **argv)
{
    static table T, kept;
    const char *folder = "build/plots", *answer = NULL;
    int show = 0, first = argc;
    T.threads = spw_max_threads();
    for (int i = 1; i < argc && first == argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            show = 1;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            folder = argv[++i];
        } else if (strcmp(argv[i], "--answer") == 0 && i + 1 < argc) {
            answer = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            T.threads = atoi(argv[++i]);
            if (T.threads < 1 || T.threads > 4096) {
                fprintf(stderr, "plot_sell: THREADS is '%s', must be 1 to 4096\n", argv[i]);
                return 1;
            }
        } else if (argv[i][0] == '-') {
            fprintf(stderr,
                    "plot_sell: '%s' is no option; known are --answer --show --out --threads\n",
                    argv[i]);
            return 1;
        } else {
            first = i;
        }
    }
    if (argc - first > MATRICES) {
        fprintf(stderr, "plot_sell: %d matrices, at most %d fit\n", argc - first, MATRICES);
        return 1;
    }
    if (show && first == argc && read_table(folder, &kept) == 0) {
        print_table(&kept);
        return 0;
    }

    spmv_sell_fn f;
    if (load_answer(answer, &f)) return 1;
    const time_t now = time(NULL);
    strftime(T.date, sizeof T.date, "%Y-%m-%d", localtime(&now));
    snprintf(T.cpu, sizeof T.cpu, "%s", spw_topology_read().cpu);
    for (char *c = T.cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    spw_set_threads(T.threads);
    const char *const *names = first < argc ? (const char *const *)argv + first : usual;
    const int n = first < argc ? argc - first : MATRICES;
    for (int k = 0; k < n; k++)
        if (measure_matrix(names[k], f, &T)) {
            fprintf(stderr, "\nplot_sell: %s\n", spw_message());
            return 1;
        }
    fprintf(stderr, "\n");
    const int status = write_table(&T, folder);
    print_table(&T);
    return status;
}

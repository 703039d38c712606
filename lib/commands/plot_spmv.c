/* commands/plot_spmv.c -- SpMV in CSR, measured, beside the roof, for many matrices: exercise 6's plot.
 *
 *   plot_spmv [--show] [--threads N] [--out FOLDER] [MATRIX...]
 *     --show     shows the table of the last time, if there is one, and measures nothing
 *     --out      folder of exercise-06.tsv and exercise-06-facts.gp, build/plots
 *     MATRIX     what MATRIX= takes. Without any: one matrix of each generator, and the files of
 *                100,000 entries and more of matrices/collection and of the folder $SHARED_MATRICES
 * For each matrix the roof, the plain loop over the rows and the loop that cuts the rows by entries are
 * measured in interleaved blocks, the roof at the same working set. plots/exercise-06.gp draws it.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/command.h"
#include "commands/textplot.h"
#include "formats/generate.h"
#include "kernels/spmv.h"
#include "perf/bandwidth.h"
#include "perf/roofline.h"
#include "perf/timer.h"
#include "perf/topology.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { BLOCKS = 9, MAX_MATRICES = 256, MAX_NAME = 256, FILE_ENTRIES_MIN = 100000 };
static const double SAMPLE_SECONDS = 3e-3;

typedef struct result {
    char name[64];
    double n_rows, n_cols, nnz;
    double bytes, intensity;            /* of the model, flop/byte */
    double bandwidth;                   /* GB/s */
    double roof, plain, balanced;       /* Gflop/s */
    double plain_share, balanced_share; /* of the roof */
} result;

typedef struct bench {
    result *rows; /* [MAX_MATRICES] */
    int n, threads;
    char cpu[96], date[16];
} bench;

static const char *const generators[] = {
    "stencil27:100",
    "fem1:100",
    "fem3:48",
    "fem6:30",
    "laplace2d:2500",
    "laplace3d:140",
    "convdiff2d:2500",
    "tridiag:8000000",
    "arrow:5000000",
    "powerlaw:1000000",
    "random:1000000x1000000x24",
    "random:8000000x8000000x3",
};

/* --- measuring ------------------------------------------------------------------------------------ */

typedef void (*spmv)(const spw_csr *, const double *, double *);

static double sample(spmv f, const spw_csr *A, const double *x, double *y, int calls)
{
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) f(A, x, y);
    return (spw_now() - begin) / calls;
}

static int calls_for(spmv f, const spw_csr *A, const double *x, double *y)
{
    sample(f, A, x, y, 1);
    const double calls = ceil(SAMPLE_SECONDS / fmax(sample(f, A, x, y, 1), 1e-7));
    return calls > 1 ? (int)calls : 1;
}

/* Takes the fields of *r from the blocks. */
static spw_status measure(const spw_csr *A, const double *x, double *y, int threads, double peak,
                          result *r)
{
    const spw_cost cost = {.load = 12.0 * A->nnz + 4.0 * (A->n_rows + 1.0) + 8.0 * A->n_cols,
                           .store = 8.0 * A->n_rows,
                           .flop = 2.0 * A->nnz};
    spw_probe probe;
    const spw_status status =
        spw_probe_create(spw_mix_for(cost), (int64_t)spw_cost_bytes(cost), threads, &probe);
    if (status) return status;
    static const spmv kernel[2] = {spw_spmv_csr_omp, spw_spmv_csr_omp_balanced};
    double time[2][BLOCKS], probe_time[BLOCKS];
    int calls[2];
    for (int k = 0; k < 2; k++) calls[k] = calls_for(kernel[k], A, x, y);
    for (int b = 0; b < BLOCKS; b++) {
        probe_time[b] = spw_probe_run(&probe);
        for (int k = 0; k < 2; k++) {
            const int which = (k + b) % 2;
            time[which][b] = sample(kernel[which], A, x, y, calls[which]);
        }
    }
    /* The fast quarter of the samples, as in the judge (judge/speed.c). */
    const double bandwidth =
        spw_probe_traffic(&probe) / spw_quartile(probe_time, BLOCKS, NULL, NULL);
    const double roof = spw_roofline_time(cost, bandwidth, peak);
    const double plain = spw_quartile(time[0], BLOCKS, NULL, NULL);
    const double balanced = spw_quartile(time[1], BLOCKS, NULL, NULL);
    spw_probe_destroy(&probe);
    r->n_rows = A->n_rows;
    r->n_cols = A->n_cols;
    r->nnz = A->nnz;
    r->bytes = spw_cost_bytes(cost);
    r->intensity = spw_cost_intensity(cost);
    r->bandwidth = 1e-9 * bandwidth;
    r->roof = 1e-9 * cost.flop / roof;
    r->plain = 1e-9 * cost.flop / plain;
    r->balanced = 1e-9 * cost.flop / balanced;
    r->plain_share = roof / plain;
    r->balanced_share = roof / balanced;
    return SPW_OK;
}

/* Adds a row for the matrix. One that cannot be had is named and left out; one without entries, or a
 * file that is too small to measure anything but the start of the threads, is left out silently. */
static void add(bench *B, const char *path, int64_t entries_min, double peak)
{
    spw_csr A = {0};
    double *x = NULL, *y = NULL;
    if (B->n == MAX_MATRICES) return;
    spw_status status = spw_csr_load(path, &A);
    if (!status && (A.nnz < entries_min || A.nnz == 0)) goto done;
    if (!status) status = SPW_ALLOC(&x, A.n_cols);
    if (!status) status = SPW_ALLOC(&y, A.n_rows);
    if (status) goto done;
#pragma omp parallel for schedule(static)
    for (spw_idx j = 0; j < A.n_cols; j++) x[j] = 0.5 + spw_random_double(1, (uint64_t)j);
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A.n_rows; i++) y[i] = 0;
    result r = {0};
    status = measure(&A, x, y, B->threads, peak, &r);
    if (!status) {
        const char *slash = spw_is_generator(path) ? NULL : strrchr(path, '/');
        snprintf(r.name, sizeof r.name, "%.*s", (int)strcspn(slash ? slash + 1 : path, "."),
                 slash ? slash + 1 : path);
        B->rows[B->n++] = r;
        fprintf(stderr, ".");
    }
done:
    if (status) fprintf(stderr, "\nleft out: %s\n", spw_message());
    spw_free(x);
    spw_free(y);
    spw_csr_destroy(&A);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((const char *)a, (const char *)b);
}

/* All .mtx and .mtx.gz of a folder, in alphabetical order; none if there is no such folder. */
static void add_folder(bench *B, const char *folder, double peak)
{
    static char names[MAX_MATRICES][MAX_NAME];
    int n = 0;
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (const struct dirent *d; (d = readdir(directory)) && n < MAX_MATRICES;)
        if (strstr(d->d_name, ".mtx") && strlen(d->d_name) < MAX_NAME)
            snprintf(names[n++], MAX_NAME, "%.*s", MAX_NAME - 1, d->d_name);
    closedir(directory);
    qsort(names, (size_t)n, sizeof names[0], by_name);
    for (int k = 0; k < n; k++) {
        char path[1024 + MAX_NAME];
        struct stat info;
        snprintf(path, sizeof path, "%.1000s/%.255s", folder, names[k]);
        /* A text of 100,000 entries has 400 kB at the least, a tenth of it when it is packed. */
        if (!stat(path, &info) && info.st_size > 40000) add(B, path, FILE_ENTRIES_MIN, peak);
    }
}

/* --- the table ------------------------------------------------------------------------------------ */

static const char head[] = "# name\trows\tcolumns\tentries\tbytes\tflop/byte\tGB/s\troof Gflop/s\t"
                           "plain Gflop/s\tbalanced Gflop/s\tplain share\tbalanced share\n";

static int write_table(const bench *B, const char *folder)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-06.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_spmv", "write", path);
    fprintf(file, "# %s\t%d\t%s\n%s", B->date, B->threads, B->cpu, head);
    for (int k = 0; k < B->n; k++) {
        const result *r = &B->rows[k];
        fprintf(file, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.5f\t%.3f\t%.3f\t%.3f\t%.3f\t%.4f\t%.4f\n",
                r->name, r->n_rows, r->n_cols, r->nnz, r->bytes, r->intensity, r->bandwidth,
                r->roof, r->plain, r->balanced, r->plain_share, r->balanced_share);
    }
    if (fclose(file)) return cannot("plot_spmv", "write", path);
    snprintf(path, sizeof path, "%s/exercise-06-facts.gp", folder);
    file = fopen(path, "w");
    if (!file) return cannot("plot_spmv", "write", path);
    fprintf(file, "cpu = \"%s\"\ndate = '%s'\nthreads = %d\n", B->cpu, B->date, B->threads);
    return fclose(file) ? cannot("plot_spmv", "write", path) : 0;
}

/* 0: read; -1: there is no table, or it is of another form. */
static int read_table(const char *folder, bench *B)
{
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/exercise-06.tsv", folder);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int ok = fgets(line, sizeof line, file) &&
             sscanf(line, "# %15[^\t]\t%d\t%95[^\n]", B->date, &B->threads, B->cpu) == 3 &&
             fgets(line, sizeof line, file) && strcmp(line, head) == 0;
    while (ok && B->n < MAX_MATRICES && fgets(line, sizeof line, file)) {
        result *r = &B->rows[B->n++];
        ok =
            sscanf(line, "%63[^\t]\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", r->name,
                   &r->n_rows, &r->n_cols, &r->nnz, &r->bytes, &r->intensity, &r->bandwidth,
                   &r->roof, &r->plain, &r->balanced, &r->plain_share, &r->balanced_share) == 12;
    }
    fclose(file);
    return ok && B->n > 0 ? 0 : -1;
}

static void print_table(const bench *B)
{
    printf("SpMV in CSR against the roof: %s, %d thread%s, %s\n", B->cpu, B->threads,
           B->threads == 1 ? "" : "s", B->date);
    printf(
        "rows cut evenly (plain) or by entries; the bar is the better one's share of the roof\n\n"
        "%-26s %6s %6s  %6s %6s %6s\n%-26s %6s %6s  %6s %6s %6s Gflop/s\n",
        "", "", "nz a", "", "", "by en-", "matrix", "MB", "row", "roof", "plain", "tries");
    for (int k = 0; k < B->n; k++) {
        const result *r = &B->rows[k];
        const double share = fmax(r->plain_share, r->balanced_share);
        printf("%-26.26s %6.4g %6.3g  %6.2f %6.2f %6.2f ", r->name, r->bytes * 1e-6,
               r->nnz / r->n_rows, r->roof, r->plain, r->balanced);
        spw_textplot_bar(stdout, fmin(share, 1), 10);
        printf(" %3.0f %%\n", 100 * share);
    }
}

int main(int argc, char **argv)
{
    const char *folder = "build/plots";
    int show = 0, first = argc;
    bench B = {.threads = spw_max_threads()};
    for (int i = 1; i < argc && first == argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            show = 1;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            folder = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            B.threads = atoi(argv[++i]);
            if (B.threads < 1 || B.threads > 4096) {
                fprintf(stderr, "plot_spmv: THREADS is '%s', must be 1 to 4096\n", argv[i]);
                return 1;
            }
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "plot_spmv: '%s' is no option; known are --show --threads --out\n",
                    argv[i]);
            return 1;
        } else {
            first = i;
        }
    }
    int status = 1;
    if (SPW_ALLOC_ZERO(&B.rows, MAX_MATRICES)) {
        fprintf(stderr, "plot_spmv: %s\n", spw_message());
        return 1;
    }
    bench kept = {.rows = B.rows};
    if (show && first == argc && read_table(folder, &kept) == 0) {
        print_table(&kept);
        status = 0;
        goto done;
    }
    memset(B.rows, 0, MAX_MATRICES * sizeof *B.rows);

    const time_t now = time(NULL);
    strftime(B.date, sizeof B.date, "%Y-%m-%d", localtime(&now));
    snprintf(B.cpu, sizeof B.cpu, "%s", spw_topology_read().cpu);
    for (char *c = B.cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    spw_set_threads(B.threads);
    const double peak = spw_peak_flops(B.threads);
    if (first < argc) {
        for (int i = first; i < argc; i++) add(&B, argv[i], 0, peak);
    } else {
        for (size_t g = 0; g < sizeof generators / sizeof generators[0]; g++)
            add(&B, generators[g], 0, peak);
        const char *shared = getenv("SHARED_MATRICES");
        add_folder(&B, "matrices/collection", peak);
        if (shared && *shared) add_folder(&B, shared, peak);
    }
    fprintf(stderr, "\n");
    if (B.n == 0) {
        fprintf(stderr, "plot_spmv: no matrix could be measured\n");
        goto done;
    }
    status = write_table(&B, folder);
    print_table(&B);
done:
    spw_free(B.rows);
    return status;
}

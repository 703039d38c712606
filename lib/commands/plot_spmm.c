/* commands/plot_spmm.c -- SpMM against the number of vectors, beside as many single SpMVs: the plot of
 * exercise 17.
 *
 *   plot_spmm [--show] [--threads N] [--out FOLDER] [MATRIX]
 *     --show     shows the table of the last time, if there is one, and measures nothing
 *     --out      folder of exercise-17.tsv and exercise-17-facts.gp, build/plots
 *     MATRIX     what MATRIX= takes; without it stencil27:64
 * For 1 to 48 vectors the roof (the best loop with that mix of loads and stores, at that working set), the
 * product in CSR and in SELL-P with blocks stored row by row, that in CSR from and to column-major
 * blocks, and nv single SpMVs are measured in interleaved blocks. plots/exercise-17.gp draws it.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/command.h"
#include "commands/textplot.h"
#include "formats/generate.h"
#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "perf/bandwidth.h"
#include "perf/roofline.h"
#include "perf/timer.h"
#include "perf/topology.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST = 48, BLOCKS = 9, KERNELS = 4 };
enum { CSR, SELLP, TRANSPOSED, SINGLE };

typedef struct result {
    int nv;
    double bytes, intensity, bandwidth, roof; /* flop/byte, GB/s, Gflop/s */
    double speed[KERNELS];                    /* Gflop/s */
} result;

typedef struct bench {
    spw_csr A;
    spw_sellp S;
    double *X, *Y, *from, *to; /* [MOST * n]: row-major, column-major */
    double peak;
    char name[64], cpu[96], date[16];
    int threads, n;
    result rows[MOST];
} bench;

/* --- measuring ------------------------------------------------------------------------------------ */

static void call(bench *B, int kernel, int nv)
{
    const spw_csr *A = &B->A;
    switch (kernel) {
    case CSR: spw_spmm_csr_omp_stream(A, nv, B->X, nv, B->Y, nv); break;
    case SELLP: spw_spmm_sellp_omp_stream(&B->S, nv, B->X, nv, B->Y, nv); break;
    case TRANSPOSED:
        spw_transpose_omp_blocked(nv, A->n_cols, B->from, A->n_cols, B->X, nv);
        spw_spmm_csr_omp_stream(A, nv, B->X, nv, B->Y, nv);
        spw_transpose_omp_blocked(A->n_rows, nv, B->Y, nv, B->to, A->n_rows);
        break;
    default:
        for (int v = 0; v < nv; v++)
            spw_spmv_csr_omp_prefetch(A, B->from + (int64_t)v * A->n_cols,
                                      B->to + (int64_t)v * A->n_rows);
    }
}

/* All but the single SpMVs, which take longest and whose time is that of one, nv times: that is measured
 * with nv calls, up to eight of them. */
static spw_status measure(bench *B, int nv, result *r)
{
    const spw_csr *A = &B->A;
    const spw_cost cost = spw_spmm_cost(A->n_rows, A->n_cols, A->nnz, A->nnz, A->n_rows + 1, nv);
    spw_probe probe;
    const spw_status status =
        spw_probe_create(spw_mix_for(cost), (int64_t)spw_cost_bytes(cost), B->threads, &probe);
    if (status) return status;
    const int singles = nv < 8 ? nv : 8;
    double seconds[KERNELS][BLOCKS], roof[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        roof[b] = spw_probe_run(&probe);
        for (int k = 0; k < KERNELS; k++) {
            const int kernel = (k + b) % KERNELS;
            const double begin = spw_now();
            call(B, kernel, kernel == SINGLE ? singles : nv);
            seconds[kernel][b] = spw_now() - begin;
            if (kernel == SINGLE) seconds[kernel][b] *= (double)nv / singles;
        }
    }
    /* The fast quarter of the samples, as in the judge (judge/speed.c). */
    const double bandwidth = spw_probe_traffic(&probe) / spw_quartile(roof, BLOCKS, NULL, NULL);
    spw_probe_destroy(&probe);
    *r = (result){.nv = nv,
                  .bytes = spw_cost_bytes(cost),
                  .intensity = spw_cost_intensity(cost),
                  .bandwidth = 1e-9 * bandwidth,
                  .roof = 1e-9 * cost.flop / spw_roofline_time(cost, bandwidth, B->peak)};
    for (int k = 0; k < KERNELS; k++)
        r->speed[k] = 1e-9 * cost.flop / spw_quartile(seconds[k], BLOCKS, NULL, NULL);
    return SPW_OK;
}

static spw_status prepare(bench *B, const char *matrix)
{
    spw_status status = spw_csr_load(matrix, &B->A);
    if (!status && B->A.nnz == 0)
        status = spw_error(SPW_ERR_ARG, "%s has no entries: nothing to measure", matrix);
    if (!status) status = spw_sellp_from_csr(&B->A, 8, 4, &B->S);
    if (status) return status;
    const int64_t in = (int64_t)B->A.n_cols * MOST, out = (int64_t)B->A.n_rows * MOST;
    if (!status) status = SPW_ALLOC(&B->X, in);
    if (!status) status = SPW_ALLOC(&B->from, in);
    if (!status) status = SPW_ALLOC(&B->Y, out);
    if (!status) status = SPW_ALLOC(&B->to, out);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < in; k++) B->X[k] = B->from[k] = 0.5 + spw_random_double(1, (uint64_t)k);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < out; k++) B->Y[k] = B->to[k] = 0;
    const char *slash = spw_is_generator(matrix) ? NULL : strrchr(matrix, '/');
    snprintf(B->name, sizeof B->name, "%s", slash ? slash + 1 : matrix);
    snprintf(B->cpu, sizeof B->cpu, "%s", spw_topology_read().cpu);
    for (char *c = B->cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    const time_t now = time(NULL);
    strftime(B->date, sizeof B->date, "%Y-%m-%d", localtime(&now));
    spw_set_threads(B->threads);
    B->peak = spw_peak_flops(B->threads);
    return SPW_OK;
}

static spw_status measure_all(bench *B, const char *matrix)
{
    spw_status status = prepare(B, matrix);
    for (int nv = 1; nv <= MOST && !status; nv++) {
        status = measure(B, nv, &B->rows[B->n]);
        if (!status) B->n++;
        fprintf(stderr, ".");
    }
    fprintf(stderr, "\n");
    spw_csr_destroy(&B->A);
    spw_sellp_destroy(&B->S);
    spw_free(B->X);
    spw_free(B->Y);
    spw_free(B->from);
    spw_free(B->to);
    return status;
}

/* --- the table ------------------------------------------------------------------------------------ */

static const char head[] = "# vectors\tbytes\tflop/byte\tGB/s\troof Gflop/s\tCSR Gflop/s\t"
                           "SELL-P Gflop/s\twith transpositions Gflop/s\tsingle SpMVs Gflop/s\n";

static int write_table(const bench *B, const char *folder)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-17.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_spmm", "write", path);
    fprintf(file, "# %s\t%d\t%s\t%s\n%s", B->date, B->threads, B->name, B->cpu, head);
    for (int k = 0; k < B->n; k++) {
        const result *r = &B->rows[k];
        fprintf(file, "%d\t%.0f\t%.5f\t%.3f\t%.3f", r->nv, r->bytes, r->intensity, r->bandwidth,
                r->roof);
        for (int m = 0; m < KERNELS; m++) fprintf(file, "\t%.3f", r->speed[m]);
        fprintf(file, "\n");
    }
    if (fclose(file)) return cannot("plot_spmm", "write", path);
    snprintf(path, sizeof path, "%s/exercise-17-facts.gp", folder);
    file = fopen(path, "w");
    if (!file) return cannot("plot_spmm", "write", path);
    fprintf(file, "cpu = \"%s\"\nmatrix = \"%s\"\ndate = '%s'\nthreads = %d\n", B->cpu, B->name,
            B->date, B->threads);
    return fclose(file) ? cannot("plot_spmm", "write", path) : 0;
}

/* 0: read; -1: there is no table, or it is of another form. */
static int read_table(const char *folder, bench *B)
{
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/exercise-17.tsv", folder);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int ok = fgets(line, sizeof line, file) &&
             sscanf(line, "# %15[^\t]\t%d\t%63[^\t]\t%95[^\n]", B->date, &B->threads, B->name,
                    B->cpu) == 4 &&
             fgets(line, sizeof line, file) && strcmp(line, head) == 0;
    while (ok && B->n < MOST && fgets(line, sizeof line, file)) {
        result *r = &B->rows[B->n++];
        ok = sscanf(line, "%d\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", &r->nv, &r->bytes,
                    &r->intensity, &r->bandwidth, &r->roof, &r->speed[CSR], &r->speed[SELLP],
                    &r->speed[TRANSPOSED], &r->speed[SINGLE]) == 9;
    }
    fclose(file);
    return ok && B->n > 0 ? 0 : -1;
}

/* All figures are in the file; 80 columns and a screen hold the most telling ones. */
static void print_table(const bench *B)
{
    printf("SpMM against the number of vectors nv: %s, %s, %d thread%s, %s\n"
           "row-major blocks; \"turned\" is CSR from and to column-major ones; Gflop/s\n"
           "The bar is the gain of CSR over nv single SpMVs, of 16.\n\n"
           "  nv    MB  flop/byte   roof    CSR SELL-P turned single\n",
           B->name, B->cpu, B->threads, B->threads == 1 ? "" : "s", B->date);
    for (int k = 0; k < B->n; k++) {
        const result *r = &B->rows[k];
        if (r->nv > 4 && r->nv % 8 && r->nv != 31 && r->nv != 33) continue;
        const double gain = r->speed[CSR] / r->speed[SINGLE];
        printf("%4d %5.4g  %9.2f %6.2f %6.2f %6.2f %6.2f %6.2f ", r->nv, r->bytes * 1e-6,
               r->intensity, r->roof, r->speed[CSR], r->speed[SELLP], r->speed[TRANSPOSED],
               r->speed[SINGLE]);
        spw_textplot_bar(stdout, fmin(gain / 16, 1), 16);
        printf(" %4.1f\n", gain);
    }
}

/* 0; 1 with a message. *matrix: NULL if none was named. */
static int options(int argc, char **argv, bench *B, int *show, const char **folder,
                   const char **matrix)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            *show = 1;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            *folder = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            B->threads = atoi(argv[++i]);
            if (B->threads >= 1 && B->threads <= 4096) continue;
            fprintf(stderr, "plot_spmm: THREADS is '%s', must be 1 to 4096\n", argv[i]);
            return 1;
        } else if (argv[i][0] == '-' || *matrix) {
            fprintf(stderr,
                    "plot_spmm: '%s' is no option; known are --show --threads --out and a matrix\n",
                    argv[i]);
            return 1;
        } else {
            *matrix = argv[i];
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static bench B, kept;
    const char *folder = "build/plots", *matrix = NULL;
    int show = 0;
    B.threads = spw_max_threads();
    if (options(argc, argv, &B, &show, &folder, &matrix)) return 1;
    if (show && !matrix && read_table(folder, &kept) == 0) {
        print_table(&kept);
        return 0;
    }
    if (measure_all(&B, matrix ? matrix : "stencil27:64")) {
        fprintf(stderr, "plot_spmm: %s\n", spw_message());
        return 1;
    }
    const int status = write_table(&B, folder);
    print_table(&B);
    return status;
}

/* commands/plot_bench.c -- tables of two pictures: speed of each format, and beta against sigma.
 *
 *   plot_bench [--bench FILE] [--out FOLDER] [MATRIX...]
 *     --bench  what `make bench` kept, build/bench.tsv: nothing is measured here
 *     --out    folder of formats-speed.tsv and formats-beta.tsv, build/plots
 *     MATRIX   for beta; without any: one of even and some of uneven rows
 * formats-speed.tsv has the fastest kernel of each format and matrix, and the roof, in Gflop/s: the
 * rows of the group "spmv". Where nothing was benched yet it is not written, and a line says so.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "commands/command.h"
#include "formats/generate.h"
#include "formats/info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SERIES_MAX = 16, MATRICES_MAX = 32, NAME = 64 };

/* --- speed ---------------------------------------------------------------------------------------- */

typedef struct table {
    int n_series, n_matrices;
    char series[SERIES_MAX][NAME], matrix[MATRICES_MAX][NAME];
    double speed[MATRICES_MAX][SERIES_MAX]; /* Gflop/s; 0: none */
    double roof[MATRICES_MAX];
    char date[32], machine[128], threads[16];
} table;

/* The number of a name in a list, to which it is added where it is new; -1: no room. */
static int number_of(char (*list)[NAME], int *n, int most, const char *name)
{
    for (int k = 0; k < *n; k++)
        if (strcmp(list[k], name) == 0) return k;
    if (*n == most) return -1;
    snprintf(list[*n], NAME, "%s", name);
    return (*n)++;
}

/* "spw_spmv_sell_omp_pairs" is one of sell; a peer goes by its own name. */
static void series_of(const char *kernel, char *name)
{
    char format[NAME] = "";
    if (sscanf(kernel, "spw_spmv_%63[^_]", format) == 1)
        snprintf(name, NAME, "%s", format);
    else
        snprintf(name, NAME, "%.63s", kernel);
}

/* A line of bench.tsv: date machine threads group subject kernel value unit bytes share ... */
static void take(table *t, char *line)
{
    enum { DATE, MACHINE, THREADS, GROUP, SUBJECT, KERNEL, VALUE, UNIT, BYTES, SHARE, FIELDS };
    char *field[FIELDS], name[NAME];
    int n = 0;
    for (char *at = line; at && n < FIELDS; n++) {
        field[n] = at;
        at = strchr(at, '\t');
        if (at) *at++ = '\0';
    }
    if (n < FIELDS || strcmp(field[GROUP], "spmv") || strcmp(field[UNIT], "GF/s")) return;
    series_of(field[KERNEL], name);
    const int s = number_of(t->series, &t->n_series, SERIES_MAX, name);
    const int m = number_of(t->matrix, &t->n_matrices, MATRICES_MAX, field[SUBJECT]);
    const double speed = atof(field[VALUE]), share = atof(field[SHARE]);
    if (s < 0 || m < 0) return;
    if (speed > t->speed[m][s]) t->speed[m][s] = speed;
    if (share > 0) t->roof[m] = speed / share;
    snprintf(t->date, sizeof t->date, "%.31s", field[DATE]);
    snprintf(t->machine, sizeof t->machine, "%.127s", field[MACHINE]);
    snprintf(t->threads, sizeof t->threads, "%.15s", field[THREADS]);
}

static int speeds(const char *bench, const char *folder)
{
    static table t;
    char line[2048], path[1200];
    FILE *file = fopen(bench, "r");
    if (!file) {
        printf("No speeds of the formats yet: make bench ONLY=spmv\n");
        return 0;
    }
    while (fgets(line, sizeof line, file)) take(&t, line);
    fclose(file);
    if (t.n_matrices == 0) {
        printf("No speeds of the formats in %s: make bench ONLY=spmv\n", bench);
        return 0;
    }
    snprintf(path, sizeof path, "%s/formats-speed.tsv", folder);
    if (!(file = fopen(path, "w"))) return cannot("plot_bench", "write", path);
    fprintf(file, "# %s, %s threads, %s\nmatrix\troof", t.machine, t.threads, t.date);
    for (int s = 0; s < t.n_series; s++) fprintf(file, "\t%s", t.series[s]);
    for (int m = 0; m < t.n_matrices; m++) {
        fprintf(file, "\n%s\t%.3f", t.matrix[m], t.roof[m]);
        for (int s = 0; s < t.n_series; s++)
            if (t.speed[m][s] > 0)
                fprintf(file, "\t%.3f", t.speed[m][s]);
            else
                fprintf(file, "\t-");
    }
    fprintf(file, "\n");
    return fclose(file) ? cannot("plot_bench", "write", path) : 0;
}

/* --- beta ----------------------------------------------------------------------------------------- */

/* SELL-32-sigma: how much of what is stored are entries, for sigma from 1 to more than all rows. */
static int betas(int n, char *const *names, const char *folder)
{
    enum { C = 32, STEPS = 12 };
    char path[1200];
    snprintf(path, sizeof path, "%s/formats-beta.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_bench", "write", path);
    for (int k = 0; k < n; k++) {
        spw_csr A;
        if (spw_csr_load(names[k], &A)) {
            fprintf(stderr, "left out: %s\n", spw_message());
            continue;
        }
        fprintf(file, "%s\"%s\"\n", k ? "\n\n" : "", names[k]);
        for (int step = 0; step <= STEPS; step++) {
            const spw_idx sigma = step == 0 ? 1 : (spw_idx)C << (step - 1);
            int64_t stored;
            if (spw_csr_sliced_entries(&A, C, sigma, 1, &stored)) break;
            fprintf(file, "%d\t%.5f\n", sigma, stored ? (double)A.nnz / (double)stored : 1.0);
        }
        spw_csr_destroy(&A);
    }
    return fclose(file) ? cannot("plot_bench", "write", path) : 0;
}

int main(int argc, char **argv)
{
    static char *const usual[] = {"fem3:24", "arrow:100000", "powerlaw:100000",
                                  "random:50000x50000x24"};
    const char *bench = "build/bench.tsv", *folder = "build/plots";
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i += 2) {
        const char **option = !strcmp(argv[i], "--bench") ? &bench
                              : !strcmp(argv[i], "--out") ? &folder
                                                          : NULL;
        if (!option || i + 1 == argc) {
            fprintf(stderr, "plot_bench: '%s' is no option with a value; known are --bench --out\n",
                    argv[i]);
            return 1;
        }
        *option = argv[i + 1];
    }
    mkdir(folder, 0777);
    const int status = speeds(bench, folder);
    if (i < argc) return status | betas(argc - i, argv + i, folder);
    return status | betas((int)(sizeof usual / sizeof *usual), usual, folder);
}

/* Figures of what `make bench` kept, and of padding: nothing is measured. */
#include "commands/plot/plot.h"

#include "formats/info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- speed: the fastest kernel of each format and matrix, and the roof, in Gflop/s ------------------- */

enum { SERIES_MAX = 16, MATRICES_MAX = 32, NAME = 64 };

typedef struct speeds {
    int n_series, n_matrices;
    char series[SERIES_MAX][NAME], matrix[MATRICES_MAX][NAME];
    double speed[MATRICES_MAX][SERIES_MAX], roof[MATRICES_MAX]; /* Gflop/s; 0: none */
} speeds;

/* The number of a name in a list, to which it is added where it is new; -1: no room. */
static int number_of(char (*list)[NAME], int *n, int most, const char *name) {
    for (int k = 0; k < *n; k++)
        if (strcmp(list[k], name) == 0) return k;
    if (*n == most) return -1;
    snprintf(list[*n], NAME, "%s", name);
    return (*n)++;
}

/* A line of bench.tsv, of the group "spmv". Machine, threads and date go into *p. */
static void take(plot *p, speeds *t, char *line) {
    enum { DATE, MACHINE, THREADS, GROUP, SUBJECT, KERNEL, VALUE, UNIT, BYTES, SHARE, FIELDS };
    char *field[FIELDS], format[NAME];
    int n = 0;
    for (char *at = line; at && n < FIELDS; n++) {
        field[n] = at;
        at = strchr(at, '\t');
        if (at) *at++ = '\0';
    }
    if (n < FIELDS || strcmp(field[GROUP], "spmv") || strcmp(field[UNIT], "GF/s")) return;
    /* "spw_spmv_sell_omp_pairs" is one of sell; a peer goes by its own name */
    if (sscanf(field[KERNEL], "spw_spmv_%63[^_]", format) != 1)
        snprintf(format, NAME, "%.63s", field[KERNEL]);
    const int s = number_of(t->series, &t->n_series, SERIES_MAX, format);
    const int m = number_of(t->matrix, &t->n_matrices, MATRICES_MAX, field[SUBJECT]);
    const double speed = atof(field[VALUE]), share = atof(field[SHARE]);
    if (s < 0 || m < 0) return;
    t->speed[m][s] = fmax(t->speed[m][s], speed);
    if (share > 0) t->roof[m] = speed / share;
    snprintf(p->cpu, sizeof p->cpu, "%.95s", field[MACHINE]);
    snprintf(p->date, sizeof p->date, "%.15s", field[DATE]);
    p->threads = atoi(field[THREADS]);
}

void draw_speeds(plot *p) {
    static speeds t;
    plot_column columns[SERIES_MAX + 3] = {PLOT_KEPT("matrix", "%s"), PLOT_KEPT("roof", "%.3f")};
    char line[2048];
    FILE *file = fopen(p->bench, "r");
    while (file && fgets(line, sizeof line, file)) take(p, &t, line);
    if (file) fclose(file);
    if (t.n_matrices == 0) {
        plot_say(p, "No speeds of the formats in %s yet: make bench ONLY=spmv\n", p->bench);
        return;
    }
    for (int s = 0; s < t.n_series; s++)
        columns[2 + s] = (plot_column)PLOT_KEPT(t.series[s], "%.3f");
    plot_table kept = plot_begin_table(p, "", columns);
    for (int m = 0; m < t.n_matrices; m++) {
        double values[1 + SERIES_MAX] = {t.roof[m]};
        for (int s = 0; s < t.n_series; s++)
            values[1 + s] = t.speed[m][s] > 0 ? t.speed[m][s] : NAN;
        plot_row(&kept, false, t.matrix[m], values, 1 + t.n_series);
    }
}

/* --- SELL-32-sigma: entries over stored ones, for sigma from 1 to more than all rows ------------------ */

void draw_beta(plot *p) {
    enum { C = 32, WINDOWS = 13 };
    static const plot_column columns[] = {
        PLOT_KEPT("sigma", "%.0f"), PLOT_KEPT("entries / stored", "%.5f"), {0}};
    plot_table t = plot_begin_table(p, "", columns);
    for (int m = 0; m < p->n_matrices; m++) {
        spw_csr A = plot_load(p, p->matrices[m]);
        fprintf(t.file, "%s\"%s\"\n", m ? "\n\n" : "",
                p->matrices[m]); /* the heading of an index */
        for (int w = 0; w < WINDOWS; w++) {
            const spw_idx sigma = w == 0 ? 1 : (spw_idx)C << (w - 1);
            int64_t stored;
            plot_must(p, spw_csr_sliced_entries(&A, C, sigma, 1, &stored));
            PLOT_ROW(&t, false, NULL, sigma, A.nnz / (double)stored);
        }
        spw_csr_destroy(&A);
    }
}

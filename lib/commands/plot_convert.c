/* commands/plot_convert.c -- the time of COO to CSR for an entry, against size and order of the
 * entries: exercise 5's plot.
 *
 *   plot_convert [--show] [--out FOLDER] [--answer ANSWER.so]
 *     --show     shows the table of the last time, if there is one, and measures nothing
 *     --out      folder of exercise-05.tsv and exercise-05-facts.gp, build/plots
 *     --answer   a shared object with coo_to_csr, the counting sort of exercise 5
 * The matrices come from assembling cubes of hexahedra, 64 entries each. Their entries stand as they were
 * assembled, sorted by row, or in random order. Measured are the counting sort, by one thread, and the
 * library's conversion, by all. plots/exercise-05.gp draws it.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/command.h"
#include "commands/textplot.h"
#include "formats/coo.h"
#include "formats/csr.h"
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

enum { ORDERS = 3, SAMPLES = 7, SIZES = 8 };
enum { ASSEMBLED, SORTED, RANDOM };

/* Elements an edge: 4096 entries to 8.5 million. */
static const int edges[SIZES] = {4, 6, 9, 14, 20, 29, 40, 51};
static const char *const order_name[ORDERS] = {"as assembled", "by row", "random"};

typedef void (*convert_fn)(const spw_coo *, spw_idx *, spw_idx *, double *, spw_idx *, spw_idx *);

typedef struct table {
    int n, threads;
    char cpu[96], date[16];
    double entries[SIZES];
    double counting[ORDERS][SIZES], library[ORDERS][SIZES]; /* ns an entry; 0: not measured */
} table;

/* --- measuring ------------------------------------------------------------------------------------- */

static void swap_entries(spw_coo *A, int64_t k, int64_t m)
{
    const spw_idx row = A->row_idx[k], col = A->col_idx[k];
    const double val = A->val[k];
    A->row_idx[k] = A->row_idx[m];
    A->col_idx[k] = A->col_idx[m];
    A->val[k] = A->val[m];
    A->row_idx[m] = row;
    A->col_idx[m] = col;
    A->val[m] = val;
}

static spw_status make(int edge, int order, spw_coo *A)
{
    const int64_t k = edge + 1, n = k * k * k;
    spw_status status = spw_coo_create(n, n, (int64_t)64 * edge * edge * edge, A);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < (int64_t)edge * edge * edge; e++) {
        const int64_t corner = (e / edge / edge * k + e / edge % edge) * k + e % edge;
        for (int ab = 0; ab < 64; ab++) {
            const int a = ab / 8, b = ab % 8;
            A->row_idx[64 * e + ab] =
                (spw_idx)(corner + ((a >> 2) * k + (a >> 1 & 1)) * k + (a & 1));
            A->col_idx[64 * e + ab] =
                (spw_idx)(corner + ((b >> 2) * k + (b >> 1 & 1)) * k + (b & 1));
            A->val[64 * e + ab] = spw_random_double(5, (uint64_t)(64 * e + ab));
        }
    }
    if (order == RANDOM)
        for (int64_t i = A->nnz - 1; i > 0; i--)
            swap_entries(A, i, spw_random_below(6, (uint64_t)i, i + 1));
    if (order == SORTED) {
        spw_csr sorted;
        status = spw_csr_from_coo(A, &sorted);
        spw_coo_destroy(A);
        if (!status) status = spw_coo_from_csr(&sorted, A);
        spw_csr_destroy(&sorted);
    }
    return status;
}

/* ns an entry. With few entries a sample is several calls. */
static spw_status measure(const spw_coo *A, convert_fn convert, double *counting, double *library)
{
    spw_idx *index = NULL;
    double *val = NULL, time[SAMPLES];
    const int64_t nz = A->nnz, n = A->n_rows;
    const int calls = nz < 1000000 ? (int)(1000000 / nz) : 1;
    spw_status status = SPW_ALLOC(&index, 2 * nz + 2 * (n + 1));
    if (!status) status = SPW_ALLOC(&val, nz);
    for (int s = -1; s < SAMPLES && !status && convert; s++) { /* the first one warms up */
        const double begin = spw_now();
        for (int c = 0; c < calls; c++)
            convert(A, index + 2 * nz, index, val, index + nz, index + 2 * nz + n + 1);
        if (s >= 0) time[s] = (spw_now() - begin) / calls;
    }
    *counting = convert && !status ? 1e9 * spw_quartile(time, SAMPLES, NULL, NULL) / (double)nz : 0;
    for (int s = -1; s < SAMPLES && !status; s++) {
        const double begin = spw_now();
        for (int c = 0; c < calls && !status; c++) {
            spw_csr B;
            status = spw_csr_from_coo(A, &B);
            spw_csr_destroy(&B);
        }
        if (s >= 0) time[s] = (spw_now() - begin) / calls;
    }
    *library = status ? 0 : 1e9 * spw_quartile(time, SAMPLES, NULL, NULL) / (double)nz;
    spw_free(index);
    spw_free(val);
    return status;
}

static spw_status measure_all(convert_fn convert, table *T)
{
    for (int s = 0; s < SIZES; s++) {
        for (int order = 0; order < ORDERS; order++) {
            spw_coo A;
            spw_status status = make(edges[s], order, &A);
            /* Sorted, duplicates are gone: fewer entries at the same number of rows. */
            if (!status)
                status = measure(&A, convert, &T->counting[order][s], &T->library[order][s]);
            spw_coo_destroy(&A);
            if (status) return status;
        }
        T->entries[s] = 64.0 * edges[s] * edges[s] * edges[s];
        T->n++;
        fprintf(stderr, ".");
    }
    fprintf(stderr, "\n");
    return SPW_OK;
}

/* --- the table ------------------------------------------------------------------------------------- */

static const char head[] = "# entries, then ns an entry: counting sort and library, of entries as "
                           "assembled, by row and random\n";

static int write_table(const table *T, const char *folder)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-05.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_convert", "write", path);
    fprintf(file, "# %s\t%d\t%s\n%s", T->date, T->threads, T->cpu, head);
    for (int s = 0; s < T->n; s++) {
        fprintf(file, "%.0f", T->entries[s]);
        for (int order = 0; order < ORDERS; order++)
            fprintf(file, "\t%.3f\t%.3f", T->counting[order][s], T->library[order][s]);
        fprintf(file, "\n");
    }
    if (fclose(file)) return cannot("plot_convert", "write", path);
    snprintf(path, sizeof path, "%s/exercise-05-facts.gp", folder);
    file = fopen(path, "w");
    if (!file) return cannot("plot_convert", "write", path);
    fprintf(file, "cpu = \"%s\"\ndate = '%s'\nthreads = %d\n", T->cpu, T->date, T->threads);
    return fclose(file) ? cannot("plot_convert", "write", path) : 0;
}

/* 0: read; -1: there is no table, or it is of another form. */
static int read_table(const char *folder, table *T)
{
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/exercise-05.tsv", folder);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int ok = fgets(line, sizeof line, file) &&
             sscanf(line, "# %15[^\t]\t%d\t%95[^\n]", T->date, &T->threads, T->cpu) == 3 &&
             fgets(line, sizeof line, file) && strcmp(line, head) == 0;
    for (int s = 0; ok && s < SIZES && fgets(line, sizeof line, file); s++) {
        ok = sscanf(line, "%lf\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", &T->entries[s], &T->counting[0][s],
                    &T->library[0][s], &T->counting[1][s], &T->library[1][s], &T->counting[2][s],
                    &T->library[2][s]) == 7;
        T->n += ok;
    }
    fclose(file);
    return ok && T->n > 0 ? 0 : -1;
}

static void print_table(const table *T)
{
    spw_curve curves[2];
    const double *const all[] = {T->counting[RANDOM], T->library[RANDOM],    T->counting[ASSEMBLED],
                                 T->counting[SORTED], T->library[ASSEMBLED], T->library[SORTED]};
    double least = INFINITY, most = 0;
    int n = 0;
    for (int c = 0; c < 6; c++)
        for (int s = 0; s < T->n; s++) {
            if (all[c][s] <= 0) continue;
            least = fmin(least, all[c][s]);
            most = fmax(most, all[c][s]);
        }
    printf("COO to CSR, ns an entry: %s, %s\n", T->cpu, T->date);
    printf("%12s | counting sort, 1 thread     | library, %d thread%s\n%12s |", "", T->threads,
           T->threads == 1 ? "" : "s", "entries");
    for (int c = 0; c < 2; c++)
        for (int order = 0; order < ORDERS; order++)
            printf(" %*s%s", order ? 7 : 12, order_name[order], order == 2 && c == 0 ? " |" : "");
    printf("\n");
    for (int s = 0; s < T->n; s++) {
        printf("%12.0f |", T->entries[s]);
        for (int order = 0; order < ORDERS; order++)
            printf(" %*.1f", order ? 7 : 12, T->counting[order][s]);
        printf(" |");
        for (int order = 0; order < ORDERS; order++)
            printf(" %*.1f", order ? 7 : 12, T->library[order][s]);
        printf("\n");
    }
    const double *const shown[2] = {T->counting[RANDOM], T->counting[ASSEMBLED]};
    static const char *const name[2] = {"random", "as assembled"};
    for (int c = 0; c < 2; c++)
        if (shown[c][0] > 0) curves[n++] = (spw_curve){T->entries, shown[c], T->n, name[c], 1};
    if (n == 0 || T->n < 2) return;
    printf("\n");
    spw_textplot_draw(stdout, &(spw_textplot){.title = "counting sort, ns an entry",
                                              .x_label = "entries of the COO matrix",
                                              .x_ticks = SPW_TICKS_DECIMAL,
                                              .x_min = 0.7 * T->entries[0],
                                              .x_max = 1.4 * T->entries[T->n - 1],
                                              .y_min = 0.7 * least,
                                              .y_max = 1.6 * most,
                                              .height = 14,
                                              .curves = curves,
                                              .n_curves = n});
}

int main(int argc, char **argv)
{
    const char *folder = "build/plots", *answer = NULL;
    int show = 0;
    table T = {.threads = spw_max_threads()};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            show = 1;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            folder = argv[++i];
        } else if (strcmp(argv[i], "--answer") == 0 && i + 1 < argc) {
            answer = argv[++i];
        } else {
            fprintf(stderr, "plot_convert: '%s' is no option; known are --show --out --answer\n",
                    argv[i]);
            return 1;
        }
    }
    table kept = {0};
    if (show && read_table(folder, &kept) == 0) {
        print_table(&kept);
        return 0;
    }

    convert_fn convert = NULL;
    if (answer) {
        void *object = dlopen(answer, RTLD_NOW | RTLD_LOCAL);
        void *symbol = object ? dlsym(object, "coo_to_csr") : NULL;
        if (!symbol) {
            fprintf(stderr, "plot_convert: no coo_to_csr in %s\n", answer);
            return 1;
        }
        memcpy(&convert, &symbol, sizeof convert); /* ISO C has no cast from object to function */
    }
    const time_t now = time(NULL);
    strftime(T.date, sizeof T.date, "%Y-%m-%d", localtime(&now));
    snprintf(T.cpu, sizeof T.cpu, "%s", spw_topology_read().cpu);
    for (char *c = T.cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    if (measure_all(convert, &T)) {
        fprintf(stderr, "plot_convert: %s\n", spw_message());
        return 1;
    }
    const int status = write_table(&T, folder);
    print_table(&T);
    return status;
}

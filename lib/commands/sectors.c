/* commands/sectors.c -- prints what a CUDA function moves: by the checker, and by a GPU's counters beside it.
 * lib/commands/sectors.sh runs it, as the last step of `make traffic-N`:
 *
 *   sectors counted ROWS FUNCTION            the checker's table, array by array
 *   sectors profiled ROWS FUNCTION CSV [TSV] the same kernels by the profiler
 *   sectors metrics                          what the profiler is asked for
 *
 * ROWS is what a judge printed under --sectors, CSV what `ncu --csv --metrics ...` printed for one call on the
 * same case. TSV: a file that a row is appended to for each figure. Exit status: 0, 1 with one line of what
 * went wrong, or 3 where the profiler cannot count on this machine. */
#include "base/memory.h"
#include "perf/cost.h"
#include "commands/command.h"
#include "commands/counters/traffic.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 512, MOST_KERNELS = 64, SECTOR = 32, UNAVAILABLE = 3 };

typedef struct row {
    char kernel[64], array[64], access[8];
    int line;
    double requests, sectors, bytes;
} row;

typedef struct counted {
    char function[64], name[64]; /* name: the case */
    spw_cost cost;
    row rows[MOST_ROWS];
    int n;
} counted;

/* --- what the judge printed -------------------------------------------------------------------------- */

static void read_line(const char *line, counted *c, int *ours) {
    char word[64];
    row r;
    if (sscanf(line, "function\t%63[^\t\n]", word) == 1) {
        *ours = strcmp(word, c->function) == 0;
        return;
    }
    if (!*ours) return;
    (void)sscanf(line, "case\t%63[^\t\n]", c->name);
    (void)sscanf(line, "model\t%lf\t%lf\t%lf", &c->cost.load, &c->cost.store, &c->cost.flop);
    if (c->n < MOST_ROWS &&
        sscanf(line, "row\t%63[^\t]\t%d\t%63[^\t]\t%7[^\t]\t%lf\t%lf\t%lf", r.kernel, &r.line,
               r.array, r.access, &r.requests, &r.sectors, &r.bytes) == 7) {
        r.kernel[strcspn(r.kernel, "<(")] = 0; /* as the profiler names them */
        c->rows[c->n++] = r;
    }
}

static int read_rows(const char *path, const char *function, counted *c) {
    char line[512];
    int ours = 0;
    FILE *file = fopen(path, "r");
    if (!file) return cannot("sectors", "read", path);
    snprintf(c->function, sizeof c->function, "%s", function);
    while (fgets(line, sizeof line, file)) read_line(line, c, &ours);
    fclose(file);
    return c->n > 0 ? 0 : complain(1, "sectors", "the judge told no traffic of %s", function);
}

/* --- the checker's table ----------------------------------------------------------------------------- */

static double each(double sectors, double requests) {
    return requests > 0 ? sectors / requests : 0;
}

static void show_counted(const counted *c) {
    double sectors = 0;
    printf("\n %s, case %s: modelled, counted by the checker\n", c->function, c->name);
    printf("   %-22s %4s %-12s %-6s %9s %9s %7s\n", "kernel", "line", "array", "access", "requests",
           "sectors", "each");
    for (int k = 0; k < c->n; k++) {
        const row *r = &c->rows[k];
        printf("   %-22.22s %4d %-12.12s %-6s %9.0f %9.0f %7.2f\n", r->kernel, r->line, r->array,
               r->access, r->requests, r->sectors, each(r->sectors, r->requests));
        sectors += r->sectors;
    }
    const double moved = SECTOR * sectors, model = spw_cost_bytes(c->cost);
    printf("   together %.3f MB moved, %.3f MB by the model", moved * 1e-6, model * 1e-6);
    if (model > 0) printf(": %.2f times", moved / model);
    printf("\n");
}

/* --- the profiler beside it -------------------------------------------------------------------------- */

static double sum_of(const counted *c, const char *kernel, const char *access, int requests) {
    double sum = 0;
    for (int k = 0; k < c->n; k++)
        if (strcmp(c->rows[k].kernel, kernel) == 0 && strcmp(c->rows[k].access, access) == 0)
            sum += requests ? c->rows[k].requests : c->rows[k].sectors;
    return sum;
}

/* One line of the table; modelled < 0: the checker has no such figure. */
static void show_pair(const counted *c, FILE *tsv, const char *kernel, const char *what,
                      double modelled, double measured) {
    char left[24] = "-", right[24] = "not told", ratio[16] = "";
    if (modelled == 0 && measured <= 0) return;
    if (modelled >= 0) snprintf(left, sizeof left, "%.0f", modelled);
    if (measured >= 0) snprintf(right, sizeof right, "%.0f", measured);
    if (modelled > 0 && measured >= 0) snprintf(ratio, sizeof ratio, "%.3f", measured / modelled);
    printf("   %-22.22s %-18s %12s %12s %7s\n", kernel, what, left, right, ratio);
    if (tsv)
        fprintf(tsv, "%s\t%s\t%s\t%s\t%s\t%s\n", c->function, c->name, kernel, what, left, right);
}

static void show_kernel(const counted *c, const spw_profiled *p, FILE *tsv) {
    const char *name = p->kernel;
    show_pair(c, tsv, name, "load requests", sum_of(c, name, "load", 1), p->load_requests);
    show_pair(c, tsv, name, "load sectors", sum_of(c, name, "load", 0), p->load_sectors);
    show_pair(c, tsv, name, "store requests", sum_of(c, name, "store", 1), p->store_requests);
    show_pair(c, tsv, name, "store sectors", sum_of(c, name, "store", 0), p->store_sectors);
    show_pair(c, tsv, name, "atomic requests", sum_of(c, name, "atomic", 1), p->atomic_requests);
    show_pair(c, tsv, name, "atomic sectors", sum_of(c, name, "atomic", 0), p->atomic_sectors);
    show_pair(c, tsv, name, "L2 sectors", -1, p->l2_sectors);
    show_pair(c, tsv, name, "DRAM bytes read", -1, p->dram_read);
    show_pair(c, tsv, name, "DRAM bytes written", -1, p->dram_written);
}

static int show_profiled(const counted *c, const char *csv, const char *tsv_path) {
    static spw_profiled kernels[MOST_KERNELS];
    char *text = read_whole("sectors", csv);
    int n = 0;
    if (!text) return 1;
    const spw_status status = spw_traffic_from_ncu(text, kernels, MOST_KERNELS, &n);
    spw_free(text);
    if (status) {
        return complain(status == SPW_ERR_UNAVAILABLE ? UNAVAILABLE : 1, "sectors", "%s",
                        spw_message());
    }
    FILE *tsv = tsv_path ? fopen(tsv_path, "a") : NULL;
    if (tsv_path && !tsv) return cannot("sectors", "write", tsv_path);
    if (tsv && ftell(tsv) == 0)
        fprintf(tsv, "function\tcase\tkernel\tfigure\tmodelled\tmeasured\n");
    printf(" the same call on the GPU: measured, by its counters (ncu)\n");
    printf("   %-22s %-18s %12s %12s %7s\n", "kernel", "", "modelled", "measured", "ratio");
    for (int k = 0; k < n; k++) show_kernel(c, &kernels[k], tsv);
    const int closed = tsv ? fclose(tsv) : 0;
    return closed ? cannot("sectors", "write", tsv_path) : 0;
}

int main(int argc, char **argv) {
    static counted c;
    const int plain = argc == 4 && strcmp(argv[1], "counted") == 0;
    const int profiled = (argc == 5 || argc == 6) && strcmp(argv[1], "profiled") == 0;
    if (argc == 2 && strcmp(argv[1], "metrics") == 0) {
        puts(spw_traffic_ncu_metrics());
        return 0;
    }
    if (!plain && !profiled)
        return complain(1, "sectors", "%s",
                        "usage: sectors counted ROWS FUNCTION | "
                        "sectors profiled ROWS FUNCTION CSV [TSV] | sectors metrics");
    if (read_rows(argv[2], argv[3], &c)) return 1;
    if (profiled) return show_profiled(&c, argv[4], argc == 6 ? argv[5] : NULL);
    show_counted(&c);
    return 0;
}

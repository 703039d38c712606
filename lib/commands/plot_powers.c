/* commands/plot_powers.c -- matrix powers by levels against as many products, over the power p: the plot of
 * exercise 16.
 *
 *   plot_powers [--show] [--threads N] [--out FOLDER] [MATRIX...]
 *     --show     shows the table of the last time, if there is one, and measures nothing
 *     --out      folder of exercise-16.tsv and exercise-16-facts.gp, build/plots
 *     MATRIX     what MATRIX= takes, one or two; without them laplace2d:1000x1600 and laplace3d:100
 * For p = 1 .. 16 the p products, in the same format, and the powers are measured by turns. The gain of the model
 * is the ratio of the bytes, write-allocate included. plots/exercise-16.gp draws both.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/command.h"
#include "commands/textplot.h"
#include "formats/generate.h"
#include "perf/timer.h"
#include "perf/topology.h"
#include "solvers/powers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST = 16, BLOCKS = 7, MATRICES = 2 };
static const int powers[] = {1, 2, 3, 4, 6, 8, 12, 16};
enum { POINTS = sizeof powers / sizeof powers[0] };

typedef struct result {
    int p;
    double window, products, powers, model; /* bytes; s; s; gain */
} result;

typedef struct curve {
    char name[64];
    int n, fits; /* fits: the largest power whose window has room in L2, 0: unknown */
    result rows[POINTS];
} curve;

typedef struct bench {
    char cpu[96], date[16];
    int threads, n;
    curve curves[MATRICES];
} bench;

/* --- measuring ------------------------------------------------------------------------------------ */

static double seconds_of(const spw_powers *P, int p, int by_levels, double *const *v)
{
    const double begin = spw_now();
    if (by_levels)
        spw_powers_multiply(P, p, v[0], v + 1);
    else
        for (int k = 0; k < p; k++) spw_powers_multiply(P, 1, v[k], v + k + 1);
    return spw_now() - begin;
}

static double model_of(const spw_powers *P, int p)
{
    const double n = P->A.n_rows; /* write-allocate: 8 n for each power */
    return p * (spw_cost_bytes(spw_powers_cost(P, 1)) + 8 * n) /
           (spw_cost_bytes(spw_powers_cost(P, p)) + 8 * n * p);
}

static void measure(const spw_powers *P, double *const *v, curve *c)
{
    for (int k = 0; k < POINTS; k++) {
        const int p = powers[k];
        double seconds[2][BLOCKS];
        for (int b = 0; b < BLOCKS; b++)
            for (int turn = 0; turn < 2; turn++) {
                const int way = (b + turn) % 2;
                seconds[way][b] = seconds_of(P, p, way, v);
            }
        /* The fast quarter of the samples, as in the judge (judge/contest.h). */
        c->rows[c->n++] = (result){p, (double)spw_powers_window(P, p),
                                   spw_quartile(seconds[0], BLOCKS, NULL, NULL),
                                   spw_quartile(seconds[1], BLOCKS, NULL, NULL), model_of(P, p)};
        fprintf(stderr, ".");
    }
}

static spw_status measure_matrix(bench *B, const char *matrix, curve *c)
{
    spw_csr A = {0};
    spw_powers P = {0};
    double *v[MOST + 1] = {NULL};
    const int64_t l2 = spw_topology_read().l2;
    spw_status status = spw_csr_load(matrix, &A);
    if (!status && A.nnz == 0)
        status = spw_error(SPW_ERR_ARG, "%s has no entries: nothing to measure", matrix);
    if (!status) status = spw_powers_create(&A, &P);
    spw_csr_destroy(&A);
    for (int k = 0; k <= MOST && !status; k++) status = SPW_ALLOC(&v[k], P.A.n_rows);
    if (status) goto end;
    for (int k = 0; k <= MOST; k++) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < P.A.n_rows; i++) v[k][i] = spw_random_double(1, (uint64_t)i);
    }
    const char *slash = spw_is_generator(matrix) ? NULL : strrchr(matrix, '/');
    snprintf(c->name, sizeof c->name, "%s", slash ? slash + 1 : matrix);
    spw_set_threads(B->threads);
    while (c->fits < P.n_levels && spw_powers_window(&P, c->fits + 1) <= l2) c->fits++;
    measure(&P, v, c);
end:
    for (int k = 0; k <= MOST; k++) spw_free(v[k]);
    spw_powers_destroy(&P);
    return status;
}

static spw_status measure_all(bench *B, const char *const *matrices, int n)
{
    static const char *const usual[] = {"laplace2d:1000x1600", "laplace3d:100"};
    spw_status status = SPW_OK;
    snprintf(B->cpu, sizeof B->cpu, "%s", spw_topology_read().cpu);
    for (char *c = B->cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    const time_t now = time(NULL);
    strftime(B->date, sizeof B->date, "%Y-%m-%d", localtime(&now));
    if (n == 0) matrices = usual;
    for (B->n = 0; B->n < (n ? n : MATRICES) && !status; B->n++)
        status = measure_matrix(B, matrices[B->n], &B->curves[B->n]);
    fprintf(stderr, "\n");
    return status;
}

/* --- the table ------------------------------------------------------------------------------------ */

static const char head[] =
    "# matrix\tfits L2\tp\twindow bytes\tproducts s\tpowers s\tgain\tmodel\n";

static int write_table(const bench *B, const char *folder)
{
    char path[1024];
    mkdir(folder, 0777); /* if it is there already or cannot be made, fopen tells */
    snprintf(path, sizeof path, "%s/exercise-16.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_powers", "write", path);
    fprintf(file, "# %s\t%d\t%s\n%s", B->date, B->threads, B->cpu, head);
    for (int m = 0; m < B->n; m++) {
        const curve *c = &B->curves[m];
        for (int k = 0; k < c->n; k++) {
            const result *r = &c->rows[k];
            fprintf(file, "%s\t%d\t%d\t%.0f\t%.6f\t%.6f\t%.3f\t%.3f\n", c->name, c->fits, r->p,
                    r->window, r->products, r->powers, r->products / r->powers, r->model);
        }
        fprintf(file, "\n\n");
    }
    if (fclose(file)) return cannot("plot_powers", "write", path);
    snprintf(path, sizeof path, "%s/exercise-16-facts.gp", folder);
    file = fopen(path, "w");
    if (!file) return cannot("plot_powers", "write", path);
    fprintf(file, "cpu = \"%s\"\ndate = '%s'\nthreads = %d\nmatrices = %d\n", B->cpu, B->date,
            B->threads, B->n);
    for (int m = 0; m < MATRICES; m++)
        fprintf(file, "name%d = \"%s\"\nfits%d = %d\n", m, B->curves[m].name, m, B->curves[m].fits);
    return fclose(file) ? cannot("plot_powers", "write", path) : 0;
}

/* 0: read; -1: there is no table, or it is of another form. */
static int read_table(const char *folder, bench *B)
{
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/exercise-16.tsv", folder);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int ok = fgets(line, sizeof line, file) &&
             sscanf(line, "# %15[^\t]\t%d\t%95[^\n]", B->date, &B->threads, B->cpu) == 3 &&
             fgets(line, sizeof line, file) && strcmp(line, head) == 0;
    while (ok && fgets(line, sizeof line, file)) {
        char name[64];
        int fits;
        result r;
        if (line[0] == '\n') continue;
        ok = sscanf(line, "%63[^\t]\t%d\t%d\t%lf\t%lf\t%lf\t%*f\t%lf", name, &fits, &r.p, &r.window,
                    &r.products, &r.powers, &r.model) == 7;
        if (ok && (B->n == 0 || strcmp(B->curves[B->n - 1].name, name) != 0)) {
            ok = B->n < MATRICES;
            if (ok) B->curves[B->n] = (curve){.fits = fits};
            if (ok) snprintf(B->curves[B->n++].name, sizeof name, "%s", name);
        }
        curve *c = ok ? &B->curves[B->n - 1] : NULL;
        ok = ok && c->n < POINTS;
        if (ok) c->rows[c->n++] = r;
    }
    fclose(file);
    return ok && B->n > 0 ? 0 : -1;
}

static void print_table(const bench *B)
{
    printf("Exercise 16: p powers by levels against p products, %d thread%s, %s\n"
           "The bar is the gain that was measured, of 8.\n",
           B->threads, B->threads == 1 ? "" : "s", B->date);
    for (int m = 0; m < B->n; m++) {
        const curve *c = &B->curves[m];
        printf("\n  %s: the window has room in L2 up to p = %d\n"
               "   p  window KB  products ms  powers ms  model  gain\n",
               c->name, c->fits);
        for (int k = 0; k < c->n; k++) {
            const result *r = &c->rows[k];
            const double gain = r->products / r->powers;
            printf("%4d %10.0f %12.1f %10.1f %6.2f %5.2f  ", r->p, 1e-3 * r->window,
                   1e3 * r->products, 1e3 * r->powers, r->model, gain);
            spw_textplot_bar(stdout, fmin(gain / 8, 1), 16);
            printf("\n");
        }
    }
}

/* 0; 1 with a message. */
static int options(int argc, char **argv, bench *B, int *show, const char **folder,
                   const char **matrices, int *n)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            *show = 1;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            *folder = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            B->threads = atoi(argv[++i]);
            if (B->threads >= 1 && B->threads <= 4096) continue;
            fprintf(stderr, "plot_powers: THREADS is '%s', must be 1 to 4096\n", argv[i]);
            return 1;
        } else if (argv[i][0] == '-' || *n == MATRICES) {
            fprintf(stderr,
                    "plot_powers: '%s' is no option; known are --show --threads --out and two "
                    "matrices\n",
                    argv[i]);
            return 1;
        } else {
            matrices[(*n)++] = argv[i];
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static bench B, kept;
    const char *folder = "build/plots", *matrices[MATRICES] = {NULL};
    int show = 0, n = 0;
    B.threads = spw_max_threads();
    if (options(argc, argv, &B, &show, &folder, matrices, &n)) return 1;
    if (show && n == 0 && read_table(folder, &kept) == 0) {
        print_table(&kept);
        return 0;
    }
    if (measure_all(&B, matrices, n)) {
        fprintf(stderr, "plot_powers: %s\n", spw_message());
        return 1;
    }
    const int status = write_table(&B, folder);
    print_table(&B);
    return status;
}

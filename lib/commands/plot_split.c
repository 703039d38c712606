/* commands/plot_split.c -- time of a product divided between two sides, against the part: exercise 13's plot.
 *
 *   plot_split --answer ANSWER.so [--show] [--threads N] [--out FOLDER] [MATRIX]
 *     --answer   a shared object with multiply_here and best_part of exercise 13
 *     --show     shows the table of the last time, if there is one, and measures nothing
 *     --out      folder of exercise-13.tsv and exercise-13-facts.gp, build/plots
 *     MATRIX     what MATRIX= takes, laplace3d:96
 * The sides are the device and the host. Without a device both are of the host: its threads in two groups,
 * which is said in the table and in the picture. Each part is timed in every block, in turns. The model has no more than
 * two bandwidths, those of each side alone, which are the ends of the curve.
 * plots/exercise-13.gp draws it. Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "commands/command.h"
#include "formats/generate.h"
#include "kernels/symgs.h"
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

enum { STEPS = 20, BLOCKS = 15 };

typedef void (*multiply_fn)(const spw_coloured *, int64_t, int64_t, const double *, double *);
typedef double (*part_fn)(double, double);

typedef struct answer {
    multiply_fn multiply;
    part_fn best_part;
} answer;

typedef struct table {
    double part[STEPS + 1], time[STEPS + 1], model[STEPS + 1]; /* s */
    double bytes, best;
    int threads, device;
    char name[64], cpu[96], date[16];
} table;

typedef struct product {
    const spw_coloured *S;
    const answer *f;
    const double *x;
    double *w;
} product;

/* --- measuring ------------------------------------------------------------------------------------------ */

static void share(const product *p, int64_t begin, int64_t end, int number, int of)
{
    const int64_t n = end - begin;
    p->f->multiply(p->S, begin + n * number / of, begin + n * (number + 1) / of, p->x, p->w);
}

/* The first half of the threads is one side, the rest the other; a thread alone is both in turn. */
static void by_groups(const product *p, double part)
{
    const int64_t n = p->S->n_slices, middle = (int64_t)(part * (double)n + 0.5);
#pragma omp parallel
    {
        const int me = spw_thread(), team = spw_team_size(), first = team > 1 ? team / 2 : 1;
        const int rest = team > 1 ? team - first : 1;
        if (me < first) share(p, 0, middle, me, first);
        if (team == 1 || me >= first) share(p, middle, n, team == 1 ? 0 : me - first, rest);
    }
}

static double sample(const product *p, double part)
{
    const double begin = spw_now();
    if (p->S->on_device)
        spw_spmv_coloured_target(p->S, part, p->x, p->w);
    else
        by_groups(p, part);
    return spw_now() - begin;
}

static void measure(const product *p, table *T)
{
    double time[STEPS + 1][BLOCKS];
    for (int k = 0; k <= STEPS; k++) sample(p, k / (double)STEPS);
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k <= STEPS; k++) {
            const int which = (k + 7 * b) % (STEPS + 1);
            time[which][b] = sample(p, which / (double)STEPS);
        }
    for (int k = 0; k <= STEPS; k++) {
        T->part[k] = k / (double)STEPS;
        T->time[k] = spw_quartile(time[k], BLOCKS, NULL, NULL);
    }
    for (int k = 0; k <= STEPS; k++)
        T->model[k] = fmax(T->part[k] * T->time[STEPS], (1 - T->part[k]) * T->time[0]);
    const spw_coloured *const S = p->S;
    T->bytes = (double)spw_coloured_bytes(S) + 16.0 * S->n_places;
    T->best = p->f->best_part(T->bytes / T->time[0], T->bytes / T->time[STEPS]);
}

static spw_status measure_matrix(const char *name, const answer *f, table *T)
{
    spw_csr A = {0};
    spw_coloured S = {0};
    double *x = NULL, *w = NULL;
    spw_status status = spw_csr_load(name, &A);
    if (!status) status = spw_coloured_from_csr(&A, &S);
    if (!status && S.n == 0) status = spw_error(SPW_ERR_ARG, "%s has no rows", name);
    spw_csr_destroy(&A);
    if (!status) status = SPW_ALLOC(&x, S.n_places);
    if (!status) status = SPW_ALLOC(&w, S.n_places);
    if (status) goto done;
    T->device = spw_coloured_to_device(&S) == SPW_OK;
#pragma omp parallel for schedule(static)
    for (spw_idx p = 0; p < S.n_places; p++) {
        x[p] = S.row[p] < 0 ? 0 : 0.5 + spw_random_double(1, (uint64_t)p);
        w[p] = 0;
    }
    measure(&(product){&S, f, x, w}, T);
done:
    spw_free(x);
    spw_free(w);
    spw_coloured_destroy(&S);
    return status;
}

/* --- the table ------------------------------------------------------------------------------------------- */

static const char head[] = "# part\tms\tmodel ms\n";

static int write_table(const table *T, const char *folder)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-13.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_split", "write", path);
    fprintf(file, "# %s\t%d\t%d\t%s\t%.0f\t%.4f\t%s\n%s", T->date, T->threads, T->device, T->name,
            T->bytes, T->best, T->cpu, head);
    for (int k = 0; k <= STEPS; k++)
        fprintf(file, "%.3f\t%.4f\t%.4f\n", T->part[k], 1e3 * T->time[k], 1e3 * T->model[k]);
    if (fclose(file)) return cannot("plot_split", "write", path);
    snprintf(path, sizeof path, "%s/exercise-13-facts.gp", folder);
    file = fopen(path, "w");
    if (!file) return cannot("plot_split", "write", path);
    fprintf(file,
            "cpu = \"%s\"\ndate = '%s'\nthreads = %d\ndevice = %d\nbest = %.4f\nname = '%s'\n",
            T->cpu, T->date, T->threads, T->device, T->best, T->name);
    return fclose(file) ? cannot("plot_split", "write", path) : 0;
}

/* 0: read; -1: there is no table, or it is of another form. */
static int read_table(const char *folder, table *T)
{
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/exercise-13.tsv", folder);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int ok = fgets(line, sizeof line, file) &&
             sscanf(line, "# %15[^\t]\t%d\t%d\t%63[^\t]\t%lf\t%lf\t%95[^\n]", T->date, &T->threads,
                    &T->device, T->name, &T->bytes, &T->best, T->cpu) == 7 &&
             fgets(line, sizeof line, file) && strcmp(line, head) == 0;
    for (int k = 0; ok && k <= STEPS; k++) {
        ok = fgets(line, sizeof line, file) &&
             sscanf(line, "%lf\t%lf\t%lf", &T->part[k], &T->time[k], &T->model[k]) == 3;
        T->time[k] *= 1e-3;
        T->model[k] *= 1e-3;
    }
    fclose(file);
    return ok ? 0 : -1;
}

static void print_table(const table *T)
{
    const char *const one = T->device ? "device" : "side one", *const two =
                                                                   T->device ? "host" : "side two";
    int least = 0;
    for (int k = 1; k <= STEPS; k++)
        if (T->time[k] < T->time[least]) least = k;
    printf("A product divided: %s, %s, %d thread%s, %s\n", T->name, T->cpu, T->threads,
           T->threads == 1 ? "" : "s", T->date);
    if (!T->device && T->threads > 1)
        printf(
            "No device for target regions here: both parts run on the host, %d of its threads on\n"
            "one side, %d on the other.\n",
            T->threads / 2, T->threads - T->threads / 2);
    if (!T->device && T->threads == 1)
        printf("No device for target regions here, and one thread: it does one part after the "
               "other.\n");
    printf("%8s %10s %10s\n", "part", "ms", "model");
    for (int k = 0; k <= STEPS; k += 2)
        printf("%8.2f %10.3f %10.3f\n", T->part[k], 1e3 * T->time[k], 1e3 * T->model[k]);
    printf("alone: %s %.1f GB/s, %s %.1f GB/s; best_part %.2f; least time at part %.2f\n", one,
           1e-9 * T->bytes / T->time[STEPS], two, 1e-9 * T->bytes / T->time[0], T->best,
           T->part[least]);
}

static int load_answer(const char *path, answer *f)
{
    void *object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *multiply = object ? dlsym(object, "multiply_here") : NULL;
    void *best_part = object ? dlsym(object, "best_part") : NULL;
    if (!multiply || !best_part) {
        fprintf(stderr, "plot_split: no multiply_here and best_part in %s\n",
                path ? path : "'', give --answer");
        return 1;
    }
    memcpy(&f->multiply, &multiply,
           sizeof multiply); /* ISO C has no cast from object to function */
    memcpy(&f->best_part, &best_part, sizeof best_part);
    return 0;
}

static int run(const char *path, const char *folder, table *T)
{
    answer f;
    if (load_answer(path, &f)) return 1;
    const time_t now = time(NULL);
    strftime(T->date, sizeof T->date, "%Y-%m-%d", localtime(&now));
    snprintf(T->cpu, sizeof T->cpu, "%s", spw_topology_read().cpu);
    for (char *c = T->cpu; *c; c++)
        if (*c == '"' || *c == '\\') *c = ' ';
    spw_set_threads(T->threads);
    if (measure_matrix(T->name, &f, T)) {
        fprintf(stderr, "plot_split: %s\n", spw_message());
        return 1;
    }
    const int status = write_table(T, folder);
    print_table(T);
    return status;
}

int main(int argc, char **argv)
{
    table T = {.threads = spw_max_threads(), .name = "laplace3d:96"}, kept;
    const char *folder = "build/plots", *path = NULL;
    int show = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0) {
            show = 1;
        } else if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
            folder = argv[++i];
        } else if (strcmp(argv[i], "--answer") == 0 && i + 1 < argc) {
            path = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            T.threads = atoi(argv[++i]);
            if (T.threads < 1 || T.threads > 4096) {
                fprintf(stderr, "plot_split: THREADS is '%s', must be 1 to 4096\n", argv[i]);
                return 1;
            }
        } else if (argv[i][0] == '-') {
            fprintf(stderr,
                    "plot_split: '%s' is no option; known are --answer --show --out --threads\n",
                    argv[i]);
            return 1;
        } else {
            snprintf(T.name, sizeof T.name, "%s", argv[i]);
        }
    }
    if (show && read_table(folder, &kept) == 0) {
        print_table(&kept);
        return 0;
    }
    return run(path, folder, &T);
}

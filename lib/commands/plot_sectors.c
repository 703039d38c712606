/* commands/plot_sectors.c -- which sectors a warp touches: exercise 4's plot.
 *
 *   plot_sectors [--out FOLDER] --answer ACCESS.so
 *     --out      folder of exercise-04.tsv and exercise-04-words.tsv, build/plots
 *     --answer   exercises/04-gpu-first/access.cu, built for the checker
 * Each way of reading is a kernel that runs on the checker, which counts requests and sectors: modelled
 * figures, the same on every machine. The words that the first warp touches come from the way's formula.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "simt/simt.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LANES = 32, WORDS = 4, THREADS = 8192, LENGTH = 32 * THREADS, SHOWN = 9 };

typedef struct ways {
    int (*count)(void);
    const char *(*name)(int way);
    int64_t (*index)(int way, int64_t i);
    void (*read)(int way, int64_t n, const double *d_x, double *d_y);
} ways;

typedef struct job {
    const ways *ways;
    int way;
    const double *d_x;
    double *d_y;
} job;

/* The sectors that the first warp touches, ascending, and a bit for each word that is used. */
typedef struct touched {
    int n;
    int64_t sector[LANES];
    int used[LANES];
} touched;

static spw_status find(const char *path, ways *w)
{
    void *object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!object) return spw_error(SPW_ERR_FILE, "%s", path ? dlerror() : "--answer is missing");
    *(void **)&w->count = dlsym(object, "access_ways");
    *(void **)&w->name = dlsym(object, "access_name");
    *(void **)&w->index = dlsym(object, "access_index");
    *(void **)&w->read = dlsym(object, "access_read");
    if (w->count && w->name && w->index && w->read) return SPW_OK;
    return spw_error(SPW_ERR_FORMAT, "%s lacks one of the functions of access.h", path);
}

static touched touch(const ways *w, int way)
{
    touched t = {0};
    for (int lane = 0; lane < LANES; lane++) {
        const int64_t i = w->index(way, lane), sector = i / WORDS;
        int k = t.n;
        while (k > 0 && t.sector[k - 1] >= sector) k--;
        if (k == t.n || t.sector[k] != sector) {
            for (int m = t.n++; m > k; m--) {
                t.sector[m] = t.sector[m - 1];
                t.used[m] = t.used[m - 1];
            }
            t.sector[k] = sector;
            t.used[k] = 0;
        }
        t.used[k] |= 1 << i % WORDS;
    }
    return t;
}

static void read_all(void *argument)
{
    const job *j = (const job *)argument;
    j->ways->read(j->way, THREADS, j->d_x, j->d_y);
}

/* Loads of x in one run of a way. */
static spw_status count(const ways *w, int way, const double *x, int64_t *requests,
                        int64_t *sectors)
{
    job j = {.ways = w, .way = way};
    *requests = *sectors = 0;
    spw_status status = spw_simt_begin(&(spw_simt_options){.check = true, .count = true});
    if (status) return status;
    status = spw_simt_copy_in("x", x, LENGTH, sizeof *x, &j.d_x);
    if (!status) status = spw_simt_room("y", THREADS, sizeof *x, &j.d_y);
    if (!status && (!spw_simt_run(read_all, &j) || spw_simt_finding_count()))
        status = spw_error(SPW_ERR_ARG, "%s: %s", w->name(way),
                           spw_simt_finding_count() ? spw_simt_finding_at(0)->text : "left");
    for (int k = 0; !status && k < spw_simt_row_count(); k++) {
        const spw_simt_row *row = spw_simt_row_at(k);
        if (row->access != SPW_SIMT_LOAD || strcmp(row->array, "x") != 0) continue;
        *requests += row->requests;
        *sectors += row->sectors;
    }
    spw_simt_end();
    return status;
}

static void print_way(const char *name, double a_request, const touched *t)
{
    printf("  %-16s %6.2f   ", name, a_request);
    for (int k = 0; k < t->n && k < SHOWN; k++) {
        for (int word = 0; word < WORDS; word++) putchar(t->used[k] >> word & 1 ? '#' : '.');
        putchar('|');
    }
    printf("%s\n", t->n > SHOWN ? " ..." : "");
}

static FILE *open_table(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

static spw_status draw(const ways *w, const char *folder)
{
    double *x = NULL;
    FILE *sums = open_table(folder, "exercise-04.tsv");
    FILE *words = open_table(folder, "exercise-04-words.tsv");
    spw_status status = SPW_OK;
    if (!sums || !words) {
        status = spw_error(SPW_ERR_FILE, "%s: %s", folder, strerror(errno));
        goto end;
    }
    status = SPW_ALLOC_ZERO(&x, LENGTH);
    if (status) goto end;
    printf("Sectors of 32 bytes that a warp's request for 32 doubles touches (modelled)\n"
           "  %-16s %6s   %s\n",
           "way of reading", "number", "the first of them; # a double that is used");
    fprintf(sums, "way\trequests\tsectors\ta request\n");
    fprintf(words, "row\tsector\tword\tused\n");
    for (int way = 0; way < w->count() && !status; way++) {
        int64_t requests, sectors;
        status = count(w, way, x, &requests, &sectors);
        if (status || !requests) continue;
        const double a_request = (double)sectors / (double)requests;
        const touched t = touch(w, way);
        print_way(w->name(way), a_request, &t);
        fprintf(sums, "%s\t%lld\t%lld\t%.2f\n", w->name(way), (long long)requests,
                (long long)sectors, a_request);
        for (int k = 0; k < t.n; k++)
            for (int word = 0; word < WORDS; word++)
                fprintf(words, "%d\t%d\t%d\t%d\n", way, k, word, t.used[k] >> word & 1);
    }
end:
    spw_free(x);
    if (sums && fclose(sums) && !status) status = spw_error(SPW_ERR_FILE, "%s: no room", folder);
    if (words && fclose(words) && !status) status = spw_error(SPW_ERR_FILE, "%s: no room", folder);
    return status;
}

int main(int argc, char **argv)
{
    const char *folder = "build/plots", *answer = NULL;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--out") == 0) folder = argv[k + 1];
        if (strcmp(argv[k], "--answer") == 0) answer = argv[k + 1];
    }
    ways w = {0};
    mkdir(folder, 0777); /* if it is there already or cannot be made, fopen tells */
    if (find(answer, &w) || draw(&w, folder)) {
        fprintf(stderr, "plot_sectors: %s\n", spw_message());
        return 1;
    }
    return 0;
}

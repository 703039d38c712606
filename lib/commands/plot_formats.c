/* commands/plot_formats.c -- which sectors SpMV in each format touches: the plots of exercises 8 and 9.
 *
 *   plot_formats [--out FOLDER] --spmv ANSWER.so --sellp ANSWER.so
 *     --out      folder of exercise-08.tsv, exercise-09.tsv and two tables of a warp's lanes, build/plots
 *     --spmv     the solution of exercise 8, built for the checker
 *     --sellp    the solution of exercise 9, built for the checker
 * The kernels run on the checker, which counts requests and sectors: modelled figures, the same on every
 * machine. What the lanes of one warp read in one step is looked up in the formats themselves.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "formats/csr.h"
#include "formats/ell.h"
#include "formats/generate.h"
#include "formats/sell.h"
#include "formats/sellp.h"
#include "simt/simt.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define STENCIL "stencil27:10x25x40" /* the matrix of the tables in the READMEs */
#define UNEVEN  "fem3:10"            /* rows of 24 to 81 entries */

enum { LANES = 32, WORDS = 4, ROW = 5024 }; /* ROW: where the warp that is shown begins */

typedef enum format { CSR_THREAD, CSR_WARP, ELL, SELL, SELLP } format;

typedef struct kernel {
    const char *name;
    format format;
    spw_idx a, b; /* C and sigma, b and t */
} kernel;

static const kernel kernels[] = {
    {"CSR, thread a row", CSR_THREAD, 0, 0},
    {"CSR, warp a row", CSR_WARP, 0, 0},
    {"ELL", ELL, 0, 0},
    {"SELL-32, sigma 1", SELL, 32, 1},
    {"SELL-32, sigma 256", SELL, 32, 256},
    {"SELL-P, b 8, t 4", SELLP, 8, 4},
    {"SELL-P, b 32, t 4", SELLP, 32, 4},
    {"SELL-P, b 1, t 32", SELLP, 1, 32},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* A matrix in the kernel's format, on the host and on the checker's device; x and y too. */
typedef struct job {
    const kernel *kernel;
    void *function;
    spw_csr csr;
    spw_ell ell;
    spw_sell sell;
    spw_sellp sellp;
    const double *d_x;
    double *d_y;
} job;

typedef struct answers {
    void *spmv, *sellp;
} answers;

typedef struct counts {
    int64_t requests[3], sectors[3]; /* loads of val, col_idx, x */
    int64_t all;                     /* sectors of all arrays */
} counts;

static const char *const arrays[3] = {"val", "col_idx", "x"};

/* --- running and counting --------------------------------------------------------------------------- */

static spw_status open_answer(const char *option, const char *path, void **object)
{
    *object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (*object) return SPW_OK;
    return spw_error(SPW_ERR_FILE, "%s: %s", option, path ? dlerror() : "is missing");
}

static spw_status find_function(const answers *a, job *j)
{
    static const char *const names[] = {"spmv_csr_thread", "spmv_csr_warp", "spmv_ell", "spmv_sell",
                                        "spmv_sellp"};
    const char *name = names[j->kernel->format];
    j->function = dlsym(j->kernel->format == SELLP ? a->sellp : a->spmv, name);
    return j->function ? SPW_OK : spw_error(SPW_ERR_FORMAT, "the answer has no %s", name);
}

static void call(void *argument)
{
    const job *j = (const job *)argument;
    switch (j->kernel->format) {
    case CSR_THREAD:
    case CSR_WARP: {
        void (*f)(spw_csr, const double *, double *);
        *(void **)&f = j->function;
        f(j->csr, j->d_x, j->d_y);
        break;
    }
    case ELL: {
        void (*f)(spw_ell, const double *, double *);
        *(void **)&f = j->function;
        f(j->ell, j->d_x, j->d_y);
        break;
    }
    case SELL: {
        void (*f)(spw_sell, const double *, double *);
        *(void **)&f = j->function;
        f(j->sell, j->d_x, j->d_y);
        break;
    }
    case SELLP: {
        void (*f)(spw_sellp, const double *, double *);
        *(void **)&f = j->function;
        f(j->sellp, j->d_x, j->d_y);
        break;
    }
    }
}

/* Puts a copy of an array in its place. The host's is kept in `host`. */
static spw_status move(const char *name, spw_idx **indices, int64_t count)
{
    return spw_simt_copy_in(name, *indices, count, sizeof **indices, indices);
}

static spw_status move_values(double **values, int64_t count)
{
    return spw_simt_copy_in("val", *values, count, sizeof **values, values);
}

/* The structs of a copy of the job: afterwards their arrays are the device's. */
static spw_status to_device(job *j)
{
    spw_status status = SPW_OK;
    switch (j->kernel->format) {
    case CSR_THREAD:
    case CSR_WARP:
        status = move("row_ptr", &j->csr.row_ptr, j->csr.n_rows + 1);
        if (!status) status = move("col_idx", &j->csr.col_idx, j->csr.nnz);
        return status ? status : move_values(&j->csr.val, j->csr.nnz);
    case ELL:
        status = move("col_idx", &j->ell.col_idx, j->ell.n_stored);
        return status ? status : move_values(&j->ell.val, j->ell.n_stored);
    case SELL:
        status = move("chunk_ptr", &j->sell.chunk_ptr, j->sell.n_chunks + 1);
        if (!status) status = move("perm", &j->sell.perm, j->sell.n_rows);
        if (!status) status = move("col_idx", &j->sell.col_idx, j->sell.n_stored);
        return status ? status : move_values(&j->sell.val, j->sell.n_stored);
    case SELLP:
        status = move("slice_ptr", &j->sellp.slice_ptr, j->sellp.n_slices + 1);
        if (!status) status = move("col_idx", &j->sellp.col_idx, j->sellp.n_stored);
        return status ? status : move_values(&j->sellp.val, j->sellp.n_stored);
    }
    return status;
}

static spw_status count(const job *host, const double *x, counts *c)
{
    job j = *host;
    *c = (counts){.all = 0};
    spw_status status = spw_simt_begin(&(spw_simt_options){.check = true, .count = true});
    if (status) return status;
    status = to_device(&j);
    if (!status) status = spw_simt_copy_in("x", x, host->csr.n_cols, sizeof *x, &j.d_x);
    if (!status) status = spw_simt_room("y", host->csr.n_rows, sizeof *x, &j.d_y);
    if (!status && (!spw_simt_run(call, &j) || spw_simt_finding_count()))
        status = spw_error(SPW_ERR_ARG, "%s: %s", j.kernel->name,
                           spw_simt_finding_count() ? spw_simt_finding_at(0)->text : "left");
    for (int k = 0; !status && k < spw_simt_row_count(); k++) {
        const spw_simt_row *row = spw_simt_row_at(k);
        if (row->shared) continue;
        c->all += row->sectors;
        for (int a = 0; a < 3; a++)
            if (row->access == SPW_SIMT_LOAD && strcmp(row->array, arrays[a]) == 0) {
                c->requests[a] += row->requests;
                c->sectors[a] += row->sectors;
            }
    }
    spw_simt_end();
    return status;
}

/* --- what the lanes of a warp read ------------------------------------------------------------------ */

/* The entry that a lane reads in a step, of the warp that begins with row ROW; -1: none. */
static int64_t entry(const job *j, int lane, int step)
{
    const kernel *k = j->kernel;
    switch (k->format) {
    case CSR_THREAD: {
        const int64_t at = j->csr.row_ptr[ROW + lane] + (int64_t)step;
        return at < j->csr.row_ptr[ROW + lane + 1] ? at : -1;
    }
    case CSR_WARP: {
        const int64_t at = j->csr.row_ptr[ROW] + (int64_t)LANES * step + lane;
        return at < j->csr.row_ptr[ROW + 1] ? at : -1;
    }
    case ELL: return (int64_t)step * j->ell.n_rows + ROW + lane;
    case SELL: return j->sell.chunk_ptr[ROW / k->a] + (int64_t)step * k->a + lane;
    case SELLP: return j->sellp.slice_ptr[ROW / k->a] + (int64_t)step * k->a * k->b + lane;
    }
    return -1;
}

static const spw_idx *columns(const job *j)
{
    switch (j->kernel->format) {
    case ELL: return j->ell.col_idx;
    case SELL: return j->sell.col_idx;
    case SELLP: return j->sellp.col_idx;
    default: return j->csr.col_idx;
    }
}

/* One request: the word of each lane, and the sectors of all, ascending. */
typedef struct request {
    int64_t word[LANES]; /* -1: the lane is idle */
    int64_t sector[LANES];
    int n;
} request;

static request look(const job *j, int step, bool of_x)
{
    request r = {.n = 0};
    for (int lane = 0; lane < LANES; lane++) {
        const int64_t at = entry(j, lane, step);
        r.word[lane] = at >= 0 && of_x ? columns(j)[at] : at;
        if (at < 0) continue;
        const int64_t sector = r.word[lane] / WORDS;
        int k = r.n;
        while (k > 0 && r.sector[k - 1] >= sector) k--;
        if (k < r.n && r.sector[k] == sector) continue;
        memmove(&r.sector[k + 1], &r.sector[k], sizeof r.sector[0] * (size_t)(r.n - k));
        r.sector[k] = sector;
        r.n++;
    }
    return r;
}

static int ordinal(const request *r, int lane)
{
    for (int k = 0; k < r->n; k++)
        if (r->word[lane] >= 0 && r->word[lane] / WORDS == r->sector[k]) return k;
    return -1;
}

/* --- the tables -------------------------------------------------------------------------------------- */

static FILE *open_table(const char *folder, const char *name, spw_status *status)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = *status ? NULL : fopen(path, "w");
    if (!file && !*status) *status = spw_error(SPW_ERR_FILE, "%s: %s", path, strerror(errno));
    return file;
}

static void close_table(FILE *file, spw_status *status)
{
    if (file && fclose(file) && !*status) *status = spw_error(SPW_ERR_FILE, "no room for a table");
}

/* One picture of up to three kernels: k and the step that is shown. */
typedef struct panel {
    int kernel, step;
} panel;

static void print_panels(const job *jobs, const panel *panels, const request *r, int n)
{
    for (int p = 0; p < n; p++)
        printf("  %c  %s, step %d: %d sectors\n", 'A' + p, jobs[panels[p].kernel].kernel->name,
               panels[p].step, r[p].n);
    printf("  lane ");
    for (int p = 0; p < n; p++) printf("%c%*s", 'A' + p, r[p].n + 1, "");
    printf("\n");
    for (int lane = 0; lane < LANES; lane++) {
        printf("  %4d ", lane);
        for (int p = 0; p < n; p++) {
            const int at = ordinal(&r[p], lane);
            for (int k = 0; k < r[p].n; k++) putchar(k == at ? '#' : '.');
            if (p < n - 1) printf("  ");
        }
        printf("\n");
    }
}

static spw_status write_panels(const job *jobs, const panel *panels, int n, bool of_x,
                               const char *folder, const char *name)
{
    enum { GAP = 4, MOST = 3 };
    char file[64];
    request r[MOST];
    spw_status status = SPW_OK;
    snprintf(file, sizeof file, "%s-warp.tsv", name);
    FILE *lanes = open_table(folder, file, &status);
    snprintf(file, sizeof file, "%s-panels.tsv", name);
    FILE *heads = open_table(folder, file, &status);
    for (int p = 0; p < n; p++) r[p] = look(&jobs[panels[p].kernel], panels[p].step, of_x);
    if (!status) {
        fprintf(lanes, "place\tlane\tword\n");
        fprintf(heads, "kernel\tplace\tsectors\tspan\tstep\n");
        print_panels(jobs, panels, r, n);
    }
    for (int p = 0, left = 0; p < n && !status; left += r[p++].n + GAP) {
        fprintf(heads, "%s\t%d\t%d\t%lld\t%d\n", jobs[panels[p].kernel].kernel->name, left, r[p].n,
                (long long)(WORDS * 8 * (r[p].sector[r[p].n - 1] - r[p].sector[0] + 1)),
                panels[p].step);
        for (int lane = 0; lane < LANES; lane++)
            if (r[p].word[lane] >= 0)
                fprintf(lanes, "%d\t%d\t%d\n", left + ordinal(&r[p], lane), lane,
                        (int)(r[p].word[lane] % WORDS));
    }
    close_table(lanes, &status);
    close_table(heads, &status);
    return status;
}

/* --- matrices and figures ------------------------------------------------------------------------------ */

static void destroy(job *jobs)
{
    for (int k = 0; k < KERNELS; k++) {
        spw_csr_destroy(&jobs[k].csr);
        spw_ell_destroy(&jobs[k].ell);
        spw_sell_destroy(&jobs[k].sell);
        spw_sellp_destroy(&jobs[k].sellp);
    }
}

static spw_status convert(const char *name, const answers *a, job *jobs)
{
    spw_status status = SPW_OK;
    memset(jobs, 0, KERNELS * sizeof *jobs);
    for (int k = 0; k < KERNELS && !status; k++) {
        job *j = &jobs[k];
        j->kernel = &kernels[k];
        status = spw_csr_load(name, &j->csr);
        if (!status) status = find_function(a, j);
        if (!status && j->kernel->format == ELL) status = spw_ell_from_csr(&j->csr, &j->ell);
        if (!status && j->kernel->format == SELL)
            status = spw_sell_from_csr(&j->csr, j->kernel->a, j->kernel->b, &j->sell);
        if (!status && j->kernel->format == SELLP)
            status = spw_sellp_from_csr(&j->csr, j->kernel->a, j->kernel->b, &j->sellp);
    }
    if (status) destroy(jobs);
    return status;
}

/* Exercise 8: sectors a request, for each kernel and array. */
static void put_requests(FILE *file, const job *j, const counts *c)
{
    fprintf(file, "%s", j->kernel->name);
    printf("  %-19s", j->kernel->name);
    for (int a = 0; a < 3; a++) {
        const double each = (double)c->sectors[a] / (double)c->requests[a];
        fprintf(file, "\t%.2f", each);
        printf(" %9.2f", each);
    }
    fprintf(file, "\t%lld\n", (long long)c->all);
    printf(" %11lld\n", (long long)c->all);
}

/* Exercise 9: bytes of the sectors for each entry of the matrix. */
static void put_bytes(FILE *file, const char *matrix, const job *j, const counts *c)
{
    const double nnz = j->csr.nnz;
    double rest = 32 * (double)c->all / nnz;
    fprintf(file, "%s\t%s", matrix, j->kernel->name);
    printf("  %-19s", j->kernel->name);
    for (int a = 0; a < 3; a++) {
        const double bytes = 32 * (double)c->sectors[a] / nnz;
        rest -= bytes;
        fprintf(file, "\t%.3f", bytes);
        printf(" %9.2f", bytes);
    }
    fprintf(file, "\t%.3f\n", rest);
    printf(" %9.2f %9.2f\n", rest, 32 * (double)c->all / nnz);
}

static spw_status measure(const char *matrix, const job *jobs, const double *x, FILE *requests,
                          FILE *bytes)
{
    counts c[KERNELS];
    for (int k = 0; k < KERNELS; k++) {
        const spw_status status = count(&jobs[k], x, &c[k]);
        if (status) return status;
    }
    if (requests) {
        printf("Sectors of 32 bytes a request, %s (modelled)\n  %-19s %9s %9s %9s %11s\n", matrix,
               "kernel", "val", "col_idx", "x", "in all");
        for (int k = 0; k < KERNELS; k++) put_requests(requests, &jobs[k], &c[k]);
        printf("\n");
    }
    printf("Bytes that move for each entry, %s (modelled)\n  %-19s %9s %9s %9s %9s %9s\n", matrix,
           "kernel", "val", "col_idx", "x", "the rest", "in all");
    for (int k = 0; k < KERNELS; k++) put_bytes(bytes, matrix, &jobs[k], &c[k]);
    printf("\n");
    return SPW_OK;
}

static spw_status draw(const answers *a, const char *folder)
{
    static const panel of_val[] = {{0, 0}, {1, 0}, {3, 0}}, of_x[] = {{1, 0}, {3, 13}, {5, 3}};
    job jobs[KERNELS];
    double *x = NULL;
    spw_status status = SPW_OK;
    FILE *requests = open_table(folder, "exercise-08.tsv", &status);
    FILE *bytes = open_table(folder, "exercise-09.tsv", &status);
    if (status) goto end;
    fprintf(requests, "kernel\tval\tcol_idx\tx\tsectors\n");
    fprintf(bytes, "matrix\tkernel\tval\tcol_idx\tx\trest\n");
    for (int m = 0; m < 2 && !status; m++) {
        const char *matrix = m == 0 ? STENCIL : UNEVEN;
        status = convert(matrix, a, jobs);
        if (status) goto end;
        status = SPW_ALLOC_ZERO(&x, jobs[0].csr.n_cols);
        if (!status) status = measure(matrix, jobs, x, m == 0 ? requests : NULL, bytes);
        if (!status && m == 0) {
            printf("Exercise 8: sectors of val that a warp touches at once (# by that lane)\n");
            status = write_panels(jobs, of_val, 3, false, folder, "exercise-08");
            if (!status) printf("\nExercise 9: sectors of x that a warp touches at once\n");
            if (!status) status = write_panels(jobs, of_x, 3, true, folder, "exercise-09");
            printf("\n");
        }
        destroy(jobs);
        spw_free(x);
        x = NULL;
    }
end:
    close_table(requests, &status);
    close_table(bytes, &status);
    return status;
}

int main(int argc, char **argv)
{
    const char *folder = "build/plots", *spmv = NULL, *sellp = NULL;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--out") == 0) folder = argv[k + 1];
        if (strcmp(argv[k], "--spmv") == 0) spmv = argv[k + 1];
        if (strcmp(argv[k], "--sellp") == 0) sellp = argv[k + 1];
    }
    answers a = {0};
    mkdir(folder, 0777); /* if it is there already or cannot be made, fopen tells */
    if (open_answer("--spmv", spmv, &a.spmv) || open_answer("--sellp", sellp, &a.sellp) ||
        draw(&a, folder)) {
        fprintf(stderr, "plot_formats: %s\n", spw_message());
        return 1;
    }
    return 0;
}

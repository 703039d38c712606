/* Figures that the checker counts: sectors of warps, exercises 4, 8 and 9. Modelled, the same on every machine. What
 * the lanes of one warp read in one step is looked up in the formats themselves. */
#include "commands/plot/plot.h"

#include "formats/ell.h"
#include "formats/sell.h"
#include "formats/sellp.h"
#include "simt/simt.h"

#include <string.h>

enum { LANES = 32, WORDS = 4 };

/* One request: the word of each lane, and the sectors of all, ascending. */
typedef struct request {
    int64_t word[LANES]; /* -1: the lane is idle */
    int64_t sector[LANES];
    int n;
} request;

/* Takes the sectors from the words. */
static request merge(request r) {
    for (int lane = 0; lane < LANES; lane++) {
        const int64_t sector = r.word[lane] / WORDS;
        int k = r.n;
        if (r.word[lane] < 0) continue;
        while (k > 0 && r.sector[k - 1] >= sector) k--;
        if (k < r.n && r.sector[k] == sector) continue;
        memmove(&r.sector[k + 1], &r.sector[k], sizeof r.sector[0] * (size_t)(r.n - k));
        r.sector[k] = sector;
        r.n++;
    }
    return r;
}

/* Which of the sectors a lane is in; -1: it is idle. */
static int ordinal(const request *r, int lane) {
    for (int k = 0; k < r->n; k++)
        if (r->word[lane] >= 0 && r->word[lane] / WORDS == r->sector[k]) return k;
    return -1;
}

/* What the checker counted: loads of val, col_idx and x, and sectors of all arrays. */
typedef struct counts {
    double requests[3], sectors[3], all;
} counts;

static counts run_and_count(const plot *p, const char *name, void (*call)(void *), void *job) {
    static const char *const arrays[3] = {"val", "col_idx", "x"};
    counts c = {.all = 0};
    if (!spw_simt_run(call, job) || spw_simt_finding_count())
        plot_die(p, "%s: %s", name,
                 spw_simt_finding_count() ? spw_simt_finding_at(0)->text : "left");
    for (int k = 0; k < spw_simt_row_count(); k++) {
        const spw_simt_row *row = spw_simt_row_at(k);
        if (row->shared) continue;
        c.all += (double)row->sectors;
        for (int a = 0; a < 3; a++)
            if (row->access == SPW_SIMT_LOAD && strcmp(row->array, arrays[a]) == 0) {
                c.requests[a] += (double)row->requests;
                c.sectors[a] += (double)row->sectors;
            }
    }
    spw_simt_end();
    return c;
}

static void begin_counting(const plot *p) {
    plot_must(p, spw_simt_begin(&(spw_simt_options){.check = true, .count = true}));
}

/* --- 4: ways of reading -------------------------------------------------------------------------------- */

enum { THREADS = 8192, LENGTH = 32 * THREADS };

typedef struct reading {
    int way;
    void (*read)(int way, int64_t n, const double *d_x, double *d_y);
    const double *d_x;
    double *d_y;
} reading;

static void read_all(void *job) {
    const reading *j = (const reading *)job;
    j->read(j->way, THREADS, j->d_x, j->d_y);
}

static void put_words(plot_table *words, int way, const request *r) {
    enum { SHOWN = 9 };
    for (int k = 0; k < r->n; k++) {
        for (int word = 0; word < WORDS; word++) {
            bool used = false;
            for (int lane = 0; lane < LANES; lane++)
                used |= r->word[lane] == WORDS * r->sector[k] + word;
            PLOT_ROW(words, false, NULL, way, k, word, used);
            if (k < SHOWN) plot_say(words->p, "%c", used ? '#' : '.');
        }
        if (k < SHOWN) plot_say(words->p, "|");
    }
    plot_say(words->p, "%s\n", r->n > SHOWN ? " ..." : "");
}

void draw_sectors(plot *p) {
    static const char object[] = "exercises/04-gpu-first/access.so";
    static const plot_column columns[] = {PLOT_KEPT("way", "%s"),
                                          PLOT_KEPT("requests", "%.0f"),
                                          PLOT_KEPT("sectors", "%.0f"),
                                          PLOT_KEPT("a request", "%.2f"),
                                          {0}};
    static const plot_column of_words[] = {PLOT_KEPT("row", "%.0f"),
                                           PLOT_KEPT("sector", "%.0f"),
                                           PLOT_KEPT("word", "%.0f"),
                                           PLOT_KEPT("used", "%.0f"),
                                           {0}};
    int (*ways)(void);
    const char *(*name)(int way);
    int64_t (*index)(int way, int64_t i);
    reading j = {.way = 0};
    *(void **)&ways = plot_function(p, object, "access_ways");
    *(void **)&name = plot_function(p, object, "access_name");
    *(void **)&index = plot_function(p, object, "access_index");
    *(void **)&j.read = plot_function(p, object, "access_read");
    plot_say(p, "  %-16s %6s   %s\n", "way of reading", "number",
             "the first of them; # a double that is used");
    double *x = plot_vector(p, LENGTH, true);
    plot_table t = plot_begin_table(p, "", columns),
               words = plot_begin_table(p, "-words", of_words);
    for (j.way = 0; j.way < ways(); j.way++) {
        begin_counting(p);
        plot_must(p, spw_simt_copy_in("x", x, LENGTH, sizeof *x, &j.d_x));
        plot_must(p, spw_simt_room("y", THREADS, sizeof *x, &j.d_y));
        const counts c = run_and_count(p, name(j.way), read_all, &j);
        request r = {.n = 0};
        for (int lane = 0; lane < LANES; lane++) r.word[lane] = index(j.way, lane);
        r = merge(r);
        PLOT_ROW(&t, false, name(j.way), c.requests[2], c.sectors[2], c.sectors[2] / c.requests[2]);
        plot_say(p, "  %-16s %6.2f   ", name(j.way), c.sectors[2] / c.requests[2]);
        put_words(&words, j.way, &r);
    }
}

/* --- 8 and 9: SpMV in each format ---------------------------------------------------------------------- */

#define OF_8 "solutions/08-spmv-gpu/answer.so"
#define OF_9 "solutions/09-sell-p/answer.so"

enum { ROW = 5024 }; /* where the warp that is shown begins */

typedef enum format { CSR_THREAD, CSR_WARP, ELL, SELL, SELLP } format;

static const struct kernel {
    const char *name, *function, *object;
    format format;
    spw_idx a, b; /* C and sigma, b and t */
} kernels[] = {
    {"CSR, thread a row", "spmv_csr_thread", OF_8, CSR_THREAD, 0, 0},
    {"CSR, warp a row", "spmv_csr_warp", OF_8, CSR_WARP, 0, 0},
    {"ELL", "spmv_ell", OF_8, ELL, 0, 0},
    {"SELL-32, sigma 1", "spmv_sell", OF_8, SELL, 32, 1},
    {"SELL-32, sigma 256", "spmv_sell", OF_8, SELL, 32, 256},
    {"SELL-P, b 8, t 4", "spmv_sellp", OF_9, SELLP, 8, 4},
    {"SELL-P, b 32, t 4", "spmv_sellp", OF_9, SELLP, 32, 4},
    {"SELL-P, b 1, t 32", "spmv_sellp", OF_9, SELLP, 1, 32},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* A matrix in the kernel's format, on the host or on the checker's device. */
typedef struct job {
    const struct kernel *kernel;
    union {
        void *any;
        void (*csr)(spw_csr, const double *, double *);
        void (*ell)(spw_ell, const double *, double *);
        void (*sell)(spw_sell, const double *, double *);
        void (*sellp)(spw_sellp, const double *, double *);
    } call;
    spw_csr csr;
    spw_ell ell;
    spw_sell sell;
    spw_sellp sellp;
    const double *d_x;
    double *d_y;
} job;

static void call(void *argument) {
    const job *j = (const job *)argument;
    switch (j->kernel->format) {
    case ELL: j->call.ell(j->ell, j->d_x, j->d_y); break;
    case SELL: j->call.sell(j->sell, j->d_x, j->d_y); break;
    case SELLP: j->call.sellp(j->sellp, j->d_x, j->d_y); break;
    default: j->call.csr(j->csr, j->d_x, j->d_y);
    }
}

/* Puts a copy of an array in its place. */
static void move(const plot *p, const char *name, spw_idx **indices, int64_t count) {
    plot_must(p, spw_simt_copy_in(name, *indices, count, sizeof **indices, indices));
}

/* Afterwards the arrays of the job's formats are the device's. */
static void to_device(const plot *p, job *j) {
    spw_idx **columns = &j->csr.col_idx;
    double **values = &j->csr.val;
    int64_t stored = j->csr.nnz;
    switch (j->kernel->format) {
    case ELL: columns = &j->ell.col_idx, values = &j->ell.val, stored = j->ell.n_stored; break;
    case SELL:
        move(p, "chunk_ptr", &j->sell.chunk_ptr, j->sell.n_chunks + 1);
        move(p, "perm", &j->sell.perm, j->sell.n_rows);
        columns = &j->sell.col_idx, values = &j->sell.val, stored = j->sell.n_stored;
        break;
    case SELLP:
        move(p, "slice_ptr", &j->sellp.slice_ptr, j->sellp.n_slices + 1);
        columns = &j->sellp.col_idx, values = &j->sellp.val, stored = j->sellp.n_stored;
        break;
    default: move(p, "row_ptr", &j->csr.row_ptr, j->csr.n_rows + 1);
    }
    move(p, "col_idx", columns, stored);
    plot_must(p, spw_simt_copy_in("val", *values, stored, sizeof **values, values));
}

static counts count(const plot *p, const job *host, const double *x) {
    job j = *host;
    begin_counting(p);
    to_device(p, &j);
    plot_must(p, spw_simt_copy_in("x", x, host->csr.n_cols, sizeof *x, &j.d_x));
    plot_must(p, spw_simt_room("y", host->csr.n_rows, sizeof *x, &j.d_y));
    return run_and_count(p, j.kernel->name, call, &j);
}

/* The entry that a lane reads in a step, of the warp that begins with row ROW; -1: none. */
static int64_t entry(const job *j, int lane, int step) {
    const struct kernel *k = j->kernel;
    const spw_idx *row = j->csr.row_ptr + ROW;
    int64_t at;
    switch (k->format) {
    case CSR_THREAD: at = row[lane] + (int64_t)step; return at < row[lane + 1] ? at : -1;
    case CSR_WARP: at = row[0] + (int64_t)LANES * step + lane; return at < row[1] ? at : -1;
    case ELL: return (int64_t)step * j->ell.n_rows + ROW + lane;
    case SELL: return j->sell.chunk_ptr[ROW / k->a] + (int64_t)step * k->a + lane;
    default: return j->sellp.slice_ptr[ROW / k->a] + (int64_t)step * k->a * k->b + lane;
    }
}

/* What the warp asks for at once, of val or of x. */
static request look(const job *j, int step, bool of_x) {
    const format f = j->kernel->format;
    const spw_idx *columns = f == ELL     ? j->ell.col_idx
                             : f == SELL  ? j->sell.col_idx
                             : f == SELLP ? j->sellp.col_idx
                                          : j->csr.col_idx;
    request r = {.n = 0};
    for (int lane = 0; lane < LANES; lane++) {
        const int64_t at = entry(j, lane, step);
        r.word[lane] = at >= 0 && of_x ? columns[at] : at;
    }
    return merge(r);
}

/* A picture of three kernels, each in a step of its warp. */
enum { PANELS = 3 };
typedef struct panel {
    int kernel, step;
} panel;

static void say_panels(plot *p, const panel *panels, const request *r) {
    for (int k = 0; k < PANELS; k++)
        plot_say(p, "  %c  %s, step %d: %d sectors\n", 'A' + k, kernels[panels[k].kernel].name,
                 panels[k].step, r[k].n);
    plot_say(p, "  lane ");
    for (int k = 0; k < PANELS; k++) plot_say(p, "%c%*s", 'A' + k, r[k].n + 1, "");
    plot_say(p, "\n");
    for (int lane = 0; lane < LANES; lane++) {
        plot_say(p, "  %4d ", lane);
        for (int k = 0; k < PANELS; k++) {
            const int at = ordinal(&r[k], lane);
            for (int s = 0; s < r[k].n; s++) plot_say(p, "%c", s == at ? '#' : '.');
            if (k < PANELS - 1) plot_say(p, "  ");
        }
        plot_say(p, "\n");
    }
}

static void put_panels(plot *p, const job *jobs, const panel *panels, bool of_x) {
    enum { GAP = 4 };
    static const plot_column columns[] = {PLOT_KEPT("kernel", "%s"),    PLOT_KEPT("place", "%.0f"),
                                          PLOT_KEPT("sectors", "%.0f"), PLOT_KEPT("span", "%.0f"),
                                          PLOT_KEPT("step", "%.0f"),    {0}};
    static const plot_column of_lanes[] = {
        PLOT_KEPT("place", "%.0f"), PLOT_KEPT("lane", "%.0f"), PLOT_KEPT("word", "%.0f"), {0}};
    plot_table heads = plot_begin_table(p, "-panels", columns),
               lanes = plot_begin_table(p, "-warp", of_lanes);
    request r[PANELS];
    int left = 0;
    for (int k = 0; k < PANELS; left += r[k++].n + GAP) {
        r[k] = look(&jobs[panels[k].kernel], panels[k].step, of_x);
        PLOT_ROW(&heads, false, kernels[panels[k].kernel].name, left, r[k].n,
                 (double)(WORDS * 8 * (r[k].sector[r[k].n - 1] - r[k].sector[0] + 1)),
                 panels[k].step);
        for (int lane = 0; lane < LANES; lane++)
            if (r[k].word[lane] >= 0)
                PLOT_ROW(&lanes, false, NULL, left + ordinal(&r[k], lane), lane,
                         (double)(r[k].word[lane] % WORDS));
    }
    say_panels(p, panels, r);
}

static void convert(const plot *p, const char *name, job *jobs) {
    for (int k = 0; k < KERNELS; k++) {
        job *j = &jobs[k];
        *j = (job){.kernel = &kernels[k], .csr = plot_load(p, name)};
        j->call.any = plot_function(p, kernels[k].object, kernels[k].function);
        const spw_idx a = kernels[k].a, b = kernels[k].b;
        if (kernels[k].format == ELL) plot_must(p, spw_ell_from_csr(&j->csr, &j->ell));
        if (kernels[k].format == SELL) plot_must(p, spw_sell_from_csr(&j->csr, a, b, &j->sell));
        if (kernels[k].format == SELLP) plot_must(p, spw_sellp_from_csr(&j->csr, a, b, &j->sellp));
    }
}

static void destroy(job *jobs) {
    for (int k = 0; k < KERNELS; k++) {
        spw_csr_destroy(&jobs[k].csr);
        spw_ell_destroy(&jobs[k].ell);
        spw_sell_destroy(&jobs[k].sell);
        spw_sellp_destroy(&jobs[k].sellp);
    }
}

/* Exercise 8: sectors a request. */
static void put_requests(plot_table *t, const counts *c) {
    plot_block(t, "Sectors of 32 bytes a request, %s", t->p->matrices[0]);
    for (int k = 0; k < KERNELS; k++)
        PLOT_ROW(t, true, kernels[k].name, c[k].sectors[0] / c[k].requests[0],
                 c[k].sectors[1] / c[k].requests[1], c[k].sectors[2] / c[k].requests[2], c[k].all);
}

/* Exercise 9: bytes of the sectors for each entry of the matrix. */
static void put_bytes(plot_table *t, const char *matrix, double nnz, const counts *c) {
    t->heading_due = true;
    plot_say(t->p, "\nBytes that move for each entry, %s\n", matrix);
    for (int k = 0; k < KERNELS; k++) {
        const double *s = c[k].sectors, all = c[k].all;
        PLOT_ROW(t, true, kernels[k].name, 32 * s[0] / nnz, 32 * s[1] / nnz, 32 * s[2] / nnz,
                 32 * (all - s[0] - s[1] - s[2]) / nnz, 32 * all / nnz);
    }
}

void draw_formats(plot *p) {
    static const plot_column columns[] = {PLOT_BOTH("kernel", "%s", "  kernel", "  %-19s", 1),
                                          PLOT_BOTH("val", "%.2f", "val", " %9.2f", 1),
                                          PLOT_BOTH("col_idx", "%.2f", "col_idx", " %9.2f", 1),
                                          PLOT_BOTH("x", "%.2f", "x", " %9.2f", 1),
                                          PLOT_BOTH("sectors", "%.0f", "in all", " %11.0f", 1),
                                          {0}};
    static const plot_column of_bytes[] = {PLOT_BOTH("kernel", "%s", "  kernel", "  %-19s", 1),
                                           PLOT_BOTH("val", "%.3f", "val", " %9.2f", 1),
                                           PLOT_BOTH("col_idx", "%.3f", "col_idx", " %9.2f", 1),
                                           PLOT_BOTH("x", "%.3f", "x", " %9.2f", 1),
                                           PLOT_BOTH("rest", "%.3f", "the rest", " %9.2f", 1),
                                           PLOT_SHOWN("in all", " %9.2f", 1),
                                           {0}};
    static const panel of_val[] = {{0, 0}, {1, 0}, {3, 0}}, of_x[] = {{1, 0}, {3, 13}, {5, 3}};
    job jobs[KERNELS];
    counts c[KERNELS];
    plot_table requests = plot_begin_table(p, "", columns);
    p->file = "exercise-09";
    plot_table bytes = plot_begin_table(p, "", of_bytes);
    for (int m = 0; m < p->n_matrices; m++) {
        convert(p, p->matrices[m], jobs);
        double *x = plot_vector(p, jobs[0].csr.n_cols, true);
        for (int k = 0; k < KERNELS; k++) c[k] = count(p, &jobs[k], x);
        if (m == 0) put_requests(&requests, c);
        if (m > 0) fprintf(bytes.file, "\n\n");
        put_bytes(&bytes, p->matrices[m], jobs[0].csr.nnz, c);
        if (m == 0) {
            p->file = "exercise-08";
            plot_say(p,
                     "\nExercise 8: sectors of val that a warp touches at once (# by that lane)\n");
            put_panels(p, jobs, of_val, false);
            p->file = "exercise-09";
            plot_say(p, "\nExercise 9: sectors of x that a warp touches at once\n");
            put_panels(p, jobs, of_x, true);
        }
        plot_drop_vectors(p);
        destroy(jobs);
    }
}

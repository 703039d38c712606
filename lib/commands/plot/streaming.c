/* Figure of exercise 24: a matrix that streams from a file through two buffers, beside the model. */
#define _GNU_SOURCE /* O_DIRECT */
#include "commands/plot/plot.h"

#include "base/threads.h"
#include "kernels/spmm.h"
#include "perf/timer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block is one piece or several. Pieces begin on pages of the file, as O_DIRECT wants it. */
enum { PIECES = 64, NV = 16, SIZES = 6, PAGE = 4096, MOST_RUNS = 7 };

typedef struct streamed {
    plot *p;
    spw_csr A;
    spw_idx row[PIECES + 1]; /* the first of each piece */
    int64_t at[PIECES + 1];  /* its first byte */
    int file;
    char *buffer[2];
    int64_t room; /* bytes of a buffer: half of the matrix */
    double *X, *Y;
    int blocks; /* of this run */
} streamed;

typedef struct request {
    const streamed *d;
    int block, error;
} request;

static int64_t entries(const streamed *d, int piece) {
    return (int64_t)d->A.row_ptr[d->row[piece + 1]] - d->A.row_ptr[d->row[piece]];
}

/* Values, columns and pointers of a piece, one after the other. */
static void pack(const streamed *d, int piece, char *to) {
    const spw_idx begin = d->row[piece], end = d->row[piece + 1], from = d->A.row_ptr[begin];
    const int64_t n = entries(d, piece);
    spw_idx *row_ptr = (spw_idx *)(to + 12 * n);
    memcpy(to, d->A.val + from, 8 * (size_t)n);
    memcpy(to + 8 * n, d->A.col_idx + from, 4 * (size_t)n);
    for (spw_idx i = begin; i <= end; i++) row_ptr[i - begin] = d->A.row_ptr[i] - from;
}

/* The file has no name any more when it is read: whatever happens, nothing of it stays. */
static bool make_file(streamed *d) {
    char path[1024];
    snprintf(path, sizeof path, "%s/streaming.far", d->p->folder);
    FILE *file = fopen(path, "w");
    bool ok = file;
    for (int k = 0; k < PIECES && ok; k++) {
        const size_t bytes = (size_t)(d->at[k + 1] - d->at[k]);
        pack(d, k, d->buffer[0]);
        ok = fwrite(d->buffer[0], 1, bytes, file) == bytes;
    }
    ok = ok && !fflush(file) && !fsync(fileno(file)) && !fclose(file);
    if (!ok) plot_die(d->p, "cannot write %s: %s", path, strerror(errno));
    d->file = open(path, O_RDONLY | O_DIRECT);
    const bool direct = d->file >= 0 && pread(d->file, d->buffer[0], PAGE, 0) == PAGE;
    if (!direct && d->file >= 0) close(d->file);
    if (!direct) d->file = open(path, O_RDONLY);
    unlink(path);
    if (d->file < 0) plot_die(d->p, "cannot read %s: %s", path, strerror(errno));
    return direct;
}

static void *bring(void *argument) {
    request *r = (request *)argument;
    const streamed *d = r->d;
    const int each = PIECES / d->blocks;
    int64_t at = d->at[r->block * each];
    const int64_t end = d->at[(r->block + 1) * each];
    for (char *to = d->buffer[r->block % 2]; at < end && !r->error;) {
        const ssize_t n = pread(d->file, to, (size_t)(end - at), at);
        if (n <= 0) r->error = n ? errno : EIO;
        at += n;
        to += n;
    }
    return NULL;
}

static void check(const streamed *d, const request *r) {
    if (r->error) plot_die(d->p, "cannot read block %d: %s", r->block, strerror(r->error));
}

static void multiply(const streamed *d, int block) {
    const int each = PIECES / d->blocks, first = block * each;
    for (int k = first; k < first + each; k++) {
        char *at = d->buffer[block % 2] + (d->at[k] - d->at[first]);
        const int64_t n = entries(d, k);
        const spw_csr piece = {.n_rows = d->row[k + 1] - d->row[k],
                               .n_cols = d->A.n_cols,
                               .nnz = (spw_idx)n,
                               .row_ptr = (spw_idx *)(at + 12 * n),
                               .col_idx = (spw_idx *)(at + 8 * n),
                               .val = (double *)at};
        spw_spmm_csr_omp(&piece, NV, d->X, NV, d->Y + (int64_t)NV * d->row[k], NV);
    }
}

/* One after the other: the seconds of all transfers, and of all products. */
static void run_serial(const streamed *d, double *transfers, double *products) {
    *transfers = *products = 0;
    for (int k = 0; k < d->blocks; k++) {
        request r = {d, k, 0};
        const double begin = spw_now();
        bring(&r);
        const double there = spw_now();
        check(d, &r);
        multiply(d, k);
        *transfers += there - begin;
        *products += spw_now() - there;
    }
}

/* Two buffers: a thread brings the next block beside the product. */
static double run_overlapped(const streamed *d) {
    const double begin = spw_now();
    request r[2] = {{d, 0, 0}};
    bring(&r[0]);
    for (int k = 0; k < d->blocks; k++) {
        request *next = &r[(k + 1) % 2];
        pthread_t thread;
        check(d, &r[k % 2]);
        *next = (request){d, k + 1, 0};
        const bool more = k + 1 < d->blocks;
        if (more && pthread_create(&thread, NULL, bring, next))
            plot_die(d->p, "cannot start a thread");
        multiply(d, k);
        if (more) pthread_join(thread, NULL);
    }
    return spw_now() - begin;
}

static void set_up(streamed *d) {
    d->A = plot_load(d->p, d->p->matrices[0]);
    for (int k = 0; k <= PIECES; k++) d->row[k] = (spw_idx)spw_part_begin(d->A.n_rows, k, PIECES);
    for (int k = 0; k < PIECES; k++) {
        const int64_t bytes = 12 * entries(d, k) + 4 * ((int64_t)d->row[k + 1] - d->row[k] + 1);
        d->at[k + 1] = d->at[k] + (bytes + PAGE - 1) / PAGE * PAGE;
    }
    for (int k = 0; k < 2; k++) {
        const int64_t half = d->at[(k + 1) * PIECES / 2] - d->at[k * PIECES / 2];
        if (half > d->room) d->room = half;
    }
    for (int b = 0; b < 2; b++) {
        d->buffer[b] = aligned_alloc(PAGE, (size_t)d->room); /* as O_DIRECT wants it */
        if (!d->buffer[b])
            plot_die(d->p, "no room for a buffer of %.0f MB", 1e-6 * (double)d->room);
    }
    d->X = plot_vector(d->p, (int64_t)NV * d->A.n_cols, false);
    d->Y = plot_vector(d->p, (int64_t)NV * d->A.n_rows, true);
}

void draw_streaming(plot *p) {
    static const plot_column columns[] = {
        PLOT_BOTH("blocks", "%.0f", "blocks", "%6.0f", 1),
        PLOT_BOTH("transfers s", "%.6f", "transfers, ms", " %13.1f", 1e3),
        PLOT_BOTH("products s", "%.6f", "products, ms", " %12.1f", 1e3),
        PLOT_BOTH("one by one s", "%.6f", "one by one, ms", " %14.1f", 1e3),
        PLOT_BOTH("two buffers s", "%.6f", "two buffers, ms", " %15.1f", 1e3),
        PLOT_BOTH("model s", "%.6f", "model, ms", " %9.1f", 1e3),
        {0}};
    static double transfers[SIZES][MOST_RUNS], products[SIZES][MOST_RUNS], both[SIZES][MOST_RUNS];
    streamed d = {.p = p};
    const int runs = p->quick ? 1 : MOST_RUNS, workers = p->threads > 1 ? p->threads - 1 : 1;
    set_up(&d);
    const bool direct = make_file(&d);
    spw_set_threads(workers);
    for (int run = 0; run < runs; run++)
        for (int k = 0; k < SIZES; k++) {
            d.blocks = 2 << k;
            run_serial(&d, &transfers[k][run], &products[k][run]);
            both[k][run] = run_overlapped(&d);
        }
    plot_table t = plot_begin_table(p, "", columns);
    for (int k = 0; k < SIZES; k++) {
        const double B = 2 << k, T_t = spw_quartile(transfers[k], runs, NULL, NULL),
                     T_c = spw_quartile(products[k], runs, NULL, NULL);
        PLOT_ROW(&t, true, NULL, B, T_t, T_c, T_t + T_c, spw_quartile(both[k], runs, NULL, NULL),
                 fmax(T_t, T_c) + fmin(T_t, T_c) / B);
    }
    plot_say(p, "%s, %.0f MB of a file, read %s;\n%d vectors, products on %d thread%s\n",
             p->matrices[0], 1e-6 * (double)d.at[PIECES],
             direct ? "past the page cache" : "through the page cache, which may hold it", NV,
             workers, workers > 1 ? "s" : "");
    plot_fact(p, "matrix = '%s'\nmegabytes = %.0f\nvectors = %d\nworkers = %d\ndirect = %d",
              p->matrices[0], 1e-6 * (double)d.at[PIECES], NV, workers, direct);
    for (int b = 0; b < 2; b++) free(d.buffer[b]);
    close(d.file);
    spw_set_threads(p->threads);
    spw_csr_destroy(&d.A);
    plot_drop_vectors(p);
}

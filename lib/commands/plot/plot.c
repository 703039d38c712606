#include "commands/plot/plot.h"

#include "base/memory.h"
#include "base/random.h"
#include "commands/command.h"
#include "formats/generate.h"
#include "perf/timer.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void plot_die(const plot *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "plot%s%s: ", p->figure ? " " : "", p->figure ? p->figure->name : "");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    for (int k = 0; k < p->n_files; k++) {
        char partial[1100];
        snprintf(partial, sizeof partial, "%s.new", p->files[k].path);
        unlink(partial);
    }
    exit(1);
}

void plot_must(const plot *p, spw_status status) {
    if (status) plot_die(p, "%s", spw_message());
}

/* --- tables and text ------------------------------------------------------------------------------ */

FILE *plot_open(plot *p, const char *ending) {
    char partial[1100], *path = p->files[p->n_files].path;
    snprintf(path, sizeof p->files[0].path, "%s/%s%s", p->folder, p->file, ending);
    snprintf(partial, sizeof partial, "%s.new", path);
    FILE *file = fopen(partial, "w");
    if (!file) plot_die(p, "cannot write %s: %s", path, strerror(errno));
    return p->files[p->n_files++].file = file;
}

void plot_say(plot *p, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    vprintf(format, args);
    vfprintf(p->text, format, again);
    va_end(again);
    va_end(args);
}

void plot_fact(plot *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(p->facts, format, args);
    fputc('\n', p->facts);
    va_end(args);
}

plot_table plot_begin_table(plot *p, const char *ending, const plot_column *columns) {
    plot_table t = {.p = p, .columns = columns, .heading_due = true};
    if (!ending) return t;
    char name[64];
    snprintf(name, sizeof name, "%s.tsv", ending);
    t.file = plot_open(p, name);
    fprintf(t.file, "# %s, %d threads, %s%s\n# ", p->cpu, p->threads, p->date,
            p->quick ? ", quick" : "");
    for (int c = 0, put = 0; columns[c].head || columns[c].text; c++)
        if (columns[c].format) fprintf(t.file, "%s%s", put++ ? "\t" : "", columns[c].head);
    fputc('\n', t.file);
    return t;
}

static bool is_name(const char *format) { return format && format[strlen(format) - 1] == 's'; }

/* Each heading as wide as its column, at the right, but names at the left. */
static void put_headings(plot_table *t) {
    char all[512] = "";
    t->heading_due = false;
    for (const plot_column *c = t->columns; c->head || c->text; c++) {
        char sample[64];
        if (!c->text) continue;
        int width = atoi(c->text + 1) + 3;
        if (*c->text != '|' && is_name(c->text))
            width = snprintf(sample, sizeof sample, c->text, "");
        if (*c->text != '|' && !is_name(c->text))
            width = snprintf(sample, sizeof sample, c->text, 1.0);
        spw_append(all, sizeof all, is_name(c->text) ? "%-*s" : "%*s", width, c->shown);
    }
    for (size_t k = strlen(all); k > 0 && all[k - 1] == ' '; k--) all[k - 1] = 0;
    plot_say(t->p, "%s\n", all);
}

/* "-": not measured. */
static void put_number(FILE *file, const char *format, double value) {
    if (isnan(value))
        fputc('-', file);
    else
        fprintf(file, format, value);
}

static void say_number(plot *p, const char *format, double value) {
    char text[64];
    const int width = snprintf(text, sizeof text, format, 1.0);
    snprintf(text, sizeof text, format, value);
    plot_say(p, "%*s", width, isnan(value) ? "-" : text);
}

/* "|######......|": share 0 .. 1 of width characters. text: room for them and three more. */
static const char *bar(double share, int width, char *text) {
    for (int k = 0; k < width; k++) text[1 + k] = k + 0.5 < share * width ? '#' : '.';
    text[0] = text[width + 1] = '|';
    text[width + 2] = 0;
    return text;
}

void plot_row(plot_table *t, bool shown, const char *name, const double *values, int n) {
    char drawn[64];
    int k = 0, put = 0;
    if (shown && t->heading_due) put_headings(t);
    for (const plot_column *c = t->columns; c->head || c->text; c++) {
        const bool text = is_name(c->format ? c->format : c->text);
        const double value = text ? 0 : k < n ? values[k++] : NAN;
        const double scaled = value * c->scale;
        if (t->file && c->format && put++) fputc('\t', t->file);
        if (t->file && c->format && text) fprintf(t->file, c->format, name);
        if (t->file && c->format && !text) put_number(t->file, c->format, value);
        if (!shown || !c->text) continue;
        if (*c->text == '|')
            plot_say(t->p, " %s", bar(scaled, atoi(c->text + 1), drawn));
        else if (text)
            plot_say(t->p, c->text, name);
        else
            say_number(t->p, c->text, scaled);
    }
    if (k != n) plot_die(t->p, "a row of %d values in a table of another width", n);
    if (t->file) fputc('\n', t->file);
    if (shown) plot_say(t->p, "\n");
    t->rows++;
}

void plot_block(plot_table *t, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t->rows && t->file) fprintf(t->file, "\n\n");
    plot_say(t->p, "\n%s\n", text);
    t->heading_due = true;
}

/* --- matrices and answers --------------------------------------------------------------------------- */

spw_csr plot_load(const plot *p, const char *name) {
    spw_csr A;
    plot_must(p, spw_csr_generate(name, &A));
    return A;
}

double *plot_vector(plot *p, int64_t n, bool zero) {
    enum { MOST = sizeof p->vectors / sizeof *p->vectors };
    double *x;
    if (p->n_vectors == MOST) plot_die(p, "more than %d vectors", MOST);
    plot_must(p, SPW_ALLOC(&x, n));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) x[i] = zero ? 0 : 0.5 + spw_random_double(1, (uint64_t)i);
    return p->vectors[p->n_vectors++] = x;
}

void plot_drop_vectors(plot *p) {
    while (p->n_vectors) spw_free(p->vectors[--p->n_vectors]);
}

void *plot_function(const plot *p, const char *path, const char *name) {
    char full[1200];
    snprintf(full, sizeof full, "%s/%s", p->built, path);
    void *object = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    void *function = object ? dlsym(object, name) : NULL;
    if (!function) plot_die(p, "no %s in %s", name, full);
    return function;
}

/* --- sampling --------------------------------------------------------------------------------------- */

enum { BLOCKS = 9, QUICK_BLOCKS = 3 };

typedef struct samples {
    void (*work)(void *context, int k);
    void *context;
    spw_probe *probe; /* the last contestant, or NULL */
    int n, block, calls[SPW_MOST_TURNS];
    double time[SPW_MOST_TURNS][BLOCKS];
} samples;

static double sample(const samples *s, int k, int calls) {
    if (k == s->n) return spw_probe_run(s->probe);
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) s->work(s->context, k);
    return (spw_now() - begin) / calls;
}

static bool turn(void *context, int k) {
    samples *s = (samples *)context;
    s->time[k][s->block] = sample(s, k, s->calls[k]);
    return true;
}

double plot_sample(const plot *p, int n, void (*work)(void *context, int k), void *context,
                   spw_probe *probe, double *seconds) {
    static samples s;
    const int blocks = p->quick ? QUICK_BLOCKS : BLOCKS;
    s = (samples){.work = work, .context = context, .probe = probe, .n = n};
    for (int k = 0; k < n; k++) {
        sample(&s, k, 1); /* warms up */
        s.calls[k] = p->quick ? 1 : spw_sample_calls(sample(&s, k, 1));
    }
    for (s.block = 0; s.block < blocks; s.block++) spw_by_turns(n + !!probe, 1, s.block, turn, &s);
    for (int k = 0; k < n; k++) seconds[k] = spw_quartile(s.time[k], blocks, NULL, NULL);
    return probe ? spw_probe_traffic(probe) / spw_quartile(s.time[n], blocks, NULL, NULL) : 0;
}

spw_probe plot_probe(const plot *p, spw_mix mix, double bytes) {
    spw_probe probe;
    plot_must(p, spw_probe_create(mix, (int64_t)bytes, p->threads, &probe));
    return probe;
}

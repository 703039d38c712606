/* The rows of the traffic table, and both tables as text. */
#include "simt/trace.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- rows ----------------------------------------------------------------------------------------- */

static int by_source(const void *a, const void *b) {
    const spw_simt_row *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (!order) order = x->line - y->line;
    if (!order) order = strcmp(x->kernel, y->kernel);
    if (!order) order = strcmp(x->array, y->array);
    if (!order) order = (int)x->access - (int)y->access;
    return order;
}

/* All of a kernel together, also what it does in functions that others call too. */
static int by_kernel(const void *a, const void *b) {
    const spw_simt_row *x = a, *y = b;
    int order = x->kernel_line - y->kernel_line;
    if (!order) order = strcmp(x->kernel, y->kernel);
    return order ? order : by_source(a, b);
}

static void find_kernel_lines(spw_simt_row *rows, int n) {
    for (int k = 0; k < n; k++)
        for (int m = 0; m < n; m++)
            if (strcmp(rows[k].kernel, rows[m].kernel) == 0 && rows[m].line > rows[k].kernel_line)
                rows[k].kernel_line = rows[m].line;
}

static void add(spw_simt_row *to, const spw_simt_row *r) {
    to->requests += r->requests;
    to->most += r->most;
    to->sectors += r->sectors;
    to->bytes += r->bytes;
    to->wavefronts += r->wavefronts;
    to->ideal += r->ideal;
    to->misses += r->misses;
    to->once += r->once;
    to->needed += r->needed;
    if (r->worst > to->worst) to->worst = r->worst;
    to->lanes += r->lanes;
    if (r->size > to->size) to->size = r->size;
}

static void fill_row(spw_simt_state *s, const spw_simt_count *c, const spw_simt_place *p,
                     spw_simt_row *r) {
    *r = (spw_simt_row){.line = p->line,
                        .access = (spw_simt_access)c->access,
                        .shared = c->shared,
                        .size = c->size,
                        .requests = c->requests,
                        .most = c->most,
                        .sectors = c->sectors,
                        .bytes = c->bytes,
                        .wavefronts = c->wavefronts,
                        .ideal = c->ideal,
                        .misses = c->misses,
                        .once = c->once,
                        .needed = c->needed,
                        .worst = c->worst,
                        .lanes = c->lanes};
    memcpy(r->file, p->file, sizeof r->file);
    snprintf(r->array, sizeof r->array, "%s", spw_simt_array_number(s, c->array)->name);
    snprintf(r->kernel, sizeof r->kernel, "%s", spw_simt_graph_kernel(s->graph, c->kernel));
}

/* One row for each line, array, kind of access and kernel, whatever the compiler made of the line. */
static void build_rows(spw_simt_state *s) {
    const spw_simt_count *counts;
    if (s->rows_are_built) return;
    s->rows_are_built = true;
    const int n = spw_simt_graph_counts(s->graph, &counts);
    uintptr_t *pcs = NULL;
    spw_simt_place *places = NULL;
    spw_free(s->rows);
    s->rows = NULL;
    s->n_rows = 0;
    if (SPW_ALLOC(&pcs, n) || SPW_ALLOC_ZERO(&places, n) || SPW_ALLOC(&s->rows, n)) goto done;
    for (int k = 0; k < n; k++) pcs[k] = spw_simt_site_pc(s, counts[k].site);
    spw_simt_look_up(pcs, places, n);
    for (int k = 0; k < n; k++) fill_row(s, &counts[k], &places[k], &s->rows[k]);
    if (n) qsort(s->rows, (size_t)n, sizeof *s->rows, by_source);
    for (int k = 0; k < n; k++) {
        if (s->n_rows && by_source(&s->rows[s->n_rows - 1], &s->rows[k]) == 0)
            add(&s->rows[s->n_rows - 1], &s->rows[k]);
        else
            s->rows[s->n_rows++] = s->rows[k];
    }
    find_kernel_lines(s->rows, s->n_rows);
    if (n) qsort(s->rows, (size_t)s->n_rows, sizeof *s->rows, by_kernel);
done:
    spw_free(pcs);
    spw_free(places);
}

int spw_simt_row_count(void) {
    build_rows(spw_simt_now);
    return spw_simt_now->n_rows;
}

const spw_simt_row *spw_simt_row_at(int k) { return &spw_simt_now->rows[k]; }

/* --- text ----------------------------------------------------------------------------------------- */

void spw_simt_put(spw_simt_sheet *p, const char *format, ...) {
    const size_t at = (size_t)p->length < p->size ? (size_t)p->length : p->size;
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(p->size > at ? p->text + at : NULL, p->size - at, format, list);
    va_end(list);
    if (n > 0) p->length += n;
}

int spw_simt_print_findings(char *text, size_t size) {
    spw_simt_sheet p = {text, size, 0};
    const int n = spw_simt_finding_count();
    for (int k = 0; k < n; k++) {
        const spw_simt_finding *f = spw_simt_finding_at(k);
        if (f->line) spw_simt_put(&p, "%s:%d: ", f->file, f->line);
        spw_simt_put(&p, "%s", spw_simt_kind_name(f->kind));
        if (f->times > 1) spw_simt_put(&p, " (%lld times)", (long long)f->times);
        spw_simt_put(&p, "\n");
        for (const char *line = f->text; *line;) {
            const int length = (int)strcspn(line, "\n");
            spw_simt_put(&p, "   %.*s\n", length, line);
            line += length + (line[length] == '\n');
        }
    }
    return p.length;
}

/* The heading of what follows; shared memory has a table of its own. */
static void put_heading(spw_simt_sheet *p, bool shared) {
    if (shared)
        spw_simt_put(
            p, "Shared memory: 32 banks of 4 bytes. Words of one bank take turns, in passes.\n");
    spw_simt_put(p, "%5s %-12s %-6s %5s %9s %5s %10s %7s %8s\n", "line", "array", "access", "bytes",
                 "requests", "lanes", shared ? "passes" : "sectors", "each", "at least");
}

/* bytes: of one lane. lanes: at work, of a warp's 32. each: of a request; at least: were the bytes side by side */
static void put_row(spw_simt_sheet *p, const spw_simt_row *r) {
    static const char *const access[] = {"load", "store", "atomic"};
    const double requests = (double)r->requests;
    const int64_t moved = r->shared ? r->wavefronts : r->sectors;
    spw_simt_put(p, "%5d %-12.12s %-6s %5d %9lld %5.1f %10lld %7.2f %8.2f\n", r->line, r->array,
                 access[r->access], r->size, (long long)r->requests, (double)r->lanes / requests,
                 (long long)moved, (double)moved / requests, (double)r->ideal / requests);
}

static bool same_kernel(const spw_simt_row *a, const spw_simt_row *b) {
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->file, b->file) == 0;
}

/* The rows [k, end) of one kernel that are of shared memory, or that are not. */
static void put_rows(spw_simt_sheet *p, int k, int end, bool shared) {
    int n = 0;
    int64_t sectors = 0;
    for (; k < end; k++) {
        const spw_simt_row *r = spw_simt_row_at(k);
        if (r->shared != shared) continue;
        if (n++ == 0) put_heading(p, shared);
        put_row(p, r);
        sectors += r->sectors;
    }
    if (n < 2 || shared) return;
    spw_simt_put(p, "%5s %-41s%11lld\n", "", "all", (long long)sectors);
}

int spw_simt_print_traffic(char *text, size_t size) {
    spw_simt_sheet p = {text, size, 0};
    const spw_simt_state *s = spw_simt_now;
    const int n = spw_simt_row_count();
    for (int k = 0, end; k < n; k = end) {
        const spw_simt_row *r = spw_simt_row_at(k);
        for (end = k + 1; end < n && same_kernel(r, spw_simt_row_at(end));) end++;
        spw_simt_put(&p, "%s%s, %s: traffic (modelled)\n", k ? "\n" : "", r->kernel, r->file);
        put_rows(&p, k, end, false);
        put_rows(&p, k, end, true);
    }
    if (s->count_is_cut)
        spw_simt_put(&p,
                     "A block made more accesses than can be kept: these figures are too small.\n");
    return p.length;
}

/* What a run with detail tells besides sectors: how full warps are, by line; conflicts on banks; what a perfect cache
 * leaves; and the occupancy. All of it is counted or follows from counts; none of it is a time. */
#include "simt/trace.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- how full warps are --------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b) {
    const spw_simt_line *x = a, *y = b;
    int order = strcmp(x->kernel, y->kernel);
    if (!order) order = strcmp(x->file, y->file);
    return order ? order : x->line - y->line;
}

/* Basic blocks of one line are added up. */
static void merge_lines(spw_simt_state *s, int n) {
    qsort(s->lines, (size_t)n, sizeof *s->lines, by_line);
    for (int k = 0; k < n; k++) {
        spw_simt_line *l = &s->lines[k], *last = &s->lines[s->n_lines - 1];
        if (!l->line) continue;
        if (s->n_lines && by_line(last, l) == 0) {
            last->warps += l->warps;
            last->lanes += l->lanes;
        } else {
            s->lines[s->n_lines++] = *l;
        }
    }
}

int spw_simt_line_count(void) {
    spw_simt_state *s = spw_simt_now;
    const spw_simt_graph *g = s->graph;
    uintptr_t *pcs = NULL;
    spw_simt_place *places = NULL;
    int n = 0;
    spw_free(s->lines);
    s->lines = NULL;
    s->n_lines = 0;
    const int64_t nodes = g->visits ? g->nodes.n : 0;
    if (!nodes || SPW_ALLOC(&pcs, nodes) || SPW_ALLOC_ZERO(&places, nodes) ||
        SPW_ALLOC_ZERO(&s->lines, nodes))
        goto done;
    for (uint32_t k = 0; k < nodes; k++) {
        if (!g->visits[k].warps) continue;
        pcs[n] = (uintptr_t)g->nodes.keys[k].b;
        s->lines[n].warps = g->visits[k].warps;
        s->lines[n].lanes = g->visits[k].lanes;
        snprintf(s->lines[n++].kernel, SPW_SIMT_NAME, "%s",
                 spw_simt_graph_kernel(g, g->visits[k].kernel));
    }
    spw_simt_look_up(pcs, places, n);
    for (int k = 0; k < n; k++) {
        s->lines[k].line = places[k].line;
        memcpy(s->lines[k].file, places[k].file, sizeof s->lines[k].file);
    }
    if (n) merge_lines(s, n);
done:
    spw_free(pcs);
    spw_free(places);
    return s->n_lines;
}

const spw_simt_line *spw_simt_line_at(int k) { return &spw_simt_now->lines[k]; }

static void put_lines(spw_simt_sheet *p) {
    bool headed = false, any = false;
    const int n = spw_simt_line_count();
    for (int k = 0; k < n; k++) {
        const spw_simt_line *l = spw_simt_line_at(k);
        const double share = (double)l->lanes / (double)(WARP * l->warps);
        any = true;
        if (share > 0.995) continue;
        if (!headed)
            spw_simt_put(p,
                         "Lanes at work, by line (modelled); lines not told have all 32\n"
                         "%5s %-28s %10s %6s %9s\n",
                         "line", "kernel", "warps", "lanes", "of 32");
        headed = true;
        spw_simt_put(p, "%5d %-28.28s %10lld %6.1f %7.0f %%\n", l->line, l->kernel,
                     (long long)l->warps, WARP * share, 100 * share);
    }
    if (any && !headed) spw_simt_put(p, "Lanes at work (modelled): all 32, in each line\n");
}

/* --- banks ---------------------------------------------------------------------------------------- */

static void put_banks(spw_simt_sheet *p) {
    bool headed = false;
    for (int k = 0; k < spw_simt_row_count(); k++) {
        const spw_simt_row *r = spw_simt_row_at(k);
        if (!r->shared || r->wavefronts == r->ideal) continue;
        if (!headed)
            spw_simt_put(p,
                         "\nConflicts on banks (modelled): passes more than without any\n"
                         "%5s %-12s %-6s %-20s %10s %9s %7s\n",
                         "line", "array", "access", "kernel", "conflicts", "a request", "worst");
        headed = true;
        spw_simt_put(p, "%5d %-12.12s %-6s %-20.20s %10lld %9.2f %7d\n", r->line, r->array,
                     r->access == SPW_SIMT_LOAD ? "load" : "store", r->kernel,
                     (long long)(r->wavefronts - r->ideal),
                     (double)(r->wavefronts - r->ideal) / (double)r->requests, r->worst);
    }
    if (headed) spw_simt_put(p, "worst: words in one bank, for lanes that go together\n");
}

/* --- each sector once ----------------------------------------------------------------------------- */

static void put_footprint(spw_simt_sheet *p) {
    const spw_simt_options *o = &spw_simt_now->options;
    char size[32] = "no limit";
    const int n = spw_simt_row_count();
    bool headed = false;
    if (o->cache_bytes) snprintf(size, sizeof size, "%.0f KiB", (double)o->cache_bytes / 1024);
    for (int k = 0; k < n;) {
        const spw_simt_row *first = spw_simt_row_at(k);
        int64_t moved = 0, misses = 0, once = 0, needed = 0;
        for (; k < n && strcmp(first->kernel, spw_simt_row_at(k)->kernel) == 0; k++) {
            const spw_simt_row *r = spw_simt_row_at(k);
            moved += r->sectors;
            misses += r->misses;
            once += r->once;
            needed += r->needed;
        }
        if (!moved) continue;
        if (!headed)
            spw_simt_put(p,
                         "\nSectors (modelled): all moved; past a perfect cache (%s); each once\n"
                         "%-24s %10s %10s %10s %11s %7s\n",
                         size, "kernel", "moved", "past cache", "once", "needed, kB", "/moved");
        headed = true;
        spw_simt_put(p, "%-24.24s %10lld %10lld %10lld %11.1f %5.0f %%\n", first->kernel,
                     (long long)moved, (long long)misses, (long long)once, (double)needed * 1e-3,
                     100 * (double)needed / (double)(SECTOR * moved));
    }
    if (headed)
        spw_simt_put(p,
                     "needed: each byte that a launch loads or stores, once, as a model has it.\n"
                     "/moved: its share of the bytes of all sectors moved, the efficiency.\n");
}

/* --- occupancy ------------------------------------------------------------------------------------ */

static void put_shapes(spw_simt_sheet *p) {
    const int n = spw_simt_shape_count();
    bool unknown = false;
    if (n)
        spw_simt_put(p,
                     "\nOccupancy (modelled): warps that a multiprocessor holds, of 64\n"
                     "%-20s %8s %7s %6s %9s %6s %9s %s\n",
                     "kernel", "blocks", "threads", "shared", "registers", "warps", "of 64",
                     "limit");
    for (int k = 0; k < n; k++) {
        const spw_simt_shape *shape = spw_simt_shape_at(k);
        const char *limit;
        int most;
        char registers[16];
        const int warps =
            (shape->threads + WARP - 1) / WARP * spw_simt_resident_blocks(shape, &limit, &most);
        unknown = unknown || !shape->registers;
        snprintf(registers, sizeof registers, shape->registers ? "%d" : "<= %d ?",
                 shape->registers ? shape->registers : most);
        spw_simt_put(p, "%-20.20s %8lld %7d %6zu %9s %6d %7.0f %% %s\n", shape->kernel,
                     (long long)shape->blocks, shape->threads, shape->shared, registers, warps,
                     100.0 * warps / 64, limit);
    }
    if (unknown)
        spw_simt_put(
            p, "?: nvcc, which tells the registers of a thread, was not asked; up to so many,\n"
               "the warps are those.\n");
}

int spw_simt_print_detail(char *text, size_t size) {
    spw_simt_sheet p = {text, size, 0};
    if (size) text[0] = 0;
    if (!spw_simt_row_count()) return 0;
    put_lines(&p);
    put_banks(&p);
    put_footprint(&p);
    put_shapes(&p);
    return p.length;
}

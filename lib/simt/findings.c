/* Mistakes: noted where they happen, with places as numbers; put into lines of the source afterwards. */
#include "simt/trace.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *spw_simt_kind_name(spw_simt_kind kind) {
    /* clang-format off */
    static const char *const names[] = {
        "outside the array", "freed memory", "NULL pointer", "host pointer", "device pointer",
        "misaligned", "uninitialised", "race in shared memory", "race", "barrier",
        "left before a barrier", "shuffle", "launch refused", "call refused", "stack",
        "time limit", "crash", "checker out of memory"};
    /* clang-format on */
    return kind <= SPW_SIMT_ROOM ? names[kind] : "unknown";
}

/* --- noting --------------------------------------------------------------------------------------- */

spw_simt_index spw_simt_thread_at(const spw_simt_state *s, int number) {
    const unsigned n = (unsigned)number;
    const spw_simt_index b = s->launch->block;
    return (spw_simt_index){n % b.x, n / b.x % b.y, n / b.x / b.y};
}

/* Blocks run from the last to the first in the descending schedule, until one waits for others. */
uint32_t spw_simt_block_number(const spw_simt_state *s, uint32_t serial) {
    const spw_simt_index g = s->launch->grid;
    const uint32_t k = serial - s->first_block;
    if (!s->options.descending) return k;
    return k < s->turns_at ? g.x * g.y * g.z - 1 - k : k - s->turns_at;
}

static int coordinates(char *text, size_t size, spw_simt_index at, spw_simt_index of) {
    if (of.z > 1) return snprintf(text, size, "(%u, %u, %u)", at.x, at.y, at.z);
    if (of.y > 1) return snprintf(text, size, "(%u, %u)", at.x, at.y);
    return snprintf(text, size, "%u", at.x);
}

const char *spw_simt_who(const spw_simt_state *s, char *text, size_t size, spw_simt_index thread) {
    char a[40], b[40];
    coordinates(a, sizeof a, thread, s->launch->block);
    coordinates(b, sizeof b, s->now.index, s->launch->grid);
    const spw_simt_index g = s->launch->grid, i = s->now.index;
    const bool last = g.x > 1 && i.x == g.x - 1 && i.y == g.y - 1 && i.z == g.z - 1;
    snprintf(text, size, "Thread %s of block %s%s", a, b, last ? ", the last," : "");
    return text;
}

spw_simt_finding *spw_simt_find(spw_simt_state *s, spw_simt_kind kind, uintptr_t pc,
                                const spw_simt_array *array, int64_t index, const char *format,
                                ...) {
    for (int k = 0; k < s->n_findings; k++) {
        spw_simt_raw_finding *f = &s->findings[k];
        if (f->finding.kind != kind || f->pcs[0] != pc || f->array != array ||
            (!pc && f->finding.index != index))
            continue;
        f->finding.times++;
        return NULL;
    }
    /* what follows from a lane that was stopped is not the kernel's mistake */
    if (s->n_findings == MAX_FINDINGS || (s->outside.finding && kind != SPW_SIMT_TIME)) return NULL;
    spw_simt_raw_finding *f = &s->findings[s->n_findings++];
    *f = (spw_simt_raw_finding){.array = array, .pcs = {pc}};
    f->finding = (spw_simt_finding){.kind = kind, .index = index, .times = 1};
    va_list list;
    va_start(list, format);
    vsnprintf(f->finding.text, sizeof f->finding.text, format, list);
    va_end(list);
    if (s->launch) {
        snprintf(f->finding.kernel, SPW_SIMT_NAME, "%s", s->launch->kernel);
        memcpy(f->finding.block, &s->now.index, sizeof f->finding.block);
    }
    if (s->lane) memcpy(f->finding.thread, &s->lane->index, sizeof f->finding.thread);
    if (array) {
        snprintf(f->finding.array, SPW_SIMT_NAME, "%s", array->name);
        snprintf(f->finding.array_file, sizeof f->finding.array_file, "%s", array->file);
        f->finding.array_line = array->line;
    }
    s->resolved = false;
    return &f->finding;
}

void spw_simt_place_of(spw_simt_finding *finding, int k, uintptr_t pc) {
    if (finding) ((spw_simt_raw_finding *)finding)->pcs[k] = pc;
}

void spw_simt_only_on_two_lines(spw_simt_finding *finding) {
    if (finding) ((spw_simt_raw_finding *)finding)->same_line_is_fine = true;
}

/* --- lines ---------------------------------------------------------------------------------------- */

static void say_place(char *text, size_t size, const spw_simt_place *p) {
    const char *slash = strrchr(p->file, '/');
    if (p->line)
        snprintf(text, size, "%s:%d", slash ? slash + 1 : p->file, p->line);
    else
        snprintf(text, size, "an unknown line");
}

/* {k} becomes "spmv.cu:45". */
static void fill_in(spw_simt_finding *f, const spw_simt_place *places) {
    char out[SPW_SIMT_TEXT], place[288];
    size_t n = 0;
    for (const char *t = f->text; *t && n + 1 < sizeof out; t++) {
        if (t[0] == '{' && t[1] >= '0' && t[1] < '0' + MAX_PLACES && t[2] == '}') {
            say_place(place, sizeof place, &places[t[1] - '0']);
            n += (size_t)snprintf(out + n, sizeof out - n, "%s", place);
            if (n >= sizeof out) n = sizeof out - 1;
            t += 2;
        } else {
            out[n++] = *t;
        }
    }
    out[n] = 0;
    memcpy(f->text, out, n + 1);
}

static void say_array(spw_simt_finding *f) {
    const char *slash = strrchr(f->array_file, '/');
    if (f->array_line)
        spw_append(f->text, sizeof f->text, "\n%.60s was allocated at %.200s:%d.", f->array,
                   slash ? slash + 1 : f->array_file, f->array_line);
}

/* Sentences flow in lines of 76 columns; what is indented by two blanks keeps its line. */
static void wrap(char *text) {
    enum { WIDTH = 76 };
    char *line = text, *blank = NULL;
    for (char *t = text; *t; t++) {
        const bool keeps =
            *t == '\n' && (strncmp(t + 1, "  ", 2) == 0 || strncmp(line, "  ", 2) == 0);
        if (keeps) {
            line = t + 1;
            blank = NULL;
            continue;
        }
        if (*t == '\n') *t = ' ';
        if (t - line >= WIDTH && blank) {
            *blank = '\n';
            line = blank + 1;
            blank = NULL;
        }
        if (*t == ' ' && t > line + 2) blank = t;
    }
    if (blank && strlen(line) > WIDTH) *blank = '\n';
}

static bool same_place(const spw_simt_place *a, const spw_simt_place *b) {
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Several places of the program may be the same line of the source. */
static bool is_repeated(const spw_simt_state *s, int n, const spw_simt_raw_finding *f) {
    for (int k = 0; k < n; k++) {
        spw_simt_finding *earlier = &s->findings[k].finding;
        if (earlier->kind != f->finding.kind || !f->finding.line ||
            earlier->line != f->finding.line || strcmp(earlier->file, f->finding.file) != 0 ||
            strcmp(earlier->array, f->finding.array) != 0)
            continue;
        earlier->times += f->finding.times;
        return true;
    }
    return false;
}

static void resolve(spw_simt_state *s) {
    if (s->resolved) return;
    s->resolved = true;
    uintptr_t pcs[MAX_FINDINGS * MAX_PLACES];
    spw_simt_place *places = NULL;
    const int n = s->n_findings;
    if (SPW_ALLOC_ZERO(&places, MAX_FINDINGS * MAX_PLACES)) return;
    for (int k = 0; k < n; k++)
        memcpy(pcs + k * MAX_PLACES, s->findings[k].pcs, sizeof s->findings[k].pcs);
    spw_simt_look_up(pcs, places, n * MAX_PLACES);
    s->n_findings = 0;
    for (int k = 0; k < n; k++) {
        spw_simt_raw_finding *f = &s->findings[k];
        const spw_simt_place *p = &places[k * MAX_PLACES];
        if (f->same_line_is_fine && same_place(&p[0], &p[1])) continue;
        if (!f->is_told) {
            f->is_told = true;
            if (p[0].line) memcpy(f->finding.file, p[0].file, sizeof f->finding.file);
            if (p[0].line) f->finding.line = p[0].line;
            fill_in(&f->finding, p);
            say_array(&f->finding);
            wrap(f->finding.text);
        }
        if (is_repeated(s, s->n_findings, f)) continue;
        s->findings[s->n_findings++] = *f;
    }
    spw_free(places);
}

const char *spw_simt_hint(void) { return spw_simt_now->hint; }

int spw_simt_finding_count(void) {
    resolve(spw_simt_now);
    return spw_simt_now->n_findings;
}

const spw_simt_finding *spw_simt_finding_at(int k) {
    resolve(spw_simt_now);
    return &spw_simt_now->findings[k].finding;
}

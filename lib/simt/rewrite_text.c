/* The rewriter's text: tokens and edits. */
#include "simt/rewrite.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct rewriter the;

/* Room for one more, doubling; this small program has nothing to do without memory. */
void *grown(void *array, int n, size_t size) {
    if (n & (n - 1)) return array;
    array = realloc(array, (n ? 2 * (size_t)n : 1) * size);
    if (!array) {
        fputs("rewrite: out of memory\n", stderr);
        exit(5);
    }
    return array;
}

void replace(int at, int size, int rank, const char *format, ...) {
    char *by = NULL;
    int length = 0;
    for (int pass = 0; pass < 2; pass++) {
        va_list list;
        va_start(list, format);
        length = vsnprintf(by, by ? (size_t)length + 1 : 0, format, list);
        va_end(list);
        if (!by && !(by = malloc((size_t)length + 1))) exit(5);
    }
    the.edits = grown(the.edits, the.n_edits, sizeof *the.edits);
    the.edits[the.n_edits] = (edit){at, size, rank, the.n_edits, by};
    the.n_edits++;
}

/* --- tokens --------------------------------------------------------------------------------------- */

static int word_end(int at) {
    while (at < the.size && (isalnum((unsigned char)the.text[at]) || the.text[at] == '_' ||
                             the.text[at] == '$' || (the.text[at] & 0x80)))
        at++;
    return at;
}

static int number_end(int at) {
    for (; at < the.size; at++) {
        const char c = the.text[at], last = the.text[at - 1];
        if (isalnum((unsigned char)c) || c == '_' || c == '.') continue;
        if (c == '\'' && isalnum((unsigned char)the.text[at + 1])) continue;
        if ((c == '+' || c == '-') && strchr("eEpP", last)) continue;
        break;
    }
    return at;
}

static int quoted_end(int at) {
    const char quote = the.text[at++];
    while (at < the.size && the.text[at] != quote && the.text[at] != '\n')
        at += the.text[at] == '\\' && at + 1 < the.size ? 2 : 1;
    return at < the.size ? at + 1 : at;
}

/* R"mark( ... )mark" */
static int raw_end(int at) {
    char close[24];
    const char *open = memchr(the.text + at, '(', (size_t)(the.size - at));
    const int length = open ? (int)(open - the.text) - at - 1 : 99;
    if (length > 16) return quoted_end(at);
    const int size = snprintf(close, sizeof close, ")%.*s\"", length, the.text + at + 1);
    const char *end = strstr(open, close);
    return end ? (int)(end - the.text) + size : the.size;
}

static int read_marker(int at, int *line) {
    int name = at, end;
    while (at < the.size && !isdigit((unsigned char)the.text[at]) && the.text[at] != '\n') at++;
    *line = (int)strtol(the.text + at, NULL, 10) - 1; /* the newline that follows adds one */
    name = at;
    while (name < the.size && the.text[name] != '"' && the.text[name] != '\n') name++;
    if (the.text[name] != '"') return name;
    end = quoted_end(name);
    the.markers = grown(the.markers, the.n_markers, sizeof *the.markers);
    marker *m = &the.markers[the.n_markers++];
    *m = (marker){name, end - name, ""};
    for (at = end; at < the.size && the.text[at] != '\n'; at++)
        if (the.text[at] == '3')
            m->flags = " 3";
        else if (the.text[at] == '4')
            m->flags = " 3 4";
    return at;
}

void split(void) {
    int line = 1, start = 0, at = 0;
    bool fresh = true;
    while (at < the.size) {
        const char c = the.text[at];
        if (c == '\n') {
            line++;
            start = ++at;
            fresh = true;
            continue;
        }
        if (isspace((unsigned char)c)) {
            at++;
            continue;
        }
        if (c == '#' && fresh) {
            int next_line = line;
            const bool numbered =
                the.text[at + 1] == ' ' || strncmp(the.text + at, "#line", 5) == 0;
            if (numbered) at = read_marker(at, &next_line);
            while (at < the.size && the.text[at] != '\n') at++;
            line = next_line;
            continue;
        }
        fresh = false;
        token t = {.at = at, .line = line, .column = at - start + 1, .marker = the.n_markers - 1};
        if (isalpha((unsigned char)c) || c == '_' || c == '$' || (c & 0x80)) {
            t.kind = WORD;
            at = word_end(at);
            if (the.text[at] == '"' && the.text[at - 1] == 'R' && at - t.at <= 3) {
                t.kind = QUOTED;
                at = raw_end(at);
                for (int k = t.at; k < at; k++)
                    if (the.text[k] == '\n') line++, start = k + 1;
            }
        } else if (isdigit((unsigned char)c) ||
                   (c == '.' && isdigit((unsigned char)the.text[at + 1]))) {
            t.kind = NUMBER;
            at = number_end(at + 1);
        } else if (c == '"' || c == '\'') {
            t.kind = QUOTED;
            at = quoted_end(at);
        } else {
            t.kind = PUNCTUATION;
            at++;
        }
        t.size = at - t.at;
        the.tokens = grown(the.tokens, the.n_tokens, sizeof *the.tokens);
        the.tokens[the.n_tokens++] = t;
    }
}

bool is(int k, const char *what) {
    return k >= 0 && k < the.n_tokens && (int)strlen(what) == the.tokens[k].size &&
           memcmp(the.text + the.tokens[k].at, what, (size_t)the.tokens[k].size) == 0;
}

bool is_word(int k) { return k >= 0 && k < the.n_tokens && the.tokens[k].kind == WORD; }

bool same(int a, int b) {
    return the.tokens[a].size == the.tokens[b].size &&
           memcmp(the.text + the.tokens[a].at, the.text + the.tokens[b].at,
                  (size_t)the.tokens[a].size) == 0;
}

bool touches(int k) /* no space between token k and the next */
{
    return k + 1 < the.n_tokens && the.tokens[k].at + the.tokens[k].size == the.tokens[k + 1].at;
}

/* Three of the same character in a row: <<< or >>>. */
bool triple(int k, const char *c) {
    return is(k, c) && is(k + 1, c) && is(k + 2, c) && touches(k) && touches(k + 1);
}

bool opens(int k) { return is(k, "(") || is(k, "[") || is(k, "{"); }

bool closes(int k) { return is(k, ")") || is(k, "]") || is(k, "}"); }

/* From a bracket to its partner, n_tokens or -1 without one. */
int partner(int k, int step) {
    int depth = 0;
    for (; k >= 0 && k < the.n_tokens; k += step) {
        if (opens(k)) depth += step;
        if (closes(k)) depth -= step;
        if (depth == 0) return k;
    }
    return k;
}

/* Is a token inside a function's braces, or only inside those of namespaces and extern "C"? */
void mark_scopes(void) {
    int plain = 0, depth = 0; /* plain: open braces of namespaces, always the outermost */
    for (int k = 0; k < the.n_tokens; k++) {
        if (is(k, "{")) {
            const bool is_namespace = is(k - 1, "namespace") || is(k - 2, "namespace") ||
                                      (the.tokens[k].kind == PUNCTUATION && k > 1 &&
                                       the.tokens[k - 1].kind == QUOTED && is(k - 2, "extern"));
            if (depth == plain && is_namespace) plain++;
            depth++;
        } else if (is(k, "}") && depth > 0) {
            depth--;
            if (plain > depth) plain = depth;
        }
        the.tokens[k].in_function = depth > plain;
    }
}

/* Replaces token k and, where that moves what follows, sets line and column right again. */
void splice(int k, int size, const char *by) {
    const token *t = &the.tokens[k];
    const int end = t->at + size;
    if ((int)strlen(by) == size || t->marker < 0) {
        replace(t->at, size, 1, "%s", by);
        return;
    }
    const marker *m = &the.markers[t->marker];
    replace(t->at, size, 1, "%s\n# %d %.*s%s\n%*s", by, t->line, m->name_size, the.text + m->name,
            m->flags, t->column - 1 + (end - t->at), "");
}

/* The same after something was put behind token k. */
void resume_after(int k) {
    const token *t = &the.tokens[k];
    if (t->marker < 0) return;
    const marker *m = &the.markers[t->marker];
    replace(t->at + 1, 0, 3, "\n# %d %.*s%s\n%*s", t->line, m->name_size, the.text + m->name,
            m->flags, t->column, "");
}

void blank(int k) {
    replace(the.tokens[k].at, the.tokens[k].size, 1, "%*s", the.tokens[k].size, "");
}

void complain(int k, const char *format, ...) {
    const token *t = &the.tokens[k];
    va_list list;
    va_start(list, format);
    if (t->marker >= 0) {
        const marker *m = &the.markers[t->marker];
        fprintf(stderr, "%.*s:", m->name_size - 2, the.text + m->name + 1);
    }
    fprintf(stderr, "%d:%d: error: ", t->line, t->column);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    the.errors++;
}

/* --- out ------------------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b) {
    const edit *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->age < y->age ? -1 : 1;
}

void write_out(FILE *out) {
    int at = 0;
    if (the.n_edits) qsort(the.edits, (size_t)the.n_edits, sizeof *the.edits, by_place);
    for (int k = 0; k < the.n_edits; k++) {
        const edit *e = &the.edits[k];
        fwrite(the.text + at, 1, (size_t)(e->at - at), out);
        fputs(e->by, out);
        at = e->at + e->size;
        free(e->by);
    }
    fwrite(the.text + at, 1, (size_t)(the.size - at), out);
}

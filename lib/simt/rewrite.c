/* simt/rewrite.c -- makes plain C++ of preprocessed CUDA: a filter between `g++ -E` and `g++`.
 *
 *     spmv<double, (1<<2)><<<grid, 256>>>(n, x);
 *     ::spw_simt::launch(spmv<double, (1<<2)>,"spmv<double, (1<<2)>").with(grid, 256)(n, x);
 *
 *     __shared__ double tile[32][33];       extern __shared__ double part[];
 *     static thread_local double tile[32][33];  spw_simt_shared_array(...);
 *                                           double *const part = ::spw_simt::dynamic();
 *
 *     __constant__ double c[8];    ->  the same in a section of its own, which counts as device memory
 *     threadIdx.x  ->  (::spw_simt_thread_index()).x        and blockIdx, blockDim, gridDim
 *
 *     __global__                   ->  blanked; but a kernel that is called like a function is an error
 *
 * After -E there are no comments and no macros, so a list of tokens is enough, and launches in headers
 * and macros work too. Where the text becomes longer, a line marker and spaces follow, so that the
 * compiler's errors still name the learner's line *and* column. */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum token_kind { WORD, NUMBER, QUOTED, PUNCTUATION } token_kind;

typedef struct token {
    token_kind kind;
    int at, size; /* in the text */
    int line, column;
    int marker; /* index of the line marker that names the file */
    bool in_function;
} token;

typedef struct edit {
    int at, size; /* bytes of the text that are replaced */
    int rank;     /* order among edits at the same place, then by age */
    int age;
    char *by;
} edit;

typedef struct marker {
    int name, name_size; /* "file" with its quotes, in the text */
    const char *flags;
} marker;

static struct {
    char *text;
    int size;
    token *tokens;
    int n_tokens;
    edit *edits;
    int n_edits;
    marker *markers;
    int n_markers;
    int *kernels; /* tokens that are names of kernels */
    int n_kernels;
    int errors;
} the;

/* Room for one more, doubling; this small program has nothing to do without memory. */
static void *grown(void *array, int n, size_t size)
{
    if (n & (n - 1)) return array;
    array = realloc(array, (n ? 2 * (size_t)n : 1) * size);
    if (!array) {
        fputs("rewrite: out of memory\n", stderr);
        exit(5);
    }
    return array;
}

static void replace(int at, int size, int rank, const char *format, ...)
{
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

static int word_end(int at)
{
    while (at < the.size && (isalnum((unsigned char)the.text[at]) || the.text[at] == '_' ||
                             the.text[at] == '$' || (the.text[at] & 0x80)))
        at++;
    return at;
}

static int number_end(int at)
{
    for (; at < the.size; at++) {
        const char c = the.text[at], last = the.text[at - 1];
        if (isalnum((unsigned char)c) || c == '_' || c == '.') continue;
        if (c == '\'' && isalnum((unsigned char)the.text[at + 1])) continue;
        if ((c == '+' || c == '-') && strchr("eEpP", last)) continue;
        break;
    }
    return at;
}

static int quoted_end(int at)
{
    const char quote = the.text[at++];
    while (at < the.size && the.text[at] != quote && the.text[at] != '\n')
        at += the.text[at] == '\\' && at + 1 < the.size ? 2 : 1;
    return at < the.size ? at + 1 : at;
}

/* R"mark( ... )mark" */
static int raw_end(int at)
{
    char close[24];
    const char *open = memchr(the.text + at, '(', (size_t)(the.size - at));
    const int length = open ? (int)(open - the.text) - at - 1 : 99;
    if (length > 16) return quoted_end(at);
    const int size = snprintf(close, sizeof close, ")%.*s\"", length, the.text + at + 1);
    const char *end = strstr(open, close);
    return end ? (int)(end - the.text) + size : the.size;
}

static int read_marker(int at, int *line)
{
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

static void split(void)
{
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

static bool is(int k, const char *what)
{
    return k >= 0 && k < the.n_tokens && (int)strlen(what) == the.tokens[k].size &&
           memcmp(the.text + the.tokens[k].at, what, (size_t)the.tokens[k].size) == 0;
}

static bool is_word(int k)
{
    return k >= 0 && k < the.n_tokens && the.tokens[k].kind == WORD;
}

static bool same(int a, int b)
{
    return the.tokens[a].size == the.tokens[b].size &&
           memcmp(the.text + the.tokens[a].at, the.text + the.tokens[b].at,
                  (size_t)the.tokens[a].size) == 0;
}

static bool touches(int k) /* no space between token k and the next */
{
    return k + 1 < the.n_tokens && the.tokens[k].at + the.tokens[k].size == the.tokens[k + 1].at;
}

/* Three of the same character in a row: <<< or >>>. */
static bool triple(int k, const char *c)
{
    return is(k, c) && is(k + 1, c) && is(k + 2, c) && touches(k) && touches(k + 1);
}

static bool opens(int k)
{
    return is(k, "(") || is(k, "[") || is(k, "{");
}

static bool closes(int k)
{
    return is(k, ")") || is(k, "]") || is(k, "}");
}

/* From a bracket to its partner, n_tokens or -1 without one. */
static int partner(int k, int step)
{
    int depth = 0;
    for (; k >= 0 && k < the.n_tokens; k += step) {
        if (opens(k)) depth += step;
        if (closes(k)) depth -= step;
        if (depth == 0) return k;
    }
    return k;
}

/* Is a token inside a function's braces, or only inside those of namespaces and extern "C"? */
static void mark_scopes(void)
{
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
static void splice(int k, int size, const char *by)
{
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
static void resume_after(int k)
{
    const token *t = &the.tokens[k];
    if (t->marker < 0) return;
    const marker *m = &the.markers[t->marker];
    replace(t->at + 1, 0, 3, "\n# %d %.*s%s\n%*s", t->line, m->name_size, the.text + m->name,
            m->flags, t->column, "");
}

static void blank(int k)
{
    replace(the.tokens[k].at, the.tokens[k].size, 1, "%*s", the.tokens[k].size, "");
}

static void complain(int k, const char *format, ...)
{
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

/* --- launches ------------------------------------------------------------------------------------- */

/* The first token of the expression that ends before k: name, ns::name<a, (b)>, (expression), a.b[c]. */
static int expression_start(int k)
{
    for (;;) {
        k--;
        if (is(k, ">")) {
            int depth = 0;
            for (; k >= 0; k--) {
                if (closes(k))
                    k = partner(k, -1);
                else if (is(k, ">"))
                    depth++;
                else if (is(k, "<") && --depth == 0)
                    break;
            }
            k--;
        }
        while (is(k, "]")) k = partner(k, -1) - 1;
        if (is(k, ")")) k = partner(k, -1);
        if (k < 0) return 0;
        if (is(k - 1, ":") && is(k - 2, ":")) {
            if (!is_word(k - 3) && !is(k - 3, ">")) return k - 2;
            if (is(k - 3, "return")) return k - 2;
            k -= 2;
        } else if (is(k - 1, ".")) {
            k -= 1;
        } else if (is(k - 1, ">") && is(k - 2, "-")) {
            k -= 2;
        } else {
            return k;
        }
    }
}

/* The source text of tokens a .. b-1 as the inside of a string, white space made one blank. */
static char *as_string(int a, int b)
{
    const int from = the.tokens[a].at, to = the.tokens[b - 1].at + the.tokens[b - 1].size;
    char *out = malloc(2 * (size_t)(to - from) + 1), *o = out;
    if (!out) exit(5);
    for (int at = from; at < to; at++) {
        const char c = the.text[at];
        if (c == '\n' && the.text[at + 1] == '#')
            while (at + 1 < to && the.text[at + 1] != '\n') at++;
        if (isspace((unsigned char)c)) {
            if (o > out && o[-1] != ' ') *o++ = ' ';
        } else {
            if (c == '"' || c == '\\') *o++ = '\\';
            *o++ = c;
        }
    }
    *o = 0;
    return out;
}

static int rewrite_launch(int k)
{
    const int start = expression_start(k);
    int end = k + 3;
    while (end < the.n_tokens && !triple(end, ">") && !is(end, ";") && !closes(end))
        end = opens(end) ? partner(end, 1) + 1 : end + 1;
    if (!triple(end, ">")) {
        complain(k, "this launch has no '>>>'");
        return k + 2;
    }
    char *name = as_string(start, k);
    char *with = malloc(strlen(name) + 16);
    if (!with) exit(5);
    sprintf(with, ",\"%s\").with(", name);
    replace(the.tokens[start].at, 0, 0, "::spw_simt::launch(");
    splice(k, 3, with);
    splice(end, 3, ")");
    free(name);
    free(with);
    return k + 2;
}

/* --- variables with an address space -------------------------------------------------------------- */

static int statement_end(int k)
{
    while (k < the.n_tokens && !is(k, ";")) k = opens(k) ? partner(k, 1) + 1 : k + 1;
    return k;
}

static bool qualifies(int k)
{
    static const char *const words[] = {"extern", "static", "volatile", "const", "__shared__"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(k, words[w])) return true;
    return false;
}

/* extern __shared__ T name[];  or  name[][33]; */
static void rewrite_dynamic_shared(int first, int end)
{
    int name = first, type = first;
    while (name < end && !(is_word(name) && is(name + 1, "[") && is(name + 2, "]"))) name++;
    if (name == end) {
        complain(first,
                 "extern __shared__ wants an array without a size: extern __shared__ T name[];");
        return;
    }
    while (qualifies(type)) {
        if (is(type, "extern") || is(type, "static") || is(type, "__shared__")) blank(type);
        type++;
    }
    const token *t = &the.tokens[name];
    const int brackets = the.tokens[name + 2].at + 1 - t->at;
    char by[512];
    if (t->in_function) {
        const bool more = is(name + 3, "[");
        snprintf(by, sizeof by, more ? "(*const %.*s)" : "*const %.*s=::spw_simt::dynamic()",
                 t->size, the.text + t->at);
        if (more) replace(the.tokens[end].at, 0, 0, "=::spw_simt::dynamic()");
        replace(
            the.tokens[end].at + 1, 0, 2,
            " ::spw_simt_dynamic_array(\"%.*s\",sizeof(::spw_simt::element<decltype(%.*s[0])>));",
            t->size, the.text + t->at, t->size, the.text + t->at);
        resume_after(end);
        splice(name, brackets, by);
        return;
    }
    /* Outside functions there is no place for a pointer: it would be a host variable that kernels read. */
    replace(the.tokens[type].at, 0, 0, "static const ::spw_simt::dynamic_array<");
    snprintf(by, sizeof by, "> %.*s{}", t->size, the.text + t->at);
    splice(name, brackets, by);
}

/* The names that `T a[2], *b = x, c` declares: tokens k .. end-1. */
static void announce_shared(int k, int end)
{
    int name = -1, angle = 0;
    bool named = false;
    for (; k <= end; k++) {
        if (k == end || (is(k, ",") && angle == 0)) {
            if (name >= 0) {
                const token *t = &the.tokens[name];
                replace(the.tokens[end].at + 1, 0, 2,
                        " ::spw_simt_shared_array(&%.*s,sizeof(%.*s),sizeof(::spw_simt::element<"
                        "decltype(%.*s)"
                        ">),\"%.*s\");",
                        t->size, the.text + t->at, t->size, the.text + t->at, t->size,
                        the.text + t->at, t->size, the.text + t->at);
            }
            name = -1;
            named = false;
        } else if (opens(k)) {
            if (is(k, "[")) named = true;
            k = partner(k, 1);
        } else if (is(k, "<")) {
            angle++;
        } else if (is(k, ">")) {
            angle--;
        } else if (is(k, "=")) {
            named = true;
        } else if (is_word(k) && angle == 0 && !named) {
            name = k;
        }
    }
}

static int rewrite_shared(int k)
{
    int first = k;
    bool is_extern = false, is_static = false;
    while (qualifies(first - 1)) first--;
    const int end = statement_end(k);
    for (int q = first; qualifies(q); q++) {
        is_extern |= is(q, "extern");
        is_static |= is(q, "static");
    }
    if (is_extern) {
        rewrite_dynamic_shared(first, end);
        return end;
    }
    splice(k, the.tokens[k].size, is_static ? "thread_local" : "static thread_local");
    if (the.tokens[k].in_function) {
        announce_shared(k + 1, end);
        resume_after(end);
    }
    return end;
}

/* __device__ stands before functions, lambdas and variables; only the last are moved to a section. */
static int rewrite_device(int k)
{
    bool is_const = false, is_extern = is(k - 1, "extern");
    int at = k + 1, last = k;
    for (; at < the.n_tokens; at++) {
        if (is(at, "__attribute__") || is(at, "alignas"))
            at = partner(at + 1, 1);
        else if (is(at, "__device__") || is(at, "__constant__") || is(at, "__managed__"))
            last = at;
        else if (is(at, "__host__") || is(at, "__global__"))
            break;
        else if (is(at, "const") || is(at, "constexpr"))
            is_const = true;
        else if (is(at, "(") || is(at, "{") || is(at, "[") || is(at, ";") || is(at, "="))
            break;
    }
    const bool is_variable =
        is(at, ";") || is(at, "=") || is(at, "{") || (is(at, "[") && at > last + 1);
    for (int q = k; q <= last; q++)
        if (q != k && (is(q, "__device__") || is(q, "__constant__") || is(q, "__managed__")))
            blank(q);
    if (!is_variable || is_extern || is(k + 1, "struct"))
        blank(k);
    else
        splice(k, the.tokens[k].size,
               is_const ? "__attribute__((section(\"spw_constant\")))"
                        : "__attribute__((section(\"spw_device\")))");
    return last;
}

/* --- kernels called like functions ---------------------------------------------------------------- */

static int note_kernel(int k)
{
    blank(k);
    for (int at = k + 1; at < the.n_tokens && !is(at, ";") && !is(at, "{"); at++) {
        if (is(at, "__attribute__")) {
            at = partner(at + 1, 1);
        } else if (is_word(at) && is(at + 1, "(")) {
            the.kernels = grown(the.kernels, the.n_kernels, sizeof *the.kernels);
            the.kernels[the.n_kernels++] = at;
            return at;
        }
    }
    return k;
}

static void check_call(int k)
{
    if (!is(k + 1, "(") || is(k - 1, ".") || is(k - 1, ">") || !the.tokens[k].in_function) return;
    if (is_word(k - 1) && !is(k - 1, "return") && !is(k - 1, "else") && !is(k - 1, "do")) return;
    for (int q = 0; q < the.n_kernels; q++) {
        if (!same(the.kernels[q], k)) continue;
        complain(
            k, "'%.*s' is a kernel: it is not called but launched, %.*s<<<blocks, threads>>>(...)",
            the.tokens[k].size, the.text + the.tokens[k].at, the.tokens[k].size,
            the.text + the.tokens[k].at);
        return;
    }
}

/* --- indices -------------------------------------------------------------------------------------- */

static bool rewrite_index(int k)
{
    static const char *const names[][2] = {{"threadIdx", "(::spw_simt_thread_index())"},
                                           {"blockIdx", "(::spw_simt_block_index())"},
                                           {"blockDim", "(::spw_simt_block_size())"},
                                           {"gridDim", "(::spw_simt_grid_size())"}};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (!is(k, names[n][0])) continue;
        splice(k, the.tokens[k].size, names[n][1]);
        return true;
    }
    return false;
}

static int by_place(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->age < y->age ? -1 : 1;
}

static void rewrite(void)
{
    for (int k = 0; k < the.n_tokens; k++) {
        if (triple(k, "<"))
            k = rewrite_launch(k);
        else if (is(k, "__shared__"))
            k = rewrite_shared(k);
        else if (is(k, "__device__") || is(k, "__constant__") || is(k, "__managed__"))
            k = rewrite_device(k);
        else if (is(k, "__global__"))
            k = note_kernel(k);
        else if (is(k, "__host__"))
            blank(k);
        else if (is_word(k) && !rewrite_index(k))
            check_call(k);
    }
}

static void write_out(FILE *out)
{
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

int main(void)
{
    int n;
    do {
        char *text = realloc(the.text, (size_t)the.size + (1 << 20) + 2);
        if (!text) return 5;
        the.text = text;
        n = (int)fread(the.text + the.size, 1, 1 << 20, stdin);
        the.size += n;
    } while (n > 0);
    the.text[the.size] = the.text[the.size + 1] = 0;
    split();
    mark_scopes();
    rewrite();
    write_out(stdout);
    free(the.text);
    free(the.tokens);
    free(the.edits);
    free(the.markers);
    free(the.kernels);
    return the.errors ? 1 : ferror(stdout) ? 5 : 0;
}

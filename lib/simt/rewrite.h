/* simt/rewrite.h -- the text of a CUDA file after the preprocessor, as tokens, and edits to it. For the rewriter alone,
 * a small program of two files; hence names without a prefix. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

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

extern struct rewriter {
    char *text;
    int size;
    token *tokens;
    int n_tokens;
    edit *edits;
    int n_edits;
    marker *markers;
    int n_markers;
    struct kernel {
        int name;       /* the token */
        int parameters; /* of its template, 0: it is none */
        bool has_defaults;
    } * kernels;
    int n_kernels;
    int errors;
} the;

/* Room for one more, doubling; this small program has nothing to do without memory. */
void *grown(void *array, int n, size_t size);

/* the.text of the.size bytes into the.tokens; then, which are inside functions. */
void split(void);
void mark_scopes(void);

/* About token k; all are false where there is none. */
bool is(int k, const char *what);
bool is_word(int k);
bool same(int a, int b);
bool touches(int k);               /* no space between token k and the next */
bool triple(int k, const char *c); /* three of the same character in a row: <<< or >>> */
bool opens(int k);
bool closes(int k);
int partner(int k, int step); /* from a bracket to its partner, n_tokens or -1 without one */

/* size bytes at a place of the text become what is printed; rank: order among edits at the same place, then by age. */
void replace(int at, int size, int rank, const char *format, ...);
/* size bytes from token k on, what follows keeping its line and column; the same after something was put behind k. */
void splice(int k, int size, const char *by);
void resume_after(int k);
void blank(int k);
void complain(int k, const char *format, ...); /* an error of the compiler's form; counted */

/* The text with its edits, which are gone then. */
void write_out(FILE *out);

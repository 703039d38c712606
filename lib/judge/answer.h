/* judge/answer.h -- an answer: the learner's file, a solution or a wrong answer, as a shared object.
 * lib/judge/compile.sh builds it and leaves beside ANSWER.so
 *     ANSWER.functions  "name line written|empty", a line for each function it defines; "assembly line refused"
 *     ANSWER.undefined  the symbols that it takes from elsewhere
 *     ANSWER.defined    those that it has
 *     ANSWER.d          for make: the source, and all files that it includes
 *     ANSWER.startup    what runs while it is loaded: "constructor", "resolver NAME"
 *     ANSWER.sha256     the checksum of the source, as compiled
 *     ANSWER.compiler   what the compiler said
 * An answer that does not compile is a file all the same: it holds the status of compile.sh, 1, or 5 where there is no
 * compiler, and a newline. So it can be judged like any other. */
#pragma once

#include "base/status.h"
#include "judge/exercise.h"

#include <stddef.h>
#include <stdio.h>

typedef struct spw_defined {
    char name[256];
    int line;
    bool written;
} spw_defined;

typedef struct spw_answer {
    void *object;           /* of dlopen; NULL: it is not loaded */
    const char *path;       /* not copied */
    spw_defined *functions; /* [n_functions], no name twice */
    int n_functions;
    const char *without; /* functions, between commas, that count as not written; NULL: none */
} spw_answer;

/* Reads what lies beside path, and loads nothing.
 *   SPW_ERR_FILE    a file cannot be read
 *   SPW_ERR_FORMAT  it does not compile */
spw_status spw_answer_read(const char *path, spw_answer *answer);

/* The same, and loads it: its constructors run.
 *   SPW_ERR_FILE    as above
 *   SPW_ERR_FORMAT  it cannot be loaded: it calls a function that is nowhere (the message names it), or does not
 *                   compile */
spw_status spw_answer_load(const char *path, spw_answer *answer);

/* Frees what is known of it, and unloads it if it was loaded. Takes one that was never read. */
void spw_answer_destroy(spw_answer *answer);

/* 0, or the status of compile.sh if it did not compile; then words holds what the compiler said, cut at size. */
int spw_answer_refused(const char *path, char *words, size_t size);

/* The source's SHA-256 in 64 digits; "" where it is not known. */
void spw_answer_checksum(const char *path, char *sum, size_t size);

/* Opens ANSWER.ending.
 *   SPW_ERR_FILE  it cannot be read */
spw_status spw_answer_sibling(const char *path, const char *ending, FILE **file);

/* Is name one of a list that ends in NULL? The list may be NULL. */
bool spw_is_listed(const char *name, const char *const *list);

/* Does it divide work among threads in a way that judge/teams.h does not count: guided, sections, tasks, ...? */
bool spw_answer_divides(const char *path);

/* Does it call a function of that name, which is not its own? */
bool spw_answer_calls(const char *path, const char *function);

/* Does it start threads in a way that judge/teams.h does not count? */
bool spw_answer_has_other_threads(const char *path);

/* Is there a function of that name, and written? */
bool spw_answer_has(const spw_answer *answer, const char *name);

/* The function, or NULL: there is none of that name, or its body is empty, or it is not loaded. */
spw_function spw_answer_function(const spw_answer *answer, const char *name);

/* Line on which it is defined, 0 if it is not. */
int spw_answer_line(const spw_answer *answer, const char *name);

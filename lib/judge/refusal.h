/* judge/refusal.h -- what an answer may be made of. Whatever else it takes from elsewhere is refused by check BUILD, by
 * name: there is no list of what is forbidden.
 *
 * It may call C's mathematics, memory, strings and printf, OpenMP, POSIX threads, the clocks, what compilers and
 * sanitizers call by themselves, the checker, and what its exercise allows. It may include the system's headers, those
 * that the exercise's solution includes, a few of lib/ that only declare types, and files of its own beside it. It
 * holds no assembly, and nothing that runs before it is called. */
#pragma once

#include <stdbool.h>

typedef struct spw_refusal {
    const char *code;    /* for the record: "borrowed-symbol", "refused-header", "startup" */
    char what[512];      /* "it calls spw_csr_from_coo: that is the library's own." */
    const char *allowed; /* what is in its place, in a sentence */
} spw_refusal;

/* Of the shared object `answer`, by what its build left beside it (judge/answer.h), and the build of `reference`, the
 * solution. allowed: functions that the exercise provides, NULL at the end; may be NULL. False: nothing is refused. */
bool spw_answer_is_refused(const char *answer, const char *reference, const char *const *allowed,
                           spw_refusal *refusal);

/* May any answer call a function of this name? */
bool spw_may_call(const char *name);

/* judge/explain.h -- puts into words what a wrong result looks like. For the judge only. */
#pragma once

#include "judge/trial.h"

#include <math.h>

/* What an output holds before a call. Finite and of the size of ordinary results, so that a kernel that
 * adds to y instead of overwriting it gives poison + result and is told so; a huge pattern or NaN would
 * swallow the result and look as if y had not been touched. Float has room for its 24 bits. */
static inline double spw_poison_double(int64_t i) { return 7717.0625 + (double)(i % 4096) * 0.5; }

static inline spw_idx spw_poison_index(void) { return 0x5A5A5A5A; }

/* Of entry i of an array, whatever its type. */
static inline double spw_poison_of(const spw_array *a, int64_t i) {
    return a->type == SPW_INDEX ? spw_poison_index() : spw_poison_double(i);
}

static inline double spw_entry(const spw_array *a, const void *data, int64_t i) {
    return a->type == SPW_DOUBLE  ? ((const double *)data)[i]
           : a->type == SPW_FLOAT ? (double)((const float *)data)[i]
                                  : (double)((const spw_idx *)data)[i];
}

static inline void spw_poison_entry(const spw_array *a, int64_t i, spw_poison poison) {
    const double x = poison == SPW_POISON_NAN ? (double)NAN : spw_poison_of(a, i);
    if (a->type == SPW_INDEX)
        ((spw_idx *)a->data)[i] = spw_poison_index();
    else if (a->type == SPW_FLOAT)
        ((float *)a->data)[i] = (float)x;
    else
        ((double *)a->data)[i] = x;
}

/* Compares one output with its expectation. Returns true if all entries are within tolerance, else
 * writes: which entry, got, expected, and what it looks like; t->sentence... say where that stands. */
bool spw_explain(spw_trial *t, const spw_array *a, spw_poison poison, char *text, size_t size);

/* "larger by 4 nz" | "smaller by 8 n" | "larger by 36 bytes": difference in terms of the trial's units. */
void spw_explain_difference(const spw_trial *t, double difference, const char *unit, char *text,
                            size_t size);

/* Appends a line feed, lead and sentence, in lines of at most 77 columns. Nothing where there is no room. */
void spw_explain_sentence(char *text, size_t size, const char *lead, const char *sentence);

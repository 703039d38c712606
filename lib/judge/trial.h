/* judge/trial.h -- inside of a trial: its arrays, their guards, and the comparison. For the judge only;
 * drivers see judge/exercise.h.
 *
 * While correctness is checked, an array lies between unreadable pages, at one end of its own pages:
 *     right:  | guard | slack ......... a[0] .. a[n-1] | guard |     a[n] faults
 *     left:   | guard | a[0] .. a[n-1] ......... slack | guard |     a[-1] faults
 * Inputs are read-only during a call. The slack of outputs holds a pattern that is compared after it.
 * For timing, arrays are plain blocks on huge pages. */
#pragma once

#include "judge/exercise.h"

#include <stddef.h>

enum {
    SPW_MAX_ARRAYS = 24,
    SPW_MAX_UNITS = 12,
    SPW_MAX_BLOCKS = 64,
    SPW_MAX_MISTAKES = 32,
    SPW_MAX_RESULTS = 16
};

typedef enum spw_role { SPW_INPUT, SPW_OUTPUT, SPW_INOUT } spw_role;
typedef enum spw_layout { SPW_PLAIN, SPW_RIGHT, SPW_LEFT } spw_layout;
typedef enum spw_poison { SPW_POISON_FINITE, SPW_POISON_NAN } spw_poison;

typedef struct spw_array {
    char name[32];
    spw_role role;
    spw_type type;
    int64_t count, item; /* entries, bytes an entry */
    char *data;          /* what the answer is given */
    void *device;        /* on the device: the copy that it is given instead */
    char *map;           /* guards included; NULL for a plain block */
    size_t map_bytes, body_bytes;
    char *body;     /* the pages between the guards */
    void *pristine; /* SPW_INOUT: what it is set to before a call */
    bool fresh;     /* random numbers, for which others may stand in another call */
    bool trades;    /* spw_trial_trade */
    bool has_expectation;
    spw_expectation expectation;
} spw_array;

typedef struct spw_mistake {
    const void *array, *values;
    const char *text;
} spw_mistake;

struct spw_trial {
    const spw_part *part;
    spw_function (*symbol)(const void *answer, const char *name);
    const void *answer;
    uint64_t seed;
    int threads;
    spw_layout layout;
    bool checks;

    spw_array arrays[SPW_MAX_ARRAYS];
    int n_arrays;
    void *blocks[SPW_MAX_BLOCKS];
    int n_blocks;
    spw_mistake mistakes[SPW_MAX_MISTAKES];
    int n_mistakes;
    char unit_names[SPW_MAX_UNITS][16];
    double unit_values[SPW_MAX_UNITS];
    int n_units;
    struct {
        void *at;
        size_t size;
    } results[SPW_MAX_RESULTS], hidden[SPW_MAX_RESULTS];
    int n_results, n_hidden;
    char facts[96];
    char note[96];
    const char *beyond; /* or NULL */
    int64_t beyond_count;
    int most_copies; /* 0: any */
    int64_t most_copied;
    bool failed;
    char failure[1024];
    /* of the text that spw_trial_compare wrote: where the sentence on the mistake begins and ends, or would, and
     * whether it needs no other */
    int sentence, sentence_end;
    bool certain;
    bool algebra; /* the sentence names a mistake in arithmetic: not where one thread is right */
};

/* Runs the part's setup into *t, which must be zero but for its first group of members. On failure
 * spw_trial_end must be called all the same; the message is set. */
spw_status spw_trial_begin(spw_trial *t, const char *case_name);

/* Sets outputs to poison and in-outs to their first values; makes inputs read-only. */
void spw_trial_prepare(spw_trial *t, spw_poison poison);

/* Other random numbers for the arrays that may have them. False: there are none. */
bool spw_trial_refresh(spw_trial *t, uint64_t draw);

/* Calls a rival of the part. */
void spw_trial_rival(spw_trial *t, const spw_rival *rival);

/* Bytes of all arrays that the answer is given. */
int64_t spw_trial_bytes(const spw_trial *t);

/* Compares outputs with what is expected. Returns false and writes one to three lines, separated by \n,
 * that say which entry is wrong and what the error looks like. */
bool spw_trial_compare(spw_trial *t, spw_poison poison, char *text, size_t size);

/* The same, and then the part's own check; for parts on the device, where it calls nothing. */
bool spw_trial_is_right(spw_trial *t, spw_poison poison, char *text, size_t size);

/* Was the slack around an output written? Then false and a line. */
bool spw_trial_slack_intact(const spw_trial *t, char *text, size_t size);

/* The array whose pages or guards hold the address, NULL if none does; *index is the entry, negative
 * before the array. Safe in a signal handler. */
const spw_array *spw_trial_find(const spw_trial *t, const void *address, int64_t *index);

/* A copy of all compared outputs, to be compared bit by bit with those of another run: a sum over their
 * bytes. */
uint64_t spw_trial_fingerprint(const spw_trial *t);

void spw_trial_end(spw_trial *t);

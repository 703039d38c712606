/* judge/timed.h -- samples of check FAST on the processor: each taken from outside, and each verified.
 *
 * The answer has a runner (runner.h), the reference another one of the same kind, in which the baseline, the library's
 * kernel and the peer run, too. Only one is let go at a time; the clock is ours, from the order to the word that it is
 * done. Before a sample outputs are poisoned, in every block random inputs are drawn anew, the same for both, and
 * afterwards what the answer left is compared with what the reference left, to 3 times the case's tolerance: it was
 * stated for the numbers of the first draw. How often a short function is called for a sample is drawn for each block.
 * Between two calls a few entries of its outputs are poisoned, and a few inputs change places (spw_trial_trade), so
 * that each of them has to be made; a part without such inputs has its poison alone. At the end all inputs are
 * compared, a part's claim is asked once more, and nothing may work that nobody has called. */
#pragma once

#include "judge/contest.h"
#include "judge/runner.h"

typedef struct spw_timed {
    spw_judgement *j;
    spw_trial *t;
    spw_runner runner[2];          /* SPW_ANSWER, SPW_REFERENCE */
    int calls[SPW_CONTESTANTS];    /* a sample, at least */
    int block, extra;              /* that runs, and how many calls more a sample of it has */
    bool has[2];                   /* it has been sampled in this block */
    void *left[2][SPW_MAX_ARRAYS]; /* the outputs that are compared; NULL: the others */
    void *before[SPW_MAX_ARRAYS];  /* what the reference left in the block before */
    /* s, of all samples of the answer and the reference: all threads, the first one, the clock */
    double cpu[2], main_cpu[2], wall[2];
} spw_timed;

/* Starts both, has each called once, and compares. False: something is wrong, and j->shared says what. */
bool spw_timed_begin(spw_timed *r, spw_judgement *j, spw_trial *t);

/* One call of each that takes part, for the number of calls a sample. False as above. */
bool spw_timed_warm_up(spw_timed *r, const bool takes_part[SPW_CONTESTANTS]);

/* Seconds a call in a sample of that block; negative: it is not to be trusted, and j->shared says why. */
double spw_timed_sample(spw_timed *r, int who, int block);

/* After the last sample. False as above. */
bool spw_timed_is_sound(spw_timed *r);

/* Processor time of both runners so far, which this process has not spent itself. */
double spw_timed_cpu(const spw_timed *r);

void spw_timed_end(spw_timed *r);

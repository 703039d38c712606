/* judge/contest.h -- the speed rule: contestants in interleaved blocks, and the verdict.
 *
 * A block takes one sample of each contestant, in random order, so that what the machine does to one it
 * does to all. Then, with t the lower quartile of a contestant's samples,
 *     PASS  if t_roof / t(answer) is above the goal, or t(reference) / t(answer) above
 *           SPW_SHARE_OF_REFERENCE,
 *     FAIL  if both are below, and block by block the answer is that much slower than the reference in
 *           so many blocks that two of the same speed would not be once in 10,000 contests,
 * each beyond the interval: of the quartiles, or, beside the reference, of the median over the blocks of
 * t(reference) / t(answer), as far as it holds the ratio of the quartiles. Until then more blocks, up to
 * a cap, and no verdict.
 * There is no PASS, whatever the times,
 *     above 105 % of the roof beyond the interval: that is a question, and no verdict;
 *     beside a reference that loses to the baseline, if only that speaks for the answer. No verdict;
 *     for one thread, where the reference has all: FAIL; no verdict while others use the machine.
 *
 * Why the quartile and not the median: a neighbour on the machine takes a core for a while. That slows
 * a kernel on two threads more than one on a single thread, which keeps the other core: in such samples
 * the serial answer looks nearly as good as the parallel one. It only ever slows. The fast quarter of
 * the samples is that of the machine left alone, as long as a quarter of the blocks is undisturbed; and
 * it is the same statistic for the answer, the reference and the probe. Ratios block by block alone
 * would let a disturbed reference lower the goal; but where the machine changes its speed, and both
 * scatter with it, they say more closely what the quartiles say.
 *
 * Who takes a sample, and with which clock, is the caller's: speed.c on the processor, gpu.c on a GPU. */
#pragma once

#include "judge/judge.h"

#define SPW_SHARE_OF_REFERENCE 0.85 /* READMEs say 85 %: make test ONLY=layers compares them */

enum { SPW_ANSWER, SPW_REFERENCE, SPW_BASELINE, SPW_STRETCH, SPW_PEER, SPW_PROBE, SPW_CONTESTANTS };
enum { SPW_MIN_BLOCKS = 9, SPW_GRADED_BLOCKS = 90, SPW_MAX_BLOCKS_OF_CONTEST = 400 };

typedef struct spw_contest {
    void *context; /* for the two functions */
    /* One sample: seconds a call; negative: it failed, which ends the contest. */
    double (*sample)(void *context, int who);
    /* NULL, or writes what is known of threads and disturbances: busy, one_thread, others, stolen. */
    void (*observe)(void *context, spw_part_speed *speed);
    bool takes_part[SPW_CONTESTANTS];
    uint64_t seed;
    double target;        /* share of the roof that is good */
    double probe_traffic; /* bytes that one call of the probe moves */
    double cap;           /* s; then no more blocks */
    bool graded; /* no verdict before SPW_GRADED_BLOCKS or the cap: students are compared */

    double time[SPW_CONTESTANTS][SPW_MAX_BLOCKS_OF_CONTEST]; /* s a call; 0: took no part */
    int blocks;
    bool asks_baseline; /* it is measured on */
} spw_contest;

/* speed->cost and speed->peak are inputs, all else of the result is written. False: a sample failed. */
bool spw_contest_run(spw_contest *contest, spw_part_speed *speed);

/* Seconds for each of the exercise's timed parts: 20 in all, but 8 at least. */
double spw_contest_cap(const spw_exercise *exercise);

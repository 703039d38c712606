#include "judge/contest.h"

#include "perf/roofline.h"
#include "perf/timer.h"

#include <math.h>

enum { FEW_BLOCKS = 3 };

static const double CAP_SECONDS = 20; /* of the blocks of all parts, but LEAST_CAP for each */
static const double LEAST_CAP = 8;
static const double SLOW_BLOCK_SECONDS = 2; /* a block as long as this: FEW_BLOCKS must do */
static const double ABOVE_ROOF = 1.05;      /* no glory from here on */
static const double QUIET_SHARE = 0.05;     /* of all processors, taken by others */
static const double CHANCE = 1e-4;          /* that a FAIL is one of the machine's, at most */
static const double FAR_APART = 3;          /* times as long: then a few samples tell */

double spw_contest_cap(const spw_exercise *exercise) {
    int n = 0;
    for (int part = 0; part < exercise->n_parts; part++) n += exercise->parts[part].speed != NULL;
    return fmax(LEAST_CAP, CAP_SECONDS / n);
}

/* One sample. After the first nine blocks only what decides is measured on. */
static bool turn(void *context, int who) {
    spw_contest *r = (spw_contest *)context;
    const bool decides = who == SPW_ANSWER || who == SPW_REFERENCE || who == SPW_PROBE ||
                         (who == SPW_BASELINE && r->asks_baseline);
    const bool runs = r->takes_part[who] && (decides || r->blocks < SPW_MIN_BLOCKS);
    r->time[who][r->blocks] = runs ? r->sample(r->context, who) : 0;
    return r->time[who][r->blocks] >= 0;
}

typedef struct spread {
    double value, low, high; /* the lower quartile and its interval; 0: it took no part */
} spread;

/* Of the samples in those blocks in which `beside` took part, too. */
static spread spread_of(const spw_contest *r, int who, int beside) {
    double samples[SPW_MAX_BLOCKS_OF_CONTEST];
    spread t = {0};
    int n = 0;
    for (int k = 0; k < r->blocks; k++)
        if (r->time[who][k] > 0 && r->time[beside][k] > 0) samples[n++] = r->time[who][k];
    if (n) t.value = spw_quartile(samples, n, &t.low, &t.high);
    return t;
}

static double width(spread t) { return (t.high - t.low) / t.value; }

/* The chance of so many heads or more in n throws of a coin. */
static double chance_of(int heads, int n) {
    double sum = 0;
    for (int b = heads; b <= n; b++)
        sum += exp(lgamma(n + 1.0) - lgamma(b + 1.0) - lgamma(n - b + 1.0) - n * log(2));
    return sum;
}

/* Median over the blocks: those who were measured one after the other met the machine at one speed. */
static spread ratio_of(const spw_contest *r) {
    double ratio[SPW_MAX_BLOCKS_OF_CONTEST];
    spread t = {0};
    int n = 0;
    for (int k = 0; k < r->blocks; k++)
        if (r->time[SPW_REFERENCE][k] > 0)
            ratio[n++] = r->time[SPW_REFERENCE][k] / r->time[SPW_ANSWER][k];
    if (n) t.value = spw_median(ratio, n, &t.low, &t.high);
    return t;
}

/* The answer's speed by the reference's: of their quartiles; and where the blocks say it more closely, of both. */
static spread beside_reference(const spw_contest *r, spread answer, spread reference) {
    const spread blocks = ratio_of(r);
    spread t = {reference.value / answer.value, reference.low / answer.high,
                reference.high / answer.low};
    t.low = fmax(t.low, fmin(t.value, blocks.low));
    t.high = fmin(t.high, fmax(t.value, blocks.high));
    return t;
}

/* In how many blocks the answer was slower than it may be beside the reference. */
static int slower_in(const spw_contest *r) {
    int n = 0;
    for (int k = 0; k < r->blocks; k++)
        n += r->time[SPW_REFERENCE][k] < SPW_SHARE_OF_REFERENCE * r->time[SPW_ANSWER][k];
    return n;
}

/* Are these too many for chance? Which of the two comes first in a block is drawn, so for two of the same speed a
 * block is a coin at best, whatever the machine does to them, and for how long. */
static bool blocks_agree(const spw_contest *r) {
    double fastest = INFINITY, slowest = 0;
    for (int k = 0; k < r->blocks; k++) {
        fastest = fmin(fastest, r->time[SPW_ANSWER][k]);
        slowest = fmax(slowest, r->time[SPW_REFERENCE][k]);
    }
    return chance_of(slower_in(r), r->blocks) < CHANCE || fastest > FAR_APART * slowest;
}

static bool is_disturbed(const spw_part_speed *s) { return s->others + s->stolen > QUIET_SHARE; }

/* As fast as the baseline is enough on a quiet machine: where one core saturates the memory nobody is faster. */
static bool loses_to_baseline(const spw_contest *r, const spw_part_speed *s) {
    const spread plain = spread_of(r, SPW_BASELINE, SPW_BASELINE);
    const double enough = is_disturbed(s) ? 1 : SPW_SHARE_OF_REFERENCE;
    return plain.value > 0 &&
           enough * spread_of(r, SPW_REFERENCE, SPW_BASELINE).value >= plain.value;
}

/* The figures so far and what they alone allow. */
static spw_verdict evaluate(const spw_contest *r, spw_part_speed *s) {
    const double traffic = r->probe_traffic;
    const spread probe = spread_of(r, SPW_PROBE, SPW_PROBE);
    const spread answer = spread_of(r, SPW_ANSWER, SPW_ANSWER);
    const spread reference = spread_of(r, SPW_REFERENCE, SPW_REFERENCE);
    const double roof = spw_roofline_time(s->cost, traffic / probe.value, s->peak);

    for (int who = SPW_ANSWER; who <= SPW_PEER; who++) {
        s->time[who] = spread_of(r, who, who).value;
        s->e_rival[who] = s->time[who] > 0 ? roof / s->time[who] : 0;
    }
    s->bandwidth = traffic / probe.value;
    s->scatter = width(probe);
    s->scatter_of[SPW_ANSWER] = width(answer);
    s->scatter_of[SPW_REFERENCE] = width(reference);
    s->e = roof / answer.value;
    s->to_reference = ratio_of(r).value;
    s->blocks = r->blocks;
    s->slower_in = slower_in(r);

    const double e_reference = s->e_rival[SPW_REFERENCE];
    const double goal = SPW_SHARE_OF_REFERENCE * e_reference;
    const double low = spw_roofline_time(s->cost, traffic / probe.low, s->peak) / answer.high;
    const double high = spw_roofline_time(s->cost, traffic / probe.high, s->peak) / answer.low;
    const bool by_roof = low > r->target;
    const spread beside = beside_reference(r, answer, reference);
    const bool by_reference = beside.low > SPW_SHARE_OF_REFERENCE;
    const bool slow = high < r->target && beside.high < SPW_SHARE_OF_REFERENCE;
    s->target = fmin(r->target, goal);
    s->e_low = low;
    s->e_high = high;
    /* The interval is that of what decides: of the ratio to the reference, where that is the goal. */
    const bool within = !slow && beside.high < SPW_SHARE_OF_REFERENCE; /* of the roof's */
    if (!by_roof && (by_reference || (goal < r->target && !within))) {
        s->e_low = fmin(s->e, e_reference * beside.low); /* which may be an ulp off e itself */
        s->e_high = fmax(s->e, e_reference * beside.high);
    }

    s->reason = low > ABOVE_ROOF                                      ? SPW_ABOVE_ROOF
                : !by_roof && by_reference && loses_to_baseline(r, s) ? SPW_BASELINE_WINS
                : slow && !blocks_agree(r)                            ? SPW_BLOCKS_DISAGREE
                                                                      : SPW_GOAL_WITHIN;
    if (s->reason != SPW_GOAL_WITHIN) return SPW_NO_VERDICT;
    return by_roof || by_reference ? SPW_PASS : slow ? SPW_SLOW : SPW_NO_VERDICT;
}

/* One thread is asked for nowhere. Where one core nearly fills the memory it may be fast enough all the same, and on a
 * machine that others use it loses less than a reference on all threads. */
static spw_verdict decide(const spw_contest *r, spw_part_speed *s) {
    if (r->observe) r->observe(r->context, s);
    const spw_verdict verdict = evaluate(r, s);
    if (!s->one_thread || verdict == SPW_SLOW) return verdict;
    s->reason = SPW_ONE_THREAD;
    return is_disturbed(s) ? SPW_NO_VERDICT : SPW_SLOW;
}

bool spw_contest_run(spw_contest *r, spw_part_speed *s) {
    const double begin = spw_now();
    int needed = SPW_MIN_BLOCKS, look = r->graded ? SPW_GRADED_BLOCKS : SPW_MIN_BLOCKS;
    s->verdict = SPW_NO_VERDICT;
    for (bool last = false; !last && s->verdict == SPW_NO_VERDICT;) {
        if (!spw_by_turns(SPW_CONTESTANTS, r->seed, r->blocks, turn, r)) return false;
        r->blocks++;
        const double elapsed = spw_now() - begin;
        if (elapsed > r->blocks * SLOW_BLOCK_SECONDS) needed = FEW_BLOCKS;
        if (r->blocks < needed) continue;
        /* What all blocks say so far is worth waiting for. */
        const bool unanimous = slower_in(r) == r->blocks;
        last = r->blocks == SPW_MAX_BLOCKS_OF_CONTEST || elapsed >= (unanimous ? 2 : 1) * r->cap;
        /* Judged after 9, 18, 36, ... blocks, a class after 90, 180, ... Who looks after every block sees the interval
         * clear the target by chance sooner or later, on either side. */
        if (r->blocks < look && needed == SPW_MIN_BLOCKS && !last && elapsed < r->cap) continue;
        look = 2 * r->blocks;
        s->verdict = decide(r, s);
        r->asks_baseline = s->reason == SPW_BASELINE_WINS;
    }
    s->measured = true;
    return true;
}

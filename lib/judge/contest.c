#include "judge/contest.h"

#include "perf/roofline.h"
#include "perf/timer.h"

#include <math.h>

enum { FEW_BLOCKS = 3 };

static const double CAP_SECONDS = 20; /* of the blocks of all parts, but LEAST_CAP for each */
static const double LEAST_CAP = 8;
static const double SLOW_BLOCK_SECONDS = 2; /* a block as long as this: FEW_BLOCKS must do */

double spw_contest_cap(const spw_exercise *exercise)
{
    int n = 0;
    for (int part = 0; part < exercise->n_parts; part++) n += exercise->parts[part].speed != NULL;
    return fmax(LEAST_CAP, CAP_SECONDS / n);
}

/* One sample. After the first nine blocks only what decides is measured on. */
static bool turn(void *context, int who)
{
    spw_contest *r = (spw_contest *)context;
    const bool decides = who == SPW_ANSWER || who == SPW_REFERENCE || who == SPW_PROBE;
    const bool runs = r->takes_part[who] && (decides || r->blocks < SPW_MIN_BLOCKS);
    r->time[who][r->blocks] = runs ? r->sample(r->context, who) : 0;
    return r->time[who][r->blocks] >= 0;
}

typedef struct spread {
    double value, low, high; /* the lower quartile and its interval; 0: it took no part */
} spread;

static spread spread_of(const spw_contest *r, int who)
{
    double samples[SPW_MAX_BLOCKS_OF_CONTEST];
    spread t = {0};
    int n = 0;
    for (int k = 0; k < r->blocks; k++)
        if (r->time[who][k] > 0) samples[n++] = r->time[who][k];
    if (n) t.value = spw_quartile(samples, n, &t.low, &t.high);
    return t;
}

/* The figures so far and the verdict they allow; SPW_NO_VERDICT: an interval holds its target. */
static spw_verdict evaluate(const spw_contest *r, spw_part_speed *s)
{
    const double traffic = r->probe_traffic, target = r->target;
    const spread probe = spread_of(r, SPW_PROBE), answer = spread_of(r, SPW_ANSWER);
    const spread reference = spread_of(r, SPW_REFERENCE);
    const double roof = spw_roofline_time(s->cost, traffic / probe.value, s->peak);
    const double roof_low = spw_roofline_time(s->cost, traffic / probe.low, s->peak);
    const double roof_high = spw_roofline_time(s->cost, traffic / probe.high, s->peak);

    for (int who = SPW_ANSWER; who <= SPW_PEER; who++) {
        s->time[who] = spread_of(r, who).value;
        s->e_rival[who] = s->time[who] > 0 ? roof / s->time[who] : 0;
    }
    s->bandwidth = traffic / probe.value;
    s->scatter = (probe.high - probe.low) / probe.value;
    s->e = roof / answer.value;
    s->e_low = roof_low / answer.high;
    s->e_high = roof_high / answer.low;
    s->target = fmin(target, SPW_SHARE_OF_REFERENCE * s->e_rival[SPW_REFERENCE]);
    s->blocks = r->blocks;
    if (s->e_low > target || reference.low / answer.high > SPW_SHARE_OF_REFERENCE) return SPW_PASS;
    if (s->e_high < target && reference.high / answer.low < SPW_SHARE_OF_REFERENCE) return SPW_SLOW;
    return SPW_NO_VERDICT;
}

bool spw_contest_run(spw_contest *r, spw_part_speed *s)
{
    const double begin = spw_now();
    double elapsed = 0;
    int needed = SPW_MIN_BLOCKS, look = SPW_MIN_BLOCKS;
    s->verdict = SPW_NO_VERDICT;
    do {
        if (!spw_by_turns(SPW_CONTESTANTS, r->seed, r->blocks, turn, r)) return false;
        r->blocks++;
        elapsed = spw_now() - begin;
        if (elapsed > r->blocks * SLOW_BLOCK_SECONDS) needed = FEW_BLOCKS;
        if (r->blocks < needed) continue;
        /* Judged after 9, 18, 36, ... blocks. Who looks after every block sees the interval clear the
         * target by chance sooner or later, on either side. */
        const bool last = r->blocks == SPW_MAX_BLOCKS_OF_CONTEST || elapsed >= r->cap;
        if (r->blocks < look && needed == SPW_MIN_BLOCKS && !last) continue;
        look = 2 * r->blocks;
        s->verdict = evaluate(r, s);
        if (r->caution) s->verdict = r->caution(r->context, r, s, s->verdict);
    } while (r->blocks < needed || (s->verdict == SPW_NO_VERDICT &&
                                    r->blocks < SPW_MAX_BLOCKS_OF_CONTEST && elapsed < r->cap));
    s->measured = true;
    return true;
}

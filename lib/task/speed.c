/* Check FAST: the answer, the reference, the baseline and the bandwidth probe in interleaved blocks.
 *
 * One process, one set of arrays. A block takes one sample of each, in random order, so that what the
 * machine does to one it does to all. Ratios are formed block by block; their median and its
 * distribution-free interval decide. Runs in a child. */
#define _GNU_SOURCE
#include "base/random.h"
#include "base/threads.h"
#include "perf/bandwidth.h"
#include "perf/markers.h"
#include "perf/roofline.h"
#include "perf/timer.h"
#include "task/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MIN_BLOCKS = 9, FEW_BLOCKS = 3, MAX_BLOCKS = 99 };
enum { ANSWER, REFERENCE, BASELINE, STRETCH, PROBE, CONTESTANTS };

static const double SAMPLE_SECONDS =
    0.01;                             /* long enough for the clock and for a scheduler's tick */
static const double CAP_SECONDS = 20; /* of all blocks */
static const double SLOW_BLOCK_SECONDS = 2; /* a block as long as this: FEW_BLOCKS must do */
static const double SHARE_OF_REFERENCE = 0.85;

typedef struct race {
    spw_judgement *j;
    spw_trial *t;
    spw_probe probe;
    spw_function answer, reference;
    int calls[CONTESTANTS];               /* a sample */
    double time[CONTESTANTS][MAX_BLOCKS]; /* s a call; 0: does not take part */
    double busy_cpu, busy_wall;           /* of the answer's samples */
    int blocks;
} race;

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static bool takes_part(const race *r, int who)
{
    const spw_part *p = r->t->part;
    return who == BASELINE  ? p->baseline.label != NULL
           : who == STRETCH ? p->stretch.label != NULL
                            : true;
}

static void call_once(race *r, int who)
{
    if (who == ANSWER)
        spw_call(r->j, r->t, r->answer);
    else if (who == REFERENCE)
        r->t->part->call(r->t, r->reference);
    else if (who == BASELINE)
        r->t->part->baseline.call(r->t);
    else
        r->t->part->stretch.call(r->t);
}

/* Seconds a call. What the kernel overwrites is restored outside the clock. */
static double sample(race *r, int who)
{
    if (who == PROBE) return spw_probe_run(&r->probe);
    /* The reference looks functions of its own up, not the answer's. */
    r->t->answer = who == REFERENCE ? &r->j->reference : &r->j->answer;
    for (int k = 0; k < r->t->n_arrays; k++)
        if (r->t->arrays[k].role == SPW_INOUT) {
            spw_trial_prepare(r->t, SPW_POISON_FINITE);
            break;
        }
    const double cpu = cpu_seconds(), begin = spw_now();
    for (int c = 0; c < r->calls[who]; c++) call_once(r, who);
    const double wall = spw_now() - begin;
    if (who == ANSWER) {
        r->busy_cpu += cpu_seconds() - cpu;
        r->busy_wall += wall;
    }
    return wall / r->calls[who];
}

static void warm_up(race *r, int who)
{
    r->calls[who] = 1;
    double seconds = sample(r, who);
    if (seconds < SAMPLE_SECONDS) seconds = fmin(seconds, sample(r, who));
    const double calls = ceil(SAMPLE_SECONDS / fmax(seconds, 1e-8));
    r->calls[who] = calls > 1 ? (int)fmin(calls, 1e6) : 1;
    if (who == REFERENCE) r->j->shared->reference_time = seconds;
}

static void run_block(race *r)
{
    int order[CONTESTANTS];
    for (int k = 0; k < CONTESTANTS; k++) order[k] = k;
    for (int k = CONTESTANTS - 1; k > 0; k--) {
        const uint64_t number = (uint64_t)(r->blocks * CONTESTANTS + k);
        const int other = (int)spw_random_below(r->t->seed, number, k + 1);
        const int swap = order[k];
        order[k] = order[other];
        order[other] = swap;
    }
    for (int k = 0; k < CONTESTANTS; k++) {
        const int who = order[k];
        /* After the first nine blocks only what decides is measured on. */
        const bool decides = who == ANSWER || who == REFERENCE || who == PROBE;
        const bool runs = takes_part(r, who) && (decides || r->blocks < MIN_BLOCKS);
        r->time[who][r->blocks] = runs ? sample(r, who) : 0;
    }
    r->blocks++;
}

/* Median over the blocks in which it took part; 0 if in none. */
static double median_of(const double *x, int n, double *low, double *high)
{
    double y[MAX_BLOCKS];
    int m = 0;
    for (int k = 0; k < n; k++)
        if (x[k] > 0) y[m++] = x[k];
    if (low) *low = 0;
    if (high) *high = 0;
    return m ? spw_median(y, m, low, high) : 0;
}

/* The medians so far and the verdict they allow; SPW_NO_VERDICT: the interval holds the goal. */
static spw_verdict evaluate(const race *r, spw_part_speed *s)
{
    double ratio[MAX_BLOCKS], margin[MAX_BLOCKS], goal[MAX_BLOCKS], low, high;
    const spw_part *p = r->t->part;
    const double traffic = spw_probe_traffic(&r->probe);
    for (int who = ANSWER; who <= STRETCH; who++) {
        for (int k = 0; k < r->blocks; k++) {
            const double b = traffic / r->time[PROBE][k];
            const double roof = spw_roofline_time(s->cost, b, s->peak);
            ratio[k] = r->time[who][k] > 0 ? roof / r->time[who][k] : 0;
            if (who == REFERENCE) {
                goal[k] = fmin(p->goal, SHARE_OF_REFERENCE * ratio[k]);
                margin[k] = roof / r->time[ANSWER][k] / goal[k];
            }
        }
        s->e_rival[who] = median_of(ratio, r->blocks, &low, &high);
        s->time[who] = median_of(r->time[who], r->blocks, NULL, NULL);
        if (who == ANSWER) {
            s->e = s->e_rival[ANSWER];
            s->e_low = low;
            s->e_high = high;
        }
    }
    const double probe_time = median_of(r->time[PROBE], r->blocks, &low, &high);
    s->bandwidth = traffic / probe_time;
    s->scatter = (high - low) / probe_time;
    s->goal = median_of(goal, r->blocks, NULL, NULL);
    s->blocks = r->blocks;
    spw_median(margin, r->blocks, &low, &high);
    return low > 1 ? SPW_PASS : high < 1 ? SPW_SLOW : SPW_NO_VERDICT;
}

/* Jiffies of all processors: in all, and stolen by the hypervisor. */
static void read_steal(double *all, double *stolen)
{
    double v[8] = {0};
    *all = *stolen = 0;
    FILE *file = fopen("/proc/stat", "r");
    if (!file) return;
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4],
               &v[5], &v[6], &v[7]) == 8) {
        for (int k = 0; k < 8; k++) *all += v[k];
        *stolen = v[7];
    }
    fclose(file);
}

/* What ONE core moves with the same mix: only asked when the answer was slow. */
static double one_core_bandwidth(const race *r)
{
    spw_probe single;
    double seconds[5];
    if (spw_probe_create(r->probe.mix, r->probe.bytes, 1, &single)) return 0;
    for (int k = 0; k < 5; k++) seconds[k] = spw_probe_run(&single);
    const double b = spw_probe_traffic(&single) / spw_median(seconds, 5, NULL, NULL);
    spw_probe_destroy(&single);
    return b;
}

static void run_race(race *r, spw_part_speed *s)
{
    double all[2], stolen[2];
    read_steal(&all[0], &stolen[0]);
    /* The reference first: its time puts a slow answer into proportion. */
    for (int k = 0; k < PROBE; k++)
        if (takes_part(r, (k + REFERENCE) % PROBE)) warm_up(r, (k + REFERENCE) % PROBE);
    r->busy_cpu = r->busy_wall = 0;

    const double begin = spw_now();
    double elapsed = 0;
    int needed = MIN_BLOCKS;
    do {
        run_block(r);
        elapsed = spw_now() - begin;
        if (elapsed > r->blocks * SLOW_BLOCK_SECONDS) needed = FEW_BLOCKS;
        if (r->blocks >= needed) s->verdict = evaluate(r, s);
    } while (r->blocks < needed ||
             (s->verdict == SPW_NO_VERDICT && r->blocks < MAX_BLOCKS && elapsed < CAP_SECONDS));
    read_steal(&all[1], &stolen[1]);
    s->steal = all[1] > all[0] ? (stolen[1] - stolen[0]) / (all[1] - all[0]) : 0;
    double load = 0;
    s->loads = getloadavg(&load, 1) == 1 ? load : 0;
    s->busy = r->busy_wall > 0 ? r->busy_cpu / r->busy_wall : 0;
    if (s->verdict == SPW_SLOW && r->t->threads > 1) s->one_core = one_core_bandwidth(r);
    s->measured = true;
}

static bool trouble(spw_judgement *j, const char *what)
{
    j->shared->judge_failed = true;
    snprintf(j->shared->text, sizeof j->shared->text, "%.120s: %s", what, spw_message());
    return false;
}

static bool time_part(spw_judgement *j, int part, double peak)
{
    spw_shared *s = j->shared;
    const spw_part *p = &j->task->parts[part];
    spw_part_speed *speed = &s->speed[part];
    const char *name = p->takes_matrix && j->options.matrix ? j->options.matrix : p->speed;
    spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
    race *r = (race *)calloc(1, sizeof *r);
    bool ok = false;
    if (!r) goto end;
    snprintf(s->case_name, sizeof s->case_name, "%s", name);
    s->stage = SPW_FAST;
    if (spw_trial_begin(&t, name)) {
        ok = trouble(j, name);
        goto end;
    }
    snprintf(s->facts, sizeof s->facts, "%s", t.facts);
    *r = (race){.j = j,
                .t = &t,
                .answer = spw_answer_function(&j->answer, p->function),
                .reference = spw_answer_function(&j->reference, p->function)};

    /* Checked before it is timed: a race often shows at this size only. */
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    t.answer = &j->reference;
    const double begin = spw_now();
    p->call(&t, r->reference);
    s->reference_time = spw_now() - begin;
    t.answer = &j->answer;
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    spw_call(j, &t, r->answer);
    if (!spw_trial_compare(&t, SPW_POISON_FINITE, s->text, sizeof s->text)) {
        s->failed = true;
        s->stage = SPW_CORRECT;
        goto end;
    }

    speed->cost = p->cost(&t);
    speed->peak = peak;
    snprintf(speed->facts, sizeof speed->facts, "%s", t.facts);
    if (spw_probe_create(spw_mix_for(speed->cost), spw_trial_bytes(&t), j->all_threads,
                         &r->probe)) {
        ok = trouble(j, "the bandwidth probe");
        goto end;
    }
    snprintf(speed->probe_text, sizeof speed->probe_text, "%s, %d thread%s, %.3g MB",
             r->probe.kernel, r->probe.threads, r->probe.threads == 1 ? "" : "s",
             1e-6 * (double)r->probe.bytes);
    run_race(r, speed);
    ok = true;
end:
    if (r) spw_probe_destroy(&r->probe);
    free(r);
    spw_trial_end(&t);
    return ok;
}

void spw_time_answer(spw_judgement *j)
{
    double peak = 0;
    for (int part = 0; part < j->task->n_parts; part++) {
        if (!j->task->parts[part].speed || !spw_part_written(j, part)) continue;
        spw_set_threads(j->all_threads);
        if (peak <= 0) peak = spw_peak_flops(j->all_threads);
        if (!time_part(j, part, peak)) return;
    }
}

void spw_run_own_check(spw_judgement *j)
{
    spw_run run = {j};
    spw_set_threads(j->all_threads);
    j->shared->stage = SPW_FAST;
    j->shared->own_verdict = j->task->own_check(&run);
}

/* For a measurement from outside (likwid-perfctr, cachegrind): no fork, no clock, no other kernel. */
void spw_count_traffic(spw_judgement *j)
{
    for (int part = 0; part < j->task->n_parts; part++) {
        const spw_part *p = &j->task->parts[part];
        if (!p->traffic || !spw_part_written(j, part)) continue;
        if (j->options.traffic_part && strcmp(j->options.traffic_part, p->function) != 0) continue;
        const char *name = p->takes_matrix && j->options.matrix ? j->options.matrix : p->traffic;
        spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
        t.checks = false;
        if (spw_trial_begin(&t, name)) {
            trouble(j, name);
            spw_trial_end(&t);
            return;
        }
        spw_trial_prepare(&t, SPW_POISON_FINITE);
        const spw_cost cost = p->cost(&t);
        printf("function %s\ncase %s\nworking_set_bytes %.0f\nmodel_load_bytes %.0f\n"
               "model_store_bytes %.0f\nmodel_flop %.0f\n",
               p->function, name, (double)spw_trial_bytes(&t), cost.load, cost.store, cost.flop);
        fflush(stdout);
        spw_marker_start("kernel");
        for (long call = 0; call < j->options.traffic_calls; call++)
            p->call(&t, spw_answer_function(&j->answer, p->function));
        spw_marker_stop("kernel");
        spw_trial_end(&t);
        return;
    }
    j->shared->judge_failed = true;
    snprintf(j->shared->text, sizeof j->shared->text,
             "no function of this exercise that is written has traffic to count");
}

/* --- what a driver's own check calls --------------------------------------------------------------- */

spw_function spw_run_symbol(const spw_run *run, const char *name)
{
    return spw_answer_function(&run->judgement->answer, name);
}

int spw_run_threads(const spw_run *run)
{
    return run->judgement->all_threads;
}

uint64_t spw_run_seed(const spw_run *run)
{
    return run->judgement->options.seed;
}

void spw_run_headline(spw_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(run->judgement->shared->headline, sizeof run->judgement->shared->headline, format,
              args);
    va_end(args);
}

void spw_run_line(spw_run *run, const char *format, ...)
{
    char *lines = run->judgement->shared->lines;
    const size_t size = sizeof run->judgement->shared->lines, used = strlen(lines);
    if (used + 2 >= size) return;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(lines + used, size - used - 1, format, args);
    va_end(args);
    const size_t end = used + (size_t)(n > 0 ? n : 0);
    memcpy(lines + (end < size - 2 ? end : size - 2), "\n", 2);
}

void spw_run_score(spw_run *run, double percent)
{
    run->judgement->shared->score = percent;
}

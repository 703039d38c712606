/* Check FAST on the processor: the answer, the reference, the baseline and the bandwidth probe are timed by turns
 * (judge/contest.h). Runs in a child, the probe there, all others in runners (judge/timed.h). */
#define _GNU_SOURCE
#include "base/threads.h"
#include "perf/bandwidth.h"
#include "perf/cpu_time.h"
#include "perf/markers.h"
#include "perf/timer.h"
#include "judge/timed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAP_NANOSECONDS = 2000000 };
enum { CLOSING = 30 };                      /* limits of a call */
static const double ONE_THREAD_SHARE = 0.7; /* of the processor time, at least */

typedef struct contestants {
    spw_timed timed;
    spw_probe probe;
    spw_contest *contest;
    spw_usage before;
} contestants;

/* Seconds a call. */
static double sample(void *context, int who) {
    contestants *r = (contestants *)context;
    if (who != SPW_PROBE) return spw_timed_sample(&r->timed, who, r->contest->blocks);
    nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
    return spw_probe_run(&r->probe);
}

/* What ONE core moves with the same mix: only asked when the answer was slow. */
static double one_core_bandwidth(const contestants *r) {
    spw_probe single;
    double seconds[5];
    if (spw_probe_create(r->probe.mix, r->probe.bytes, 1, &single)) return 0;
    for (int k = 0; k < 5; k++) seconds[k] = spw_probe_run(&single);
    const double b = spw_probe_traffic(&single) / spw_median(seconds, 5, NULL, NULL);
    spw_probe_destroy(&single);
    return b;
}

/* Additions, or multiply-adds, a second of one thread where each needs the result of the one before. */
static double chain_of(bool products) {
    enum { TERMS = 1 << 20 };
    static volatile double kept = 0x1p-20;
    const double x = kept, y = kept;
    double seconds[5];
    for (int k = 0; k < 5; k++) {
        double sum = 0;
        const double begin = spw_now();
        if (products)
            for (int i = 0; i < TERMS; i++) sum = sum * x + y;
        else
            for (int i = 0; i < TERMS; i++) sum += x;
        kept = fmin(sum, 0x1p-20);
        seconds[k] = spw_now() - begin;
    }
    return TERMS / spw_median(seconds, 5, NULL, NULL);
}

/* Was nearly all of its processor time that of the first thread? */
static bool ran_alone(const contestants *r, int who) {
    return r->timed.main_cpu[who] > ONE_THREAD_SHARE * r->timed.cpu[who];
}

/* What disturbed the contest, and how many threads worked. */
static void observe(void *context, spw_part_speed *s) {
    const contestants *r = (const contestants *)context;
    spw_usage before = r->before;
    before.own -= spw_timed_cpu(&r->timed); /* of these processes, too */
    spw_usage_of_others(&before, &s->others, &s->stolen);
    s->busy = r->timed.cpu[SPW_ANSWER] / r->timed.wall[SPW_ANSWER];
    s->one_thread =
        r->timed.t->threads > 1 && ran_alone(r, SPW_ANSWER) && !ran_alone(r, SPW_REFERENCE);
}

/* Does it store only where it has loaded, but for some numbers? */
static bool in_place(const spw_trial *t) {
    int64_t elsewhere = 0, there = 0;
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        if (a->role == SPW_OUTPUT) elsewhere += a->count * a->item;
        if (a->role == SPW_INOUT) there += a->count * a->item;
    }
    return 8 * elsewhere < there;
}

/* Calls that follow each other, and one that moves its data several times over, find in a cache what lies there: so
 * must the probe. */
static void sweep_as_often(contestants *r, spw_cost cost) {
    const double rounds = ceil(spw_cost_bytes(cost) / spw_probe_traffic(&r->probe));
    const int64_t sweeps = (int64_t)rounds * r->timed.calls[SPW_REFERENCE];
    if (sweeps > r->probe.sweeps) r->probe.sweeps = sweeps;
}

/* False: a sample failed, or what was timed is not to be trusted. */
static bool run_contest(contestants *r, spw_contest *run, spw_part_speed *s) {
    const spw_part *p = r->timed.t->part;
    spw_judgement *j = r->timed.j;
    *run = (spw_contest){.context = r,
                         .sample = sample,
                         .observe = observe,
                         .takes_part = {true, true, p->baseline.label != NULL,
                                        p->stretch.label != NULL, p->peer.label != NULL, true},
                         .seed = r->timed.t->seed,
                         .target = p->target,
                         .probe_traffic = spw_probe_traffic(&r->probe),
                         .cap = spw_contest_cap(j->exercise),
                         .graded = j->options.graded};
    r->contest = run;
    if (!spw_timed_warm_up(&r->timed, run->takes_part)) return false;
    sweep_as_often(r, s->cost);
    r->before = spw_usage_read();
    r->before.own += spw_timed_cpu(&r->timed);
    s->measured = spw_contest_run(run, s) && spw_timed_is_sound(&r->timed);
    s->teams = j->shared->teams;
    if (s->verdict == SPW_SLOW && r->timed.t->threads > 1) s->one_core = one_core_bandwidth(r);
    for (int k = 0; s->verdict == SPW_SLOW && k < p->sum_of; k++) s->chain[k] = chain_of(k > 0);
    return s->measured;
}

static bool time_part(spw_judgement *j, int part, double peak) {
    spw_shared *s = j->shared;
    const spw_part *p = &j->exercise->parts[part];
    spw_part_speed *speed = &s->speed[part];
    const char *name = p->takes_matrix && j->options.matrix ? j->options.matrix : p->speed;
    spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
    contestants r = {.contest = NULL};
    static spw_contest run;
    bool ok = false;
    s->stage = SPW_FAST;
    if (!spw_begin_case(j, &t, name)) goto end;
    if (!spw_timed_begin(&r.timed, j, &t)) goto end;

    speed->cost = p->cost(&t);
    speed->peak = peak;
    snprintf(speed->facts, sizeof speed->facts, "%s", t.facts);
    if (spw_probe_create(spw_mix_for(speed->cost, in_place(&t)), spw_trial_bytes(&t),
                         j->all_threads, &r.probe)) {
        ok = spw_trouble(j, "the bandwidth probe");
        goto end;
    }
    speed->probe_bytes = (double)r.probe.bytes;
    snprintf(speed->probe_text, sizeof speed->probe_text, "%s, %d thread%s, %.3g MB",
             r.probe.kernel, r.probe.threads, r.probe.threads == 1 ? "" : "s",
             1e-6 * (double)r.probe.bytes);
    ok = run_contest(&r, &run, speed);
end:
    spw_timed_end(&r.timed);
    spw_probe_destroy(&r.probe);
    spw_trial_end(&t);
    return ok;
}

void spw_time_answer(spw_judgement *j) {
    double peak = 0;
    for (int part = 0; part < j->exercise->n_parts; part++) {
        if (!j->exercise->parts[part].speed || !spw_part_written(j, part)) continue;
        spw_set_threads(j->all_threads);
        if (peak <= 0) peak = spw_peak_flops(j->all_threads);
        if (!time_part(j, part, peak)) return;
    }
}

void spw_show_evidence(spw_judgement *j) {
    spw_run run = {.judgement = j};
    spw_set_threads(j->all_threads);
    j->exercise->evidence(&run);
}

/* In a runner. */
static void close_there(spw_trial *t, void *judgement) {
    spw_run run = {.judgement = (spw_judgement *)judgement};
    (void)t;
    run.judgement->exercise->closing(&run);
}

void spw_show_closing(spw_judgement *j) {
    spw_shared *s = j->shared;
    spw_runner r;
    spw_trial nothing = spw_new_trial(j, 0, j->all_threads, SPW_PLAIN);
    s->stage = SPW_FAST;
    const bool loaded = spw_runner_start(&r, j, &nothing, &j->answer, j->options.answer);
    r.limit *= CLOSING;
    if (loaded && spw_runner_order(&r, close_there, j) &&
        spw_runner_fetch_text(&r, s->headline, sizeof s->headline))
        (void)spw_runner_fetch_text(&r, s->lines, sizeof s->lines);
    spw_runner_end(&r);
}

void spw_run_own_check(spw_judgement *j) {
    spw_runner r = {.pid = -1};
    spw_trial nothing = spw_new_trial(j, 0, j->all_threads, SPW_PLAIN);
    spw_run run = {j, &r, &nothing};
    j->shared->stage = SPW_FAST;
    j->shared->own_verdict = j->exercise->own_check(&run);
    if (r.j) spw_runner_end(&r);
}

bool spw_run_ask(spw_run *run, void (*work)(spw_trial *, void *), void *data, size_t size) {
    spw_runner *r = run->runner;
    spw_judgement *j = run->judgement;
    if (!r->j && !spw_runner_start(r, j, run->nothing, &j->answer, j->options.answer)) return false;
    return spw_runner_put(r, data, size) && spw_runner_order(r, work, data) &&
           spw_runner_fetch(r, data, size);
}

/* For a measurement from outside (likwid-perfctr, cachegrind): no fork, no clock, no other kernel. 0
 * calls tell the models of all parts. */
void spw_count_traffic(spw_judgement *j) {
    int told = 0;
    for (int part = 0; part < j->exercise->n_parts; part++) {
        const spw_part *p = &j->exercise->parts[part];
        if (!p->traffic || !(p->given || spw_part_written(j, part))) continue;
        if (j->options.traffic_part && strcmp(j->options.traffic_part, p->function) != 0) continue;
        const char *large = p->counted ? p->counted : p->speed;
        const char *name = j->options.traffic_large && large ? large : p->traffic;
        if (p->takes_matrix && j->options.matrix) name = j->options.matrix;
        spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
        t.checks = false;
        if (!spw_begin_case(j, &t, name)) {
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
        for (int call = 0; call < j->options.traffic_calls; call++)
            if (p->given)
                p->given(&t);
            else
                p->call(&t, spw_answer_function(&j->answer, p->function));
        spw_marker_stop("kernel");
        spw_trial_end(&t);
        told++;
        if (j->options.traffic_calls > 0) return;
    }
    if (told > 0) return;
    j->shared->judge_failed = true;
    snprintf(j->shared->text, sizeof j->shared->text,
             "no function of this exercise that is written has traffic to count");
}

/* --- what a driver's own check calls --------------------------------------------------------------- */

spw_function spw_run_symbol(const spw_run *run, const char *name) {
    return spw_answer_function(&run->judgement->answer, name);
}

int spw_run_threads(const spw_run *run) { return run->judgement->all_threads; }

uint64_t spw_run_seed(const spw_run *run) { return run->judgement->options.seed; }

void spw_run_headline(spw_run *run, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(run->judgement->shared->headline, sizeof run->judgement->shared->headline, format,
              args);
    va_end(args);
}

void spw_run_line(spw_run *run, const char *format, ...) {
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

void spw_run_score(spw_run *run, double percent) { run->judgement->shared->score = percent; }

bool spw_run_case(spw_run *run, int part, const char *name, void (*work)(spw_trial *, void *),
                  void *context) {
    spw_judgement *j = run->judgement;
    spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
    t.checks = false;
    const bool ok = spw_begin_case(j, &t, name);
    if (ok) {
        spw_trial_prepare(&t, SPW_POISON_FINITE);
        work(&t, context);
    }
    spw_trial_end(&t);
    return ok;
}

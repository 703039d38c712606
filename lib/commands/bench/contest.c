#include "commands/bench/contest.h"

#include "perf/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double RUNNER_SECONDS = 4;  /* one that is slow is sampled less often */
static const double SLOW_SECONDS = 5;    /* a call that long needs no second look */
static const double SPIN_SECONDS = 0.02; /* libgomp's threads spin that long before they sleep */

runner *contest_enter(contest *run, const char *name, double bytes, int roof) {
    if (run->n == CONTEST_RUNNERS_MAX) abort(); /* raise it: the table of kernels has grown */
    runner *r = &run->runners[run->n];
    *r = (runner){.bytes = bytes, .roof = roof < 0 ? run->n : roof, .calls = 1};
    r->side = roof < 0 ? SIDE_ROOF : SIDE_OURS;
    set_text(r->name, "%s", name);
    run->n++;
    return r;
}

static void call_kernel(const runner *r) { r->call(r->on, r->kernel->function); }

runner *contest_enter_kernel(contest *run, const char *operation, const spw_kernel *k, operands *on,
                             int roof) {
    runner *r = contest_enter(run, k->symbol, operands_bytes(on, operation, k), roof);
    r->work = call_kernel;
    r->kernel = k;
    r->call = operands_call_of(operation);
    r->on = on;
    return r;
}

static double seconds_of_probe(const runner *r, int calls) {
    (void)calls; /* it has a number of its own */
    return spw_probe_run(r->state);
}

spw_status contest_enter_probe(contest *run, spw_mix mix, double bytes, int threads) {
    if (run->n_probes == CONTEST_PROBES_MAX) abort();
    spw_probe *probe = &run->probes[run->n_probes];
    const spw_status status = spw_probe_create(mix, (int64_t)bytes, threads, probe);
    if (status) return status;
    runner *r = contest_enter(run, probe->kernel, spw_probe_traffic(probe), -1);
    r->seconds = seconds_of_probe;
    r->state = probe;
    run->n_probes++;
    return SPW_OK;
}

static double seconds_of_device_probe(const runner *r, int calls) {
    double seconds;
    (void)calls;
    return spw_device_probe_run(r->state, &seconds) ? NAN : seconds;
}

spw_status contest_enter_device_probe(contest *run, double bytes) {
    spw_device_probe *probe = &run->device;
    const spw_status status = spw_device_probe_create(SPW_LOAD, (int64_t)bytes, probe);
    if (status) return status;
    runner *r = contest_enter(run, probe->kernel, spw_device_probe_traffic(probe), -1);
    r->seconds = seconds_of_device_probe;
    r->state = probe;
    return SPW_OK;
}

void contest_close(contest *run) {
    while (run->n_probes > 0) spw_probe_destroy(&run->probes[--run->n_probes]);
    spw_device_probe_destroy(&run->device);
}

/* --- running -------------------------------------------------------------------------------------- */

/* The device's own time, between two marks in its stream. */
static double seconds_of_launches(const contest *run, const runner *r, int calls) {
    double seconds = 0;
    spw_status status = spw_device_event_record(run->device.from);
    for (int c = 0; c < calls && !status; c++) status = r->launch(r);
    if (!status) status = spw_device_event_record(run->device.to);
    if (!status) status = spw_device_event_seconds(run->device.from, run->device.to, &seconds);
    if (!status) return seconds / calls;
    printf("  %s is left out from here on: %s\n", r->name, spw_message());
    return NAN;
}

static double seconds_of(const contest *run, const runner *r, int calls) {
    double told = 0;
    if (r->seconds) return r->seconds(r, calls);
    if (r->launch) return seconds_of_launches(run, r, calls);
    const double begin = spw_now();
    for (int c = 0; c < calls; c++)
        if (r->once)
            told += r->once(r);
        else
            r->work(r);
    return (r->once ? told : spw_now() - begin) / calls;
}

/* Seconds a call. Where a call is short, the first one has threads to wake and is not counted. */
static double sample(const contest *run, runner *r, int *last_process) {
    if (r->out) return NAN;
    if (r->process != *last_process) {
        const struct timespec pause = {.tv_nsec = (long)(1e9 * SPIN_SECONDS)};
        nanosleep(&pause, NULL);
        *last_process = r->process;
    }
    if (r->calls > 1) (void)seconds_of(run, r, 1);
    const double seconds = seconds_of(run, r, r->calls);
    if (isnan(seconds)) r->out = true;
    return seconds;
}

typedef struct bench_round {
    contest *run;
    int number, all, last_process;
} bench_round;

static bool turn(void *context, int who) {
    bench_round *now = (bench_round *)context;
    runner *r = &now->run->runners[who];
    if ((now->number + 1) * r->rounds / now->all > r->taken)
        r->samples[r->taken++] = sample(now->run, r, &now->last_process);
    return true;
}

void contest_run(contest *run, int rounds) {
    bench_round now = {.run = run, .all = rounds};
    for (int k = 0; k < run->n; k++) {
        runner *r = &run->runners[k];
        const double first = r->first > 0 ? r->first : sample(run, r, &now.last_process);
        const bool slow = first > SLOW_SECONDS;
        const double seconds = slow ? first : fmin(first, sample(run, r, &now.last_process));
        r->calls = spw_sample_calls(seconds);
        r->rounds = (int)fmin(fmax(RUNNER_SECONDS / (r->calls * seconds), slow ? 1 : 3), rounds);
        r->taken = 0;
    }
    for (; now.number < rounds; now.number++) (void)spw_by_turns(run->n, 1, now.number, turn, &now);
    for (int k = 0; k < run->n; k++) {
        runner *r = &run->runners[k];
        if (!r->out) r->value = spw_quartile(r->samples, r->taken, &r->low, &r->high);
    }
}

/* --- results -------------------------------------------------------------------------------------- */

/* The time of its roof over the time that r took, with its interval. */
static double share_of(const contest *run, const runner *r, double *low, double *high) {
    const runner *roof = &run->runners[r->roof];
    const double scale = (run->roof_bytes > 0 ? run->roof_bytes : r->bytes) / roof->bytes;
    const double arithmetic = run->peak > 0 ? run->roof_flops / run->peak : 0;
    *low = fmax(scale * roof->low, arithmetic) / r->high;
    *high = fmax(scale * roof->high, arithmetic) / r->low;
    return fmax(scale * roof->value, arithmetic) / r->value;
}

void contest_report(bench *b, const contest *run, const char *group, const char *subject) {
    contest_report_seconds(b, run, group, subject, 0, NULL);
}

void contest_report_seconds(bench *b, const contest *run, const char *group, const char *subject,
                            double scale, const char *unit) {
    for (int k = 0; k < run->n; k++) {
        const runner *r = &run->runners[k];
        const bool is_roof = r->side == SIDE_ROOF, flops = !is_roof && r->flops > 0;
        if (unit && is_roof) continue;
        if (r->out) {
            printf("  %-43s out of the contest\n", r->name);
            continue;
        }
        result line = {group, subject, r->name, .bytes = r->bytes, .is_roof = is_roof};
        line.value = unit ? scale * r->value : 1e-9 * (flops ? r->flops : r->bytes) / r->value;
        line.unit = unit ? unit : flops ? "GF/s" : "GB/s";
        if (unit) line.note = r->note;
        if (!is_roof && (!unit || run->roof_bytes > 0))
            line.share = share_of(run, r, &line.low, &line.high);
        report(b, line);
    }
}

const runner *contest_best(const contest *run, bench_side side, bool less) {
    const runner *best = NULL;
    for (int k = 0; k < run->n; k++) {
        const runner *r = &run->runners[k];
        if (r->side == side && r->less == less && !r->out && (!best || r->value < best->value))
            best = r;
    }
    return best;
}

void contest_compare(bench *b, const char *group, const char *subject, const char *text,
                     const runner *ours, const runner *theirs, double goal) {
    if (!ours || !theirs) return;
    result line = {.group = group,
                   .subject = subject,
                   .kernel = text,
                   .unit = "times",
                   .share = theirs->value / ours->value,
                   .low = theirs->low / ours->high,
                   .high = theirs->high / ours->low,
                   .goal = goal};
    line.value = line.share;
    printf("  %s / %s\n", ours->name, theirs->name);
    report(b, line);
}

void contest_best_share(bench *b, const contest *run, const char *group, const char *subject,
                        const char *text, const runner *ours, double goal) {
    if (!ours) return;
    result line = {group, subject, text, .unit = "times", .goal = goal};
    line.value = line.share = share_of(run, ours, &line.low, &line.high);
    printf("  %s\n", ours->name);
    report(b, line);
}

/* Parts on the device: the answer's kernels run on the checker (lib/simt), in a child.
 *
 * The driver lays out host arrays as for any part. They are copied to the checker's device memory, the
 * answer's function is called with the copies, and what it may have written is copied back and compared.
 * Twice: lanes ascending on outputs full of finite garbage, which shows what was never written; then
 * descending on outputs that count as never written, which shows who reads them. */
#include "perf/timer.h"
#include "simt/simt.h"
#include "judge/judge.h"
#include "judge/mutants.h"
#include "judge/runner.h"
#include "judge/sectors.h"

#include <stdio.h>
#include <string.h>

/* Between host and device, in bytes, where the driver states no limit: structs and numbers. */
enum { MOST_COPIED = 4096 };
/* Limits of a call, for all that is counted of a part. */
enum { COUNTING = 6 };

typedef struct launch {
    spw_trial *trial;
    spw_function function;
} launch;

static void call(void *argument) {
    launch *l = (launch *)argument;
    l->trial->part->call(l->trial, l->function);
}

/* Its own limit is processor time and comes with an explanation; the parent's clock is the last resort. */
static bool run(spw_judgement *j, launch *l) {
    j->shared->call_since = spw_now();
    const bool finished = spw_simt_run(call, l);
    j->shared->call_since = 0;
    return finished;
}

static spw_status to_device(spw_trial *t, bool descending) {
    spw_status status = SPW_OK;
    for (int k = 0; k < t->n_arrays && !status; k++) {
        spw_array *a = &t->arrays[k];
        a->device = NULL;
        if (a->count == 0) continue;
        if (a->role == SPW_OUTPUT && descending)
            status = spw_simt_room(a->name, a->count, a->item, &a->device);
        else
            status = spw_simt_copy_in(a->name, a->data, a->count, a->item, &a->device);
    }
    return status;
}

static spw_status from_device(spw_trial *t) {
    spw_status status = SPW_OK;
    for (int k = 0; k < t->n_arrays && !status; k++) {
        const spw_array *a = &t->arrays[k];
        if (a->role != SPW_INPUT && a->device)
            status = spw_simt_copy_out(a->data, a->device, a->count * a->item);
    }
    return status;
}

/* Did the run find a mistake? Then shared->text has it. */
static bool has_findings(spw_judgement *j, bool finished) {
    spw_shared *s = j->shared;
    const int n = spw_simt_finding_count();
    if (n == 0 && finished) return false;
    if (n == 0) {
        snprintf(s->text, sizeof s->text, "the answer's host code left the program");
    } else if (spw_simt_finding_at(0)->kind == SPW_SIMT_ROOM) {
        s->judge_failed = true;
        snprintf(s->text, sizeof s->text, "%s", spw_simt_finding_at(0)->text);
        return true;
    } else {
        spw_simt_print_findings(s->text, sizeof s->text);
        s->endless = spw_simt_finding_at(0)->kind == SPW_SIMT_TIME;
    }
    s->failed = true;
    s->stage = SPW_SAFE;
    return true;
}

/* Was an input changed? Kernels see a copy, so the host's array is what it was. */
static bool inputs_intact(spw_judgement *j, const spw_trial *t) {
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        if (a->role != SPW_INPUT || !a->device) continue;
        void *now = spw_trial_memory((spw_trial *)t, a->count, a->item);
        if (!now || spw_simt_copy_out(now, a->device, a->count * a->item)) continue;
        if (memcmp(now, a->data, (size_t)(a->count * a->item)) == 0) continue;
        int64_t i = 0;
        while (memcmp((char *)now + i * a->item, a->data + i * a->item, (size_t)a->item) == 0) i++;
        snprintf(j->shared->text, sizeof j->shared->text,
                 "%s wrote to %s[%lld]: an input, it must stay as it is", t->part->function,
                 a->name, (long long)i);
        j->shared->failed = true;
        j->shared->stage = SPW_SAFE;
        return false;
    }
    return true;
}

/* What all runs of an answer have in common. */
static spw_simt_options options_of(const spw_judgement *j, const spw_trial *t) {
    return (spw_simt_options){.check = true,
                              .most_copies = t->most_copies,
                              .most_copied = t->most_copied ? t->most_copied : MOST_COPIED,
                              .limit = 0.8 * j->options.limit};
}

/* What a runner does; it lies at the same address there. */
static struct {
    spw_judgement *j;
    const char *name;
    bool descending;
    int part;
    bool rounds;
} doing;

/* In a runner. j->shared is its own there, and what is found is fetched from it. */
static void run_on_checker(spw_trial *t, void *ignored) {
    spw_judgement *j = doing.j;
    launch l = {t, spw_trial_symbol(t, t->part->function)};
    (void)ignored;
    spw_simt_options options = options_of(j, t);
    options.descending = doing.descending;
    options.asynchronous = t->part->asynchronous;
    if (spw_simt_begin(&options)) {
        spw_trouble(j, doing.name);
        return;
    }
    spw_trial_prepare(t, SPW_POISON_FINITE);
    if (to_device(t, doing.descending)) {
        spw_trouble(j, doing.name);
    } else {
        const bool finished = run(j, &l);
        if (!has_findings(j, finished) && inputs_intact(j, t)) {
            if (!j->shared->hint[0])
                snprintf(j->shared->hint, sizeof j->shared->hint, "%s", spw_simt_hint());
            if (from_device(t)) spw_trouble(j, doing.name);
        }
    }
    spw_simt_end();
}

/* What was found there. False: something was. */
static bool fetch_findings(spw_runner *r) {
    spw_shared *s = r->j->shared;
    if (!spw_runner_fetch(r, &s->judge_failed, sizeof s->judge_failed) ||
        !spw_runner_fetch(r, &s->failed, sizeof s->failed) ||
        !spw_runner_fetch(r, &s->endless, sizeof s->endless) ||
        !spw_runner_fetch_text(r, s->text, sizeof s->text) ||
        !spw_runner_fetch_text(r, s->hint, sizeof s->hint))
        return false;
    if (s->failed && (!spw_runner_fetch(r, &s->stage, sizeof s->stage) || s->stage != SPW_CORRECT))
        s->stage = SPW_SAFE;
    return !s->failed && !s->judge_failed;
}

static bool run_case(spw_judgement *j, spw_trial *t, const char *name, bool descending) {
    spw_shared *s = j->shared;
    spw_runner r;
    doing.j = j;
    doing.name = name;
    doing.descending = descending;
    s->stage = SPW_SAFE;
    t->failed = false;
    const bool ran = spw_runner_start(&r, j, t, &j->answer, j->options.answer) &&
                     spw_runner_order(&r, run_on_checker, NULL) && fetch_findings(&r) &&
                     spw_runner_fetch_outputs(&r);
    spw_runner_end(&r);
    if (!ran) return false;
    if (spw_trial_is_right(t, SPW_POISON_FINITE, s->text, sizeof s->text)) return true;
    if (!descending) spw_mutants_keep(t, SPW_POISON_FINITE);
    if (descending)
        spw_append(s->text, sizeof s->text,
                   "\nwith the lanes of a warp ascending it was right, descending it is wrong:\n"
                   "the result depends on an order that nothing enforces");
    s->failed = true;
    s->stage = SPW_CORRECT;
    return false;
}

bool spw_checker_leaves(spw_judgement *j, spw_trial *t, spw_function f, char *found, size_t size) {
    launch l = {t, f};
    spw_simt_options options = options_of(j, t);
    options.asynchronous = t->part->asynchronous;
    if (spw_simt_begin(&options)) return false;
    spw_trial_prepare(t, SPW_POISON_FINITE);
    const bool ok =
        !to_device(t, false) && run(j, &l) && !spw_simt_finding_count() && !from_device(t);
    if (!ok) spw_simt_print_findings(found, size);
    spw_simt_end();
    return ok;
}

bool spw_checker_case(spw_judgement *j, int part, const char *name) {
    spw_trial t = spw_new_trial(j, part, 1, SPW_PLAIN);
    const bool ok =
        spw_begin_case(j, &t, name) && run_case(j, &t, name, false) && run_case(j, &t, name, true);
    spw_trial_end(&t);
    return ok;
}

/* --- traffic ----------------------------------------------------------------------------------------- */

/* For lib/commands/traffic.sh, parted by tabs: what is counted, and each line of the table. */
static void tell_rows(const spw_trial *t, const char *name, spw_cost cost) {
    printf("function\t%s\ncase\t%s\nmodel\t%.0f\t%.0f\t%.0f\n", t->part->function, name, cost.load,
           cost.store, cost.flop);
    static const char *const access[] = {"load", "store", "atomic"};
    for (int k = 0; k < spw_simt_row_count(); k++) {
        const spw_simt_row *r = spw_simt_row_at(k);
        if (!r->shared)
            printf("row\t%s\t%d\t%s\t%s\t%lld\t%lld\t%lld\n", r->kernel, r->line, r->array,
                   access[r->access], (long long)r->requests, (long long)r->sectors,
                   (long long)r->bytes);
    }
}

static void keep_counts(spw_judgement *j, int part, spw_trial *t, const char *name) {
    spw_shared *s = j->shared;
    const spw_part *p = t->part;
    int64_t sectors = 0;
    for (int k = 0; k < spw_simt_row_count(); k++) sectors += spw_simt_row_at(k)->sectors;
    s->traffic[part].counted = true;
    s->traffic[part].needed = p->cost ? spw_cost_bytes(p->cost(t)) : 0;
    s->traffic[part].moved = 32.0 * (double)sectors;
    snprintf(s->traffic[part].facts, sizeof s->traffic[part].facts, "%s", t->facts);
    char *table = s->traffic[part].table;
    const size_t size = sizeof s->traffic[part].table;
    const int n = spw_simt_print_traffic(table, size);
    if (j->options.detail && (size_t)n < size) spw_simt_print_detail(table + n, size - (size_t)n);
    const size_t used = strlen(table);
    if (p->hidden > 0) spw_simt_print_timeline(table + used, size - used);
    if (j->options.traffic_sectors) tell_rows(t, name, p->cost ? p->cost(t) : (spw_cost){0});
}

/* In a runner: what the bounds say of the counts. */
static void judge_counts(spw_judgement *j, spw_trial *t) {
    const bool own_case = !(t->part->takes_matrix && j->options.matrix);
    char *why = j->shared->traffic[doing.part].why;
    const size_t size = sizeof j->shared->traffic[doing.part].why;
    if (!doing.rounds) keep_counts(j, doing.part, t, doing.name);
    spw_judge_sectors(t, own_case, why, size);
    if (!why[0] && t->part->hidden > 0) spw_judge_timeline(t->part, why, size);
    if (doing.rounds && why[0])
        spw_append(why, size, "\n(in case %s, where each thread goes round several times)",
                   doing.name);
}

/* In a runner: calls and counts. */
static void count_there(spw_trial *t, void *ignored) {
    spw_judgement *j = doing.j;
    launch l = {t, spw_trial_symbol(t, t->part->function)};
    (void)ignored;
    spw_simt_options options = options_of(j, t);
    options.count = true;
    options.detail = j->options.detail > 0;
    options.cache_bytes = (int64_t)(j->options.detail == 1 ? 1024 : j->options.detail) << 10;
    options.multiprocessors = doing.rounds ? 1 : 0;
    if (spw_simt_begin(&options)) {
        spw_trouble(j, doing.name);
        return;
    }
    spw_trial_prepare(t, SPW_POISON_FINITE);
    if (to_device(t, false)) {
        spw_trouble(j, doing.name);
    } else if (!has_findings(j, run(j, &l))) {
        judge_counts(j, t);
        if (from_device(t)) spw_trouble(j, doing.name);
    }
    spw_simt_end();
}

/* Counts are what the runner says; the values that came of them are compared here. */
static bool count_laid_out(spw_judgement *j, spw_trial *t) {
    spw_shared *s = j->shared;
    const int part = doing.part;
    spw_runner r;
    bool ok = spw_runner_start(&r, j, t, &j->answer, j->options.answer);
    r.limit *= COUNTING;
    ok = ok && spw_runner_order(&r, count_there, NULL) && fetch_findings(&r);
    if (!doing.rounds)
        ok = ok && spw_runner_fetch(&r, &s->traffic[part], sizeof s->traffic[part]) &&
             spw_runner_fetch_text(&r, s->traffic[part].facts, sizeof s->traffic[part].facts) &&
             spw_runner_fetch_text(&r, s->traffic[part].table, sizeof s->traffic[part].table);
    ok = ok && spw_runner_fetch_text(&r, s->traffic[part].why, sizeof s->traffic[part].why) &&
         spw_runner_fetch_outputs(&r);
    s->traffic[part].failed = s->traffic[part].why[0] != 0;
    spw_runner_end(&r);
    if (!ok || spw_trial_is_right(t, SPW_POISON_FINITE, s->text, sizeof s->text)) return ok;
    s->failed = true;
    s->stage = SPW_CORRECT;
    return false;
}

/* One of the two cases of a part: that of its table, or the one where loops go round. Each has the answer loaded afresh:
 * memory of the device that it keeps is gone. */
static bool count_round(spw_judgement *j, int part, bool rounds) {
    const spw_part *p = &j->exercise->parts[part];
    const bool asked = p->takes_matrix && j->options.matrix;
    const char *name = rounds ? p->traffic_rounds : asked ? j->options.matrix : p->traffic;
    if (!name || (rounds && (asked || j->options.traffic_sectors))) return true;
    spw_trial t = spw_new_trial(j, part, 1, SPW_PLAIN);
    doing.j = j;
    doing.name = name;
    doing.part = part;
    doing.rounds = rounds;
    j->shared->stage = SPW_TRAFFIC;
    const bool ok = spw_begin_case(j, &t, name) && count_laid_out(j, &t);
    spw_trial_end(&t);
    return ok;
}

void spw_count_sectors(spw_judgement *j) {
    for (int part = 0; part < j->exercise->n_parts; part++)
        if (j->exercise->parts[part].on_device && j->exercise->parts[part].traffic &&
            spw_part_written(j, part) &&
            (!j->options.traffic_part ||
             strcmp(j->options.traffic_part, j->exercise->parts[part].function) == 0))
            if (!count_round(j, part, false) ||
                (!j->shared->traffic[part].failed && !count_round(j, part, true)))
                return;
}

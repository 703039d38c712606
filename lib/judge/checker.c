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

#include <stdio.h>
#include <string.h>

typedef struct launch {
    spw_trial *trial;
    spw_function function;
} launch;

static void call(void *argument)
{
    launch *l = (launch *)argument;
    l->trial->part->call(l->trial, l->function);
}

/* Its own limit is processor time and comes with an explanation; the parent's clock is the last resort. */
static bool run(spw_judgement *j, launch *l)
{
    j->shared->call_since = spw_now();
    const bool finished = spw_simt_run(call, l);
    j->shared->call_since = 0;
    return finished;
}

static bool trouble(spw_judgement *j, const char *name)
{
    j->shared->judge_failed = true;
    snprintf(j->shared->text, sizeof j->shared->text, "case %.60s: %s", name, spw_message());
    return false;
}

static spw_status to_device(spw_trial *t, bool descending)
{
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

static spw_status from_device(spw_trial *t)
{
    spw_status status = SPW_OK;
    for (int k = 0; k < t->n_arrays && !status; k++) {
        const spw_array *a = &t->arrays[k];
        if (a->role != SPW_INPUT && a->device)
            status = spw_simt_copy_out(a->data, a->device, a->count * a->item);
    }
    return status;
}

/* Did the run find a mistake? Then shared->text has it. */
static bool has_findings(spw_judgement *j, bool finished)
{
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
    }
    s->failed = true;
    s->stage = SPW_SAFE;
    return true;
}

/* Was an input changed? Kernels see a copy, so the host's array is what it was. */
static bool inputs_intact(spw_judgement *j, const spw_trial *t)
{
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

static bool run_case(spw_judgement *j, spw_trial *t, const char *name, bool descending)
{
    spw_shared *s = j->shared;
    launch l = {t, spw_answer_function(&j->answer, t->part->function)};
    s->stage = SPW_SAFE;
    if (spw_simt_begin(&(spw_simt_options){.check = true,
                                           .descending = descending,
                                           .asynchronous = t->part->asynchronous,
                                           .most_copies = t->most_copies,
                                           .most_copied = t->most_copied,
                                           .limit = 0.8 * j->options.limit}))
        return trouble(j, name);
    spw_trial_prepare(t, SPW_POISON_FINITE);
    bool ok = !to_device(t, descending);
    if (!ok) {
        trouble(j, name);
    } else {
        const bool finished = run(j, &l);
        ok = !has_findings(j, finished) && inputs_intact(j, t);
        if (ok && from_device(t)) ok = trouble(j, name);
        if (ok && !spw_trial_is_right(t, l.function, SPW_POISON_FINITE, s->text, sizeof s->text)) {
            const size_t used = strlen(s->text);
            if (!descending && !t->failed) spw_mutants_keep(t, SPW_POISON_FINITE);
            if (descending)
                snprintf(
                    s->text + used, sizeof s->text - used,
                    "\nwith the lanes of a warp ascending it was right, descending it is wrong:\n"
                    "the result depends on an order that nothing enforces");
            s->failed = true;
            s->stage = SPW_CORRECT;
            ok = false;
        }
    }
    spw_simt_end();
    return ok;
}

bool spw_checker_leaves(spw_judgement *j, spw_trial *t, spw_function f)
{
    launch l = {t, f};
    if (spw_simt_begin(&(spw_simt_options){.check = true, .limit = 0.8 * j->options.limit}))
        return false;
    spw_trial_prepare(t, SPW_POISON_FINITE);
    const bool ok =
        !to_device(t, false) && run(j, &l) && !spw_simt_finding_count() && !from_device(t);
    spw_simt_end();
    return ok;
}

bool spw_checker_case(spw_judgement *j, int part, const char *name)
{
    spw_shared *s = j->shared;
    spw_trial t = spw_new_trial(j, part, 1, SPW_PLAIN);
    snprintf(s->case_name, sizeof s->case_name, "%s", name);
    bool ok = false;
    if (spw_trial_begin(&t, name)) {
        trouble(j, name);
    } else {
        snprintf(s->facts, sizeof s->facts, "%s", t.facts);
        ok = run_case(j, &t, name, false) && run_case(j, &t, name, true);
    }
    spw_trial_end(&t);
    return ok;
}

/* --- traffic ----------------------------------------------------------------------------------------- */

static const char *const verbs[] = {"loads of", "stores to", "atomics on"};

static const spw_array *array_named(const spw_trial *t, const char *name)
{
    for (int k = 0; k < t->n_arrays; k++)
        if (strcmp(t->arrays[k].name, name) == 0) return &t->arrays[k];
    return NULL;
}

/* The counts of one array, all lines together; `line` is that of most sectors. */
static spw_simt_row sum_of(const char *array, spw_access access, int *line)
{
    spw_simt_row sum = {.requests = 0};
    int64_t most = -1;
    *line = 0;
    for (int k = 0; k < spw_simt_row_count(); k++) {
        const spw_simt_row *r = spw_simt_row_at(k);
        if (r->shared || (int)r->access != (int)access || strcmp(r->array, array) != 0) continue;
        sum.requests += r->requests;
        sum.sectors += r->sectors;
        sum.most += r->most;
        if (r->size > sum.size) sum.size = r->size;
        if (r->sectors > most) {
            most = r->sectors;
            *line = r->line;
        }
    }
    return sum;
}

/* The first bound that is exceeded, in words; "" if none is. */
static void judge_bounds(const spw_trial *t, char *why, size_t size)
{
    why[0] = 0;
    for (const spw_sector_bound *b = t->part->bounds; b && b->array && !why[0]; b++) {
        int line;
        const spw_simt_row row = sum_of(b->array, b->access, &line);
        const spw_array *a = array_named(t, b->array);
        if (!row.requests) continue;
        const double each = (double)row.sectors / (double)row.requests;
        const double held = a ? (double)(a->count * a->item) / 32 : 0;
        const double times = held > 0 ? (double)row.sectors / held : 0;
        /* a lane that loads a double2 may take twice the sectors of one that loads a double */
        const double wide = a && row.size > a->item ? (double)row.size / (double)a->item : 1;
        if (b->per_request > 0 && each > wide * b->per_request)
            snprintf(why, size, "line %d: %s %s take %.1f sectors a request, at most %.1f%s%s",
                     line, verbs[b->access], b->array, each, wide * b->per_request,
                     b->hint ? "\n" : "", b->hint ? b->hint : "");
        else if (b->times_size > 0 && times > b->times_size)
            snprintf(why, size,
                     "line %d: %s %s move %.1f times what it holds, at most %.1f times%s%s", line,
                     verbs[b->access], b->array, times, b->times_size, b->hint ? "\n" : "",
                     b->hint ? b->hint : "");
        else if (b->per_block > 0 && row.most > b->per_block)
            snprintf(why, size, "line %d: a block makes %lld requests of %s %s, at most %lld%s%s",
                     line, (long long)row.most, verbs[b->access], b->array, (long long)b->per_block,
                     b->hint ? "\n" : "", b->hint ? b->hint : "");
    }
}

/* For lib/commands/traffic.sh, parted by tabs: what is counted, and each line of the table. */
static void tell_rows(const spw_trial *t, const char *name, spw_cost cost)
{
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

bool spw_checker_traffic(spw_judgement *j, int part)
{
    spw_shared *s = j->shared;
    const spw_part *p = &j->exercise->parts[part];
    const char *name = p->takes_matrix && j->options.matrix ? j->options.matrix : p->traffic;
    spw_trial t = spw_new_trial(j, part, 1, SPW_PLAIN);
    launch l = {&t, spw_answer_function(&j->answer, p->function)};
    snprintf(s->case_name, sizeof s->case_name, "%s", name);
    s->stage = SPW_TRAFFIC;
    bool ok = false;
    if (spw_trial_begin(&t, name)) {
        trouble(j, name);
        goto end;
    }
    if (spw_simt_begin(
            &(spw_simt_options){.check = true, .count = true, .limit = 0.8 * j->options.limit})) {
        trouble(j, name);
        goto end;
    }
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    ok = !to_device(&t, false) || trouble(j, name);
    if (ok) {
        const bool finished = run(j, &l);
        ok = !has_findings(j, finished);
    }
    if (ok && from_device(&t)) ok = trouble(j, name);
    if (ok && !spw_trial_is_right(&t, l.function, SPW_POISON_FINITE, s->text, sizeof s->text)) {
        s->failed = true;
        s->stage = SPW_CORRECT;
        ok = false;
    }
    if (ok) {
        int64_t sectors = 0;
        for (int k = 0; k < spw_simt_row_count(); k++) sectors += spw_simt_row_at(k)->sectors;
        s->traffic[part].counted = true;
        s->traffic[part].needed = p->cost ? spw_cost_bytes(p->cost(&t)) : 0;
        s->traffic[part].moved = 32.0 * (double)sectors;
        snprintf(s->traffic[part].facts, sizeof s->traffic[part].facts, "%s", t.facts);
        judge_bounds(&t, s->traffic[part].why, sizeof s->traffic[part].why);
        s->traffic[part].failed = s->traffic[part].why[0] != 0;
        spw_simt_print_traffic(s->traffic[part].table, sizeof s->traffic[part].table);
        if (j->options.traffic_sectors) tell_rows(&t, name, p->cost ? p->cost(&t) : (spw_cost){0});
    }
    spw_simt_end();
end:
    spw_trial_end(&t);
    return ok;
}

void spw_count_sectors(spw_judgement *j)
{
    for (int part = 0; part < j->exercise->n_parts; part++)
        if (j->exercise->parts[part].on_device && j->exercise->parts[part].traffic &&
            spw_part_written(j, part) &&
            (!j->options.traffic_part ||
             strcmp(j->options.traffic_part, j->exercise->parts[part].function) == 0))
            if (!spw_checker_traffic(j, part)) return;
}

/* Parts on the device on a real GPU: values first, then check FAST by the rule of judge/contest.h.
 *
 * The checker has judged the answer by now (checker.c). What is left to the GPU is whether real hardware
 * agrees, and time: between two events in the stream, without the copies to and from the host, which are
 * told apart. The roof is that of perf/bandwidth_device.h at the same working set in the same run.
 *
 * No CUDA stands here: what is the device's is behind base/device.h and perf/bandwidth_device.h. Linked
 * with their _none files this says that there is no GPU, with nvcc's it runs on one, and with the
 * checker's a unit test runs it where there is none. */
#include "base/device.h"
#include "base/memory.h"
#include "perf/bandwidth_device.h"
#include "perf/timer.h"
#include "judge/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The answer's fault; shared->text says what it is. */
static bool fail(spw_judgement *j, spw_check check) {
    j->shared->failed = j->shared->gpu.failed = true;
    j->shared->stage = check;
    return false;
}

/* --- arrays there and back ------------------------------------------------------------------------- */

static void free_device(spw_trial *t) {
    for (int k = 0; k < t->n_arrays; k++) {
        spw_device_free(t->arrays[k].device);
        t->arrays[k].device = NULL;
    }
}

static spw_status alloc_device(spw_trial *t) {
    spw_status status = SPW_OK;
    for (int k = 0; k < t->n_arrays; k++) t->arrays[k].device = NULL;
    for (int k = 0; k < t->n_arrays && !status; k++)
        status = spw_device_alloc(&t->arrays[k].device, t->arrays[k].count, t->arrays[k].item);
    return status;
}

static spw_status to_device(const spw_trial *t) {
    spw_status status = SPW_OK;
    for (int k = 0; k < t->n_arrays && !status; k++) {
        const spw_array *a = &t->arrays[k];
        status = spw_device_copy_to(a->device, a->data, a->count * a->item);
    }
    return status;
}

static spw_status from_device(const spw_trial *t) {
    spw_status status = SPW_OK;
    for (int k = 0; k < t->n_arrays && !status; k++) {
        const spw_array *a = &t->arrays[k];
        if (a->role != SPW_INPUT)
            status = spw_device_copy_from(a->data, a->device, a->count * a->item);
    }
    return status;
}

static bool inputs_intact(spw_judgement *j, spw_trial *t) {
    for (int k = 0; k < t->n_arrays; k++) {
        const spw_array *a = &t->arrays[k];
        const size_t bytes = (size_t)(a->count * a->item);
        if (a->role != SPW_INPUT || bytes == 0) continue;
        char *now = NULL;
        spw_status status = spw_alloc((void **)&now, (int64_t)bytes, 1);
        if (!status) status = spw_device_copy_from(now, a->device, (int64_t)bytes);
        const bool same = !status && memcmp(now, a->data, bytes) == 0;
        spw_free(now);
        if (status) return spw_trouble(j, "copying an input back from the GPU");
        if (same) continue;
        snprintf(j->shared->text, sizeof j->shared->text,
                 "%s wrote to %s: an input, it must stay as it is", t->part->function, a->name);
        return fail(j, SPW_SAFE);
    }
    return true;
}

/* --- values ----------------------------------------------------------------------------------------- */

/* One call, and all that it launched. */
static bool call_there(spw_judgement *j, spw_trial *t, spw_function f) {
    j->shared->call_since = spw_now();
    t->part->call(t, f);
    spw_status status = spw_device_launched(t->part->function);
    if (!status) status = spw_device_synchronise();
    j->shared->call_since = 0;
    if (!status) return true;
    snprintf(j->shared->text, sizeof j->shared->text,
             "the GPU gave %s up:\n%.200s\nThe checker has no such finding: does it need more than "
             "this GPU has?",
             t->part->function, spw_message());
    return fail(j, SPW_SAFE);
}

/* One call on arrays that hold `poison` where the answer has to write, compared. */
static bool right_there(spw_judgement *j, spw_trial *t, spw_function f, spw_poison poison) {
    spw_shared *s = j->shared;
    spw_trial_prepare(t, poison);
    if (to_device(t)) return spw_trouble(j, "copying a case to the GPU");
    if (!call_there(j, t, f) || !inputs_intact(j, t)) return false;
    if (from_device(t)) return spw_trouble(j, "copying a result from the GPU");
    return spw_trial_is_right(t, poison, s->text, sizeof s->text) || fail(j, SPW_CORRECT);
}

static bool begin(spw_judgement *j, spw_trial *t, const char *name) {
    j->shared->stage = SPW_SAFE;
    return spw_begin_case(j, t, name) && (!alloc_device(t) || spw_trouble(j, name));
}

/* Twice: garbage that is a number shows what was never written, garbage that is none who reads it. */
static bool check_case(spw_judgement *j, int part, const char *name) {
    const spw_function f = spw_answer_function(&j->answer, j->exercise->parts[part].function);
    spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
    const bool ok = begin(j, &t, name) && right_there(j, &t, f, SPW_POISON_FINITE) &&
                    right_there(j, &t, f, SPW_POISON_NAN);
    free_device(&t);
    spw_trial_end(&t);
    return ok;
}

static bool check_all(spw_judgement *j) {
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part *part = &j->exercise->parts[p];
        if (!part->on_device || !spw_answer_function(&j->answer, part->function)) continue;
        for (int c = 0; part->cases[c]; c++) {
            if (j->options.case_name && strcmp(j->options.case_name, part->cases[c]) != 0) continue;
            if (!check_case(j, p, part->cases[c])) return false;
            j->shared->gpu.cases++;
        }
    }
    j->shared->gpu.all_right = true;
    return true;
}

/* --- time ------------------------------------------------------------------------------------------- */

typedef struct contestants {
    spw_judgement *j;
    spw_trial *t;
    spw_device_probe probe;
    spw_device_event *from, *to;
    spw_function answer, reference;
    int calls[SPW_CONTESTANTS]; /* a sample */
} contestants;

static void call_once(contestants *r, int who) {
    if (who == SPW_ANSWER)
        r->t->part->call(r->t, r->answer);
    else if (who == SPW_REFERENCE)
        r->t->part->call(r->t, r->reference);
    else if (who == SPW_BASELINE)
        spw_trial_rival(r->t, &r->t->part->baseline);
    else
        spw_trial_rival(r->t, &r->t->part->stretch);
}

/* What a call changes is as before the first one. */
static spw_status restore(const spw_trial *t) {
    spw_status status = SPW_OK;
    for (int k = 0; k < t->n_arrays && !status; k++) {
        const spw_array *a = &t->arrays[k];
        if (a->role == SPW_INOUT)
            status = spw_device_copy_to(a->device, a->pristine, a->count * a->item);
    }
    return status;
}

/* Seconds a call by the device's clock. Nothing waits between the two events. */
static double sample(void *context, int who) {
    contestants *r = (contestants *)context;
    double seconds = 0;
    spw_status status;
    if (who == SPW_PROBE) {
        status = spw_device_probe_run(&r->probe, &seconds);
        return status ? -1 : seconds;
    }
    /* The reference looks functions of its own up, not the answer's. */
    r->t->answer = who == SPW_REFERENCE ? &r->j->reference : &r->j->answer;
    status = restore(r->t);
    r->j->shared->call_since = who == SPW_ANSWER ? spw_now() : 0;
    if (!status) status = spw_device_event_record(r->from);
    for (int c = 0; c < r->calls[who] && !status; c++) call_once(r, who);
    if (!status) status = spw_device_launched(r->t->part->function);
    if (!status) status = spw_device_event_record(r->to);
    if (!status) status = spw_device_event_seconds(r->from, r->to, &seconds);
    r->j->shared->call_since = 0;
    return status || r->t->failed ? -1 : seconds / r->calls[who];
}

/* How many calls make a sample. The first sample wakes the device up. */
static bool warm_up(contestants *r, int who) {
    r->calls[who] = 1;
    const double first = sample(r, who), second = first < 0 ? first : sample(r, who);
    if (second < 0) return false;
    r->calls[who] = spw_sample_calls(fmin(first, second));
    if (who == SPW_REFERENCE) r->j->shared->reference_time = fmin(first, second);
    return true;
}

/* The copies there and back, which no time of a kernel holds. */
static spw_status time_copies(contestants *r, spw_part_speed *speed) {
    spw_trial_prepare(r->t, SPW_POISON_FINITE);
    spw_status status = spw_device_event_record(r->from);
    if (!status) status = to_device(r->t);
    if (!status) status = spw_device_event_record(r->to);
    if (!status) status = spw_device_event_seconds(r->from, r->to, &speed->to_device);
    if (!status) status = spw_device_event_record(r->from);
    if (!status) status = from_device(r->t);
    if (!status) status = spw_device_event_record(r->to);
    if (!status) status = spw_device_event_seconds(r->from, r->to, &speed->from_device);
    for (int k = 0; k < r->t->n_arrays; k++) {
        const spw_array *a = &r->t->arrays[k];
        speed->bytes_to += (double)(a->count * a->item);
        if (a->role != SPW_INPUT) speed->bytes_from += (double)(a->count * a->item);
    }
    return status;
}

static bool run_contest(contestants *r, spw_contest *run, spw_part_speed *speed) {
    const spw_part *p = r->t->part;
    *run = (spw_contest){.context = r,
                         .sample = sample,
                         .takes_part = {true, true, p->baseline.label != NULL,
                                        p->stretch.label != NULL, false, true},
                         .seed = r->t->seed,
                         .target = p->target,
                         .probe_traffic = spw_device_probe_traffic(&r->probe),
                         .cap = spw_contest_cap(r->j->exercise),
                         .graded = r->j->options.graded};
    for (int who = SPW_ANSWER; who < SPW_PROBE; who++)
        if (who != SPW_REFERENCE && run->takes_part[who] && !warm_up(r, who)) return false;
    return spw_contest_run(run, speed);
}

static bool time_part(spw_judgement *j, int part) {
    spw_shared *s = j->shared;
    const spw_part *p = &j->exercise->parts[part];
    spw_part_speed *speed = &s->speed[part];
    const char *name = p->takes_matrix && j->options.matrix ? j->options.matrix : p->speed;
    spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
    contestants r = {.j = j, .t = &t};
    static spw_contest run;
    r.answer = spw_answer_function(&j->answer, p->function);
    r.reference = spw_answer_function(&j->reference, p->function);
    bool ok = begin(j, &t, name);
    if (!ok) goto end;
    s->stage = SPW_FAST;
    ok = !spw_device_event_create(&r.from) && !spw_device_event_create(&r.to);
    if (ok) spw_trial_prepare(&t, SPW_POISON_FINITE);
    ok = ok && !to_device(&t) && warm_up(&r, SPW_REFERENCE);
    if (!ok) {
        spw_trouble(j, "timing the reference on the GPU");
        goto end;
    }
    /* The reference came first: its time puts a slow answer into proportion.
     * Checked before it is timed: a race often shows at this size only. */
    t.answer = &j->answer;
    ok = right_there(j, &t, r.answer, SPW_POISON_FINITE);
    if (!ok) goto end;

    /* All kernels of these exercises are bound by memory: no peak is measured. */
    speed->cost = p->cost(&t);
    speed->peak = INFINITY;
    speed->on_gpu = true;
    snprintf(speed->facts, sizeof speed->facts, "%s", t.facts);
    ok = !spw_device_probe_create(spw_mix_for(speed->cost, false), spw_trial_bytes(&t), &r.probe);
    if (ok) {
        speed->probe_bytes = (double)r.probe.bytes;
        snprintf(speed->probe_text, sizeof speed->probe_text, "%s, %s, %.3g MB",
                 spw_mix_name(r.probe.mix), r.probe.kernel, 1e-6 * (double)r.probe.bytes);
        ok = !time_copies(&r, speed) && run_contest(&r, &run, speed);
    }
    if (!ok && t.failed) (void)spw_error(SPW_ERR_DEVICE, "%.200s", t.failure);
    if (!ok) spw_trouble(j, "timing on the GPU");
end:
    spw_device_probe_destroy(&r.probe);
    spw_device_event_destroy(r.from);
    spw_device_event_destroy(r.to);
    free_device(&t);
    spw_trial_end(&t);
    return ok;
}

/* nvcc's answers take the places of the checker's. */
static bool load_answers(spw_judgement *j) {
    spw_answer_destroy(&j->answer);
    spw_answer_destroy(&j->reference);
    return !(spw_answer_load(j->options.gpu_answer, &j->answer) ||
             spw_answer_load(j->options.gpu_reference, &j->reference)) ||
           spw_trouble(j, "what nvcc built");
}

void spw_judge_on_gpu(spw_judgement *j) {
    spw_shared *s = j->shared;
    spw_device_info info;
    if (spw_device_properties(&info)) {
        snprintf(s->gpu.why, sizeof s->gpu.why, "%.190s", spw_message());
        return;
    }
    s->gpu.found = true;
    snprintf(s->gpu.name, sizeof s->gpu.name, "%.95s", info.name);
    if (!load_answers(j) || !check_all(j) || j->options.case_name) return;
    for (int part = 0; part < j->exercise->n_parts; part++) {
        const spw_part *p = &j->exercise->parts[part];
        if (!p->on_device || !p->speed || !spw_part_written(j, part)) continue;
        if (!time_part(j, part)) return;
    }
}

void spw_call_on_gpu(spw_judgement *j) {
    if (spw_device_available()) {
        (void)spw_trouble(j, "nothing was called");
        return;
    }
    if (!load_answers(j)) return;
    for (int part = 0; part < j->exercise->n_parts; part++) {
        const spw_part *p = &j->exercise->parts[part];
        if (!p->on_device || !p->traffic || !j->options.traffic_part ||
            strcmp(j->options.traffic_part, p->function) != 0)
            continue;
        const char *name = p->takes_matrix && j->options.matrix ? j->options.matrix : p->traffic;
        const spw_function f = spw_answer_function(&j->answer, p->function);
        spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_PLAIN);
        if (f && begin(j, &t, name)) (void)right_there(j, &t, f, SPW_POISON_FINITE);
        free_device(&t);
        spw_trial_end(&t);
        return;
    }
    j->shared->judge_failed = true;
    snprintf(j->shared->text, sizeof j->shared->text, "%s is no function whose traffic is counted",
             j->options.traffic_part ? j->options.traffic_part : "--part");
}

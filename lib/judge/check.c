/* Checks CORRECT, SAFE and MODEL of an answer. Runs in a child. */
#include "base/threads.h"
#include "judge/explain.h"
#include "judge/judge.h"
#include "judge/mutants.h"
#include "judge/runner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool spw_part_written(const spw_judgement *j, int part) {
    const spw_part *p = &j->exercise->parts[part];
    return spw_answer_has(&j->answer, p->function) &&
           (!p->model || spw_answer_has(&j->answer, p->model));
}

static spw_function symbol_of(const void *answer, const char *name) {
    return spw_answer_function((const spw_answer *)answer, name);
}

spw_trial spw_new_trial(spw_judgement *j, int part, int threads, spw_layout layout) {
    spw_set_threads(threads);
    j->shared->part = part;
    j->shared->threads = threads;
    return (spw_trial){
        .part = &j->exercise->parts[part],
        .symbol = symbol_of,
        .answer = &j->answer,
        .seed = j->options.seed,
        .threads = threads,
        .layout = layout,
        .checks = true,
    };
}

bool spw_trouble(spw_judgement *j, const char *what) {
    j->shared->judge_failed = true;
    /* The message of a reader begins with the file's name already. */
    if (strncmp(spw_message(), what, strlen(what)) == 0)
        snprintf(j->shared->text, sizeof j->shared->text, "%s", spw_message());
    else
        snprintf(j->shared->text, sizeof j->shared->text, "%.120s: %s", what, spw_message());
    return false;
}

bool spw_begin_case(spw_judgement *j, spw_trial *t, const char *name) {
    snprintf(j->shared->case_name, sizeof j->shared->case_name, "%s", name);
    if (spw_trial_begin(t, name)) return spw_trouble(j, name);
    snprintf(j->shared->facts, sizeof j->shared->facts, "%s", t->facts);
    return true;
}

static void fail(spw_judgement *j, spw_check check) {
    j->shared->failed = true;
    j->shared->stage = check;
}

static void say_all_did_all(spw_judgement *j) {
    spw_shared *s = j->shared;
    if (spw_all_did_all(j, &s->teams)) spw_append(s->text, sizeof s->text, "\n" SPW_ALL_DID_ALL);
}

static void set_threads(spw_trial *t, void *one) { spw_set_threads(one ? 1 : t->threads); }

/* Is it right with one thread, on the same case? */
static bool right_with_one(spw_runner *r, spw_poison poison) {
    static char one;
    char ignored[SPW_TEXT];
    return spw_runner_order(r, set_threads, &one) && spw_runner_call(r, poison) &&
           spw_trial_compare(r->t, poison, ignored, sizeof ignored) &&
           spw_runner_order(r, set_threads, NULL);
}

static void say_first(spw_shared *s, const char *words, int cut) {
    char text[SPW_TEXT];
    memcpy(text, s->text, sizeof text);
    snprintf(s->text, sizeof s->text, "%s%.1900s", words, text);
    spw_mutants_moved((int)strlen(words), cut);
}

void spw_ask_for_threads(spw_runner *r, spw_poison poison, bool one_was_right) {
    spw_trial *t = r->t;
    spw_shared *s = r->j->shared;
    if (t->threads == 1) return;
    char ignored[SPW_TEXT], first[80];
    const uint64_t before = spw_trial_fingerprint(t);
    const int from = t->sentence, cut = t->algebra ? t->sentence_end - from : 0;
    bool differs = false;
    for (int run = 0; run < 8 && !differs; run++) {
        if (!spw_runner_call(r, poison)) return;
        differs = spw_trial_fingerprint(t) != before ||
                  spw_trial_compare(t, poison, ignored, sizeof ignored);
    }
    say_all_did_all(r->j);
    s->of_threads = one_was_right || right_with_one(r, poison);
    if (differs) spw_mutants_forget();
    if (!s->of_threads && !differs) return;
    /* Arithmetic is not the cause, or not alone: what a pattern says of the values is left out. */
    memmove(s->text + from, s->text + from + cut, strlen(s->text + from + cut) + 1);
    snprintf(first, sizeof first, "%s%d%s:\n",
             s->of_threads ? "right with 1 thread, wrong with " : "with ", t->threads,
             !differs        ? ""
             : s->of_threads ? ", and not the same in each run"
                             : " threads it is not the same in each run");
    say_first(s, first, cut);
}

/* The same of a claim: it holds with one thread. Of a "result" all but the first line of what it says is algebra. */
static void ask_of_claim(spw_judgement *j, const spw_trial *t) {
    char first[80], *text = j->shared->text, *why = strchr(text, '\n');
    bool cut = false;
    if (!t->part->claim || t->threads == 1 || j->thread_counts[0] != 1) return;
    for (int k = 0; k < t->n_arrays && why && !cut; k++)
        cut = strcmp(t->arrays[k].name, "result") == 0;
    if (cut) {
        const char *rest = text + strlen(t->failure);
        memmove(why, rest, strlen(rest) + 1);
        spw_mutants_forget();
    }
    const int by =
        snprintf(first, sizeof first, "right with 1 thread, wrong with %d:\n", t->threads);
    j->shared->of_threads = true;
    say_first(j->shared, first, 0);
    if (cut) return;
    j->shared->cause = by + (int)strcspn(t->failure, "\n");
    j->shared->cause_end = by + (int)strlen(t->failure);
}

/* One call and what it left behind. False: shared->text says what is wrong, or shared->ending. */
static bool call_and_compare(spw_runner *r, spw_poison poison) {
    spw_judgement *j = r->j;
    spw_trial *t = r->t;
    spw_shared *s = j->shared;
    char what[256];
    if (!spw_runner_call(r, poison)) return false;
    if (!spw_trial_slack_intact(t, what, sizeof what)) {
        snprintf(s->text, sizeof s->text, "%s %s", t->part->function, what);
        fail(j, SPW_SAFE);
        return false;
    }
    if (!spw_trial_compare(t, poison, s->text, sizeof s->text)) {
        fail(j, SPW_CORRECT);
        return false;
    }
    if (t->part->claim) t->part->claim(t);
    if (t->failed) {
        snprintf(s->text, sizeof s->text, "%s", t->failure);
        say_all_did_all(j);
        fail(j, SPW_CORRECT);
    }
    return !t->failed;
}

/* Of the timed parts: parallel regions of all calls with several threads. */
static long regions[SPW_MAX_PARTS];

/* What is no mistake of the values, and worth a word: memory that is lost, by each call as much, and regions of other
 * threads than were given. */
static void look_at_habits(spw_runner *r, spw_poison poison) {
    enum { LEAST = 4096, AGAIN = 3 }; /* less is what OpenMP keeps */
    spw_shared *s = r->j->shared;
    const int64_t kept = r->kept;
    bool same = kept >= LEAST && !s->hint[0];
    if (r->t->threads > 1) regions[s->part] += s->teams.regions;
    for (int k = 0; k < AGAIN && same; k++) same = spw_runner_call(r, poison) && r->kept == kept;
    if (same)
        snprintf(s->hint, sizeof s->hint,
                 "each call of %.60s keeps memory, %lld bytes in case %.40s: is a free missing?",
                 r->t->part->function, (long long)kept, s->case_name);
    if (!s->hint[0] && s->teams.regions && s->teams.team != r->t->threads &&
        !spw_answer_calls(r->j->options.answer, "GOMP_target_ext")) /* a device has its own */
        snprintf(
            s->hint, sizeof s->hint,
            "%.60s began a parallel region of %d threads,\n"
            "   not of the %d that it was given. Is num_threads or omp_set_num_threads needed?",
            r->t->part->function, s->teams.team, r->t->threads);
}

/* Which of the timed functions began no parallel region, in none of their cases? */
static void tell_serial(const spw_judgement *j) {
    char *hint = j->shared->hint;
    const size_t size = sizeof j->shared->hint;
    if (hint[0] || j->all_threads == 1 || j->options.case_name || j->inside ||
        spw_answer_has_other_threads(j->options.answer) ||
        !spw_answer_calls(j->options.reference, "GOMP_parallel"))
        return;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part *part = &j->exercise->parts[p];
        if (part->speed && !part->on_device && spw_answer_has(&j->answer, part->function) &&
            regions[p] == 0)
            spw_append(hint, size, "%s%.60s", hint[0] ? ", " : "", part->function);
    }
    if (hint[0]) spw_append(hint, size, ": no call began a parallel region of several threads");
}

/* One case with one number of threads. */
static bool check_case(spw_judgement *j, int part, const char *name, int threads) {
    spw_shared *s = j->shared;
    spw_runner r = {0};
    spw_trial t = spw_new_trial(j, part, threads, spw_layout_of(threads));
    s->stage = SPW_SAFE; /* until it returns, what happens is a matter of safety */
    bool ok = false;
    if (!spw_begin_case(j, &t, name)) goto end;
    s->beyond = t.beyond;
    s->beyond_count = t.beyond_count;
    spw_watch(&t);
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    ok = spw_runner_start(&r, j, &t, &j->answer, j->options.answer) &&
         call_and_compare(&r, SPW_POISON_FINITE);
    /* Again, on other garbage: nothing may stay from the first call, and NaN shows who reads y. */
    spw_poison poison = SPW_POISON_FINITE;
    if (ok) ok = call_and_compare(&r, poison = SPW_POISON_NAN);
    if (ok) look_at_habits(&r, poison);
    if (!ok && s->stage == SPW_CORRECT) spw_mutants_keep(&t, poison);
    /* What a driver's own check found is not in the values: they may be right. */
    if (!ok && s->stage == SPW_CORRECT && t.failed) ask_of_claim(j, &t);
    if (!ok && s->stage == SPW_CORRECT && !t.failed)
        spw_ask_for_threads(&r, poison, j->thread_counts[0] == 1);
    if (ok && t.note[0] && threads == j->thread_counts[0])
        spw_append(s->notes, sizeof s->notes, "%s %s: %s\n", t.part->function, name, t.note);
    spw_runner_end(&r);
end:
    spw_watch(NULL);
    spw_trial_end(&t);
    return ok;
}

/* A model is asked in the runner, what it says comes back. */
static spw_cost said;

static void ask_model(spw_trial *t, void *place) {
    *(spw_cost *)place = t->part->predict(t, spw_trial_symbol(t, t->part->model));
}

static bool asked(spw_judgement *j, spw_trial *t) {
    spw_runner r;
    const bool ok = spw_runner_start(&r, j, t, &j->answer, j->options.answer) &&
                    spw_runner_order(&r, ask_model, &said) &&
                    spw_runner_fetch(&r, &said, sizeof said);
    spw_runner_end(&r);
    return ok;
}

static bool same(double x, double y) { return fabs(x - y) <= 1e-12 * fabs(y); }

/* Is the model's answer the truth? Else shared->text says what it is off by, and what that comes from. */
static bool model_agrees(spw_judgement *j, const spw_trial *t, spw_cost got, spw_cost truth,
                         bool large) {
    spw_shared *s = j->shared;
    const spw_part *p = t->part;
    const struct {
        const char *noun, *unit;
        double got, truth;
    } terms[] = {{"loads", "bytes", got.load, truth.load},
                 {"stores", "bytes", got.store, truth.store},
                 {"flops", "flop", got.flop, truth.flop}};
    bool ok = true, rough = true;
    for (int k = 0; k < 3; k++) {
        if (same(terms[k].got, terms[k].truth)) continue;
        char difference[96];
        spw_explain_difference(t, terms[k].got - terms[k].truth, terms[k].unit, difference,
                               sizeof difference);
        if (large) snprintf(difference, sizeof difference, "right in all cases, wrong here");
        if (ok) s->text[0] = 0;
        spw_append(s->text, sizeof s->text, "%s%s: your %s are %.12g %s, expected %.12g: %s",
                   ok ? "" : "\n", p->model, terms[k].noun, terms[k].got, terms[k].unit,
                   terms[k].truth, difference);
        rough = rough && fabs(terms[k].got - terms[k].truth) < 1e-6 * terms[k].truth;
        ok = false;
    }
    if (!ok) {
        char hint[256] = "";
        if (large)
            snprintf(hint, sizeof hint, "As if the matrix had %.0f rows and as many entries: %s",
                     (double)INT32_MAX,
                     rough
                         ? "correct to some\n7 digits. Is it computed in float?"
                         : "an int ends there, and so\ndoes what is computed in ints, as 12 * k of "
                           "an int k. 12.0 * k is a double");
        else if (p->explain_model)
            p->explain_model(t, got, hint, sizeof hint);
        if (hint[0]) spw_append(s->text, sizeof s->text, "\n%s", hint);
        fail(j, SPW_MODEL);
    }
    return ok;
}

/* large: as if the case were larger than any matrix here. */
static bool check_model(spw_judgement *j, int part, const char *name, bool large) {
    spw_shared *s = j->shared;
    const spw_part *p = &j->exercise->parts[part];
    spw_trial t = spw_new_trial(j, part, j->all_threads, SPW_RIGHT);
    s->stage = SPW_MODEL;
    bool ok = false;
    if (!spw_begin_case(j, &t, name)) goto end;
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    spw_watch(&t);
    if (large && (j->inside || p->on_device || !p->enlarge || !p->enlarge(&t))) {
        ok = true;
        goto end;
    }
    const spw_cost truth = p->cost(&t);
    const bool answered = asked(j, &t);
    if (large && !answered) { /* it reads arrays, which are as short as they were */
        s->ending = SPW_FINISHED;
        s->fault = (spw_fault){0};
        ok = !s->judge_failed;
    }
    if (!answered) goto end;
    ok = model_agrees(j, &t, said, truth, large);
end:
    spw_watch(NULL);
    spw_trial_end(&t);
    return ok;
}

static bool wanted(const spw_judgement *j, const char *name) {
    return !j->options.case_name || strcmp(j->options.case_name, name) == 0;
}

void spw_check_answer(spw_judgement *j) {
    spw_shared *s = j->shared;
    const spw_exercise *exercise = j->exercise;
    for (int p = 0; p < exercise->n_parts; p++)
        for (int c = 0; exercise->parts[p].cases[c]; c++)
            if (wanted(j, exercise->parts[p].cases[c]) &&
                spw_answer_has(&j->answer, exercise->parts[p].function))
                s->total_cases++;

    for (int p = 0; p < exercise->n_parts; p++) {
        if (!spw_answer_has(&j->answer, exercise->parts[p].function)) continue;
        for (int c = 0; exercise->parts[p].cases[c]; c++) {
            const char *name = exercise->parts[p].cases[c];
            if (!wanted(j, name)) continue;
            if (exercise->parts[p].on_device) {
                if (!spw_checker_case(j, p, name)) return;
            } else {
                for (int k = 0; k < j->n_thread_counts; k++)
                    if (!check_case(j, p, name, j->thread_counts[k])) return;
            }
            s->cases++;
        }
    }
    tell_serial(j);
    for (int p = 0; p < exercise->n_parts; p++) {
        const spw_part *part = &exercise->parts[p];
        if (!part->model || !spw_answer_has(&j->answer, part->model)) continue;
        /* The largest case first: there a difference has a name, "4 nz". */
        int n_cases = 0;
        while (part->cases[n_cases]) n_cases++;
        for (int c = n_cases - 1; c >= 0; c--)
            if (wanted(j, part->cases[c]) && !check_model(j, p, part->cases[c], false)) return;
        if (wanted(j, part->cases[0]) && !check_model(j, p, part->cases[0], true)) return;
        s->models++;
    }
}

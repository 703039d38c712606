/* The checks one by one: has each run in a child, and reports what that found. */
#include "judge/mutants.h"
#include "judge/races.h"
#include "judge/record.h"
#include "judge/refusal.h"
#include "judge/runner.h"
#include "simt/simt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const check_names[] = {"BUILD", "CORRECT", "SAFE", "MODEL", "FAST", "TRAFFIC"};

bool spw_on_device(const spw_judgement *j) {
    for (int p = 0; p < j->exercise->n_parts; p++)
        if (j->exercise->parts[p].on_device) return true;
    return false;
}

static void say_thread_counts(const spw_judgement *j, char *text, size_t size) {
    text[0] = 0;
    if (spw_on_device(j)) {
        snprintf(text, size, "lanes ascending and descending");
        return;
    }
    for (int k = 0; k < j->n_thread_counts; k++)
        spw_append(text, size, "%s%d",
                   k == 0                        ? ""
                   : k == j->n_thread_counts - 1 ? " and "
                                                 : ", ",
                   j->thread_counts[k]);
    spw_append(text, size, " thread%s",
               j->n_thread_counts == 1 && j->thread_counts[0] == 1 ? "" : "s");
}

/* --- failures --------------------------------------------------------------------------------------- */

/* The failing check's line, what was wrong, and how to see it again. code: record.h. */
static spw_verdict report_failure(const spw_judgement *j, spw_check check, const char *code) {
    const spw_shared *s = j->shared;
    const spw_part *part = &j->exercise->parts[s->part];
    const bool several = j->exercise->n_parts > 1 && check != SPW_MODEL;
    if (check == SPW_SAFE && !s->gpu.failed && s->cases > 0 && s->cases < s->total_cases)
        spw_report_line("CORRECT", "--", "%d of %d cases were right, then it was stopped", s->cases,
                        s->total_cases);
    else if (check == SPW_SAFE && !s->cases)
        spw_report_line("CORRECT", "--", "stopped in the first case");
    char where[32];
    if (part->on_device)
        snprintf(where, sizeof where, "%s", s->gpu.failed ? "GPU" : "checker");
    else
        snprintf(where, sizeof where, "%d thread%s", s->threads, s->threads == 1 ? "" : "s");
    spw_report_line(check_names[check], "FAIL", "%s%scase \"%s\"%s%s%s, %s, seed %llu",
                    several ? part->function : "", several ? ", " : "", s->case_name,
                    s->facts[0] ? " (" : "", s->facts, s->facts[0] ? ")" : "", where,
                    (unsigned long long)j->options.seed);
    spw_record_failure(code, check == SPW_MODEL ? part->model : part->function, s->case_name,
                       part->on_device ? 0 : s->threads);
    spw_report_indented(s->text);
    if (check == SPW_CORRECT) spw_report_text("   No speed is reported for wrong results.\n");
    spw_report_place(j, check == SPW_MODEL ? part->model : part->function);
    if (spw_is_learners(j)) {
        const bool is_matrix = j->options.matrix && strcmp(s->case_name, j->options.matrix) == 0;
        /* a shell takes most names as they are */
        const char *quote = s->case_name[strcspn(s->case_name, " *?;&|<>()[]$`\\\"")] ? "'" : "";
        char case_text[SPW_TEXT] = "";
        if (!part->speed || strcmp(part->speed, s->case_name) != 0) /* which CASE does not know */
            spw_append(case_text, sizeof case_text, " %s=%s%s%s", is_matrix ? "MATRIX" : "CASE",
                       quote, s->case_name, quote);
        spw_report_text("   again: make exercise-%s%s SEED=%llu\n", j->goal, case_text,
                        (unsigned long long)j->options.seed);
    }
    return SPW_WRONG;
}

/* What the child has found itself. */
static spw_verdict report_found(const spw_judgement *j) {
    const spw_check stage = j->shared->stage;
    return report_failure(j, stage,
                          stage == SPW_CORRECT || stage == SPW_FAST ? "wrong-value"
                          : stage == SPW_MODEL                      ? "model"
                          : j->shared->endless                      ? "endless"
                                                                    : "unsafe");
}

static const char *code_of(const spw_judgement *j, spw_ending ending) {
    const spw_fault *f = &j->shared->fault;
    if (ending == SPW_HUNG) return "endless";
    if (ending == SPW_EXITED || ending == SPW_STOPPED) return "exited";
    if (ending == SPW_REFUSED) return "refused-call";
    if (ending == SPW_TALKED || ending == SPW_UNREADABLE) return "unsafe";
    if (ending != SPW_CRASHED || !f->known) return "crash";
    return f->is_input && f->index >= 0 && f->index < f->count ? "input-written" : "outside";
}

/* The child did not come to its end. */
static spw_verdict report_ending(spw_judgement *j, spw_ending ending, spw_check check) {
    spw_explain_ending(j, ending, j->shared->text, sizeof j->shared->text);
    const char *code = code_of(j, ending);
    /* with fewer threads it was right: an array that is too short for so many? */
    if (check == SPW_SAFE && j->shared->threads > 1 && ending == SPW_CRASHED) spw_races_explain(j);
    if (check == SPW_SAFE && ending == SPW_CRASHED) spw_mutants_name_fault(j);
    return report_failure(j, check, code);
}

/* The same where the line that is told is the child's alone. */
static spw_verdict report_broken(spw_judgement *j, spw_ending ending, const char *name) {
    spw_explain_ending(j, ending, j->shared->text, sizeof j->shared->text);
    spw_report_line(name, "FAIL", "%s", j->shared->text);
    spw_record_failure(code_of(j, ending), NULL, NULL, 0);
    return SPW_WRONG;
}

static spw_verdict report_trouble(const spw_judgement *j) {
    spw_report_text("   %s\n", j->shared->text);
    return SPW_FAULT;
}

/* Lists what is not written: functions, or models. */
static int report_unwritten(const spw_judgement *j, bool models) {
    int n = 0;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const char *name = models ? j->exercise->parts[p].model : j->exercise->parts[p].function;
        if (!name || spw_answer_has(&j->answer, name)) continue;
        bool again = false;
        for (int q = 0; q < p; q++) {
            const char *other =
                models ? j->exercise->parts[q].model : j->exercise->parts[q].function;
            again = again || (other && strcmp(other, name) == 0);
        }
        if (again) continue;
        char place[512];
        snprintf(place, sizeof place, "%s:%d",
                 j->options.source ? j->options.source : j->options.answer,
                 spw_answer_line(&j->answer, name));
        /* the place goes to a line of its own where the first 36 columns and both names are too wide */
        const bool fits = 36 + strlen(name) + strlen(place) <= 80;
        spw_report_line(n == 0 ? models ? "MODEL" : "CORRECT" : "", "--",
                        "NOT WRITTEN YET: %s,%s%s", name, fits ? " " : "\n                 ",
                        place);
        n++;
    }
    return n;
}

/* --- BUILD ------------------------------------------------------------------------------------------ */

static spw_verdict not_built(const char *code, const char *text) {
    spw_report_line("BUILD", "FAIL", "%s", text);
    spw_record_failure(code, NULL, NULL, 0);
    return SPW_WRONG;
}

/* The compiler has said why, and says so in the record. */
static spw_verdict not_compiled(spw_judgement *j, const char *path, const char *but) {
    static char words[8192];
    const int status = spw_answer_refused(path, words, sizeof words);
    j->uncompiled = true;
    if (status != SPW_WRONG) {
        snprintf(j->shared->text, sizeof j->shared->text, "%.2000s", words);
        return SPW_FAULT;
    }
    char line[512];
    printf("%s\n", j->title);
    snprintf(line, sizeof line, "%.400s%s", j->options.source ? j->options.source : path, but);
    not_built("compiler", line);
    spw_record_text(words);
    return SPW_WRONG;
}

/* A function or model that is neither written nor there to be written; counts those to be written. */
static const char *missing_function(spw_judgement *j) {
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part *part = &j->exercise->parts[p];
        const char *const names[2] = {part->function, part->model};
        for (int k = 0; k < 2; k++) {
            if (!names[k] || spw_answer_has(&j->answer, names[k])) continue;
            if (!spw_answer_line(&j->answer, names[k])) return names[k];
            j->unwritten++;
        }
    }
    return NULL;
}

/* Loads the answer, in a process of its own, to see whether it comes to its calls. */
static spw_verdict load_once(spw_judgement *j) {
    spw_shared *s = j->shared;
    const bool inside = j->inside;
    spw_ending ending;
    if (!spw_runner_try(j, &ending)) {
        if (s->judge_failed) return report_trouble(j);
        spw_explain_ending(j, ending, s->text, sizeof s->text);
        s->loading = false;
        return not_built(ending == SPW_UNLOADABLE ? "unreadable" : code_of(j, ending), s->text);
    }
    spw_report_line("BUILD", "ok", "%s", j->options.build);
    if (j->inside && !inside)
        spw_report_text("   The kernel does not let your code run apart from the judge: they share "
                        "a process.\n");
    return SPW_PASS;
}

spw_verdict spw_run_build(spw_judgement *j) {
    const spw_options *o = &j->options;
    char text[512];
    if (spw_answer_refused(o->answer, NULL, 0)) return not_compiled(j, o->answer, "");
    if (o->gpu_answer && spw_answer_refused(o->gpu_answer, NULL, 0))
        return not_compiled(j, o->gpu_answer, ": g++ takes it, nvcc does not");
    if (spw_answer_read(o->reference, &j->reference)) {
        snprintf(j->shared->text, sizeof j->shared->text, "the reference solution: %s",
                 spw_message());
        return report_trouble(j);
    }
    const spw_status status = spw_answer_read(o->answer, &j->answer);
    j->answer.without = o->without;
    spw_report_title(j);
    if (status) {
        not_built("unreadable", spw_message());
        snprintf(j->shared->text, sizeof j->shared->text, "%s", spw_message());
        return SPW_FAULT;
    }
    spw_refusal refusal;
    if (spw_answer_is_refused(o->answer, o->reference, j->exercise->allowed, &refusal)) {
        not_built(refusal.code, refusal.what);
        spw_report_text("   %s\n", refusal.allowed);
        return SPW_WRONG;
    }
    const char *name = missing_function(j);
    if (name) {
        snprintf(text, sizeof text, "the function %s is gone. make reset-%s brings it back.", name,
                 j->goal);
        return not_built("gone", text);
    }
    return load_once(j);
}

/* --- CORRECT, SAFE, MODEL --------------------------------------------------------------------------- */

spw_verdict spw_run_checks(spw_judgement *j) {
    spw_shared *s = j->shared;
    char threads[64];
    spw_mutants_begin();
    const spw_ending ending = spw_supervise(j, spw_check_answer);
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED)
        return report_ending(j, ending, s->stage == SPW_MODEL ? SPW_MODEL : SPW_SAFE);
    if (s->failed && s->stage == SPW_CORRECT && !(s->of_threads && spw_races_explain(j)))
        spw_mutants_name(j);
    if (s->failed && s->stage == SPW_SAFE && j->exercise->parts[s->part].on_device)
        spw_mutants_name_fault(j);
    if (s->failed && s->stage != SPW_MODEL) return report_found(j);
    char why[256] = "";
    const spw_race_check races = s->cases ? spw_races_look(j, why, sizeof why) : SPW_RACE_NOT_ASKED;
    if (races == SPW_RACE_FOUND) return report_found(j);

    const int missing = report_unwritten(j, false);
    say_thread_counts(j, threads, sizeof threads);
    if (s->cases) {
        spw_report_line("CORRECT", "ok", "%d of %d cases, %s%s", s->cases, s->total_cases, threads,
                        races == SPW_RACE_FREE ? ", no race" : "");
        if (races == SPW_RACE_UNKNOWN) spw_report_text("   Races were not looked for: %s.\n", why);
        spw_report_line("SAFE", "ok", "%s",
                        spw_on_device(j) ? "nothing outside the arrays, no race, every barrier met"
                                         : "nothing outside the arrays, inputs untouched");
        if (s->hint[0]) spw_report_text("   hint: %s\n", s->hint);
    }
    if (!missing) spw_report_indented(s->notes);
    const int no_model = report_unwritten(j, true);
    if (s->failed) return report_found(j);
    if (s->models)
        spw_report_line("MODEL", "ok", "%s",
                        s->models == 1 ? "bytes and flops agree in all cases"
                                       : "bytes and flops of all models agree");
    if (no_model && s->cases)
        spw_report_text("   Predict first: what is written is timed when its model is there.\n");
    return missing + no_model > 0 ? SPW_NOT_WRITTEN : SPW_PASS;
}

/* --- what a driver shows or checks itself ----------------------------------------------------------- */

spw_verdict spw_run_own(spw_judgement *j) {
    spw_shared *s = j->shared;
    const spw_ending ending = spw_supervise(j, spw_run_own_check);
    const char *name = j->exercise->own_check_name;
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED) return report_broken(j, ending, name);
    spw_report_line(name,
                    s->own_verdict == SPW_PASS         ? "ok"
                    : s->own_verdict == SPW_NO_VERDICT ? "?"
                                                       : "FAIL",
                    "%s", s->headline);
    spw_report_indented(s->lines);
    return s->own_verdict;
}

/* What the answer is found from. It comes before the verdicts, so that these are read last. */
spw_verdict spw_evidence(spw_judgement *j) {
    spw_shared *s = j->shared;
    const spw_ending ending = spw_supervise(j, spw_show_evidence);
    if (s->judge_failed || ending != SPW_FINISHED) {
        if (!s->judge_failed) spw_explain_ending(j, ending, s->text, sizeof s->text);
        return report_trouble(j);
    }
    spw_report_line("EVIDENCE", "", "%s", s->headline);
    spw_report_indented(s->lines);
    return SPW_PASS;
}

/* All together, at work. */
spw_verdict spw_closing(spw_judgement *j) {
    spw_shared *s = j->shared;
    s->headline[0] = s->lines[0] = 0;
    const spw_ending ending = spw_supervise(j, spw_show_closing);
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED) return report_broken(j, ending, "TOGETHER");
    spw_report_line("TOGETHER", "", "%s", s->headline);
    spw_report_indented(s->lines);
    return SPW_PASS;
}

/* --- FAST and TRAFFIC ------------------------------------------------------------------------------- */

bool spw_reached_stretch(const spw_part_speed *s) {
    return s->verdict == SPW_PASS && s->time[3] > 0 && s->e >= 0.97 * s->e_rival[3];
}

/* What a child has timed, whole or not, and how it ended. The worst share of the roof counts. */
static spw_verdict report_times(spw_judgement *j, spw_ending ending) {
    spw_shared *s = j->shared;
    spw_verdict verdict = SPW_PASS;
    double percent = INFINITY;
    j->stretch = false;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part_speed *r = &s->speed[p];
        if (!r->measured) continue;
        spw_report_speed(j, p);
        if (r->verdict == SPW_SLOW || r->verdict == SPW_NO_VERDICT)
            spw_record_failure(r->verdict == SPW_SLOW           ? "slow"
                               : r->reason == SPW_ABOVE_ROOF    ? "above-roof"
                               : r->reason == SPW_BASELINE_WINS ? "baseline-wins"
                                                                : "noise",
                               NULL, NULL, 0);
        spw_record_failure(NULL, j->exercise->parts[p].function, NULL, 0);
        spw_report_why(j, p);
        if (r->verdict == SPW_SLOW) spw_report_place(j, j->exercise->parts[p].function);
        const bool best = spw_reached_stretch(r);
        if (best)
            spw_report_text("   * as fast as the library's best: the stretch goal is reached\n");
        j->stretch = isinf(percent) ? best : j->stretch && best;
        percent = fmin(percent, 100 * r->e);
        if (verdict == SPW_PASS || r->verdict == SPW_SLOW) verdict = r->verdict;
    }
    j->percent = isinf(percent) ? 0 : percent;
    if (s->judge_failed) return report_trouble(j);
    if (ending == SPW_HUNG && s->reference_time > 0) {
        spw_report_line("FAST", "FAIL",
                        "one call was stopped after %.3g s; the reference takes %.3g s",
                        j->options.limit, s->reference_time);
        spw_record_failure("endless", j->exercise->parts[s->part].function, s->case_name,
                           s->threads);
        spw_report_text("   case \"%s\"%s%s.", s->case_name, s->facts[0] ? ", " : "", s->facts);
        if (s->teams.regions > 1000)
            spw_report_text("\n   Threads had been started and gathered in %ld times by then:\n"
                            "   the pragma stands inside a loop. It belongs outside.\n",
                            s->teams.regions);
        else
            spw_report_text(" Does the work grow faster than the matrix?\n");
        return SPW_SLOW;
    }
    if (ending != SPW_FINISHED) return report_ending(j, ending, SPW_SAFE);
    if (s->failed) return report_found(j);
    return verdict;
}

spw_verdict spw_run_speed(spw_judgement *j) {
    const spw_ending ending = spw_supervise(j, spw_time_answer);
    spw_shared *s = j->shared;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const bool asked = j->exercise->parts[p].speed && spw_part_written(j, p);
        if (!asked || s->speed[p].measured || s->failed || s->judge_failed || ending) continue;
        s->judge_failed = true; /* whatever is the reason, it must not pass */
        snprintf(s->text, sizeof s->text, "%s was not timed", j->exercise->parts[p].function);
    }
    return report_times(j, ending);
}

spw_verdict spw_run_gpu(spw_judgement *j) {
    spw_shared *s = j->shared;
    if (!j->options.gpu_answer) {
        if (!j->options.case_name)
            spw_report_line("FAST", "--", "measured: not, %s",
                            j->options.no_gpu ? j->options.no_gpu : "no GPU here");
        return SPW_PASS;
    }
    const spw_ending ending = spw_supervise(j, spw_judge_on_gpu);
    if (ending == SPW_FINISHED && !s->gpu.found) {
        spw_report_line("FAST", "--", "measured: not,\n%17s%s", "", s->gpu.why);
        return SPW_PASS;
    }
    if (ending != SPW_FINISHED) s->gpu.failed = true;
    if (s->gpu.all_right)
        spw_report_line("GPU", "ok", "%d cases are right on the %s, too", s->gpu.cases,
                        s->gpu.name);
    return report_times(j, ending);
}

/* The two are not divided: what a cache would serve is in the second, and the share would read as a mark. */
static void report_moved(const spw_judgement *j, int p) {
    const double needed = j->shared->traffic[p].needed, moved = j->shared->traffic[p].moved;
    if (needed > 0 && moved > 0)
        spw_report_text(
            "   needed %.2f MB by the model / moved %.2f MB in sectors, without a cache\n",
            needed * 1e-6, moved * 1e-6);
}

spw_verdict spw_run_traffic(spw_judgement *j) {
    spw_shared *s = j->shared;
    const spw_ending ending = spw_supervise(j, spw_count_sectors);
    spw_verdict verdict = SPW_PASS;
    bool any = false;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        if (!s->traffic[p].counted) continue;
        const bool several = j->exercise->n_parts > 1;
        spw_report_line("TRAFFIC", s->traffic[p].failed ? "FAIL" : "ok",
                        "%s%s%s, modelled by the checker",
                        several ? j->exercise->parts[p].function : "", several ? ": " : "",
                        s->traffic[p].facts);
        spw_record_failure(s->traffic[p].failed ? "traffic" : NULL, j->exercise->parts[p].function,
                           NULL, 0);
        spw_report_indented(s->traffic[p].table);
        report_moved(j, p);
        if (s->traffic[p].failed) {
            spw_report_indented(s->traffic[p].why);
            verdict = SPW_SLOW;
        }
        any = true;
    }
    if (any) spw_report_indented(SPW_SIMT_LEGEND);
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED) return report_ending(j, ending, SPW_SAFE);
    return s->failed ? report_found(j) : verdict;
}

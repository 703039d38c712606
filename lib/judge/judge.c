/* The judge: reads the command line, has the checks run one after the other, prints the report. */
#define _GNU_SOURCE
#include "judge/judge.h"

#include "base/memory.h"
#include "base/random.h"
#include "formats/generate.h"
#include "perf/markers.h"
#include "perf/topology.h"
#include "judge/progress.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };

/* --- the command line ------------------------------------------------------------------------------ */

static spw_status number_option(const char *name, const char *text, double low, double high,
                                double *out)
{
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    if (end != text && !*end && !errno && *out >= low && *out <= high) return SPW_OK;
    return spw_error(SPW_ERR_ARG, "%s=%s is no value: give a number from %.0f to %.0f", name, text,
                     low, high);
}

static spw_status parse_options(int argc, char **argv, spw_options *o)
{
    enum {
        FOLDER,
        ANSWER,
        REFERENCE,
        SOURCE,
        BUILD,
        PROGRESS,
        MATRIX,
        CASE,
        THREADS,
        CHECK,
        SEED,
        LIMIT,
        TRAFFIC,
        PART,
        LARGE,
        SECTORS,
        GPU_ANSWER,
        GPU_REFERENCE,
        NO_GPU,
        FIGURES
    };
    static const struct option known[] = {{"folder", 1, NULL, FOLDER},
                                          {"answer", 1, NULL, ANSWER},
                                          {"reference", 1, NULL, REFERENCE},
                                          {"source", 1, NULL, SOURCE},
                                          {"build", 1, NULL, BUILD},
                                          {"progress", 1, NULL, PROGRESS},
                                          {"matrix", 1, NULL, MATRIX},
                                          {"case", 1, NULL, CASE},
                                          {"threads", 1, NULL, THREADS},
                                          {"check", 1, NULL, CHECK},
                                          {"seed", 1, NULL, SEED},
                                          {"limit", 1, NULL, LIMIT},
                                          {"traffic", 1, NULL, TRAFFIC},
                                          {"part", 1, NULL, PART},
                                          {"large", 0, NULL, LARGE},
                                          {"sectors", 0, NULL, SECTORS},
                                          {"gpu-answer", 1, NULL, GPU_ANSWER},
                                          {"gpu-reference", 1, NULL, GPU_REFERENCE},
                                          {"no-gpu", 1, NULL, NO_GPU},
                                          {"figures", 1, NULL, FIGURES},
                                          {NULL, 0, NULL, 0}};
    *o = (spw_options){.limit = 10, .traffic_calls = -1, .build = ""};
    o->seed = spw_random_u64((uint64_t)time(NULL), (uint64_t)getpid()) % 100000;
    spw_status status = SPW_OK;
    double number = 0;
    for (int c; !status && (c = getopt_long(argc, argv, "", known, NULL)) != -1;) switch (c) {
        case FOLDER: o->folder = optarg; break;
        case ANSWER: o->answer = optarg; break;
        case REFERENCE: o->reference = optarg; break;
        case SOURCE: o->source = optarg; break;
        case BUILD: o->build = optarg; break;
        case PROGRESS: o->progress = optarg; break;
        case MATRIX: o->matrix = optarg; break;
        case CASE: o->case_name = optarg; break;
        case PART: o->traffic_part = optarg; break;
        case LARGE: o->traffic_large = 1; break;
        case SECTORS: o->traffic_sectors = 1; break;
        case GPU_ANSWER: o->gpu_answer = optarg; break;
        case GPU_REFERENCE: o->gpu_reference = optarg; break;
        case NO_GPU: o->no_gpu = optarg; break;
        case FIGURES: o->figures = optarg; break;
        case THREADS:
            status = number_option("THREADS", optarg, 1, MAX_THREADS, &number);
            o->threads = (int)number;
            break;
        case CHECK:
            status = number_option("CHECK", optarg, 0, 1, &number);
            o->check_only = number != 0;
            break;
        case SEED:
            status = number_option("SEED", optarg, 0, 1e15, &number);
            o->seed = (uint64_t)number;
            break;
        case LIMIT: status = number_option("LIMIT", optarg, 1, 3600, &o->limit); break;
        case TRAFFIC:
            status = number_option("calls", optarg, 0, 1e9, &number);
            o->traffic_calls = (long)number;
            break;
        default: return spw_error(SPW_ERR_ARG, "this judge was given an option it does not know");
        }
    if (!status && !o->gpu_answer != !o->gpu_reference)
        return spw_error(SPW_ERR_ARG, "--gpu-answer and --gpu-reference go together");
    if (!status && (!o->folder || !o->answer || !o->reference))
        return spw_error(SPW_ERR_ARG, "a judge needs --folder, --answer and --reference");
    return status;
}

/* In a child, because sizing a generator's matrix may start threads. What stands behind an @ is for the
 * driver: "fem3:40@32". */
static void find_matrix(spw_judgement *j)
{
    char name[1024];
    snprintf(name, sizeof name, "%s", j->options.matrix);
    if (!spw_csr_find(name)) return;
    char *at = strrchr(name, '@');
    if (at && at > name) {
        *at = 0;
        if (!spw_csr_find(name)) return;
    }
    j->shared->judge_failed = true;
    snprintf(j->shared->text, sizeof j->shared->text, "%s", spw_message());
}

/* Is there such a case, such a matrix? Said before anything is measured. */
static spw_status check_options(spw_judgement *j)
{
    const spw_options *o = &j->options;
    bool takes_matrix = false, has_case = !o->case_name;
    char names[512] = "";
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part *part = &j->exercise->parts[p];
        takes_matrix = takes_matrix || part->takes_matrix;
        for (int c = 0; part->cases[c]; c++) {
            has_case = has_case || strcmp(o->case_name, part->cases[c]) == 0;
            if (p > 0 && strstr(names, part->cases[c])) continue;
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s", part->cases[c]);
        }
    }
    if (!has_case)
        return spw_error(SPW_ERR_ARG, "there is no case '%s'. There are:%s", o->case_name, names);
    if (!o->matrix) return SPW_OK;
    if (!takes_matrix)
        return spw_error(SPW_ERR_ARG, "exercise %s takes no matrix: leave MATRIX= away", j->goal);
    spw_supervise(j, find_matrix);
    return j->shared->judge_failed ? spw_error(SPW_ERR_ARG, "%s", j->shared->text) : SPW_OK;
}

static void read_title(spw_judgement *j)
{
    char path[512], line[256];
    const char *base = strrchr(j->options.folder, '/');
    base = base ? base + 1 : j->options.folder;
    j->number = atoi(base);
    snprintf(j->goal, sizeof j->goal, "%d%s", j->number, j->exercise->gpu ? "-gpu" : "");
    snprintf(j->title, sizeof j->title, "%s", base);
    snprintf(path, sizeof path, "%s/README.md", j->options.folder);
    FILE *file = fopen(path, "r");
    if (!file) return;
    if (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        snprintf(j->title, sizeof j->title, "%s%s", line + strspn(line, "# "),
                 j->exercise->gpu ? " · GPU part" : "");
    }
    fclose(file);
}

/* One thread, three, and all, ascending: an even and an odd number beside the serial case. */
static void choose_threads(spw_judgement *j)
{
    const spw_topology machine = spw_topology_read();
    const int all = j->options.threads ? j->options.threads : machine.cores > 0 ? machine.cores : 1;
    const int wanted[3] = {1, all < 3 ? all : 3, all < 3 ? 3 : all};
    j->all_threads = all;
    if (j->options.threads) {
        j->thread_counts[j->n_thread_counts++] = all;
        return;
    }
    for (int k = 0; k < 3; k++)
        if (k == 0 || wanted[k] != wanted[k - 1])
            j->thread_counts[j->n_thread_counts++] = wanted[k];
}

/* --- checks and their lines ------------------------------------------------------------------------ */

static const char *const check_names[] = {"BUILD", "CORRECT", "SAFE", "MODEL", "FAST", "TRAFFIC"};

/* Is any part? A conversion on the host may stand in front of the kernel. */
static bool is_on_device(const spw_judgement *j)
{
    for (int p = 0; p < j->exercise->n_parts; p++)
        if (j->exercise->parts[p].on_device) return true;
    return false;
}

static void say_thread_counts(const spw_judgement *j, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    if (is_on_device(j)) {
        snprintf(text, size, "lanes ascending and descending");
        return;
    }
    for (int k = 0; k < j->n_thread_counts; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%d",
                                 k == 0                        ? ""
                                 : k == j->n_thread_counts - 1 ? " and "
                                                               : ", ",
                                 j->thread_counts[k]);
    snprintf(text + used, size - used, " thread%s",
             j->n_thread_counts == 1 && j->thread_counts[0] == 1 ? "" : "s");
}

/* The failing check's line, what was wrong, and how to see it again. */
static spw_verdict report_failure(const spw_judgement *j, spw_check check)
{
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
    spw_report_indented(s->text);
    if (check == SPW_CORRECT) printf("   No speed is reported for wrong results.\n");
    if (j->options.source && strncmp(j->options.source, "exercises/", 10) == 0) {
        const bool is_matrix = j->options.matrix && strcmp(s->case_name, j->options.matrix) == 0;
        printf("   again: make exercise-%s %s=%s SEED=%llu\n", j->goal,
               is_matrix ? "MATRIX" : "CASE", s->case_name, (unsigned long long)j->options.seed);
    }
    return SPW_WRONG;
}

static spw_verdict report_trouble(const spw_judgement *j)
{
    printf("   %s\n", j->shared->text);
    return SPW_FAULT;
}

/* Lists what is not written; with all = false only the functions (not the models). */
static int report_unwritten(const spw_judgement *j, bool models)
{
    int n = 0;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const char *name = models ? j->exercise->parts[p].model : j->exercise->parts[p].function;
        if (!name || spw_answer_function(&j->answer, name)) continue;
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

static spw_verdict run_build(spw_judgement *j)
{
    spw_status status = spw_answer_load(j->options.reference, &j->reference);
    if (status) {
        printf("   the reference solution: %s\n", spw_message());
        return SPW_FAULT;
    }
    status = spw_answer_load(j->options.answer, &j->answer);
    spw_report_title(j);
    if (status) {
        spw_report_line("BUILD", "FAIL", "%s", spw_message());
        return status == SPW_ERR_FORMAT ? SPW_WRONG : SPW_FAULT;
    }
    const char *borrowed =
        spw_answer_borrows(j->options.answer, j->exercise->forbidden, j->exercise->allowed);
    if (borrowed) {
        spw_report_line("BUILD", "FAIL", "it calls %s: that is the library's own.", borrowed);
        printf("   Here you write it yourself.\n");
        return SPW_WRONG;
    }
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part *part = &j->exercise->parts[p];
        const char *const names[2] = {part->function, part->model};
        for (int k = 0; k < 2; k++) {
            if (!names[k] || spw_answer_function(&j->answer, names[k])) continue;
            if (!spw_answer_line(&j->answer, names[k])) {
                spw_report_line("BUILD", "FAIL",
                                "the function %s is gone. make reset-%s brings it back.", names[k],
                                j->goal);
                return SPW_WRONG;
            }
            j->unwritten++;
        }
    }
    spw_report_line("BUILD", "ok", "%s", j->options.build);
    return SPW_PASS;
}

static spw_verdict run_checks(spw_judgement *j)
{
    spw_shared *s = j->shared;
    char threads[64];
    const spw_ending ending = spw_supervise(j, spw_check_answer);
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED) {
        spw_explain_ending(j, ending, s->text, sizeof s->text);
        return report_failure(j, s->stage == SPW_MODEL ? SPW_MODEL : SPW_SAFE);
    }
    if (s->failed && s->stage != SPW_MODEL) return report_failure(j, s->stage);

    const int missing = report_unwritten(j, false);
    say_thread_counts(j, threads, sizeof threads);
    if (s->cases) {
        spw_report_line("CORRECT", "ok", "%d of %d cases, %s", s->cases, s->total_cases, threads);
        spw_report_line("SAFE", "ok", "%s",
                        is_on_device(j) ? "nothing outside the arrays, no race, every barrier met"
                                        : "nothing outside the arrays, inputs untouched");
    }
    const int no_model = report_unwritten(j, true);
    if (s->failed) return report_failure(j, SPW_MODEL);
    if (s->models)
        spw_report_line("MODEL", "ok", "%s",
                        s->models == 1 ? "bytes and flops agree in all cases"
                                       : "bytes and flops of all models agree");
    if (no_model && s->cases)
        printf("   Predict first: what is written is timed when its model is there.\n");
    return missing + no_model > 0 ? SPW_NOT_WRITTEN : SPW_PASS;
}

static spw_verdict worse(spw_verdict a, spw_verdict b)
{
    static const int order[] = {[SPW_PASS] = 0,        [SPW_NO_VERDICT] = 1, [SPW_SLOW] = 2,
                                [SPW_NOT_WRITTEN] = 3, [SPW_WRONG] = 4,      [SPW_FAULT] = 5};
    return order[a] > order[b] ? a : b;
}

static spw_verdict run_own_check(spw_judgement *j)
{
    spw_shared *s = j->shared;
    const spw_ending ending = spw_supervise(j, spw_run_own_check);
    const char *name = j->exercise->own_check_name;
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED) {
        spw_explain_ending(j, ending, s->text, sizeof s->text);
        spw_report_line(name, "FAIL", "%s", s->text);
        return SPW_WRONG;
    }
    spw_report_line(name,
                    s->own_verdict == SPW_PASS         ? "ok"
                    : s->own_verdict == SPW_NO_VERDICT ? "?"
                                                       : "FAIL",
                    "%s", s->headline);
    spw_report_indented(s->lines);
    return s->own_verdict;
}

/* What the answer is found from. It comes before the verdicts, so that these are read last. */
static spw_verdict show_evidence(spw_judgement *j)
{
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
static spw_verdict show_closing(spw_judgement *j)
{
    spw_shared *s = j->shared;
    s->headline[0] = s->lines[0] = 0;
    const spw_ending ending = spw_supervise(j, spw_show_closing);
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED) {
        spw_explain_ending(j, ending, s->text, sizeof s->text);
        spw_report_line("TOGETHER", "FAIL", "%s", s->text);
        return SPW_WRONG;
    }
    spw_report_line("TOGETHER", "", "%s", s->headline);
    spw_report_indented(s->lines);
    return SPW_PASS;
}

/* What a child has timed, whole or not, and how it ended. *percent: the worst share of the roof. */
static spw_verdict report_times(spw_judgement *j, spw_ending ending, double *percent, bool *stretch)
{
    spw_shared *s = j->shared;
    spw_verdict verdict = SPW_PASS;
    *percent = INFINITY;
    *stretch = false;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part_speed *r = &s->speed[p];
        if (!r->measured) continue;
        spw_report_speed(j, p);
        spw_report_why(j, p);
        const bool best = r->time[3] > 0 && r->e >= 0.97 * r->e_rival[3];
        if (best) printf("   * as fast as the library's best: the stretch goal is reached\n");
        *stretch = isinf(*percent) ? best : *stretch && best;
        *percent = fmin(*percent, 100 * r->e);
        verdict = worse(verdict, r->verdict);
    }
    if (isinf(*percent)) *percent = 0;
    if (s->judge_failed) return report_trouble(j);
    if (ending == SPW_HUNG && s->reference_time > 0) {
        spw_report_line("FAST", "FAIL",
                        "one call was stopped after %.3g s; the reference takes %.3g s",
                        j->options.limit, s->reference_time);
        printf("   case \"%s\"%s%s. Does the work grow faster than the matrix?\n", s->case_name,
               s->facts[0] ? ", " : "", s->facts);
        return worse(verdict, SPW_SLOW);
    }
    if (ending != SPW_FINISHED) {
        spw_explain_ending(j, ending, s->text, sizeof s->text);
        return report_failure(j, SPW_SAFE);
    }
    if (s->failed) return report_failure(j, s->stage);
    return verdict;
}

/* Check FAST for every part that is written. */
static spw_verdict run_speed(spw_judgement *j, double *percent, bool *stretch)
{
    return report_times(j, spw_supervise(j, spw_time_answer), percent, stretch);
}

/* Parts on the device on the GPU, if there is one; else a line that says that there is none. modelled: the
 * worst share of the sectors' bytes that the model needs, in per cent; 0: not counted. */
static spw_verdict run_gpu(spw_judgement *j, double modelled, double *percent, bool *stretch)
{
    spw_shared *s = j->shared;
    const char *why = j->options.no_gpu ? j->options.no_gpu : "no GPU here";
    char counted[64] = "";
    if (modelled > 0)
        snprintf(counted, sizeof counted, "; modelled: %.0f %% of the bytes needed", modelled);
    if (!j->options.gpu_answer) {
        if (modelled > 0) spw_report_line("FAST", "--", "measured: not, %s%s", why, counted);
        return SPW_PASS;
    }
    const spw_ending ending = spw_supervise(j, spw_judge_on_gpu);
    if (ending == SPW_FINISHED && !s->gpu.found) {
        spw_report_line("FAST", "--", "measured: not%s\n%17s%s", counted, "", s->gpu.why);
        return SPW_PASS;
    }
    if (ending != SPW_FINISHED) s->gpu.failed = true;
    if (s->gpu.all_right)
        spw_report_line("GPU", "ok", "%d cases are right on the %s, too", s->gpu.cases,
                        s->gpu.name);
    const spw_verdict verdict = report_times(j, ending, percent, stretch);
    if (*percent <= 0) *percent = modelled;
    return verdict;
}

/* Check TRAFFIC before FAST: the checker counts sectors and knows no time. *percent: the worst
 * share that the model's bytes have in what the sectors move. */
static spw_verdict run_traffic(spw_judgement *j, double *percent)
{
    spw_shared *s = j->shared;
    const spw_ending ending = spw_supervise(j, spw_count_sectors);
    spw_verdict verdict = SPW_PASS;
    *percent = INFINITY;
    for (int p = 0; p < j->exercise->n_parts; p++) {
        if (!s->traffic[p].counted) continue;
        const bool several = j->exercise->n_parts > 1;
        spw_report_line("TRAFFIC", s->traffic[p].failed ? "FAIL" : "ok",
                        "%s%s%s, modelled by the checker",
                        several ? j->exercise->parts[p].function : "", several ? ": " : "",
                        s->traffic[p].facts);
        spw_report_indented(s->traffic[p].table);
        if (s->traffic[p].failed) {
            spw_report_indented(s->traffic[p].why);
            verdict = SPW_SLOW;
        }
        *percent = fmin(*percent, 100 * s->traffic[p].efficiency);
    }
    if (isinf(*percent)) *percent = 0;
    if (s->judge_failed) return report_trouble(j);
    if (ending != SPW_FINISHED) {
        spw_explain_ending(j, ending, s->text, sizeof s->text);
        return report_failure(j, SPW_SAFE);
    }
    if (s->failed) return report_failure(j, s->stage);
    return verdict;
}

static spw_verdict judge(spw_judgement *j)
{
    double percent = 0;
    bool stretch = false;
    spw_verdict verdict = run_build(j);
    if (verdict) {
        spw_report_next(j, verdict);
        return verdict;
    }
    const bool narrowed = j->options.case_name || j->options.check_only;
    bool timed = false;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const bool sanitized = true;
#else
    const bool sanitized = strstr(j->options.build, "-fsanitize") != NULL;
#endif
    if (j->exercise->evidence && !narrowed && !sanitized) {
        if (show_evidence(j)) return SPW_FAULT;
        timed = true;
        percent = 100;
    }
    verdict = run_checks(j);
    const bool sane = verdict == SPW_PASS || verdict == SPW_NOT_WRITTEN;
    if (sane && !narrowed && sanitized) {
        spw_report_line("FAST", "--", "not timed: a sanitizer slows everything down");
    } else if (sane && !narrowed && is_on_device(j)) {
        const spw_verdict traffic = run_traffic(j, &percent);
        if (traffic == SPW_PASS) verdict = worse(verdict, run_gpu(j, percent, &percent, &stretch));
        verdict = worse(verdict, traffic);
        timed = true;
    } else if (sane && j->options.case_name && !j->options.check_only && is_on_device(j)) {
        verdict = worse(verdict, run_gpu(j, 0, &percent, &stretch)); /* values only */
    } else if (sane && !narrowed) {
        bool any = false;
        for (int p = 0; p < j->exercise->n_parts; p++)
            any = any || (j->exercise->parts[p].speed && spw_part_written(j, p));
        if (j->exercise->own_check && verdict == SPW_PASS) {
            verdict = worse(verdict, run_own_check(j));
            percent = j->shared->score;
            timed = true;
        } else if (any) {
            verdict = worse(verdict, run_speed(j, &percent, &stretch));
            timed = true;
            const bool not_slow = verdict == SPW_PASS || verdict == SPW_NO_VERDICT;
            if (j->exercise->closing && not_slow && !j->options.matrix)
                verdict = worse(verdict, show_closing(j));
        }
    }
    if (j->options.figures && !spw_report_figures(j, j->options.figures)) {
        fflush(stdout);
        fprintf(stderr, "The figures were not written: %s\n", spw_message());
        return SPW_FAULT;
    }
    spw_report_next(j, verdict);

    /* A verdict on one case, one matrix or without the clock is no result to keep. */
    const bool whole =
        (timed && verdict != SPW_NO_VERDICT) || verdict == SPW_WRONG || verdict == SPW_NOT_WRITTEN;
    if (j->options.progress && whole && !j->options.matrix && !j->options.case_name &&
        verdict != SPW_FAULT &&
        spw_progress_save(j->options.progress, j->number, j->exercise->gpu, verdict, percent,
                          stretch)) {
        fflush(stdout);
        fprintf(stderr, "This result was not saved: %s\nThe file is left as it is.\n",
                spw_message());
        return SPW_FAULT;
    }
    return verdict;
}

/* For lib/commands/traffic.sh: the checker's counts, or, with the answers that nvcc built, one call on the GPU
 * under a profiler. */
static spw_verdict tell_sectors(spw_judgement *j)
{
    spw_shared *s = j->shared;
    if (j->options.gpu_answer) {
        spw_call_on_gpu(j);
    } else {
        const spw_ending ending = spw_supervise(j, spw_count_sectors);
        if (ending != SPW_FINISHED) spw_explain_ending(j, ending, s->text, sizeof s->text);
        if (ending != SPW_FINISHED) s->failed = true;
    }
    if (s->failed || s->judge_failed) fprintf(stderr, "%s\n", s->text);
    return s->judge_failed ? SPW_FAULT : s->failed ? SPW_WRONG : SPW_PASS;
}

/* OpenMP reads its environment before main, so the program starts itself again with what it needs;
 * what the user has set stays. On a machine with several memories threads must stay where their data
 * is. Idle threads may not spin for long, or they look as if they worked (speed.c). */
static void set_environment(char **argv)
{
    if (getenv("SPW_ENVIRONMENT")) return;
    if (spw_topology_read().numa_nodes > 1) {
        setenv("OMP_PROC_BIND", "close", 0);
        setenv("OMP_PLACES", "cores", 0);
    }
    setenv("GOMP_SPINCOUNT", "20000", 0);      /* gcc: about half a millisecond */
    setenv("KMP_BLOCKTIME", "1", 0);           /* LLVM: a millisecond instead of 200 */
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0); /* likewise, 2^4 steps */
    setenv("SPW_ENVIRONMENT", "1", 1);
    execv("/proc/self/exe", argv); /* comes back only where there is no /proc: then without */
}

int spw_judge(const spw_exercise *exercise, int argc, char **argv)
{
    set_environment(argv);
    spw_judgement j = {.exercise = exercise};
    void *shared =
        mmap(NULL, sizeof(spw_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || exercise->n_parts > SPW_MAX_PARTS) {
        fprintf(stderr, "the judge cannot start: %s\n", strerror(errno));
        return SPW_FAULT;
    }
    j.shared = (spw_shared *)shared; /* zero: the pages are fresh */
    if (argc == 2 && strcmp(argv[1], "--declaration") == 0)
        return spw_declaration_is_whole(exercise) ? SPW_PASS : SPW_FAULT;
    if (parse_options(argc, argv, &j.options)) goto refused;
    read_title(&j);
    if (check_options(&j)) goto refused;
    choose_threads(&j);
    if (j.options.traffic_calls >= 0) {
        if (spw_answer_load(j.options.answer, &j.answer)) goto refused;
        if (j.options.traffic_sectors) return (int)tell_sectors(&j);
        spw_marker_open();
        spw_count_traffic(&j);
        spw_marker_close();
        if (j.shared->judge_failed) fprintf(stderr, "%s\n", j.shared->text);
        return j.shared->judge_failed ? SPW_FAULT : SPW_PASS;
    }
    return (int)judge(&j);

refused:
    fprintf(stderr, "%s\n", spw_message());
    return SPW_FAULT;
}

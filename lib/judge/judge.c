/* The judge: has the checks run one after the other, each with its lines in the report, and keeps the record. */
#define _GNU_SOURCE
#include "judge/judge.h"

#include "judge/record.h"
#include "perf/markers.h"
#include "perf/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_title(spw_judgement *j) {
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

/* One thread, three, seven, and all, ascending; of those beside the serial case some are even and some odd. */
static void choose_threads(spw_judgement *j) {
    const spw_topology machine = spw_topology_read();
    const int all = j->options.threads ? j->options.threads : machine.cores > 0 ? machine.cores : 1;
    const int wanted[4] = {1, all < 3 ? all : 3,
                           all < 3   ? 3
                           : all < 7 ? all
                                     : 7,
                           all < 7 ? 7 : all};
    j->all_threads = all;
    if (j->options.threads) {
        j->thread_counts[j->n_thread_counts++] = all;
        return;
    }
    for (int k = 0; k < 4; k++)
        if (k == 0 || wanted[k] != wanted[k - 1])
            j->thread_counts[j->n_thread_counts++] = wanted[k];
}

static spw_verdict worse(spw_verdict a, spw_verdict b) {
    static const int order[] = {[SPW_PASS] = 0,        [SPW_NO_VERDICT] = 1, [SPW_SLOW] = 2,
                                [SPW_NOT_WRITTEN] = 3, [SPW_WRONG] = 4,      [SPW_FAULT] = 5};
    return order[a] > order[b] ? a : b;
}

static bool is_sanitized(const spw_judgement *j) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)j;
    return true;
#else
    return strstr(j->options.build, "-fsanitize") != NULL;
#endif
}

static bool is_any_timed(const spw_judgement *j) {
    for (int p = 0; p < j->exercise->n_parts; p++)
        if (j->exercise->parts[p].speed && spw_part_written(j, p)) return true;
    return false;
}

/* What comes after the checks, which were passed as far as there is an answer. *timed: it is a result to keep. */
static spw_verdict run_clock(spw_judgement *j, spw_verdict verdict, bool *timed) {
    const spw_exercise *e = j->exercise;
    const bool narrowed = j->options.case_name || j->options.check_only;
    if (!narrowed && is_sanitized(j)) {
        spw_report_line("FAST", "--", "not timed: a sanitizer slows everything down");
    } else if (spw_on_device(j) && !j->options.case_name && !is_sanitized(j)) {
        const spw_verdict traffic = spw_run_traffic(j);
        *timed = !j->options.check_only || !j->options.gpu_answer; /* sectors need no clock */
        if (traffic == SPW_PASS && *timed) verdict = worse(verdict, spw_run_gpu(j));
        verdict = worse(verdict, traffic);
    } else if (spw_on_device(j) && !j->options.check_only) {
        verdict = worse(verdict, spw_run_gpu(j)); /* of one case: values only */
    } else if (!narrowed && e->own_check && verdict == SPW_PASS) {
        verdict = worse(verdict, spw_run_own(j));
        j->percent = j->shared->score;
        *timed = true;
    } else if (!narrowed && is_any_timed(j)) {
        const spw_verdict speed = spw_run_speed(j);
        const bool not_slow = speed == SPW_PASS || speed == SPW_NO_VERDICT;
        verdict = worse(verdict, speed);
        *timed = true;
        if (e->closing && not_slow && !j->options.matrix) verdict = worse(verdict, spw_closing(j));
    }
    return verdict;
}

static spw_verdict judge(spw_judgement *j) {
    j->inside = is_sanitized(j);
    spw_verdict verdict = spw_run_build(j);
    bool timed = false, whole = verdict == SPW_WRONG && !j->uncompiled;
    if (!verdict) {
        if (j->exercise->evidence && !j->options.case_name && !j->options.check_only &&
            !is_sanitized(j)) {
            if (spw_evidence(j)) return SPW_FAULT;
            timed = true;
            j->percent = 100;
        }
        if (j->options.checked)
            verdict = j->unwritten ? SPW_NOT_WRITTEN : SPW_PASS;
        else
            verdict = spw_run_checks(j);
        if (verdict == SPW_PASS || verdict == SPW_NOT_WRITTEN)
            verdict = run_clock(j, verdict, &timed);
        whole = (timed && verdict != SPW_NO_VERDICT) || verdict == SPW_WRONG ||
                verdict == SPW_NOT_WRITTEN;
    }
    /* A verdict on one case, one matrix or without the clock is no result to keep. */
    j->whole = whole && !j->options.matrix && !j->options.case_name && verdict != SPW_FAULT;
    spw_report_next(j, verdict);
    return verdict;
}

/* For lib/commands/traffic.sh: the checker's counts, or, with the answers that nvcc built, one call on the GPU
 * under a profiler. */
static spw_verdict tell_sectors(spw_judgement *j) {
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

static spw_verdict tell_traffic(spw_judgement *j) {
    j->inside = true; /* another program counts, or reads what is printed */
    if (spw_answer_load(j->options.answer, &j->answer)) {
        fprintf(stderr, "%s\n", spw_message());
        return SPW_FAULT;
    }
    if (j->options.traffic_sectors) return tell_sectors(j);
    spw_marker_open();
    spw_count_traffic(j);
    spw_marker_close();
    if (j->shared->judge_failed) fprintf(stderr, "%s\n", j->shared->text);
    return j->shared->judge_failed ? SPW_FAULT : SPW_PASS;
}

/* OpenMP reads its environment before main, so the program starts itself again with what it needs;
 * what the user has set stays. On a machine with several memories threads must stay where their data
 * is. Idle threads may not spin for long, or they look as if they worked (speed.c); where no clock is
 * asked they need not spin at all. */
static void set_environment(char **argv) {
    if (getenv("SPW_ENVIRONMENT")) return;
    bool untimed = argv[1] && strcmp(argv[1], "--declaration") == 0;
    for (int k = 1; argv[k - 1] && argv[k]; k++)
        untimed = untimed || (strcmp(argv[k - 1], "--check") == 0 && strcmp(argv[k], "1") == 0);
    if (spw_topology_read().numa_nodes > 1) {
        setenv("OMP_PROC_BIND", "close", 0);
        setenv("OMP_PLACES", "cores", 0);
    }
    setenv("GOMP_SPINCOUNT", untimed ? "0" : "20000", 0); /* gcc: about half a millisecond */
    setenv("KMP_BLOCKTIME", untimed ? "0" : "1", 0);      /* LLVM: a millisecond instead of 200 */
    setenv("OPENBLAS_THREAD_TIMEOUT", "4", 0);            /* likewise, 2^4 steps */
    setenv("SPW_ENVIRONMENT", "1", 1);
    execv("/proc/self/exe", argv); /* comes back only where there is no /proc: then without */
}

/* Says in one line what is not the learner's fault, unless the report has said it; NULL: there was none. */
static spw_verdict leave(spw_judgement *j, spw_verdict verdict, const char *fault) {
    char message[SPW_TEXT];
    snprintf(message, sizeof message, "%s", fault ? fault : j->shared->text);
    if (fault) fprintf(stderr, "%s\n", fault);
    if (!spw_record_end(j, verdict, verdict == SPW_FAULT ? message : "")) return verdict;
    fflush(stdout);
    fprintf(stderr, "This result was not saved: %s\n", spw_message());
    return SPW_FAULT;
}

int spw_judge(const spw_exercise *exercise, int argc, char **argv) {
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
    const spw_status understood = spw_options_parse(argc, argv, &j.options);
    if (j.options.folder) read_title(&j);
    if (understood || spw_options_check(&j)) {
        char fault[1024];
        snprintf(fault, sizeof fault, "%s", spw_message());
        (void)spw_record_begin(&j);
        return (int)leave(&j, SPW_FAULT, fault);
    }
    choose_threads(&j);
    spw_verdict verdict;
    if (j.options.traffic_calls >= 0) {
        verdict = tell_traffic(&j);
    } else {
        (void)spw_record_begin(
            &j); /* if it cannot be written, leave() says so, after the verdict */
        verdict = leave(&j, judge(&j), NULL);
    }
    spw_answer_destroy(&j.answer);
    spw_answer_destroy(&j.reference);
    return (int)verdict;
}

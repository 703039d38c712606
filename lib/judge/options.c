/* The judge's command line. */
#include "judge/judge.h"

#include "base/random.h"
#include "formats/generate.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };

typedef enum kind { TEXT, FLAG, INTEGER, SEED, SECONDS } kind;

/* An option --name, where its value goes, and what learners know it by. */
static const struct row {
    const char *name;
    kind kind;
    size_t at;
    const char *known_as;
    double low, high;
} rows[] = {
    {"folder", TEXT, offsetof(spw_options, folder), NULL, 0, 0},
    {"answer", TEXT, offsetof(spw_options, answer), NULL, 0, 0},
    {"reference", TEXT, offsetof(spw_options, reference), NULL, 0, 0},
    {"source", TEXT, offsetof(spw_options, source), NULL, 0, 0},
    {"build", TEXT, offsetof(spw_options, build), NULL, 0, 0},
    {"workbook", TEXT, offsetof(spw_options, workbook), NULL, 0, 0},
    {"record", TEXT, offsetof(spw_options, record), NULL, 0, 0},
    {"hints", TEXT, offsetof(spw_options, hints), NULL, 0, 0},
    {"gpu-answer", TEXT, offsetof(spw_options, gpu_answer), NULL, 0, 0},
    {"gpu-reference", TEXT, offsetof(spw_options, gpu_reference), NULL, 0, 0},
    {"no-gpu", TEXT, offsetof(spw_options, no_gpu), NULL, 0, 0},
    {"wrong", TEXT, offsetof(spw_options, wrong), NULL, 0, 0},
    {"matrix", TEXT, offsetof(spw_options, matrix), NULL, 0, 0},
    {"case", TEXT, offsetof(spw_options, case_name), NULL, 0, 0},
    {"threads", INTEGER, offsetof(spw_options, threads), "THREADS", 1, MAX_THREADS},
    {"check", INTEGER, offsetof(spw_options, check_only), "CHECK", 0, 1},
    {"detail", INTEGER, offsetof(spw_options, detail), "DETAIL", 0, 1 << 20},
    {"seed", SEED, offsetof(spw_options, seed), "SEED", 0, 1e15},
    {"limit", SECONDS, offsetof(spw_options, limit), "LIMIT", 1, 3600},
    {"traffic", INTEGER, offsetof(spw_options, traffic_calls), "calls", 0, 1e9},
    {"part", TEXT, offsetof(spw_options, traffic_part), NULL, 0, 0},
    {"graded", FLAG, offsetof(spw_options, graded), NULL, 0, 0},
    {"checked", FLAG, offsetof(spw_options, checked), NULL, 0, 0},
    {"without", TEXT, offsetof(spw_options, without), NULL, 0, 0},
    {"large", FLAG, offsetof(spw_options, traffic_large), NULL, 0, 0},
    {"sectors", FLAG, offsetof(spw_options, traffic_sectors), NULL, 0, 0},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static spw_status take(const struct row *row, const char *text, spw_options *o) {
    void *at = (char *)o + row->at;
    char *end;
    if (row->kind == TEXT) *(const char **)at = text;
    if (row->kind == FLAG) *(int *)at = 1;
    if (row->kind == TEXT || row->kind == FLAG) return SPW_OK;
    errno = 0;
    const double number = strtod(text, &end);
    if (end == text || *end || errno || !(number >= row->low && number <= row->high))
        return spw_error(SPW_ERR_ARG, "%s=%s is no value: give a number from %.0f to %.0f",
                         row->known_as, text, row->low, row->high);
    if (row->kind == INTEGER) *(int *)at = (int)number;
    if (row->kind == SEED) *(uint64_t *)at = (uint64_t)number;
    if (row->kind == SECONDS) *(double *)at = number;
    return SPW_OK;
}

spw_status spw_options_parse(int argc, char **argv, spw_options *o) {
    struct option known[N_ROWS + 1] = {{NULL, 0, NULL, 0}};
    for (int k = 0; k < N_ROWS; k++)
        known[k] = (struct option){rows[k].name, rows[k].kind != FLAG, NULL, k};
    *o = (spw_options){.limit = 10, .traffic_calls = -1, .build = "", .workbook = ""};
    o->wrong = "tests/wrong";
    o->seed = spw_random_u64((uint64_t)time(NULL), (uint64_t)getpid()) % 100000;
    spw_status status = SPW_OK;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c < 0 || c >= N_ROWS)
            return spw_error(SPW_ERR_ARG, "this judge was given an option it does not know");
        const spw_status taken = take(&rows[c], optarg, o);
        if (!status) status = taken; /* go on: the record's name may be yet to come */
    }
    if (status) return status;
    if (!o->gpu_answer != !o->gpu_reference)
        return spw_error(SPW_ERR_ARG, "--gpu-answer and --gpu-reference go together");
    if (!o->folder || !o->answer || !o->reference)
        return spw_error(SPW_ERR_ARG, "a judge needs --folder, --answer and --reference");
    return SPW_OK;
}

/* In a child, because sizing a generator's matrix may start threads. What stands behind an @ is for the
 * driver: "fem3:40@32". */
static void find_matrix(spw_judgement *j) {
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

/* Does a part before p, or a case before c of this one, have the same name? */
static bool listed_before(const spw_exercise *e, int p, int c) {
    for (int q = 0; q <= p; q++)
        for (int d = 0; e->parts[q].cases[d] && (q < p || d < c); d++)
            if (strcmp(e->parts[q].cases[d], e->parts[p].cases[c]) == 0) return true;
    return false;
}

static spw_status check_case_name(const spw_exercise *e, const char *wanted) {
    char names[1024] = "";
    if (!wanted) return SPW_OK;
    for (int p = 0; p < e->n_parts; p++)
        for (int c = 0; e->parts[p].cases[c]; c++) {
            if (strcmp(wanted, e->parts[p].cases[c]) == 0) return SPW_OK;
            if (!listed_before(e, p, c))
                spw_append(names, sizeof names, " %s", e->parts[p].cases[c]);
        }
    return spw_error(SPW_ERR_ARG, "there is no case '%s'. There are:%s", wanted, names);
}

spw_status spw_options_check(spw_judgement *j) {
    const spw_options *o = &j->options;
    bool takes_matrix = false;
    for (int p = 0; p < j->exercise->n_parts; p++)
        takes_matrix = takes_matrix || j->exercise->parts[p].takes_matrix;
    const char *forgotten = spw_without_target(j->exercise);
    if (forgotten)
        return spw_error(SPW_ERR_ARG, "%s is timed and has no target: a fault of the driver",
                         forgotten);
    const spw_status status = check_case_name(j->exercise, o->case_name);
    if (status || !o->matrix) return status;
    if (!takes_matrix)
        return spw_error(SPW_ERR_ARG, "exercise %s takes no matrix: leave MATRIX= out", j->goal);
    spw_supervise(j, find_matrix);
    return j->shared->judge_failed ? spw_error(SPW_ERR_ARG, "%s", j->shared->text) : SPW_OK;
}

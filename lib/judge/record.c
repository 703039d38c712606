#define _GNU_SOURCE
#include "judge/record.h"

#include "perf/timer.h"
#include "perf/topology.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CHECKS = 64 };

typedef struct check {
    char name[16], code[16], function[64], case_name[64];
    const char *status;
    int threads;
    char message[12288]; /* the table of check TRAFFIC is the longest */
} check;

static check checks[MAX_CHECKS];
static int n_checks;
static double begin;
static char started[32];

/* --- what the report says -------------------------------------------------------------------------- */

static const char *status_of(const char *word) {
    static const char *const words[][2] = {
        {"ok", "ok"}, {"FAIL", "fail"}, {"?", "no-verdict"}, {"--", "skipped"}};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(word, words[k][0]) == 0) return words[k][1];
    return "shown";
}

void spw_record_check(const char *name, const char *status, const char *message) {
    if (name[0] && n_checks < MAX_CHECKS) {
        check *c = &checks[n_checks++];
        *c = (check){.status = status_of(status)};
        snprintf(c->name, sizeof c->name, "%s", name);
    }
    spw_record_text(message);
}

void spw_record_text(const char *lines) {
    if (!n_checks) return;
    check *c = &checks[n_checks - 1];
    while (*lines) {
        lines += strspn(lines, " ");
        const size_t length = strcspn(lines, "\n");
        if (length)
            spw_append(c->message, sizeof c->message, "%s%.*s", c->message[0] ? "\n" : "",
                       (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void spw_record_failure(const char *code, const char *function, const char *case_name,
                        int threads) {
    if (!n_checks) return;
    check *c = &checks[n_checks - 1];
    if (code) snprintf(c->code, sizeof c->code, "%s", code);
    if (function) snprintf(c->function, sizeof c->function, "%s", function);
    if (case_name) snprintf(c->case_name, sizeof c->case_name, "%s", case_name);
    if (threads) c->threads = threads;
}

const char *spw_record_failed(void) {
    for (int k = 0; k < n_checks; k++)
        if (strcmp(checks[k].status, "fail") == 0 && checks[k].function[0])
            return checks[k].function;
    return NULL;
}

/* --- JSON ------------------------------------------------------------------------------------------- */

/* A key of "" is none: in a list. Commas and lines are put here alone. */
typedef struct json {
    FILE *file;
    bool begun; /* a member of the innermost object is there already */
    int depth;
} json;

static void key(json *o, const char *name) {
    fprintf(o->file, "%s\n%*s", o->begun ? "," : "", 2 * o->depth, "");
    if (name[0]) fprintf(o->file, "\"%s\": ", name);
    o->begun = true;
}

static void open_with(json *o, const char *name, char bracket) {
    key(o, name);
    fputc(bracket, o->file);
    o->begun = false;
    o->depth++;
}

static void close_with(json *o, char bracket) {
    o->depth--;
    if (o->begun) fprintf(o->file, "\n%*s", 2 * o->depth, "");
    fputc(bracket, o->file);
    o->begun = true;
}

/* Colours of a compiler go; so do control characters, which JSON knows only in other words, and bytes that are no
 * UTF-8, which it does not know. */
static void text(json *o, const char *name, const char *value) {
    key(o, name);
    fputc('"', o->file);
    for (const unsigned char *c = (const unsigned char *)(value ? value : ""); *c; c++) {
        const int more = *c >= 0xF0 && *c < 0xF5 ? 3 : *c >= 0xE0 ? 2 : *c >= 0xC2 ? 1 : 0;
        int found = 0;
        while (found < more && (c[found + 1] & 0xC0) == 0x80) found++;
        if (*c == 033 && c[1] == '[') {
            for (c++; c[1] && !(c[1] >= '@' && c[1] <= '~'); c++) {
            }
            if (c[1]) c++;
        } else if (*c == '"' || *c == '\\') {
            fprintf(o->file, "\\%c", *c);
        } else if (*c == '\n' || *c == '\t') {
            fputs(*c == '\n' ? "\\n" : "\\t", o->file);
        } else if (*c >= 0x80 && (!more || found < more || *c > 0xF4)) {
            fputc('?', o->file);
        } else if (*c >= ' ' && *c != 0x7F) {
            fwrite(c, 1, (size_t)more + 1, o->file);
            c += more;
        }
    }
    fputc('"', o->file);
}

static void number(json *o, const char *name, double value) {
    key(o, name);
    if (isfinite(value))
        fprintf(o->file, "%.15g", value);
    else
        fputs("null", o->file);
}

static void yes(json *o, const char *name, bool value) {
    key(o, name);
    fputs(value ? "true" : "false", o->file);
}

/* Of what was not taken the judge's figure is 0. */
static void figure(json *o, const char *name, double value) {
    number(o, name, value > 0 ? value : NAN);
}

/* --- the record ------------------------------------------------------------------------------------- */

static const char *const verdicts[] = {
    [SPW_PASS] = "pass", [SPW_WRONG] = "wrong",           [SPW_NOT_WRITTEN] = "not-written",
    [SPW_SLOW] = "slow", [SPW_NO_VERDICT] = "no-verdict", [SPW_FAULT] = "fault"};

static void put_head(json *o, const spw_judgement *j) {
    char sum[80] = "";
    const spw_options *p = &j->options;
    spw_answer_checksum(p->answer ? p->answer : "", sum, sizeof sum);
    number(o, "spw_record", SPW_RECORD_VERSION);
    text(o, "exercise", j->goal);
    text(o, "title", j->title);
    text(o, "file", p->source);
    text(o, "sha256", sum);
    text(o, "workbook", p->workbook);
    text(o, "started", started);
    number(o, "seconds", floor(1e3 * (spw_now() - begin)) / 1e3);
    const spw_topology machine = spw_topology_read();
    open_with(o, "machine", '{');
    text(o, "cpu", machine.cpu);
    number(o, "cores", machine.cores);
    number(o, "threads", machine.threads);
    number(o, "numa_nodes", machine.numa_nodes);
    text(o, "gpu", j->shared->gpu.name);
    close_with(o, '}');
    text(o, "compiler", p->build);
    open_with(o, "options", '{');
    text(o, "matrix", p->matrix);
    text(o, "case", p->case_name);
    number(o, "threads", j->all_threads);
    yes(o, "check", p->check_only);
    number(o, "seed", (double)p->seed);
    number(o, "limit", p->limit);
    close_with(o, '}');
}

static void put_checks(json *o, const spw_judgement *j) {
    const char *const fast = j->exercise->own_check ? j->exercise->own_check_name : "FAST";
    const char *const all[] = {"BUILD", "CORRECT", "SAFE", "MODEL", fast};
    open_with(o, "checks", '[');
    for (int k = 0; k < n_checks; k++) {
        const check *c = &checks[k];
        open_with(o, "", '{');
        text(o, "name", c->name);
        text(o, "status", c->status);
        text(o, "code", c->code);
        text(o, "function", c->function);
        text(o, "case", c->case_name);
        number(o, "threads", c->threads);
        text(o, "message", c->message);
        close_with(o, '}');
    }
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        bool found = false;
        for (int c = 0; c < n_checks; c++) found = found || strcmp(checks[c].name, all[k]) == 0;
        if (found) continue;
        open_with(o, "", '{');
        text(o, "name", all[k]);
        text(o, "status", "not-reached");
        close_with(o, '}');
    }
    close_with(o, ']');
}

static void put_times(json *o, const spw_part_speed *s) {
    static const char *const times[] = {"seconds", "reference", "baseline", "stretch", "peer"};
    static const char *const shares[] = {"share", "reference_share", "baseline_share",
                                         "stretch_share", "peer_share"};
    number(o, "load", s->cost.load);
    number(o, "store", s->cost.store);
    number(o, "flop", s->cost.flop);
    number(o, "bandwidth", s->bandwidth);
    number(o, "peak", s->peak);
    for (int k = 0; k < 5; k++) figure(o, times[k], s->time[k]);
    number(o, "share", s->e);
    for (int k = 1; k < 5; k++) figure(o, shares[k], s->e_rival[k]);
    figure(o, "to_reference", s->to_reference);
    number(o, "low", s->e_low);
    number(o, "high", s->e_high);
    number(o, "target", s->target);
    yes(o, "reached_stretch", spw_reached_stretch(s));
    text(o, "verdict", verdicts[s->verdict]);
    number(o, "blocks", s->blocks);
    figure(o, "busy", s->busy);
    number(o, "scatter", s->scatter);
    number(o, "others", s->others);
    number(o, "stolen", s->stolen);
    figure(o, "to_device", s->to_device);
    figure(o, "from_device", s->from_device);
}

static void put_parts(json *o, const spw_judgement *j) {
    const spw_shared *s = j->shared;
    open_with(o, "parts", '[');
    for (int p = 0; p < j->exercise->n_parts; p++) {
        const spw_part_speed *speed = &s->speed[p];
        if (!speed->measured && !s->traffic[p].counted) continue;
        open_with(o, "", '{');
        text(o, "function", j->exercise->parts[p].function);
        text(o, "case", speed->measured ? speed->facts : s->traffic[p].facts);
        text(o, "on", speed->on_gpu ? s->gpu.name : "host");
        yes(o, "timed", speed->measured);
        if (speed->measured) put_times(o, speed);
        if (s->traffic[p].counted)
            number(o, "traffic", s->traffic[p].needed / fmax(s->traffic[p].moved, 1));
        close_with(o, '}');
    }
    close_with(o, ']');
}

static void put_functions(json *o, const spw_judgement *j) {
    open_with(o, "functions", '[');
    for (int p = 0; p < j->exercise->n_parts && j->answer.path; p++) {
        const char *name = j->exercise->parts[p].function;
        bool again = false;
        for (int q = 0; q < p; q++)
            again = again || strcmp(j->exercise->parts[q].function, name) == 0;
        if (again) continue;
        open_with(o, "", '{');
        text(o, "function", name);
        yes(o, "written", spw_answer_has(&j->answer, name));
        close_with(o, '}');
    }
    close_with(o, ']');
}

static spw_status write_record(const spw_judgement *j, spw_verdict verdict, const char *message) {
    const char *path = j->options.record;
    char partial[1024], folder[1024];
    if (!path) return SPW_OK;
    snprintf(folder, sizeof folder, "%s", path);
    if (strrchr(folder, '/')) {
        *strrchr(folder, '/') = 0;
        (void)mkdir(folder, 0777); /* if it is missing alone */
    }
    snprintf(partial, sizeof partial, "%s.%ld.partial", path, (long)getpid());
    json o = {.file = fopen(partial, "w"), .depth = 1};
    if (!o.file) return spw_error(SPW_ERR_FILE, "cannot write %s: %s", partial, strerror(errno));
    fputc('{', o.file);
    put_head(&o, j);
    text(&o, "verdict", verdicts[verdict]);
    number(&o, "status", verdict);
    text(&o, "message", message);
    yes(&o, "whole", j->whole);
    number(&o, "percent", j->percent);
    yes(&o, "stretch", j->stretch);
    put_checks(&o, j);
    put_functions(&o, j);
    put_parts(&o, j);
    fputs("\n}\n", o.file);
    bool ok = fflush(o.file) == 0 && !ferror(o.file);
    ok = fclose(o.file) == 0 && ok;
    if (ok && rename(partial, path) == 0) return SPW_OK;
    const int reason = errno;
    unlink(partial);
    return spw_error(SPW_ERR_FILE, "cannot write %s: %s", path, strerror(reason));
}

spw_status spw_record_begin(const spw_judgement *j) {
    const time_t now = time(NULL);
    struct tm utc;
    begin = spw_now();
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return write_record(j, SPW_FAULT, "interrupted");
}

spw_status spw_record_end(const spw_judgement *j, spw_verdict verdict, const char *message) {
    return write_record(j, verdict, message);
}

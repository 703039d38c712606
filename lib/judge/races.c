#include "judge/races.h"

#include "base/threads.h"
#include "judge/runner.h"
#include "judge/explain.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* MANY: for tables with an entry for each thread, of which there are 64, or 128. */
enum { THREADS = 9, MANY = 129, MOST_BYTES = 4 << 20, NAME = 40 };
/* Accesses that are looked at, of a call and of all calls of a part: a count, so that each run finds the same. */
enum { OF_A_CALL = 1000 * 1000, OF_A_PART = 8 * 1000 * 1000 };
static const double CALL_SECONDS = 2;

/* Before the child is started: the object, and whether shared->part alone is asked for. */
static char object[1024];
static bool one_part;

/* Nothing where there is no room. */
static void add(char *list, size_t size, const char *lead, const char *word) {
    const size_t used = strlen(list);
    if (used + strlen(lead) + strlen(word) >= size) return;
    memcpy(list + used, lead, strlen(lead) + 1);
    memcpy(list + used + strlen(lead), word, strlen(word) + 1);
}

/* --- in a child ------------------------------------------------------------------------------------- */

/* Testimony: the runner writes it, also one that ends. It is read when that is gone. */
static spw_races *seen;

/* In the runner: both orders. The answer is the one that was compiled for this. */
static void watch(spw_trial *t, void *ignored) {
    (void)ignored;
    spw_races_watch_function *start;
    void *symbol = dlsym(((const spw_answer *)t->answer)->object, "spw_races_watch");
    memcpy(&start, &symbol, sizeof start); /* as in answer.c */
    for (int order = 0; order < (t->threads == MANY ? 1 : 2) && symbol && !seen->found; order++) {
        spw_trial_prepare(t, SPW_POISON_FINITE);
        *seen = (spw_races){.threads = t->threads,
                            .descending = order == 1 || t->threads == MANY,
                            .most = OF_A_CALL};
        start(seen);
        spw_set_threads(1); /* for what the library does meanwhile */
        t->part->call(t, spw_trial_symbol(t, t->part->function));
        spw_set_threads(t->threads);
        start(NULL);
    }
}

/* True: something was found, or it went no further. *left: accesses. */
static bool watch_case(spw_judgement *j, int part, const char *name, int threads, int64_t *left) {
    spw_shared *s = j->shared;
    spw_runner r = {0};
    bool over = false;
    spw_trial t = spw_new_trial(j, part, threads, SPW_RIGHT);
    snprintf(s->case_name, sizeof s->case_name, "%s", name);
    if (spw_trial_begin(&t, name) || spw_trial_bytes(&t) > MOST_BYTES) goto end;
    snprintf(s->facts, sizeof s->facts, "%s", t.facts);
    spw_trial_prepare(&t, SPW_POISON_FINITE);
    *seen = (spw_races){.most = OF_A_CALL};
    j->answer.object = NULL; /* where there are no runners: this one, too */
    over = !spw_runner_start(&r, j, &t, &j->answer, object) || !spw_runner_order(&r, watch, NULL);
    spw_runner_end(&r);
    s->races = *seen;
    *left -= 2 * (OF_A_CALL - seen->most);
    if (s->races.found == SPW_RACES_NONE) goto end;
    over = true;
    const spw_array *a =
        s->races.address ? spw_trial_find(&t, s->races.address, &s->races.index) : NULL;
    snprintf(s->races.array, sizeof s->races.array, "%s", a ? a->name : "");
    s->races.arrays[0] = 0;
    for (int k = 0; k < t.n_arrays; k++)
        add(s->races.arrays, sizeof s->races.arrays, " ", t.arrays[k].name);
end:
    spw_trial_end(&t);
    return over;
}

static void look_for_races(spw_judgement *j) {
    spw_shared *s = j->shared;
    const int only = one_part ? s->part : -1;
    int64_t left = OF_A_PART;
    char name[sizeof s->case_name];
    memcpy(name, s->case_name, sizeof name);
    if (one_part && watch_case(j, only, name, THREADS, &left)) return; /* the case at hand first */
    for (int p = 0; p < j->exercise->n_parts; p++) {
        if ((only >= 0 && p != only) || !spw_answer_has(&j->answer, j->exercise->parts[p].function))
            continue;
        const char *first = NULL, *last = NULL; /* that have a parallel region */
        left = OF_A_PART;
        for (int c = 0; j->exercise->parts[p].cases[c] && left > 0; c++) {
            const char *case_name = j->exercise->parts[p].cases[c];
            if (j->options.case_name && strcmp(j->options.case_name, case_name) != 0) continue;
            const int64_t before = left;
            if (watch_case(j, p, case_name, THREADS, &left)) return;
            if (left == before) continue;
            last = case_name;
            if (first) continue;
            first = case_name;
            if (watch_case(j, p, first, MANY, &left)) return;
        }
        /* twice a part: the first cases are small, and give work to few of so many */
        if (last != first && watch_case(j, p, last, MANY, &left)) return;
    }
}

/* --- words ------------------------------------------------------------------------------------------ */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Is the word before c one that a declaration has: "double sum", "spw_idx *next"? */
static bool is_declared(const char *line, const char *c) {
    static const char *const none[] = {"else", "do"};
    while (c > line && (c[-1] == ' ' || c[-1] == '*')) c--;
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        const size_t length = strlen(none[k]);
        if (c - line >= (long)length && strncmp(c - length, none[k], length) == 0) return false;
    }
    return c > line && is_word(c[-1]);
}

static bool is_listed(const char *list, const char *name, size_t length) {
    for (const char *c = list; (c = strstr(c, name)); c++)
        if ((c == list || !is_word(c[-1])) && !is_word(c[length])) return true;
    return false;
}

/* What the line gives a value and does not declare, and is none of these: "sum", or "sum or k". */
static void assigned_on(const char *line, const char *not_these, char *names, size_t size) {
    char declared[256] = "", word[NAME];
    names[0] = 0;
    for (const char *c = line, *end; *c; c = end > c ? end : c + 1) {
        for (end = c; is_word(*end);) end++;
        const size_t length = (size_t)(end - c);
        if (!length || length >= sizeof word || isdigit((unsigned char)*c)) continue;
        snprintf(word, sizeof word, "%.*s", (int)length, c);
        const char *op = end;
        for (int depth = 0; *op && (*op == '[' || *op == ' ' || depth); op++)
            depth += (*op == '[') - (*op == ']');
        const bool assigns = (op[0] == '=' && op[1] != '=') ||
                             (*op && strchr("+-*/|&^", *op) && (op[1] == '=' || op[1] == op[0]));
        const bool is_member = c > line && (c[-1] == '.' || c[-1] == '>');
        if (is_declared(line, c))
            add(declared, sizeof declared, " ", word);
        else if (assigns && !is_member && !is_listed(declared, word, length) &&
                 !is_listed(not_these, word, length) && !is_listed(names, word, length))
            add(names, size, names[0] ? " or " : "", word);
    }
}

static void read_line(const char *path, int number, char *line, int size) {
    FILE *file = fopen(path, "r");
    line[0] = 0;
    for (int k = 0; file && k < number; k++)
        if (!fgets(line, size, file)) line[0] = 0;
    if (file) fclose(file);
}

/* The lines of both accesses, or of the calls of the functions that they are in, where these are in a header. 0:
 * unknown. */
static void look_up(const spw_races *r, int lines[2]) {
    char command[1200], line[1024];
    lines[0] = lines[1] = 0;
    if (strpbrk(object, "'\\\n")) return;
    snprintf(command, sizeof command, "addr2line -e '%s' 0x%x 0x%x 0x%x 0x%x 2>/dev/null", object,
             r->who[0].place - 1, r->who[0].caller - 1, r->who[1].place - 1, r->who[1].caller - 1);
    FILE *pipe = popen(command, "r");
    for (int k = 0; k < 4 && pipe && fgets(line, sizeof line, pipe); k++) {
        const char *at = strstr(line, ".source:");
        if (at && !lines[k / 2]) lines[k / 2] = atoi(at + strlen(".source:"));
    }
    if (pipe) pclose(pipe);
}

static const char *file_of(const spw_judgement *j) {
    const char *path = j->options.source ? j->options.source : j->options.answer;
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

/* "sum += ..." */
static bool is_updated_on(const char *line, const char *name) {
    const char *c = strstr(line, name);
    if (!c) return false;
    c += strlen(name);
    while (*c == ' ' || *c == '[') c += *c == '[' ? strcspn(c, "]") + 1 : 1;
    return *c && strchr("+-*", *c) && (c[1] == '=' || c[1] == c[0]);
}

/* "C[k] ..." */
static bool is_entry(const char *line, const char *name) {
    const char *c = strstr(line, name);
    return c && name[0] && c[strlen(name)] == '[';
}

/* What to do about a race at an array's entry, or at a variable of the learner's. */
static void add_cure(char *text, size_t size, const char *name, bool of_case, bool both_write,
                     bool same, const char *line) {
    if (of_case || (same && is_updated_on(line, name) && is_entry(line, name)))
        add(text, size,
            both_write
                ? "Let one thread alone write it, or add to it within critical or atomic."
                : "A barrier is missing between the two, or each thread needs entries of its own.",
            "");
    else if (!name[0] || strstr(name, " or "))
        add(text, size,
            "What each thread needs for itself is declared inside the parallel loop; what all add "
            "to needs reduction "
            "or atomic.",
            "");
    else if (same && is_updated_on(line, name)) {
        add(text, size, "If all threads add to one ", name);
        add(text, size, ", it needs reduction(+ : ", name);
        add(text, size, "); if each needs its own, declare it inside the parallel loop.", "");
    } else {
        add(text, size, "Each thread needs its own ", name);
        add(text, size, ": declare it inside the parallel loop.", "");
    }
}

/* Appends what was found, in words. */
static void tell(const spw_judgement *j, char *text, size_t size) {
    const spw_races *r = &j->shared->races;
    const char *file = file_of(j);
    char source[1024], line[1024] = "", name[NAME] = "", where[64], said[1024];
    if (r->found == SPW_RACES_BOUNDS) {
        char type[sizeof r->type];
        snprintf(type, sizeof type, "%.*s", (int)sizeof type - 1, r->type);
        for (char *c = type; *c; c++)
            if (!isprint((unsigned char)*c)) *c = '?';
        snprintf(said, sizeof said,
                 "%s:%d: with %d threads the index is %lld, and the array is a %s: its length must "
                 "follow from %s.",
                 file, r->line, r->threads, (long long)r->index, type,
                 r->index >= 0 && r->index < r->threads
                     ? "the number of threads"
                     : "what the index can be: of threads, rows, their lengths or vectors");
        spw_explain_sentence(text, size, "", said);
        return;
    }
    int lines[2];
    look_up(r, lines);
    const int writer = r->who[1].writes ? 1 : 0, other = lines[1 - writer];
    const bool same = other == lines[writer], both = same || (r->who[0].writes && r->who[1].writes);
    if (r->array[0]) {
        snprintf(name, sizeof name, "%.31s[%lld]", r->array, (long long)r->index);
    } else {
        snprintf(source, sizeof source, "%.*s.source", (int)strlen(object) - 9, object);
        read_line(source, lines[writer], line, sizeof line);
        assigned_on(line, r->arrays, name, sizeof name);
    }
    snprintf(where, sizeof where, same ? "%d" : "%d and %d", lines[writer], other);
    snprintf(said, sizeof said, "%s:%s: a race: %s %s%s", file, where,
             both ? "two threads write" : "one thread writes, another reads",
             name[0] ? name : "the same place",
             r->undivided ? "." : ", and nothing keeps the two apart. ");
    if (!r->undivided) add_cure(said, sizeof said, name, r->array[0], both, same, line);
    spw_explain_sentence(text, size, "", said);
    if (r->undivided && !strstr(text, SPW_ALL_DID_ALL))
        spw_explain_sentence(text, size, "", SPW_ALL_DID_ALL);
}

/* --- in the parent ---------------------------------------------------------------------------------- */

/* SPW_RACE_FREE: it is built, and can be looked at. */
static spw_race_check build(const spw_judgement *j, char *reason, size_t size) {
    char command[4096], out[1024];
    const char *base = strrchr(j->options.folder, '/');
    const size_t length = strlen(j->options.answer);
    reason[0] = 0;
    if (strstr(j->options.build, "-fsanitize")) return SPW_RACE_NOT_ASKED;
    const ssize_t self = readlink("/proc/self/exe", out, sizeof out - 1);
    void *room =
        mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (self <= 0 || length < 4 || length > sizeof object - 16 || room == MAP_FAILED)
        return SPW_RACE_NOT_ASKED;
    out[self] = 0;
    for (int up = 0; up < 2; up++)
        if (strrchr(out, '/')) *strrchr(out, '/') = 0;
    if (strchr(out, '\'') || strchr(j->options.answer, '\'')) return SPW_RACE_NOT_ASKED;
    seen = room;
    snprintf(object, sizeof object, "%.*s.races.so", (int)length - 3, j->options.answer);
    snprintf(command, sizeof command, "sh lib/judge/races.sh '%s' '%s' '%s'", out,
             base ? base + 1 : j->options.folder, j->options.answer);
    fflush(NULL);
    FILE *pipe = popen(command, "r");
    if (!pipe) return SPW_RACE_NOT_ASKED;
    if (!fgets(reason, (int)size, pipe)) reason[0] = 0;
    reason[strcspn(reason, "\n")] = 0;
    const int status = pclose(pipe);
    if (status == 0) return SPW_RACE_FREE;
    return reason[0] ? SPW_RACE_UNKNOWN : SPW_RACE_NOT_ASKED;
}

/* Has the child look. */
static spw_race_check look(spw_judgement *j, bool of_part, char *reason, size_t size) {
    const spw_race_check built = build(j, reason, size);
    if (built != SPW_RACE_FREE) return built;
    const spw_shared before = *j->shared;
    const double limit = j->options.limit;
    one_part = of_part;
    j->options.limit = CALL_SECONDS;
    const spw_ending ending = spw_supervise(j, look_for_races);
    j->options.limit = limit;
    if (j->shared->races.found != SPW_RACES_NONE) return SPW_RACE_FOUND;
    if (ending == SPW_HUNG)
        snprintf(reason, size, "a call takes more than %g s when they are", CALL_SECONDS);
    else if (ending != SPW_FINISHED)
        spw_explain_ending(j, ending, reason, size);
    *j->shared = before;
    return ending == SPW_FINISHED ? SPW_RACE_FREE : SPW_RACE_UNKNOWN;
}

spw_race_check spw_races_look(spw_judgement *j, char *reason, size_t size) {
    spw_shared *s = j->shared;
    const spw_race_check found = look(j, false, reason, size);
    if (found != SPW_RACE_FOUND) return found;
    snprintf(s->text, sizeof s->text, "no value was wrong, but %s:",
             s->races.undivided ? "all was computed once by each thread" : "that was luck");
    tell(j, s->text, sizeof s->text);
    s->failed = true;
    s->stage = j->shared->races.found == SPW_RACES_BOUNDS ? SPW_SAFE : SPW_CORRECT;
    return found;
}

bool spw_races_explain(spw_judgement *j) {
    char reason[256];
    const spw_shared before = *j->shared;
    const spw_race_check found = look(j, true, reason, sizeof reason);
    const spw_races races = j->shared->races;
    *j->shared = before; /* the case that was wrong stays the one that is told */
    j->shared->races = races;
    if (found != SPW_RACE_FOUND) return false;
    char *text = j->shared->text;
    memmove(text + before.cause, text + before.cause_end, strlen(text + before.cause_end) + 1);
    tell(j, text, sizeof j->shared->text);
    if (races.found == SPW_RACES_BOUNDS) j->shared->stage = SPW_SAFE;
    return true;
}

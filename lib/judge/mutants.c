#define _GNU_SOURCE
#include "judge/mutants.h"

#include "base/threads.h"
#include "perf/timer.h"
#include "judge/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what the answer left -------------------------------------------------------------------------- */

enum { ROOM = 1 << 19, MOST = 160, AT_ONCE = 16, FEW = 4, SAID = 10, MOST_TOLD = 3 };
enum { OTHER, SAME_REPORTED, SAME_IN_ALL };
/* Iterates, and what is told of them, are the same up to so much, however sums are rounded. */
static const double ITERATE = 1e-5;
static const double SECONDS = 0.7, CALL_SECONDS = 1, CHECKER_SECONDS = 3;

/* Seen by the parent, the child that checks, and the children that run mutants. */
typedef struct kept {
    bool full, claimed; /* claimed: part.claim has failed */
    bool crashed;       /* outside of an array, which `fault` says; nothing was left to compare */
    bool alone;         /* the mutant that runs has one thread, with which the answer was right */
    bool told; /* nor here: `said` has what the checker found, or a claim without a "result" */
    char said[SPW_TEXT];
    spw_fault fault;
    spw_poison poison;
    spw_layout layout;
    int part, threads;
    int sentence, sentence_end; /* in shared->text */
    int64_t count, reported;    /* values; those up to the end of the first array that is wrong */
    struct {
        double absolute, relative;
    } slack[SPW_MAX_ARRAYS];
    double value[ROOM];
    int next, end; /* the mutant that runs, and the one behind the last */
    unsigned char same[MOST];
} kept;
static kept *k;

static double value(const spw_array *a, int64_t i) { return spw_entry(a, a->data, i); }

/* What a function returned; a number that is computed has an expectation. */
static bool is_result(const spw_array *a) {
    return !a->has_expectation && strcmp(a->name, "result") == 0;
}

static int64_t compared(const spw_array *a) {
    if (a->has_expectation) return a->expectation.count;
    return is_result(a) || (k->claimed && a->role == SPW_INOUT) ? a->count : 0;
}

void spw_mutants_begin(void) {
    void *room = mmap(NULL, sizeof *k, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    k = room == MAP_FAILED ? NULL : (kept *)room; /* zero: the pages are fresh */
}

void spw_mutants_leave(void) {
    if (k) munmap(k, sizeof *k);
    k = NULL;
}

static bool is_wrong(const spw_array *a) {
    const spw_expectation *e = &a->expectation;
    for (int64_t i = 0; a->has_expectation && i < e->count; i++) {
        const double error = fabs(value(a, i) - spw_entry(a, e->expected, i));
        if (!(error <= (e->tolerance ? e->tolerance[i] : 0))) return true;
    }
    return false;
}

/* What was found, without places in files and addresses, which are another program's, and without ends of lines. */
static void without_places(const char *text, char *to, size_t size) {
    size_t n = 0;
    for (size_t length; *text; text += length) {
        text += strspn(text, " \n");
        length = strcspn(text, " \n");
        if (!memmem(text, length, ".c:", 3) && !memmem(text, length, ".cu:", 4) &&
            strncmp(text, "0x", 2) != 0 && n < size)
            n += (size_t)snprintf(to + n, size - n, "%.*s ", (int)length, text);
    }
}

static unsigned char same_as_told(const char *text) {
    char said[SPW_TEXT] = "";
    without_places(text, said, sizeof said);
    return strcmp(said, k->said) == 0 ? SAME_IN_ALL : OTHER;
}

static void keep_told(const char *text, spw_poison poison, spw_layout layout, int threads) {
    without_places(text, k->said, sizeof k->said);
    k->full = k->told = true;
    k->poison = poison;
    k->layout = layout;
    k->threads = threads;
    k->sentence = k->sentence_end = (int)strlen(text);
    while (k->sentence && text[k->sentence - 1] == '\n') k->sentence--;
}

void spw_mutants_keep(const spw_trial *t, spw_poison poison) {
    if (!k || (t->certain && !t->failed)) return;
    int64_t n = 0;
    bool returned = false;
    for (int m = 0; m < t->n_arrays; m++) returned = returned || is_result(&t->arrays[m]);
    if (t->failed && !returned) {
        keep_told(t->failure, poison, t->layout, t->threads);
        return;
    }
    k->claimed = t->failed;
    k->reported = 0;
    for (int m = 0; m < t->n_arrays; m++) {
        const spw_array *a = &t->arrays[m];
        const int64_t count = compared(a);
        if (n + count > ROOM) return;
        double largest = 0;
        for (int64_t i = 0; i < count; i++) {
            if (a->has_expectation && a->expectation.tolerance)
                largest = fmax(largest, a->expectation.tolerance[i]);
            else if (!a->has_expectation && !is_result(a))
                largest = fmax(largest, ITERATE * fabs(value(a, i)));
            if (k->claimed && !isfinite(value(a, i))) return;
            k->value[n++] = value(a, i);
        }
        if (!k->reported && is_wrong(a)) k->reported = n;
        k->slack[m].absolute = 4 * largest;
        k->slack[m].relative = is_result(a) ? ITERATE : a->expectation.tolerance ? 1e-12 : 0;
    }
    k->count = n;
    /* a solver's x that follows from another mistake may be the same: what it returns is not */
    if (!k->reported || returned) k->reported = n;
    k->poison = poison;
    k->layout = t->layout;
    k->threads = t->threads;
    k->sentence = t->sentence;
    k->sentence_end = t->sentence_end;
    if (k->claimed) { /* its first line says what is wrong, what follows why */
        const char *why = strchr(t->failure, '\n');
        k->sentence_end = (int)strlen(t->failure);
        k->sentence = why ? (int)(why - t->failure) : k->sentence_end;
    }
    k->full = n > 0;
}

void spw_mutants_moved(int by, int cut) {
    if (!k) return;
    k->sentence += by;
    k->sentence_end += by - cut;
}

void spw_mutants_forget(void) {
    if (k) k->full = false;
}

/* Where a claim has failed of what nobody compares, a mutant that is right in this case leaves the same, too. */
static bool is_right_here(spw_trial *t) {
    if (k->claimed && t->part->claim) t->part->claim(t);
    return k->claimed && !t->failed;
}

/* What follows from a wrong array is wrong in each program's own way: hence two kinds of being the same. */
static unsigned char same_as_kept(spw_trial *t) {
    int64_t n = 0;
    for (int m = 0; m < t->n_arrays; m++) {
        const spw_array *a = &t->arrays[m];
        const int64_t count = compared(a);
        for (int64_t i = 0; i < count && n < k->count; i++, n++) {
            const double x = value(a, i), y = k->value[n];
            const double slack = fmax(k->slack[m].absolute, k->slack[m].relative * fabs(x));
            const bool close = isfinite(x) && fabs(x - y) <= slack;
            if (!(x == y || (isnan(x) && isnan(y)) || close))
                return n >= k->reported ? SAME_REPORTED : OTHER;
        }
    }
    return n == k->count && !is_right_here(t) ? SAME_IN_ALL : OTHER;
}

/* --- the mutants ----------------------------------------------------------------------------------- */

typedef struct mutant {
    char name[64], says[400];
    int place, also; /* part and case that fail first, and of another part; -1: unknown, or none */
} mutant;
static mutant mutants[MOST];
static int n_mutants;
static char folder[600]; /* of what is compiled of them */

static int place_of(const spw_judgement *j, const char *function, const char *name) {
    for (int p = 0; p < j->exercise->n_parts; p++)
        for (int c = 0; j->exercise->parts[p].cases[c]; c++)
            if (strcmp(j->exercise->parts[p].function, function) == 0 &&
                strcmp(j->exercise->parts[p].cases[c], name) == 0)
                return 1000 * p + c;
    return -1;
}

/* "mutants.sh VERB 'OUT' 06-spmv-csr c", where OUT is the folder of this build, seen from this program. */
static bool script(const spw_judgement *j, const char *verb, char *command, size_t size) {
    char out[512];
    const ssize_t length = readlink("/proc/self/exe", out, sizeof out - 1);
    const char *slash = strrchr(j->options.folder, '/');
    if (length <= 0 || strchr(j->options.wrong, '\'')) return false;
    out[length] = 0;
    for (int up = 0; up < 2; up++)
        if (strrchr(out, '/')) *strrchr(out, '/') = 0;
    if (strchr(out, '\'')) return false;
    const char *ending = spw_on_device(j) ? "cu" : "c";
    slash = slash ? slash + 1 : j->options.folder;
    snprintf(folder, sizeof folder, "%s/mutants/%.40s.%s", out, slash, ending);
    snprintf(command, size, "sh lib/judge/mutants.sh %s '%s' '%s/%.40s' %s", verb, folder,
             j->options.wrong, slash, ending);
    return true;
}

static void read_mutants(spw_judgement *j) {
    char command[2048], line[1024], said[SPW_TEXT] = "";
    n_mutants = 0;
    without_places(j->shared->text, said, sizeof said);
    if (!script(j, "list", command, sizeof command)) return;
    fflush(NULL);
    FILE *list = popen(command, "r");
    if (!list) return;
    while (n_mutants < MOST && fgets(line, sizeof line, list)) {
        char function[2][64], first[2][64], check[16], where[64];
        mutant *m = &mutants[n_mutants];
        if (sscanf(
                line,
                "%63[^\t]\t%63[^\t]\t%63[^\t]\t%63[^\t]\t%63[^\t]\t%15[^\t]\t%63[^\t]\t%399[^\n]",
                m->name, function[0], first[0], function[1], first[1], check, where,
                m->says) != 8 ||
            strcmp(check, k->crashed ? "SAFE" : "CORRECT") != 0 ||
            (strcmp(where, "-") != 0 && !strstr(said, where)))
            continue;
        m->place = place_of(j, function[0], first[0]);
        m->also = place_of(j, function[1], first[1]);
        n_mutants++;
    }
    pclose(list);
}

/* Those that are asked come first, in the order in which they are asked. Returns how many; *here: of this case. */
static int sort_mutants(const spw_judgement *j, int *here) {
    const int place = place_of(j, j->exercise->parts[k->part].function, j->shared->case_name);
    int n = 0;
    for (int round = 0; round < 2; round++) {
        for (int m = n; m < n_mutants; m++) {
            const int also = mutants[m].also;
            const int p = also >= 0 && also / 1000 == k->part ? also : mutants[m].place;
            const bool later = p > place || j->options.case_name;
            if (p < 0 || !(round == 0 ? p == place : later && p / 1000 == k->part)) continue;
            const mutant swapped = mutants[n];
            mutants[n++] = mutants[m];
            mutants[m] = swapped;
        }
        if (round == 0) *here = n;
    }
    return n;
}

/* Where the answer is right with one thread, so is the same mistake. */
static bool same_with_one_thread(spw_judgement *j, spw_trial *t, spw_function f) {
    char ignored[SPW_TEXT];
    const bool crashed_later = k->crashed && k->threads > 1 && j->thread_counts[0] == 1;
    if (!crashed_later && !j->shared->of_threads) return true;
    k->alone = true;
    spw_set_threads(1);
    spw_trial_prepare(t, k->poison);
    spw_call(j, t, f);
    spw_set_threads(k->threads);
    k->alone = !spw_trial_compare(t, k->poison, ignored, sizeof ignored);
    return !k->alone;
}

/* In a child: from mutant k->next on. One that dies leaves k->next at itself. */
static void run_mutants(spw_judgement *j) {
    for (; k->next < k->end; k->next++) {
        spw_answer answer;
        char path[sizeof folder + 80];
        snprintf(path, sizeof path, "%s/%s.so", folder, mutants[k->next].name);
        if (spw_answer_load(path, &answer)) continue;
        spw_trial t = spw_new_trial(j, k->part, k->threads, k->layout);
        t.answer = &answer;
        const spw_function f = spw_answer_function(&answer, t.part->function);
        if (f && !spw_trial_begin(&t, j->shared->case_name)) {
            if (t.part->on_device) {
                char found[SPW_TEXT] = "";
                const bool left = spw_checker_leaves(j, &t, f, found, sizeof found);
                if (left && k->told) spw_trial_is_right(&t, k->poison, found, sizeof found);
                k->same[k->next] = k->told ? same_as_told(found) : left ? same_as_kept(&t) : OTHER;
            } else {
                const bool same = k->told || same_with_one_thread(j, &t, f);
                spw_watch(&t);
                spw_trial_prepare(&t, k->poison);
                spw_call(j, &t, f);
                spw_watch(NULL);
                if (k->told && t.part->claim) t.part->claim(&t);
                k->same[k->next] = k->told               ? same_as_told(t.failure)
                                   : same && !k->crashed ? same_as_kept(&t)
                                                         : OTHER;
            }
        }
        spw_trial_end(&t);
    }
}

/* The mutant k->next has ended its process: as the answer did? */
static void compare_faults(const spw_fault *f) {
    const spw_fault *g = &k->fault;
    const bool alone = k->alone;
    k->alone = false;
    if (k->crashed && !alone && f->known && strcmp(f->array, g->array) == 0 &&
        f->index == g->index && f->is_write == g->is_write)
        k->same[k->next] = SAME_IN_ALL;
}

/* Mutants from .. end-1: compiles those that are not, and asks all. Does one of them leave the same? */
static bool ask(spw_judgement *j, int from, int end) {
    static bool said; /* to the learner, that this takes a moment */
    char command[2048 + AT_ONCE * 70];
    if (!script(j, said ? "more" : "build", command, 2048)) return false;
    for (int m = from; m < end; m++) spw_append(command, sizeof command, " %s", mutants[m].name);
    fflush(NULL);
    const int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SAID)
        said = true;
    else if (status != 0)
        return false;
    k->next = from;
    k->end = end;
    while (k->next < end && spw_supervise(j, run_mutants) != SPW_FINISHED) {
        compare_faults(&j->shared->fault);
        k->next++;
    }
    for (int m = from; m < end; m++)
        if (k->same[m]) return true;
    return false;
}

/* --- what they say --------------------------------------------------------------------------------- */

static void tell(char *text, size_t size) {
    const char *told[MOST_TOLD] = {NULL};
    int n = 0;
    unsigned best = SAME_REPORTED;
    for (int m = 0; m < n_mutants; m++)
        if (k->same[m] == SAME_IN_ALL) best = SAME_IN_ALL;
    for (int m = 0; m < n_mutants; m++) {
        bool new_one = k->same[m] == best;
        for (int i = 0; i < n && new_one; i++) new_one = strcmp(told[i], mutants[m].says) != 0;
        if (!new_one) continue;
        if (n == MOST_TOLD) return; /* too many to help anybody */
        told[n++] = mutants[m].says;
    }
    if (!n) return;
    char rest[SPW_TEXT];
    snprintf(rest, sizeof rest, "%s", text + k->sentence_end);
    text[k->sentence] = 0;
    for (int i = 0; i < n; i++) spw_explain_sentence(text, size, i ? "or: " : "", told[i]);
    spw_append(text, size, "%s", rest);
}

void spw_mutants_name(spw_judgement *j) {
    if (!k || !k->full || (k->told && j->shared->of_threads)) return;
    spw_shared *s = j->shared;
    k->part = s->part;
    read_mutants(j);
    int here = 0;
    const int n = sort_mutants(j, &here);
    if (n == 0) return;
    const spw_shared before = *s;
    const double limit = j->options.limit, since = spw_now();
    j->options.limit = j->exercise->parts[k->part].on_device ? CHECKER_SECONDS : CALL_SECONDS;
    bool named = false;
    for (int from = 0, end; from < n; from = end) {
        if (from >= here && (named || spw_now() - since > SECONDS)) break;
        const int most = from < here ? here : n, at_once = from < here ? AT_ONCE : FEW;
        end = from + at_once < most ? from + at_once : most;
        named = ask(j, from, end) || named;
    }
    j->options.limit = limit;
    *s = before;
    tell(s->text, sizeof s->text);
}

void spw_mutants_name_fault(spw_judgement *j) {
    const spw_shared *s = j->shared;
    const bool on_device = j->exercise->parts[s->part].on_device;
    if (!k || !(on_device || s->fault.known)) return;
    keep_told(s->text, SPW_POISON_FINITE, on_device ? SPW_PLAIN : spw_layout_of(s->threads),
              s->threads);
    k->told = on_device;
    k->crashed = true;
    k->fault = s->fault;
    spw_mutants_name(j);
}

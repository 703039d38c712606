#define _GNU_SOURCE
#include "judge/timed.h"

#include "base/memory.h"
#include "base/random.h"
#include "judge/explain.h"
#include "perf/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NAP_NANOSECONDS = 2000000, POKED = 8, CHUNK = 1 << 20 };
static const double MOST_SECONDS = 0.5;  /* of a sample of more calls than one */
static const double OTHERS_SHARE = 0.25; /* of the processor time */
static const double SLACK = 3, WORKS_ON_SECONDS = 0.1, SPIN_SECONDS = 0.01;

/* --- in a runner -------------------------------------------------------------------------------------- */

/* What a sample is; it lies at the same address there. */
static struct {
    int who, calls;
    uint64_t seed;
    spw_teams *teams; /* where the answer's are counted */
} going;

/* Who leaves a call out leaves these. */
static void poke(const spw_trial *t, uint64_t seed) {
    for (int k = 0; k < t->n_arrays; k++)
        for (int p = 0; p < POKED && t->arrays[k].role == SPW_OUTPUT && t->arrays[k].count; p++)
            spw_poison_entry(&t->arrays[k],
                             spw_random_below(seed, (uint64_t)(k * POKED + p), t->arrays[k].count),
                             SPW_POISON_FINITE);
}

static bool may_trade(const spw_array *a) { return (a->fresh || a->trades) && a->count > 1; }

/* Each call of a sample has a few inputs in other places than the others; the same again puts them back. */
static void swap_inputs(const spw_trial *t, uint64_t seed, bool back) {
    for (int k = 0; k < t->n_arrays; k++) {
        double *x = (double *)(void *)t->arrays[k].data;
        for (int p = 0; p < POKED && may_trade(&t->arrays[k]); p++) {
            const uint64_t pair = (uint64_t)(2 * (k * POKED + (back ? POKED - 1 - p : p)));
            const int64_t i = spw_random_below(seed, pair, t->arrays[k].count),
                          j = spw_random_below(seed, pair + 1, t->arrays[k].count);
            const double was = x[i];
            x[i] = x[j];
            x[j] = was;
        }
    }
}

static void go(spw_trial *t, void *ignored) {
    const spw_part *p = t->part;
    const spw_rival *rivals[] = {&p->baseline, &p->stretch, &p->peer};
    const spw_function f = spw_trial_symbol(t, p->function);
    (void)ignored;
    for (int c = 0; c < going.calls; c++) {
        const uint64_t draw = going.seed + (uint64_t)(going.calls - c); /* of the last call: + 1 */
        if (c) poke(t, draw);
        swap_inputs(t, draw, false);
        if (going.who == SPW_ANSWER) spw_teams_count(going.teams);
        if (going.who <= SPW_REFERENCE)
            p->call(t, f);
        else
            spw_trial_rival(t, rivals[going.who - SPW_BASELINE]);
        swap_inputs(t, draw, true);
    }
    spw_teams_count(NULL);
}

/* --- what is wrong --------------------------------------------------------------------------------------- */

static bool is_off(const spw_array *a, const void *x, const void *y, int64_t i) {
    const double got = spw_entry(a, x, i), right = spw_entry(a, y, i);
    const double slack = a->expectation.tolerance ? SLACK * a->expectation.tolerance[i] : 0;
    return !(fabs(got - right) <= slack) && !(isnan(got) && isnan(right));
}

/* The first of the entries that differ; -1: none. */
static int64_t first_off(const spw_array *a, const void *x, const void *y) {
    int64_t first = a->expectation.count;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < a->expectation.count; i++)
        if (is_off(a, x, y, i) && i < first) first = i;
    return first < a->expectation.count ? first : -1;
}

/* Is entry i what it was before the call? */
static bool is_untouched(const spw_array *a, const void *data, int64_t i) {
    return spw_entry(a, data, i) ==
           (a->role == SPW_INOUT ? spw_entry(a, a->pristine, i) : spw_poison_of(a, i));
}

/* Has the answer written to an input? Then its name and the entry. */
static const spw_array *changed_input(spw_timed *r, int64_t *entry) {
    static char there[CHUNK];
    for (int k = 0; k < r->t->n_arrays; k++) {
        const spw_array *a = &r->t->arrays[k];
        const size_t bytes = (size_t)(a->count * a->item);
        for (size_t at = 0; a->role == SPW_INPUT && at < bytes; at += CHUNK) {
            const size_t n = bytes - at < CHUNK ? bytes - at : CHUNK;
            if (!spw_runner_fetch_to(&r->runner[SPW_ANSWER], there, a->data + at, n)) return NULL;
            if (memcmp(there, a->data + at, n) == 0) continue;
            size_t i = 0;
            while (there[i] == a->data[at + i]) i++;
            *entry = (int64_t)(at + i) / a->item;
            return a;
        }
    }
    return NULL;
}

/* Does it work when it is let go, though nobody has called it? OpenMP's threads spin for a while and fall asleep. */
static bool works_uncalled(spw_runner *r) {
    double before, after, first;
    if (!r->pid || !spw_runner_idle(r, SPIN_SECONDS)) return false;
    spw_runner_cpu(r, &before, &first);
    if (!spw_runner_idle(r, WORKS_ON_SECONDS)) return false;
    spw_runner_cpu(r, &after, &first);
    return after - before > 0.05 * WORKS_ON_SECONDS;
}

/* Does what it left change when it is let go, though nobody has called it? */
static bool goes_on(spw_timed *r, int k) {
    const spw_array *a = &r->t->arrays[k];
    const size_t bytes = (size_t)(a->expectation.count * a->item);
    void *now;
    if (!spw_runner_idle(&r->runner[SPW_ANSWER], WORKS_ON_SECONDS) ||
        spw_alloc(&now, a->expectation.count, a->item))
        return false;
    const bool changed = spw_runner_fetch_to(&r->runner[SPW_ANSWER], now, a->data, bytes) &&
                         memcmp(now, r->left[SPW_ANSWER][k], bytes) != 0;
    spw_free(now);
    return changed;
}

static void explain(spw_timed *r, int k, char *text, size_t size) {
    const spw_array *a = &r->t->arrays[k];
    const void *got = r->left[SPW_ANSWER][k], *right = r->left[SPW_REFERENCE][k];
    int64_t entry, untouched = 0, off = 0;
    const int calls = r->calls[SPW_ANSWER] + r->extra;
    if (goes_on(r, k)) {
        snprintf(text, size, "It goes on after it has returned: %s changes when nobody calls it",
                 a->name);
        return;
    }
    const spw_array *input = changed_input(r, &entry);
    if (input) {
        snprintf(text, size, "It wrote to %s[%lld]: an input, it must stay as it is", input->name,
                 (long long)entry);
        return;
    }
    for (int64_t i = 0; i < a->expectation.count; i++) {
        off += is_off(a, got, right, i);
        untouched += is_off(a, got, right, i) && is_untouched(a, got, i);
    }
    const bool remembers = (r->block > 0 && first_off(a, got, r->before[k]) < 0) ||
                           first_off(a, got, a->expectation.expected) < 0;
    if (remembers)
        snprintf(text, size,
                 "These are the values for the inputs of a call before: it keeps them, and does\n"
                 "not compute. Inputs change between calls");
    else if (untouched > 0 && untouched <= (int64_t)POKED * (calls - 1) &&
             untouched < a->expectation.count / 2)
        snprintf(text, size,
                 "%d calls followed each other on the same inputs, and at least one did nothing",
                 calls);
    else if (untouched == a->expectation.count)
        snprintf(text, size, "The timed call left %s as it was: it did nothing", a->name);
    else if (untouched > 0)
        snprintf(text, size,
                 "The timed call left %lld of the %lld entries of %s as they were: it works on "
                 "less",
                 (long long)untouched, (long long)a->expectation.count, a->name);
    else
        snprintf(text, size,
                 "%lld of %lld entries are wrong. Does it keep something from one call to the "
                 "next?\nOr is it a race?",
                 (long long)off, (long long)a->expectation.count);
}

static bool tell(spw_timed *r, const char *text) {
    spw_shared *s = r->j->shared;
    if (s->ending != SPW_FINISHED) return false;
    s->failed = true;
    s->stage = SPW_FAST;
    snprintf(s->text, sizeof s->text, "%s", text);
    return false;
}

static bool compare(spw_timed *r) {
    for (int k = 0; k < r->t->n_arrays; k++) {
        const spw_array *a = &r->t->arrays[k];
        if (!r->left[SPW_ANSWER][k]) continue;
        const void *got = r->left[SPW_ANSWER][k], *right = r->left[SPW_REFERENCE][k];
        const int64_t i = first_off(a, got, right);
        if (i < 0) continue;
        char why[512], text[1024];
        explain(r, k, why, sizeof why);
        snprintf(text, sizeof text,
                 "%s was right when it was checked, and wrong when it was timed:\n"
                 "%s[%lld] is %.10g, expected %.10g.\n%s",
                 r->t->part->function, a->name, (long long)i, spw_entry(a, got, i),
                 spw_entry(a, right, i), why);
        return tell(r, text);
    }
    return true;
}

/* --- samples ---------------------------------------------------------------------------------------------- */

static spw_runner *runner_of(spw_timed *r, int who) {
    return &r->runner[who == SPW_ANSWER ? SPW_ANSWER : SPW_REFERENCE];
}

/* The solution is ours: how it ends is no answer's fault. */
static bool did(spw_timed *r, int who, bool ok) {
    spw_shared *s = r->j->shared;
    if (ok || who == SPW_ANSWER || s->ending == SPW_FINISHED) return ok;
    spw_explain_ending(r->j, s->ending, s->text, sizeof s->text);
    s->judge_failed = true;
    s->ending = SPW_FINISHED;
    return false;
}

/* Outputs as they are before a call; of a rival that is not compared those alone that it reads. */
static bool put_outputs(spw_timed *r, int who) {
    spw_runner *runner = runner_of(r, who);
    bool ok = true;
    if (!runner->pid) spw_trial_prepare(r->t, SPW_POISON_FINITE);
    for (int k = 0; k < r->t->n_arrays && ok; k++) {
        const spw_array *a = &r->t->arrays[k];
        if (a->role == SPW_INOUT || (a->role == SPW_OUTPUT && who <= SPW_REFERENCE))
            ok = spw_runner_put(runner, a->data, (size_t)(a->count * a->item));
    }
    return ok;
}

static bool fetch_outputs(spw_timed *r, int who) {
    bool ok = true;
    for (int k = 0; k < r->t->n_arrays && ok; k++) {
        const spw_array *a = &r->t->arrays[k];
        if (r->left[who][k])
            ok = spw_runner_fetch_to(&r->runner[who], r->left[who][k], a->data,
                                     (size_t)(a->expectation.count * a->item));
    }
    return ok;
}

static bool put_inputs(spw_timed *r, int who) {
    bool ok = true;
    for (int k = 0; k < r->t->n_arrays && ok; k++) {
        const spw_array *a = &r->t->arrays[k];
        if (a->fresh) ok = spw_runner_put(&r->runner[who], a->data, (size_t)(a->count * a->item));
    }
    return did(r, who, ok);
}

/* Other inputs for both. */
static bool begin_block(spw_timed *r, int block) {
    r->block = block;
    r->has[SPW_ANSWER] = r->has[SPW_REFERENCE] = false;
    const int calls = r->calls[SPW_REFERENCE];
    r->extra = calls > 1 ? (int)spw_random_below(r->t->seed, (uint64_t)block, calls / 2 + 1) : 0;
    for (int k = 0; k < r->t->n_arrays; k++) {
        void *last = r->before[k];
        r->before[k] = r->left[SPW_REFERENCE][k];
        r->left[SPW_REFERENCE][k] = last;
    }
    if (!spw_trial_refresh(r->t, (uint64_t)block + 1)) return true;
    return put_inputs(r, SPW_REFERENCE) && put_inputs(r, SPW_ANSWER);
}

/* Seconds of so many calls, as seen from outside; negative: it came to no end. */
static double run(spw_timed *r, int who, int calls) {
    spw_runner *runner = runner_of(r, who);
    double cpu, first, cpu_after, first_after;
    going.who = who;
    going.calls = calls;
    going.seed = r->t->seed + (uint64_t)r->block * 1000;
    going.teams = &r->j->shared->teams;
    const bool ready = put_outputs(r, who) && spw_runner_put(runner, &going, sizeof going);
    /* Threads of the one before fall asleep: what they would still spin is not this one's work. */
    nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
    spw_runner_cpu(runner, &cpu, &first);
    if (!did(r, who, ready && spw_runner_order(runner, go, NULL))) return -1;
    spw_runner_cpu(runner, &cpu_after, &first_after);
    if (who > SPW_REFERENCE) return runner->seconds;
    r->cpu[who] += cpu_after - cpu;
    r->main_cpu[who] += first_after - first;
    r->wall[who] += runner->seconds;
    return did(r, who, fetch_outputs(r, who)) ? runner->seconds : -1;
}

/* The two that are compared make the same number of calls, unless that takes one of them too long. */
static void agree_on_calls(spw_timed *r, const double *seconds) {
    const int most = r->calls[SPW_ANSWER] > r->calls[SPW_REFERENCE] ? r->calls[SPW_ANSWER]
                                                                    : r->calls[SPW_REFERENCE];
    for (int who = SPW_ANSWER; who <= SPW_REFERENCE; who++) {
        const double enough = fmax(1, floor(MOST_SECONDS / seconds[who]));
        r->calls[who] = (int)fmin(most, enough);
    }
}

bool spw_timed_warm_up(spw_timed *r, const bool takes_part[SPW_CONTESTANTS]) {
    double seconds[SPW_CONTESTANTS] = {0};
    /* The reference first: its time puts a slow answer into proportion. */
    for (int k = 0; k < SPW_PROBE; k++) {
        const int who = (k + SPW_REFERENCE) % SPW_PROBE;
        if (!takes_part[who]) continue;
        for (int again = 0; again < 2; again++) {
            const double one =
                again && spw_sample_calls(seconds[who]) == 1 ? seconds[who] : run(r, who, 1);
            if (one < 0) return false;
            seconds[who] = again ? fmin(seconds[who], one) : one;
        }
        r->calls[who] = spw_sample_calls(seconds[who]);
        if (who == SPW_REFERENCE) r->j->shared->reference_time = seconds[who];
    }
    agree_on_calls(r, seconds);
    for (int who = SPW_ANSWER; who <= SPW_REFERENCE; who++)
        r->cpu[who] = r->main_cpu[who] = r->wall[who] = 0;
    return true;
}

/* What is read and written goes on from call to call, so both must have made as many. */
static bool depends_on_calls(const spw_trial *t) {
    for (int k = 0; k < t->n_arrays; k++)
        if (t->arrays[k].role == SPW_INOUT) return true;
    return false;
}

double spw_timed_sample(spw_timed *r, int who, int block) {
    if (block != r->block && !begin_block(r, block)) return -1;
    const int extra = who <= SPW_REFERENCE ? r->extra : 0, calls = r->calls[who] + extra;
    const double seconds = run(r, who, calls);
    if (seconds < 0 || who > SPW_REFERENCE) return seconds < 0 ? -1 : seconds / calls;
    r->has[who] = true;
    if (!r->has[SPW_ANSWER] || !r->has[SPW_REFERENCE]) return seconds / calls;
    if (r->calls[SPW_ANSWER] != r->calls[SPW_REFERENCE] && depends_on_calls(r->t)) {
        const double wall = r->wall[SPW_REFERENCE], cpu = r->cpu[SPW_REFERENCE],
                     first = r->main_cpu[SPW_REFERENCE];
        if (run(r, SPW_REFERENCE, r->calls[SPW_ANSWER] + r->extra) < 0) return -1;
        r->wall[SPW_REFERENCE] = wall;
        r->cpu[SPW_REFERENCE] = cpu;
        r->main_cpu[SPW_REFERENCE] = first;
    }
    return compare(r) ? seconds / calls : -1;
}

/* --- before and after ------------------------------------------------------------------------------------- */

static bool give_room(spw_timed *r) {
    for (int k = 0; k < r->t->n_arrays; k++) {
        const spw_array *a = &r->t->arrays[k];
        if (!a->has_expectation || a->role == SPW_INPUT) continue;
        if (spw_alloc(&r->left[SPW_ANSWER][k], a->expectation.count, a->item) ||
            spw_alloc(&r->left[SPW_REFERENCE][k], a->expectation.count, a->item) ||
            spw_alloc(&r->before[k], a->expectation.count, a->item)) {
            r->j->shared->judge_failed = true;
            snprintf(r->j->shared->text, sizeof r->j->shared->text, "%s", spw_message());
            return false;
        }
    }
    return true;
}

/* One call, its values, and the part's claim, which may know what no expectation says. */
static bool is_right(spw_timed *r) {
    spw_shared *s = r->j->shared;
    spw_trial *t = r->t;
    if (!spw_runner_call(&r->runner[SPW_ANSWER], SPW_POISON_FINITE)) return false;
    bool right = spw_trial_compare(t, SPW_POISON_FINITE, s->text, sizeof s->text);
    if (right && t->part->claim) {
        t->part->claim(t);
        right = !t->failed;
        if (!right) snprintf(s->text, sizeof s->text, "%s", t->failure);
    }
    if (right) return true;
    s->failed = true;
    s->stage = SPW_CORRECT;
    if (!t->failed) spw_ask_for_threads(&r->runner[SPW_ANSWER], SPW_POISON_FINITE, false);
    return false;
}

bool spw_timed_begin(spw_timed *r, spw_judgement *j, spw_trial *t) {
    *r = (spw_timed){.j = j, .t = t, .block = -1};
    spw_trial_prepare(t, SPW_POISON_FINITE);
    bool ok = give_room(r) && did(r, SPW_REFERENCE,
                                  spw_runner_start(&r->runner[SPW_REFERENCE], j, t, &j->reference,
                                                   j->options.reference));
    r->runner[SPW_REFERENCE].limit = INFINITY;
    ok = ok && did(r, SPW_REFERENCE, spw_runner_call(&r->runner[SPW_REFERENCE], SPW_POISON_FINITE));
    j->shared->reference_time = r->runner[SPW_REFERENCE].seconds;
    /* Checked before it is timed: a race often shows at this size only. */
    ok = ok && spw_runner_start(&r->runner[SPW_ANSWER], j, t, &j->answer, j->options.answer) &&
         is_right(r);
    spw_trial_prepare(t, SPW_POISON_FINITE);
    return ok;
}

/* The claim, of what no expectation compares. Where inputs have been drawn anew, blocks were compared. */
static bool is_right_again(spw_timed *r) {
    for (int k = 0; k < r->t->n_arrays; k++)
        if (r->t->arrays[k].fresh) return true;
    return !r->t->part->claim || is_right(r);
}

/* Did several threads work, none of which it has started? */
static bool is_others_work(const spw_timed *r) {
    const double all = r->cpu[SPW_ANSWER], first = r->main_cpu[SPW_ANSWER];
    return r->runner[SPW_ANSWER].pid && r->t->threads > 1 && !r->j->exercise->allowed &&
           r->j->shared->teams.regions == 0 && all - first > OTHERS_SHARE * all &&
           !spw_answer_has_other_threads(r->j->options.answer);
}

bool spw_timed_is_sound(spw_timed *r) {
    int64_t entry;
    char text[256];
    (void)spw_runner_fetch(&r->runner[SPW_ANSWER], &r->j->shared->teams,
                           sizeof r->j->shared->teams);
    /* Threads that OpenMP keeps awake, as it may be told to, are the reference's, too. */
    if (works_uncalled(&r->runner[SPW_ANSWER]) && !works_uncalled(&r->runner[SPW_REFERENCE])) {
        snprintf(text, sizeof text,
                 "%s goes on after it has returned: a thread of it works when nobody calls it",
                 r->t->part->function);
        return tell(r, text);
    }
    if (is_others_work(r)) {
        snprintf(text, sizeof text,
                 "Several threads worked in %s, and it has started none: whose code is it?",
                 r->t->part->function);
        return tell(r, text);
    }
    const spw_array *input = r->runner[SPW_ANSWER].pid ? changed_input(r, &entry) : NULL;
    if (!input) return r->j->shared->ending == SPW_FINISHED && is_right_again(r);
    snprintf(text, sizeof text,
             "%s wrote to %s[%lld] when it was timed: an input, it must stay as it is",
             r->t->part->function, input->name, (long long)entry);
    return tell(r, text);
}

double spw_timed_cpu(const spw_timed *r) {
    double sum = 0, all, first;
    for (int who = SPW_ANSWER; who <= SPW_REFERENCE; who++) {
        spw_runner_cpu(&r->runner[who], &all, &first);
        if (r->runner[who].pid) sum += all;
    }
    return sum;
}

void spw_timed_end(spw_timed *r) {
    for (int who = SPW_ANSWER; who <= SPW_REFERENCE; who++) {
        if (r->runner[who].j) spw_runner_end(&r->runner[who]);
        for (int k = 0; k < SPW_MAX_ARRAYS; k++) spw_free(r->left[who][k]);
    }
    for (int k = 0; k < SPW_MAX_ARRAYS; k++) spw_free(r->before[k]);
}

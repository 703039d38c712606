/* How often a kernel fetches its vectors, and on how many threads. */
#include "kit/one_pass.h"

#include "base/memory.h"
#include "judge/trial.h"
#include "kit/pages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const spw_one_pass_cases[] = {"passes", NULL};

static int64_t length(void) {
    return SPW_PAGES_OF_PASSES * (sysconf(_SC_PAGESIZE) / (int64_t)sizeof(double));
}

/* Nothing is compared. */
static spw_status setup(spw_trial *t, const char *name) {
    const bool checks = t->checks;
    t->checks = false;
    const spw_status status = spw_kit_setup(t, name);
    t->checks = checks;
    return status;
}

spw_status spw_one_pass_setup(spw_trial *t, const char *name) {
    (void)name;
    char size[64];
    snprintf(size, sizeof size, "%s%lld", t->part->kit->arguments[0].format ? "tridiag:" : "",
             (long long)length());
    const spw_status status = setup(t, size);
    spw_trial_say(t, "n = %lld, %d pages a vector", (long long)length(), SPW_PAGES_OF_PASSES);
    return status;
}

static bool is_watched(const spw_trial *t, const spw_argument *a) {
    return !a->format && a->kind != SPW_ARG_VALUE && a->type == SPW_DOUBLE &&
           (int64_t)spw_kit_value(t, a->count) == length();
}

/* Moves the arrays that are watched into the pages of the watch. at: the struct of arguments. */
static void move(const spw_trial *t, char *at, const spw_pages *watch) {
    int k = 0;
    for (const spw_argument *a = t->part->kit->arguments; a->kind; a++) {
        if (!is_watched(t, a)) continue;
        void **place = (void **)(void *)(at + a->at);
        const double *start = spw_kit_start(t, (const double *)*place);
        if (start || a->kind == SPW_ARG_INPUT)
            memcpy(watch->vector[k], start ? start : *place, (size_t)length() * sizeof *start);
        *place = watch->vector[k++];
    }
}

static void tell(spw_trial *t, const spw_pages *watch) {
    char list[160] = "";
    double most = 0;
    int k = 0;
    for (const spw_argument *a = t->part->kit->arguments; a->kind; a++) {
        if (!is_watched(t, a)) continue;
        spw_append(list, sizeof list, "%s%s %.2g", k ? ", " : "", a->name, watch->passes[k]);
        most = fmax(most, watch->passes[k++]);
    }
    if (most < 1.5) return;
    spw_trial_fail(t,
                   "%s gives the right values, but not in one pass. So many times a vector came\n"
                   "from memory in one call: %s.\n%s",
                   t->part->function, list, t->part->kit->one_pass);
}

void spw_one_pass_call(spw_trial *t, spw_function f) {
    const spw_kit *kit = t->part->kit;
    spw_pages watch;
    char *at = NULL;
    int vectors = 0;
    for (const spw_argument *a = kit->arguments; a->kind; a++) vectors += is_watched(t, a);
    spw_status status =
        spw_pages_create(vectors, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch);
    if (!status) status = spw_alloc((void **)&at, (int64_t)kit->size, 1);
    if (status) {
        spw_trial_fail(t, "%s", spw_message());
        spw_pages_destroy(&watch);
        return;
    }
    memcpy(at, spw_kit_arguments(t), kit->size);
    move(t, at, &watch);
    spw_pages_begin(&watch);
    kit->call(at, f);
    spw_pages_end(&watch);
    tell(t, &watch);
    spw_free(at);
    spw_pages_destroy(&watch);
}

/* --- the work of several threads ------------------------------------------------------------------------ */

const char *const spw_shared_cases[] = {"shared", NULL};

spw_status spw_shared_setup(spw_trial *t, const char *name) {
    (void)name;
    char rows[64];
    const long long n = spw_pages_shared(t->threads);
    const char *shared = t->part->kit->shared, *number = strchr(shared, '#');
    snprintf(rows, sizeof rows, "%.*s%lld%s", (int)(number - shared), shared, n, number + 1);
    const spw_status status = setup(t, rows);
    spw_trial_say(t, "n = %lld rows that do not need each other", n);
    return status;
}

typedef struct shared {
    void (*call)(const void *at, spw_function f);
    spw_function f;
    char *at; /* the struct of arguments */
    size_t output;
} shared;

static void call_shared(void *context, double *array) {
    const shared *s = (const shared *)context;
    *(void **)(void *)(s->at + s->output) = array;
    s->call(s->at, s->f);
}

void spw_shared_call(spw_trial *t, spw_function f) {
    const spw_kit *kit = t->part->kit;
    const spw_argument *a = kit->arguments;
    while (a->kind != SPW_ARG_OUTPUT) a++;
    shared s = {kit->call, f, NULL, a->at};
    int only = -1;
    spw_status status = spw_alloc((void **)&s.at, (int64_t)kit->size, 1);
    if (!status) {
        memcpy(s.at, spw_kit_arguments(t), kit->size);
        status = spw_pages_sole_owner(t->threads, call_shared, &s, &only);
    }
    if (status)
        spw_trial_fail(t, "%s", spw_message());
    else if (only >= 0 && t->threads > 1)
        spw_trial_fail(
            t,
            "the values are right, but one thread did all of it: of %d threads thread %d\n"
            "wrote all rows",
            t->threads, only);
    spw_free(s.at);
}

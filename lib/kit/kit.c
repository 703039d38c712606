/* Parts of exercises as declarations. */
#include "kit/kit.h"

#include "base/status.h"
#include "base/memory.h"
#include "judge/explain.h"
#include "judge/trial.h"
#include "kit/cases.h"
#include "kit/systems.h"
#include "perf/terms.h"
#include "perf/working_set.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUANTITIES = 32, MOST_ARGUMENTS = 24 };

typedef struct state {
    jmp_buf *leave; /* during the set-up, else NULL */
    struct {
        char name[24];
        double value;
    } quantity[MOST_QUANTITIES];
    int n_quantities;
    char name[512];      /* of the case, without its parameters */
    const char *units;   /* of the matrix that the answer sees */
    char *host, *device; /* structs of arguments; device is filled before each call */
    /* of each argument that is a matrix: its struct with arrays of the device */
    void *matrix[MOST_ARGUMENTS];
} state;

static state *of(const spw_trial *t) { return (state *)spw_trial_data(t); }

static const spw_kit *kit_of(const spw_trial *t) { return t->part->kit; }

void spw_kit_must(const spw_trial *t, spw_status status) {
    if (!status) return;
    if (of(t)->leave) longjmp(*of(t)->leave, (int)status);
    fprintf(stderr, "a driver leaves its set-up outside of it: %s\n", spw_message());
    abort();
}

void *spw_kit_need(const spw_trial *t, const void *block) {
    if (!block) spw_kit_must(t, SPW_ERR_MEMORY);
    return (void *)block;
}

double *spw_kit_doubles(spw_trial *t, int64_t n) {
    return (double *)spw_kit_need(t, spw_trial_doubles(t, n));
}

spw_idx *spw_kit_indices(spw_trial *t, int64_t n) {
    return (spw_idx *)spw_kit_need(t, spw_trial_memory(t, n, sizeof(spw_idx)));
}

double *spw_kit_copy(spw_trial *t, const double *from, int64_t n) {
    double *room = spw_kit_doubles(t, n);
    if (n > 0) memcpy(room, from, (size_t)n * sizeof *room);
    return room;
}

const void *spw_kit_arguments(const spw_trial *t) { return of(t)->host; }

void spw_kit_first(char *text, size_t size, const char *format, ...) {
    va_list args;
    if (text[0]) return;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
}

const char *spw_kit_case(const spw_trial *t) { return of(t)->name; }

/* --- quantities ------------------------------------------------------------------------------------ */

static int find(const state *s, const char *name, size_t length) {
    for (int k = 0; k < s->n_quantities; k++)
        if (strlen(s->quantity[k].name) == length &&
            strncmp(s->quantity[k].name, name, length) == 0)
            return k;
    return -1;
}

/* A driver that misspells one is a mistake of ours. */
static double known(const void *context, const char *name, size_t length) {
    const state *s = (const state *)context;
    const int k = find(s, name, length);
    if (k >= 0) return s->quantity[k].value;
    fprintf(stderr, "a driver counts in \"%.*s\", which its case does not have\n", (int)length,
            name);
    abort();
}

static spw_quantities quantities(const spw_trial *t) { return (spw_quantities){known, of(t)}; }

double spw_kit_value(const spw_trial *t, const char *terms) {
    return spw_terms_value(&terms, quantities(t));
}

static void keep(spw_trial *t, const char *name, double value) {
    state *s = of(t);
    if (find(s, name, strlen(name)) >= 0) return;
    if (s->n_quantities == MOST_QUANTITIES || strlen(name) >= sizeof s->quantity[0].name) {
        fprintf(stderr, "a driver has no room for the quantity \"%s\"\n", name);
        abort();
    }
    snprintf(s->quantity[s->n_quantities].name, sizeof s->quantity[0].name, "%s", name);
    s->quantity[s->n_quantities++].value = value;
}

/* What has the value of another unit would never be told. */
static void tell(spw_trial *t, const char *name, double value) {
    for (int u = 0; u < t->n_units; u++)
        if (t->unit_values[u] == value) return;
    spw_trial_unit(t, name, value);
}

void spw_kit_quantity(spw_trial *t, const char *name, double value) {
    const bool told = *name != '.';
    keep(t, name + !told, value);
    if (told) tell(t, name, value);
}

/* "nz; nv n_rows" */
static void tell_units(spw_trial *t, const char *units) {
    while (units && *units) {
        units += strspn(units, " ;");
        const char *name = units;
        const double value = spw_terms_value(&units, quantities(t));
        char text[32];
        snprintf(text, sizeof text, "%.*s", (int)(units - name), name);
        tell(t, text, value);
    }
}

/* The numbers behind a name, "@C=32,sigma=256"; *end: where they begin. False: the name has others. */
static bool parameters(spw_trial *t, const char *declared, char *end, bool keeps) {
    char *at = end;
    while (*declared) {
        const char sign = *declared++;
        const size_t length = strcspn(declared, "=");
        char name[24], *next;
        snprintf(name, sizeof name, "%.*s", (int)length, declared);
        double value = strtod(declared + length + 1, &next);
        declared = next;
        if (*at == sign) {
            value = strtod(at + 1, &next);
            if (next == at + 1) return false;
            at = next;
        }
        if (keeps) keep(t, name, value);
    }
    return !*at;
}

static void take_parameters(spw_trial *t) {
    const char *declared = kit_of(t)->parameters;
    char *name = of(t)->name, *end = name + strlen(name),
         *at = declared ? strrchr(name, *declared) : NULL;
    if (!declared) return;
    if (!at || !parameters(t, declared, at, false)) at = end;
    parameters(t, declared, at, true);
    *at = 0;
}

int64_t spw_kit_length(const char *name) {
    const bool memory = strncmp(name, "memory/", 7) == 0;
    const char *digits = memory ? name + 7 : name;
    if (!*digits || digits[strspn(digits, "0123456789")]) return -1;
    const int64_t number = strtoll(digits, NULL, 10);
    return memory ? spw_default_working_set() / number / (int64_t)sizeof(double) : number;
}

static void take_length(spw_trial *t) {
    if (kit_of(t)->prepare) return;
    for (const spw_argument *a = kit_of(t)->arguments; a->kind; a++)
        if (a->format) return;
    const int64_t n = spw_kit_length(of(t)->name);
    if (n >= 0) spw_kit_quantity(t, "n", (double)n);
}

/* --- facts ------------------------------------------------------------------------------------------ */

static int write_size(const spw_trial *t, char *text, size_t room) {
    const double rows = spw_kit_value(t, "n_rows"), nz = spw_kit_value(t, "nz");
    if (nz >= 1e6) return snprintf(text, room, "n = %.2f M, nz = %.1f M", rows * 1e-6, nz * 1e-6);
    return snprintf(text, room, "%.0f x %.0f, nz %.0f", rows, spw_kit_value(t, "n_cols"), nz);
}

static int write_number(double x, int digits, char *text, size_t room) {
    if (fabs(x) >= 1e12 || (x != 0 && fabs(x) < (digits ? 1e-3 : 1)))
        return snprintf(text, room, "%.3g", x);
    if (!digits && fabs(x) >= 1e6) return snprintf(text, room, "%.1f M", x * 1e-6);
    return snprintf(text, room, "%.*f", digits, x);
}

/* "n = {n}, degree {k}" with the quantities of the case. */
static void write_facts(const spw_trial *t, const char *facts, char *text, size_t room) {
    char name[24];
    size_t used = 0;
    text[0] = 0;
    while (*facts && used + 1 < room) {
        int digits = 0, end = 0;
        if (*facts == '{' && (sscanf(facts, "{%23[^}:]:%d}%n", name, &digits, &end) == 2 ||
                              sscanf(facts, "{%23[^}]}%n", name, &end) == 1)) {
            used +=
                (size_t)(strcmp(name, "size") == 0 ? write_size(t, text + used, room - used)
                                                   : write_number(spw_kit_value(t, name), digits,
                                                                  text + used, room - used));
            facts += end;
        } else {
            text[used++] = *facts++;
            text[used] = 0;
        }
    }
}

static void say(spw_trial *t, const char *facts) {
    char text[128];
    write_facts(t, facts, text, sizeof text);
    spw_trial_say(t, "%s", text);
}

/* --- matrices --------------------------------------------------------------------------------------- */

static spw_idx number_at(const void *matrix, size_t at) {
    spw_idx value;
    memcpy(&value, (const char *)matrix + at, sizeof value);
    return value;
}

static void **pointer_at(void *matrix, size_t at) { return (void **)((char *)matrix + at); }

static void give_numbers(spw_trial *t, const spw_kit_format *f, const void *matrix, bool hidden) {
    for (int k = 0; k < 8 && f->number[k].name; k++)
        keep(t, f->number[k].name, number_at(matrix, f->number[k].at));
    if (find(of(t), "n_stored", 8) >= 0) {
        const double stored = spw_kit_value(t, "n_stored");
        keep(t, "beta", stored > 0 ? spw_kit_value(t, "nz") / stored : 1);
    }
    if (hidden) return;
    keep(t, "stored", spw_kit_value(t, find(of(t), "n_stored", 8) >= 0 ? "n_stored" : "nz"));
    for (int k = 0; k < SPW_KIT_ARRAYS && f->array[k].name; k++)
        if (f->array[k].more)
            keep(t, "pointers", number_at(matrix, f->array[k].count) + f->array[k].more);
}

/* What is to be done with the arrays of a matrix; those that are kept lie where they are. */
typedef enum way { GIVEN, KEPT, WRITTEN } way;

/* The pointer of array k of a matrix that is laid out. All blocks of a matrix that is given or kept are taken over. */
static void *lay_out_array(spw_trial *t, const spw_argument *a, int k, void *matrix, way how) {
    const spw_kit_format *f = a->format;
    const int64_t count = (int64_t)number_at(matrix, f->array[k].count) + f->array[k].more;
    const spw_type type = f->array[k].type;
    void *block = *pointer_at(matrix, f->array[k].at);
    char name[32];
    snprintf(name, sizeof name, "%s%s", a->prefix ? a->prefix : "", f->array[k].name);
    if (how == WRITTEN)
        return f->array[k].unread ? NULL : spw_kit_need(t, spw_trial_output(t, name, type, count));
    if (how == GIVEN) {
        void *array = spw_trial_adopt(t, name, type, count, block);
        if (f == &spw_kit_coo) spw_trial_trade(t, array); /* others may be symmetric */
        return array;
    }
    return spw_trial_keep(t, block);
}

/* Returns the struct as the answer or the driver sees it. *matrix is taken over, unless WRITTEN. */
static void *lay_out_matrix(spw_trial *t, const spw_argument *a, void *matrix, way how) {
    const spw_kit_format *f = a->format;
    bool room = true;
    char name[32] = "the matrix struct";
    if (a->prefix)
        snprintf(name, sizeof name, "the struct %.*s", (int)strcspn(a->prefix, "->."), a->prefix);
    for (int k = 0; k < SPW_KIT_ARRAYS && f->array[k].name; k++) {
        void *array = lay_out_array(t, a, k, matrix, how);
        room = room && (array || how == WRITTEN);
        *pointer_at(matrix, f->array[k].at) = array;
    }
    spw_kit_must(t, room ? SPW_OK : SPW_ERR_MEMORY);
    return spw_kit_need(t, how == KEPT ? spw_trial_copy(t, matrix, 1, (int64_t)f->size)
                                       : spw_trial_struct(t, name, matrix, (int64_t)f->size));
}

static void add_matrix(spw_trial *t, const spw_argument *a) {
    state *s = of(t);
    const spw_kit *kit = kit_of(t);
    void **place = pointer_at(s->host, a->at);
    if (a->kind == SPW_ARG_EXPECTED && !t->checks) return;
    char *matrix = (char *)spw_kit_need(t, spw_trial_memory(t, 1, (int64_t)a->format->size));
    s->matrix[a - kit->arguments] = matrix;
    if (a->kind == SPW_ARG_LIKE) { /* the argument before it is what it must become */
        memcpy(matrix, *pointer_at(s->host, a[-1].at), a->format->size);
        *place = lay_out_matrix(t, a, matrix, WRITTEN);
        return;
    }
    if (a->make)
        spw_kit_must(t, a->make(t, s->host, matrix));
    else
        spw_kit_must(
            t, (kit->matrix ? kit->matrix : spw_csr_named)(s->name, t->seed, (spw_csr *)matrix));
    give_numbers(t, a->format, matrix, a->kind != SPW_ARG_MATRIX);
    if (a->kind == SPW_ARG_MATRIX || !s->units) s->units = a->format->units;
    if (a->kind == SPW_ARG_HIDDEN && !t->checks)
        *place = matrix;
    else
        *place = lay_out_matrix(t, a, matrix, a->kind == SPW_ARG_MATRIX ? GIVEN : KEPT);
}

/* Of what is timed only what the answer sees is kept. */
static void forget_matrix(spw_trial *t, const spw_argument *a) {
    void **place = pointer_at(of(t)->host, a->at);
    for (int k = 0; k < SPW_KIT_ARRAYS && a->format->array[k].name; k++)
        spw_free(*pointer_at(*place, a->format->array[k].at));
    *place = NULL;
}

/* --- the set-up ------------------------------------------------------------------------------------- */

static void add_array(spw_trial *t, const spw_argument *a) {
    state *s = of(t);
    void **place = pointer_at(s->host, a->at);
    const int64_t n = (int64_t)spw_kit_value(t, a->count);
    if (a->gaps && spw_kit_value(t, a->gaps) > 0) {
        double *start = spw_kit_doubles(t, n);
        for (int64_t i = 0; i < n; i++) start[i] = spw_poison_double(i);
        *place = spw_trial_inout(t, a->name, SPW_DOUBLE, n, start);
    } else if (a->kind == SPW_ARG_START) {
        void *start = a->type == SPW_DOUBLE
                          ? spw_trial_start(t, n, (int)(a - kit_of(t)->arguments))
                          : spw_trial_memory(t, n,
                                             a->type == SPW_INDEX ? (int64_t)sizeof(spw_idx)
                                                                  : (int64_t)sizeof(float));
        if (a->fill) a->fill(t, s->host, spw_kit_need(t, start), n);
        *place = spw_trial_inout(t, a->name, a->type, n, spw_kit_need(t, start));
    } else if (a->kind == SPW_ARG_INPUT) {
        *place = a->type == SPW_DOUBLE ? (void *)spw_trial_random(t, a->name, n)
                                       : spw_trial_input(t, a->name, a->type, n);
        if (a->fill) a->fill(t, s->host, spw_kit_need(t, *place), n);
        if (a->fill) t->arrays[t->n_arrays - 1].fresh = false;
    } else {
        *place = spw_trial_output(t, a->name, a->type, n);
    }
    spw_kit_need(t, *place);
}

static void add_value(spw_trial *t, const spw_argument *a) {
    const double value = spw_kit_value(t, a->count);
    const int64_t large = (int64_t)value;
    const int32_t small = (int32_t)value;
    char *at = of(t)->host + a->at;
    if (a->type == SPW_DOUBLE)
        memcpy(at, &value, sizeof value);
    else if (a->size == sizeof large)
        memcpy(at, &large, sizeof large);
    else
        memcpy(at, &small, sizeof small);
}

static void set_up(spw_trial *t, const char *name) {
    state *s = of(t);
    const spw_kit *kit = kit_of(t);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->host = (char *)spw_kit_need(t, spw_trial_memory(t, 1, (int64_t)kit->size));
    s->device = (char *)spw_kit_need(t, spw_trial_memory(t, 1, (int64_t)kit->size));
    take_parameters(t);
    take_length(t);
    if (kit->prepare) kit->prepare(t, s->name, s->host);
    for (const spw_argument *a = kit->arguments; a->kind; a++)
        (a->format ? add_matrix : a->kind == SPW_ARG_VALUE ? add_value : add_array)(t, a);
    tell_units(t, kit->units ? kit->units : s->units);
    if (kit->facts || s->units) say(t, kit->facts ? kit->facts : "{size}");
    if (kit->expect && t->checks) kit->expect(t, s->host);
    if (!t->checks)
        for (const spw_argument *a = kit->arguments; a->kind; a++)
            if (a->kind == SPW_ARG_HIDDEN) forget_matrix(t, a);
}

spw_status spw_kit_setup(spw_trial *t, const char *name) {
    jmp_buf leave;
    state *s = (state *)spw_trial_memory(t, 1, sizeof *s);
    if (!s) return SPW_ERR_MEMORY;
    s->leave = &leave;
    const int status = setjmp(leave);
    if (!status) set_up(t, name);
    s->leave = NULL; /* from here on nobody can leave */
    return (spw_status)status;
}

/* --- the call, and the model ------------------------------------------------------------------------ */

const void *spw_kit_called(const spw_trial *t) {
    state *s = of(t);
    if (!t->part->on_device) return s->host;
    memcpy(s->device, s->host, kit_of(t)->size);
    for (const spw_argument *a = kit_of(t)->arguments; a->kind; a++) {
        void **place = pointer_at(s->device, a->at), *matrix = s->matrix[a - kit_of(t)->arguments];
        if (a->kind == SPW_ARG_VALUE) continue;
        if (!a->format) {
            *place = spw_trial_device(t, *place);
        } else if (a->kind == SPW_ARG_MATRIX || a->kind == SPW_ARG_LIKE) {
            memcpy(matrix, *place, a->format->size);
            for (int k = 0; k < SPW_KIT_ARRAYS && a->format->array[k].name; k++) {
                void **array = pointer_at(matrix, a->format->array[k].at);
                *array = spw_trial_device(t, *array);
            }
            *place = matrix;
        }
    }
    return s->device;
}

void spw_kit_call(spw_trial *t, spw_function f) { kit_of(t)->call(spw_kit_called(t), f); }

static spw_cost told(const spw_trial *t, const char *text) {
    return spw_terms_cost(text ? text : "", quantities(t));
}

static double repeats(const spw_trial *t) {
    return kit_of(t)->repeats ? spw_kit_value(t, kit_of(t)->repeats) : 0;
}

/* Of a call, where one step costs so much. */
static spw_cost of_call(const spw_trial *t, spw_cost step) {
    const double r = repeats(t);
    if (!(r > 0)) return step;
    return spw_cost_sum(spw_cost_times(r, step), told(t, kit_of(t)->once));
}

spw_cost spw_kit_cost(const spw_trial *t) { return of_call(t, told(t, kit_of(t)->cost)); }

/* Slip number `which` of both lists; NULL behind the last. */
static const spw_slip *slip(const spw_kit *kit, int which) {
    const spw_slip *lists[] = {kit->slips, kit->more_slips};
    for (int k = 0; k < 2; k++)
        for (const spw_slip *s = lists[k]; s && s->difference; s++)
            if (which-- == 0) return s;
    return NULL;
}

/* Any number, but the same one of the same name. */
static double made_up(const void *context, const char *name, size_t length) {
    (void)context;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return 2 + hash % 1000 / 7.0;
}

const spw_slip *spw_kit_hidden_slip(const spw_kit *kit) {
    const spw_quantities any = {made_up, NULL};
    const spw_slip *s, *before;
    for (int k = 0; (s = slip(kit, k)); k++)
        for (int m = 0; m < k; m++) {
            before = slip(kit, m);
            const bool odd = strchr("=>", *s->difference) || strchr("=>", *before->difference);
            if (odd ? strcmp(s->difference, before->difference) == 0
                    : spw_terms_fit(s->difference, any, spw_terms_cost(before->difference, any),
                                    (spw_cost){0}))
                return s;
        }
    return NULL;
}

static double as_right(const spw_trial *t) {
    return kit_of(t)->as_right ? spw_kit_value(t, kit_of(t)->as_right) : 0;
}

static spw_cost predicted(const spw_trial *t, spw_function model) {
    if (kit_of(t)->predict) return kit_of(t)->predict(of(t)->host, model);
    return ((spw_cost(*)(double, double))model)(spw_kit_value(t, "n"), spw_kit_value(t, "nz"));
}

spw_cost spw_kit_predict(spw_trial *t, spw_function model) {
    const spw_cost truth = told(t, kit_of(t)->cost);
    spw_cost got = predicted(t, model);
    if (fabs(got.load - truth.load - as_right(t)) < 0.5) got.load = truth.load;
    return of_call(t, got);
}

/* --- a case that is larger than any ------------------------------------------------------------------ */

static const struct {
    const char *name;
    spw_idx value;
} large[] = {{"nz", INT32_MAX - 7},   {"n_rows", INT32_MAX - 100},   {"n_cols", INT32_MAX - 1000},
             {"n_stored", INT32_MAX}, {"n_chunks", INT32_MAX - 500}, {"n_slices", INT32_MAX - 500},
             {"n", INT32_MAX - 100},  {"distinct", INT32_MAX - 7}};
enum { LARGE = sizeof large / sizeof *large };

static const spw_idx *large_of(const char *name, size_t length) {
    for (int k = 0; k < LARGE; k++)
        if (strlen(large[k].name) == length && strncmp(large[k].name, name, length) == 0)
            return &large[k].value;
    return NULL;
}

static bool countless; /* a quantity that does not grow was asked for */

static double grown(const void *context, const char *name, size_t length) {
    const spw_trial *t = (const spw_trial *)context;
    const char *fixed = kit_of(t)->parameters;
    bool known_to_grow = large_of(name, length) || strncmp(name, "stored", length) == 0;
    for (; !known_to_grow && fixed && *fixed; fixed += strcspn(fixed, "=") + 1)
        known_to_grow = strncmp(fixed + 1, name, length) == 0 && fixed[length + 1] == '=';
    countless = countless || !known_to_grow;
    return known(of(t), name, length);
}

static void set(state *s, const char *name, double value) {
    const int k = find(s, name, strlen(name));
    if (k >= 0) s->quantity[k].value = value;
}

bool spw_kit_enlarge(spw_trial *t) {
    state *s = of(t);
    const spw_kit *kit = kit_of(t);
    bool grows = !kit->predict;
    countless = false;
    spw_terms_cost(kit->cost, (spw_quantities){grown, t});
    if (kit->once) spw_terms_cost(kit->once, (spw_quantities){grown, t});
    if (countless) return false;
    for (const spw_argument *a = kit->arguments; a && a->kind; a++) {
        if (a->kind != SPW_ARG_MATRIX && a->kind != SPW_ARG_EXPECTED) continue;
        if (!a->format->number[0].name) return false;
        void **place = pointer_at(s->host, a->at);
        char *copy = (char *)spw_trial_memory(t, 1, (int64_t)a->format->size);
        if (!copy) return false;
        memcpy(copy, *place, a->format->size);
        *place = copy;
        for (int k = 0; k < 8 && a->format->number[k].name; k++) {
            const char *name = a->format->number[k].name;
            const spw_idx *value = large_of(name, strlen(name));
            if (value) memcpy(copy + a->format->number[k].at, value, sizeof *value);
        }
        grows = true;
    }
    for (int k = 0; k < LARGE; k++) set(s, large[k].name, large[k].value);
    set(s, "stored", find(s, "n_stored", 8) >= 0 ? INT32_MAX : INT32_MAX - 7);
    return grows;
}

/* The slip that a model of one step is; NULL: none that is known. */
static const spw_slip *slip_of(const spw_trial *t, spw_cost got) {
    const spw_cost truth = told(t, kit_of(t)->cost);
    const spw_slip *s;
    for (int as = 0; as < 2; as++) {
        const spw_cost said = {got.load - as * as_right(t), got.store, got.flop};
        for (int k = 0; (s = slip(kit_of(t), k)); k++)
            if (spw_terms_fit(s->difference, quantities(t), said, truth)) return s;
    }
    return NULL;
}

void spw_kit_explain(const spw_trial *t, spw_cost got, char *text, int size) {
    const double r = repeats(t);
    const spw_cost once = told(t, kit_of(t)->once);
    const spw_slip *s = spw_kit_hidden_slip(kit_of(t));
    const spw_cost truth = told(t, kit_of(t)->cost);
    size_t used = 0;
    if (s) {
        fprintf(stderr, "a driver has two slips \"%s\": nobody will read \"%s\"\n", s->difference,
                s->text);
        abort();
    }
    if (r > 0)
        got = (spw_cost){(got.load - once.load) / r, (got.store - once.store) / r,
                         (got.flop - once.flop) / r};
    s = slip_of(t, got);
    if (kit_of(t)->asked) {
        write_facts(t, kit_of(t)->asked, text, (size_t)size);
        used = strlen(text);
        used += (size_t)snprintf(text + used, (size_t)size - used, s ? ": " : "");
    }
    if (s)
        snprintf(text + used, (size_t)size - used, "%s", s->text);
    else if (!used && got.load == truth.store && got.store == truth.load)
        snprintf(text, (size_t)size, "loads and stores have changed places");
}

#include "kit/kit.h"

#include "kit/cases.h"
#include "kit/device_systems.h"
#include "kit/models.h"
#include "kit/systems.h"
#include "judge/trial.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUANTITIES = 16 };

typedef struct state {
    jmp_buf *leave;
    struct {
        char name[16];
        double value;
    } quantity[MOST_QUANTITIES];
    int n_quantities;
    char *host, *device; /* structs of arguments; device is filled before each call */
    spw_csr matrix;      /* with arrays of the device */
} state;

static state *of(const spw_trial *t)
{
    return (state *)spw_trial_data(t);
}

static void *need(spw_trial *t, const void *block)
{
    if (!block) longjmp(*of(t)->leave, 1);
    return (void *)block;
}

void *spw_kit_need(const spw_trial *t, const void *block)
{
    return need((spw_trial *)(uintptr_t)t, block);
}

void spw_kit_must(const spw_trial *t, spw_status status)
{
    if (status) longjmp(*of(t)->leave, 1);
}

double *spw_kit_doubles(spw_trial *t, int64_t n)
{
    return (double *)need(t, spw_trial_doubles(t, n));
}

void spw_kit_quantity(spw_trial *t, const char *name, double value)
{
    state *s = of(t);
    if (s->n_quantities == MOST_QUANTITIES) return;
    const bool told = *name != '.';
    snprintf(s->quantity[s->n_quantities].name, sizeof s->quantity[0].name, "%s", name + !told);
    s->quantity[s->n_quantities++].value = value;
    if (told) spw_trial_unit(t, name, value);
}

/* The quantity whose name stands at *text, which moves behind it. A driver that misspells it is a bug of ours. */
static double quantity_at(const spw_trial *t, const char **text)
{
    const state *s = of(t);
    const size_t length = strcspn(*text, " ;");
    for (int k = 0; k < s->n_quantities; k++)
        if (strlen(s->quantity[k].name) == length &&
            strncmp(s->quantity[k].name, *text, length) == 0) {
            *text += length;
            return s->quantity[k].value;
        }
    fprintf(stderr, "a driver counts in \"%.*s\", which its case does not have\n", (int)length,
            *text);
    abort();
}

double spw_kit_value(const spw_trial *t, const char *name)
{
    return isdigit((unsigned char)*name) ? strtod(name, NULL) : quantity_at(t, &name);
}

/* "load 12 nz + 4; flop 2 nz" */
static spw_cost cost_of(const spw_trial *t, const char *text)
{
    spw_cost cost = {0};
    double *sum = NULL, sign = 1;
    while (*text) {
        if (*text == ' ' || *text == ';') {
            text++;
        } else if (strncmp(text, "load ", 5) == 0) {
            sum = &cost.load, sign = 1, text += 5;
        } else if (strncmp(text, "store ", 6) == 0) {
            sum = &cost.store, sign = 1, text += 6;
        } else if (strncmp(text, "flop ", 5) == 0) {
            sum = &cost.flop, sign = 1, text += 5;
        } else if (*text == '+' || *text == '-') {
            sign = *text++ == '-' ? -1 : 1;
        } else {
            char *end;
            double term = strtod(text, &end);
            if (end == text) term = 1;
            text = end + (*end == ' ');
            if (isalpha((unsigned char)*text)) term *= quantity_at(t, &text);
            if (sum) *sum += sign * term;
        }
    }
    return cost;
}

static void lay_out(spw_trial *t, const spw_argument *a, const char *name)
{
    state *s = of(t);
    void **place = (void **)(s->host + a->at);
    if (a->kind == SPW_ARG_CSR) {
        const spw_kit *kit = t->part->kit;
        spw_csr A;
        if ((kit->matrix ? kit->matrix : spw_csr_named)(name, t->seed, &A)) longjmp(*s->leave, 1);
        if (A.nnz < 1000000)
            spw_trial_say(t, "%d x %d, nz %d", A.n_rows, A.n_cols, A.nnz);
        else
            spw_trial_say(t, "n = %.2f M, nz = %.1f M", A.n_rows * 1e-6, A.nnz * 1e-6);
        spw_kit_quantity(t, "nz", A.nnz);
        spw_kit_quantity(t, "n_rows", A.n_rows);
        spw_kit_quantity(t, A.n_cols == A.n_rows ? ".n_cols" : "n_cols", A.n_cols);
        spw_trial_unit(t, "(n_rows + 1)", A.n_rows + 1.0);
        *place = (void *)need(t, spw_trial_csr(t, &A));
        return;
    }
    const int64_t n = (int64_t)spw_kit_value(t, a->count);
    switch (a->kind) {
    case SPW_ARG_RANDOM: *place = spw_trial_random(t, a->name, n); break;
    case SPW_ARG_START:
        *place =
            spw_trial_inout(t, a->name, SPW_DOUBLE, n,
                            need(t, spw_trial_start(t, n, (int)(a - t->part->kit->arguments))));
        break;
    default: *place = spw_trial_output(t, a->name, SPW_DOUBLE, n);
    }
    need(t, *place);
}

spw_status spw_kit_setup(spw_trial *t, const char *name)
{
    const spw_kit *kit = t->part->kit;
    jmp_buf leave;
    state *s = (state *)spw_trial_memory(t, 1, sizeof *s);
    if (!s) return SPW_ERR_MEMORY;
    s->leave = &leave;
    if (setjmp(leave)) return SPW_ERR_MEMORY;
    s->host = (char *)need(t, spw_trial_memory(t, 1, (int64_t)kit->size));
    s->device = (char *)need(t, spw_trial_memory(t, 1, (int64_t)kit->size));
    if (kit->prepare) kit->prepare(t, name, s->host);
    for (const spw_argument *a = kit->arguments; a->kind; a++) lay_out(t, a, name);
    if (kit->expect && t->checks) kit->expect(t, s->host);
    return SPW_OK;
}

const void *spw_kit_arguments(const spw_trial *t)
{
    return of(t)->host;
}

const void *spw_kit_called(const spw_trial *t)
{
    state *s = of(t);
    if (!t->part->on_device) return s->host;
    memcpy(s->device, s->host, t->part->kit->size);
    for (const spw_argument *a = t->part->kit->arguments; a->kind; a++) {
        void **place = (void **)(s->device + a->at);
        if (a->kind == SPW_ARG_CSR) {
            s->matrix = spw_device_csr(t, (const spw_csr *)*place);
            *place = &s->matrix;
        } else {
            *place = spw_trial_device(t, *place);
        }
    }
    return s->device;
}

void spw_kit_call(spw_trial *t, spw_function f)
{
    t->part->kit->call(spw_kit_called(t), f);
}

spw_cost spw_kit_cost(const spw_trial *t)
{
    return cost_of(t, t->part->kit->cost);
}

spw_cost spw_kit_predict(spw_trial *t, spw_function model)
{
    return t->part->kit->predict(of(t)->host, model);
}

void spw_kit_explain(const spw_trial *t, spw_cost got, char *text, int size)
{
    const spw_cost truth = spw_kit_cost(t);
    for (const spw_slip *s = t->part->kit->slips; s && s->difference; s++) {
        const spw_cost d = cost_of(t, s->difference);
        const spw_known_cost known = {d.load, d.store, d.flop, s->text};
        if (spw_known_cost_tell(&known, 1, got, truth, 0.5, text, size)) return;
    }
    spw_swapped_cost_tell(got, truth, text, size);
}

void spw_kit_expect(spw_trial *t, const double *array, const double *values,
                    const double *tolerance)
{
    const state *s = of(t);
    for (const spw_argument *a = t->part->kit->arguments; a->kind; a++)
        if (*(double **)(s->host + a->at) == array)
            spw_trial_expect(t, array,
                             (spw_expectation){.expected = values,
                                               .tolerance = tolerance,
                                               .count = (int64_t)spw_kit_value(t, a->count),
                                               .noun = a->noun,
                                               .describe = a->describe});
}

void spw_kit_expect_number(spw_trial *t, const double *number, double value, double tolerance)
{
    double *room = spw_kit_doubles(t, 2);
    room[0] = value;
    room[1] = tolerance;
    spw_kit_expect(t, number, room, room + 1);
}

const double *spw_kit_start(const spw_trial *t, const double *array)
{
    for (int k = 0; k < t->n_arrays; k++)
        if ((const double *)t->arrays[k].data == array)
            return (const double *)t->arrays[k].pristine;
    return NULL;
}

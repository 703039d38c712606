/* kit/kit.h -- a part of an exercise as a declaration: arguments, cases, cost, texts. Drivers of CPU and GPU
 * parts share all of it; what differs is how the learner's function is called.
 *
 *     typedef struct operands { const spw_csr *A; const double *x; double *y; } operands;
 *     static const spw_argument arguments[] = {
 *         SPW_CSR(operands, A), SPW_RANDOM(operands, x, "n_cols"), SPW_OUTPUT(operands, y, "n_rows"), {0}};
 *     static void call(const void *at, spw_function f) { const operands *o = at; ((spmv_fn)f)(o->A, o->x, o->y); }
 *     static const spw_kit spmv = {arguments, sizeof(operands), .call = call, .expect = expect,
 *         .cost = "load 12 nz + 4 n_rows + 4 + 8 n_cols; store 8 n_rows; flop 2 nz"};
 *     static const spw_part parts[] = {{.function = "spmv_csr", .cases = cases, SPW_KIT(&spmv)}};
 *
 * In a part on the device `at` holds the device's pointers, and A is a struct of the host with arrays of the device.
 * Nothing of a driver can run out of memory: the kit leaves the set-up with the message. */
#ifndef SPW_KIT_KIT_H
#define SPW_KIT_KIT_H

#include "judge/exercise.h"

#include <stddef.h>

typedef enum spw_argument_kind {
    SPW_ARG_NONE, /* ends the list */
    SPW_ARG_CSR,  /* of the case's name; gives the quantities nz, n_rows, n_cols */
    SPW_ARG_RANDOM,
    SPW_ARG_OUTPUT,
    SPW_ARG_START,  /* read and written; random numbers from 0.5 to 1.5 before */
    SPW_ARG_NUMBER, /* a number that the function returns: the call stores it */
    SPW_ARG_ROOM    /* written, of no interest */
} spw_argument_kind;

typedef struct spw_argument {
    spw_argument_kind kind;
    const char *name;
    const char *count; /* "n_cols": a quantity of the case */
    size_t at;         /* where in the driver's struct the pointer is kept */
    const char *noun;  /* of an expectation */
    void (*describe)(const spw_trial *t, int64_t i, char *text, int size);
} spw_argument;

#define SPW_ARGUMENT(KIND, struct_, member, count_, ...)                                           \
    {                                                                                              \
        .kind = KIND, .name = #member, .count = count_, .at = offsetof(struct_, member),           \
        __VA_ARGS__                                                                                \
    }
#define SPW_CSR(s, m)                SPW_ARGUMENT(SPW_ARG_CSR, s, m, NULL)
#define SPW_RANDOM(s, m, count)      SPW_ARGUMENT(SPW_ARG_RANDOM, s, m, count)
#define SPW_OUTPUT(s, m, count, ...) SPW_ARGUMENT(SPW_ARG_OUTPUT, s, m, count, __VA_ARGS__)
#define SPW_START(s, m, count)       SPW_ARGUMENT(SPW_ARG_START, s, m, count)
#define SPW_NUMBER(s, m, name_)                                                                    \
    {                                                                                              \
        .kind = SPW_ARG_NUMBER, .name = name_, .count = "1", .at = offsetof(s, m), .noun = ""      \
    }
#define SPW_ROOM(s, m, count) SPW_ARGUMENT(SPW_ARG_ROOM, s, m, count)

/* A cost is a text of terms, a number and a quantity each: "load 12 nz + 8 n_cols; store 8 n_rows; flop 2 nz".
 * A slip is the difference of a wrong model, in the same words, and the sentence on what it comes from. */
typedef struct spw_slip {
    const char *difference; /* NULL ends the list */
    const char *text;
} spw_slip;

typedef struct spw_kit {
    const spw_argument *arguments;
    size_t size; /* of the driver's struct */
    /* NULL, or makes another matrix of the name than spw_csr_named */
    spw_status (*matrix)(const char *name, uint64_t seed, spw_csr *A);
    /* NULL, or fills scalars of the struct and states quantities, before arguments are laid out */
    void (*prepare)(spw_trial *t, const char *name, void *at);
    void (*call)(const void *at, spw_function f);
    void (*expect)(spw_trial *t, const void *at); /* NULL: nothing is compared */
    spw_cost (*predict)(const void *at, spw_function model);
    const char *cost;
    const spw_slip *slips;
} spw_kit;

/* For the declaration of a part. */
#define SPW_KIT(k)                                                                                 \
    .kit = (k), .setup = spw_kit_setup, .call = spw_kit_call, .cost = spw_kit_cost,                \
    .predict = spw_kit_predict, .explain_model = spw_kit_explain

/* The struct of arguments, and as a call gets it: of a part on the device with the device's pointers. */
const void *spw_kit_arguments(const spw_trial *t);
const void *spw_kit_called(const spw_trial *t);

/* A quantity that counts and costs are made of; told as a unit of a wrong model, unless the name begins with '.'. */
void spw_kit_quantity(spw_trial *t, const char *name, double value);
double spw_kit_value(const spw_trial *t, const char *name);

/* Leaves the set-up, with the library's message, unless SPW_OK, or if NULL. */
void spw_kit_must(const spw_trial *t, spw_status status);
void *spw_kit_need(const spw_trial *t, const void *block);

/* Zeroed room for n doubles, never NULL. */
double *spw_kit_doubles(spw_trial *t, int64_t n);

/* What an argument SPW_START holds before the call. */
const double *spw_kit_start(const spw_trial *t, const double *array);

/* What an output must hold, all of it, each entry give or take its tolerance. Both are kept. */
void spw_kit_expect(spw_trial *t, const double *array, const double *values,
                    const double *tolerance);
void spw_kit_expect_number(spw_trial *t, const double *number, double value, double tolerance);

spw_status spw_kit_setup(spw_trial *t, const char *name);
void spw_kit_call(spw_trial *t, spw_function f);
spw_cost spw_kit_cost(const spw_trial *t);
spw_cost spw_kit_predict(spw_trial *t, spw_function model);
void spw_kit_explain(const spw_trial *t, spw_cost got, char *text, int size);

#endif

/* kit/kit.h -- a part of an exercise as a declaration: arguments, cases, cost, texts. Drivers of CPU and GPU
 * parts share all of it; what differs is how the learner's function is called.
 *
 *     typedef struct operands { const spw_csr *A; const double *x; double *y; } operands;
 *     static const spw_argument arguments[] = {
 *         SPW_CSR(operands, A), SPW_RANDOM(operands, x, "n_cols"), SPW_OUTPUT(operands, y, "n_rows"), {0}};
 *     SPW_CALL(call, spmv_csr, const operands *o, o->A, o->x, o->y)
 *     static const spw_kit spmv = SPW_KIT_OF(arguments, operands, call, expect,
 *         .cost = "load 12 nz + 4 (n_rows + 1) + 8 n_cols; store 8 n_rows; flop 2 nz");
 *     static const spw_part parts[] = {SPW_PART("spmv_csr", cases, spmv, .speed = "stencil27:120")};
 *
 * In a part on the device `at` holds the device's pointers, and A is a struct of the host with arrays of the device.
 * Nothing of a driver can run out of memory: the kit leaves the set-up with the message. */
#pragma once

#include "base/extern_c.h"
#include "judge/exercise.h"

#include <stddef.h>

SPW_C_BEGIN

/* --- arguments ------------------------------------------------------------------------------------- */

/* How a matrix lies in memory: its struct, its arrays, its numbers. A matrix of the case gives its numbers as
 * quantities: nz, n_rows, n_cols, and n_stored, beta, n_chunks, n_slices where the format has them. The first one
 * of the list of arguments gives a quantity, those after it only what is not there yet. What the answer sees gives
 * `stored`, n_stored or nz, and `pointers`, n_rows + 1 or n_chunks + 1, besides. */
enum { SPW_KIT_ARRAYS = 7 };
typedef struct spw_kit_format {
    size_t size;
    struct {
        const char *name;
        spw_type type;
        size_t at, count; /* of the pointer, and of the spw_idx that says how many there are */
        int more;         /* than that number */
        bool unread;      /* no kernel needs it: SPW_LIKE leaves it NULL */
    } array[SPW_KIT_ARRAYS];
    struct {
        const char *name;
        size_t at;
    } number[8];
    const char *units; /* of spw_kit.units, where that is NULL */
} spw_kit_format;
extern const spw_kit_format spw_kit_csr, spw_kit_coo, spw_kit_ell, spw_kit_sell, spw_kit_sellp;

typedef enum spw_argument_kind {
    SPW_ARG_NONE, /* ends the list */
    /* matrices: a pointer to the struct; of the case's name, or what `make` gives */
    SPW_ARG_MATRIX, /* read by the answer */
    SPW_ARG_HIDDEN, /* not seen by the answer: what another is made of, or compared with; gone when it is timed */
    SPW_ARG_EXPECTED, /* the same, made only while the answer is checked; else NULL */
    SPW_ARG_LIKE, /* room for a matrix: its arrays are outputs, as large as those of the one before */
    /* arrays */
    SPW_ARG_INPUT, /* random numbers, or what `fill` makes of them */
    SPW_ARG_OUTPUT,
    SPW_ARG_START, /* read and written; random numbers from 0.5 to 1.5 before, or what `fill` makes of them */
    SPW_ARG_NUMBER, /* a number that the function returns: the call stores it */
    SPW_ARG_ROOM,   /* written, of no interest */
    /* a member that is what terms of quantities come to, when its turn comes */
    SPW_ARG_VALUE
} spw_argument_kind;

typedef struct spw_argument {
    spw_argument_kind kind;
    const char *name;
    const char *count; /* "n_cols", "n_rows + 1", "nv n_rows": quantities of the case */
    size_t at;         /* where in the driver's struct the pointer is kept */
    spw_type type;
    size_t size; /* of a value: a double, an int or an int64_t */
    const spw_kit_format *format;
    const char *
        gaps; /* of an output: above 0, its rows lie apart, and what is between them stays; or NULL */
    const char *prefix; /* of the names of a matrix' arrays, "S->"; or NULL */
    /* NULL, or makes the matrix: *matrix is overwritten and taken over. `at`: what was laid out before */
    spw_status (*make)(spw_trial *t, const void *at, void *matrix);
    /* NULL, or changes n entries of the array; indices and floats are 0 before */
    void (*fill)(spw_trial *t, const void *at, void *array, int64_t n);
    const char *noun; /* of an expectation */
    void (*describe)(const spw_trial *t, int64_t i, char *text, int size);
} spw_argument;

/* For `make`: the first matrix in CSR of the list, in another format; C and sigma, b and t are parameters. */
spw_status spw_kit_to_ell(spw_trial *t, const void *at, void *E);
spw_status spw_kit_to_sell(spw_trial *t, const void *at, void *S);
spw_status spw_kit_to_sellp(spw_trial *t, const void *at, void *P);

/* The matrix in CSR that was laid out first. */
const spw_csr *spw_kit_first_csr(const spw_trial *t, const void *at);

/* For `make`: the matrix of the case, of spw_system_load (kit/systems.h); gives the quantity n. */
spw_status spw_kit_system(spw_trial *t, const void *at, void *A);

/* Of doubles, indices or floats, as the member has them. */
#define SPW_TYPE_OF(pointer)                                                                       \
    _Generic((pointer), const spw_idx *                                                            \
             : SPW_INDEX, spw_idx *                                                                \
             : SPW_INDEX, const float *                                                            \
             : SPW_FLOAT, float *                                                                  \
             : SPW_FLOAT, default                                                                  \
             : SPW_DOUBLE)
#define SPW_NAMED(KIND, s, m, count_, name_, ...)                                                  \
    {                                                                                              \
        .kind = KIND, .name = name_, .count = count_, .at = offsetof(s, m),                        \
        .type = SPW_TYPE_OF(((s *)0)->m), __VA_ARGS__                                              \
    }
#define SPW_ARGUMENT(KIND, s, m, count_, ...) SPW_NAMED(KIND, s, m, count_, #m, __VA_ARGS__)
#define SPW_CSR(s, m)                         SPW_MATRIX(s, m, &spw_kit_csr, NULL, )
#define SPW_RANDOM(s, m, count, ...)          SPW_ARGUMENT(SPW_ARG_INPUT, s, m, count, __VA_ARGS__)
#define SPW_FILLED(s, m, count, ...)          SPW_ARGUMENT(SPW_ARG_INPUT, s, m, count, __VA_ARGS__)
#define SPW_OUTPUT(s, m, count, ...)          SPW_ARGUMENT(SPW_ARG_OUTPUT, s, m, count, __VA_ARGS__)
#define SPW_START(s, m, count, ...)           SPW_ARGUMENT(SPW_ARG_START, s, m, count, __VA_ARGS__)
#define SPW_ROOM(s, m, count, ...)            SPW_ARGUMENT(SPW_ARG_ROOM, s, m, count, __VA_ARGS__)
#define SPW_VALUE(s, m, terms)                                                                     \
    {                                                                                              \
        .kind = SPW_ARG_VALUE, .count = terms, .at = offsetof(s, m), .size = sizeof(((s *)0)->m),  \
        .type = _Generic(((s *)0)->m, double                                                       \
                         : SPW_DOUBLE, default                                                     \
                         : SPW_INDEX)                                                              \
    }
/* Several members, all of so many entries: SPW_EACH(SPW_RANDOM, vectors, "n", p, q, r) */
#define SPW_EACH_1(KIND, s, count, m) KIND(s, m, count, )
#define SPW_EACH_2(KIND, s, count, m, ...)                                                         \
    KIND(s, m, count, ), SPW_EACH_1(KIND, s, count, __VA_ARGS__)
#define SPW_EACH_3(KIND, s, count, m, ...)                                                         \
    KIND(s, m, count, ), SPW_EACH_2(KIND, s, count, __VA_ARGS__)
#define SPW_EACH_4(KIND, s, count, m, ...)                                                         \
    KIND(s, m, count, ), SPW_EACH_3(KIND, s, count, __VA_ARGS__)
#define SPW_EACH_5(KIND, s, count, m, ...)                                                         \
    KIND(s, m, count, ), SPW_EACH_4(KIND, s, count, __VA_ARGS__)
#define SPW_EACH_OF(a, b, c, d, e, N, ...) SPW_EACH_##N
#define SPW_EACH(KIND, s, count, ...)                                                              \
    SPW_EACH_OF(__VA_ARGS__, 5, 4, 3, 2, 1, )(KIND, s, count, __VA_ARGS__)
/* Values that are called as their members. */
#define SPW_VALUE_OF(s, m, count, ...) SPW_VALUE(s, m, #m)
#define SPW_VALUES(s, ...)             SPW_EACH(SPW_VALUE_OF, s, , __VA_ARGS__)
/* The same under the names that the learner knows. */
#define SPW_INPUT_AS(name_, s, m, count_, ...)                                                     \
    SPW_NAMED(SPW_ARG_INPUT, s, m, count_, name_, __VA_ARGS__)
#define SPW_OUTPUT_AS(name_, s, m, count_, ...)                                                    \
    SPW_NAMED(SPW_ARG_OUTPUT, s, m, count_, name_, __VA_ARGS__)
#define SPW_START_AS(name_, s, m, count_, ...)                                                     \
    SPW_NAMED(SPW_ARG_START, s, m, count_, name_, __VA_ARGS__)
/* Vectors of a solver's room, of which the driver's struct has one: SPW_EACH(SPW_ROOM_OF, solving, "n", p, q, r) */
#define SPW_ROOM_OF(s, m, count_, ...)   SPW_ROOM_AS(#m, s, room.m, count_)
#define SPW_ROOM_AS(name_, s, m, count_) SPW_NAMED(SPW_ARG_ROOM, s, m, count_, name_, )
#define SPW_NUMBER(s, m, name_, ...)                                                               \
    SPW_NAMED(SPW_ARG_NUMBER, s, m, "1", name_, .noun = "", __VA_ARGS__)
#define SPW_MATRIX(s, m, format_, make_, ...)                                                      \
    SPW_ARGUMENT(SPW_ARG_MATRIX, s, m, NULL, .format = format_, .make = make_, __VA_ARGS__)
#define SPW_HIDDEN(s, m, format_, make_)                                                           \
    SPW_ARGUMENT(SPW_ARG_HIDDEN, s, m, NULL, .format = format_, .make = make_)
#define SPW_EXPECTED(s, m, format_, make_)                                                         \
    SPW_ARGUMENT(SPW_ARG_EXPECTED, s, m, NULL, .format = format_, .make = make_)
#define SPW_LIKE(s, m, format_, prefix_)                                                           \
    SPW_ARGUMENT(SPW_ARG_LIKE, s, m, NULL, .format = format_, .prefix = prefix_)

/* --- a part ---------------------------------------------------------------------------------------- */

/* A cost is a text of terms, numbers and quantities: "load 12 nz + 4 (n_rows + 1); store 8 nv n_rows; flop 2 nz".
 * Side by side is a product, / divides. A slip is a wrong model and the sentence on what it comes from, either
 *     "load -4 nz"            its difference from the truth, in all three
 *     "= load 16 m n k"       what it says of those that are named, wrongly, whatever it says of the others
 *     "> flop 0"              the same: more than that
 * and the first one that fits is told. */
typedef struct spw_slip {
    const char *difference; /* NULL ends the list */
    const char *text;
} spw_slip;

typedef struct spw_kit {
    const spw_argument *arguments;
    size_t size; /* of the driver's struct */
    /* NULL, or makes another matrix of the name than spw_csr_named */
    spw_status (*matrix)(const char *name, uint64_t seed, spw_csr *A);
    /* NULL, or numbers that may stand behind the name of a case, and what they are where they do not: of
     * "@C=32,sigma=256" the case "prime@8,64" is the matrix "prime" with C 8 and sigma 64. They are quantities; signs
     * that part them may be any, each one once; the first does not stand in the name. A name of digits alone, of a part
     * without a matrix and without `prepare`, is the quantity n. */
    const char *parameters;
    /* NULL, or fills scalars of the struct and states quantities, before arguments are laid out */
    void (*prepare)(spw_trial *t, const char *name, void *at);
    /* Facts of the case for the report; NULL: "{size}", if there is a matrix. {size} is "5 x 4, nz 6" or "n = 1.73 M,
     * nz = 45.9 M", {b} the quantity b, "40.0 M" from a million on, {beta:3}
     * with so many digits behind the point; 1e+60 and 1e-60 are written so */
    const char *facts;
    /* NULL, or what a wrong model may be off by, beside what is told: "nv n_rows; (n_rows + 1)" */
    const char *units;
    void (*call)(const void *at, spw_function f);
    void (*expect)(spw_trial *t, const void *at); /* NULL: nothing is compared */
    /* NULL: the model is one of the quantities n and nz, spw_cost model(double n, double nz) */
    spw_cost (*predict)(const void *at, spw_function model);
    const char *cost;
    /* NULL, or a difference of the loads that is as right as none: "4", for who counts n_rows of the n_rows + 1
     * entries of row_ptr */
    const char *as_right;
    /* NULL, or what a model of several parts was asked for, said first of a wrong one: "kind IC0, k = {k}" */
    const char *asked;
    /* NULL, or how often a call does what `cost` and the learner's model are of, the steps of a solver; `once`: what
     * it does besides, or NULL. 0: the cost is told of one step alone */
    const char *repeats;
    const char *once;
    const spw_slip *slips, *more_slips; /* more: those that several parts have in common, or NULL */
    const char
        *one_pass;      /* of a part of kit/one_pass.h: what to do where there are several passes */
    const char *shared; /* of another: its case */
    const struct spw_krylov_method *krylov; /* of a solver of kit/krylov.h */
    const struct spw_table *table;          /* of a model of kit/table.h */
} spw_kit;

/* Functions of a kit that do no more than hand members of the struct over; `at` becomes what the third says:
 *     SPW_CALL(call, spmv_csr, const operands *o, o->A, o->x, o->y)       of the answer, as its header declares it
 *     SPW_RESULT(call_dot, dot, const vectors *v, *v->sum, v->n, v->x)    the same, and stores what it returns
 *     SPW_PREDICT(predict, spmv_csr_cost, const operands *o, o->A)        of its model
 *     SPW_RIVAL(library, const operands *o, spw_spmv_csr_omp(o->A, o->x, o->y))   what is timed beside it */
#define SPW_CALL(name, function, struct_, ...)                                                     \
    static inline void name(const void *at, spw_function f) {                                      \
        struct_ = at;                                                                              \
        SPW_AS(function, f)(__VA_ARGS__);                                                          \
    }
#define SPW_RESULT(name, function, struct_, result, ...)                                           \
    static inline void name(const void *at, spw_function f) {                                      \
        struct_ = at;                                                                              \
        result = SPW_AS(function, f)(__VA_ARGS__);                                                 \
    }
#define SPW_PREDICT(name, function, struct_, ...)                                                  \
    static inline spw_cost name(const void *at, spw_function f) {                                  \
        struct_ = at;                                                                              \
        return SPW_AS(function, f)(__VA_ARGS__);                                                   \
    }
/* What an output must hold, each of its n entries to so much of the largest: as statements put it into `right`.
 *     SPW_NEAR(expect, const problem *p, p->x, p->n, 1e-12, solve_plainly(p->N, p->b, right)) */
#define SPW_NEAR(name, struct_, array_, n_, share_, ...)                                           \
    static void name(spw_trial *t, const void *at) {                                               \
        struct_ = at;                                                                              \
        double *right = spw_kit_doubles(t, n_);                                                    \
        __VA_ARGS__;                                                                               \
        spw_kit_expect_near(t, array_, n_, right, share_);                                         \
    }
#define SPW_RIVAL(name, struct_, ...)                                                              \
    static inline void name(spw_trial *t) {                                                        \
        struct_ = spw_kit_called(t);                                                               \
        __VA_ARGS__;                                                                               \
    }

/* For the declaration of a part; and with a call of the driver's own, which may go on to spw_kit_call. */
#define SPW_KIT(k) SPW_KIT_CALLED(k, spw_kit_call)
#define SPW_KIT_CALLED(k, call_)                                                                   \
    .kit = (k), .setup = spw_kit_setup, .call = call_, .cost = spw_kit_cost,                       \
    .predict = spw_kit_predict, .enlarge = spw_kit_enlarge, .explain_model = spw_kit_explain

/* SPW_PART("update", lengths, update_kit, .speed = "memory", .target = 0.8); the same on the device; and a kit whose
 * first members stand together: SPW_KIT_OF(arguments, vectors, call, expect, .facts = "n = {n}") */
#define SPW_PART(function_, cases_, kit_, ...)                                                     \
    { .function = function_, .cases = cases_, SPW_KIT(&kit_), __VA_ARGS__ }
#define SPW_PART_CALLED(function_, cases_, kit_, call_, ...)                                       \
    { .function = function_, .cases = cases_, SPW_KIT_CALLED(&kit_, call_), __VA_ARGS__ }
#define SPW_DEVICE_PART(function_, cases_, kit_, bounds_, ...)                                     \
    SPW_PART(function_, cases_, kit_, .on_device = true, .asynchronous = true, .bounds = bounds_,  \
             __VA_ARGS__)
#define SPW_KIT_WITH(arguments_, struct_, ...)                                                     \
    { arguments_, sizeof(struct_), __VA_ARGS__ }
#define SPW_KIT_OF(arguments_, struct_, call_, expect_, ...)                                       \
    SPW_KIT_WITH(arguments_, struct_, .call = call_, .expect = expect_, __VA_ARGS__)

spw_status spw_kit_setup(spw_trial *t, const char *name);
void spw_kit_call(spw_trial *t, spw_function f);
spw_cost spw_kit_cost(const spw_trial *t);
spw_cost spw_kit_predict(spw_trial *t, spw_function model);
/* Some 2^31 rows, columns, entries, chunks and slices, in the numbers of matrices that the answer sees, which keep their
 * arrays, and in those of a model of n and nz. Not where the cost counts in something else than these and parameters
 * of the case: what a driver counts itself would not grow with them. */
bool spw_kit_enlarge(spw_trial *t);
void spw_kit_explain(const spw_trial *t, spw_cost got, char *text, int size);

/* The first slip that can never be told, as one before it is the same difference whatever the quantities are; NULL:
 * there is none. Where there is one, spw_kit_explain aborts: make test asks it of each judge (--declaration). */
const spw_slip *spw_kit_hidden_slip(const spw_kit *kit);

/* --- for the functions of a driver: none of them fails --------------------------------------------- */

/* The struct of arguments, and as a call gets it: of a part on the device with the device's pointers. */
const void *spw_kit_arguments(const spw_trial *t);
/* The same of a driver whose struct is `problem`: of(t)->n, after SPW_ARGUMENTS_OF(of, problem) */
#define SPW_ARGUMENTS_OF(name, struct_)                                                            \
    static const struct_ *name(const spw_trial *t) { return spw_kit_arguments(t); }
const void *spw_kit_called(const spw_trial *t);

/* printf into `text`, which has room for `size`, unless something is there: of what went wrong the first is told. */
void spw_kit_first(char *text, size_t size, const char *format, ...) SPW_PRINTF(3, 4);

/* The name of the case without its parameters. */
const char *spw_kit_case(const spw_trial *t);

/* Leaves the set-up, with the library's message, unless SPW_OK, or if NULL. */
void spw_kit_must(const spw_trial *t, spw_status status);
void *spw_kit_need(const spw_trial *t, const void *block);

/* A quantity that counts and costs are made of; told as a unit of a wrong model, unless the name begins with '.' or
 * another has the same value. And what terms of quantities come to: "n_rows + 1". Where a name is misspelt, the driver
 * aborts. */
void spw_kit_quantity(spw_trial *t, const char *name, double value);
double spw_kit_value(const spw_trial *t, const char *terms);

/* Of vectors: "1009" long, or "memory/3", as long as three have to be to lie in memory (perf/working_set.h); else
 * -1. A kit of vectors alone takes its n from such a name. */
int64_t spw_kit_length(const char *name);

/* Zeroed room for n of them, never NULL, kept as long as the trial. */
double *spw_kit_doubles(spw_trial *t, int64_t n);
spw_idx *spw_kit_indices(spw_trial *t, int64_t n);
double *spw_kit_copy(spw_trial *t, const double *from, int64_t n); /* room that holds these */

/* What an argument SPW_START holds before the call. */
const double *spw_kit_start(const spw_trial *t, const double *array);

/* What an output must hold, each entry give or take its tolerance; NULL: exactly. Both are kept. Of the first count
 * entries; of all; and of an array of SPW_LIKE, which has nobody else to describe its entries. */
void spw_kit_expect_first(spw_trial *t, const void *array, int64_t count, const void *values,
                          const double *tolerance);
void spw_kit_expect(spw_trial *t, const void *array, const void *values, const double *tolerance);
void spw_kit_expect_described(spw_trial *t, const void *array, const void *values,
                              void (*describe)(const spw_trial *t, int64_t i, char *text,
                                               int size));
void spw_kit_expect_number(spw_trial *t, const double *number, double value, double tolerance);
void spw_kit_expect_index(spw_trial *t, const spw_idx *number, spw_idx value);
void spw_kit_index_mistake(spw_trial *t, const spw_idx *number, spw_idx value, const char *text);

/* array must be values, each give or take slack and so much of itself; the first n of them so much of the largest. */
void spw_kit_expect_within(spw_trial *t, const double *array, const double *values, double slack,
                           double relative);
void spw_kit_expect_near(spw_trial *t, const double *array, int64_t n, const double *values,
                         double share);

/* y must be A x. What it must be; kept. */
const double *spw_kit_expect_product(spw_trial *t, const double *y, const spw_csr *A,
                                     const double *x);

/* Row-major Y must be A X in its first nv columns, and as it was in the others; rows of ldx and ldy numbers. */
void spw_kit_expect_block(spw_trial *t, const double *Y, int64_t ldy, const spw_csr *A,
                          const double *X, int64_t ldx, int64_t nv);

/* array must be a[0] x + a[1] y + a[2] z in the first of the rows, the others are mistakes: y and z may be NULL.
 * Mistakes are stated up to SPW_KIT_LARGE entries, each takes as much memory as the array. Returns what it must be. */
typedef struct spw_combination {
    double a[3];
    const char *text; /* NULL in the first */
} spw_combination;
enum { SPW_KIT_LARGE = 1000000 };
const double *spw_kit_expect_combination(spw_trial *t, const double *array, int64_t n,
                                         const double *const x[3], const spw_combination *rows,
                                         int count);

/* number must be the sum of n products x[i] y[i], or of x[i] where y is NULL; or it is after a mistake. */
void spw_kit_expect_sum(spw_trial *t, const double *number, int64_t n, const double *x,
                        const double *y);
void spw_kit_sum_mistake(spw_trial *t, const double *number, int64_t n, const double *x,
                         const double *y, const char *text);

SPW_C_END

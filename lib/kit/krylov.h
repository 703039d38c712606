/* kit/krylov.h -- what exercises about Krylov solvers have in common: their systems, the right steps beside the
 * answer's, and the reasons why an answer stopped too early or too late, or claims a residual that is not there.
 *
 * A driver declares the method once, in plain serial loops, and its systems:
 *     static const spw_krylov_case cases[] = {{"one-step", "tridiag:3", 0, SPW_B_FIRST, SPW_X_0, 0, 1}, ..., {0}};
 *     static const spw_krylov_method method = {.cases = cases, .stops = stops, .vectors = 3, .begin = begin, .step = step, ...};
 * Its struct of arguments begins with a spw_krylov, which the set-up fills:
 *     typedef struct solving { spw_krylov k; cg_room room; } solving;
 *     SPW_KRYLOV_CALL(call, cg, const solving *s, &s->room)
 *     static const spw_kit solver = SPW_KRYLOV_KIT(arguments, solving, call, method, .cost = "load 12 nz + 68 n; ...");
 *     static const spw_part parts[] = {{.function = "cg", .claim = spw_krylov_claim, SPW_KIT(&solver), ...}};
 * The solver stops as soon as ||r|| <= tolerance ||b||, before the first step too, after `most` steps, or where the
 * method breaks down. Where the tolerance is 0, x is compared after those steps. */
#pragma once

#include "base/extern_c.h"
#include "kit/kit.h"
#include "kit/systems.h"

SPW_C_BEGIN

/* How a solver of an exercise stops: its own enum begins with these two, breakdowns follow. */
enum { SPW_KRYLOV_CONVERGED, SPW_KRYLOV_ITERATIONS, SPW_KRYLOV_BREAKDOWN };

enum { SPW_KRYLOV_HISTORY = 250, SPW_KRYLOV_NORMS = 4 };

/* Norms of a step: these two, and what else a wrong test may look at; of CG ||z|| and the root of |r.z|. */
enum { SPW_NORM_R, SPW_NORM_LARGEST, SPW_NORM_Z, SPW_NORM_R_Z };

typedef struct spw_krylov_case {
    const char *name, *matrix;
    double shift; /* of the diagonal: the system is A - shift I */
    spw_rhs b;
    spw_guess x;
    double tolerance;
    int most;
    int kind; /* of the driver's own: which preconditioner */
} spw_krylov_case;

typedef struct spw_krylov {
    const struct spw_krylov_method *method;
    const spw_krylov_case *system; /* NULL: the one that is timed, with random b and x = 0 */
    const spw_csr *A;
    const double *b, *start; /* [n]; x is `start` on entry */
    double *x;
    double tolerance, norm_b;
    int64_t n;
    int most;
    double *got; /* [3] what the answer returned: stop, iterations, residual */

    /* what is right */
    int stop, iterations, n_history;
    double *right; /* [n] the last iterate */
    /* the norms before the first step, and after each step, also after those that were enough */
    double norm[SPW_KRYLOV_NORMS][SPW_KRYLOV_HISTORY + 1];
} spw_krylov;

/* Another test than ||r|| <= tolerance ||b||: the steps after which norm <= limit, or norm^2 <= limit. */
typedef enum spw_krylov_limit {
    SPW_LIMIT_TOLERANCE,
    SPW_LIMIT_B,        /* tolerance * ||b|| */
    SPW_LIMIT_B_B,      /* tolerance * b.b */
    SPW_LIMIT_FIRST,    /* tolerance * the norm before the first step */
    SPW_LIMIT_LARGEST_B /* tolerance * the largest |b[i]| */
} spw_krylov_limit;

typedef struct spw_krylov_test {
    int norm;
    bool squared;
    spw_krylov_limit limit;
    const char *text; /* NULL ends a list */
} spw_krylov_test;

typedef struct spw_krylov_method {
    const spw_krylov_case *cases; /* a name NULL ends the list */
    /* NULL, or makes another matrix than spw_system_load. Errors as there */
    spw_status (*matrix)(const char *name, uint64_t seed, spw_csr *A);
    int timed_steps;      /* of the case that is timed */
    double first;         /* of SPW_B_FIRST: what stands in the first row; 0: 1 */
    const char *timed_by; /* behind its facts, ", jacobi"; NULL: nothing */
    double digits;        /* x is compared to so many, times the largest |x[i]|; as 1e-10 */

    /* The method in plain serial loops. state: of the driver, zero before begin. begin puts the start's norms into
     * norm, a step those after it; with `work` room for vectors * n. A step returns what stopped it, or
     * SPW_KRYLOV_ITERATIONS: nothing did. It has converged within the step if a norm of its own is at most `enough`. */
    int vectors;
    size_t state_size;
    void (*begin)(const spw_krylov *k, double *x, double *work, void *state, double *norm);
    int (*step)(const spw_krylov *k, double enough, void *state, double *norm);
    /* NULL, or z = M^-1 r, of CG's steps */
    void (*precondition)(const spw_krylov *k, const double *r, double *z);

    /* texts */
    const char *const *stops; /* names of the enum's values; NULL at the end */
    const char *const
        *breakdowns;         /* by stop, from SPW_KRYLOV_BREAKDOWN on: one that was not noticed */
    const char *false_alarm; /* a breakdown was returned where there is none */
    const char *divided;     /* x or the residual is not a number */
    const char *too_many;    /* it converges, after more steps than are needed */
    const char *which_test;  /* it stops elsewhere, and nobody knows why */
    const char *drifted;     /* the residual is not that of x */
    const spw_krylov_test *tests; /* of the driver's own, asked first; or NULL */
    int blur;                     /* steps that another order of summation takes more or less */
    /* NULL, or what the residual is that was returned; NULL where it is none of the driver's */
    const char *(*residual_is)(const spw_krylov *k, double said, double truth);
} spw_krylov_method;

/* A kit of them; a call of the answer, with what it takes behind the first five arguments. */
#define SPW_KRYLOV_KIT(arguments_, struct_, call_, method_, ...)                                   \
    SPW_KIT_OF(arguments_, struct_, call_, spw_krylov_expect, .prepare = spw_krylov_set_up,        \
               .krylov = &method_, .repeats = "steps", __VA_ARGS__)
#define SPW_KRYLOV_CALL(name, function, struct_, ...)                                              \
    static void name(const void *at, spw_function f) {                                             \
        struct_ = at;                                                                              \
        const spw_krylov *k = at;                                                                  \
        const __typeof__(SPW_AS(function, f)(k->A, k->b, k->x, 0, 0, __VA_ARGS__)) got =           \
            SPW_AS(function, f)(k->A, k->b, k->x, k->tolerance, k->most, __VA_ARGS__);             \
        spw_krylov_returned(k, (int)got.stop, got.iterations, got.residual);                       \
    }

/* Lays out the case of a name, of the method's or a matrix that is timed, in *k; gives the quantities n and nz, and
 * steps: of a call that is timed, else 0. */
void spw_krylov_prepare(spw_trial *t, const char *name, const spw_krylov_method *method,
                        spw_krylov *k);
void spw_krylov_set_up(spw_trial *t, const char *name,
                       void *at); /* the same, of the kit's method */

/* The names of the cases, and NULL behind them: names has room for as many as the list has lines. */
void spw_krylov_names(const spw_krylov_case *cases, const char **names);
#define SPW_KRYLOV_NAMES(names_, cases_)                                                           \
    static const char *names_[sizeof(cases_) / sizeof(cases_)[0]]

/* The main of a driver of one solver. */
#define SPW_KRYLOV_DRIVER(parts_, cases_, names_)                                                  \
    int main(int argc, char **argv) {                                                              \
        spw_krylov_names(cases_, names_);                                                          \
        const spw_exercise e = {.parts = parts_, .n_parts = sizeof(parts_) / sizeof(parts_)[0]};   \
        return spw_judge(&e, argc, argv);                                                          \
    }

/* Of a call: what the answer returned. */
void spw_krylov_returned(const spw_krylov *k, int stop, int iterations, double residual);

/* Takes the right steps, and states what x must be where their number is fixed. */
void spw_krylov_expect(spw_trial *t, const void *at);

/* Are x and the residual numbers, did it stop where it should, and is the residual that of x? */
void spw_krylov_claim(spw_trial *t);

/* --- conjugate gradients --------------------------------------------------------------------------------- */

typedef struct spw_cg_vectors {
    double *x, *r, *p, *q, *z, rho; /* z is r where there is no preconditioner; rho = r.z */
} spw_cg_vectors;

/* q = A p; x += alpha p; r -= alpha q. False: p.q is not above 0, and nothing has changed but q. */
bool spw_cg_move(const spw_csr *A, const spw_cg_vectors *v);

/* z is new: rho, beta, p = z + beta p. */
void spw_cg_turn(int64_t n, spw_cg_vectors *v);

/* The method: its first breakdown is that p.q is not above 0, its second, with a preconditioner, that r.z is not. */
void spw_krylov_cg_begin(const spw_krylov *k, double *x, double *work, void *state, double *norm);
int spw_krylov_cg_step(const spw_krylov *k, double enough, void *state, double *norm);
#define SPW_KRYLOV_CG                                                                              \
    .vectors = 4, .state_size = sizeof(spw_cg_vectors), .begin = spw_krylov_cg_begin,              \
    .step = spw_krylov_cg_step,                                                                    \
    .which_test = "Is the test ||r|| <= tolerance * ||b||, before each step?",                     \
    .drifted = "r is not b - A x any more: does it change with x, by alpha q? Or this is another " \
               "number"
#define SPW_CG_NOT_SPD                                                                             \
    "A is not positive definite: p.q is 0 or below, or not a number, and alpha would be\n"         \
    "infinite, not a number, or point uphill"

/* What is timed beside a solver of CG: as many steps by the library's kernels, a call a line, or merged. inverse: of the
 * diagonal, for Jacobi's preconditioner; NULL: none. p, q, r, z: room, z with inverse alone. */
void spw_krylov_cg(const spw_krylov *k, const double *inverse, bool merged, double *p, double *q,
                   double *r, double *z);

SPW_C_END

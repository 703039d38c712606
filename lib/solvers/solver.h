/* solvers/solver.h -- what every solver of A x = b takes and gives: options, why it stopped, and where
 * the time went.
 *
 *     spw_solve_result result;
 *     if (spw_cg(&op, b, x, NULL, &result)) ...           an error: a bad argument, no memory
 *     puts(result.text);                                  "converged in 61 iterations"
 *     spw_solve_result_destroy(&result);
 *
 * That a method does not converge is a result, not an error: result.stop says what happened and
 * result.text says it with its numbers. x is then the last iterate.
 *
 * Residuals are relative: ||r|| / ||b||, Euclidean norms. Solvers carry r along by a recurrence, which
 * rounding makes drift from b - A x; so that one is computed anew at the end and reported beside it. If it is
 * then ten times above the tolerance, the method begins anew from x, as long as that halves b - A x each time.
 * Source: A. Greenbaum, SIAM J. Matrix Anal. Appl. 18(3), 535-551, 1997, doi:10.1137/S0895479895284944. */
#pragma once

#include "base/extern_c.h"
#include "base/status.h"
#include "perf/cost.h"

#include <stdint.h>

SPW_C_BEGIN

typedef enum spw_stop {
    SPW_STOP_CONVERGED = 0,
    SPW_STOP_ITERATIONS,  /* the largest number of them was reached */
    SPW_STOP_STAGNATED,   /* no new smallest residual for very long */
    SPW_STOP_ROUNDING,    /* the recurrence is below the tolerance, b - A x stays ten times above */
    SPW_STOP_NOT_SPD,     /* p . A p <= 0: A is not positive definite */
    SPW_STOP_PRECOND_SPD, /* r . M^-1 r <= 0: the preconditioner is not */
    SPW_STOP_BREAKDOWN_RHO,   /* BiCGStab: r^ . r = 0, the shadow residual says nothing any more */
    SPW_STOP_BREAKDOWN_ALPHA, /* BiCGStab: r^ . A p = 0, there is no step length */
    SPW_STOP_BREAKDOWN_OMEGA, /* BiCGStab: t . s = 0, the stabilising step is empty */
    SPW_STOP_NOT_FINITE,      /* a NaN, an infinity or an underflow */
    SPW_STOP_CANCELLED        /* progress said so */
} spw_stop;

/* All zero means all defaults; NULL, too. */
typedef struct spw_solve_options {
    double tolerance;   /* converged where ||r|| <= tolerance ||b||; 0: 1e-8. Not negative */
    int max_iterations; /* 0: 10 n, but at least 1000 and at most 100000 */
    int stagnation; /* iterations without a new smallest residual after which to stop; 0: 5000 */
    int plain;      /* 1: one BLAS-1 call for each operation, to compare; 0: merged kernels */
    /* Called before each iteration. Anything but 0 stops. May be NULL. */
    int (*progress)(void *context, int iteration, double residual, double seconds);
    void *progress_context;
} spw_solve_options;

/* One kernel, or one line of the method. */
typedef struct spw_kernel_use {
    const char *name;      /* "q = A p, p.q" */
    int64_t calls;         /* in all */
    double seconds;        /* in all */
    spw_cost cost;         /* of one call */
    double write_allocate; /* bytes of one call that stores may fetch besides */
} spw_kernel_use;

enum { SPW_KERNELS_MAX = 16, SPW_STOP_TEXT = 200 };

typedef struct spw_solve_result {
    spw_stop stop;
    char text[SPW_STOP_TEXT]; /* one sentence with its numbers */
    int iterations;           /* steps taken */
    int restarts; /* times that the method began anew: b - A x had drifted off; BiCGStab: c . r said nothing */
    double residual;      /* of the recurrence */
    double true_residual; /* ||b - A x|| / ||b||, computed at the end; NaN if that is not finite */
    double seconds;       /* from call to return */
    int n_history;        /* iterations + 1, or 0 if there was nothing to do */
    double *history;      /* [n_history]  the recurrence's residual before each iteration */
    int64_t history_room; /* doubles that there is room for */
    int n_kernels;        /* those that were called */
    spw_kernel_use kernels[SPW_KERNELS_MAX];
} spw_solve_result;

/* Frees the history and sets *result to zero. Takes NULL and a zero struct. */
void spw_solve_result_destroy(spw_solve_result *result);

/* The whole call: calls times cost, summed over the kernels. */
spw_cost spw_solve_cost(const spw_solve_result *result);
double spw_solve_write_allocate(const spw_solve_result *result); /* bytes */

SPW_C_END

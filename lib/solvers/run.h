/* solvers/run.h -- the bookkeeping that all solvers share. Internal.
 *
 *     spw_run_begin     checks the arguments, makes room
 *     spw_run_norm      ||b||, and the two ends that need no iteration
 *     spw_run_before    before each iteration: history, convergence, stagnation, progress
 *     spw_run_time      ends the time of one kernel and begins that of the next
 *     spw_run_stop      says why
 *     spw_run_end       the true residual and the times
 * A solver that has stopped has run->stopped set; what happens then is result->stop's business. */
#pragma once

#include "solvers/operator.h"
#include "solvers/solver.h"

#include <stdbool.h>

typedef struct spw_run {
    const spw_operator *A;
    const double *b;
    double *x;
    spw_solve_options options; /* with the defaults filled in */
    spw_solve_result *result;
    double norm_b;
    double best;    /* smallest residual so far */
    int best_at;    /* its iteration */
    double drifted; /* b - A x when the method began anew, relative */
    double known;   /* r . r of b - A x for the x that is there now; NaN: not computed */
    bool stopped;
    double begin, mark; /* seconds of spw_now */
} spw_run;

/* A cost of n elements: loads and stores in doubles an element, flops an element. */
spw_cost spw_cost_of(int64_t n, double loads, double stores, double flops);

/* *result is zero on failure.
 *   SPW_ERR_ARG     a size that does not fit, or an option out of its range; M may be NULL
 *   SPW_ERR_MEMORY  no room for the history */
spw_status spw_run_begin(spw_run *run, const spw_operator *A, const spw_operator *M,
                         const double *b, double *x, const spw_solve_options *options,
                         spw_solve_result *result);

/* Names kernel `slot`, 0 .. SPW_KERNELS_MAX-1. */
void spw_run_kernel(spw_run *run, int slot, const char *name, spw_cost cost, double write_allocate);

/* Names the slot of all that is done once, at the beginning and the end: b - A x. */
void spw_run_residual_kernel(spw_run *run, int slot);

/* The time since the last mark is one call of kernel `slot`. */
void spw_run_time(spw_run *run, int slot);

/* The time since the last mark is the slot's, too, but not a call: what is too little to be modelled. */
void spw_run_also(spw_run *run, int slot);

/* Sets norm_b. Stops where b is zero (x becomes zero) or not finite. */
void spw_run_norm(spw_run *run, int slot);

/* r = b - A x; returns r . r. */
double spw_run_residual(spw_run *run, int slot, double *r);

/* To be called with r . r before iteration `result->iterations`. False: stopped. */
spw_status spw_run_before(spw_run *run, double r_r);

/* Where the recurrence says that it converged, and b - A x is ten times above the tolerance: r is that, *r_r
 * its square, and the method may begin anew from x. False where there is no need, or where doing so has not
 * halved b - A x since the last time. */
bool spw_run_again(spw_run *run, int slot, double *r, double *r_r);

void spw_run_stop(spw_run *run, spw_stop stop, const char *format, ...) SPW_PRINTF(3, 4);

/* Is the value finite? If not, stops: "p.Ap is nan in iteration 7". */
bool spw_run_finite(spw_run *run, const char *name, double value);

/* r: room for n elements, overwritten. */
void spw_run_end(spw_run *run, int slot, double *r);

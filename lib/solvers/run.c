#include "solvers/run.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "perf/timer.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 1024, LEAST_ITERATIONS = 1000, MOST_ITERATIONS = 100000, PATIENCE = 5000 };
static const double TOLERANCE = 1e-8, DRIFT = 10;

/* --- the result ---------------------------------------------------------------------------------------- */

void spw_solve_result_destroy(spw_solve_result *result) {
    if (!result) return;
    spw_free(result->history);
    *result = (spw_solve_result){0};
}

spw_cost spw_solve_cost(const spw_solve_result *result) {
    spw_cost sum = {0, 0, 0};
    for (int k = 0; k < result->n_kernels; k++) {
        const spw_kernel_use *use = &result->kernels[k];
        sum = spw_cost_sum(sum, spw_cost_times((double)use->calls, use->cost));
    }
    return sum;
}

double spw_solve_write_allocate(const spw_solve_result *result) {
    double sum = 0;
    for (int k = 0; k < result->n_kernels; k++)
        sum += (double)result->kernels[k].calls * result->kernels[k].write_allocate;
    return sum;
}

spw_cost spw_cost_of(int64_t n, double loads, double stores, double flops) {
    const double rows = (double)n;
    return (spw_cost){8 * loads * rows, 8 * stores * rows, flops * rows};
}

/* --- begin --------------------------------------------------------------------------------------------- */

static spw_status check(const spw_operator *A, const spw_operator *M, const spw_solve_options *o) {
    if (M && M->n != A->n)
        return spw_error(SPW_ERR_ARG,
                         "the preconditioner %s has %" PRId64 " rows, the matrix %" PRId64, M->name,
                         M->n, A->n);
    if (!o) return SPW_OK;
    if (!(o->tolerance >= 0))
        return spw_error(SPW_ERR_ARG, "the tolerance is %g, must be 0 (1e-8) or more",
                         o->tolerance);
    if (o->max_iterations < 0 || o->stagnation < 0)
        return spw_error(SPW_ERR_ARG,
                         "max_iterations is %d and stagnation %d: neither may be negative",
                         o->max_iterations, o->stagnation);
    return SPW_OK;
}

static spw_solve_options with_defaults(const spw_solve_options *given, int64_t n) {
    spw_solve_options o = given ? *given : (spw_solve_options){0};
    if (o.tolerance == 0) o.tolerance = TOLERANCE;
    if (o.stagnation == 0) o.stagnation = PATIENCE;
    if (o.max_iterations == 0) {
        const int64_t many = n < MOST_ITERATIONS ? 10 * n : MOST_ITERATIONS;
        o.max_iterations = (int)(many < LEAST_ITERATIONS  ? LEAST_ITERATIONS
                                 : many > MOST_ITERATIONS ? MOST_ITERATIONS
                                                          : many);
    }
    return o;
}

spw_status spw_run_begin(spw_run *run, const spw_operator *A, const spw_operator *M,
                         const double *b, double *x, const spw_solve_options *options,
                         spw_solve_result *result) {
    *result = (spw_solve_result){0};
    spw_status status = check(A, M, options);
    if (status) return status;
    double n = (double)A->n;
    spw_operator_sum(A, 1, &n);
    assert(A->n == 0 || (b && x));
    *run = (spw_run){.A = A,
                     .b = b,
                     .x = x,
                     .options = with_defaults(options, (int64_t)n),
                     .result = result,
                     .best = INFINITY,
                     .drifted = INFINITY,
                     .known = NAN,
                     .begin = spw_now()};
    run->mark = run->begin;
    status = SPW_ALLOC(&result->history, FIRST_ROOM);
    if (!status) result->history_room = FIRST_ROOM;
    return status;
}

/* --- kernels --------------------------------------------------------------------------------------------- */

void spw_run_kernel(spw_run *run, int slot, const char *name, spw_cost cost,
                    double write_allocate) {
    assert(slot >= 0 && slot < SPW_KERNELS_MAX);
    run->result->kernels[slot] =
        (spw_kernel_use){.name = name, .cost = cost, .write_allocate = write_allocate};
    if (slot >= run->result->n_kernels) run->result->n_kernels = slot + 1;
}

void spw_run_residual_kernel(spw_run *run, int slot) {
    const spw_operator *A = run->A;
    spw_run_kernel(run, slot, "b - A x, at both ends",
                   spw_cost_sum(A->cost, spw_cost_of(A->n, 3, 1, 4)), A->write_allocate);
}

void spw_run_time(spw_run *run, int slot) {
    spw_run_also(run, slot);
    run->result->kernels[slot].calls++;
}

void spw_run_also(spw_run *run, int slot) {
    const double now = spw_now();
    run->result->kernels[slot].seconds += now - run->mark;
    run->mark = now;
}

double spw_run_residual(spw_run *run, int slot, double *r) {
    const int64_t n = run->A->n;
    spw_operator_apply(run->A, run->x, r);
    spw_axpby_omp(n, 1, run->b, -1, r);
    double r_r = spw_dot_omp_prefetch(n, r, r);
    spw_operator_sum(run->A, 1, &r_r);
    spw_run_time(run, slot);
    return r_r;
}

/* --- ends -------------------------------------------------------------------------------------------------- */

void spw_run_stop(spw_run *run, spw_stop stop, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(run->result->text, sizeof run->result->text, format, args);
    va_end(args);
    run->result->stop = stop;
    run->stopped = true;
}

bool spw_run_finite(spw_run *run, const char *name, double value) {
    if (isfinite(value)) return true;
    spw_run_stop(run, SPW_STOP_NOT_FINITE, "not finite: %s is %g in iteration %d", name, value,
                 run->result->iterations);
    return false;
}

void spw_run_norm(spw_run *run, int slot) {
    const int64_t n = run->A->n;
    double b_b = spw_dot_omp_prefetch(n, run->b, run->b);
    spw_operator_sum(run->A, 1, &b_b);
    spw_run_also(run, slot);
    run->norm_b = sqrt(b_b);
    if (!isfinite(b_b)) {
        spw_run_stop(run, SPW_STOP_NOT_FINITE,
                     "not finite: b.b is %g; b has a NaN or an infinity, or its square overflows",
                     b_b);
        return;
    }
    if (b_b >= DBL_MIN) return;
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(run->b[i]));
    spw_operator_sum(run->A, 1, &largest);
    if (largest > 0) {
        spw_run_stop(run, SPW_STOP_NOT_FINITE,
                     "b is too small: its entries are up to %g, whose square underflows; scale it",
                     largest);
        return;
    }
    for (int64_t i = 0; i < n; i++) run->x[i] = 0;
    spw_run_stop(run, SPW_STOP_CONVERGED, "b is zero, and so is x");
}

static spw_status keep(const spw_operator *A, spw_solve_result *result, double residual) {
    if (result->n_history == result->history_room) {
        double *longer;
        const spw_status status =
            spw_operator_agree(A, SPW_ALLOC(&longer, 2 * result->history_room));
        if (status) {
            spw_free(longer);
            return status;
        }
        memcpy(longer, result->history, (size_t)result->n_history * sizeof *longer);
        spw_free(result->history);
        result->history = longer;
        result->history_room *= 2;
    }
    result->history[result->n_history++] = residual;
    return SPW_OK;
}

spw_status spw_run_before(spw_run *run, double r_r) {
    spw_solve_result *result = run->result;
    const spw_solve_options *o = &run->options;
    const int iteration = result->iterations;
    const double residual = sqrt(r_r) / run->norm_b;
    const spw_status status = keep(run->A, result, residual);
    if (status) return status;
    result->residual = residual;
    if (residual < run->best) {
        run->best = residual;
        run->best_at = iteration;
    }
    if (!spw_run_finite(run, "r.r", r_r)) return SPW_OK;
    if (residual <= o->tolerance)
        spw_run_stop(run, SPW_STOP_CONVERGED,
                     result->restarts ? "converged in %d iteration%s, begun anew %d time%s"
                                      : "converged in %d iteration%s",
                     iteration, iteration == 1 ? "" : "s", result->restarts,
                     result->restarts == 1 ? "" : "s");
    else if (iteration >= o->max_iterations)
        spw_run_stop(run, SPW_STOP_ITERATIONS,
                     "did not converge: residual %.1e after %d iterations, the most allowed",
                     residual, iteration);
    else if (iteration - run->best_at >= o->stagnation)
        spw_run_stop(run, SPW_STOP_STAGNATED,
                     "stagnated: no residual below %.1e, that of iteration %d, for %d iterations",
                     run->best, run->best_at, iteration - run->best_at);
    else if (o->progress &&
             o->progress(o->progress_context, iteration, residual, spw_now() - run->begin))
        spw_run_stop(run, SPW_STOP_CANCELLED, "cancelled in iteration %d at residual %.1e",
                     iteration, residual);
    run->mark = spw_now();
    return SPW_OK;
}

bool spw_run_again(spw_run *run, int slot, double *r, double *r_r) {
    spw_solve_result *result = run->result;
    if (!run->stopped || result->stop != SPW_STOP_CONVERGED || result->n_history < 2) return false;
    run->mark = spw_now();
    run->known = spw_run_residual(run, slot, r);
    const double residual = sqrt(run->known) / run->norm_b;
    if (!(residual > DRIFT * run->options.tolerance && residual < run->drifted / 2)) return false;
    *r_r = run->known;
    run->known = NAN;
    run->drifted = run->best = residual;
    run->best_at = result->iterations;
    run->stopped = false;
    result->restarts++;
    return true;
}

/* Out of the list go those that were never called. */
static void drop_idle(spw_solve_result *result) {
    int kept = 0;
    for (int k = 0; k < result->n_kernels; k++)
        if (result->kernels[k].calls) result->kernels[kept++] = result->kernels[k];
    result->n_kernels = kept;
}

void spw_run_end(spw_run *run, int slot, double *r) {
    spw_solve_result *result = run->result;
    if (run->norm_b > 0 && isfinite(run->norm_b)) {
        run->mark = spw_now();
        const double r_r = isnan(run->known) ? spw_run_residual(run, slot, r) : run->known;
        result->true_residual = isfinite(r_r) ? sqrt(r_r) / run->norm_b : NAN;
    } else {
        result->true_residual = run->norm_b == 0 ? 0 : NAN;
    }
    if (result->stop == SPW_STOP_CONVERGED &&
        !(result->true_residual <= DRIFT * run->options.tolerance))
        spw_run_stop(run, SPW_STOP_ROUNDING,
                     "stopped by rounding: the recurrence says %.1e, b - A x is %.1e",
                     result->residual, result->true_residual);
    drop_idle(result);
    result->seconds = spw_now() - run->begin;
}

#include "solvers/run_cuda.h"

#include "base/memory.h"
#include "perf/timer.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

enum { EVERY = 16, HISTORY_MOST = 1 << 20 };
static const double DRIFT = 10; /* as on the host, solvers/solver.h */
static const int64_t A_DOUBLE = (int64_t)sizeof(double);

void spw_cuda_run_kernel(spw_cuda_run *run, int slot, const char *name, spw_cost cost,
                         int64_t calls) {
    spw_run_kernel(&run->run, slot, name, cost, 0);
    run->run.result->kernels[slot].calls = calls;
}

spw_cost spw_cuda_cost_and(spw_cost cost, int64_t n, double loads, double stores, double flops) {
    const spw_cost more = spw_cost_of(n, loads, stores, flops);
    return (spw_cost){cost.load + more.load, cost.store + more.store, cost.flop + more.flop};
}

/* --- room ------------------------------------------------------------------------------------------------- */

static int history_room(const spw_cuda_run *run) {
    const int most = run->run.options.max_iterations;
    return most < HISTORY_MOST ? most + 1 : HISTORY_MOST;
}

static spw_status make_room(spw_cuda_run *run) {
    const int n_vectors = run->M ? run->method->n_with_m : run->method->n_vectors;
    spw_status status = SPW_OK;
    for (int k = 0; k < n_vectors && !status; k++)
        status = SPW_DEVICE_ALLOC(&run->d_vector[k], run->n);
    if (!status) status = SPW_DEVICE_ALLOC(&run->d_sum, SPW_CUDA_SUMS);
    if (!status) status = SPW_DEVICE_ALLOC(&run->d_scalars, 1);
    if (!status) status = SPW_DEVICE_ALLOC(&run->d_history, history_room(run));
    if (!status) status = spw_device_alloc_host((void **)&run->seen, 2, (int64_t)sizeof *run->seen);
    for (int k = 0; k < 2 && !status; k++) status = spw_device_event_create(&run->event[k]);
    return status;
}

static void free_room(spw_cuda_run *run) {
    for (int k = 0; k < SPW_CUDA_VECTORS; k++) spw_device_free(run->d_vector[k]);
    spw_device_free(run->d_sum);
    spw_device_free(run->d_scalars);
    spw_device_free(run->d_history);
    spw_device_free_host(run->seen);
    for (int k = 0; k < 2; k++) spw_device_event_destroy(run->event[k]);
}

/* --- both ends -------------------------------------------------------------------------------------------- */

/* The host waits for a sum. */
static spw_status fetch_sum(spw_cuda_run *run, const spw_partials *d_sum, double *sum) {
    double *d_result = &run->d_scalars->value;
    spw_status status = spw_partials_sum_cuda(d_sum, d_result);
    if (!status) status = spw_device_copy_from(sum, d_result, A_DOUBLE);
    return status;
}

/* The largest entry of b, by way of the host: only where b.b is next to nothing. */
static spw_status largest_of_b(const spw_cuda_run *run, double *largest) {
    double *b;
    *largest = 0;
    spw_status status = SPW_ALLOC(&b, run->n);
    if (!status) status = spw_device_copy_from(b, run->d_b, run->n * A_DOUBLE);
    for (int64_t i = 0; i < run->n && !status; i++) *largest = fmax(*largest, fabs(b[i]));
    spw_free(b);
    return status;
}

/* ||b||, and the ends that need no iteration, as spw_run_norm has them. */
static spw_status norm(spw_cuda_run *run) {
    double b_b = 0, largest = 0;
    spw_status status = spw_dots_cuda(run->n, run->d_b, run->d_b, run->d_sum, NULL);
    if (!status) status = fetch_sum(run, run->d_sum, &b_b);
    if (status) return status;
    run->run.norm_b = sqrt(b_b);
    if (!isfinite(b_b)) {
        spw_run_stop(&run->run, SPW_STOP_NOT_FINITE,
                     "not finite: b.b is %g; b has a NaN or an infinity, or its square overflows",
                     b_b);
        return SPW_OK;
    }
    if (b_b >= DBL_MIN) return SPW_OK;
    status = largest_of_b(run, &largest);
    if (!status && largest > 0)
        spw_run_stop(&run->run, SPW_STOP_NOT_FINITE,
                     "b is too small: its largest entry is %g, whose square underflows; scale it",
                     largest);
    if (status || largest > 0) return status;
    spw_run_stop(&run->run, SPW_STOP_CONVERGED, "b is zero, and so is x");
    return spw_device_zero(run->d_x, run->n * A_DOUBLE);
}

/* d_r = b - A x and r.r; d_r may be vector 1. */
static spw_status residual(spw_cuda_run *run, double *d_r) {
    double *d_q = run->d_vector[1];
    const spw_status status = spw_cuda_operator_apply(run->A, run->d_x, d_q);
    return status ? status : spw_residual_cuda(run->n, run->d_b, d_q, d_r, run->d_sum);
}

static spw_status true_residual(spw_cuda_run *run) {
    double r_r = NAN;
    spw_status status = residual(run, run->d_vector[1]);
    if (!status) status = fetch_sum(run, run->d_sum, &r_r);
    run->run.result->true_residual = isfinite(r_r) ? sqrt(r_r) / run->run.norm_b : NAN;
    return status;
}

/* --- from the first iteration to the last ------------------------------------------------------------------- */

static spw_status begin(spw_cuda_run *run, int iteration) {
    const spw_solve_options *o = &run->run.options;
    const spw_scalars start = {.norm_b = run->run.norm_b,
                               .tolerance = o->tolerance,
                               .max_iterations = o->max_iterations,
                               .stagnation = o->stagnation,
                               .d_history = run->d_history,
                               .history_room = history_room(run),
                               .fresh = 1,
                               .iteration = iteration,
                               .best = INFINITY,
                               .best_at = iteration,
                               .alpha = 1,
                               .omega = 1};
    spw_status status = spw_device_copy_to(run->d_scalars, &start, (int64_t)sizeof start);
    if (!status) status = residual(run, run->d_vector[0]);
    return status ? status : run->method->begin(run);
}

static bool cancelled(const spw_cuda_run *run, const spw_scalars *s) {
    const spw_solve_options *o = &run->run.options;
    return o->progress &&
           o->progress(o->progress_context, s->iteration, s->residual, spw_now() - run->run.begin);
}

/* Launches until it is seen that the method has stopped. `every` iterations are always under way while the
 * host waits for those before. */
static spw_status run_ahead(spw_cuda_run *run, spw_scalars *last) {
    const int64_t bytes = (int64_t)sizeof *last;
    bool is_cancelled = false;
    for (int batch = 0;; batch++) {
        const int now = batch % 2, before = 1 - now;
        spw_status status = SPW_OK;
        for (int k = 0; k < run->every && !status; k++) status = run->method->iterate(run);
        if (!status) status = spw_device_copy_from_later(&run->seen[now], run->d_scalars, bytes);
        if (!status) status = spw_device_event_record(run->event[now]);
        if (!status && batch) status = spw_device_event_wait(run->event[before]);
        if (status) return status;
        if (!batch) continue;
        if (run->seen[before].stop) break;
        if ((is_cancelled = cancelled(run, &run->seen[before]))) break;
    }
    const spw_status status = spw_device_copy_from(last, run->d_scalars, bytes); /* waits for all */
    if (!status && is_cancelled && !last->stop)
        spw_run_stop(&run->run, SPW_STOP_CANCELLED, "cancelled in iteration %d at residual %.1e",
                     last->iteration, last->residual);
    return status;
}

static const char *name_of(int number) {
    switch ((spw_scalar)number) {
    case SPW_SCALAR_R_R: return "r.r";
    case SPW_SCALAR_P_Q: return "p.Ap";
    case SPW_SCALAR_R_Z: return "r.M^-1 r";
    case SPW_SCALAR_ALPHA: return "alpha";
    case SPW_SCALAR_RHO: return "rho = c.r";
    case SPW_SCALAR_C_V: return "c.Ap";
    case SPW_SCALAR_S_S: return "s.s";
    case SPW_SCALAR_T_T: return "t.t";
    case SPW_SCALAR_T_S: return "t.s";
    case SPW_SCALAR_OMEGA: return "omega";
    }
    return "a number";
}

/* Says why the device has stopped. */
static void explain(spw_cuda_run *run, const spw_scalars *s) {
    spw_run *host = &run->run;
    const int restarts = host->result->restarts;
    host->result->iterations = s->iteration;
    host->result->residual = s->residual;
    switch ((spw_halt)s->stop) {
    case SPW_HALT_NOT: break; /* cancelled, and said */
    case SPW_HALT_CONVERGED:
        spw_run_stop(host, SPW_STOP_CONVERGED,
                     restarts ? "converged in %d iteration%s, begun anew %d time%s"
                              : "converged in %d iteration%s",
                     s->iteration, s->iteration == 1 ? "" : "s", restarts,
                     restarts == 1 ? "" : "s");
        break;
    case SPW_HALT_ITERATIONS:
        spw_run_stop(host, SPW_STOP_ITERATIONS,
                     "did not converge: residual %.1e after %d iterations, the most allowed",
                     s->residual, s->iteration);
        break;
    case SPW_HALT_STAGNATED:
        spw_run_stop(host, SPW_STOP_STAGNATED,
                     "stagnated: no residual below %.1e, that of iteration %d, for %d iterations",
                     s->best, s->best_at, s->iteration - s->best_at);
        break;
    case SPW_HALT_NOT_FINITE: (void)spw_run_finite(host, name_of(s->number), s->value); break;
    case SPW_HALT_BREAKDOWN: run->method->breakdown(run, s); break;
    }
}

static spw_status iterate(spw_cuda_run *run) {
    spw_solve_result *result = run->run.result;
    double drifted = INFINITY;
    for (;;) {
        spw_scalars s = {0};
        spw_status status = begin(run, result->iterations);
        if (!status) status = run_ahead(run, &s);
        if (status) return status;
        explain(run, &s);
        status = true_residual(run);
        const double now = result->true_residual, most = DRIFT * run->run.options.tolerance;
        if (status || result->stop != SPW_STOP_CONVERGED || now <= most) return status;
        if (result->iterations == 0 || !(now < drifted / 2)) break;
        drifted = now;
        result->restarts++;
    }
    spw_run_stop(&run->run, SPW_STOP_ROUNDING,
                 "stopped by rounding: the recurrence says %.1e, b - A x is %.1e", result->residual,
                 result->true_residual);
    return SPW_OK;
}

/* --- the result ------------------------------------------------------------------------------------------- */

static spw_status fetch_history(spw_cuda_run *run) {
    spw_solve_result *result = run->run.result;
    const int room = history_room(run);
    const int64_t count = result->iterations < room ? result->iterations + 1 : room;
    spw_free(result->history);
    result->history_room = 0;
    spw_status status = SPW_ALLOC(&result->history, count);
    if (status) return status;
    result->history_room = count;
    status = spw_device_copy_from(result->history, run->d_history, count * A_DOUBLE);
    if (!status) result->n_history = (int)count;
    return status;
}

static void name_kernels(spw_cuda_run *run) {
    spw_solve_result *result = run->run.result;
    run->method->name_kernels(run, result->iterations);
    spw_cuda_run_kernel(run, result->n_kernels, "b - A x, at both ends",
                        spw_cuda_cost_and(run->A->cost, run->n, 2, 1, 3),
                        2 + 2 * (int64_t)result->restarts);
}

spw_status spw_cuda_run_solve(spw_cuda_run *run, const spw_solve_options *options,
                              spw_solve_result *result) {
    /* For the host's bookkeeping, which wants names and sizes; these are never applied. */
    const spw_operator A = {.name = run->A->name, .n = run->A->n};
    const spw_operator M = {.name = run->M ? run->M->name : "", .n = run->M ? run->M->n : 0};
    spw_status status =
        spw_run_begin(&run->run, &A, run->M ? &M : NULL, run->d_b, run->d_x, options, result);
    if (!status && run->every < 0)
        status = spw_error(SPW_ERR_ARG, "every is %d, must be 0 (%d) or more", run->every, EVERY);
    run->n = run->A->n;
    if (run->every == 0) run->every = EVERY;
    if (!status) status = make_room(run);
    if (!status) status = norm(run);
    if (!status && !run->run.stopped) {
        status = iterate(run);
        if (!status) status = fetch_history(run);
        if (!status) name_kernels(run);
    } else if (!status) {
        result->true_residual = run->run.norm_b == 0 ? 0 : NAN;
        status = spw_device_synchronise();
    }
    result->seconds = spw_now() - run->run.begin;
    free_room(run);
    if (status) spw_solve_result_destroy(result);
    return status;
}

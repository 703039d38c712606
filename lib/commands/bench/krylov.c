/* Conjugate gradients beside other libraries. All start from zero, with the same b = A x; what is timed is
 * the whole call, with all that a solver does before its first and after its last iteration. */
#include "base/memory.h"
#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "formats/info.h"
#include "kernels/spmv.h"
#include "solvers/cg.h"
#include "solvers/precond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int STEPS = 20;           /* of an iteration's time */
static const double SAME = 1e-8;       /* two iterates after so many steps, relative */
static const double TOLERANCE = 1e-8;  /* of the time to a residual, beside ||b|| */
static const double DRIFT = 2;         /* b - A x may be so much above, as it was carried along */
static const double SYMMETRIC = 1e-12; /* asymmetry that is rounding */

enum { ITERATIONS, SETUP }; /* numbers of the peers' protocol, op pcg */

static void describe(const double *numbers, char text[BENCH_TEXT]) {
    set_text(text, "%.0f iterations, set-up %.3g s", numbers[ITERATIONS], numbers[SETUP]);
}

/* A system with the ways of solving it. */
typedef struct equations {
    spw_csr A;
    spw_operator csr, loop, fast; /* loop: CSR by the plain loop, as one writes it first */
    double *b, *x;
} equations;

static void drop(equations *e) {
    spw_operator_destroy(&e->csr);
    spw_operator_destroy(&e->fast);
    spw_csr_destroy(&e->A);
    spw_free(e->b);
    spw_free(e->x);
}

static void apply_loop(void *context, const double *x, double *y) {
    spw_spmv_csr_omp(context, x, y);
}

static spw_status make(const char *name, equations *e) {
    spw_csr_info info;
    spw_status status = spw_csr_load(name, &e->A);
    if (!status) status = spw_operator_from_csr(&e->A, &e->csr);
    if (!status) status = spw_operator_convert(&e->A, &e->fast);
    e->loop = e->csr;
    e->loop.apply = apply_loop;
    e->loop.apply_dots = NULL;
    if (!status) status = spw_csr_inspect(&e->A, &info);
    if (!status && info.asymmetry > SYMMETRIC)
        status =
            spw_error(SPW_ERR_ARG, "it is not symmetric: |a_ij - a_ji| is up to %.3g of max |a|",
                      info.asymmetry);
    if (!status) status = SPW_ALLOC(&e->b, e->A.n_rows);
    if (!status) status = SPW_ALLOC(&e->x, e->A.n_rows);
    if (status) return status;
    operands_fill(e->A.n_rows, e->x);
    spw_operator_apply(&e->csr, e->x, e->b);
    return SPW_OK;
}

/* One way: the runner's state. */
typedef struct attempt {
    equations *e;
    const spw_operator *A;
    spw_operator M; /* name NULL: none */
    spw_solve_options options;
    spw_stop expected; /* what it must stop for */
} attempt;

static spw_status solve(const attempt *a, spw_solve_result *out) {
    equations *e = a->e;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < e->A.n_rows; i++) e->x[i] = 0;
    spw_status status = spw_pcg(a->A, a->M.name ? &a->M : NULL, e->b, e->x, &a->options, out);
    if (!status && out->stop != a->expected) {
        status = spw_error(SPW_ERR_ARG, "%s", out->text);
        spw_solve_result_destroy(out);
    }
    return status;
}

static double seconds_of_attempt(const runner *r, int calls) {
    double seconds = 0;
    for (int c = 0; c < calls; c++) {
        spw_solve_result res;
        if (solve(r->state, &res)) return NAN;
        seconds += res.seconds;
        spw_solve_result_destroy(&res);
    }
    return seconds / calls;
}

/* Does it once, so that it is known to work, and what it moves. NULL: it does not, and a line says why. */
static runner *enter(contest *run, const char *name, attempt *a) {
    spw_solve_result res;
    if (solve(a, &res)) {
        printf("  %s is left out: %s\n", name, spw_message());
        return NULL;
    }
    runner *r = contest_enter(run, name, 0, 0);
    r->bytes = spw_cost_bytes(spw_solve_cost(&res)) + spw_solve_write_allocate(&res);
    r->seconds = seconds_of_attempt;
    r->state = a;
    r->side = SIDE_OURS;
    r->first = res.seconds;
    r->numbers[ITERATIONS] = res.iterations;
    r->numbers[SETUP] = a->M.setup_seconds + a->A->setup_seconds;
    if (a->M.name) describe(r->numbers, r->note);
    spw_solve_result_destroy(&res);
    return r;
}

/* --- an iteration ----------------------------------------------------------------------------------- */

/* The same iterate after the same number of iterations. */
static bool is_same_iterate(const peers_job *job, const double *y, double *numbers,
                            char text[BENCH_TEXT]) {
    const double *x = job->expected;
    const int64_t n = job->A->n_rows;
    double apart = 0, all = 0;
#pragma omp parallel for schedule(static) reduction(+ : apart, all)
    for (int64_t i = 0; i < n; i++) {
        apart += (y[i] - x[i]) * (y[i] - x[i]);
        all += x[i] * x[i];
    }
    (void)numbers;
    const double difference = sqrt(apart / all);
    if (difference <= SAME) return true; /* not NaN */
    set_text(text, "its iterate is off ours by %.2g of it, more than %.0e", difference, SAME);
    return false;
}

/* Of a side, whatever it stores. */
static const runner *fastest(const contest *run, bench_side side) {
    const runner *all = contest_best(run, side, false), *less = contest_best(run, side, true);
    return !all || (less && less->value < all->value) ? less : all;
}

static void report_steps(bench *b, contest *run, const char *name, int steps, const runner *loops,
                         bool goals) {
    const runner *ours = fastest(run, SIDE_OURS);
    const bool half = ours && (strstr(ours->name, "sdia") || strstr(ours->name, "sbcsr"));
    contest_report_seconds(b, run, "cg", name, 1e3 / steps, "ms");
    printf("\n  %s, the best of each kind: ours / theirs\n", name);
    run->roof_bytes = 0; /* from now on each by its own */
    contest_best_share(b, run, "cg-best", name, "against the roof of its own model", ours,
                       goals ? 0.85 : 0);
    contest_compare(b, "cg-best", name, "against plain loops", ours, loops, goals ? 1.1 : 0);
    contest_compare(b, "cg-best", name, "against the best peer", ours, fastest(run, SIDE_PEER),
                    !goals ? 0
                    : half ? 1.8
                           : 1.4);
    contest_compare(b, "cg-best", name, "CSR against the best peer with all of A",
                    contest_best(run, SIDE_OURS, false), contest_best(run, SIDE_PEER, false),
                    goals ? 1.4 : 0);
}

int bench_cg(bench *b, const char *name, bool goals) {
    equations e = {0};
    spw_probe probe = {0};
    static contest run;
    char parameters[BENCH_TEXT], name_of_fast[BENCH_TEXT];
    int status = 1;
    memset(&run, 0, sizeof run);
    if (make(name, &e)) goto done;
    const int steps = e.A.n_rows / 8 < STEPS ? e.A.n_rows / 8 + 1 : STEPS;
    const spw_solve_options options = {.max_iterations = steps, .tolerance = 1e-30};
    attempt merged = {&e, &e.csr, {0}, options, SPW_STOP_ITERATIONS}, plain = merged,
            loops = merged, fast = merged;
    plain.options.plain = loops.options.plain = 1;
    loops.A = &e.loop;
    fast.A = &e.fast;
    printf("\nCG on %s, no preconditioner: the time of an iteration, of %d; share of the roof of "
           "what\n"
           "merged CG with A in CSR moves, write-allocate counted\n",
           name, steps);
    printf("  the format found fastest for A: %s%s%s\n", e.fast.name, *e.fast.note ? "; " : "",
           e.fast.note);
    if (contest_enter_probe(&run, SPW_LOAD, (double)spw_csr_bytes(&e.A) + 40.0 * e.A.n_rows,
                            b->threads, &probe))
        goto done;
    runner *slow = enter(&run, "csr, plain loops", &loops);
    if (!slow) goto done;
    slow->side = SIDE_ASIDE;
    enter(&run, "csr, BLAS-1", &plain);
    set_text(name_of_fast, "%s, merged", e.fast.name);
    runner *converted = strcmp(e.fast.name, e.csr.name) ? enter(&run, name_of_fast, &fast) : NULL;
    if (converted) converted->less = true;
    const runner *last = enter(&run, "csr, merged", &merged); /* its x stays for the peers */
    if (!last) goto done;
    run.roof_bytes = last->bytes;
    set_text(parameters, "iterations=%d", steps);
    const peers_job job = {.op = "cg",
                           .parameters = parameters,
                           .A = &e.A,
                           .nv = 1,
                           .x = e.b,
                           .bytes = last->bytes,
                           .expected = e.x,
                           .is_right = is_same_iterate};
    peers_enter_job(b->set, &run, &job);
    contest_run(&run, b->rounds);
    report_steps(b, &run, name, steps, slow, goals);
    status = 0;
done:
    if (status) fail("CG on %s: %s", name, spw_message());
    peers_leave(b->set);
    spw_probe_destroy(&probe);
    drop(&e);
    return status;
}

/* --- time to a residual ------------------------------------------------------------------------------ */

static bool is_solution(const peers_job *job, const double *y, double *numbers,
                        char text[BENCH_TEXT]) {
    const spw_csr *A = job->A;
    double rest = 0, all = 0;
#pragma omp parallel for schedule(static) reduction(+ : rest, all)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double r = job->x[i];
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            r -= A->val[k] * y[A->col_idx[k]];
        rest += r * r;
        all += job->x[i] * job->x[i];
    }
    const double residual = sqrt(rest / all);
    if (residual <= DRIFT * TOLERANCE) { /* not NaN */
        describe(numbers, text);
        return true;
    }
    set_text(text, "after %.0f iterations its residual is %.2g, asked for was %.0e",
             numbers[ITERATIONS], residual, TOLERANCE);
    return false;
}

/* Its method's name ends so: "petsc ic0", "ic0". */
static bool is_kind(const runner *r, const char *kind) {
    const size_t length = strlen(r->name), end = strlen(kind);
    return length >= end && strcmp(r->name + length - end, kind) == 0;
}

/* The shortest of a side with that preconditioner, or its twin; set-up counts. */
static const runner *shortest(const contest *run, bench_side side, const char *kind,
                              const char *twin) {
    const runner *best = NULL;
    for (int k = 0; k < run->n; k++) {
        const runner *r = &run->runners[k];
        if (r->side != side || r->out || !(is_kind(r, kind) || is_kind(r, twin))) continue;
        if (!best || r->value + r->numbers[SETUP] < best->value + best->numbers[SETUP]) best = r;
    }
    return best;
}

/* Set-up was timed once, the solution often. */
static void compare_kind(bench *b, const contest *run, const char *name, const char *kind,
                         const char *twin, bool goals) {
    const runner *ours = shortest(run, SIDE_OURS, kind, twin);
    const runner *theirs = shortest(run, SIDE_PEER, kind, twin);
    char text[BENCH_TEXT];
    if (!ours || !theirs) return;
    runner whole[2] = {*ours, *theirs};
    for (int k = 0; k < 2; k++) {
        whole[k].value += whole[k].numbers[SETUP];
        whole[k].low += whole[k].numbers[SETUP];
        whole[k].high += whole[k].numbers[SETUP];
    }
    set_text(text, "%s, against the best peer", kind);
    contest_compare(b, "pcg-best", name, text, ours, theirs, 0);
    set_text(text, "%s, the same with set-up", kind);
    contest_compare(b, "pcg-best", name, text, &whole[0], &whole[1], goals ? 1 : 0);
}

int bench_pcg(bench *b, const char *name, bool goals) {
    equations e = {0};
    static contest run;
    char parameters[BENCH_TEXT];
    int status = 1;
    attempt jacobi = {.e = &e, .A = &e.fast, .options = {.tolerance = TOLERANCE}}, ic0 = jacobi;
    memset(&run, 0, sizeof run);
    if (make(name, &e) || spw_precond_jacobi(&e.A, &jacobi.M) || spw_precond_ic0(&e.A, &ic0.M))
        goto done;
    printf("\nPCG on %s to a residual of %.0e: the time of the solution, set-up beside it\n", name,
           TOLERANCE);
    enter(&run, "jacobi", &jacobi);
    enter(&run, "ic0", &ic0);
    set_text(parameters, "tolerance=%g", TOLERANCE);
    const peers_job job = {.op = "pcg",
                           .parameters = parameters,
                           .A = &e.A,
                           .nv = 1,
                           .x = e.b,
                           .is_right = is_solution};
    peers_enter_job(b->set, &run, &job);
    contest_run(&run, b->rounds < 9 ? b->rounds : 9);
    contest_report_seconds(b, &run, "pcg", name, 1, "s");
    if (b->set) printf("\n  %s, the best of each kind: ours / theirs\n", name);
    compare_kind(b, &run, name, "jacobi", "jacobi", goals);
    compare_kind(b, &run, name, "ic0", "ilu0", goals);
    status = 0;
done:
    if (status) fail("PCG on %s: %s", name, spw_message());
    peers_leave(b->set);
    spw_operator_destroy(&jacobi.M);
    spw_operator_destroy(&ic0.M);
    drop(&e);
    return status;
}

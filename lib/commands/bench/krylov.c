/* Solvers. Against themselves: merged kernels of BiCGStab against one BLAS-1 call for each operation, single precision
 * against double, matrix powers against plain products. Conjugate gradients beside other libraries: all start from zero,
 * with the same b = A x; what is timed is the whole call, with all that a solver does before its first and after its last
 * iteration. */
#include "base/memory.h"
#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "kernels/spmv.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/powers.h"
#include "solvers/precond.h"
#include "solvers/refine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int STEPS = 20;          /* of an iteration's time */
static const double SAME = 1e-8;      /* two iterates after so many steps, relative */
static const double TOLERANCE = 1e-8; /* of the time to a residual, beside ||b|| */
static const double DRIFT = 2;        /* b - A x may be so much above, as it was carried along */

enum { ITERATIONS, SETUP }; /* numbers of the peers' protocol, op pcg */

static void describe(const double *numbers, char text[BENCH_TEXT]) {
    set_text(text, "%.0f iterations, set-up %.3g s", numbers[ITERATIONS], numbers[SETUP]);
}

/* A system with the ways of solving it. */
typedef struct equations {
    spw_csr A;
    spw_operator csr, loop, fast; /* loop: CSR by the plain loop, as one writes it first */
    spw_operator whole;           /* all of A with short indices; name NULL: not for this A */
    spw_operator_float single;    /* of refinement */
    double *b, *x;
} equations;

static void drop(equations *e) {
    spw_operator_destroy(&e->csr);
    spw_operator_destroy(&e->fast);
    spw_operator_destroy(&e->whole);
    spw_operator_float_destroy(&e->single);
    spw_csr_destroy(&e->A);
    spw_free(e->b);
    spw_free(e->x);
}

static void apply_loop(void *context, const double *x, double *y) {
    spw_spmv_csr_omp(context, x, y);
}

static spw_status make(const char *name, equations *e) {
    spw_status status = spw_csr_load(name, &e->A);
    if (!status) status = spw_operator_from_csr(&e->A, &e->csr);
    if (!status) status = spw_operator_convert(&e->A, &e->fast);
    e->loop = e->csr;
    e->loop.apply = apply_loop;
    e->loop.apply_dots = NULL;
    if (!status) status = operands_symmetric(&e->A);
    if (!status) status = SPW_ALLOC(&e->b, e->A.n_rows);
    if (!status) status = operands_vector(&e->x, e->A.n_rows);
    if (!status) spw_operator_apply(&e->csr, e->x, e->b);
    return status;
}

/* Room for A and the vectors of a solver. */
static double working_set(const equations *e) {
    return (double)spw_csr_bytes(&e->A) + 40.0 * e->A.n_rows;
}

/* One way: the runner's state. */
typedef struct attempt {
    equations *e;
    enum { BY_CG, BY_REFINEMENT, BY_BICGSTAB } method;
    const spw_operator *A;
    spw_operator M; /* name NULL: none */
    spw_solve_options options;
    spw_stop expected; /* what it must stop for */
    bool step;         /* timed is an iteration, without what is done at both ends */
} attempt;

static void drop_attempt(attempt *a) { spw_operator_destroy(&a->M); }

static spw_status solve(const attempt *a, spw_solve_result *out) {
    equations *e = a->e;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < e->A.n_rows; i++) e->x[i] = 0;
    spw_status status = a->method == BY_REFINEMENT
                            ? spw_refine(a->A, &e->single, e->b, e->x, &a->options, out)
                        : a->method == BY_BICGSTAB
                            ? spw_bicgstab(a->A, NULL, e->b, e->x, &a->options, out)
                            : spw_pcg(a->A, a->M.name ? &a->M : NULL, e->b, e->x, &a->options, out);
    if (!status && out->stop != a->expected) {
        status = spw_error(SPW_ERR_ARG, "%s", out->text);
        spw_solve_result_destroy(out);
    }
    return status;
}

/* Seconds, and bytes with write-allocate. */
static double measure(const attempt *a, const spw_solve_result *r, double *bytes) {
    double seconds = 0;
    *bytes = spw_cost_bytes(spw_solve_cost(r)) + spw_solve_write_allocate(r);
    if (!a->step) return r->seconds;
    *bytes = 0;
    for (int k = 0; k + 1 < r->n_kernels; k++) {
        seconds += r->kernels[k].seconds;
        *bytes += spw_cost_bytes(r->kernels[k].cost) + r->kernels[k].write_allocate;
    }
    return seconds / r->iterations;
}

static double seconds_of_attempt(const runner *r) {
    OWNED(spw_solve_result_destroy) spw_solve_result res = {0};
    double bytes;
    return solve(r->state, &res) ? NAN : measure(r->state, &res, &bytes);
}

/* Does it once, so that it is known to work, and what it moves. NULL: it does not, and a line says why. */
static runner *enter(contest *run, const char *name, attempt *a) {
    OWNED(spw_solve_result_destroy) spw_solve_result res = {0};
    if (solve(a, &res)) {
        printf("  %s is left out: %s\n", name, spw_message());
        return NULL;
    }
    runner *r = contest_enter(run, name, 0, 0);
    r->first = measure(a, &res, &r->bytes);
    r->once = seconds_of_attempt;
    r->state = a;
    r->side = SIDE_OURS;
    r->numbers[ITERATIONS] = res.iterations;
    r->numbers[SETUP] = a->M.setup_seconds + a->A->setup_seconds;
    if (a->M.name) describe(r->numbers, r->note);
    return r;
}

/* --- against ourselves ------------------------------------------------------------------------------ */

static int merged_against_plain(bench *b, const char *name) {
    OWNED(drop) equations e = {0};
    OWNED(contest_close) contest run = {0};
    set_text(b->about, "BiCGStab on %s", name);
    if (make(name, &e) || contest_enter_probe(&run, SPW_LOAD, working_set(&e), b->threads))
        return 1;
    attempt merged = {.e = &e,
                      .method = BY_BICGSTAB,
                      .A = &e.fast,
                      .options = {.max_iterations = 4, .tolerance = 1e-30},
                      .expected = SPW_STOP_ITERATIONS,
                      .step = true},
            plain = merged;
    plain.options.plain = 1;
    const runner *slow = enter(&run, "an iteration, BLAS-1", &plain),
                 *fast = enter(&run, "an iteration, merged", &merged);
    printf("\nBiCGStab on %s: an iteration; share of the roof of load, write-allocate counted\n",
           name);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "solvers", name);
    contest_compare(b, "solvers", name, "merged against BLAS-1", fast, slow, 1.25);
    return 0;
}

/* Time to the same residual. One solve is seconds long: few samples. */
static int single_against_double(bench *b, const char *name) {
    OWNED(drop) equations e = {0};
    contest run = {0};
    set_text(b->about, "precisions on %s", name);
    if (make(name, &e) || spw_operator_float_convert(&e.A, &e.single)) return 1;
    attempt in_double = {.e = &e, .A = &e.fast, .options.tolerance = 1e-10}, refined = in_double;
    refined.method = BY_REFINEMENT;
    printf("\nCG on %s to a residual of 1e-10, by %s and %s\n", name, e.fast.name, e.single.name);
    const runner *theirs = enter(&run, "double", &in_double),
                 *ours = enter(&run, "single, refined", &refined);
    contest_run(&run, 3);
    contest_compare(b, "solvers", name, "single, refined, against double", ours, theirs, 1.3);
    return 0;
}

enum { POWERS = 8 };

typedef struct powers_job {
    spw_csr A;
    spw_powers P;
    double *x, *y[POWERS];
} powers_job;

static void drop_powers(powers_job *job) {
    for (int k = 0; k < POWERS; k++) spw_free(job->y[k]);
    spw_free(job->x);
    spw_powers_destroy(&job->P);
    spw_csr_destroy(&job->A);
}

static void call_powers(const runner *r) {
    powers_job *job = r->state;
    spw_powers_multiply(&job->P, POWERS, job->x, job->y);
}

static void call_products(const runner *r) {
    powers_job *job = r->state;
    for (int k = 0; k < POWERS; k++)
        spw_spmv_csr_omp_balanced(&job->A, k ? job->y[k - 1] : job->x, job->y[k]);
}

static int powers_against_products(bench *b, const char *name) {
    OWNED(drop_powers) powers_job job = {0};
    contest run = {0};
    set_text(b->about, "powers of %s", name);
    if (spw_csr_generate(name, &job.A) || spw_powers_create(&job.A, &job.P) ||
        operands_vector(&job.x, job.A.n_rows))
        return 1;
    for (int k = 0; k < POWERS; k++)
        if (operands_vector(&job.y[k], job.A.n_rows)) return 1;
    runner *plain = contest_enter(&run, "8 products", 0, 0);
    runner *fronts = contest_enter(&run, "8 powers by levels", 0, 0);
    plain->work = call_products;
    fronts->work = call_powers;
    plain->state = fronts->state = &job;
    printf("\nPowers of %s, p = 8: %d levels\n", name, (int)job.P.n_levels);
    contest_run(&run, b->rounds < 9 ? b->rounds : 9);
    contest_compare(b, "solvers", name, "powers by levels against products", fronts, plain, 1.5);
    return 0;
}

int bench_solvers(bench *b, const bench_case *c) {
    const bool q = b->quick;
    (void)c;
    return merged_against_plain(b, q ? "laplace2d:500x500" : "laplace2d:2000x2000") ||
           single_against_double(b, q ? "fem3:16" : "fem3:72") ||
           powers_against_products(b, q ? "laplace2d:700x700" : "laplace2d:4000x4000");
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

static void report_steps(bench *b, contest *run, const char *name, int steps, const runner *loops,
                         const double *goals) {
    const runner *whole = contest_best(run, SIDE_OURS, false),
                 *peer = contest_best(run, SIDE_PEER, false),
                 *less = contest_best(run, SIDE_OURS, true);
    const runner *ours = less && less->value < whole->value ? less : whole;
    const bool any = goals[0] > 0 || goals[2] > 0;
    contest_report_seconds(b, run, "cg", name, 1e3 / steps, "ms");
    printf("\n  %s, the best of each kind: ours / theirs\n", name);
    run->roof_bytes = 0; /* from now on each by its own */
    contest_best_share(b, run, "cg-best", name, "against the roof of its own model", ours,
                       any ? 0.85 : 0);
    contest_compare(b, "cg-best", name, "against plain loops", ours, loops, any ? 1.1 : 0);
    contest_compare(b, "cg-best", name, "all of A, against the best peer with all of A", whole,
                    peer, goals[0]);
    contest_compare(b, "cg-best", name, "less than A, against the best peer with all of A", less,
                    peer, goals[1]);
    contest_compare(b, "cg-best", name, "less than A, against the best peer of that kind", less,
                    contest_best(run, SIDE_PEER, true), goals[2]);
}

int bench_cg(bench *b, const bench_case *c) {
    OWNED(drop) equations e = {0};
    OWNED(contest_close) contest run = {0};
    char parameters[BENCH_TEXT], name_of_fast[BENCH_TEXT];
    const char *name = c->matrix;
    set_text(b->about, "CG on %s", name);
    if (make(name, &e)) return 1;
    const int steps = e.A.n_rows / 8 < STEPS ? e.A.n_rows / 8 + 1 : STEPS;
    attempt merged = {.e = &e,
                      .A = &e.csr,
                      .options = {.max_iterations = steps, .tolerance = 1e-30},
                      .expected = SPW_STOP_ITERATIONS},
            plain = merged, loops = merged, fast = merged;
    plain.options.plain = loops.options.plain = 1;
    loops.A = &e.loop;
    fast.A = &e.fast;
    printf("\nCG on %s, no preconditioner: the time of an iteration, of %d; share of the roof of "
           "what\n"
           "merged CG with A in CSR moves, write-allocate counted\n",
           name, steps);
    printf("  the format found fastest for A: %s%s%s\n", e.fast.name, *e.fast.note ? "; " : "",
           e.fast.note);
    if (contest_enter_probe(&run, SPW_LOAD, working_set(&e), b->threads)) return 1;
    runner *slow = enter(&run, "csr, plain loops", &loops);
    if (!slow) return 1;
    slow->side = SIDE_ASIDE;
    enter(&run, "csr, BLAS-1", &plain);
    set_text(name_of_fast, "%s, merged", e.fast.name);
    runner *converted = strcmp(e.fast.name, e.csr.name) ? enter(&run, name_of_fast, &fast) : NULL;
    if (converted) converted->less = !strcmp(e.fast.name, "sdia") || !strcmp(e.fast.name, "sbcsr");
    attempt whole = merged;
    whole.A = &e.whole;
    if ((!converted || converted->less) && !spw_operator_in(&e.A, "sell_short", &e.whole))
        enter(&run, "sell_short, merged", &whole);
    const runner *last = enter(&run, "csr, merged", &merged); /* its x stays for the peers */
    if (!last) return 1;
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
    report_steps(b, &run, name, steps, slow, c->goals);
    return 0;
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

int bench_pcg(bench *b, const bench_case *c) {
    OWNED(drop) equations e = {0};
    OWNED(drop_attempt) attempt jacobi = {.e = &e, .A = &e.fast, .options.tolerance = TOLERANCE};
    OWNED(drop_attempt) attempt ic0 = jacobi;
    contest run = {0};
    char parameters[BENCH_TEXT];
    const char *name = c->matrix;
    set_text(b->about, "PCG on %s", name);
    if (make(name, &e) || spw_precond_jacobi(&e.A, &jacobi.M) || spw_precond_ic0(&e.A, &ic0.M))
        return 1;
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
    compare_kind(b, &run, name, "jacobi", "jacobi", c->goals[0] > 0);
    compare_kind(b, &run, name, "ic0", "ilu0", c->goals[0] > 0);
    return 0;
}

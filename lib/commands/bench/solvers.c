/* Solvers against themselves: merged kernels of BiCGStab against one BLAS-1 call for each operation, single
 * precision against double, matrix powers against plain products. CG stands beside others, in krylov.c. */
#include "base/memory.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "perf/timer.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/powers.h"
#include "solvers/refine.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 4, POWERS = 8 };

/* A system, and one way of solving it. */
typedef struct system {
    spw_csr A;
    spw_operator_float S;
    spw_operator op;
    double *b, *x;
} problem;

typedef enum way { CG_DOUBLE, CG_REFINE, BICGSTAB_PLAIN, BICGSTAB_MERGED } way;

static spw_status make(const char *name, problem *P) {
    spw_status status = spw_csr_generate(name, &P->A);
    if (!status) status = spw_operator_convert(&P->A, &P->op);
    if (!status) status = SPW_ALLOC(&P->b, P->A.n_rows);
    if (!status) status = SPW_ALLOC(&P->x, P->A.n_rows);
    if (status) return status;
    operands_fill(P->A.n_rows, P->x);
    spw_operator_apply(&P->op, P->x, P->b);
    return SPW_OK;
}

static void drop(problem *P) {
    spw_operator_float_destroy(&P->S);
    spw_operator_destroy(&P->op);
    spw_csr_destroy(&P->A);
    spw_free(P->b);
    spw_free(P->x);
}

static spw_status run(problem *P, way how, const spw_solve_options *given, spw_solve_result *out) {
    spw_solve_options options = *given;
    options.plain = how == BICGSTAB_PLAIN;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < P->A.n_rows; i++) P->x[i] = 0;
    if (how == CG_REFINE) return spw_refine(&P->op, &P->S, P->b, P->x, &options, out);
    if (how == CG_DOUBLE) return spw_cg(&P->op, P->b, P->x, &options, out);
    return spw_bicgstab(&P->op, NULL, P->b, P->x, &options, out);
}

/* Seconds an iteration, without what is done at both ends. */
static double seconds_of_step(const runner *r, int calls) {
    const spw_solve_options options = {.max_iterations = STEPS, .tolerance = 1e-30};
    double seconds = 0;
    for (int c = 0; c < calls; c++) {
        spw_solve_result res;
        if (run(r->state, (way)r->number, &options, &res)) return NAN;
        for (int k = 0; k + 1 < res.n_kernels; k++) seconds += res.kernels[k].seconds;
        spw_solve_result_destroy(&res);
    }
    return seconds / calls / STEPS;
}

/* Bytes of an iteration, write-allocate included. */
static double bytes_of_step(problem *P, way how) {
    const spw_solve_options options = {.max_iterations = 2, .tolerance = 1e-30};
    spw_solve_result res;
    double bytes = 0;
    if (run(P, how, &options, &res)) return 0;
    for (int k = 0; k + 1 < res.n_kernels; k++)
        bytes += spw_cost_bytes(res.kernels[k].cost) + res.kernels[k].write_allocate;
    spw_solve_result_destroy(&res);
    return bytes;
}

static runner *enter(contest *run, const char *text, problem *P, way how) {
    runner *r = contest_enter(run, text, bytes_of_step(P, how), 0);
    r->side = SIDE_OURS;
    r->seconds = seconds_of_step;
    r->state = P;
    r->number = (int)how;
    return r;
}

static int steps(bench *b, const char *name) {
    problem P = {0};
    spw_probe probe = {0};
    contest run = {0};
    int status = 1;
    if (make(name, &P)) goto done;
    if (contest_enter_probe(&run, SPW_LOAD, (double)spw_csr_bytes(&P.A) + 40.0 * P.A.n_rows,
                            b->threads, &probe))
        goto done;
    const runner *slow = enter(&run, "an iteration, BLAS-1", &P, BICGSTAB_PLAIN);
    const runner *fast = enter(&run, "an iteration, merged", &P, BICGSTAB_MERGED);
    printf("\nBiCGStab on %s: an iteration; share of the roof of load, write-allocate counted\n",
           name);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "solvers", name);
    contest_compare(b, "solvers", name, "merged against BLAS-1", fast, slow, 1.25);
    status = 0;
done:
    if (status) fail("BiCGStab on %s: %s", name, spw_message());
    spw_probe_destroy(&probe);
    drop(&P);
    return status;
}

/* Time to the same residual. One solve is seconds long: few samples. */
static double seconds_to_solution(const runner *r, int calls) {
    const spw_solve_options options = {.tolerance = 1e-10};
    double seconds = 0;
    for (int c = 0; c < calls; c++) {
        spw_solve_result res;
        if (run(r->state, (way)r->number, &options, &res)) return NAN;
        seconds += res.stop == SPW_STOP_CONVERGED ? res.seconds : NAN;
        spw_solve_result_destroy(&res);
    }
    return seconds / calls;
}

static int precisions(bench *b, const char *name) {
    problem P = {0};
    contest run = {0};
    int status = 1;
    if (make(name, &P) || spw_operator_float_convert(&P.A, &P.S)) goto done;
    runner *in_double = enter(&run, "double", &P, CG_DOUBLE);
    runner *refined = enter(&run, "single, refined", &P, CG_REFINE);
    in_double->seconds = refined->seconds = seconds_to_solution;
    in_double->bytes = refined->bytes = (double)spw_csr_bytes(&P.A);
    printf("\nCG on %s to a residual of 1e-10, by %s and %s\n", name, P.op.name, P.S.name);
    contest_run(&run, 3); /* seconds each */
    contest_compare(b, "solvers", name, "single, refined, against double", refined, in_double, 1.3);
    status = 0;
done:
    if (status) fail("precisions on %s: %s", name, spw_message());
    drop(&P);
    return status;
}

/* --- powers ------------------------------------------------------------------------------------------------ */

typedef struct powers_job {
    const spw_csr *A;
    spw_powers P;
    double *x, *y[POWERS];
} powers_job;

static double seconds_of_powers(const runner *r, int calls) {
    powers_job *job = r->state;
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) spw_powers_multiply(&job->P, POWERS, job->x, job->y);
    return (spw_now() - begin) / calls;
}

static double seconds_of_products(const runner *r, int calls) {
    powers_job *job = r->state;
    const double begin = spw_now();
    for (int c = 0; c < calls; c++)
        for (int k = 0; k < POWERS; k++)
            spw_spmv_csr_omp_balanced(job->A, k ? job->y[k - 1] : job->x, job->y[k]);
    return (spw_now() - begin) / calls;
}

static int powers(bench *b, const char *name) {
    spw_csr A = {0};
    powers_job job = {.A = &A};
    contest run = {0};
    int status = 1;
    if (spw_csr_generate(name, &A) || spw_powers_create(&A, &job.P)) goto done;
    if (SPW_ALLOC(&job.x, A.n_rows)) goto done;
    operands_fill(A.n_rows, job.x);
    for (int k = 0; k < POWERS; k++) {
        if (SPW_ALLOC(&job.y[k], A.n_rows)) goto done;
        operands_fill(A.n_rows, job.y[k]);
    }
    const double bytes = POWERS * ((double)spw_csr_bytes(&A) + 24.0 * A.n_rows);
    runner *plain = contest_enter(&run, "8 products", bytes, 0);
    runner *fronts = contest_enter(&run, "8 powers by levels", bytes, 0);
    plain->seconds = seconds_of_products;
    fronts->seconds = seconds_of_powers;
    plain->state = fronts->state = &job;
    plain->side = fronts->side = SIDE_OURS;
    printf("\nPowers of %s, p = 8: %d levels\n", name, (int)job.P.n_levels);
    contest_run(&run, b->rounds < 9 ? b->rounds : 9);
    contest_compare(b, "solvers", name, "powers by levels against products", fronts, plain, 1.5);
    status = 0;
done:
    if (status) fail("powers of %s: %s", name, spw_message());
    for (int k = 0; k < POWERS; k++) spw_free(job.y[k]);
    spw_free(job.x);
    spw_powers_destroy(&job.P);
    spw_csr_destroy(&A);
    return status;
}

int bench_solvers(bench *b) {
    const bool q = b->quick;
    int failed = steps(b, q ? "laplace2d:500x500" : "laplace2d:2000x2000");
    failed |= precisions(b, q ? "fem3:16" : "fem3:72");
    failed |= powers(b, q ? "laplace2d:700x700" : "laplace2d:4000x4000");
    return failed;
}

/* Triangular solves by levels against the serial one, and what each preconditioner costs in products. */
#include "base/memory.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "kernels/trsv.h"
#include "perf/timer.h"
#include "solvers/precond.h"

#include <stdio.h>

typedef struct triangle_job {
    spw_triangle T;
    double *b, *x;
} triangle_job;

static double seconds_of_solve(const runner *r, int calls) {
    triangle_job *job = r->state;
    const double begin = spw_now();
    for (int c = 0; c < calls; c++)
        ((spw_trsv_csr_fn *)r->kernel->function)(&job->T, job->b, job->x);
    return (spw_now() - begin) / calls;
}

int bench_trsv(bench *b, const char *name) {
    spw_csr A = {0};
    triangle_job job = {0};
    spw_probe probe = {0};
    contest run = {0};
    const runner *serial = NULL;
    int status = 1;
    if (spw_csr_load(name, &A)) goto done;
    if (spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &job.T)) goto done;
    if (spw_triangle_schedule(&job.T, b->threads, 0)) goto done;
    if (SPW_ALLOC(&job.b, A.n_rows) || SPW_ALLOC(&job.x, A.n_rows)) goto done;
    operands_fill(A.n_rows, job.b);
    operands_fill(A.n_rows, job.x);
    const double bytes = (double)spw_triangle_bytes(&job.T) + 16.0 * A.n_rows;
    if (contest_enter_probe(&run, SPW_LOAD, bytes, b->threads, &probe)) goto done;
    for (const spw_kernel *v = spw_kernels("trsv_csr"); v->symbol; v++) {
        runner *r = contest_enter(&run, v->symbol, bytes, 0);
        r->seconds = seconds_of_solve;
        r->kernel = v;
        r->state = &job;
        if (!spw_kernel_is_reference(v)) continue;
        r->side = SIDE_ASIDE;
        serial = r;
    }
    printf("\nLower triangle of %s: %d levels of blocks of up to %d rows\n", name,
           (int)job.T.n_levels, (int)job.T.block);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "trsv", name);
    contest_compare(b, "trsv", name, "by levels against serial",
                    contest_best(&run, SIDE_OURS, false), serial,
                    b->matrix || b->threads < 2 ? 0 : 1.4);
    status = 0;
done:
    if (status) fail("triangle of %s: %s", name, spw_message());
    spw_probe_destroy(&probe);
    spw_free(job.b);
    spw_free(job.x);
    spw_triangle_destroy(&job.T);
    spw_csr_destroy(&A);
    return status;
}

/* --- preconditioners ----------------------------------------------------------------------------------- */

typedef struct apply_job {
    const spw_operator *op;
    const double *x;
    double *y;
} apply_job;

static double seconds_of_apply(const runner *r, int calls) {
    const apply_job *job = r->state;
    const double begin = spw_now();
    for (int c = 0; c < calls; c++) spw_operator_apply(job->op, job->x, job->y);
    return (spw_now() - begin) / calls;
}

/* An application and the set-up, both over the time of a product in the same run. */
static void in_products(bench *b, const char *name, const char *precond, const spw_operator *A,
                        const spw_operator *M, const double *x, double *y) {
    contest run = {0};
    apply_job jobs[] = {{A, x, y}, {M, x, y}};
    runner *r[2];
    for (int k = 0; k < 2; k++) {
        r[k] = contest_enter(&run, jobs[k].op->name, spw_cost_bytes(jobs[k].op->cost), 0);
        r[k]->seconds = seconds_of_apply;
        r[k]->state = &jobs[k];
    }
    contest_run(&run, b->rounds < 9 ? b->rounds : 9);
    char text[BENCH_TEXT], note[BENCH_TEXT];
    set_text(text, "%s: application", precond);
    set_text(note, "its bytes: %.2f", spw_cost_in_products(M->cost, A));
    report(b, (result){"precond", name, text, r[1]->value / r[0]->value, "SpMV", .note = note});
    set_text(text, "%s: set-up", precond);
    set_text(note, "%s", M->note);
    report(b,
           (result){"precond", name, text, M->setup_seconds / r[0]->value, "SpMV", .note = note});
}

/* All of the table, with their usual numbers. */
static void all_preconds(bench *b, const char *name, const spw_csr *A, const spw_operator *op,
                         const double *x, double *y) {
    int count;
    const spw_precond *const table = spw_preconds(&count);
    for (const spw_precond *row = table; row < table + count; row++) {
        char precond[BENCH_TEXT];
        spw_operator M;
        if (row->usual)
            set_text(precond, "%s:%d", row->name, row->usual);
        else
            set_text(precond, "%s", row->name);
        if (row->make == spw_precond_cholesky) { /* not for systems */
            printf("  %s is left out: it solves the whole system, with its fill-in\n", precond);
            continue;
        }
        if (spw_precond_named(precond, A, &M)) {
            printf("  %s is left out: %s\n", precond, spw_message());
            continue;
        }
        in_products(b, name, precond, op, &M, x, y);
        spw_operator_destroy(&M);
    }
}

int bench_preconds(bench *b, const char *name) {
    spw_csr A = {0};
    spw_operator op = {0};
    double *x = NULL, *y = NULL;
    int status = 1;
    if (spw_csr_load(name, &A) || spw_operator_from_csr(&A, &op)) goto done;
    if (SPW_ALLOC(&x, A.n_rows) || SPW_ALLOC(&y, A.n_rows)) goto done;
    operands_fill(A.n_rows, x);
    operands_fill(A.n_rows, y);
    printf(
        "\nPreconditioners of %s, in products with it: time, and what the bytes alone would say\n",
        name);
    all_preconds(b, name, &A, &op, x, y);
    status = 0;
done:
    if (status) fail("preconditioners of %s: %s", name, spw_message());
    spw_free(x);
    spw_free(y);
    spw_operator_destroy(&op);
    spw_csr_destroy(&A);
    return status;
}

/* Triangular solves by levels against the serial one, and what each preconditioner costs in products. */
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "kernels/trsv.h"
#include "solvers/precond.h"

#include <stdio.h>

typedef struct triangle_job {
    spw_triangle T;
    double *b, *x;
} triangle_job;

static void drop(triangle_job *job) {
    operands_drop_vector(&job->b);
    operands_drop_vector(&job->x);
    spw_triangle_destroy(&job->T);
}

static void call_solve(const runner *r) {
    const triangle_job *job = r->state;
    ((spw_trsv_csr_fn *)r->kernel->function)(&job->T, job->b, job->x);
}

int bench_trsv(bench *b, const bench_case *c) {
    OWNED(spw_csr_destroy) spw_csr A = {0};
    OWNED(drop) triangle_job job = {0};
    OWNED(contest_close) contest run = {0};
    const char *name = c->matrix;
    const runner *serial = NULL;
    set_text(b->about, "triangle of %s", name);
    if (spw_csr_load(name, &A) || spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &job.T) ||
        spw_triangle_schedule(&job.T, b->threads, 0) || operands_vector(&job.b, A.n_rows) ||
        operands_vector(&job.x, A.n_rows))
        return 1;
    const double bytes = (double)spw_triangle_bytes(&job.T) + 16.0 * A.n_rows;
    if (contest_enter_probe(&run, SPW_LOAD, bytes, b->threads)) return 1;
    for (const spw_kernel *v = spw_kernels("trsv_csr"); v->symbol; v++) {
        runner *r = contest_enter(&run, v->symbol, bytes, 0);
        r->work = call_solve;
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
    return 0;
}

/* --- preconditioners ----------------------------------------------------------------------------------- */

typedef struct apply_job {
    const spw_operator *op;
    const double *x;
    double *y;
} apply_job;

static void call_apply(const runner *r) {
    const apply_job *job = r->state;
    spw_operator_apply(job->op, job->x, job->y);
}

/* An application and the set-up, both over the time of a product in the same run. */
static void in_products(bench *b, const char *name, const char *precond, const spw_operator *A,
                        const spw_operator *M, const double *x, double *y) {
    contest run = {0};
    apply_job jobs[] = {{A, x, y}, {M, x, y}};
    runner *r[2];
    for (int k = 0; k < 2; k++) {
        r[k] = contest_enter(&run, jobs[k].op->name, spw_cost_bytes(jobs[k].op->cost), 0);
        r[k]->work = call_apply;
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

int bench_preconds(bench *b, const bench_case *c) {
    OWNED(spw_csr_destroy) spw_csr A = {0};
    OWNED(spw_operator_destroy) spw_operator op = {0};
    OWNED(operands_drop_vector) double *x = NULL;
    OWNED(operands_drop_vector) double *y = NULL;
    set_text(b->about, "preconditioners of %s", c->matrix);
    if (spw_csr_load(c->matrix, &A) || spw_operator_from_csr(&A, &op) ||
        operands_vector(&x, A.n_rows) || operands_vector(&y, A.n_rows))
        return 1;
    printf(
        "\nPreconditioners of %s, in products with it: time, and what the bytes alone would say\n",
        c->matrix);
    all_preconds(b, c->matrix, &A, &op, x, y);
    return 0;
}

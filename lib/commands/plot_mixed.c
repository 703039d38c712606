/* commands/plot_mixed.c -- residual against bytes moved for conjugate gradients in double, in float, and in
 * float with refinement: exercise 15's plot.
 *
 *   plot_mixed [--out FOLDER]
 *     --out      folder of exercise-15.tsv, build/plots
 * The residuals are those of real runs; the bytes are those of the model, write-allocate included, so that no
 * clock has a say. What refinement does in double besides is spread over its iterations. The residual of all
 * float is b - A x, computed in double; the others are those of the recurrences.
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "base/memory.h"
#include "formats/generate.h"
#include "kernels/single.h"
#include "solvers/cg.h"
#include "solvers/refine.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SYSTEM "fem1:24"

enum { FLOAT_ITERATIONS = 160 };
static const double TOLERANCE = 1e-12;

typedef struct problem {
    spw_csr A;
    spw_operator op;
    spw_csr_single S;
    double *b, *x, *t;    /* [n] */
    float *p, *q, *r, *y; /* [n] */
    FILE *file;
} problem;

static spw_status make(problem *s)
{
    spw_status status = spw_csr_generate(SYSTEM, &s->A);
    const int64_t n = s->A.n_rows;
    if (!status) status = spw_operator_from_csr(&s->A, &s->op);
    if (!status) status = spw_csr_single_from_csr(&s->A, &s->S);
    double **const vectors[] = {&s->b, &s->x, &s->t};
    float **const floats[] = {&s->p, &s->q, &s->r, &s->y};
    for (int k = 0; k < 3 && !status; k++) status = SPW_ALLOC_ZERO(vectors[k], n);
    for (int k = 0; k < 4 && !status; k++) status = SPW_ALLOC_ZERO(floats[k], n);
    for (int64_t i = 0; i < n && !status; i++) s->x[i] = 1;
    if (!status) spw_operator_apply(&s->op, s->x, s->b);
    return status;
}

static void destroy(problem *s)
{
    spw_operator_destroy(&s->op);
    spw_csr_single_destroy(&s->S);
    spw_csr_destroy(&s->A);
    spw_free(s->b);
    spw_free(s->x);
    spw_free(s->t);
    spw_free(s->p);
    spw_free(s->q);
    spw_free(s->r);
    spw_free(s->y);
}

static void put(const problem *s, const char *method, int iteration, double each, double residual)
{
    if (residual > 0)
        fprintf(s->file, "%s\t%d\t%.5g\t%.4e\n", method, iteration, iteration * each, residual);
}

static void summary(const char *method, int iterations, double each, double residual)
{
    printf("  %-22s %10d %12.3f %14.1e\n", method, iterations, iterations * each, residual);
}

static spw_status run(const problem *s, bool mixed)
{
    const char *name = mixed ? "refined" : "double";
    const spw_solve_options options = {.tolerance = TOLERANCE};
    spw_solve_result result;
    memset(s->x, 0, (size_t)s->A.n_rows * sizeof *s->x);
    spw_operator_single S;
    spw_status status = spw_operator_single_from_csr(&s->S, &S);
    if (!status)
        status = mixed ? spw_refine(&s->op, &S, s->b, s->x, &options, &result)
                       : spw_cg(&s->op, s->b, s->x, &options, &result);
    if (status) return status;
    const double each =
        1e-9 * (spw_cost_bytes(spw_solve_cost(&result)) + spw_solve_write_allocate(&result)) /
        (result.iterations > 0 ? result.iterations : 1);
    for (int k = 0; k < result.n_history; k++) put(s, name, k, each, result.history[k]);
    fprintf(s->file, "\n\n");
    summary(mixed ? "float, refined" : "all double", result.iterations, each, result.true_residual);
    spw_solve_result_destroy(&result);
    return SPW_OK;
}

static double norm(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* b - A y, y being what float has reached, in units of ||b||. */
static double true_residual(const problem *s, double norm_b)
{
    const int64_t n = s->A.n_rows;
    for (int64_t i = 0; i < n; i++) s->x[i] = (double)s->y[i] * (norm_b / s->S.scale);
    spw_operator_apply(&s->op, s->x, s->t);
    for (int64_t i = 0; i < n; i++) s->t[i] = s->b[i] - s->t[i];
    return norm(n, s->t) / norm_b;
}

static void run_in_float(const problem *s)
{
    const int64_t n = s->A.n_rows;
    const double norm_b = norm(n, s->b);
    const double each = 1e-9 * (8.0 * s->A.nnz + 52.0 * (double)n); /* of solvers/refine.h */
    double rho = 0, old = 1, residual = 1;
    spw_round_single_omp(n, 1 / norm_b, s->b, s->r);
    for (int64_t i = 0; i < n; i++) rho += (double)s->r[i] * (double)s->r[i];
    for (int k = 0; k <= FLOAT_ITERATIONS; k++) {
        residual = true_residual(s, norm_b);
        put(s, "float", k, each, residual);
        spw_direction_single_omp(n, k ? (float)(rho / old) : 0, s->r, s->p);
        const double p_q = spw_spmv_dot_single_omp(&s->S, s->p, s->q);
        if (!(p_q > 0)) break;
        old = rho;
        rho = spw_cg_step_single_omp(n, (float)(rho / p_q), s->p, s->q, s->y, s->r);
    }
    fprintf(s->file, "\n\n");
    summary("all float", FLOAT_ITERATIONS, each, residual);
}

static spw_status draw(const char *folder)
{
    char path[4096];
    problem s = {.file = NULL};
    spw_status status = SPW_OK;
    snprintf(path, sizeof path, "%s/exercise-15.tsv", folder);
    s.file = fopen(path, "w");
    if (!s.file) return spw_error(SPW_ERR_FILE, "%s: %s", path, strerror(errno));
    status = make(&s);
    if (status) goto end;
    printf("Exercise 15: conjugate gradients on " SYSTEM " to %.0e\n", TOLERANCE);
    printf("  %-22s %10s %12s %14s\n", "", "iterations", "GB (model)", "||b-Ax||/||b||");
    status = run(&s, false);
    if (!status) run_in_float(&s);
    if (!status) status = run(&s, true);
end:
    destroy(&s);
    if (fclose(s.file) && !status) status = spw_error(SPW_ERR_FILE, "no room for %s", path);
    return status;
}

int main(int argc, char **argv)
{
    const char *folder = argc == 3 && strcmp(argv[1], "--out") == 0 ? argv[2] : "build/plots";
    mkdir(folder, 0777); /* if it is there already or cannot be made, fopen tells */
    if (draw(folder)) {
        fprintf(stderr, "plot_mixed: %s\n", spw_message());
        return 1;
    }
    return 0;
}

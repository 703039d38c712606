#include "commands/solving.h"

#include "base/memory.h"
#include "base/random.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { RHS_SEED = 2026 };

void solving_destroy(problem *P) {
    spw_solve_result_destroy(&P->result);
    spw_lobpcg_result_destroy(&P->pairs);
    spw_operator_destroy(&P->M);
    spw_operator_destroy(&P->single);
    spw_operator_float_destroy(&P->S);
    spw_operator_destroy(&P->op);
    spw_free(P->b);
    spw_free(P->x);
    spw_csr_destroy(&P->A);
}

spw_status solving_check(settings *s) {
    s->eigen = s->solver && strcmp(s->solver, "lobpcg") == 0;
    if (!s->matrix)
        return spw_error(SPW_ERR_ARG, "which matrix? make solve MATRIX=laplace2d:500, or a file");
    if (s->eigen && (s->rhs || s->plain))
        return spw_error(SPW_ERR_ARG, "lobpcg has no right-hand side: no RHS");
    if (!s->eigen && (s->pairs.nv || s->which))
        return spw_error(SPW_ERR_ARG, "NV and WHICH are of SOLVER=lobpcg");
    if (!s->rhs) s->rhs = "ones";
    if (!s->which) s->which = "smallest";
    if (!s->pairs.nv) s->pairs.nv = 8;
    if (!s->tolerance) s->tolerance = s->eigen ? 1e-6 : 1e-8;
    s->pairs.largest = strcmp(s->which, "largest") == 0;
    if (!s->pairs.largest && strcmp(s->which, "smallest"))
        return spw_error(SPW_ERR_ARG, "WHICH is '%s', must be smallest or largest", s->which);
    return SPW_OK;
}

bool solving_symmetric(const spw_csr_info *info) {
    const double rounding = 1e-12;
    return info->n_rows == info->n_cols && info->asymmetry <= rounding;
}

spw_status solving_vectors(problem *P, int64_t first) {
    spw_status status = SPW_ALLOC(&P->b, P->op.n);
    if (!status) status = SPW_ALLOC(&P->x, P->op.n);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < P->op.n; i++) {
        P->x[i] = 1;
        P->b[i] = 2 * spw_random_double(RHS_SEED, (uint64_t)(first + i)) - 1;
    }
    return SPW_OK;
}

void solving_start(const settings *s, problem *P) {
    if (strcmp(s->rhs, "ones") == 0) spw_operator_apply(&P->op, P->x, P->b);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < P->op.n; i++) P->x[i] = 0;
}

/* Progress on stderr: on a terminal a line that is written again, every half second after the first;
 * else one every ten seconds. */
typedef struct ticker {
    double next; /* seconds at which the next line is due */
    bool terminal, open;
} ticker;

static ticker ticker_begin(void) {
    const bool terminal = isatty(STDERR_FILENO);
    return (ticker){.terminal = terminal, .next = terminal ? 1 : 10};
}

static SPW_PRINTF(3, 4) void ticker_tell(ticker *t, double seconds, const char *format, ...) {
    va_list args;
    if (seconds < t->next) return;
    fprintf(stderr, "%s  %6.0f s   ", t->terminal ? "\r" : "", seconds);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(t->terminal ? "   " : "\n", stderr);
    t->open = t->terminal;
    t->next = seconds + (t->terminal ? 0.5 : 10);
}

static void ticker_end(ticker *t) {
    if (t->open) fprintf(stderr, "\r%70s\r", "");
    t->open = false;
}

static int tick(void *context, int iteration, double residual, double seconds) {
    if (context) ticker_tell(context, seconds, "iteration %d   residual %.2e", iteration, residual);
    return 0;
}

/* Rounding the matrix is part of the time to solution. */
static int tick_pairs(void *context, int iteration, int converged, double residual,
                      double seconds) {
    if (context)
        ticker_tell(context, seconds, "iteration %d   %d converged, residual %.2e", iteration,
                    converged, residual);
    return 0;
}

static spw_status find_pairs(const settings *s, problem *P, const spw_operator *M, ticker *t) {
    spw_lobpcg_options options = s->pairs;
    options.tolerance = s->tolerance;
    options.max_iterations = s->iterations;
    options.progress = tick_pairs;
    options.progress_context = t;
    const spw_status status = spw_lobpcg(&P->op, NULL, M, NULL, 0, &options, &P->pairs);
    P->result.stop = P->pairs.stop;
    P->result.iterations = P->pairs.iterations;
    P->result.seconds = P->pairs.seconds;
    snprintf(P->result.text, sizeof P->result.text, "%s", P->pairs.text);
    return status;
}

static spw_status refine(problem *P, const spw_solve_options *options) {
    spw_status status = spw_operator_float_convert(&P->A, &P->S);
    if (!status) status = spw_refine(&P->op, &P->S, P->b, P->x, options, &P->result);
    return status;
}

spw_status solving_run(const settings *s, problem *P, bool shown) {
    ticker t = ticker_begin();
    const spw_solve_options options = {.tolerance = s->tolerance,
                                       .max_iterations = s->iterations,
                                       .plain = s->plain,
                                       .progress = tick,
                                       .progress_context = shown ? &t : NULL};
    const spw_operator *M = P->has_M ? &P->M : NULL;
    spw_status status;
    if (s->eigen)
        status = find_pairs(s, P, M, shown ? &t : NULL);
    else if (strcmp(s->solver, "bicgstab") == 0)
        status = spw_bicgstab(&P->op, M, P->b, P->x, &options, &P->result);
    else if (strcmp(s->solver, "refine") == 0)
        status = refine(P, &options);
    else
        status = spw_pcg(&P->op, M, P->b, P->x, &options, &P->result);
    if (shown) ticker_end(&t);
    return status;
}

double solving_error(const problem *P) {
    double worst = 0;
    for (int64_t i = 0; i < P->op.n; i++) {
        const double error = fabs(P->x[i] - 1);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

void solving_print_method(const settings *s, const problem *P) {
    printf("%s%s%s, ", s->solver, P->has_M ? ", " : "", P->has_M ? s->precond : "");
    if (s->eigen) printf("%d %s eigenvalues, ", P->pairs.nv, s->which);
    printf("tolerance %g, ", s->tolerance);
    if (!s->eigen) printf("b = %s, ", strcmp(s->rhs, "ones") == 0 ? "A (1, ..., 1)" : s->rhs);
}

void solving_print_end(const settings *s, const problem *P, double error) {
    const spw_solve_result *r = &P->result;
    printf("\n  %s\n", r->text);
    if (s->eigen) return;
    printf("  residual %.2e by recurrence, %.2e by b - A x\n", r->residual, r->true_residual);
    if (strcmp(s->rhs, "ones") == 0) printf("  largest error of x: %.2e\n", error);
}

void solving_print_pairs(const settings *s, const problem *P) {
    const spw_lobpcg_result *r = &P->pairs;
    printf("\n  %4s %24s %14s %10s\n", "pair", "eigenvalue", "||Ax - lx||", "relative");
    for (int j = 0; j < r->nv; j++)
        printf("  %4d %24.15g %14.2e %10.1e%s\n", j + 1, r->lambda[j], r->residual[j],
               r->relative[j],
               r->relative[j] <= s->tolerance  ? ""
               : r->stop == SPW_STOP_CONVERGED ? "  the level of rounding"
                                               : "  above the tolerance");
}

bool solving_positive_diagonal(const spw_csr *A) {
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx k = spw_csr_entry(A, i, i);
        if (k < 0 || !(A->val[k] > 0)) return false;
    }
    return true;
}

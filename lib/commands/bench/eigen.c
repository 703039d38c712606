/* LOBPCG beside other libraries: so many iterations from the same guess, no preconditioner, no guard vectors.
 * Whoever takes part gives its vectors; their eigenvalues are computed here, the same way for all. */
#include "base/memory.h"
#include "base/random.h"
#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "kernels/block.h"
#include "solvers/lobpcg.h"
#include "solvers/precond.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS, ERROR }; /* what is kept of each: the first is the peers', the second ours */

static const double ORTHOGONAL = 1e-6; /* of two vectors of length 1, at most */
static const double FLOOR = 1e-12;     /* errors below are rounding */

typedef struct spectrum {
    spw_csr A;
    spw_operator op;
    double *guess, *X, *AX;        /* [n * nv] */
    double lambda[SPW_LOBPCG_MAX]; /* to many more digits than anybody reaches here */
    int nv, iterations;
} spectrum;

static void drop(spectrum *s) {
    spw_operator_destroy(&s->op);
    spw_csr_destroy(&s->A);
    spw_free(s->guess);
    spw_free(s->X);
    spw_free(s->AX);
}

static spw_status make(const char *name, spectrum *s) {
    spw_status status = spw_csr_load(name, &s->A);
    if (!status) status = spw_operator_from_csr(&s->A, &s->op);
    if (!status) status = operands_symmetric(&s->A);
    const int64_t elements = (int64_t)s->A.n_rows * s->nv;
    if (!status && s->A.n_rows < 8 * s->nv)
        status =
            spw_error(SPW_ERR_ARG, "%d rows are too few for %d vectors", (int)s->A.n_rows, s->nv);
    if (!status) status = SPW_ALLOC(&s->guess, elements);
    if (!status) status = SPW_ALLOC(&s->X, elements);
    if (!status) status = SPW_ALLOC(&s->AX, elements);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < elements; i++) s->guess[i] = spw_random_double(1, (uint64_t)i) - 0.5;
    return SPW_OK;
}

/* What the errors are measured by: a preconditioner, guard vectors, and a tolerance that leaves eigenvalues an
 * error of its square. */
static spw_status find_lambda(spectrum *s) {
    const spw_lobpcg_options options = {.nv = s->nv, .tolerance = 1e-6, .max_iterations = 500};
    spw_operator M = {0};
    spw_lobpcg_result res = {0};
    spw_status status = spw_precond_ic0(&s->A, &M);
    if (!status) status = spw_lobpcg(&s->op, NULL, &M, NULL, 0, &options, &res);
    if (!status && res.stop != SPW_STOP_CONVERGED)
        status = spw_error(SPW_ERR_ARG, "its eigenvalues, to compare with: %s", res.text);
    if (!status) memcpy(s->lambda, res.lambda, (size_t)s->nv * sizeof *s->lambda);
    spw_lobpcg_result_destroy(&res);
    spw_operator_destroy(&M);
    return status;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest relative error of the quotients x . A x / x . x, which no vector makes too small as long as
 * they are orthogonal; that they are is checked. NAN: they are not, and text says so. */
static double error_of(const spectrum *s, const double *X, char text[BENCH_TEXT]) {
    static double XX[SPW_LOBPCG_MAX * SPW_LOBPCG_MAX], XAX[SPW_LOBPCG_MAX * SPW_LOBPCG_MAX];
    const int nv = s->nv;
    double theta[SPW_LOBPCG_MAX], error = 0;
    spw_operator_apply_block(&s->op, nv, X, nv, s->AX, nv, NULL, 0);
    spw_gram_omp(s->A.n_rows, nv, X, nv, nv, X, nv, XX);
    spw_gram_omp(s->A.n_rows, nv, X, nv, nv, s->AX, nv, XAX);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < i; j++) {
            const double cosine = XX[i * nv + j] / sqrt(XX[i * nv + i] * XX[j * nv + j]);
            if (fabs(cosine) <= ORTHOGONAL) continue; /* not NaN */
            set_text(text, "its vectors %d and %d are not orthogonal: cosine %.2g", j, i, cosine);
            return NAN;
        }
        theta[i] = XAX[i * nv + i] / XX[i * nv + i];
    }
    qsort(theta, (size_t)nv, sizeof *theta, ascending);
    for (int i = 0; i < nv; i++)
        error = fmax(error, fabs(theta[i] - s->lambda[i]) / fabs(s->lambda[i]));
    return error;
}

static bool describe(const spectrum *s, const double *X, double *numbers, char text[BENCH_TEXT]) {
    numbers[ERROR] = error_of(s, X, text);
    if (isnan(numbers[ERROR])) return false;
    set_text(text, "%.0f iterations, error %.2g", numbers[ITERATIONS], numbers[ERROR]);
    return true;
}

static bool are_vectors(const peers_job *job, const double *y, double *numbers,
                        char text[BENCH_TEXT]) {
    return describe(job->expected, y, numbers, text);
}

/* --- ours ------------------------------------------------------------------------------------------ */

static spw_status iterate(spectrum *s, bool one_by_one, spw_lobpcg_result *res) {
    const spw_lobpcg_options options = {.nv = s->nv,
                                        .guard = -1,
                                        .tolerance = 1e-300,
                                        .max_iterations = s->iterations,
                                        .one_by_one = one_by_one};
    memcpy(s->X, s->guess, (size_t)s->A.n_rows * (size_t)s->nv * sizeof *s->X);
    return spw_lobpcg(&s->op, NULL, NULL, s->X, 1, &options, res);
}

static double seconds_of_iterations(const runner *r) {
    OWNED(spw_lobpcg_result_destroy) spw_lobpcg_result res = {0};
    return iterate(r->state, r->number, &res) ? NAN : res.seconds;
}

static runner *enter(contest *run, const char *name, spectrum *s, bool one_by_one) {
    spw_lobpcg_result res;
    if (iterate(s, one_by_one, &res)) return NULL;
    runner *r = contest_enter(run, name, 0, 0);
    r->side = one_by_one ? SIDE_ASIDE : SIDE_OURS;
    r->once = seconds_of_iterations;
    r->state = s;
    r->number = one_by_one;
    r->first = res.seconds;
    r->numbers[ITERATIONS] = res.iterations;
    spw_lobpcg_result_destroy(&res);
    if (describe(s, s->X, r->numbers, r->note)) return r;
    spw_error(SPW_ERR_ARG, "%s: %s", name, r->note);
    return NULL;
}

/* --- beside the others --------------------------------------------------------------------------------- */

static void compare(bench *b, const contest *run, const char *subject, const runner *ours,
                    const char *peer, double goal) {
    char name[BENCH_TEXT], text[BENCH_TEXT];
    set_text(name, "%s lobpcg", peer);
    for (int k = 0; k < run->n; k++) {
        const runner *theirs = &run->runners[k];
        if (theirs->side != SIDE_PEER || theirs->out || strcmp(theirs->name, name)) continue;
        set_text(text, "against %s", peer);
        contest_compare(b, "eigen-best", subject, text, ours, theirs, goal);
        set_text(text, "error of %s over ours", peer);
        result line = {"eigen-best", subject, text, .unit = "times", .goal = goal > 0 ? 0.99 : 0};
        line.value = fmax(theirs->numbers[ERROR], FLOOR) / fmax(ours->numbers[ERROR], FLOOR);
        report(b, line);
    }
}

int bench_eigen(bench *b, const bench_case *c) {
    OWNED(drop) spectrum s = {.nv = c->nv, .iterations = b->quick ? 30 : 100};
    contest run = {0};
    char subject[BENCH_TEXT], parameters[BENCH_TEXT];
    const runner *ours, *single;
    set_text(subject, "%s, %d vectors", c->matrix, c->nv);
    set_text(b->about, "LOBPCG on %s", subject);
    if (make(c->matrix, &s) || find_lambda(&s)) return 1;
    printf("\n%d iterations of LOBPCG on %s; error: the largest of an eigenvalue, relative\n",
           s.iterations, subject);
    if (!(ours = enter(&run, "products with a block", &s, false)) ||
        !(single = enter(&run, "single products", &s, true)))
        return 1;
    set_text(parameters, "iterations=%d", s.iterations);
    const peers_job job = {.op = "lobpcg",
                           .parameters = parameters,
                           .A = &s.A,
                           .nv = c->nv,
                           .x = s.guess,
                           .expected = &s,
                           .is_right = are_vectors};
    peers_enter_job(b->set, &run, &job);
    contest_run(&run, b->rounds);
    contest_report_seconds(b, &run, "eigen", subject, 1, "s");
    printf("\n  %s: ours / theirs\n", subject);
    contest_compare(b, "eigen-best", subject, "blocked against single products", ours, single,
                    c->goals[2]);
    compare(b, &run, subject, ours, "slepc", c->goals[0]);
    compare(b, &run, subject, ours, "hypre", c->goals[1]);
    return 0;
}

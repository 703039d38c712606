/* Exercise 15: TOGETHER, preconditioners on three systems: the answer's polynomials, as far as they are written, and
 * the library's others, all with the library's solver. */
#include "driver.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/incomplete.h"
#include "kernels/trsv.h"
#include "kit/cases.h"
#include "kit/systems.h"
#include "perf/timer.h"
#include "solvers/cg.h"
#include "solvers/precond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum kind { NONE, JACOBI, BLOCK_JACOBI, IC0, IC0_NEUMANN, CHEBYSHEV, CONTENDERS } kind;

enum {
    BLOCK_ROWS = 4,
    NEUMANN_DEGREE = 2,
    CHEBYSHEV_DEGREE = 4,
    MOST_STEPS = 400,
    MOST_WITHOUT = 200,
    LEAST_ROUNDS = 5,
    MOST_ROUNDS = 15,
};
static const double SECONDS = 3; /* of one system, beyond the least rounds */
static const double FAR = 3;     /* times as slow as the fastest: twice is enough */

static const struct {
    const char *name, *needs; /* the function of the answer, or NULL */
} rows[CONTENDERS] = {
    [NONE] = {"none", NULL},
    [JACOBI] = {"Jacobi", NULL},
    [BLOCK_JACOBI] = {"block-Jacobi, 4", NULL},
    [IC0] = {"IC(0)", NULL},
    [IC0_NEUMANN] = {"IC(0), Neumann 2", "neumann"},
    [CHEBYSHEV] = {"Chebyshev 4", "chebyshev"},
};

static bool is_there(const spw_run *run, int which) {
    return !rows[which].needs || spw_run_symbol(run, rows[which].needs);
}

typedef struct answers {
    __typeof__(neumann) *neumann;
    __typeof__(chebyshev) *chebyshev;
    __typeof__(neumann_cost) *neumann_cost, *chebyshev_cost;
} answers;

/* One of the preconditioners: M, of the library, or made of the answer's function and what stands below. */
typedef struct contender {
    spw_operator M;
    const answers *f;
    const spw_csr *A;
    double *inverse, *ones, *work[3]; /* inverse: of the diagonal of A, or of the factor */
    double low, high;
    spw_triangle L; /* M = (D + N) (I + D^-1 N^t) */
    spw_csr above;  /* D^-1 N^t */
} contender;

static spw_csr without_diagonal(const spw_triangle *L) {
    return (spw_csr){L->n, L->n, L->nnz, L->row_ptr, L->col_idx, L->val};
}

static void apply_neumann(void *context, const double *r, double *z) {
    const contender *c = (const contender *)context;
    const spw_csr below = without_diagonal(&c->L);
    c->f->neumann(&below, c->L.inverse, NEUMANN_DEGREE, r, c->work[0], c->work[1]);
    c->f->neumann(&c->above, c->ones, NEUMANN_DEGREE, c->work[0], z, c->work[1]);
}

static void apply_chebyshev(void *context, const double *r, double *z) {
    const contender *c = (const contender *)context;
    c->f->chebyshev(c->A, c->inverse, c->low, c->high, CHEBYSHEV_DEGREE, r, z,
                    &(chebyshev_room){c->work[0], c->work[1], c->work[2]});
}

/* L, with the least shift that works. */
static spw_status factor(contender *c) {
    spw_incomplete found = {0};
    spw_status status = spw_triangle_from_csr(c->A, SPW_LOWER, SPW_DIAGONAL_OWN, &c->L);
    if (!status) status = spw_triangle_schedule(&c->L, spw_max_threads(), 0);
    for (double shift = 0;
         !status && found.bad < c->L.n && shift<1; shift = shift> 0 ? 2 * shift : 0.001)
        status = spw_ic0_omp(c->A, shift, &c->L, &found);
    return status;
}

static spw_status make_neumann(contender *c) {
    spw_status status = factor(c);
    const spw_triangle *L = &c->L;
    const spw_csr below = without_diagonal(L);
    if (!status) status = SPW_ALLOC(&c->ones, L->n);
    if (!status) status = spw_csr_transpose(&below, &c->above);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < L->n; i++) {
        c->ones[i] = 1;
        for (spw_idx k = c->above.row_ptr[i]; k < c->above.row_ptr[i + 1]; k++)
            c->above.val[k] *= L->inverse[i];
    }
    const double n = c->A->n_rows, nz = c->A->nnz;
    c->M = (spw_operator){.name = "neumann", .n = L->n, .context = c, .apply = apply_neumann};
    if (c->f->neumann_cost) c->M.cost = c->f->neumann_cost(n, nz, NEUMANN_DEGREE);
    return SPW_OK;
}

/* Eigenvalues of D^-1 A are not above the largest sum of a row of |D^-1/2 A D^-1/2|, and by Gershgorin not as
 * far below 1 as that is above. */
static void find_interval(contender *c) {
    const spw_csr *A = c->A;
    double high = 0;
#pragma omp parallel for schedule(static) reduction(max : high)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += fabs(A->val[k]) * sqrt(c->inverse[i] * c->inverse[A->col_idx[k]]);
        if (sum > high) high = sum;
    }
    c->high = high;
    c->low = fmax(2 - high, high / (4 * (CHEBYSHEV_DEGREE + 1) * (CHEBYSHEV_DEGREE + 1)));
}

static spw_status make_chebyshev(contender *c) {
    const spw_csr *A = c->A;
    const spw_status status = SPW_ALLOC(&c->inverse, A->n_rows);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] == i) c->inverse[i] = 1 / A->val[k];
    find_interval(c);
    c->M =
        (spw_operator){.name = "chebyshev", .n = A->n_rows, .context = c, .apply = apply_chebyshev};
    if (c->f->chebyshev_cost) c->M.cost = c->f->chebyshev_cost(A->n_rows, A->nnz, CHEBYSHEV_DEGREE);
    return SPW_OK;
}

static void free_contender(contender *c) {
    spw_operator_destroy(&c->M);
    spw_triangle_destroy(&c->L);
    spw_csr_destroy(&c->above);
    spw_free(c->inverse);
    spw_free(c->ones);
    for (int k = 0; k < 3; k++) spw_free(c->work[k]);
}

static spw_status make_contender(const answers *f, const spw_csr *A, kind which, contender *c) {
    spw_status status = SPW_OK;
    *c = (contender){.f = f, .A = A};
    for (int k = 0; k < 3 && !status && which >= IC0_NEUMANN; k++)
        status = SPW_ALLOC_ZERO(&c->work[k], A->n_rows);
    if (status) return status;
    switch (which) {
    case JACOBI: return spw_precond_jacobi(A, &c->M);
    case BLOCK_JACOBI: return spw_precond_bjacobi(A, BLOCK_ROWS, &c->M);
    case IC0: return spw_precond_ic0(A, &c->M);
    case IC0_NEUMANN: return make_neumann(c);
    case CHEBYSHEV: return make_chebyshev(c);
    default: return SPW_OK;
    }
}

/* --- by turns -------------------------------------------------------------------------------------------------------- */

typedef struct score {
    double setup[MOST_ROUNDS], solve[MOST_ROUNDS], both[MOST_ROUNDS]; /* s */
    int count;
    bool out;                /* not there, or so far behind that it is not repeated */
    double value, low, high; /* of both: the lower quartile and its interval */
    double bytes;            /* of one application */
    int iterations;
    bool converged;
} score;

typedef struct contest {
    const answers *f;
    const spw_csr *A;
    spw_operator op; /* A */
    double *b, *x;   /* [n] */
    score score[CONTENDERS];
    spw_status status;
} contest;

/* Set-up and solution to 1e-8. */
static bool take_turn(void *context, int which) {
    contest *t = (contest *)context;
    score *s = &t->score[which];
    if (s->out) return true;
    contender c;
    spw_solve_result result = {0};
    const spw_solve_options options = {.tolerance = 1e-8,
                                       .max_iterations = which == NONE ? MOST_WITHOUT : MOST_STEPS};
    const double begin = spw_now();
    t->status = make_contender(t->f, t->A, (kind)which, &c);
    const double made = spw_now();
    if (!t->status) {
        memset(t->x, 0, (size_t)t->A->n_rows * sizeof *t->x);
        t->status = spw_pcg(&t->op, which == NONE ? NULL : &c.M, t->b, t->x, &options, &result);
    }
    if (!t->status) {
        s->setup[s->count] = made - begin;
        s->solve[s->count] = spw_now() - made;
        s->both[s->count] = s->setup[s->count] + s->solve[s->count];
        s->count++;
        s->bytes = spw_cost_bytes(c.M.cost) + c.M.write_allocate;
        s->iterations = result.iterations;
        s->converged = result.stop == SPW_STOP_CONVERGED;
    }
    spw_solve_result_destroy(&result);
    free_contender(&c);
    return !t->status;
}

/* The fastest that converged, or -1; *next: the fastest of those whose interval meets its own, or -1. */
static int fastest(score *scores, int *next) {
    int best = -1;
    *next = -1;
    for (int k = 0; k < CONTENDERS; k++) {
        score *s = &scores[k];
        if (!s->count) continue;
        double x[MOST_ROUNDS];
        memcpy(x, s->both, sizeof x);
        s->value = spw_quartile(x, s->count, &s->low, &s->high);
        if (s->converged && (best < 0 || s->value < scores[best].value)) best = k;
    }
    for (int k = 0; k < CONTENDERS && best >= 0; k++) {
        score *s = &scores[k];
        const bool far = s->count > 1 && s->value > FAR * scores[best].value;
        if (s->count && (!s->converged || far)) s->out = true;
        if (!s->count || s->out || k == best || s->low > scores[best].high) continue;
        if (*next < 0 || s->value < scores[*next].value) *next = k;
    }
    return best;
}

static double middle(const double *samples, int n) {
    double x[MOST_ROUNDS];
    memcpy(x, samples, sizeof x);
    return spw_quartile(x, n, NULL, NULL);
}

static void tell_row(spw_run *run, const contest *t, int which, const char *mark) {
    const score *s = &t->score[which];
    char products[16] = "-", steps[16], range[40] = "";
    if (s->bytes > 0 || which == NONE)
        snprintf(products, sizeof products, "%.2f",
                 s->bytes / (12.0 * t->A->nnz + 28.0 * t->A->n_rows));
    snprintf(steps, sizeof steps, "%s%d", s->converged ? "" : "> ", s->iterations);
    if (s->count > 1) snprintf(range, sizeof range, " [%.0f..%.0f]", 1e3 * s->low, 1e3 * s->high);
    spw_run_line(run, "  %-16s %5s %6s x %7.2f + %5.0f = %6.0f%s%s", rows[which].name, products,
                 steps, 1e3 * middle(s->solve, s->count) / fmax(1, s->iterations),
                 1e3 * middle(s->setup, s->count), 1e3 * s->value, range, mark);
}

static void tell(spw_run *run, contest *t, const char *title) {
    int next, there = 0;
    const int best = fastest(t->score, &next);
    spw_run_line(run, "%s, n = %d, nz = %.1f M", title, t->A->n_rows, t->A->nnz * 1e-6);
    for (int k = 0; k < CONTENDERS; k++) {
        if (t->score[k].count) tell_row(run, t, k, k == best && next < 0 ? " <" : "");
        there += t->score[k].count > 0;
    }
    if (next >= 0 && there > 1)
        spw_run_line(run, "  no verdict: %s and %s scatter more than they differ", rows[best].name,
                     rows[next].name);
}

static spw_status run_contest(spw_run *run, const answers *f, int which) {
    static const char *const titles[] = {"short time step, odd units", "four coupled unknowns",
                                         "columns of thin layers"};
    spw_csr A;
    contest t = {.f = f, .A = &A};
    t.status = which == 0   ? spw_system_short_step(36, &A)
               : which == 1 ? spw_system_coupled(24, &A)
                            : spw_system_columns(3000, 32, &A);
    if (t.status) return t.status;
    t.status = SPW_ALLOC(&t.b, A.n_rows);
    if (!t.status) t.status = SPW_ALLOC_ZERO(&t.x, A.n_rows);
    if (!t.status) t.status = spw_operator_from_csr(&A, &t.op);
    if (!t.status) spw_case_vector(spw_run_seed(run), A.n_rows, t.b);
    for (int k = 0; k < CONTENDERS; k++) t.score[k].out = !is_there(run, k);
    const double begin = spw_now();
    for (int round = 0, next = 0; round < MOST_ROUNDS && !t.status; round++) {
        /* Who looks after every round sees two that are alike apart sooner or later. */
        const bool look = round && round % LEAST_ROUNDS == 0;
        if (look && (next < 0 || spw_now() - begin > SECONDS)) break;
        if (spw_by_turns(CONTENDERS, spw_run_seed(run), round, take_turn, &t))
            fastest(t.score, &next);
    }
    if (!t.status) tell(run, &t, titles[which]);
    spw_operator_destroy(&t.op);
    spw_free(t.x);
    spw_free(t.b);
    spw_csr_destroy(&A);
    return t.status;
}

void compare_all(spw_run *run) {
    const answers f = {SPW_AS(neumann, spw_run_symbol(run, "neumann")),
                       SPW_AS(chebyshev, spw_run_symbol(run, "chebyshev")),
                       SPW_AS(neumann_cost, spw_run_symbol(run, "neumann_cost")),
                       SPW_AS(chebyshev_cost, spw_run_symbol(run, "chebyshev_cost"))};
    spw_run_headline(run, "your polynomials and the library's others, to 1e-8, by turns");
    spw_run_line(run, "  %-16s %5s %6s   %7s   %5s   %6s", "", "SpMVs", "steps", "ms each", "made",
                 "ms");
    for (int which = 0; which < 3; which++)
        if (run_contest(run, &f, which)) spw_run_line(run, "not compared: %s", spw_message());
    for (int k = 0; k < CONTENDERS; k++)
        if (!is_there(run, k)) spw_run_line(run, "%s waits for %s", rows[k].name, rows[k].needs);
    spw_run_line(run, "SpMVs: one application in products with A, of yours by your model. < is");
    spw_run_line(
        run, "the fastest, beyond all intervals. What is %.0f times as slow as the fastest", FAR);
    spw_run_line(run, "runs twice.");
}

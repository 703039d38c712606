/* Exercise 13: TOGETHER, the answer's preconditioners on three systems: those of which all functions are written. */
#include "driver.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "kit/cases.h"
#include "perf/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NONE = CHEBYSHEV + 1,
    CONTENDERS,
    BLOCK_ROWS = 4,
    NEUMANN_DEGREE = 2,
    CHEBYSHEV_DEGREE = 4,
    MOST_STEPS = 400,
    MOST_WITHOUT = 200,
    LEAST_ROUNDS = 5,
    MOST_ROUNDS = 15,
};
static const double SECONDS = 3; /* of one system, beyond the least rounds */
static const double FAR = 3;     /* times as slow as the fastest: once is enough */

static const struct {
    const char *name, *needs[6]; /* the functions it is made of, beside pcg */
} rows[CONTENDERS] = {
    [JACOBI] = {"Jacobi", {"invert_diagonal", "jacobi"}},
    [BLOCK_JACOBI] = {"block-Jacobi, 4", {"block_jacobi"}},
    [IC0] = {"IC(0)", {"ic0_factor", "ic0", "levels", "solve", "ic0_apply"}},
    [IC0_NEUMANN] = {"IC(0), Neumann 2", {"ic0_factor", "ic0", "levels", "neumann"}},
    [CHEBYSHEV] = {"Chebyshev 4", {"invert_diagonal", "chebyshev"}},
    [NONE] = {"none", {NULL}}};

/* NULL: there is none that was not written. */
static const char *missing(const spw_run *run, int kind)
{
    for (int k = 0; rows[kind].needs[k]; k++)
        if (!spw_run_symbol(run, rows[kind].needs[k])) return rows[kind].needs[k];
    return NULL;
}

typedef struct answers {
    invert_fn invert_diagonal;
    jacobi_fn jacobi;
    block_fn block_jacobi;
    ic0_fn ic0;
    levels_fn levels;
    ic0_apply_fn ic0_apply;
    neumann_fn neumann;
    chebyshev_fn chebyshev;
    pcg_fn pcg;
    apply_cost_fn apply_cost;
} answers;

/* A preconditioner made of the answer's functions. */
typedef struct contender {
    int kind;
    const answers *f;
    const spw_csr *A;
    double *inverse, *blocks, *work[3]; /* inverse: of the diagonal of A, or of L */
    double low, high;
    spw_csr below, above;
    sorted below_sorted, above_sorted;
    triangle T, U;
} contender;

static void apply_contender(const void *context, const double *r, double *z)
{
    const contender *c = (const contender *)context;
    const int64_t n = c->A->n_rows;
    switch (c->kind) {
    case JACOBI: c->f->jacobi(n, c->inverse, r, z); break;
    case BLOCK_JACOBI: c->f->block_jacobi(n, BLOCK_ROWS, c->blocks, r, z); break;
    case IC0: c->f->ic0_apply(&c->T, &c->U, r, z, c->work[0]); break;
    case IC0_NEUMANN:
        c->f->neumann(&c->T, NEUMANN_DEGREE, r, c->work[0], c->work[1]);
        c->f->neumann(&c->U, NEUMANN_DEGREE, c->work[0], z, c->work[1]);
        break;
    case CHEBYSHEV:
        c->f->chebyshev(c->A, c->inverse, c->low, c->high, CHEBYSHEV_DEGREE, r, z,
                        &(chebyshev_room){c->work[0], c->work[1], c->work[2]});
        break;
    default: spw_copy_omp(n, r, z);
    }
}

/* The inverse of a positive definite block, by Gauss and Jordan, in its own place. */
static void invert_block(int m, double *a)
{
    for (int k = 0; k < m; k++) {
        const double pivot = 1 / a[k * BLOCK_ROWS + k];
        a[k * BLOCK_ROWS + k] = 1;
        for (int j = 0; j < m; j++) a[k * BLOCK_ROWS + j] *= pivot;
        for (int i = 0; i < m; i++) {
            if (i == k) continue;
            const double factor = a[i * BLOCK_ROWS + k];
            a[i * BLOCK_ROWS + k] = 0;
            for (int j = 0; j < m; j++) a[i * BLOCK_ROWS + j] -= factor * a[k * BLOCK_ROWS + j];
        }
    }
}

static spw_status make_blocks(contender *c)
{
    const spw_csr *A = c->A;
    const spw_status status = SPW_ALLOC_ZERO(&c->blocks, (int64_t)A->n_rows * BLOCK_ROWS);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx first = 0; first < A->n_rows; first += BLOCK_ROWS) {
        const int m = A->n_rows - first < BLOCK_ROWS ? A->n_rows - first : BLOCK_ROWS;
        double *block = c->blocks + (int64_t)first * BLOCK_ROWS;
        for (int i = 0; i < m; i++)
            for (spw_idx k = A->row_ptr[first + i]; k < A->row_ptr[first + i + 1]; k++)
                if (A->col_idx[k] >= first && A->col_idx[k] < first + m)
                    block[i * BLOCK_ROWS + A->col_idx[k] - first] = A->val[k];
        invert_block(m, block);
    }
    return SPW_OK;
}

static spw_status sort_half(contender *c, const spw_csr *N, int upper, sorted *s, triangle *T)
{
    const spw_idx n = N->n_rows;
    spw_idx *level = NULL, n_levels = 0;
    spw_status status = SPW_ALLOC(&level, n);
    if (!status) n_levels = c->f->levels(n, N->row_ptr, N->col_idx, upper, level);
    if (!status) status = SPW_ALLOC(&s->level_ptr, (int64_t)n_levels + 1);
    if (!status) status = SPW_ALLOC(&s->row, n);
    if (!status) status = SPW_ALLOC(&s->row_ptr, (int64_t)n + 1);
    if (!status) status = SPW_ALLOC(&s->col_idx, N->nnz);
    if (!status) status = SPW_ALLOC(&s->val, N->nnz);
    if (!status) sort_triangle(N, level, n_levels, s);
    spw_free(level);
    *T = (triangle){n, n_levels, s->level_ptr, s->row, s->row_ptr, s->col_idx, s->val, c->inverse};
    return status;
}

static spw_status make_ic0(contender *c)
{
    spw_csr L;
    spw_status status = part_of(c->A, -c->A->n_rows, 0, &L);
    if (status) return status;
    c->f->ic0(c->A, &(lower){L.n_rows, L.row_ptr, L.col_idx, L.val});
    status = split_factor(&L, &c->below, &c->above, c->inverse);
    if (!status) status = sort_half(c, &c->below, 0, &c->below_sorted, &c->T);
    if (!status) status = sort_half(c, &c->above, 1, &c->above_sorted, &c->U);
    spw_csr_destroy(&L);
    return status;
}

/* Eigenvalues of D^-1 A are not above the largest sum of a row of |D^-1/2 A D^-1/2|, and by Gershgorin not as
 * far below 1 as that is above. */
static void find_interval(contender *c)
{
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

static void free_sorted(sorted *s)
{
    spw_free(s->level_ptr);
    spw_free(s->row);
    spw_free(s->row_ptr);
    spw_free(s->col_idx);
    spw_free(s->val);
}

static void free_contender(contender *c)
{
    spw_free(c->inverse);
    spw_free(c->blocks);
    for (int k = 0; k < 3; k++) spw_free(c->work[k]);
    spw_csr_destroy(&c->below);
    spw_csr_destroy(&c->above);
    free_sorted(&c->below_sorted);
    free_sorted(&c->above_sorted);
}

static spw_status make_contender(const answers *f, const spw_csr *A, int kind, contender *c)
{
    *c = (contender){.kind = kind, .f = f, .A = A};
    spw_status status = SPW_ALLOC(&c->inverse, A->n_rows);
    for (int k = 0; k < 3 && !status; k++) status = SPW_ALLOC_ZERO(&c->work[k], A->n_rows);
    if (status) return status;
    if (kind == JACOBI || kind == CHEBYSHEV) f->invert_diagonal(A, c->inverse);
    if (kind == CHEBYSHEV) find_interval(c);
    if (kind == BLOCK_JACOBI) status = make_blocks(c);
    if (kind == IC0 || kind == IC0_NEUMANN) status = make_ic0(c);
    return status;
}

/* --- by turns -------------------------------------------------------------------------------------------------------- */

typedef struct score {
    double setup[MOST_ROUNDS], solve[MOST_ROUNDS], both[MOST_ROUNDS]; /* s */
    int count;
    bool out;                /* not there, or so far behind that it is not repeated */
    double value, low, high; /* of both: the lower quartile and its interval */
    pcg_result result;
} score;

typedef struct contest {
    const answers *f;
    const spw_csr *A;
    double *b, *v[5]; /* [n] x and the room of pcg */
    score score[CONTENDERS];
    spw_status status;
} contest;

/* Set-up and solution to 1e-8. */
static bool take_turn(void *context, int kind)
{
    contest *t = (contest *)context;
    score *s = &t->score[kind];
    if (s->out) return true;
    contender c;
    const double begin = spw_now();
    t->status = make_contender(t->f, t->A, kind, &c);
    if (!t->status) {
        const double made = spw_now();
        memset(t->v[0], 0, (size_t)t->A->n_rows * sizeof *t->v[0]);
        const preconditioner M = {apply_contender, &c};
        const pcg_room room = {t->v[1], t->v[2], t->v[3], t->v[4]};
        const int most = kind == NONE ? MOST_WITHOUT : MOST_STEPS;
        s->result = t->f->pcg(t->A, &M, t->b, t->v[0], 1e-8, most, &room);
        s->setup[s->count] = made - begin;
        s->solve[s->count] = spw_now() - made;
        s->both[s->count] = s->setup[s->count] + s->solve[s->count];
        s->count++;
    }
    free_contender(&c);
    return !t->status;
}

/* The fastest that converged, or -1; *next: the fastest of those whose interval meets its own, or -1. */
static int fastest(score *scores, int *next)
{
    int best = -1;
    *next = -1;
    for (int kind = 0; kind < CONTENDERS; kind++) {
        score *s = &scores[kind];
        if (!s->count) continue;
        double x[MOST_ROUNDS];
        memcpy(x, s->both, sizeof x);
        s->value = spw_quartile(x, s->count, &s->low, &s->high);
        if (s->result.stop == PCG_CONVERGED && (best < 0 || s->value < scores[best].value))
            best = kind;
    }
    for (int kind = 0; kind < CONTENDERS && best >= 0; kind++) {
        score *s = &scores[kind];
        if (s->count && (s->result.stop != PCG_CONVERGED || s->value > FAR * scores[best].value))
            s->out = true;
        if (!s->count || s->out || kind == best || s->low > scores[best].high) continue;
        if (*next < 0 || s->value < scores[*next].value) *next = kind;
    }
    return best;
}

static double middle(const double *samples, int n)
{
    double x[MOST_ROUNDS];
    memcpy(x, samples, sizeof x);
    return spw_quartile(x, n, NULL, NULL);
}

static void tell_row(spw_run *run, const contest *t, int kind, const char *mark)
{
    const score *s = &t->score[kind];
    const double n = t->A->n_rows, nz = t->A->nnz;
    const double k = kind == BLOCK_JACOBI ? BLOCK_ROWS
                     : kind == CHEBYSHEV  ? CHEBYSHEV_DEGREE
                                          : NEUMANN_DEGREE;
    char products[16] = "-", steps[16], range[40] = "";
    if (kind == NONE)
        snprintf(products, sizeof products, "0");
    else if (t->f->apply_cost)
        snprintf(products, sizeof products, "%.2f",
                 spw_cost_bytes(t->f->apply_cost((precond_kind)kind, n, nz, k)) /
                     (12 * nz + 28 * n));
    snprintf(steps, sizeof steps, "%s%d", s->result.stop == PCG_CONVERGED ? "" : "> ",
             s->result.iterations);
    if (s->count > 1) snprintf(range, sizeof range, " [%.0f..%.0f]", 1e3 * s->low, 1e3 * s->high);
    spw_run_line(run, "  %-16s %5s %6s x %7.2f + %5.0f = %6.0f%s%s", rows[kind].name, products,
                 steps, 1e3 * middle(s->solve, s->count) / fmax(1, s->result.iterations),
                 1e3 * middle(s->setup, s->count), 1e3 * s->value, range, mark);
}

static void tell(spw_run *run, contest *t, const char *title)
{
    int next, there = 0;
    const int best = fastest(t->score, &next);
    spw_run_line(run, "%s, n = %d, nz = %.1f M", title, t->A->n_rows, t->A->nnz * 1e-6);
    for (int i = 0; i < CONTENDERS; i++) {
        const int kind = i ? i - 1 : NONE;
        if (t->score[kind].count) tell_row(run, t, kind, kind == best && next < 0 ? " <" : "");
        there += t->score[kind].count > 0;
    }
    if (next >= 0 && there > 1)
        spw_run_line(run, "  no verdict: %s and %s scatter more than they differ", rows[best].name,
                     rows[next].name);
}

static spw_status run_contest(spw_run *run, const answers *f, int which)
{
    static const char *const titles[] = {"short time step, odd units", "four coupled unknowns",
                                         "columns of thin layers"};
    spw_csr A;
    contest t = {.f = f, .A = &A};
    t.status = which == 0   ? spw_system_short_step(36, &A)
               : which == 1 ? spw_system_coupled(24, &A)
                            : spw_system_columns(3000, 32, &A);
    if (t.status) return t.status;
    t.status = SPW_ALLOC(&t.b, A.n_rows);
    for (int k = 0; k < 5 && !t.status; k++) t.status = SPW_ALLOC_ZERO(&t.v[k], A.n_rows);
    if (!t.status) spw_case_vector(spw_run_seed(run), A.n_rows, t.b);
    for (int kind = 0; kind < CONTENDERS; kind++) t.score[kind].out = missing(run, kind) != NULL;
    const double begin = spw_now();
    for (int round = 0, next = 0; round < MOST_ROUNDS && !t.status; round++) {
        if (round >= LEAST_ROUNDS && (next < 0 || spw_now() - begin > SECONDS)) break;
        if (spw_by_turns(CONTENDERS, spw_run_seed(run), round, take_turn, &t))
            fastest(t.score, &next);
    }
    if (!t.status) tell(run, &t, titles[which]);
    for (int k = 0; k < 5; k++) spw_free(t.v[k]);
    spw_free(t.b);
    spw_csr_destroy(&A);
    return t.status;
}

void compare_all(spw_run *run)
{
    const answers f = {(invert_fn)spw_run_symbol(run, "invert_diagonal"),
                       (jacobi_fn)spw_run_symbol(run, "jacobi"),
                       (block_fn)spw_run_symbol(run, "block_jacobi"),
                       (ic0_fn)spw_run_symbol(run, "ic0"),
                       (levels_fn)spw_run_symbol(run, "levels"),
                       (ic0_apply_fn)spw_run_symbol(run, "ic0_apply"),
                       (neumann_fn)spw_run_symbol(run, "neumann"),
                       (chebyshev_fn)spw_run_symbol(run, "chebyshev"),
                       (pcg_fn)spw_run_symbol(run, "pcg"),
                       (apply_cost_fn)spw_run_symbol(run, "apply_cost")};
    if (!f.pcg) {
        spw_run_headline(run, "three systems wait for pcg, which is not written yet");
        return;
    }
    spw_run_headline(run, "your functions on three systems, to 1e-8, by turns");
    spw_run_line(run, "  %-16s %5s %6s   %7s   %5s   %6s", "", "SpMVs", "steps", "ms each", "made",
                 "ms");
    for (int which = 0; which < 3; which++)
        if (run_contest(run, &f, which)) spw_run_line(run, "not compared: %s", spw_message());
    for (int kind = 0; kind < CONTENDERS; kind++)
        if (missing(run, kind))
            spw_run_line(run, "%s waits for %s", rows[kind].name, missing(run, kind));
    spw_run_line(run,
                 "SpMVs: one application in products with A, by your model. < is the fastest,");
    spw_run_line(run, "beyond all intervals. What is %.0f times as slow as the fastest runs once.",
                 FAR);
}

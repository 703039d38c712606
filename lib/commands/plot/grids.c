/* Figures of multigrid and of solvers side by side on grids: exercise 17, and the theory of Part III. */
#include "commands/plot/plot.h"

#include "kernels/blas1.h"
#include "perf/timer.h"
#include "solvers/cg.h"
#include "solvers/multigrid.h"
#include "solvers/precond.h"

#include <math.h>
#include <string.h>

/* A system with b = A (1, ..., 1). */
typedef struct grid_system {
    spw_csr A;
    spw_operator op;
    double *b, *x, *r, norm_b;
} grid_system;

static double residual(const grid_system *s) {
    spw_operator_apply(&s->op, s->x, s->r);
    spw_axpby_omp(s->op.n, 1, s->b, -1, s->r);
    return sqrt(spw_dot_omp(s->op.n, s->r, s->r)) / s->norm_b;
}

static void begin_at_zero(grid_system *s) { memset(s->x, 0, (size_t)s->op.n * sizeof *s->x); }

static void make_system(plot *p, int dim, int m, grid_system *s) {
    char name[32];
    snprintf(name, sizeof name, "laplace%dd:%d", dim, m);
    s->A = plot_load(p, name);
    plot_must(p, spw_operator_from_csr(&s->A, &s->op));
    s->b = plot_vector(p, s->op.n, true);
    s->x = plot_vector(p, s->op.n, true);
    s->r = plot_vector(p, s->op.n, true);
    for (int64_t i = 0; i < s->op.n; i++) s->x[i] = 1;
    spw_operator_apply(&s->op, s->x, s->b);
    begin_at_zero(s);
    s->norm_b = 1;
    s->norm_b = residual(s);
}

static void destroy_system(plot *p, grid_system *s) {
    spw_operator_destroy(&s->op);
    spw_csr_destroy(&s->A);
    plot_drop_vectors(p);
}

/* By PCG to 1e-8; precond NULL: CG. Products of an iteration in *products: what its loops move, where a cycle of
 * multigrid counts as one with matrices, as in exercise 17. */
static spw_solve_result conjugate(plot *p, grid_system *s, const char *precond, double *products) {
    spw_operator M = {0};
    spw_solve_result r;
    if (precond) plot_must(p, spw_precond_named(precond, &s->A, &M));
    begin_at_zero(s);
    plot_must(p, spw_pcg(&s->op, precond ? &M : NULL, s->b, s->x, NULL, &r));
    const double product = spw_cost_bytes(s->op.cost) + s->op.write_allocate;
    *products = 0;
    for (int k = 0; k < r.n_kernels; k++) {
        const spw_kernel_use *u = &r.kernels[k];
        if (u->calls >= r.iterations - 1)
            *products += (spw_cost_bytes(u->cost) + u->write_allocate) / product;
    }
    if (precond && strcmp(precond, "multigrid") == 0)
        *products += 3.73 - (spw_cost_bytes(M.cost) + M.write_allocate) / product;
    r.seconds += M.setup_seconds;
    spw_operator_destroy(&M);
    return r;
}

/* V(2,1) to 1e-8: cycles; the residual after each in history, which may be NULL. */
static int by_cycles(plot *p, grid_system *s, double *history, int most) {
    spw_multigrid *G;
    int k = 0;
    double now = 1;
    plot_must(p, spw_multigrid_create(&s->A, &G));
    begin_at_zero(s);
    if (history) history[0] = 1;
    while (now > 1e-8 && k < most) {
        spw_multigrid_cycle(G, 2, 1, true, s->b, s->x);
        now = residual(s);
        k++;
        if (history) history[k] = now;
    }
    spw_multigrid_destroy(G);
    return k;
}

/* --- 17: the residual over products, and steps over the width of the grid ------------------------------------- */

enum { MOST_CYCLES = 100, MOST_STEPS = 100000, CYCLE_METHODS = 4 };
static const char *const cycle_methods[CYCLE_METHODS] = {"CG", "CG with IC(0)", "V(2,1)",
                                                         "CG with V(1,1)"};
static const char *const cycle_preconds[CYCLE_METHODS] = {NULL, "ic0", NULL, "multigrid"};

/* To 1e-8 by one of them: steps, each of so many products, and the residual after each in history, if that is not NULL. */
static int run_method(plot *p, grid_system *s, int k, double *history, double *products) {
    *products = 6;
    if (k == 2) return by_cycles(p, s, history, MOST_CYCLES);
    spw_solve_result r = conjugate(p, s, cycle_preconds[k], products);
    const int steps = r.iterations;
    if (history) memcpy(history, r.history, (size_t)(steps + 1) * sizeof *history);
    spw_solve_result_destroy(&r);
    return steps;
}

static void put_histories(plot *p, int m) {
    static const plot_column columns[] = {PLOT_KEPT("method", "%.0f"),
                                          PLOT_KEPT("step", "%.0f"),
                                          PLOT_KEPT("products", "%.3f"),
                                          PLOT_KEPT("residual", "%.4e"),
                                          {0}};
    static double history[MOST_STEPS + 1];
    plot_table t = plot_begin_table(p, "", columns);
    grid_system s;
    make_system(p, 2, m, &s);
    for (int k = 0; k < CYCLE_METHODS; k++) {
        double each;
        const int steps = run_method(p, &s, k, history, &each);
        for (int i = 0; i <= steps; i++) PLOT_ROW(&t, false, NULL, k, i, i * each, history[i]);
    }
    destroy_system(p, &s);
}

void draw_multigrid(plot *p) {
    static const plot_column columns[] = {
        PLOT_BOTH("points an edge", "%.0f", "points an edge", "%15.0f", 1),
        PLOT_BOTH("CG", "%.0f", "CG", " %9.0f", 1),
        PLOT_BOTH("CG with IC(0)", "%.0f", "with IC(0)", " %11.0f", 1),
        PLOT_BOTH("V(2,1)", "%.0f", "V(2,1)", " %8.0f", 1),
        PLOT_BOTH("CG with V(1,1)", "%.0f", "CG with V(1,1)", " %15.0f", 1),
        {0}};
    const int largest = p->quick ? 31 : 511, shown = p->quick ? 31 : 255;
    put_histories(p, shown);
    plot_table t = plot_begin_table(p, "-steps", columns);
    for (int m = 15; m <= largest; m = 2 * m + 1) {
        double row[1 + CYCLE_METHODS] = {m}, each;
        grid_system s;
        make_system(p, 2, m, &s);
        for (int k = 0; k < CYCLE_METHODS; k++) row[1 + k] = run_method(p, &s, k, NULL, &each);
        plot_row(&t, true, NULL, row, 1 + CYCLE_METHODS);
        destroy_system(p, &s);
    }
    plot_fact(p, "width = %d\narray methods = ['%s', '%s', '%s', '%s']", shown, cycle_methods[0],
              cycle_methods[1], cycle_methods[2], cycle_methods[3]);
}

/* --- the theory of Part III: time and memory of six solvers over the rows ---------------------------------------- */

enum { JACOBI, GAUSS_SEIDEL, CG, IC0, MULTIGRID, CHOLESKY, SOLVERS, EVERY = 10 };
static const char *const solver_names[SOLVERS] = {"Jacobi", "Gauss-Seidel",   "CG", "CG with IC(0)",
                                                  "V(2,1)", "sparse Cholesky"};
static const double LONGEST = 8; /* s: a solver that is expected to take longer is left out */

typedef struct outcome {
    double steps, seconds, megabytes; /* steps NAN: it was left out */
} outcome;

static void jacobi_step(grid_system *s, double diagonal) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < s->op.n; i++) s->x[i] += s->r[i] / diagonal;
}

static void gauss_seidel_step(grid_system *s, double diagonal) {
    const spw_csr *A = &s->A;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = s->b[i];
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum -= A->val[k] * s->x[A->col_idx[k]];
        s->x[i] += sum / diagonal;
    }
}

/* To 1e-8; Gauss-Seidel asks every ten steps. */
static double relaxations(grid_system *s, bool seidel) {
    double k = 0;
    begin_at_zero(s);
    while (residual(s) > 1e-8) {
        for (int j = 0; j < (seidel ? EVERY : 1); j++, k++)
            (seidel ? gauss_seidel_step : jacobi_step)(s, s->A.val[0]);
    }
    return k;
}

/* Factor and two triangles, by CHOLMOD. In *fill: entries of the factor over those of the lower half of A. */
static outcome factorise(plot *p, grid_system *s, double *fill) {
    const double n = (double)s->op.n;
    spw_operator M;
    const spw_status status = spw_precond_cholesky(&s->A, &M);
    if (status == SPW_ERR_UNAVAILABLE) return (outcome){NAN, NAN, NAN};
    plot_must(p, status);
    const double begin = spw_now();
    spw_operator_apply(&M, s->b, s->x);
    const double entries = (M.cost.flop - 2 * n) / 4 + n;
    *fill = entries / ((s->A.nnz + n) / 2);
    const outcome o = {1, M.setup_seconds + spw_now() - begin, 1e-6 * (12 * entries + 8 * n)};
    spw_operator_destroy(&M);
    return o;
}

static outcome solve_by(plot *p, grid_system *s, int which, double *fill) {
    const double begin = spw_now(), A = (double)spw_csr_bytes(&s->A), n = 8.0 * (double)s->op.n;
    outcome o = {.megabytes = 1e-6 * (A + 3 * n)};
    double each;
    if (which == CHOLESKY) return factorise(p, s, fill);
    if (which <= GAUSS_SEIDEL) {
        o.steps = relaxations(s, which == GAUSS_SEIDEL);
    } else if (which == MULTIGRID) {
        o.steps = by_cycles(p, s, NULL, MOST_CYCLES);
        o.megabytes = 1e-6 * (A + 4 * n + n);
    } else {
        spw_solve_result r = conjugate(p, s, which == IC0 ? "ic0" : NULL, &each);
        o.steps = r.iterations;
        o.megabytes = 1e-6 * (which == IC0 ? 2 * A + 5 * n : A + 4 * n);
        spw_solve_result_destroy(&r);
    }
    o.seconds = spw_now() - begin;
    return o;
}

void draw_why(plot *p) {
    static const plot_column columns[] = {PLOT_KEPT("dimensions", "%.0f"),
                                          PLOT_KEPT("solver", "%.0f"),
                                          PLOT_KEPT("rows", "%.0f"),
                                          PLOT_KEPT("steps", "%.0f"),
                                          PLOT_KEPT("s", "%.6f"),
                                          PLOT_KEPT("MB", "%.3f"),
                                          {0}};
    static const plot_column summary[] = {PLOT_SHOWN("", "  %-16s", 1),
                                          PLOT_SHOWN("steps", " %8.0f", 1),
                                          PLOT_SHOWN("s", " %10.4f", 1),
                                          PLOT_SHOWN("MB", " %9.1f", 1),
                                          {0}};
    plot_table kept = plot_begin_table(p, "", columns), shown = plot_begin_table(p, NULL, summary);
    for (int dim = 2; dim <= 3; dim++) {
        double expected[SOLVERS] = {0};
        const int largest = p->quick ? 15 : dim == 2 ? 511 : 63;
        for (int m = dim == 2 ? 15 : 7; m <= largest; m = 2 * m + 1) {
            grid_system s;
            make_system(p, dim, m, &s);
            double fill = 0;
            plot_block(&shown, "%d^%d points", m, dim);
            for (int k = 0; k < SOLVERS; k++) {
                if (expected[k] > LONGEST) continue;
                const outcome o = solve_by(p, &s, k, &fill);
                if (!(o.steps > 0)) continue;
                /* twice the width: four or eight times the rows, and the steps or the fill grow as well */
                expected[k] = o.seconds * (k <= GAUSS_SEIDEL ? 4 : 2) *
                              (dim == 2        ? 4
                               : k == CHOLESKY ? 25
                                               : 8);
                PLOT_ROW(&kept, false, NULL, dim, k, (double)s.op.n, o.steps, o.seconds,
                         o.megabytes);
                PLOT_ROW(&shown, true, solver_names[k], o.steps, o.seconds, o.megabytes);
            }
            if (fill > 0) plot_say(p, "  L has %.1f times the entries of A's lower half\n", fill);
            destroy_system(p, &s);
        }
    }
    for (int k = 0; k < SOLVERS; k++)
        plot_fact(p, "%s%s'%s'%s", k ? "" : "array solvers = [", "", solver_names[k],
                  k + 1 < SOLVERS ? ", \\" : "]");
}

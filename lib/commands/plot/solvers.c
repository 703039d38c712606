/* Figures of solvers: exercises 12 and 18 (an iteration), 15 (preconditioners), 19, 22 and 23. */
#include "commands/plot/plot.h"

#include "base/memory.h"
#include "base/random.h"
#include "kernels/blas1.h"
#include "kernels/block.h"
#include "kernels/fused.h"
#include "kernels/float.h"
#include "kit/systems.h"
#include "perf/timer.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/lobpcg.h"
#include "solvers/orthogonalise.h"
#include "solvers/precond.h"
#include "solvers/refine.h"

#include <math.h>
#include <string.h>

/* --- 12 and 18: where an iteration's time goes, plain and merged, and how it converges --------------- */

enum { PLAIN, MERGED, MODES, BLOCKS = 9, STEPS = 12 };

typedef struct line {
    char name[48];
    double bytes, seconds,
        alone; /* a call, which is one an iteration; alone: called over and over */
    double samples[BLOCKS], alone_samples[BLOCKS];
} line;

typedef struct iteration {
    plot *p;
    bool cg;
    spw_csr A;
    spw_operator op;
    double *b, *x, *v[5]; /* v: vectors for the kernels alone */
    line lines[MODES][SPW_KERNELS_MAX];
    int n_lines[MODES], blocks;
    double bandwidth;
} iteration;

static void make_system(iteration *d, const char *matrix) {
    d->A = plot_load(d->p, matrix);
    plot_must(d->p, spw_operator_from_csr(&d->A, &d->op));
    d->b = plot_vector(d->p, d->A.n_rows, false);
    d->x = plot_vector(d->p, d->A.n_rows, true);
    for (int k = 0; k < 5; k++) {
        d->v[k] = plot_vector(d->p, d->A.n_rows, true);
        spw_axpby_omp(d->A.n_rows, 1 + k, d->b, 0, d->v[k]);
    }
}

static void destroy_system(iteration *d) {
    spw_operator_destroy(&d->op);
    spw_csr_destroy(&d->A);
    plot_drop_vectors(d->p);
}

static spw_solve_result solve(iteration *d, spw_solve_options options) {
    spw_solve_result r;
    memset(d->x, 0, (size_t)d->A.n_rows * sizeof *d->x);
    plot_must(d->p, d->cg ? spw_cg(&d->op, d->b, d->x, &options, &r)
                          : spw_bicgstab(&d->op, NULL, d->b, d->x, &options, &r));
    return r;
}

/* A merged kernel; v[3] and v[4] of BiCGStab are r and the shadow. */
static void call_alone(void *context, int k) {
    iteration *d = (iteration *)context;
    const int64_t n = d->A.n_rows;
    double **v = d->v, one, other;
    switch (d->cg ? k : 3 + k) {
    case 0: spw_operator_apply_dots(&d->op, v[0], v[0], v[1], &one, NULL); break;
    case 1: spw_cg_step_omp(n, 1e-9, v[0], v[1], v[2], v[3]); break;
    case 2: spw_axpby_omp(n, 1, v[3], 1e-9, v[0]); break;
    case 3: spw_bicgstab_direction_omp(n, 1e-9, 1e-9, v[3], v[1], v[0]); break;
    case 4: spw_operator_apply_dots(&d->op, v[0], v[4], v[1], &one, NULL); break;
    case 5: spw_bicgstab_half_omp(n, 1e-9, v[1], v[3]); break;
    case 6: spw_operator_apply_dots(&d->op, v[3], v[3], v[2], &one, &other); break;
    default: spw_bicgstab_step_omp(n, 1e-9, 1e-9, v[0], v[3], v[2], v[4], d->x, v[3], &one);
    }
}

static void run_loop(iteration *d, int mode, int block) {
    /* never converges, never stops early */
    spw_solve_result r = solve(
        d,
        (spw_solve_options){.tolerance = 1e-300, .max_iterations = STEPS, .plain = mode == PLAIN});
    int n = 0;
    for (int k = 0; k < r.n_kernels; k++) {
        const spw_kernel_use *u = &r.kernels[k];
        if (u->calls < r.iterations - 1) continue; /* of the start and the end */
        line *l = &d->lines[mode][n++];
        snprintf(l->name, sizeof l->name, "%s", u->name);
        l->samples[block] = u->seconds / (double)u->calls;
        l->bytes = spw_cost_bytes(u->cost) + u->write_allocate;
    }
    d->n_lines[mode] = n;
    spw_solve_result_destroy(&r);
}

static void run_alone(iteration *d, int block) {
    for (int k = 0; k < d->n_lines[MERGED]; k++) {
        call_alone(d, k);
        const double begin = spw_now();
        for (int c = 0; c < 3; c++) call_alone(d, k);
        d->lines[MERGED][k].alone_samples[block] = (spw_now() - begin) / 3;
    }
}

static void time_iteration(iteration *d) {
    double traffic[BLOCKS];
    d->blocks = d->p->quick ? 3 : BLOCKS;
    spw_probe probe = plot_probe(d->p, SPW_LOAD, (double)spw_csr_bytes(&d->A) + 48.0 * d->A.n_rows);
    for (int block = 0; block < d->blocks; block++) {
        run_loop(d, block % 2, block);
        run_loop(d, 1 - block % 2, block);
        run_alone(d, block);
        traffic[block] = spw_probe_run(&probe);
    }
    d->bandwidth = spw_probe_traffic(&probe) / spw_quartile(traffic, d->blocks, NULL, NULL);
    spw_probe_destroy(&probe);
    for (int mode = 0; mode < MODES; mode++)
        for (int k = 0; k < d->n_lines[mode]; k++) {
            line *l = &d->lines[mode][k];
            l->seconds = spw_quartile(l->samples, d->blocks, NULL, NULL);
            l->alone = mode == PLAIN ? NAN : spw_quartile(l->alone_samples, d->blocks, NULL, NULL);
        }
}

/* One box a kernel: measured and model, plain and merged. Returns the highest top. */
static double put_bars(plot *p, const iteration *d) {
    static const plot_column columns[] = {
        PLOT_KEPT("bar", "%.0f"),    PLOT_KEPT("bottom ms", "%.5f"), PLOT_KEPT("top ms", "%.5f"),
        PLOT_KEPT("kernel", "%.0f"), PLOT_KEPT("name", "%s"),        {0}};
    plot_table t = plot_begin_table(p, "", columns);
    double most = 0;
    for (int bar = 0; bar < 2 * MODES; bar++) {
        double top = 0;
        for (int k = 0; k < d->n_lines[bar / 2]; k++) {
            const line *l = &d->lines[bar / 2][k];
            const double height = 1e3 * (bar % 2 ? l->bytes / d->bandwidth : l->seconds);
            PLOT_ROW(&t, false, l->name, bar, top, top + height, k);
            top += height;
        }
        most = fmax(most, top);
    }
    return most;
}

static void say_iteration(plot *p, const iteration *d) {
    static const plot_column columns[] = {
        PLOT_SHOWN("kernel", "%-26s", 1),        PLOT_SHOWN("in loop, ms", " %11.3f", 1e3),
        PLOT_SHOWN("model, ms", " %10.3f", 1e3), PLOT_SHOWN("of model", " %8.0f%%", 100),
        PLOT_SHOWN("alone, ms", " %10.3f", 1e3), {0}};
    plot_table t = plot_begin_table(p, NULL, columns);
    double loop[MODES] = {0}, model[MODES] = {0}, alone[MODES] = {0};
    for (int mode = 0; mode < MODES; mode++) {
        plot_block(&t, mode == PLAIN ? "plain" : "merged");
        for (int k = 0; k < d->n_lines[mode]; k++) {
            const line *l = &d->lines[mode][k];
            const double m = l->bytes / d->bandwidth;
            PLOT_ROW(&t, true, l->name, l->seconds, m, m / l->seconds, l->alone);
            loop[mode] += l->seconds;
            model[mode] += m;
            alone[mode] += l->alone;
        }
        PLOT_ROW(&t, true, "sum of the kernels", loop[mode], model[mode], model[mode] / loop[mode],
                 alone[mode]);
    }
    plot_say(p, "\nMerged is %.2f times as fast; by the bytes %.2f.\n", loop[PLAIN] / loop[MERGED],
             model[PLAIN] / model[MERGED]);
}

void draw_iteration(plot *p) {
    static const plot_column columns[] = {
        PLOT_KEPT("iteration", "%.0f"), PLOT_KEPT("residual", "%.6e"), {0}};
    static iteration d;
    d.p = p;
    d.cg = strcmp(p->figure->name, "cg") == 0;
    const char *timed = p->matrices[0], *converging = p->matrices[1];
    make_system(&d, timed);
    time_iteration(&d);
    destroy_system(&d);
    const double most = put_bars(p, &d);
    plot_say(p, "%s, %.1f GB/s\n", timed, 1e-9 * d.bandwidth);
    say_iteration(p, &d);
    make_system(&d, converging);
    spw_solve_result r = solve(&d, (spw_solve_options){.tolerance = 1e-10});
    destroy_system(&d);
    plot_table t = plot_begin_table(p, "-history", columns);
    for (int k = 0; k < r.n_history; k++) PLOT_ROW(&t, false, NULL, k, r.history[k]);
    plot_say(p, "%s: %s\n", converging, r.text);
    plot_fact(p,
              "method = '%s'\nmatrix = '%s'\nconvergence = '%s'\nbandwidth = %.2f\nmost = %.5f\n"
              "iterations = %d\nstopped = \"%s\"",
              d.cg ? "CG" : "BiCGStab", timed, converging, 1e-9 * d.bandwidth, most, r.iterations,
              r.text);
    spw_solve_result_destroy(&r);
}

/* --- 15: six preconditioners on three systems --------------------------------------------------------- */

enum { SYSTEMS = 3, KINDS = 6, MOST = 400, RUNS = 2 };

static const char *const kind_names[KINDS] = {"none",  "Jacobi",           "block-Jacobi, 4",
                                              "IC(0)", "IC(0), Neumann 2", "Chebyshev 4"};
static const char *const titles[SYSTEMS] = {"short time step", "four coupled unknowns",
                                            "columns of thin layers"};

/* One run: PCG to 1e-8. */
typedef struct run {
    double setup, products; /* s; SpMVs that one application costs */
    spw_solve_result r;
} run;

static spw_status make_precond(int kind, const spw_csr *A, spw_operator *M) {
    switch (kind) {
    case 1: return spw_precond_jacobi(A, M);
    case 2: return spw_precond_bjacobi(A, 4, M);
    case 3: return spw_precond_ic0(A, M);
    case 4: return spw_precond_ic0_neumann(A, 2, M);
    case 5: return spw_precond_chebyshev(A, 4, M);
    default: *M = (spw_operator){0}; return SPW_OK;
    }
}

static run run_once(const plot *p, const spw_csr *A, const double *b, double *x, int kind) {
    const spw_solve_options options = {.tolerance = 1e-8, .max_iterations = MOST};
    spw_operator op, M;
    run one;
    plot_must(p, spw_operator_from_csr(A, &op));
    plot_must(p, make_precond(kind, A, &M));
    memset(x, 0, (size_t)A->n_rows * sizeof *x);
    plot_must(p, spw_pcg(&op, M.n ? &M : NULL, b, x, &options, &one.r));
    one.setup = M.setup_seconds;
    one.products = M.n ? spw_cost_in_products(M.cost, &op) : 0;
    spw_operator_destroy(&M);
    spw_operator_destroy(&op);
    return one;
}

static double total(const run *c) { return c->setup + c->r.seconds; }

/* Each kind RUNS times, by turns; the fastest is kept. */
static void run_all(plot *p, const spw_csr *A, run *runs) {
    double *b = plot_vector(p, A->n_rows, true), *x = plot_vector(p, A->n_rows, true);
    for (spw_idx i = 0; i < A->n_rows; i++) b[i] = 2 * spw_random_double(1, (uint64_t)i) - 1;
    for (int k = 0; k < RUNS * KINDS; k++) {
        run *kept = &runs[k % KINDS], one = run_once(p, A, b, x, k % KINDS);
        run *worse = k >= KINDS && total(kept) <= total(&one) ? &one : kept;
        if (k >= KINDS) spw_solve_result_destroy(&worse->r);
        if (worse == kept) *kept = one;
    }
    plot_drop_vectors(p);
}

static void put_system(plot_table *kept, plot_table *shown, int s, run *runs) {
    int best = -1;
    for (int k = 0; k < KINDS; k++)
        if (runs[k].r.stop == SPW_STOP_CONVERGED &&
            (best < 0 || total(&runs[k]) < total(&runs[best])))
            best = k;
    plot_block(shown, "%s%s%s", titles[s], best < 0 ? "" : ": fastest is ",
               best < 0 ? "" : kind_names[best]);
    for (int k = 0; k < KINDS; k++) {
        char name[40];
        spw_solve_result *r = &runs[k].r;
        const double step = r->seconds / fmax(r->iterations, 1);
        const bool converged = r->stop == SPW_STOP_CONVERGED;
        for (int i = 0; i <= r->iterations; i++)
            PLOT_ROW(kept, false, NULL, s, k, i, 1e3 * (runs[k].setup + i * step),
                     i < r->n_history ? r->history[i] : r->residual);
        snprintf(name, sizeof name, "%s%s", kind_names[k], converged ? "" : ", not yet");
        PLOT_ROW(shown, true, name, runs[k].products, r->iterations, step, runs[k].setup,
                 total(&runs[k]));
        spw_solve_result_destroy(r);
    }
}

void draw_precond(plot *p) {
    static const plot_column columns[] = {
        PLOT_KEPT("system", "%.0f"),    PLOT_KEPT("preconditioner", "%.0f"),
        PLOT_KEPT("iteration", "%.0f"), PLOT_KEPT("ms", "%.5f"),
        PLOT_KEPT("residual", "%.6e"),  {0}};
    static const plot_column summary[] = {PLOT_SHOWN("", "  %-26s", 1),
                                          PLOT_SHOWN("SpMVs", " %7.2f", 1),
                                          PLOT_SHOWN("steps", " %7.0f", 1),
                                          PLOT_SHOWN("ms a step", " %10.3f", 1e3),
                                          PLOT_SHOWN("set-up, ms", " %11.1f", 1e3),
                                          PLOT_SHOWN("together, ms", " %12.1f", 1e3),
                                          {0}};
    plot_table kept = plot_begin_table(p, "", columns), shown = plot_begin_table(p, NULL, summary);
    const bool q = p->quick;
    for (int s = 0; s < SYSTEMS; s++) {
        spw_csr A;
        run runs[KINDS];
        plot_must(p, s == 0   ? spw_system_short_step(q ? 8 : 36, &A)
                     : s == 1 ? spw_system_coupled(q ? 4 : 24, &A)
                              : spw_system_columns(q ? 10 : 3000, q ? 8 : 32, &A));
        run_all(p, &A, runs);
        put_system(&kept, &shown, s, runs);
        spw_csr_destroy(&A);
    }
    plot_fact(p, "array systems = ['%s', '%s', '%s']", titles[0], titles[1], titles[2]);
    plot_fact(p, "array kinds = ['%s', '%s', '%s', '%s', '%s', '%s']", kind_names[0], kind_names[1],
              kind_names[2], kind_names[3], kind_names[4], kind_names[5]);
}

/* --- 19: residual against the bytes of the model, in double, in float, and in float refined ----------- */

static const double TOLERANCE = 1e-12;

typedef struct mixed {
    plot_table kept, shown;
    spw_csr A;
    spw_operator op;
    spw_csr_float S;
    spw_operator_float single;
    double *b, *x;
} mixed;

/* GB an iteration: all kernels', what they do outside of the loop spread over it. In float: of the loop alone. */
static double gigabytes(const spw_solve_result *r, bool loop_only) {
    double bytes = 0;
    for (int k = 0; k < r->n_kernels; k++) {
        const spw_kernel_use *u = &r->kernels[k];
        const double each = spw_cost_bytes(u->cost) + u->write_allocate;
        if (!loop_only) bytes += each * (double)u->calls / r->iterations;
        if (loop_only && u->calls >= r->iterations - 1) bytes += each;
    }
    return 1e-9 * bytes;
}

static void put_mixed(mixed *m, const char *name, int k, double each, double residual) {
    if (residual > 0) PLOT_ROW(&m->kept, false, name, k, k * each, residual);
}

static spw_solve_result run_mixed(mixed *m, const char *name) {
    const spw_solve_options options = {.tolerance = TOLERANCE};
    spw_solve_result r;
    memset(m->x, 0, (size_t)m->A.n_rows * sizeof *m->x);
    plot_must(m->kept.p, strcmp(name, "refined") == 0
                             ? spw_refine(&m->op, &m->single, m->b, m->x, &options, &r)
                             : spw_cg(&m->op, m->b, m->x, &options, &r));
    const double each = gigabytes(&r, false);
    if (m->kept.rows) fprintf(m->kept.file, "\n\n");
    for (int k = 0; k < r.n_history; k++) put_mixed(m, name, k, each, r.history[k]);
    PLOT_ROW(&m->shown, true, name, r.iterations, r.iterations * each, r.true_residual);
    return r;
}

static double norm(int64_t n, const double *v) { return sqrt(spw_dot_omp(n, v, v)); }

/* CG, all of it in float; its residual is b - A x, computed in double. each: GB an iteration. */
static void run_in_float(mixed *m, double each) {
    enum { ITERATIONS = 160 };
    plot *const p = m->kept.p;
    const int64_t n = m->A.n_rows;
    float *v[4];
    double *t = plot_vector(p, n, true), rho = 0, old = 1, residual = 1;
    const double norm_b = norm(n, m->b);
    for (int k = 0; k < 4; k++) plot_must(p, SPW_ALLOC_ZERO(&v[k], n));
    float *const q = v[0], *const d = v[1], *const r = v[2], *const y = v[3];
    spw_round_float_omp(n, 1 / norm_b, m->b, r);
    for (int64_t i = 0; i < n; i++) rho += (double)r[i] * (double)r[i];
    fprintf(m->kept.file, "\n\n");
    for (int k = 0; k <= ITERATIONS; k++) {
        for (int64_t i = 0; i < n; i++) m->x[i] = (double)y[i] * (norm_b / m->S.scale);
        spw_operator_apply(&m->op, m->x, t);
        spw_axpby_omp(n, 1, m->b, -1, t);
        residual = norm(n, t) / norm_b;
        put_mixed(m, "float", k, each, residual);
        spw_direction_float_omp(n, k ? (float)(rho / old) : 0, r, d);
        const double d_q = m->single.apply_dot(m->single.context, d, q);
        if (!(d_q > 0)) break;
        old = rho;
        rho = spw_cg_step_float_omp(n, (float)(rho / d_q), d, q, y, r);
    }
    PLOT_ROW(&m->shown, true, "float", ITERATIONS, ITERATIONS * each, residual);
    for (int k = 0; k < 4; k++) spw_free(v[k]);
}

void draw_mixed(plot *p) {
    static const plot_column columns[] = {PLOT_KEPT("method", "%s"),
                                          PLOT_KEPT("iteration", "%.0f"),
                                          PLOT_KEPT("GB", "%.5g"),
                                          PLOT_KEPT("residual", "%.4e"),
                                          {0}};
    static const plot_column summary[] = {PLOT_SHOWN("", "  %-22s", 1),
                                          PLOT_SHOWN("iterations", " %10.0f", 1),
                                          PLOT_SHOWN("GB (model)", " %12.3f", 1),
                                          PLOT_SHOWN("||b-Ax||/||b||", " %14.1e", 1),
                                          {0}};
    mixed m = {.A = plot_load(p, p->matrices[0])};
    m.kept = plot_begin_table(p, "", columns);
    m.shown = plot_begin_table(p, NULL, summary);
    plot_must(p, spw_operator_from_csr(&m.A, &m.op));
    plot_must(p, spw_csr_float_from_csr(&m.A, &m.S));
    plot_must(p, spw_operator_float_from_csr(&m.S, &m.single));
    m.b = plot_vector(p, m.A.n_rows, true);
    m.x = plot_vector(p, m.A.n_rows, true);
    for (int64_t i = 0; i < m.A.n_rows; i++) m.x[i] = 1;
    spw_operator_apply(&m.op, m.x, m.b);
    plot_say(p, "%s to %.0e\n", p->matrices[0], TOLERANCE);
    spw_solve_result in_double = run_mixed(&m, "double"), refined = run_mixed(&m, "refined");
    run_in_float(&m, gigabytes(&refined, true));
    spw_solve_result_destroy(&in_double);
    spw_solve_result_destroy(&refined);
    spw_operator_float_destroy(&m.single);
    spw_operator_destroy(&m.op);
    spw_csr_float_destroy(&m.S);
    spw_csr_destroy(&m.A);
}

/* --- 22: loss of orthogonality over the condition number ----------------------------------------------- */

enum { ROWS = 10000, VECTORS = 16 };

static void random_orthonormal(const plot *p, uint64_t seed, int64_t n, double *U) {
    int rank;
    for (int64_t k = 0; k < n * VECTORS; k++) U[k] = spw_random_double(seed, (uint64_t)k) - 0.5;
    plot_must(p, spw_orthonormalise(SPW_ORTHO_CHOLQR2, n, VECTORS, U, VECTORS, &rank));
}

/* X = U S V^T, U and V orthonormal, S falling from 1 to 1 / kappa in equal ratios. */
void draw_ortho(plot *p) {
#define METHOD(name)                                                                               \
    PLOT_BOTH(name, "%.4g", name, " %8.0e", 1), PLOT_BOTH("vectors", "%.0f", "", " %2.0f", 1)
    static const plot_column columns[] = {PLOT_BOTH("kappa", "%.6g", "kappa", "%6.0e", 1),
                                          METHOD("cgs"),
                                          METHOD("mgs"),
                                          METHOD("cholqr"),
                                          METHOD("cholqr2"),
                                          METHOD("svqb"),
                                          PLOT_BOTH("cholqr_mixed", "%.4g", "mixed", " %8.0e", 1),
                                          PLOT_BOTH("vectors", "%.0f", "", " %2.0f", 1),
                                          {0}};
#undef METHOD
    double V[VECTORS * VECTORS], C[VECTORS * VECTORS], values[1 + 2 * SPW_ORTHO_COUNT];
    double *U = plot_vector(p, ROWS * VECTORS, true), *X = plot_vector(p, ROWS * VECTORS, true);
    const spw_block from = {U, VECTORS, VECTORS}, to = {X, VECTORS, VECTORS};
    random_orthonormal(p, 1, ROWS, U);
    random_orthonormal(p, 2, VECTORS, V);
    plot_table t = plot_begin_table(p, "", columns);
    for (int k = 0; k <= 32; k++) { /* kappa = 1 .. 1e16, two points a decade */
        values[0] = pow(10, k / 2.0);
        for (int a = 0; a < VECTORS; a++)
            for (int b = 0; b < VECTORS; b++)
                C[a * VECTORS + b] = pow(values[0], -a / (VECTORS - 1.0)) * V[b * VECTORS + a];
        for (int m = 0; m < SPW_ORTHO_COUNT; m++) {
            int rank;
            spw_combine_omp(ROWS, 1, &from, C, 1, &to);
            plot_must(p, spw_orthonormalise((spw_ortho)m, ROWS, VECTORS, X, VECTORS, &rank));
            values[1 + 2 * m] = spw_orthogonality_loss(ROWS, rank, X, VECTORS);
            values[2 + 2 * m] = rank;
        }
        plot_row(&t, k % 2 == 0, NULL, values, 1 + 2 * SPW_ORTHO_COUNT);
    }
}

/* --- 23: LOBPCG ------------------------------------------------------------------------------------------ */

enum { HUNDRED = 100, TIMED_STEPS = 25, QUICK_STEPS = 4, PAIRS = 10, COUNTS = 5 };
static const int counts[COUNTS] = {4, 8, 16, 32, 48};

typedef struct lobpcg_times {
    double seconds[COUNTS][2]; /* of 100 iterations: one product; nv single ones */
    double share[SPW_LOBPCG_PHASES][3 * COUNTS]; /* %: of the time, by the model, of the flops */
} lobpcg_times;

static void converge(plot *p, const char *matrix) {
    static const plot_column columns[] = {
        PLOT_KEPT("iteration", "%.0f"), PLOT_KEPT("||A x - lambda x|| / |lambda|: pair 1", "%.4e"),
        PLOT_KEPT("2", "%.4e"),         PLOT_KEPT("3", "%.4e"),
        PLOT_KEPT("4", "%.4e"),         PLOT_KEPT("5", "%.4e"),
        PLOT_KEPT("6", "%.4e"),         PLOT_KEPT("7", "%.4e"),
        PLOT_KEPT("8", "%.4e"),         PLOT_KEPT("9", "%.4e"),
        PLOT_KEPT("10", "%.4e"),        {0}};
    const spw_lobpcg_options options = {.nv = PAIRS, .tolerance = 1e-8};
    spw_operator op;
    spw_lobpcg_result r;
    spw_csr A = plot_load(p, matrix);
    plot_must(p, spw_operator_from_csr(&A, &op));
    plot_must(p, spw_lobpcg(&op, NULL, NULL, NULL, 0, &options, &r));
    plot_table t = plot_begin_table(p, "", columns);
    for (int k = 0; k < r.n_history; k++) {
        double values[1 + PAIRS] = {k};
        memcpy(values + 1, r.history + (int64_t)k * PAIRS, PAIRS * sizeof *values);
        plot_row(&t, false, NULL, values, 1 + PAIRS);
    }
    plot_fact(p, "converging = \"%s\"", matrix);
    spw_lobpcg_result_destroy(&r);
    spw_operator_destroy(&op);
    spw_csr_destroy(&A);
}

static void take_shares(const spw_lobpcg_result *r, int c, double bandwidth, double peak,
                        lobpcg_times *T) {
    double sum[3] = {0};
    for (int i = 0; i < 2 * SPW_LOBPCG_PHASES; i++) {
        const int phase = i % SPW_LOBPCG_PHASES;
        const spw_cost cost = r->phases[phase].cost;
        const double part[3] = {r->phases[phase].seconds,
                                fmax(spw_cost_bytes(cost) / bandwidth, cost.flop / peak),
                                cost.flop};
        for (int k = 0; k < 3; k++)
            if (i < SPW_LOBPCG_PHASES)
                sum[k] += part[k];
            else
                T->share[phase][3 * c + k] = 100 * part[k] / sum[k];
    }
}

static void time_lobpcg(plot *p, const spw_operator *op, double bandwidth, double peak,
                        lobpcg_times *T) {
    const int runs = p->quick ? 1 : 2, iterations = p->quick ? QUICK_STEPS : TIMED_STEPS;
    for (int c = 0; c < COUNTS; c++) {
        T->seconds[c][0] = T->seconds[c][1] = INFINITY;
        for (int k = 0; k < 2 * runs; k++) {
            const spw_lobpcg_options options = {.nv = counts[c],
                                                .guard = -1,
                                                .tolerance = 1e-300, /* never */
                                                .max_iterations = iterations,
                                                .one_by_one = k % 2};
            spw_lobpcg_result r;
            plot_must(p, spw_lobpcg(op, NULL, NULL, NULL, 0, &options, &r));
            const double seconds = r.seconds * HUNDRED / fmax(r.iterations, 1);
            const bool faster = seconds < T->seconds[c][k % 2];
            if (faster) T->seconds[c][k % 2] = seconds;
            if (faster && k % 2 == 0) take_shares(&r, c, bandwidth, peak, T);
            spw_lobpcg_result_destroy(&r);
        }
    }
}

static void put_times(plot *p, const lobpcg_times *T) {
    static const plot_column times[] = {
        PLOT_BOTH("nv", "%.0f", "nv", "%6.0f", 1),
        PLOT_BOTH("s of 100 iterations, one product", "%.4g", "s, A W as one product", " %22.3f",
                  1),
        PLOT_BOTH("nv products", "%.4g", "as nv products", " %15.3f", 1),
        PLOT_SHOWN("times as fast", " %14.2f", 1),
        {0}};
#define COUNT(nv)                                                                                  \
    PLOT_BOTH("nv = " nv ": % of the time", "%.1f", nv, " %5.0f", 1),                              \
        PLOT_BOTH("by the model", "%.1f", "model", " %5.0f", 1), PLOT_KEPT("of the flops", "%.1f")
    static const plot_column phases[] = {PLOT_BOTH("phase", "%s", "% of the time", "  %-15s", 1),
                                         COUNT("4"),
                                         COUNT("8"),
                                         COUNT("16"),
                                         COUNT("32"),
                                         COUNT("48"),
                                         {0}};
#undef COUNT
    plot_table t = plot_begin_table(p, "-time", times);
    for (int c = 0; c < COUNTS; c++)
        PLOT_ROW(&t, true, NULL, counts[c], T->seconds[c][0], T->seconds[c][1],
                 T->seconds[c][1] / T->seconds[c][0]);
    plot_say(p, "\n");
    t = plot_begin_table(p, "-phases", phases);
    for (int k = 0; k < SPW_LOBPCG_PHASES; k++)
        if (k != SPW_LOBPCG_PRECONDITION)
            plot_row(&t, true, spw_lobpcg_phase_name((spw_lobpcg_phase)k), T->share[k], 3 * COUNTS);
}

void draw_lobpcg(plot *p) {
    static lobpcg_times T;
    spw_operator op;
    converge(p, p->quick ? "laplace3d:10" : "laplace3d:20");
    spw_csr A = plot_load(p, p->matrices[0]);
    plot_must(p, spw_operator_from_csr(&A, &op));
    spw_probe probe = plot_probe(p, SPW_LOAD, (double)spw_csr_bytes(&A) + 512.0 * A.n_rows);
    const double bandwidth = plot_sample(p, 0, NULL, NULL, &probe, NULL),
                 peak = spw_peak_flops(p->threads);
    spw_probe_destroy(&probe);
    time_lobpcg(p, &op, bandwidth, peak, &T);
    plot_say(p,
             "%d iterations (timed: %d) on %s: %d rows, %.1f entries a row;\n"
             "bw = %.1f GB/s, P = %.0f Gflop/s\n\n",
             HUNDRED, p->quick ? QUICK_STEPS : TIMED_STEPS, p->matrices[0], A.n_rows,
             A.nnz / (double)A.n_rows, 1e-9 * bandwidth, 1e-9 * peak);
    put_times(p, &T);
    plot_fact(p, "matrix = \"%s\"", p->matrices[0]);
    spw_operator_destroy(&op);
    spw_csr_destroy(&A);
}

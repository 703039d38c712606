/* kernels/cuda_solver.h, solvers/cg_cuda.h, bicgstab_cuda.h and operator_cuda.h: the fused kernels against the
 * reference, the solvers against those of the host (as many iterations, the residual that is claimed), and
 * everything that is not convergence. Run on the checker, and as a second program on a GPU. Allocations on the
 * device are counted, and fail where a test says so (the linker's --wrap).
 * link: -Wl,--wrap=spw_device_alloc,--wrap=spw_device_free
 * link: -Wl,--wrap=spw_device_alloc_host,--wrap=spw_device_free_host
 * link: -Wl,--wrap=spw_device_event_create,--wrap=spw_device_event_destroy */
#include "solvers/bicgstab_cuda.h"
#include "solvers/cg_cuda.h"

#include "base/device.h"
#include "formats/generate.h"
#include "formats/sell.h"
#include "kernels/cuda.h"
#include "formats/device_matrix.h"
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "kernels/kernels.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/precond.h"
#include "solvers/precond_cuda.h"
#include "device/counted.h"
#include "device/on_device.h"
#include "kit/cases.h"
#include "test.h"

/* --- one kernel ------------------------------------------------------------------------------------------- */

enum { SEED = 4711, LARGEST = 1025, N_INPUTS = 6 };
static const double A = 0.75, B = -1.5;

/* The six vectors stand for the arguments of the operation, in its order; all may be written. */
typedef enum merged { AXPBY, DIAG_DOT, CG_STEP, DIRECTION, HALF, STEP } merged;
enum { MERGED = STEP + 1 };
static const char *const operations[MERGED] = {"axpby_cuda_device",  "diag_dot_cuda",
                                               "cg_step_cuda",       "bicgstab_direction_cuda",
                                               "bicgstab_half_cuda", "bicgstab_step_cuda"};

typedef struct call {
    const spw_kernel *v;
    merged op;
    int64_t n;
    double *vector[N_INPUTS]; /* inputs */
    double *after[N_INPUTS];  /* what became of them */
    double sum[2];
    int stop;
    spw_status status;
} call;

static spw_status launch(const call *c, double **d, const double *d_ab, spw_partials *d_sum,
                         const int *d_stop) {
    const int64_t n = c->n;
    const double *d_a = d_ab, *d_b = d_ab + 1;
    const spw_kernel_fn f = c->v->function;
    switch (c->op) {
    case AXPBY: return ((spw_axpby_cuda_device_fn)f)(n, d_a, d[0], d_b, d[1], d_stop);
    case DIAG_DOT: return ((spw_diag_dot_cuda_fn)f)(n, d[0], d[1], d[2], d_sum);
    case CG_STEP: return ((spw_cg_step_cuda_fn)f)(n, d_a, d[0], d[1], d[2], d[3], d_sum, d_stop);
    case DIRECTION:
        return ((spw_bicgstab_direction_cuda_fn)f)(n, d_a, d_b, d[0], d[1], d[2], d_stop);
    case HALF: return ((spw_bicgstab_half_cuda_fn)f)(n, d_a, d[0], d[1], d_sum, d_stop);
    case STEP: break;
    }
    return ((spw_bicgstab_step_cuda_fn)f)(n, d_a, d_b, d[0], d[1], d[2], d[3], d[4], d[5],
                                          d_sum + 1, d_sum, d_stop);
}

static void run_call(void *argument) {
    call *c = (call *)argument;
    const int64_t bytes = c->n * (int64_t)sizeof(double);
    const double ab[] = {A, B};
    double *d[N_INPUTS] = {0}, *d_ab = NULL, *d_results = NULL;
    spw_partials *d_sum = NULL;
    int *d_stop = NULL;
    spw_status s = SPW_DEVICE_ALLOC(&d_ab, 2);
    if (!s) s = SPW_DEVICE_ALLOC(&d_results, 2);
    if (!s) s = SPW_DEVICE_ALLOC(&d_sum, 2);
    if (!s) s = SPW_DEVICE_ALLOC(&d_stop, 1);
    if (!s) s = spw_device_copy_to(d_ab, ab, sizeof ab);
    if (!s) s = spw_device_copy_to(d_stop, &c->stop, sizeof c->stop);
    if (!s) s = spw_device_zero(d_sum, 2 * (int64_t)sizeof *d_sum);
    for (int k = 0; k < N_INPUTS && !s; k++) {
        s = SPW_DEVICE_ALLOC(&d[k], c->n);
        if (!s) s = spw_device_copy_to(d[k], c->vector[k], bytes);
    }
    if (!s) s = launch(c, d, d_ab, d_sum, d_stop);
    for (int k = 0; k < 2 && !s; k++) s = spw_partials_sum_cuda(d_sum + k, d_results + k);
    if (!s) s = spw_device_copy_from(c->sum, d_results, sizeof c->sum);
    for (int k = 0; k < N_INPUTS && !s; k++) s = spw_device_copy_from(c->after[k], d[k], bytes);
    for (int k = 0; k < N_INPUTS; k++) spw_device_free(d[k]);
    spw_device_free(d_ab);
    spw_device_free(d_results);
    spw_device_free(d_sum);
    spw_device_free(d_stop);
    if (s) c->status = s;
}

/* The reference, in the same places; r . r, or the one sum, comes first. */
static void expect(const call *c, double **e, double *sum) {
    const int64_t n = c->n;
    switch (c->op) {
    case AXPBY: spw_axpby_ref(n, A, e[0], B, e[1]); break;
    case DIAG_DOT: sum[0] = spw_diag_dot_ref(n, e[0], e[1], e[2]); break;
    case CG_STEP: sum[0] = spw_cg_step_ref(n, A, e[0], e[1], e[2], e[3]); break;
    case DIRECTION: spw_bicgstab_direction_ref(n, A, B, e[0], e[1], e[2]); break;
    case HALF: sum[0] = spw_bicgstab_half_ref(n, A, e[0], e[1]); break;
    case STEP:
        sum[0] = spw_bicgstab_step_ref(n, A, B, e[0], e[1], e[2], e[3], e[4], e[5], &sum[1]);
        break;
    }
}

/* Vectors are in (-1, 1); an element has at most four roundings of terms below 3, a sum n more. */
static void check_call(const call *done) {
    const call c = *done;
    const spw_kernel *v = c.v;
    const int64_t n = c.n;
    double *expected[N_INPUTS], sum[2] = {0, 0};
    for (int k = 0; k < N_INPUTS; k++) {
        expected[k] = zeros(n);
        memcpy(expected[k], c.vector[k], (size_t)n * sizeof(double));
    }
    if (!c.stop || c.op == DIAG_DOT) expect(&c, expected, sum);
    for (int k = 0; k < 2; k++)
        if (!(fabs(c.sum[k] - sum[k]) <= DBL_EPSILON * 64 * (double)(n + 8)))
            fail_msg("%s, n = %d: sum %d is %.17g, expected %.17g", v->symbol, (int)n, k, c.sum[k],
                     sum[k]);
    for (int k = 0; k < N_INPUTS; k++)
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(c.after[k][i] - expected[k][i]) <= 16 * DBL_EPSILON))
                fail_msg("%s, n = %d, stop %d: element %d of vector %d is %.17g, expected %.17g",
                         v->symbol, (int)n, c.stop, (int)i, k, c.after[k][i], expected[k][i]);
    for (int k = 0; k < N_INPUTS; k++) {
    }
}

enum { MOST_CALLS = 64 };

typedef struct batch {
    int count;
    call list[MOST_CALLS];
} batch;

static void run_calls(void *argument) {
    batch *all = (batch *)argument;
    for (int k = 0; k < all->count; k++) run_call(&all->list[k]);
}

static void add_call(batch *all, merged op, const spw_kernel *v, int64_t n, bool stop) {
    assert_true(all->count < MOST_CALLS);
    call *c = &all->list[all->count++];
    *c = (call){.op = op, .v = v, .n = n, .stop = stop, .sum = {NAN, NAN}};
    for (int k = 0; k < N_INPUTS; k++) {
        c->vector[k] = zeros(n);
        c->after[k] = zeros(n);
        spw_case_vector(SEED + (uint64_t)k, n, c->vector[k]);
    }
}

/* All in one run, as it takes the checker longer to begin than to run one of them. */
static void check_calls(batch *all) {
    const char *finding = on_device(run_calls, all);
    if (finding) fail_msg("%s", finding);
    for (int k = 0; k < all->count; k++) {
        const call *c = &all->list[k];
        if (c->status) fail_msg("%s, n = %d: %s", c->v->symbol, (int)c->n, spw_message());
        check_call(c);
    }
}

TEST(fused_kernels_agree_with_the_reference) {
    static const int64_t sizes[] = {0, 1, 33, 256, LARGEST};
    batch all = {0};
    for (int op = 0; op < MERGED; op++)
        for (const spw_kernel *v = spw_kernels(operations[op]); v->symbol; v++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                add_call(&all, (merged)op, v, sizes[k], false);
    assert_int_equal(all.count, 6 * 5);
    check_calls(&all);
}

/* Vectors stay as they are, and so do the sums, here zero. */
TEST(fused_kernels_do_nothing_once_stopped) {
    batch all = {0};
    for (int op = 0; op < MERGED; op++)
        for (const spw_kernel *v = spw_kernels(operations[op]); v->symbol; v++)
            add_call(&all, (merged)op, v, 300, true);
    assert_int_equal(all.count, 6);
    check_calls(&all);
}

/* --- product with sums ------------------------------------------------------------------------------------ */

typedef struct product {
    const spw_csr *A;
    const double *x, *w;
    double *y, w_y, y_y;
    spw_status status;
} product;

static void run_product(void *argument) {
    product *p = (product *)argument;
    const int64_t n = p->A->n_rows, bytes = n * (int64_t)sizeof(double);
    double *d_x = NULL, *d_w = NULL, *d_y = NULL, *d_result = NULL, results[2] = {NAN, NAN};
    spw_partials *d_sum = NULL;
    spw_csr d_A = {0};
    spw_status s = spw_csr_to_device(p->A, &d_A);
    if (!s) s = SPW_DEVICE_ALLOC(&d_x, n);
    if (!s) s = SPW_DEVICE_ALLOC(&d_w, n);
    if (!s) s = SPW_DEVICE_ALLOC(&d_y, n);
    if (!s) s = SPW_DEVICE_ALLOC(&d_result, 2);
    if (!s) s = SPW_DEVICE_ALLOC(&d_sum, 2);
    if (!s) s = spw_device_copy_to(d_x, p->x, bytes);
    if (!s) s = spw_device_copy_to(d_w, p->w, bytes);
    if (!s) s = spw_spmv_with_dots_csr_cuda(&d_A, d_x, d_w, d_y, d_sum, d_sum + 1);
    for (int k = 0; k < 2 && !s; k++) s = spw_partials_sum_cuda(d_sum + k, d_result + k);
    if (!s) s = spw_device_copy_from(results, d_result, sizeof results);
    if (!s) s = spw_device_copy_from(p->y, d_y, bytes);
    spw_csr_device_destroy(&d_A);
    spw_device_free(d_x);
    spw_device_free(d_w);
    spw_device_free(d_y);
    spw_device_free(d_result);
    spw_device_free(d_sum);
    p->w_y = results[0];
    p->y_y = results[1];
    if (s) p->status = s;
}

static void check_product(const char *name, const spw_csr *matrix) {
    const int64_t n = matrix->n_rows;
    double *x = zeros(n), *w = zeros(n), *expected = zeros(n), *tolerance = zeros(n);
    product p = {.A = matrix, .x = x, .w = w, .y = zeros(n)};
    spw_case_vector(SEED, n, x);
    spw_case_vector(SEED + 1, n, w);
    spw_spmv_expected(matrix, x, expected, tolerance);
    const char *finding = on_device(run_product, &p);
    if (p.status) fail_msg("%s: %s", name, spw_message());
    if (finding) fail_msg("%s:\n%s", name, finding);
    double w_y = 0, y_y = 0, most_w = 0, most_y = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(p.y[i] - expected[i]) <= tolerance[i]))
            fail_msg("%s: row %d is %.17g, expected %.17g", name, (int)i, p.y[i], expected[i]);
        w_y += w[i] * p.y[i];
        y_y += p.y[i] * p.y[i];
        most_w += fabs(w[i] * p.y[i]);
        most_y += p.y[i] * p.y[i];
    }
    assert_true(fabs(p.w_y - w_y) <= DBL_EPSILON * (double)(n + 8) * most_w);
    assert_true(fabs(p.y_y - y_y) <= DBL_EPSILON * (double)(n + 8) * most_y);
}

/* Rows of 3 to 81 entries: all widths; with some hundred blocks, more rows than run at once. */
TEST(product_and_its_sums_agree) {
    static const char *const names[] = {"tridiag:1", "tridiag:600",  "stencil27:5",
                                        "fem3:4",    "powerlaw:300", "convdiff2d:20"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        OWN(spw_csr) matrix = generated(names[k]);
        check_product(names[k], &matrix);
    }
}

/* --- a solve ------------------------------------------------------------------------------------------------ */

typedef spw_status (*solver_fn)(const spw_cuda_operator *A, const spw_cuda_operator *M,
                                const double *d_b, double *d_x, const spw_solve_options *options,
                                int every, spw_solve_result *result);

/* An operator whose product is refused from call number `fail_from` on. */
typedef struct fragile {
    const spw_cuda_operator *A;
    int calls, fail_from;
} fragile;

static spw_status apply_fragile(void *context, const double *d_x, double *d_y) {
    fragile *f = (fragile *)context;
    if (f->calls++ >= f->fail_from) return spw_error(SPW_ERR_DEVICE, "launch refused by the test");
    return spw_cuda_operator_apply(f->A, d_x, d_y);
}

typedef enum precond { NONE, JACOBI, BJACOBI, NEUMANN, CHEBYSHEV } precond;
enum { DEGREE = 3 };

typedef struct solve {
    solver_fn solver;
    const spw_csr *A, *J; /* J: the preconditioner is made from it; NULL: none */
    precond kind;         /* with J; NONE is JACOBI */
    bool in_sell;
    int fail_from; /* 0: never */
    int m_rows;    /* not 0: a preconditioner of so many rows */
    const double *b;
    double *x; /* first guess, which stays; the answer is in y */
    double *y;
    const spw_solve_options *options;
    int every;
    spw_solve_result result;
    spw_status status;
    int runs;
    bool differs; /* from the run under the other schedule */
} solve;

static spw_status make_operator(const solve *s, spw_cuda_operator *op) {
    spw_sell sell;
    if (!s->in_sell) return spw_cuda_operator_from_csr(s->A, op);
    spw_status status = spw_sell_from_csr(s->A, 32, 128, &sell);
    if (!status) status = spw_cuda_operator_from_sell(&sell, op);
    spw_sell_destroy(&sell);
    return status;
}

static spw_status make_precond(const solve *s, spw_cuda_operator *M) {
    switch (s->kind) {
    case BJACOBI: return spw_cuda_precond_bjacobi(s->J, 0, M);
    case NEUMANN: return spw_cuda_precond_neumann(s->J, DEGREE, M);
    case CHEBYSHEV: return spw_cuda_precond_chebyshev(s->J, DEGREE, M);
    default: return spw_cuda_precond_jacobi(s->J, M);
    }
}

static void run_solve(void *argument) {
    solve *s = (solve *)argument;
    const int64_t n = s->A->n_rows, bytes = n * (int64_t)sizeof(double);
    double *d_b = NULL, *d_x = NULL, *const y = zeros(n);
    OWN(spw_cuda_operator) op = {0}, M = {0};
    spw_solve_result result = {0};
    spw_status status = make_operator(s, &op);
    fragile fragile_op = {.A = &op, .fail_from = s->fail_from};
    const spw_cuda_operator breaking = {
        .name = "breaking", .n = n, .context = &fragile_op, .apply = apply_fragile};
    if (!status && s->J) status = make_precond(s, &M);
    if (s->m_rows) M = (spw_cuda_operator){.name = "other", .n = s->m_rows};
    if (!status) status = SPW_DEVICE_ALLOC(&d_b, n);
    if (!status) status = SPW_DEVICE_ALLOC(&d_x, n);
    if (!status) status = spw_device_copy_to(d_b, s->b, bytes);
    if (!status) status = spw_device_copy_to(d_x, s->x, bytes);
    if (!status)
        status = s->solver(s->fail_from ? &breaking : &op, M.name ? &M : NULL, d_b, d_x, s->options,
                           s->every, &result);
    if (!status) status = spw_device_copy_from(y, d_x, bytes);
    if (!status && s->runs++ &&
        (memcmp(y, s->y, (size_t)bytes) || result.iterations != s->result.iterations))
        s->differs = true;
    if (!status) memcpy(s->y, y, (size_t)bytes);
    spw_solve_result_destroy(&s->result);
    s->result = result;
    if (status) s->status = status;
    spw_device_free(d_b);
    spw_device_free(d_x);
}

/* Runs it, expecting no error. */
static void must_run(const char *name, solve *s) {
    const char *finding = on_device(run_solve, s);
    if (s->status) fail_msg("%s: %s", name, spw_message());
    if (finding) fail_msg("%s:\n%s", name, finding);
    if (s->differs) fail_msg("%s: two schedules, two answers", name);
    assert_int_equal(n_alive, 0);
}

/* --- the same as on the host -------------------------------------------------------------------------------- */

static spw_status host_precond(const solve *s, spw_operator *M) {
    switch (s->kind) {
    case BJACOBI: return spw_precond_bjacobi(s->J, 0, M);
    case NEUMANN: return spw_precond_neumann(s->J, DEGREE, M);
    case CHEBYSHEV: return spw_precond_chebyshev(s->J, DEGREE, M);
    default: return spw_precond_jacobi(s->J, M);
    }
}

static void by_host(const solve *s, spw_solve_result *result) {
    OWN(spw_operator) op, M = {0};
    double *x = zeros(s->A->n_rows);
    assert_ok(spw_operator_from_csr(s->A, &op));
    if (s->J) assert_ok(host_precond(s, &M));
    const spw_operator *preconditioner = s->J ? &M : NULL;
    if (s->solver == spw_cg_cuda)
        assert_ok(spw_pcg(&op, preconditioner, s->b, x, s->options, result));
    else
        assert_ok(spw_bicgstab(&op, preconditioner, s->b, x, s->options, result));
}

/* b - A x, by a loop of our own, over ||b||. */
static double residual_of(const spw_csr *matrix, const double *b, const double *x) {
    double r_r = 0, b_b = 0;
    for (spw_idx i = 0; i < matrix->n_rows; i++) {
        double left = b[i];
        for (spw_idx k = matrix->row_ptr[i]; k < matrix->row_ptr[i + 1]; k++)
            left -= matrix->val[k] * x[matrix->col_idx[k]];
        r_r += left * left;
        b_b += b[i] * b[i];
    }
    return sqrt(r_r / b_b);
}

static void check_solve(const char *name, solver_fn solver, precond kind, bool in_sell, int every) {
    OWN(spw_solve_result) host;
    OWN(spw_csr) matrix = generated(name);
    const int64_t n = matrix.n_rows;
    double *b = zeros(n);
    spw_case_vector(SEED, n, b);
    solve s = {.solver = solver,
               .A = &matrix,
               .J = kind ? &matrix : NULL,
               .kind = kind,
               .in_sell = in_sell,
               .b = b,
               .x = zeros(n),
               .y = zeros(n),
               .every = every};
    must_run(name, &s);
    by_host(&s, &host);
    const spw_solve_result *r = &s.result;
    assert_int_equal(host.stop, SPW_STOP_CONVERGED);
    if (r->stop != SPW_STOP_CONVERGED) fail_msg("%s: %s", name, r->text);
    if (abs(r->iterations - host.iterations) > 1)
        fail_msg("%s: %d iterations, %d on the host", name, r->iterations, host.iterations);
    const double residual = residual_of(&matrix, b, s.y);
    assert_true(residual <= 1e-7 && fabs(residual - r->true_residual) <= 1e-3 * residual + 1e-14);
    assert_true(r->residual <= 1e-8 && r->seconds > 0);
    assert_int_equal(r->n_history, r->iterations + 1);
    assert_true(r->history[r->iterations] == r->residual);
    for (int k = 0; k < 5 && k < r->n_history && k < host.n_history; k++)
        assert_true(fabs(r->history[k] - host.history[k]) <= 1e-9 * host.history[0]);
    assert_true(r->n_kernels >= 4 && spw_solve_cost(r).load > 0);
    spw_solve_result_destroy(&s.result);
}

TEST(cg_takes_as_many_iterations_as_on_the_host) {
    check_solve("laplace2d:18x18", spw_cg_cuda, NONE, false, 8);
    check_solve("laplace2d:6x6", spw_cg_cuda, NONE, true, 7);
    check_solve("tridiag:1", spw_cg_cuda, NONE, false, 1);
    check_solve("tridiag:20", spw_cg_cuda, NONE, false, 1);
    check_solve("stencil27:4", spw_cg_cuda, NONE, false, 0);
}

TEST(preconditioned_cg_too) {
    check_solve("arrow:100", spw_cg_cuda, JACOBI, false, 3);
    check_solve("stencil27:4", spw_cg_cuda, JACOBI, true, 4);
    check_solve("fem3:3", spw_cg_cuda, BJACOBI, false, 4);
    check_solve("laplace2d:7x7", spw_cg_cuda, BJACOBI, false, 4); /* its last block is smaller */
    check_solve("laplace2d:6x6", spw_cg_cuda, NEUMANN, false, 4);
    check_solve("laplace2d:6x6", spw_cg_cuda, CHEBYSHEV, false, 4);
}

TEST(bicgstab_too) {
    check_solve("convdiff2d:14", spw_bicgstab_cuda, NONE, false, 4);
    check_solve("convdiff2d:6", spw_bicgstab_cuda, JACOBI, false, 2);
    check_solve("convdiff2d:6", spw_bicgstab_cuda, NEUMANN, false, 2);
    check_solve("convdiff2d:6", spw_bicgstab_cuda, BJACOBI, false, 2);
    check_solve("laplace2d:5x5", spw_bicgstab_cuda, NONE, true, 5);
    check_solve("tridiag:1", spw_bicgstab_cuda, NONE, false, 1); /* ends with a half step */
}

/* --- what is not convergence -------------------------------------------------------------------------------- */

enum { SMALL = 4 };

/* A dense matrix of n x n, n <= 4, as CSR; x begins with zeros. */
typedef struct small {
    spw_idx row_ptr[SMALL + 1], col_idx[SMALL * SMALL];
    double val[SMALL * SMALL], b[SMALL], x[SMALL], y[SMALL];
    spw_csr A;
    solve s;
} small;

static void fill(small *m, spw_idx n, const double *val, const double *b) {
    *m = (small){0};
    for (spw_idx i = 0; i < n; i++) {
        for (spw_idx j = 0; j < n; j++) {
            m->col_idx[i * n + j] = j;
            m->val[i * n + j] = val[i * n + j];
        }
        m->row_ptr[i + 1] = (i + 1) * n;
        m->b[i] = b[i];
    }
    m->A = (spw_csr){n, n, n * n, m->row_ptr, m->col_idx, m->val};
    m->s = (solve){.solver = spw_cg_cuda, .A = &m->A, .b = m->b, .x = m->x, .y = m->y, .every = 2};
}

static void check_stop(small *m, spw_stop stop, const char *words) {
    must_run(words, &m->s);
    if (m->s.result.stop != stop || !strstr(m->s.result.text, words))
        fail_msg("'%s' and not '%s', stop %d", m->s.result.text, words, (int)stop);
}

TEST(matrices_that_are_not_positive_definite_are_told) {
    small m;
    const double b[] = {1, 2};
    fill(&m, 2, (const double[]){-2, 1, 1, -2}, b);
    check_stop(&m, SPW_STOP_NOT_SPD, "p.Ap is -6 in iteration 0");
    assert_true(m.y[0] == 0 && m.y[1] == 0 && m.s.result.true_residual == 1);
    assert_int_equal(m.s.result.n_history, 1);
    spw_solve_result_destroy(&m.s.result);

    fill(&m, 2, (const double[]){0, 0, 0, 0}, b);
    check_stop(&m, SPW_STOP_NOT_SPD, "p.Ap is 0 in iteration 0");
    spw_solve_result_destroy(&m.s.result);

    small minus;
    fill(&m, 2, (const double[]){2, 1, 1, 2}, b);
    fill(&minus, 2, (const double[]){-2, 1, 1, -2}, b);
    m.s.J = &minus.A;
    check_stop(&m, SPW_STOP_PRECOND_SPD, "the preconditioner jacobi is not positive definite");
    spw_solve_result_destroy(&m.s.result);
}

TEST(breakdowns_of_bicgstab_are_told_apart) {
    small m;
    const double b[] = {1, 0, 0};
    fill(&m, 2, (const double[]){0, 1, -1, 0}, b);
    m.s.solver = spw_bicgstab_cuda;
    check_stop(&m, SPW_STOP_BREAKDOWN_ALPHA, "c.Ap is");
    assert_true(m.y[0] == 0 && m.y[1] == 0 && m.s.result.true_residual == 1);
    spw_solve_result_destroy(&m.s.result);

    fill(&m, 2, (const double[]){1, 1, -1, 0}, b);
    m.s.solver = spw_bicgstab_cuda;
    check_stop(&m, SPW_STOP_BREAKDOWN_OMEGA, "t.s is");
    assert_true(m.y[0] == 1 && m.y[1] == 0); /* with the half step */
    assert_int_equal(m.s.result.iterations, 0);
    spw_solve_result_destroy(&m.s.result);

    fill(&m, 3, (const double[]){1, 0, 0, 1, 1, 0, 0, -1, 1}, b);
    m.s.solver = spw_bicgstab_cuda;
    check_stop(&m, SPW_STOP_BREAKDOWN_RHO, "rho = c.r is");
    assert_int_equal(m.s.result.iterations, 1);
    spw_solve_result_destroy(&m.s.result);
}

TEST(what_is_not_finite_is_told) {
    static const solver_fn solvers[] = {spw_cg_cuda, spw_bicgstab_cuda};
    small m;
    for (int k = 0; k < 2; k++) {
        fill(&m, 2, (const double[]){2, 1, 1, 2}, (const double[]){1, NAN});
        m.s.solver = solvers[k];
        check_stop(&m, SPW_STOP_NOT_FINITE, "b has a NaN or an infinity");
        assert_int_equal(m.s.result.n_history, 0);
        spw_solve_result_destroy(&m.s.result);

        fill(&m, 2, (const double[]){2, 1, 1, 2}, (const double[]){1e-200, 0});
        m.s.solver = solvers[k];
        check_stop(&m, SPW_STOP_NOT_FINITE, "b is too small: its largest entry is 1e-200");
        spw_solve_result_destroy(&m.s.result);

        fill(&m, 2, (const double[]){2, INFINITY, INFINITY, 2}, (const double[]){1, 1});
        m.s.solver = solvers[k];
        m.x[0] = 1;
        check_stop(&m, SPW_STOP_NOT_FINITE, "not finite: r.r is");
        assert_true(isnan(m.s.result.true_residual));
        assert_true(m.y[0] == 1 && m.y[1] == 0);
        spw_solve_result_destroy(&m.s.result);

        fill(&m, 2, (const double[]){1e200, 0, 0, 1e200}, (const double[]){1e150, 1e150});
        m.s.solver = solvers[k];
        check_stop(&m, SPW_STOP_NOT_FINITE, "is inf in iteration 0");
        assert_true(m.y[0] == 0 && m.y[1] == 0);
        spw_solve_result_destroy(&m.s.result);
    }
}

TEST(nothing_to_do_is_convergence) {
    small m;
    fill(&m, 2, (const double[]){2, 1, 1, 2}, (const double[]){0, 0});
    m.x[0] = m.x[1] = 7;
    check_stop(&m, SPW_STOP_CONVERGED, "b is zero, and so is x");
    assert_true(m.y[0] == 0 && m.y[1] == 0 && m.s.result.true_residual == 0);
    spw_solve_result_destroy(&m.s.result);

    fill(&m, 2, (const double[]){2, 1, 1, 2}, (const double[]){3, 3});
    m.x[0] = m.x[1] = 1;
    check_stop(&m, SPW_STOP_CONVERGED, "converged in 0 iterations");
    assert_true(m.y[0] == 1 && m.y[1] == 1);
    spw_solve_result_destroy(&m.s.result);

    fill(&m, 0, NULL, NULL);
    check_stop(&m, SPW_STOP_CONVERGED, "b is zero");
    spw_solve_result_destroy(&m.s.result);
}

/* --- limits ------------------------------------------------------------------------------------------------- */

typedef struct system {
    spw_csr A;
    double *b;
    solve s;
} system_of;

static void make(const char *name, system_of *S) {
    *S = (system_of){0};
    assert_ok(spw_csr_generate(name, &S->A));
    const int64_t n = S->A.n_rows;
    S->b = zeros(n);
    spw_case_vector(SEED, n, S->b);
    S->s = (solve){
        .solver = spw_cg_cuda, .A = &S->A, .b = S->b, .x = zeros(n), .y = zeros(n), .every = 4};
}

static void drop(system_of *S) {
    spw_solve_result_destroy(&S->s.result);
    spw_csr_destroy(&S->A);
}

/* The iterations are those that were allowed, not the next multiple of `every`; x is theirs, too. */
TEST(the_most_iterations_are_kept_to) {
    static const solver_fn solvers[] = {spw_cg_cuda, spw_bicgstab_cuda};
    const spw_solve_options options = {.max_iterations = 6};
    for (int k = 0; k < 2; k++) {
        system_of S;
        make("laplace2d:8x8", &S);
        S.s.solver = solvers[k];
        S.s.options = &options;
        must_run("six iterations", &S.s);
        assert_int_equal(S.s.result.stop, SPW_STOP_ITERATIONS);
        assert_int_equal(S.s.result.iterations, 6);
        assert_int_equal(S.s.result.n_history, 7);
        assert_non_null(strstr(S.s.result.text, "after 6 iterations, the most allowed"));
        assert_true(fabs(residual_of(&S.A, S.b, S.s.y) - S.s.result.residual) < 1e-12);
        drop(&S);
    }
}

/* The residual of conjugate gradients rises now and then; with patience for one iteration that is the end. */
TEST(stagnation_is_told) {
    const spw_solve_options options = {.stagnation = 1};
    OWN(spw_solve_result) host;
    system_of S;
    make("tridiag:20", &S);
    S.s.options = &options;
    must_run("stagnation", &S.s);
    by_host(&S.s, &host);
    assert_int_equal(host.stop, SPW_STOP_STAGNATED);
    assert_int_equal(S.s.result.stop, SPW_STOP_STAGNATED);
    assert_int_equal(S.s.result.iterations, host.iterations);
    assert_string_equal(S.s.result.text, host.text);
    drop(&S);
}

/* Recurrence and b - A x part where x begins far off: the method begins anew. */
TEST(it_begins_anew_where_the_recurrence_drifts_off) {
    const spw_solve_options options = {.tolerance = 1e-10};
    system_of S;
    make("laplace2d:8x8", &S);
    S.s.options = &options;
    for (int i = 0; i < S.A.n_rows; i++) S.s.x[i] = 1e9 * S.b[(i * 7) % S.A.n_rows];
    must_run("far off", &S.s);
    if (S.s.result.stop != SPW_STOP_CONVERGED) fail_msg("%s", S.s.result.text);
    assert_true(S.s.result.restarts >= 1);
    assert_non_null(strstr(S.s.result.text, "begun anew"));
    assert_true(residual_of(&S.A, S.b, S.s.y) <= 1e-9);
    assert_int_equal(S.s.result.n_history, S.s.result.iterations + 1);
    drop(&S);
}

static int stop_at_8(void *context, int iteration, double residual, double seconds) {
    int *calls = (int *)context;
    ++*calls;
    return iteration >= 8 || !(residual > 0) || !(seconds >= 0);
}

TEST(progress_may_cancel) {
    int calls = 0;
    const spw_solve_options options = {.progress = stop_at_8, .progress_context = &calls};
    system_of S;
    make("laplace2d:12x12", &S);
    S.s.options = &options;
    must_run("cancelled", &S.s);
    assert_int_equal(S.s.result.stop, SPW_STOP_CANCELLED);
    assert_in_range(S.s.result.iterations, 8, 8 + 3 * 4);
    assert_in_range(calls, 2, 2 * 4);
    assert_true(fabs(residual_of(&S.A, S.b, S.s.y) - S.s.result.true_residual) < 1e-12);
    drop(&S);
}

/* --- errors ------------------------------------------------------------------------------------------------- */

TEST(bad_arguments_are_refused) {
    const spw_solve_options negative = {.tolerance = -1};
    for (int k = 0; k < 4; k++) {
        static const char *const words[] = {"every is -1", "the tolerance is -1",
                                            "the preconditioner other has 5 rows",
                                            "needs a square matrix"};
        small m;
        fill(&m, 2, (const double[]){2, 1, 1, 2}, (const double[]){1, 1});
        if (k == 0) m.s.every = -1;
        if (k == 1) m.s.options = &negative;
        if (k == 2) m.s.m_rows = 5;
        if (k == 3) m.A.n_cols = 3;
        assert_null(on_device(run_solve, &m.s));
        assert_int_equal(m.s.status, SPW_ERR_ARG);
        assert_non_null(strstr(spw_message(), words[k]));
        assert_null(m.s.result.history);
        assert_int_equal(n_alive, 0);
    }
    small m, zero;
    fill(&m, 2, (const double[]){2, 1, 1, 2}, (const double[]){1, 1});
    fill(&zero, 2, (const double[]){2, 1, 1, 0}, (const double[]){1, 1});
    m.s.J = &zero.A;
    assert_null(on_device(run_solve, &m.s));
    assert_int_equal(m.s.status, SPW_ERR_ARG);
    assert_int_equal(n_alive, 0);
}

/* The product at the beginning, those under way, and the last of all. */
TEST(a_launch_that_is_refused_ends_it) {
    static const solver_fn solvers[] = {spw_cg_cuda, spw_bicgstab_cuda};
    for (int k = 0; k < 2; k++)
        for (int fail_from = 1; fail_from < 14; fail_from += 6) {
            system_of S;
            make("laplace2d:6x6", &S);
            S.s.solver = solvers[k];
            S.s.fail_from = fail_from;
            assert_null(on_device(run_solve, &S.s));
            assert_error(S.s.status, SPW_ERR_DEVICE, "refused by the test");
            assert_null(S.s.result.history);
            assert_int_equal(S.s.result.n_kernels, 0);
            assert_int_equal(n_alive, 0);
            drop(&S);
        }
}

typedef struct little {
    solver_fn solver;
    int allowed;        /* allocations that were needed */
    const char *failed; /* what does not hold */
} little;

/* Only the first 0, 1, 2 ... allocations succeed, until all do. */
static void solve_with_little(void *argument) {
    little *l = (little *)argument;
    for (l->allowed = 0; !l->failed; l->allowed++) {
        small m;
        fill(&m, 2, (const double[]){2, 1, 1, 2}, (const double[]){1, 2});
        m.s.solver = l->solver;
        m.s.J = &m.A;
        allow = l->allowed;
        run_solve(&m.s);
        allow = -1;
        const bool is_done = m.s.status == SPW_OK;
        if (n_alive != 0) l->failed = "something is not freed";
        if (!is_done && m.s.status != SPW_ERR_MEMORY) l->failed = "another status";
        if (!is_done && m.s.result.history) l->failed = "a result in spite of the failure";
        if (is_done && m.s.result.stop != SPW_STOP_CONVERGED) l->failed = "not converged";
        spw_solve_result_destroy(&m.s.result);
        if (is_done) break;
    }
}

TEST(no_memory_on_the_device_is_a_status) {
    static const solver_fn solvers[] = {spw_cg_cuda, spw_bicgstab_cuda};
    for (int k = 0; k < 2; k++) {
        little l = {.solver = solvers[k]};
        const char *finding = on_device(solve_with_little, &l);
        if (finding) fail_msg("%s", finding);
        if (l.failed) fail_msg("with %d allocations: %s", l.allowed, l.failed);
        /* A: 3; Jacobi: 1; b, x: 2; sums, scalars, history, seen, two events: 6; vectors */
        assert_int_equal(l.allowed, 12 + (k ? 7 : 4));
    }
}

/* --- what there is ------------------------------------------------------------------------------------------ */

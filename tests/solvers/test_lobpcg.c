/* solvers/lobpcg.h against eigenvalues that are known: of Laplacians, in closed form, multiple ones among them;
 * of small matrices, by LAPACK on the dense matrix; of A x = lambda B x. Then everything that is not
 * convergence, and the matrices of $SHARED_MATRICES (default ../shared/matrices), if they are there. */
#include "solvers/lobpcg.h"

#include "kernels/block.h"
#include "solvers/problem.h"

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All eigenvalues of the Laplacian of a grid, ascending; a side of 1 adds nothing. */
static double *laplacian(int nx, int ny, int nz) {
    const int sides[] = {nx, ny, nz};
    double *w = zeros(nx * ny * nz);
    for (int k = 0; k < nx * ny * nz; k++) {
        const int at[] = {k % nx, k / nx % ny, k / nx / ny};
        w[k] = 0;
        for (int d = 0; d < 3; d++)
            if (sides[d] > 1) w[k] += 4 * pow(sin(M_PI * (at[d] + 1) / (2.0 * (sides[d] + 1))), 2);
    }
    qsort(w, (size_t)(nx * ny * nz), sizeof *w, by_value);
    return w;
}

static void load(const char *spec, bool with_jacobi, problem *p) {
    *p = (problem){0};
    problem_load(spec, p);
    if (!with_jacobi) spw_operator_destroy(&p->M);
}

/* Runs, and checks what must hold of any result: vectors of B-length 1, orthogonal, with the residuals claimed. */
static spw_lobpcg_result run(const problem *p, const spw_operator *B, spw_lobpcg_options options) {
    const int64_t n = p->A.n_rows;
    const int nv = options.nv;
    double *V = zeros(n * nv), *AV = zeros(n * nv);
    double *BV = B ? zeros(n * nv) : V, *room = zeros(2 * n);
    double G[SPW_LOBPCG_MAX * SPW_LOBPCG_MAX], square[SPW_LOBPCG_MAX];
    spw_lobpcg_result result;
    assert_ok(spw_lobpcg(&p->op, B, p->M.n ? &p->M : NULL, V, 0, &options, &result));
    if (result.stop == SPW_STOP_CONVERGED) {
        spw_operator_apply_block(&p->op, nv, V, nv, AV, nv, room, 1);
        if (B) spw_operator_apply_block(B, nv, V, nv, BV, nv, room, 1);
        spw_gram_ref(n, nv, V, nv, nv, BV, nv, G);
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++)
                if (!(fabs(G[i * nv + j] - (i == j)) < 1e-9))
                    fail_msg("vectors %d and %d: %g", i, j, G[i * nv + j]);
        spw_residual_ref(n, nv, result.lambda, AV, nv, BV, nv, AV, nv, square);
        for (int j = 0; j < nv; j++) {
            const double size = fabs(result.lambda[nv - 1]) + fabs(result.lambda[0]);
            assert_true(fabs(sqrt(square[j]) - result.residual[j]) <= 1e-11 * size + 1e-14);
        }
        assert_int_equal(result.converged, nv);
    }
    return result;
}

static void expect(const spw_lobpcg_result *result, const double *w, double relative,
                   const char *what) {
    if (result->stop != SPW_STOP_CONVERGED) fail_msg("%s: %s", what, result->text);
    for (int j = 0; j < result->nv; j++)
        if (!(fabs(result->lambda[j] - w[j]) <= relative * fabs(w[j])))
            fail_msg("%s: eigenvalue %d is %.15g, not %.15g; %s", what, j, result->lambda[j], w[j],
                     result->text);
}

TEST(laplacians_have_their_eigenvalues) {
    const struct {
        const char *spec;
        int nx, ny, nz, nv;
    } grids[] = {{"tridiag:300", 300, 1, 1, 4},
                 {"laplace2d:30x31", 30, 31, 1, 1},
                 {"laplace2d:24x24", 24, 24, 1, 10},
                 {"laplace3d:8", 8, 8, 8, 16},
                 {"laplace3d:10", 10, 10, 10, 30}};
    for (int t = 1; with_threads(t, 2); t++)
        for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
            OWN(problem) p;
            load(grids[g].spec, false, &p);
            double *w = laplacian(grids[g].nx, grids[g].ny, grids[g].nz);
            spw_lobpcg_options o = {.nv = grids[g].nv, .tolerance = 1e-5};
            OWN(spw_lobpcg_result) result = run(&p, NULL, o);
            expect(&result, w, 1e-8, grids[g].spec);
        }
}

TEST(the_largest_are_found_too) {
    OWN(problem) p;
    load("laplace2d:30x31", false, &p);
    double *w = laplacian(30, 31, 1), wanted[6];
    for (int j = 0; j < 6; j++) wanted[j] = w[30 * 31 - 1 - j];
    OWN(spw_lobpcg_result)
    result = run(&p, NULL, (spw_lobpcg_options){.nv = 6, .largest = 1});
    expect(&result, wanted, 1e-8, "largest");
}

/* --- matrices with known values on the diagonal, and others --------------------------------------------- */

/* An operator that needs no matrix. */
typedef struct diagonal {
    int64_t n;
    const double *d;
} diagonal;

static void apply_diagonal(void *context, const double *x, double *y) {
    const diagonal *D = context;
    for (int64_t i = 0; i < D->n; i++) y[i] = D->d[i] * x[i];
}

static spw_operator diagonal_operator(diagonal *D) {
    return (spw_operator){.name = "diagonal", .n = D->n, .context = D, .apply = apply_diagonal};
}

/* Pairs of diag(d), those of smallest value or, with B, of d / b. */
static spw_lobpcg_result of_diagonal(int n, const double *d, const double *b,
                                     spw_lobpcg_options options) {
    diagonal D = {n, d}, E = {n, b};
    const spw_operator A = diagonal_operator(&D), B = diagonal_operator(&E);
    spw_lobpcg_result result;
    assert_ok(spw_lobpcg(&A, b ? &B : NULL, NULL, NULL, 0, &options, &result));
    return result;
}

TEST(multiple_and_clustered_eigenvalues_are_all_found) {
    enum { N = 400 };
    double d[N];
    const double wanted[] = {1, 1, 1, 1, 1, 1 + 1e-9, 1 + 1e-9, 1 + 1e-4, 2, 2, 2, 2};
    for (int i = 0; i < N; i++) d[i] = i < 12 ? wanted[11 - i] : 3 + i;
    OWN(spw_lobpcg_result)
    result = of_diagonal(N, d, NULL, (spw_lobpcg_options){.nv = 12, .tolerance = 1e-9});
    expect(&result, wanted, 1e-12, "clustered");
}

TEST(negative_and_zero_eigenvalues_are_found) {
    enum { N = 300 };
    double d[N];
    for (int i = 0; i < N; i++) d[i] = i - 2.0; /* -2 -1 0 1 2 .. */
    OWN(spw_lobpcg_result) result = of_diagonal(N, d, NULL, (spw_lobpcg_options){.nv = 5});
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
    for (int j = 0; j < 5; j++) assert_true(fabs(result.lambda[j] - (j - 2.0)) < 1e-9);
}

TEST(a_zero_matrix_has_zeros) {
    static const double d[200];
    OWN(spw_lobpcg_result) result = of_diagonal(200, d, NULL, (spw_lobpcg_options){.nv = 3});
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
    for (int j = 0; j < 3; j++) assert_true(result.lambda[j] == 0 && result.residual[j] == 0);
}

TEST(as_many_as_there_are_rows) {
    const int sizes[][2] = {{1, 1}, {2, 2}, {7, 6}, {40, 39}, {64, 64}, {65, 64}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int largest = 0; largest <= 1; largest++) {
            const int n = sizes[s][0], nv = sizes[s][1];
            double d[65], w[65];
            for (int i = 0; i < n; i++) d[i] = 1 + (i * 11) % n;
            for (int j = 0; j < nv; j++) w[j] = largest ? n - j : j + 1;
            OWN(spw_lobpcg_result)
            result = of_diagonal(n, d, NULL, (spw_lobpcg_options){.nv = nv, .largest = largest});
            expect(&result, w, 1e-12, "small");
        }
}

TEST(two_matrices_have_common_vectors) {
    enum { N = 300 };
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        b[i] = 1 + i % 3;
        a[i] = (i + 1) * b[i];
    }
    const double wanted[] = {1, 2, 3, 4, 5, 6};
    OWN(spw_lobpcg_result)
    result = of_diagonal(N, a, b, (spw_lobpcg_options){.nv = 6, .tolerance = 1e-8});
    expect(&result, wanted, 1e-10, "diagonal pair");

    /* Linear elements on a line: stiffness (-1 2 -1), mass (1 4 1) / 6. In closed form, with c = cos(k pi h):
     * 6 (2 - 2 c) / (4 + 2 c). */
    OWN(problem) K, M;
    double w[5];
    load("tridiag:200", true, &K);
    load("tridiag:200", false, &M);
    for (spw_idx k = 0; k < M.A.nnz; k++) M.A.val[k] = M.A.val[k] > 0 ? 4.0 / 6 : 1.0 / 6;
    for (int k = 0; k < 5; k++) {
        const double c = cos(M_PI * (k + 1) / 201);
        w[k] = 6 * (2 - 2 * c) / (4 + 2 * c);
    }
    OWN(spw_lobpcg_result)
    of_line = run(&K, &M.op, (spw_lobpcg_options){.nv = 5, .tolerance = 1e-7});
    expect(&of_line, w, 1e-8, "elements on a line");
}

TEST(a_matrix_B_that_is_not_definite_is_refused) {
    for (int n = 20; n <= 300; n += 280)
        for (int which = 0; which < 2; which++) {
            double a[300], b[300];
            for (int i = 0; i < n; i++) {
                a[i] = i + 1;
                b[i] = which ? (i % 2 ? 1 : -1) : (i < 2 ? 1 : 0);
            }
            OWN(spw_lobpcg_result) result = of_diagonal(n, a, b, (spw_lobpcg_options){.nv = 4});
            if (result.stop != SPW_STOP_NOT_SPD || strncmp(result.text, "B is ", 5) != 0)
                fail_msg("n %d: %s", n, result.text);
            if (n == 20) /* by LAPACK */
                assert_string_equal(result.text, which ? "B is not positive definite: row 0"
                                                       : "B is not positive definite: row 2");
            assert_int_equal(result.converged, 0);
        }
}

TEST(values_that_are_not_finite_are_told) {
    for (int n = 20; n <= 300; n += 280) {
        double d[300];
        for (int i = 0; i < n; i++) d[i] = i == 7 ? NAN : i;
        OWN(spw_lobpcg_result) result = of_diagonal(n, d, NULL, (spw_lobpcg_options){.nv = 4});
        assert_int_equal(result.stop, SPW_STOP_NOT_FINITE);
    }
}

/* --- options ---------------------------------------------------------------------------------------------- */

static int stop_at_seven(void *context, int iteration, int converged, double residual,
                         double seconds) {
    int *calls = context;
    assert_int_equal(iteration, *calls);
    assert_true(converged >= 0 && residual > 0 && seconds >= 0);
    return ++*calls > 7;
}

TEST(options_do_what_they_say) {
    OWN(problem) p;
    double *w = laplacian(40, 40, 1);
    load("laplace2d:40x40", true, &p);
    spw_lobpcg_options o = {.nv = 8, .one_by_one = 1, .seed = 3};
    OWN(spw_lobpcg_result) one_by_one = run(&p, NULL, o);
    expect(&one_by_one, w, 1e-8, "one by one");

    int calls = 0;
    o = (spw_lobpcg_options){.nv = 8, .progress = stop_at_seven, .progress_context = &calls};
    OWN(spw_lobpcg_result) cancelled = run(&p, NULL, o);
    assert_int_equal(cancelled.stop, SPW_STOP_CANCELLED);
    assert_int_equal(cancelled.iterations, 7);
    assert_int_equal(cancelled.n_history, 8);

    o = (spw_lobpcg_options){.nv = 8, .max_iterations = 5};
    OWN(spw_lobpcg_result) limited = run(&p, NULL, o);
    assert_int_equal(limited.stop, SPW_STOP_ITERATIONS);
    assert_int_equal(limited.iterations, 5);

    /* The vectors of one run are the guess of the next: nothing is left to do. */
    double *V = zeros(1600 * 4);
    o = (spw_lobpcg_options){.nv = 4, .tolerance = 1e-7, .guard = -1};
    OWN(spw_lobpcg_result) first, next;
    assert_ok(spw_lobpcg(&p.op, NULL, NULL, V, 0, &o, &first));
    assert_true(first.stop == SPW_STOP_CONVERGED && first.iterations > 5);
    o.tolerance = 1e-6;
    assert_ok(spw_lobpcg(&p.op, NULL, NULL, V, 1, &o, &next));
    assert_true(next.stop == SPW_STOP_CONVERGED && next.iterations == 0);
}

/* The papers count 2 nz nv + 36 n nv^2 flops an iteration, we promise 40, and what is executed is counted at
 * each call. Of the first iterations, in which nothing has converged and P is missing once. */
TEST(flops_are_those_of_the_model) {
    OWN(problem) p;
    enum { STEPS = 40, NV = 16 };
    load("laplace3d:20", false, &p);
    spw_lobpcg_options o = {.nv = NV, .guard = -1, .max_iterations = STEPS, .tolerance = 1e-12};
    OWN(spw_lobpcg_result) result = run(&p, NULL, o);
    assert_int_equal(result.iterations, STEPS);
    const double n = p.A.n_rows, nz = p.A.nnz;
    double executed = 0;
    for (int k = 0; k < SPW_LOBPCG_PHASES; k++) executed += result.phases[k].cost.flop / STEPS;
    const double ours = 2 * nz * NV + 40 * n * NV * NV, papers = ours - 4 * n * NV * NV;
    print_message("flops an iteration: %.3g executed, %.3g promised, %.3g in the papers' count\n",
                  executed, ours, papers);
    assert_true(executed > 0.95 * ours && executed < 1.12 * ours);
    assert_true(result.phases[SPW_LOBPCG_MULTIPLY].calls == STEPS + 2);
}

TEST(bad_arguments_are_refused) {
    OWN(problem) p, q;
    load("tridiag:50", false, &p);
    load("tridiag:51", true, &q);
    spw_lobpcg_result result;
    const spw_lobpcg_options bad[] = {{.nv = -1},
                                      {.nv = 65},
                                      {.nv = 51},
                                      {.nv = 2, .tolerance = NAN},
                                      {.nv = 2, .tolerance = -1},
                                      {.nv = 2, .max_iterations = -1},
                                      {.nv = 2, .guard = -2}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(spw_lobpcg(&p.op, NULL, NULL, NULL, 0, &bad[k], &result), SPW_ERR_ARG);
        assert_true(!result.lambda && !result.history && result.nv == 0);
    }
    assert_error(spw_lobpcg(&p.op, &q.op, NULL, NULL, 0, NULL, &result), SPW_ERR_ARG,
                 "B has 51 rows, A 50");
    assert_error(spw_lobpcg(&p.op, NULL, &q.M, NULL, 0, NULL, &result), SPW_ERR_ARG,
                 "jacobi has 51 rows");
}

TEST(no_memory_is_said) {
    OWN(problem) p;
    const spw_lobpcg_options o = {.nv = 3, .max_iterations = 4};
    load("tridiag:120", true, &p);
    OWN(spw_lobpcg_result) r;
    const int failures =
        FAILURES(spw_lobpcg(&p.op, NULL, &p.M, NULL, 0, &o, &r), !r.lambda && !r.history);
    assert_true(failures > 15);
}

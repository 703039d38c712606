/* solvers/multigrid.h: cycles that a grid's width does not change, M^-1 that is symmetric, what is refused, and failing
 * allocations. */
#include "solvers/multigrid.h"

#include "base/random.h"
#include "formats/generate.h"
#include "kit/systems.h"
#include "solvers/cg.h"
#include "solvers/precond.h"
#include "test.h"

static spw_multigrid *of(const spw_csr *A) {
    spw_multigrid *G;
    assert_ok(spw_multigrid_create(A, &G));
    return G;
}

static double *random_vector(int64_t n, uint64_t seed) {
    double *v = zeros(n);
    for (int64_t i = 0; i < n; i++) v[i] = 2 * spw_random_double(seed, (uint64_t)i) - 1;
    return v;
}

static double residual(const spw_csr *A, const double *b, const double *x) {
    static double r[255 * 255];
    assert_in_range(A->n_rows, 1, 255 * 255);
    spw_system_product(A, x, r);
    for (spw_idx i = 0; i < A->n_rows; i++) r[i] = b[i] - r[i];
    return sqrt(spw_system_dot(A->n_rows, r, r));
}

TEST(cycles_do_not_grow_with_the_grid) {
    static const struct {
        const char *name;
        int most;
    } grids[] = {{"laplace2d:1", 1},    {"laplace2d:3", 16}, {"laplace2d:31", 16},
                 {"laplace2d:255", 16}, {"laplace3d:1", 1},  {"laplace3d:7", 22},
                 {"laplace3d:31", 22}};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
        for (int after = 0; after < 3; after++) {
            OWN(spw_csr) A = generated(grids[g].name);
            spw_multigrid *G = of(&A);
            const int64_t n = A.n_rows;
            double *b = random_vector(n, 1), *x = zeros(n), *z = zeros(n);
            const double norm_b = residual(&A, b, z);
            int k = 0;
            for (; k < 60 && residual(&A, b, x) > 1e-8 * norm_b; k++)
                spw_multigrid_cycle(G, 2, after, true, b, x);
            if (after == 1) print_message("%s: %d cycles V(2,1)\n", grids[g].name, k);
            if (after == 1) assert_in_range(k, 1, grids[g].most);
            assert_true(k < 60);
            spw_multigrid_destroy(G);
        }
}

/* A guess of 0 is none, whatever x holds and however many relaxations there are. */
TEST(no_guess_is_zero) {
    OWN(spw_csr) A = generated("laplace3d:7");
    spw_multigrid *G = of(&A);
    double *b = random_vector(A.n_rows, 2), *x = zeros(A.n_rows), *y = zeros(A.n_rows);
    for (int before = 1; before < 4; before++)
        for (int after = 0; after < 3; after++) {
            for (spw_idx i = 0; i < A.n_rows; i++) x[i] = 0, y[i] = NAN;
            spw_multigrid_cycle(G, before, after, true, b, x);
            spw_multigrid_cycle(G, before, after, false, b, y);
            assert_near(A.n_rows, x, y, 1e-13);
        }
    spw_multigrid_destroy(G);
}

/* u . M^-1 v = v . M^-1 u, and u . M^-1 u > 0; and the same for any number of threads. */
TEST(the_preconditioner_is_symmetric) {
    static const char *const names[] = {"laplace2d:63", "laplace3d:15"};
    for (int g = 0; g < 2; g++) {
        OWN(spw_csr) A = generated(names[g]);
        OWN(spw_operator) M;
        assert_ok(spw_precond_named("multigrid", &A, &M));
        const int64_t n = A.n_rows;
        double *u = random_vector(n, 3), *v = random_vector(n, 4), *x = zeros(n), *y = zeros(n);
        spw_set_threads(1);
        spw_operator_apply(&M, u, x);
        for (int threads = 1; with_threads(threads, 3); threads++) {
            spw_operator_apply(&M, u, y);
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
        }
        spw_operator_apply(&M, v, y);
        const double uv = spw_system_dot(n, u, y), vu = spw_system_dot(n, v, x);
        const double uu = spw_system_dot(n, u, x);
        assert_true(fabs(uv - vu) < 1e-12 * uu && uu > 0);
        assert_true(M.setup_seconds > 0 && M.cost.load > 0 && M.write_allocate > 0);
    }
}

TEST(cg_takes_few_iterations) {
    OWN(spw_csr) A = generated("laplace2d:127");
    OWN(spw_operator) op, M;
    OWN(spw_solve_result) r;
    double *b = random_vector(A.n_rows, 5), *x = zeros(A.n_rows);
    assert_ok(spw_operator_from_csr(&A, &op));
    assert_ok(spw_precond_multigrid(&A, &M));
    assert_string_equal(M.note, "V(1,1), 7 levels from 127^2 points to 1, no matrix");
    assert_ok(spw_pcg(&op, &M, b, x, NULL, &r));
    assert_in_range(r.iterations, 5, 14);
}

TEST(what_is_no_such_grid_is_refused) {
    static const struct {
        const char *name, *why;
    } wrong[] = {
        {"laplace2d:40",
         "multigrid: the grid has 40 x 40 points; it takes 2^k - 1 in each direction"},
        {"laplace2d:31x15", "has 31 x 15 points"},
        {"laplace2d:1x7", "has 7 x 1 points"},
        {"laplace3d:7x7x15", "has 7 x 7 x 15 points"},
        {"laplace3d:15x7x7", "has 15 x 7 x 7 points"},
        {"tridiag:7", "multigrid: row 0 is not one of a grid's Laplacian, as laplace2d:127"},
        {"stencil27:3", "row 0 is not one"},
        {"fem1:3", "row 0 is not one"},
        {"arrow:31", "row 0 is not one"},
        {"convdiff2d:7", "row 0 is not one"},
        {"random:5x4x2", "a 5 x 4 matrix is not square"},
    };
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        OWN(spw_csr) A = generated(wrong[w].name);
        spw_multigrid *G;
        assert_error(spw_multigrid_create(&A, &G), SPW_ERR_ARG, wrong[w].why);
        assert_null(G);
    }
    OWN(spw_csr) A = generated("laplace2d:7");
    spw_multigrid *G;
    A.val[A.row_ptr[20] + 1] = -1.5;
    assert_error(spw_multigrid_create(&A, &G), SPW_ERR_ARG, "row 20 is not one");
    OWN(spw_csr) none = case_of("nothing", 0);
    assert_error(spw_multigrid_create(&none, &G), SPW_ERR_ARG, "row 0 is not one");
}

TEST(no_memory_is_a_status) {
    OWN(spw_csr) A = generated("laplace2d:15");
    spw_multigrid *G;
    int failures = FAILURES(spw_multigrid_create(&A, &G), !G);
    assert_in_range(failures, 2, 10);
    spw_multigrid_destroy(G);
    OWN(spw_operator) M;
    failures = FAILURES(spw_precond_multigrid(&A, &M), !M.context);
    assert_in_range(failures, 2, 10);
}

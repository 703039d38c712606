/* solvers/bicgstab.h against BiCGStab written down once more from the paper, serial and plain; its
 * breakdowns, and what is no convergence. */
#include "solvers/bicgstab.h"

#include "kit/systems.h"
#include "solvers/problem.h"

enum { LARGEST = 4000, MOST = 2000 };

/* Iterations until ||r|| or ||s|| <= 1e-8 ||b||; inverse: of the diagonal, or NULL. */
static int straight(const spw_csr *A, const double *inverse, const double *b, double *x) {
    static double r[LARGEST], c[LARGEST], p[LARGEST], v[LARGEST], s[LARGEST], t[LARGEST],
        hat[LARGEST], shat[LARGEST];
    const int n = A->n_rows;
    const double goal = 1e-8 * sqrt(spw_system_dot(n, b, b));
    double rho = 1, alpha = 1, omega = 1;
    for (int i = 0; i < n; i++) {
        x[i] = p[i] = v[i] = 0;
        c[i] = r[i] = b[i];
    }
    for (int k = 0; k < MOST; k++) {
        if (sqrt(spw_system_dot(n, r, r)) <= goal) return k;
        const double new_rho = spw_system_dot(n, c, r), beta = new_rho / rho * (alpha / omega);
        rho = new_rho;
        for (int i = 0; i < n; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        for (int i = 0; i < n; i++) hat[i] = inverse ? inverse[i] * p[i] : p[i];
        spw_system_product(A, hat, v);
        alpha = rho / spw_system_dot(n, c, v);
        for (int i = 0; i < n; i++) s[i] = r[i] - alpha * v[i];
        for (int i = 0; i < n; i++) x[i] += alpha * hat[i];
        if (sqrt(spw_system_dot(n, s, s)) <= goal) return k + 1;
        for (int i = 0; i < n; i++) shat[i] = inverse ? inverse[i] * s[i] : s[i];
        spw_system_product(A, shat, t);
        omega = spw_system_dot(n, t, s) / spw_system_dot(n, t, t);
        for (int i = 0; i < n; i++) x[i] += omega * shat[i];
        for (int i = 0; i < n; i++) r[i] = s[i] - omega * t[i];
    }
    return -1;
}

static problem P;

/* b = A x of x = 1 2 3 1 2 3 ..., and x of zeros. */
static void make(const char *name) {
    problem_load(name, &P);
    assert_true(P.A.n_rows <= LARGEST && P.M.n == P.A.n_rows);
    for (spw_idx i = 0; i < P.A.n_rows; i++) P.x[i] = 1 + i % 3;
    spw_system_product(&P.A, P.x, P.b);
    memset(P.x, 0, (size_t)P.A.n_rows * sizeof *P.x);
}

static spw_solve_result solve(const spw_operator *M, int plain) {
    spw_solve_result result;
    const spw_solve_options options = {.plain = plain};
    memset(P.x, 0, (size_t)P.A.n_rows * sizeof *P.x);
    assert_ok(spw_bicgstab(&P.op, M, P.b, P.x, &options, &result));
    return result;
}

TEST(iterations_are_those_of_the_straight_one) {
    static const char *const names[] = {"convdiff2d:30x20", "fem1:7", "stencil27:9"};
    static const int plain_threads[][2] = {{0, 1}, {1, 1}, {0, 2}, {0, 3}, {1, 3}};
    static double x[LARGEST];
    for (int m = 0; m < 3; m++) {
        make(names[m]);
        for (int jacobi = 0; jacobi < 2; jacobi++) {
            const int expected = straight(&P.A, jacobi ? P.inverse : NULL, P.b, x);
            for (int c = 0; c < 5; c++) {
                const int plain = plain_threads[c][0];
                spw_set_threads(plain_threads[c][1]);
                OWN(spw_solve_result) result = solve(jacobi ? &P.M : NULL, plain);
                assert_int_equal(result.stop, SPW_STOP_CONVERGED);
                if (abs(result.iterations - expected) > 2)
                    fail_msg("%s, jacobi %d, plain %d: %d iterations, not %d", names[m], jacobi,
                             plain, result.iterations, expected);
                assert_true(result.residual <= 1e-8 && result.true_residual < 1.1e-8);
                assert_int_equal(result.n_history, result.iterations + 1);
                for (int i = 0; i < P.A.n_rows; i++) assert_true(fabs(P.x[i] - (1 + i % 3)) < 1e-4);
            }
        }
    }
}

/* 24 nz + 56 n for the products, 232 n for vectors plain, 120 n merged. */
TEST(kernels_cost_what_the_model_says) {
    spw_set_threads(1);
    make("convdiff2d:20");
    const double n = P.A.n_rows, products = 24.0 * P.A.nnz + 8 + 56 * n;
    for (int plain = 0; plain < 2; plain++) {
        OWN(spw_solve_result) result = solve(NULL, plain);
        double bytes = 0;
        for (int k = 0; k < result.n_kernels; k++) {
            const spw_kernel_use *use = &result.kernels[k];
            if (strstr(use->name, "both ends")) continue;
            assert_in_range(use->calls, result.iterations - 1, result.iterations);
            bytes += spw_cost_bytes(use->cost) + use->write_allocate;
        }
        const double apart = P.op.apply_dots ? 0 : 32 * n;
        assert_true(bytes == products + (plain ? 232 * n : 120 * n + apart));
    }
}

/* --- not convergence ------------------------------------------------------------------------------------ */

static spw_solve_result two_by_two(const double val[4], double b0, double b1, double x[2]) {
    const double b[] = {b0, b1};
    OWN(spw_csr) A = matrix_of(2, 2, val);
    OWN(spw_operator) op;
    spw_solve_result result;
    x[0] = x[1] = 0;
    assert_ok(spw_operator_from_csr(&A, &op));
    assert_ok(spw_bicgstab(&op, NULL, b, x, NULL, &result));
    return result;
}

TEST(breakdowns_are_told_apart) {
    double x[2];
    /* a turn by 90 degrees: A p is orthogonal to c = p */
    OWN(spw_solve_result) result = two_by_two((const double[]){0, 1, -1, 0}, 1, 0, x);
    assert_int_equal(result.stop, SPW_STOP_BREAKDOWN_ALPHA);
    assert_true(x[0] == 0 && x[1] == 0 && result.true_residual == 1);
    spw_solve_result_destroy(&result);
    /* b = (1, 0): v = (1, -1), s = (0, 1), t = A s = (1, 0): t . s = 0 */
    result = two_by_two((const double[]){1, 1, -1, 0}, 1, 0, x);
    assert_int_equal(result.stop, SPW_STOP_BREAKDOWN_OMEGA);
    assert_says(result.text, "t.s is");
    assert_true(x[0] == 1 && x[1] == 0); /* with the half step */
    spw_solve_result_destroy(&result);
    /* a singular matrix: A s = 0, too */
    result = two_by_two((const double[]){1, 0, 1, 0}, 1, 0, x);
    assert_int_equal(result.stop, SPW_STOP_BREAKDOWN_OMEGA);
}

/* A step whose residual is orthogonal to the first: b = e1, v = A b = (1, a, 0), s = (0, -a, 0),
 * t = A s = (0, -a, a), omega = 1/2, r = s - t/2 = (0, -a/2, -a/2): c . r = 0. With a = 1 the residual is smaller than b
 * and becomes the shadow, with a = 4 it is not. */
static spw_solve_result a_shadow_that_says_nothing(int a, int plain) {
    spw_solve_result result;
    const double b[] = {1, 0, 0};
    double x[] = {0, 0, 0};
    OWN(spw_csr) A = matrix_of(3, 3, (const double[]){1, 0, 0, a, 1, 0, 0, -1, 1});
    OWN(spw_operator) op;
    const spw_solve_options options = {.plain = plain};
    assert_ok(spw_operator_from_csr(&A, &op));
    assert_ok(spw_bicgstab(&op, NULL, b, x, &options, &result));
    assert_true(fabs(result.residual - result.true_residual) < 1e-15);
    return result;
}

TEST(a_shadow_that_says_nothing_is_replaced_or_told) {
    for (int plain = 0; plain < 2; plain++) {
        OWN(spw_solve_result) replaced = a_shadow_that_says_nothing(1, plain);
        assert_int_equal(replaced.stop, SPW_STOP_CONVERGED);
        assert_int_equal(replaced.restarts, 1);
        assert_in_range(replaced.iterations, 2, 4);
        OWN(spw_solve_result) told = a_shadow_that_says_nothing(4, plain);
        assert_int_equal(told.stop, SPW_STOP_BREAKDOWN_RHO);
        assert_int_equal(told.iterations, 1);
        assert_int_equal(told.restarts, 0);
    }
}

TEST(what_is_not_finite_is_told) {
    static const struct {
        double a01, b0, b1;
        spw_stop stop;
    } cases[] = {{1, NAN, 1, SPW_STOP_NOT_FINITE},
                 {INFINITY, 1, 1, SPW_STOP_NOT_FINITE},
                 {1, 0, 0, SPW_STOP_CONVERGED}};
    for (int c = 0; c < 3; c++) {
        double x[2];
        OWN(spw_solve_result)
        result = two_by_two((const double[]){2, cases[c].a01, 0, 3}, cases[c].b0, cases[c].b1, x);
        assert_int_equal(result.stop, cases[c].stop);
        if (c == 0) assert_true(x[0] == 0);
    }
}

TEST(a_solution_takes_no_iteration) {
    make("convdiff2d:10");
    spw_solve_result result;
    for (int i = 0; i < 100; i++) P.x[i] = 1 + i % 3;
    assert_ok(spw_bicgstab(&P.op, &P.M, P.b, P.x, NULL, &result));
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
    assert_int_equal(result.iterations, 0);
    spw_solve_result_destroy(&result);
    P.op.n = P.M.n = 0;
    assert_ok(spw_bicgstab(&P.op, &P.M, NULL, NULL, NULL, &result));
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
    spw_solve_result_destroy(&result);
    P.M.n = 7;
    assert_int_equal(spw_bicgstab(&P.op, &P.M, NULL, NULL, NULL, &result), SPW_ERR_ARG);
}

TEST(no_memory_is_a_status) {
    make("convdiff2d:10");
    for (int with_m = 0; with_m < 2; with_m++) {
        OWN(spw_solve_result) r;
        const spw_operator *M = with_m ? &P.M : NULL;
        assert_true(FAILURES(spw_bicgstab(&P.op, M, P.b, P.x, NULL, &r), !r.history) >=
                    (M ? 8 : 6));
    }
}

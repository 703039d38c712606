/* solvers/refine.h and kernels/float.h: kernels against their references, answers of double accuracy in about
 * as many iterations as in double, any scale, and matrices for which single precision is too little. */
#include "solvers/refine.h"

#include "formats/generate.h"
#include "solvers/cg.h"
#include "test.h"

enum { LARGEST = 4000 };

typedef struct problem {
    spw_csr A;
    spw_csr_float S;
    spw_operator_float single;
    spw_operator op;
    double b[LARGEST], x[LARGEST];
} problem;

static problem P;

static double wave(int i) { return sin(0.37 * i) + 0.1; }

static void drop(void) {
    spw_operator_destroy(&P.op);
    spw_csr_float_destroy(&P.S);
    spw_csr_destroy(&P.A);
}

/* A times `scale`, b = A times the wave; in the place of the one before. */
static void make(const char *name, double scale) {
    drop();
    P.A = generated(name);
    assert_true(P.A.n_rows <= LARGEST);
    for (spw_idx k = 0; k < P.A.nnz; k++) P.A.val[k] *= scale;
    assert_ok(spw_operator_from_csr(&P.A, &P.op));
    assert_ok(spw_csr_float_from_csr(&P.A, &P.S));
    assert_ok(spw_operator_float_from_csr(&P.S, &P.single));
    for (spw_idx i = 0; i < P.A.n_rows; i++) {
        P.x[i] = P.b[i] = 0;
        for (spw_idx k = P.A.row_ptr[i]; k < P.A.row_ptr[i + 1]; k++)
            P.b[i] += P.A.val[k] * wave(P.A.col_idx[k]);
    }
}

static double true_residual(void) {
    double r_r = 0, b_b = 0;
    for (spw_idx i = 0; i < P.A.n_rows; i++) {
        long double r = P.b[i];
        for (spw_idx k = P.A.row_ptr[i]; k < P.A.row_ptr[i + 1]; k++)
            r -= (long double)P.A.val[k] * P.x[P.A.col_idx[k]];
        r_r += (double)(r * r);
        b_b += P.b[i] * P.b[i];
    }
    return sqrt(r_r / b_b);
}

/* --- kernels ----------------------------------------------------------------------------------------------- */

TEST(products_agree_with_their_references) {
    static const char *const names[] = {"fem3:5", "arrow:300", "random:200x200x13", "tridiag:1"};
    static float x[LARGEST], y[2][LARGEST];
    static double dx[LARGEST], dy[2][LARGEST];
    for (int m = 0; m < 4; m++) {
        make(names[m], 1);
        const spw_idx n = P.A.n_rows;
        for (spw_idx i = 0; i < n; i++) x[i] = (float)(dx[i] = wave(i));
        for (int threads = 1; with_threads(threads, 3); threads++) {
            for (spw_idx i = 0; i < n; i++) y[1][i] = NAN, dy[1][i] = NAN;
            const double dot = spw_spmv_with_dot_float_ref(&P.S, x, y[0]);
            const double got = spw_spmv_with_dot_float_omp(&P.S, x, y[1]);
            spw_spmv_mixed_ref(&P.S, dx, dy[0]);
            spw_spmv_mixed_omp(&P.S, dx, dy[1]);
            double scale = 0, double_scale = 0;
            for (spw_idx i = 0; i < n; i++) {
                double bound = 0;
                for (spw_idx k = P.A.row_ptr[i]; k < P.A.row_ptr[i + 1]; k++)
                    bound += fabs((double)P.S.val[k] * dx[P.A.col_idx[k]]);
                const double terms = 2.0 * (P.A.row_ptr[i + 1] - P.A.row_ptr[i] + 1);
                assert_true(fabs((double)(y[1][i] - y[0][i])) <= terms * FLT_EPSILON * bound);
                assert_true(fabs(dy[1][i] - dy[0][i]) <= terms * DBL_EPSILON * bound);
                scale += fabs((double)x[i]) * terms * FLT_EPSILON * bound;
                double_scale += fabs(dy[0][i]);
            }
            assert_true(fabs(got - dot) <= scale + 1e-14 * double_scale);
        }
    }
}

/* Every kind of offsets, chunks that are not full, rows near the end of x: the same as by CSR up to rounding. */
TEST(slices_agree_with_csr) {
    static const char *const names[] = {
        "fem3:5",    "fem3:11",      "stencil27:11", "laplace2d:61", "random:200x200x13",
        "tridiag:1", "laplace3d:15", "arrow:300",    "fem1:7",       "laplace2d:13x40"};
    static float x[LARGEST], y[3][LARGEST + 1];
    bool seen[SPW_OFFSETS_WORDS + 1] = {false};
    for (int m = 0; m < 10; m++) {
        OWN(spw_sell_short_float) S;
        make(names[m], 1e-30);
        const spw_idx n = P.A.n_rows;
        assert_ok(spw_sell_short_float_from_csr(&P.A, &S));
        assert_null(S.S.val);
        assert_true(S.scale == P.S.scale);
        for (int64_t c = 0; c < S.S.n_chunks; c++) seen[S.S.kind[c]] = true;
        for (spw_idx i = 0; i < n; i++) x[i] = (float)wave(i);
        const double dot = spw_spmv_with_dot_float_ref(&P.S, x, y[0]);
        for (int threads = 1; with_threads(threads, 4); threads++) {
            for (int k = 1; k < 3; k++) {
                for (spw_idx i = 0; i <= n; i++) y[k][i] = -7;
                const double got = k == 1 ? spw_spmv_with_dot_sell_short_float_ref(&S, x, y[k])
                                          : spw_spmv_with_dot_sell_short_float_omp(&S, x, y[k]);
                double scale = 0;
                for (spw_idx i = 0; i < n; i++) {
                    double bound = 0;
                    for (spw_idx e = P.A.row_ptr[i]; e < P.A.row_ptr[i + 1]; e++)
                        bound += fabs((double)P.S.val[e] * (double)x[P.A.col_idx[e]]);
                    bound *= 2.0 * (P.A.row_ptr[i + 1] - P.A.row_ptr[i] + 1) * FLT_EPSILON;
                    assert_true(fabs((double)(y[k][i] - y[0][i])) <= bound);
                    scale += fabs((double)x[i]) * bound;
                }
                assert_true(y[k][n] == -7);
                assert_true(fabs(got - dot) <= scale);
            }
        }
    }
    spw_set_threads(2);
    assert_true(seen[SPW_OFFSETS_RUN] && seen[SPW_OFFSETS_SHARED] && seen[SPW_OFFSETS_BYTES] &&
                seen[SPW_OFFSETS_HALVES]);
}

/* Rows of like length in slices, others by CSR; the refinement does not see which. */
TEST(operators_take_the_fastest_format) {
    static const struct {
        const char *name, *format;
    } cases[] = {{"laplace2d:60", "sell_short"}, {"arrow:300", "csr"}, {"fem3:10", "csr"}};
    for (int m = 0; m < 3; m++) {
        spw_operator_float op;
        OWN(spw_solve_result) result;
        const spw_solve_options options = {.tolerance = 1e-12};
        make(cases[m].name, 1);
        assert_ok(spw_operator_float_convert(&P.A, &op));
        assert_string_equal(op.name, cases[m].format);
        const bool sliced = strcmp(op.name, "sell_short") == 0;
        const double n = P.A.n_rows;
        assert_true(op.scale == P.single.scale && op.n == P.A.n_rows && op.setup_seconds > 0);
        assert_true(op.cost.load <= P.single.cost.load && op.cost.load > 4.0 * P.A.nnz + 4 * n);
        assert_true(sliced || op.cost.load == P.single.cost.load);
        assert_true(P.single.cost.load == 8.0 * P.A.nnz + 4 * (n + 1) + 4 * n);
        assert_ok(spw_refine(&P.op, &op, P.b, P.x, &options, &result));
        assert_int_equal(result.stop, SPW_STOP_CONVERGED);
        assert_true(true_residual() <= 1.1e-12);
        spw_operator_float_destroy(&op);
        assert_true(FAILURES(spw_operator_float_convert(&P.A, &op), !op.context) > 0);
        spw_operator_float_destroy(&op);
        P.A.val[7] = NAN;
        assert_error(spw_operator_float_convert(&P.A, &op), SPW_ERR_ARG, "entry 7 ");
        P.A.n_cols++;
        assert_error(spw_operator_float_convert(&P.A, &op), SPW_ERR_ARG, "must be square");
        P.A.n_cols--;
    }
}

TEST(steps_agree_with_their_references) {
    static const int sizes[] = {0, 1, 15, 16, 17, 31, 128, 129, 1000, 3989};
    static float p[LARGEST], q[LARGEST], x[2][LARGEST], r[2][LARGEST];
    for (int threads = 1; with_threads(threads, 3); threads++) {
        for (int s = 0; s < 10; s++) {
            const int n = sizes[s];
            for (int i = 0; i < LARGEST; i++) {
                p[i] = (float)wave(i);
                q[i] = (float)wave(3 * i + 1);
                for (int k = 0; k < 2; k++) {
                    x[k][i] = (float)i / 64;
                    r[k][i] = (float)wave(i + 5);
                }
            }
            const double expected = spw_cg_step_float_ref(n, 0.3f, p, q, x[0], r[0]);
            const double got = spw_cg_step_float_omp(n, 0.3f, p, q, x[1], r[1]);
            assert_true(fabs(got - expected) <= 1e-6 * expected);
            spw_direction_float_ref(n, -0.7f, r[0], x[0]);
            spw_direction_float_omp(n, -0.7f, r[1], x[1]);
            for (int i = 0; i < LARGEST; i++) { /* behind n nothing is written */
                assert_true(fabsf(x[1][i] - x[0][i]) <= 1e-5f * (1 + fabsf(x[0][i])));
                assert_true(fabsf(r[1][i] - r[0][i]) <= 1e-6f * (1 + fabsf(r[0][i])));
            }
        }
    }
}

TEST(rounding_keeps_values_in_range) {
    static const double scales[] = {1, 1e300, 1e-300, 3e38};
    for (int s = 0; s < 4; s++) {
        make("laplace2d:5", scales[s]);
        float largest = 0;
        for (spw_idx k = 0; k < P.A.nnz; k++) {
            largest = fmaxf(largest, fabsf(P.S.val[k]));
            assert_true(fabs((double)P.S.val[k] * P.S.scale / P.A.val[k] - 1) < FLT_EPSILON);
        }
        assert_true(largest >= 1 && largest <= 2);
    }
    P.A.val[7] = NAN;
    spw_csr_float_destroy(&P.S);
    assert_error(spw_csr_float_from_csr(&P.A, &P.S), SPW_ERR_ARG, "entry 7 ");
    assert_null(P.S.val);
    P.A.val[7] = 1;
    assert_true(FAILURES(spw_csr_float_from_csr(&P.A, &P.S), !P.S.val) > 0);
    spw_csr_float_destroy(&P.S);
    memset(P.A.val, 0, (size_t)P.A.nnz * sizeof *P.A.val);
    assert_ok(spw_csr_float_from_csr(&P.A, &P.S));
    assert_true(P.S.scale == 1 && P.S.val[3] == 0);
}

/* --- the solver -------------------------------------------------------------------------------------------- */

/* Refines P.x, and that is how it ends; the result stays until the next. */
static const spw_solve_result *refined(spw_stop stop) {
    static spw_solve_result result;
    spw_solve_result_destroy(&result);
    assert_ok(spw_refine(&P.op, &P.single, P.b, P.x, NULL, &result));
    if (result.stop != stop) fail_msg("%s", result.text);
    return &result;
}

TEST(answers_are_as_good_as_double) {
    static const char *const names[] = {"laplace2d:40x30", "stencil27:12", "fem1:10", "fem3:6"};
    static const double scales[] = {1, 1e-30, 1e40, 7e-5};
    for (int m = 0; m < 4; m++)
        for (int threads = 1; with_threads(threads, 3); threads++) {
            OWN(spw_solve_result) in_double, mixed;
            const spw_solve_options options = {.tolerance = 1e-12};
            make(names[m], scales[m]);
            assert_ok(spw_cg(&P.op, P.b, P.x, &options, &in_double));
            memset(P.x, 0, sizeof P.x);
            assert_ok(spw_refine(&P.op, &P.single, P.b, P.x, &options, &mixed));
            if (mixed.stop != SPW_STOP_CONVERGED) fail_msg("%s: %s", names[m], mixed.text);
            assert_true(mixed.true_residual <= 1e-12 * 1.001);
            assert_true(true_residual() <= 1.1e-12);
            if (mixed.iterations > in_double.iterations * 5 / 4 + 3)
                fail_msg("%s: %d iterations, %d in double", names[m], mixed.iterations,
                         in_double.iterations);
            for (spw_idx i = 0; i < P.A.n_rows; i++) assert_true(fabs(P.x[i] - wave(i)) < 1e-7);
            assert_int_equal(mixed.n_history, mixed.iterations + 1);
        }
}

TEST(a_first_guess_is_used) {
    make("laplace2d:20", 1);
    for (int i = 0; i < 400; i++) P.x[i] = wave(i);
    assert_int_equal(refined(SPW_STOP_CONVERGED)->iterations, 0);
    P.x[7] += 1e-3;
    assert_in_range(refined(SPW_STOP_CONVERGED)->iterations, 1, 60);
}

/* A diagonal from 1 down to 1e-10: rounded it is as it was, but sums of squares in single precision know
 * nothing of the small ones. A tridiagonal matrix with n = 3000 has condition number 4e6. */
TEST(what_single_precision_cannot_do_is_told) {
    OWN(spw_solve_result) result;
    const spw_solve_options options = {.tolerance = 1e-13, .max_iterations = 20000};
    make("tridiag:3000", 1);
    P.b[1234] += 1;
    assert_ok(spw_refine(&P.op, &P.single, P.b, P.x, &options, &result));
    assert_true(result.stop != SPW_STOP_CONVERGED || true_residual() <= 1e-12);
    assert_true(isfinite(result.true_residual));
    assert_true(fabs(result.true_residual - true_residual()) <= 0.01 * true_residual() + 1e-14);
}

TEST(indefinite_and_not_finite_are_told) {
    make("laplace2d:10", -1);
    assert_says(refined(SPW_STOP_NOT_SPD)->text, "rounded to single precision");
    for (int i = 0; i < 100; i++) assert_true(P.x[i] == 0);
    P.b[3] = NAN;
    refined(SPW_STOP_NOT_FINITE);
    memset(P.b, 0, sizeof P.b);
    P.x[3] = 5;
    refined(SPW_STOP_CONVERGED);
    assert_true(P.x[3] == 0);
    make("laplace2d:10", 1);
    P.S.val[5] = INFINITY;
    refined(SPW_STOP_NOT_FINITE);
    for (int i = 0; i < 100; i++) assert_true(isfinite(P.x[i]));
}

TEST(bad_arguments_and_no_memory_are_statuses) {
    OWN(spw_solve_result) result;
    make("laplace2d:10", 1);
    P.op.n = 99;
    assert_error(spw_refine(&P.op, &P.single, P.b, P.x, NULL, &result), SPW_ERR_ARG,
                 "has 100 rows, the other 99");
    P.op.n = 100;
    const spw_solve_options bad = {.tolerance = -1};
    assert_int_equal(spw_refine(&P.op, &P.single, P.b, P.x, &bad, &result), SPW_ERR_ARG);
    assert_true(FAILURES(spw_refine(&P.op, &P.single, P.b, P.x, NULL, &result), !result.history) >=
                6);
    spw_solve_result_destroy(&result);
    OWN(spw_csr) A = case_of("nothing", 0);
    OWN(spw_operator) op;
    OWN(spw_operator_float) single;
    assert_ok(spw_operator_from_csr(&A, &op));
    assert_ok(spw_operator_float_convert(&A, &single));
    assert_ok(spw_refine(&op, &single, NULL, NULL, NULL, &result));
    assert_int_equal(result.stop, SPW_STOP_CONVERGED);
}

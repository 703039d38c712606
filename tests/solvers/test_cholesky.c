/* spw_precond_cholesky of solvers/precond.h: M A = I on small matrices, solutions of larger ones, blocks, and what
 * is refused. Where the workbook was built without CHOLMOD only that is looked at. */
#include "solvers/precond.h"

#include "formats/generate.h"
#include "test.h"

/* Skips, with the reason, where there is none. */
static void needs_cholmod(void) {
    OWN(spw_csr) A = matrix_of(1, 1, &(const double){4});
    OWN(spw_operator) M;
    const spw_status status = spw_precond_cholesky(&A, &M);
    if (status == SPW_ERR_UNAVAILABLE) {
        assert_null(M.apply);
        assert_says(spw_message(), "without CHOLMOD");
        print_message("skipped: %s\n", spw_message());
        skip();
    }
    assert_ok(status);
    double y;
    spw_operator_apply(&M, &(double){1}, &y);
    assert_true(y == 0.25);
}

/* A (M x) = x, in nv vectors with different x. */
static void assert_solves(const spw_csr *A, const spw_operator *M, int nv, double tolerance) {
    const int64_t n = A->n_rows, ld = nv + 1;
    double *X = zeros(n * ld), *Z = zeros(n * ld);
    for (int64_t k = 0; k < n * ld; k++) X[k] = cos(0.37 * (double)k), Z[k] = -3;
    if (nv == 1 && ld == 2) { /* by the plain application, which has no gaps */
        double *x = zeros(n), *z = zeros(n);
        for (int64_t i = 0; i < n; i++) x[i] = X[i * ld];
        spw_operator_apply(M, x, z);
        for (int64_t i = 0; i < n; i++) Z[i * ld] = z[i];
    } else {
        spw_operator_apply_block(M, nv, X, ld, Z, ld, NULL, 0);
    }
    for (spw_idx i = 0; i < n; i++) {
        assert_true(Z[i * ld + nv] == -3);
        for (int j = 0; j < nv; j++) {
            double sum = -X[i * ld + j], size = fabs(sum);
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
                const double term = A->val[k] * Z[A->col_idx[k] * ld + j];
                sum += term;
                size += fabs(term);
            }
            if (!(fabs(sum) <= tolerance * size))
                fail_msg("row %d, vector %d of %d: A z - x is %g beside %g", (int)i, j, nv, sum,
                         size);
        }
    }
}

TEST(it_solves) {
    needs_cholmod();
    static const char *const names[] = {"tridiag:60", "laplace2d:31x17", "fem3:6", "stencil27:9"};
    static const int counts[] = {1, 2, 8, 21};
    for (int threads = 1; with_threads(threads, 3); threads++)
        for (int m = 0; m < 4; m++) {
            OWN(spw_csr) A = generated(names[m]);
            OWN(spw_operator) M;
            assert_ok(spw_precond_cholesky(&A, &M));
            assert_string_equal(M.name, "cholesky");
            assert_true(M.setup_seconds > 0 && spw_cost_bytes(M.setup) > 0 && M.setup.flop > 0);
            assert_true(spw_cost_bytes(M.further) < spw_cost_bytes(M.cost));
            assert_says(M.note, " entries in the factor");
            for (int c = 0; c < 4; c++) assert_solves(&A, &M, counts[c], 1e-12);
        }
}

TEST(a_tridiagonal_matrix_has_no_fill) {
    needs_cholmod();
    OWN(spw_operator) M;
    OWN(spw_csr) A = generated("tridiag:60");
    assert_ok(spw_precond_cholesky(&A, &M));
    assert_string_equal(M.note, "119 entries in the factor, 1.0 times A's");
}

/* (4 1 .; 1 -2 .; . . 5), by what is on its diagonal; and (1 2; 2 1), which hides it. */
TEST(what_is_not_positive_definite_is_refused) {
    spw_operator M;
    OWN(spw_csr) A = matrix_of(3, 3, (const double[]){4, 1, 0, 1, -2, 0, 0, 0, 5});
    OWN(spw_csr) B = matrix_of(2, 2, (const double[]){1, 2, 2, 1});
    assert_message(spw_precond_cholesky(&A, &M), SPW_ERR_ARG,
                   "cholesky: the diagonal entry of row 1 is -2, which is negative");
    A.n_cols = 4;
    assert_error(spw_precond_cholesky(&A, &M), SPW_ERR_ARG, "3 x 4");
    needs_cholmod();
    assert_error(spw_precond_cholesky(&B, &M), SPW_ERR_ARG,
                 "not positive definite: the pivot of row ");
    assert_null(M.context);
}

TEST(no_memory_is_a_status) {
    needs_cholmod();
    OWN(spw_csr) A = generated("laplace2d:9x8");
    OWN(spw_operator) M;
    assert_true(FAILURES(spw_precond_cholesky(&A, &M), !M.context) > 4);
}

TEST(no_rows_are_no_work) {
    needs_cholmod();
    OWN(spw_csr) A = case_of("nothing", 0);
    OWN(spw_operator) M;
    double nothing[1] = {7};
    assert_ok(spw_precond_cholesky(&A, &M));
    spw_operator_apply(&M, nothing, nothing + 1);
    assert_true(nothing[0] == 7);
}

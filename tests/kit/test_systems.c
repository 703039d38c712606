/* kit/systems.h: the three systems are what they say, colours separate rows, and the arithmetic is right. */
#include "kit/systems.h"

#include "test.h"

static void assert_spd(const spw_csr *A) {
    assert_ok(spw_csr_validate(A));
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx j = 0; j < A->n_rows; j++) assert_true(a_ij(A, i, j) == a_ij(A, j, i));
    assert_positive_definite(A);
}

TEST(three_systems_are_positive_definite) {
    spw_csr A;
    assert_ok(spw_system_short_step(4, &A));
    assert_int_equal(A.n_rows, 64);
    assert_int_equal(A.nnz, 1000);
    assert_spd(&A);
    spw_csr_destroy(&A);
    assert_ok(spw_system_coupled(3, &A));
    assert_int_equal(A.n_rows, 108);
    assert_int_equal(A.nnz, 16 * 135);
    assert_spd(&A);
    assert_true(a_ij(&A, 0, 0) == 18 && a_ij(&A, 0, 3) == 18 * 0.95 && a_ij(&A, 0, 4) == 0);
    spw_csr_destroy(&A);
    for (spw_idx k = 2; k < 6; k++) {
        assert_ok(spw_system_columns(k, 3, &A));
        assert_int_equal(A.n_rows, 3 * k);
        assert_spd(&A);
        spw_csr_destroy(&A);
    }
}

/* 5 columns: 0 2 4 1 3 in each layer. */
TEST(columns_are_numbered_by_layers_and_colours) {
    OWN(spw_csr) A;
    assert_ok(spw_system_columns(5, 2, &A));
    assert_true(a_ij(&A, 0, 0) == 1.008 && a_ij(&A, 5, 5) == 2.008);
    assert_true(a_ij(&A, 0, 5) == -1 && a_ij(&A, 0, 3) == -0.002 && a_ij(&A, 0, 4) == 0);
    assert_true(a_ij(&A, 1, 3) == -0.002 && a_ij(&A, 1, 4) == -0.002 && a_ij(&A, 2, 4) == -0.002);
    assert_true(a_ij(&A, 0, 1) == 0 && a_ij(&A, 3, 4) == 0 && a_ij(&A, 4, 5) == 0);
}

TEST(colours_make_a_chessboard) {
    OWN(spw_csr) A = generated("laplace2d:5x3");
    assert_ok(spw_system_colour(&A));
    assert_ok(spw_csr_validate(&A));
    assert_int_equal(A.nnz, 15 + 2 * 22);
    for (spw_idx i = 0; i < 15; i++)
        for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
            assert_true(A.col_idx[k] == i || (A.col_idx[k] < 8) != (i < 8));
}

TEST(what_cannot_be_made_leaves_zero) {
    static const spw_csr zero;
    spw_csr A;
    assert_int_equal(spw_system_columns(1, 4, &A), SPW_ERR_ARG);
    assert_memory_equal(&A, &zero, sizeof A);
    assert_error(spw_system_load("random:3x4x2", 1, &A), SPW_ERR_ARG, "3 x 4");
    assert_memory_equal(&A, &zero, sizeof A);
    for (int which = 0; which < 3; which++) {
        assert_true(FAILURES((SPOIL(A), which == 0   ? spw_system_short_step(3, &A)
                                        : which == 1 ? spw_system_coupled(3, &A)
                                                     : spw_system_columns(3, 3, &A)),
                             !A.row_ptr && !A.col_idx && !A.val && A.n_rows == 0) > 0);
        spw_csr_destroy(&A);
    }
}

TEST(plain_arithmetic) {
    OWN(spw_csr) A;
    assert_ok(spw_system_load("tridiag:3", 1, &A));
    const double x[3] = {1, -5, 2}, b[3] = {10, -13, 12}, norms[4] = {9, 4, 2, 3};
    double y[3], slack;
    spw_system_product(&A, x, y);
    assert_true(y[0] == 7 && y[1] == -13 && y[2] == 9);
    assert_true(spw_system_dot(3, x, y) == 90 && spw_system_dot(0, x, y) == 0);
    assert_true(spw_system_largest(3, x) == 5 && spw_system_largest(0, x) == 0);
    assert_true(fabs(spw_system_residual(&A, b, x, x, &slack) - sqrt(18)) < 1e-14);
    assert_true(slack > 0 && slack < 1e-10);
    assert_int_equal(spw_system_first_below(norms, 4, 4, 0), 1);
    assert_int_equal(spw_system_first_below(norms, 4, 4, 1), 2);
    assert_int_equal(spw_system_first_below(norms, 4, 1, 0), -1);
}

TEST(fours_on_the_diagonal) {
    OWN(spw_csr) A;
    assert_ok(spw_system_fours(3, &A));
    assert_ok(spw_csr_validate(&A));
    assert_true(A.nnz == 3 && a_ij(&A, 0, 0) == 4 && a_ij(&A, 1, 1) == 4 && a_ij(&A, 2, 2) == 4);
}

TEST(small_ones_by_name) {
    OWN(spw_csr) A;
    assert_ok(spw_system_load("fours:5", 1, &A));
    assert_true(A.n_rows == 5 && A.nnz == 5 && a_ij(&A, 4, 4) == 4);
    spw_csr_destroy(&A);
    assert_ok(spw_system_load("swap", 1, &A));
    assert_ok(spw_csr_validate(&A));
    assert_true(A.n_rows == 2 && A.nnz == 2 && a_ij(&A, 0, 1) == 1 && a_ij(&A, 1, 0) == 1);
    spw_csr_destroy(&A);
    const double a[9] = {0, 0, 0, 1, 0, -2, 0, 0, 3};
    assert_ok(spw_system_dense(3, a, &A));
    assert_ok(spw_csr_validate(&A));
    assert_true(A.nnz == 3 && A.row_ptr[1] == 0 && a_ij(&A, 1, 2) == -2 && a_ij(&A, 2, 2) == 3);
}

TEST(right_sides_and_guesses) {
    OWN(spw_csr) A;
    double b[4], x[4], random[4];
    assert_ok(spw_system_load("tridiag:4", 1, &A));
    spw_system_right_side(&A, SPW_B_FIRST, 5, b);
    assert_true(b[0] == 1 && b[1] == 0 && b[3] == 0);
    spw_system_right_side(&A, SPW_B_OF_ONES, 5, b);
    for (spw_idx i = 0; i < 4; i++)
        assert_true(b[i] == a_ij(&A, i, 0) + a_ij(&A, i, 1) + a_ij(&A, i, 2) + a_ij(&A, i, 3));
    spw_system_right_side(&A, SPW_B_RANDOM, 5, random);
    spw_system_right_side(&A, SPW_B_SMALL, 5, b);
    for (int i = 0; i < 4; i++) assert_true(random[i] != 0 && b[i] == random[i] * 3e-7);
    spw_system_right_side(&A, SPW_B_ZERO, 5, b);
    assert_true(b[0] == 0 && b[3] == 0);
    spw_system_guess(4, SPW_X_RANDOM, 4, x);
    assert_memory_equal(x, random, sizeof x);
    spw_system_guess(4, SPW_X_FAR, 4, x);
    assert_true(x[3] == random[3] * 1e4);
    spw_system_guess(4, SPW_X_ONES, 4, x);
    assert_true(x[0] == 1 && x[3] == 1);
    spw_system_guess(4, SPW_X_0, 4, x);
    assert_true(x[0] == 0 && x[3] == 0);
}

/* formats/sdia.h: the example of its header, what is refused, failing allocations; and kernels of the tables on grids,
 * narrow and wide, with the same bits of y for 1, 3, 7 and all threads. */
#include "formats/sdia.h"

#include "kernels/product.h"

/* 4 on the diagonal, 1 beside it, 2 three places away. */
static spw_csr example(void) {
    static const double numbers[] = {4, 1, 0, 2, 0, 1, 4, 1, 0, 2, 0, 1, 4,
                                     1, 0, 2, 0, 1, 4, 1, 0, 2, 0, 1, 4};
    return matrix_of(5, 5, numbers);
}

TEST(the_example_of_the_header_holds) {
    static const double x[] = {1, 2, 3, 4, 5}, expected[] = {14, 22, 18, 26, 28};
    OWN(spw_sdia) S;
    double y[5], w_y, y_y;
    OWN(spw_csr) A = example();
    assert_ok(spw_sdia_from_csr(&A, &S));
    assert_int_equal(S.n_diagonals, 3);
    assert_true(S.offset[0] == 0 && S.offset[1] == 1 && S.offset[2] == 3);
    assert_true(S.val[2 * S.stride + 1] == 2 && S.val[2 * S.stride + 2] == 0);
    assert_int_equal(spw_sdia_bytes(&S), 8 * 3 * 5);
    spw_spmv_sdia_ref(&S, x, y);
    assert_memory_equal(y, expected, sizeof y);
    spw_spmv_with_dots_sdia_ref(&S, x, x, y, &w_y, &y_y);
    assert_true(w_y == 356 && y_y == 196 + 484 + 324 + 676 + 784);
}

static void refused(const spw_csr *A, const char *message) {
    static const spw_sdia none;
    spw_sdia S;
    memset(&S, 0xff, sizeof S);
    assert_message(spw_sdia_from_csr(A, &S), SPW_ERR_ARG, message);
    assert_true(S.val == none.val && S.n_rows == 0 && S.n_diagonals == 0);
}

TEST(what_is_no_half_is_refused) {
    static const spw_sdia none;
    OWN(spw_sdia) S;
    OWN(spw_csr) A = example();
    A.val[4] = nextafter(4, 5);
    assert_ok(spw_sdia_from_csr(&A, &S)); /* of the diagonal */
    spw_sdia_destroy(&S);
    A.val[3] = nextafter(1, 2);
    refused(&A, "SDIA: the matrix is not symmetric");
    A.val[3] = 1;
    A.col_idx[10] = 1; /* as many below and above, but not those that mirror each other */
    refused(&A, "SDIA: the matrix is not symmetric");
    A.col_idx[10] = 0;
    assert_int_equal(FAILURES((memset(&S, 0, sizeof S), spw_sdia_from_csr(&A, &S)),
                              memcmp(&S, &none, sizeof S) == 0),
                     1);
    static const char *const others[][2] = {
        {"random:4x5x2", "SDIA: the matrix is 4 x 5, must be symmetric"},
        {"fem3:12x3x3", "SDIA: there are more than 95 diagonals"},
        {"random:30x30x2", "SDIA: 33 diagonals would be as large as all entries"}};
    for (int k = 0; k < 3; k++) {
        OWN(spw_csr) B = generated(others[k][0]);
        refused(&B, others[k][1]);
    }
}

static void check(const char *name, const spw_csr *A) {
    OWN(spw_sdia) S;
    const product p = product_of(name, A);
    assert_ok(spw_sdia_from_csr(A, &S));
    CHECK_PRODUCTS(&p, spmv_sdia, &S);
    CHECK_WITH_DOTS(&p, spmv_with_dots_sdia, &S);
}

/* Narrower than the rows that are done at a time, as wide as the matrix, and with a diagonal that is not stored. */
TEST(grids_are_multiplied) {
    static const char *const names[] = {"laplace3d:5x6x7", "stencil27:7x7x3", "stencil27:20x3x4",
                                        "tridiag:1",       "tridiag:17",      "tridiag:1000",
                                        "laplace2d:2x40",  "laplace2d:40x2"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        OWN(spw_csr) A = generated(names[k]);
        check(names[k], &A);
    }
    OWN(spw_csr) A = example();
    check("the example", &A);
}

/* A diagonal of which the middle of the matrix has nothing is found. */
TEST(a_diagonal_of_the_first_rows_alone_is_found) {
    OWN(spw_sdia) S;
    OWN(spw_csr) T = generated("tridiag:5000");
    OWN(spw_csr) A;
    assert_ok(spw_csr_create(T.n_rows, T.n_cols, T.nnz + 2, &A));
    A.row_ptr[0] = 0;
    spw_idx to = 0;
    for (spw_idx i = 0; i < T.n_rows; i++) {
        for (spw_idx e = T.row_ptr[i]; e < T.row_ptr[i + 1]; e++) {
            if (i == 50 && T.col_idx[e] == 49) A.col_idx[to] = 0, A.val[to++] = 7;
            A.col_idx[to] = T.col_idx[e], A.val[to++] = T.val[e];
        }
        if (i == 0) A.col_idx[to] = 50, A.val[to++] = 7;
        A.row_ptr[i + 1] = to;
    }
    check("tridiag:5000 with another diagonal", &A);
    assert_ok(spw_sdia_from_csr(&A, &S));
    assert_true(S.n_diagonals == 3 && S.offset[2] == 50 && S.val[2 * S.stride] == 7);
}

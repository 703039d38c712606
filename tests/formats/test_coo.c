/* formats/coo.h: sizes are checked, the first wrong entry is named, nothing leaks. */
#include "formats/coo.h"

#include "test.h"

TEST(create_makes_room) {
    spw_coo A;
    assert_ok(spw_coo_create(3, 5, 4, &A));
    assert_int_equal(A.n_rows, 3);
    assert_int_equal(A.n_cols, 5);
    assert_int_equal(A.nnz, 4);
    for (int k = 0; k < 4; k++) {
        A.row_idx[k] = k % 3;
        A.col_idx[k] = k;
        A.val[k] = k;
    }
    assert_ok(spw_coo_validate(&A));
    assert_int_equal(spw_coo_bytes(&A), 64);
    spw_coo_destroy(&A);
    assert_no_coo(&A);
}

TEST(a_matrix_may_be_empty) {
    const int64_t sizes[][2] = {{0, 0}, {0, 7}, {7, 0}, {SPW_IDX_MAX, SPW_IDX_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        OWN(spw_coo) A;
        assert_ok(spw_coo_create(sizes[i][0], sizes[i][1], 0, &A));
        assert_ok(spw_coo_validate(&A));
        assert_int_equal(spw_coo_bytes(&A), 0);
    }
}

TEST(create_refuses_impossible_sizes) {
    const int64_t big = (int64_t)SPW_IDX_MAX + 1;
    const struct {
        int64_t n_rows, n_cols, nnz;
        spw_status status;
        const char *message;
    } cases[] = {
        {-1, 1, 1, SPW_ERR_ARG, "-1 x 1 with 1 entries"},
        {1, -2, 1, SPW_ERR_ARG, "1 x -2 with 1 entries"},
        {1, 1, -3, SPW_ERR_ARG, "1 x 1 with -3 entries"},
        {INT64_MIN, 1, 1, SPW_ERR_ARG, "no size may be negative"},
        {big, 1, 1, SPW_ERR_RANGE, "2147483648 x 1 with 1 entries"},
        {1, big, 1, SPW_ERR_RANGE, "1 x 2147483648 with 1 entries"},
        {1, 1, big, SPW_ERR_RANGE, "no size may exceed 2147483647"},
        {1, 1, INT64_C(1) << 32, SPW_ERR_RANGE, "4294967296 entries"},
        {INT64_MAX, INT64_MAX, INT64_MAX, SPW_ERR_RANGE, "9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spw_coo A = {.nnz = 99};
        assert_int_equal(spw_coo_create(cases[i].n_rows, cases[i].n_cols, cases[i].nnz, &A),
                         cases[i].status);
        assert_says(spw_message(), cases[i].message);
        assert_no_coo(&A);
    }
}

TEST(create_refuses_more_than_the_memory) {
    spw_coo A = {.nnz = 99};
    if (spw_memory_available() > INT64_C(16) * SPW_IDX_MAX) {
        print_message("skipped: this machine has room for the largest COO matrix, 34.4 GB\n");
        skip();
    }
    assert_error(spw_coo_create(1, 1, SPW_IDX_MAX, &A), SPW_ERR_MEMORY,
                 "needs 34.4 GB, this machine has ");
    assert_no_coo(&A);
}

TEST(create_survives_every_failing_allocation) {
    OWN(spw_coo) A;
    assert_int_equal(
        FAILURES((SPOIL(A), spw_coo_create(10, 10, 100, &A)), (assert_no_coo(&A), true)), 3);
}

TEST(validate_names_the_first_wrong_entry) {
    enum { N = 100000 };
    const struct {
        spw_idx row, col;
        const char *message;
    } cases[] = {
        {-1, 0, "entry 70000 is at row -1, column 0 of a 10 x 20 matrix"},
        {10, 0, "entry 70000 is at row 10, column 0 of a 10 x 20 matrix"},
        {0, -7, "entry 70000 is at row 0, column -7 of a 10 x 20 matrix"},
        {0, 20, "entry 70000 is at row 0, column 20 of a 10 x 20 matrix"},
        {SPW_IDX_MAX, 0, "entry 70000 is at row 2147483647, column 0"},
    };
    OWN(spw_coo) A;
    assert_ok(spw_coo_create(10, 20, N, &A));
    for (int k = 0; k < N; k++) {
        A.row_idx[k] = k % 10;
        A.col_idx[k] = k % 20;
        A.val[k] = k;
    }
    for (int t = 0; with_count(t); t++) {
        assert_ok(spw_coo_validate(&A));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            A.row_idx[70000] = A.row_idx[70001] = A.row_idx[99999] = cases[i].row;
            A.col_idx[70000] = A.col_idx[70001] = A.col_idx[99999] = cases[i].col;
            assert_error(spw_coo_validate(&A), SPW_ERR_ARG, cases[i].message);
            A.row_idx[70000] = A.row_idx[70001] = A.row_idx[99999] = 0;
            A.col_idx[70000] = A.col_idx[70001] = A.col_idx[99999] = 0;
        }
    }
}

TEST(validate_refuses_bad_structs) {
    spw_idx index[1] = {0};
    double val[1] = {0};
    const spw_coo bad[] = {
        {-1, 1, 1, index, index, val}, {1, -1, 1, index, index, val}, {1, 1, -1, index, index, val},
        {1, 1, 1, NULL, index, val},   {1, 1, 1, index, NULL, val},   {1, 1, 1, index, index, NULL},
        {0, 1, 1, index, index, val},  {1, 0, 1, index, index, val},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(spw_coo_validate(&bad[i]), SPW_ERR_ARG);
}

TEST(destroy_takes_null_and_zero) {
    spw_coo A = {0};
    spw_coo_destroy(NULL);
    spw_coo_destroy(&A);
    spw_coo_destroy(&A);
    assert_no_coo(&A);
}

TEST(bytes_do_not_wrap) {
    const spw_coo A = {.nnz = SPW_IDX_MAX};
    assert_true(spw_coo_bytes(&A) == INT64_C(16) * SPW_IDX_MAX);
}

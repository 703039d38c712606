/* kit/cases.h: cases are valid, reproducible and as nasty as their names say. */
#include "kit/cases.h"

#include "test.h"

static spw_csr make(const char *name) { return case_of(name, 7); }

static int length(const spw_csr *A, int i) { return A->row_ptr[i + 1] - A->row_ptr[i]; }

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void assert_distinct(const double *values, spw_idx n) {
    double *sorted;
    assert_ok(SPW_ALLOC(&sorted, n));
    if (n) memcpy(sorted, values, (size_t)n * sizeof *values);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (spw_idx k = 0; k < n; k++) {
        assert_true(fabs(sorted[k]) >= 0.5 && fabs(sorted[k]) < 1.5);
        if (k > 0) assert_true(sorted[k] != sorted[k - 1]);
    }
    spw_free(sorted);
}

TEST(csr_cases_are_valid_small_and_their_values_distinct) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = make(spw_csr_case_name(c));
        assert_ok(spw_csr_validate(&A));
        assert_in_range(A.nnz, 0, 50000);
        assert_distinct(A.val, A.nnz);
    }
}

TEST(coo_cases_are_valid_small_and_their_values_distinct) {
    for (int c = 0; c < spw_coo_case_count(); c++) {
        OWN(spw_coo) A;
        assert_ok(spw_coo_case(spw_coo_case_name(c), 7, &A));
        assert_ok(spw_coo_validate(&A));
        assert_in_range(A.nnz, 0, 50000);
        assert_distinct(A.val, A.nnz);
    }
}

TEST(the_seed_changes_the_values_and_not_the_pattern) {
    OWN(spw_csr) A = make("prime"), B = make("prime"), C;
    assert_ok(spw_csr_case("prime", 8, &C));
    assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
    assert_memory_equal(A.col_idx, C.col_idx, (size_t)A.nnz * sizeof *A.col_idx);
    for (spw_idx k = 0; k < A.nnz; k++) assert_true(A.val[k] != C.val[k]);
}

TEST(cases_are_what_their_names_say) {
    OWN(spw_csr) A = make("empty-first-last");
    assert_true(length(&A, 0) == 0 && length(&A, A.n_rows - 1) == 0 && A.nnz > 0);
    spw_csr_destroy(&A);
    A = make("empty-rows");
    assert_true(A.n_rows == 5 && A.n_cols == 4 && A.nnz == 6 && length(&A, 2) == 0);
    spw_csr_destroy(&A);
    A = make("every-length");
    for (int i = 0; i < A.n_rows; i++) assert_int_equal(length(&A, i), i);
    spw_csr_destroy(&A);
    A = make("dense-row");
    assert_int_equal(length(&A, 53), A.n_cols);
    spw_csr_destroy(&A);
    A = make("rectangular-wide");
    assert_true(A.n_cols > 10 * A.n_rows);
    spw_csr_destroy(&A);
    A = make("rectangular-tall");
    assert_true(A.n_rows > 10 * A.n_cols);
    spw_csr_destroy(&A);
    A = make("stencil27"); /* (3 k - 2)^3 entries for k points an edge */
    assert_true(A.n_rows == 9 * 9 * 9 && A.nnz == 25 * 25 * 25);
    spw_csr_destroy(&A);
    A = make("fem3");
    assert_true(A.n_rows == 3 * 5 * 5 * 5 && A.nnz == 9 * 13 * 13 * 13);
    spw_csr_destroy(&A);
    A = make("long-row");
    assert_true(length(&A, 1) > 1000 * (A.nnz - length(&A, 1)));
}

TEST(an_unknown_case_is_refused_with_the_names) {
    spw_csr A;
    spw_coo C;
    assert_error(spw_csr_case("empty-row", 1, &A), SPW_ERR_ARG, "'empty-row'");
    for (int c = 0; c < spw_csr_case_count(); c++) assert_says(spw_message(), spw_csr_case_name(c));
    assert_int_equal(spw_coo_case("stencil27", 1, &C), SPW_ERR_ARG);
    for (int c = 0; c < spw_coo_case_count(); c++) assert_says(spw_message(), spw_coo_case_name(c));
    assert_true(!A.row_ptr && !A.col_idx && !A.val && !C.row_idx && !C.col_idx && !C.val);
}

/*     | . 2+3 |      expected order: (0,1) = 2 + 3, (2,0) = 1 + 4
 *     | .  .  |
 *     |1+4 .  |  */
TEST(expected_csr_sums_duplicates) {
    spw_idx row_idx[] = {2, 0, 0, 2}, col_idx[] = {0, 1, 1, 0};
    double val[] = {1, 2, 3, 4};
    const spw_coo C = {3, 2, 4, row_idx, col_idx, val};
    OWN(spw_csr) A;
    assert_ok(spw_csr_expected(&C, &A));
    assert_true(A.nnz == 2 && A.row_ptr[1] == 1 && A.row_ptr[2] == 1 && A.row_ptr[3] == 2);
    assert_true(A.col_idx[0] == 1 && A.val[0] == 5 && A.col_idx[1] == 0 && A.val[1] == 5);
}

TEST(expected_csr_is_the_library_s_to_the_bit) {
    for (int c = 0; c < spw_coo_case_count(); c++) {
        OWN(spw_coo) C;
        OWN(spw_csr) A, B;
        assert_ok(spw_coo_case(spw_coo_case_name(c), 7, &C));
        assert_ok(spw_csr_expected(&C, &A));
        assert_ok(spw_csr_from_coo(&C, &B));
        assert_same_csr(&A, &B);
    }
}

TEST(failing_allocations_leave_nothing) {
    OWN(spw_coo) C;
    assert_ok(spw_coo_case("large", 7, &C));
    for (int what = 0; what < 4; what++) {
        spw_status status = SPW_ERR_MEMORY;
        double y[1500], tolerance[1500];
        for (int n = 0; status; n++) {
            OWN(spw_csr) A = {0};
            OWN(spw_coo) B = {0};
            assert_in_range(n, 0, 40);
            spw_memory_fail_after(n);
            switch (what) {
            case 0: status = spw_csr_case("stencil27", 1, &A); break;
            case 1: status = spw_coo_case("unsorted", 1, &B); break;
            case 2: status = spw_csr_expected(&C, &A); break;
            case 3: status = spw_spmv_coo_expected(&C, C.val, y, tolerance); break;
            }
            spw_memory_fail_after(-1);
            if (status) {
                assert_int_equal(status, SPW_ERR_MEMORY);
                assert_true(!A.row_ptr && !A.val && A.n_rows == 0 && !B.row_idx && !B.val);
            }
        }
    }
}

static void assert_named(const char *name, spw_idx n, const double *dense) {
    OWN(spw_csr) A;
    assert_ok(spw_csr_named(name, 1, &A));
    assert_ok(spw_csr_validate(&A));
    assert_true(A.n_rows == n && A.n_cols == n);
    double got[36] = {0};
    for (spw_idx i = 0; i < n; i++)
        for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) {
            assert_true(A.val[k] != 0);
            got[i * n + A.col_idx[k]] = A.val[k];
        }
    assert_memory_equal(got, dense, (size_t)(n * n) * sizeof *got);
}

TEST(literals_have_names) {
    static const double slides[36] = {5.4, 1.1, 0,   0, 0,   0, 2.2, 8.3, 0, 3.7, 1.3, 3.8,
                                      0,   0,   4.2, 0, 0,   0, 5.4, 0,   0, 9.2, 0,   0,
                                      0,   0,   0,   0, 1.1, 0, 0,   0,   0, 0,   0,   8.1};
    static const double small[25] = {0, 0.7, 0,   -1.3, 0, 1.1,  0,    0.9, 0, -0.8, 0,  0, 0, 0,
                                     0, 1.4, 0.6, 1.2,  0, -1.5, -0.5, 1.6, 0, 0.75, 1.7};
    static const double zeros[25] = {0};
    assert_named("slides", 6, slides);
    assert_named("small", 5, small);
    assert_named("zeros", 5, zeros);
    assert_named("nothing", 0, zeros);
}

TEST(names_lead_to_cases_and_to_matrices) {
    spw_csr A, B;
    assert_true(spw_csr_case_exists("arrow") && !spw_csr_case_exists("assembly"));
    assert_true(spw_coo_case_exists("assembly") && !spw_coo_case_exists("arrow"));
    assert_ok(spw_csr_named("arrow", 9, &A));
    assert_ok(spw_csr_case("arrow", 9, &B));
    assert_same_csr(&A, &B);
    spw_csr_destroy(&A);
    spw_csr_destroy(&B);
    assert_ok(spw_csr_named("tridiag:7", 9, &A));
    assert_int_equal(A.nnz, 19);
    spw_csr_destroy(&A);
    assert_int_not_equal(spw_csr_named("no-such-matrix", 9, &A), SPW_OK);
    assert_true(!A.row_ptr && !A.val && A.n_rows == 0);
}

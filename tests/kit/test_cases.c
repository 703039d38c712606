/* kit/cases.h: cases are valid, reproducible and as nasty as their names say. */
#include "kit/cases.h"

#include "test.h"

static spw_csr make(const char *name) { return case_of(name, 7); }

static int length(const spw_csr *A, int i) { return A->row_ptr[i + 1] - A->row_ptr[i]; }

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* How many are 0; the others are distinct. */
static int zeros_among_distinct(const double *values, spw_idx n) {
    int n_zeros = 0;
    double *sorted = zeros(n);
    if (n) memcpy(sorted, values, (size_t)n * sizeof *values);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (spw_idx k = 0; k < n; k++) {
        if (sorted[k] == 0 && ++n_zeros) continue;
        assert_true(fabs(sorted[k]) >= 0.5 && fabs(sorted[k]) < 1.5);
        if (k > 0) assert_true(sorted[k] != sorted[k - 1]);
    }
    return n_zeros;
}

TEST(csr_cases_are_valid_small_and_their_values_distinct) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = make(spw_csr_case_name(c));
        assert_ok(spw_csr_validate(&A));
        assert_in_range(A.nnz, 0, 50000);
        const bool has_zeros = strcmp(spw_csr_case_name(c), "prime") == 0;
        assert_int_equal(zeros_among_distinct(A.val, A.nnz) > 0, has_zeros);
    }
}

TEST(coo_cases_are_valid_small_and_their_values_distinct) {
    for (int c = 0; c < spw_coo_case_count(); c++) {
        OWN(spw_coo) A;
        assert_ok(spw_coo_case(spw_coo_case_name(c), 7, &A));
        assert_ok(spw_coo_validate(&A));
        assert_in_range(A.nnz, 0, 50000);
        assert_int_equal(zeros_among_distinct(A.val, A.nnz), 0);
    }
}

TEST(the_seed_changes_the_values_and_not_the_pattern) {
    OWN(spw_csr) A = make("prime"), B = make("prime"), C;
    assert_ok(spw_csr_case("prime", 8, &C));
    assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
    assert_memory_equal(A.col_idx, C.col_idx, (size_t)A.nnz * sizeof *A.col_idx);
    for (spw_idx k = 0; k < A.nnz; k++) assert_true(A.val[k] != C.val[k] || A.val[k] == 0);
}

TEST(cases_are_what_their_names_say) {
    OWN(spw_csr) ends = make("empty-first-last"), empty = make("empty-rows");
    assert_true(length(&ends, 0) == 0 && length(&ends, ends.n_rows - 1) == 0 && ends.nnz > 0);
    assert_true(empty.n_rows == 5 && empty.n_cols == 4 && empty.nnz == 6 && length(&empty, 2) == 0);
    OWN(spw_csr) every = make("every-length"), dense = make("dense-row"), row = make("long-row");
    for (int i = 0; i < every.n_rows; i++) assert_int_equal(length(&every, i), i);
    assert_int_equal(length(&dense, 53), dense.n_cols);
    assert_true(length(&row, 1) > 1000 * (row.nnz - length(&row, 1)));
    OWN(spw_csr) wide = make("rectangular-wide"), tall = make("rectangular-tall");
    assert_true(wide.n_cols > 10 * wide.n_rows && tall.n_rows > 10 * tall.n_cols);
    OWN(spw_csr)
    grid = make("stencil27"), fem = make("fem3"); /* (3 k - 2)^3 entries for k points an edge */
    assert_true(grid.n_rows == 9 * 9 * 9 && grid.nnz == 25 * 25 * 25);
    assert_true(fem.n_rows == 3 * 5 * 5 * 5 && fem.nnz == 9 * 13 * 13 * 13);
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
    OWN(spw_coo) C, B;
    OWN(spw_csr) A, E;
    double y[1500], tolerance[1500];
    assert_ok(spw_coo_case("large", 7, &C));
    assert_true(FAILURES(spw_csr_case("stencil27", 1, &A), (assert_no_csr(&A), true)) > 0);
    assert_true(FAILURES(spw_coo_case("unsorted", 1, &B), (assert_no_coo(&B), true)) > 0);
    assert_true(FAILURES(spw_csr_expected(&C, &E), (assert_no_csr(&E), true)) > 0);
    assert_true(FAILURES(spw_spmv_coo_expected(&C, C.val, y, tolerance), true) > 0);
}

static void assert_named(const char *name, spw_idx n, const double *dense) {
    OWN(spw_csr) A = case_of(name, 1), B = matrix_of(n, n, dense);
    assert_same_csr(&A, &B);
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
    OWN(spw_csr) A, B, C, none;
    assert_true(spw_csr_case_exists("arrow") && !spw_csr_case_exists("assembly"));
    assert_true(spw_coo_case_exists("assembly") && !spw_coo_case_exists("arrow"));
    assert_ok(spw_csr_named("arrow", 9, &A));
    assert_ok(spw_csr_case("arrow", 9, &B));
    assert_same_csr(&A, &B);
    assert_ok(spw_csr_named("tridiag:7", 9, &C));
    assert_int_equal(C.nnz, 19);
    assert_int_not_equal(spw_csr_named("no-such-matrix", 9, &none), SPW_OK);
    assert_no_csr(&none);
}

/* kernels/spmv.h: references on literals, every other kernel of the table on every case of
 * kit/cases.h, for 1, 3, 7 and all threads. */
#include "kernels/product.h"

/* --- references on literals ----------------------------------------------------------------------- */

TEST(csr_reference_multiplies) {
    double x[] = {1, 2, 3}, y[] = {NAN, NAN, NAN};
    OWN(spw_csr) A = matrix_of(3, 3, (const double[]){5, 1, 0, 0, 0, 0, 7, 0, 4});
    spw_spmv_csr_ref(&A, x, y);
    assert_true(y[0] == 7 && y[1] == 0 && y[2] == 19);
}

/*     | . 2+3 |
 *     | .  .  |
 *     | 1  .  |  */
TEST(coo_reference_adds_duplicates_in_any_order) {
    spw_idx row_idx[] = {2, 0, 0}, col_idx[] = {0, 1, 1};
    double val[] = {1, 2, 3}, x[] = {10, 100}, y[] = {NAN, NAN, NAN};
    const spw_coo A = {3, 2, 3, row_idx, col_idx, val};
    spw_spmv_coo_ref(&A, x, y);
    assert_true(y[0] == 500 && y[1] == 0 && y[2] == 10);
}

/* --- every kernel on every case ------------------------------------------------------------------- */

/* A long row may be shared, and its bits then depend on the threads. */
TEST(csr_kernels_agree_with_the_expected_product) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        product p = product_of(spw_csr_case_name(c), &A);
        p.bits_vary = true;
        CHECK_PRODUCTS(&p, spmv_csr, &A);
    }
}

static void check_coo(const spw_coo *A, const char *name) {
    const spw_csr empty = {A->n_rows, A->n_cols, 0, zeroed(A->n_rows + 1, sizeof(spw_idx)),
                           NULL,      NULL};
    product p = product_of(name, &empty);
    p.bits_vary = true;
    assert_ok(spw_spmv_coo_expected(A, p.x, p.expected, p.tolerance));
    CHECK_PRODUCTS(&p, spmv_coo, A);
}

TEST(coo_kernels_agree_with_the_expected_product) {
    for (int c = 0; c < spw_coo_case_count(); c++) {
        OWN(spw_coo) A;
        assert_ok(spw_coo_case(spw_coo_case_name(c), SEED, &A));
        check_coo(&A, spw_coo_case_name(c));
    }
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_coo) C;
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        assert_ok(spw_coo_from_csr(&A, &C));
        check_coo(&C, spw_csr_case_name(c));
    }
}

/* Threads that do not overlap in time hide a race: hence many calls. */
TEST(coo_kernels_do_not_lose_additions) {
    OWN(spw_coo) A;
    assert_ok(spw_coo_case("alternating", SEED, &A));
    spw_set_threads(thread_counts[3]);
    for (int run = 0; run < 100; run++) check_coo(&A, "alternating");
}

/* Each CSR kernel that promises it: the bits do not depend on the number of threads. omp_balanced
 * promises it for matrices without long rows. */
TEST(csr_results_do_not_depend_on_the_threads) {
    OWN(spw_csr) A = case_of("powerlaw", SEED);
    /* One row of 1201 entries may be cut: make it shorter. */
    for (spw_idx i = 0; i < A.n_rows; i++)
        if (A.row_ptr[i + 1] - A.row_ptr[i] > 1000) A.row_ptr[i + 1] = A.row_ptr[i] + 1000;
    for (spw_idx i = 1; i < A.n_rows; i++)
        if (A.row_ptr[i + 1] - A.row_ptr[i] > 1000) A.row_ptr[i] = A.row_ptr[i + 1] - 1000;
    A.nnz = A.row_ptr[A.n_rows];
    const product p = product_of("powerlaw", &A);
    CHECK_PRODUCTS(&p, spmv_csr, &A);
}

/* --- the measure itself --------------------------------------------------------------------------- */

TEST(float_arithmetic_is_outside_the_tolerance) {
    static const char *const names[] = {"one-by-one", "stencil27", "long-row", "diagonal"};
    for (int c = 0; c < 4; c++) {
        OWN(spw_csr) A = case_of(names[c], SEED);
        const product p = product_of(names[c], &A);
        spw_idx wrong = 0;
        for (spw_idx i = 0; i < A.n_rows; i++) { /* float in the sum alone is enough */
            float sum = 0;
            for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
                sum += (float)(A.val[k] * p.x[A.col_idx[k]]);
            wrong += !(fabs(sum - p.expected[i]) <= p.tolerance[i]);
        }
        assert_true(wrong > A.n_rows * 9 / 10);
    }
}

TEST(tolerance_is_that_of_the_formula) {
    double x[] = {1, 0.5}, y[2], tolerance[2];
    OWN(spw_csr) A = matrix_of(2, 2, (const double[]){3, -4, 0, 0});
    spw_spmv_expected(&A, x, y, tolerance);
    assert_true(y[0] == 1 && y[1] == 0);
    assert_true(tolerance[0] == 2 * 3 * DBL_EPSILON * 5 && tolerance[1] == 0);
}

/* kernels/spmv.h: references on literals, every other kernel of the table on every case of
 * kit/cases.h, for 1, 3, 7 and all threads. */
#include "kernels/spmv.h"

#include "kernels/kernels.h"
#include "kit/cases.h"
#include "test.h"

enum { SEED = 4711 };

static void poison(double *y, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = NAN;
}

/* Number of elements outside the tolerance. NaN is outside, whatever the tolerance. */
static int64_t wrong(int64_t n, const double *y, const double *expected, const double *tolerance) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += !(fabs(y[i] - expected[i]) <= tolerance[i]);
    return count;
}

/* --- references on literals ----------------------------------------------------------------------- */

/*     | 5 1 . |
 *     | . . . |
 *     | 7 . 4 |  */
TEST(csr_reference_multiplies) {
    spw_idx row_ptr[] = {0, 2, 2, 4}, col_idx[] = {0, 1, 0, 2};
    double val[] = {5, 1, 7, 4}, x[] = {1, 2, 3}, y[] = {NAN, NAN, NAN};
    const spw_csr A = {3, 3, 4, row_ptr, col_idx, val};
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

TEST(csr_kernels_agree_with_the_expected_product) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), SEED);
        double *x = zeros(A.n_cols), *y = zeros(A.n_rows);
        double *expected = zeros(A.n_rows), *tolerance = zeros(A.n_rows);
        spw_case_vector(SEED, A.n_cols, x);
        spw_spmv_expected(&A, x, expected, tolerance);

        for (const spw_kernel *v = spw_kernels("spmv_csr"); v->symbol; v++)
            for (int t = 0; t < 4; t++) {
                spw_set_threads(thread_counts[t]);
                poison(y, A.n_rows);
                ((spw_spmv_csr_fn)v->function)(&A, x, y);
                if (wrong(A.n_rows, y, expected, tolerance))
                    fail_msg("%s, %s, %d threads: %lld of %d rows are wrong", v->symbol,
                             spw_csr_case_name(c), thread_counts[t],
                             (long long)wrong(A.n_rows, y, expected, tolerance), A.n_rows);
            }
    }
}

static void check_coo(const spw_coo *A, const char *name) {
    double *x = zeros(A->n_cols), *y = zeros(A->n_rows);
    double *expected = zeros(A->n_rows), *tolerance = zeros(A->n_rows);
    spw_case_vector(SEED, A->n_cols, x);
    assert_ok(spw_spmv_coo_expected(A, x, expected, tolerance));

    for (const spw_kernel *v = spw_kernels("spmv_coo"); v->symbol; v++)
        for (int t = 0; t < 4; t++) {
            spw_set_threads(thread_counts[t]);
            poison(y, A->n_rows);
            ((spw_spmv_coo_fn)v->function)(A, x, y);
            if (wrong(A->n_rows, y, expected, tolerance))
                fail_msg("%s, %s, %d threads: %lld of %d rows are wrong", v->symbol, name,
                         thread_counts[t], (long long)wrong(A->n_rows, y, expected, tolerance),
                         A->n_rows);
        }
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
    double *x = zeros(A.n_cols), *y = zeros(A.n_rows), *first = zeros(A.n_rows);
    spw_case_vector(SEED, A.n_cols, x);
    /* One row of 1201 entries may be cut: make it shorter. */
    for (spw_idx i = 0; i < A.n_rows; i++)
        if (A.row_ptr[i + 1] - A.row_ptr[i] > 1000) A.row_ptr[i + 1] = A.row_ptr[i] + 1000;
    for (spw_idx i = 1; i < A.n_rows; i++)
        if (A.row_ptr[i + 1] - A.row_ptr[i] > 1000) A.row_ptr[i] = A.row_ptr[i + 1] - 1000;
    A.nnz = A.row_ptr[A.n_rows];

    for (const spw_kernel *v = spw_kernels("spmv_csr"); v->symbol; v++) {
        spw_set_threads(1);
        ((spw_spmv_csr_fn)v->function)(&A, x, first);
        for (int t = 1; t < 4; t++) {
            spw_set_threads(thread_counts[t]);
            ((spw_spmv_csr_fn)v->function)(&A, x, y);
            for (spw_idx i = 0; i < A.n_rows; i++)
                if (y[i] != first[i]) fail_msg("%s: row %d differs", v->symbol, i);
        }
    }
}

/* --- the measure itself --------------------------------------------------------------------------- */

TEST(float_arithmetic_is_outside_the_tolerance) {
    static const char *const names[] = {"one-by-one", "stencil27", "long-row", "diagonal"};
    for (int c = 0; c < 4; c++) {
        OWN(spw_csr) A = case_of(names[c], SEED);
        double *x = zeros(A.n_cols), *y = zeros(A.n_rows);
        double *expected = zeros(A.n_rows), *tolerance = zeros(A.n_rows);
        spw_case_vector(SEED, A.n_cols, x);
        spw_spmv_expected(&A, x, expected, tolerance);
        for (spw_idx i = 0; i < A.n_rows; i++) { /* float in the sum alone is enough */
            float sum = 0;
            for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
                sum += (float)(A.val[k] * x[A.col_idx[k]]);
            y[i] = sum;
        }
        assert_true(wrong(A.n_rows, y, expected, tolerance) > A.n_rows * 9 / 10);
    }
}

TEST(tolerance_is_that_of_the_formula) {
    spw_idx row_ptr[] = {0, 2, 2}, col_idx[] = {0, 1};
    double val[] = {3, -4}, x[] = {1, 0.5}, y[2], tolerance[2];
    const spw_csr A = {2, 2, 2, row_ptr, col_idx, val};
    spw_spmv_expected(&A, x, y, tolerance);
    assert_true(y[0] == 1 && y[1] == 0);
    assert_true(tolerance[0] == 2 * 3 * DBL_EPSILON * 5 && tolerance[1] == 0);
}

/* formats/bands.h: the example, there and back on all cases and by any number of threads, validation,
 * bad input, failing allocations. */
#include "formats/bands.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kit/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* The matrix of the header. */
static spw_idx row_ptr[] = {0, 3, 4, 5}, col_idx[] = {0, 1, 3, 2, 1};
static double val[] = {'a', 'b', 'c', 'd', 'e'};
static const spw_csr small = {3, 4, 5, row_ptr, col_idx, val};

static void assert_same(const spw_csr *A, const spw_csr *B)
{
    assert_int_equal(A->n_rows, B->n_rows);
    assert_int_equal(A->n_cols, B->n_cols);
    assert_int_equal(A->nnz, B->nnz);
    assert_memory_equal(A->row_ptr, B->row_ptr, sizeof(spw_idx) * ((size_t)A->n_rows + 1));
    if (!A->nnz) return;
    assert_memory_equal(A->col_idx, B->col_idx, sizeof(spw_idx) * (size_t)A->nnz);
    assert_memory_equal(A->val, B->val, sizeof(double) * (size_t)A->nnz);
}

static void the_example_in_the_header_holds(void **state)
{
    (void)state;
    static const spw_idx bands[] = {0, 2, 4}, rows[] = {0, 2, 0, 1}, pieces[] = {0, 2, 3, 4, 5};
    static const double expected[] = {'a', 'b', 'e', 'c', 'd'};
    static const spw_idx columns[] = {0, 1, 1, 3, 2};
    spw_bands B;
    assert_int_equal(spw_bands_from_csr(&small, 2, &B), SPW_OK);
    assert_int_equal(B.n_bands, 2);
    assert_int_equal(B.n_pieces, 4);
    assert_memory_equal(B.band_ptr, bands, sizeof bands);
    assert_memory_equal(B.row_idx, rows, sizeof rows);
    assert_memory_equal(B.piece_ptr, pieces, sizeof pieces);
    assert_memory_equal(B.row_ptr, row_ptr, sizeof row_ptr);
    assert_memory_equal(B.col_idx, columns, sizeof columns);
    assert_memory_equal(B.val, expected, sizeof expected);
    assert_int_equal(spw_bands_bytes(&B), 12 * 5 + 8 * 4 + 4 * 4);
    spw_bands_destroy(&B);
}

static void every_case_comes_back_unchanged(void **state)
{
    (void)state;
    static const spw_idx widths[] = {1, 3, 100, SPW_BAND_WIDTH, SPW_IDX_MAX};
    static const int threads[] = {1, 3, 7};
    const int before = spw_max_threads();
    for (int c = 0; c < spw_csr_case_count(); c++) {
        spw_csr A, back;
        assert_int_equal(spw_csr_case(spw_csr_case_name(c), 4711, &A), SPW_OK);
        for (int w = 0; w < 5; w++) {
            spw_bands B;
            spw_set_threads(threads[(c + w) % 3]);
            assert_int_equal(spw_bands_from_csr(&A, widths[w], &B), SPW_OK);
            assert_int_equal(spw_bands_validate(&B), SPW_OK);
            assert_int_equal(spw_csr_from_bands(&B, &back), SPW_OK);
            assert_same(&A, &back);
            spw_csr_destroy(&back);
            spw_bands_destroy(&B);
        }
        spw_csr_destroy(&A);
    }
    spw_set_threads(before);
}

static void validate_finds_what_is_broken(void **state)
{
    (void)state;
    spw_bands B;
    assert_int_equal(spw_bands_from_csr(&small, 2, &B), SPW_OK);
    spw_idx *const places[] = {&B.band_ptr[1],  &B.row_idx[1], &B.row_idx[3],
                               &B.piece_ptr[1], &B.row_ptr[1], &B.col_idx[2],
                               &B.col_idx[1],   &B.n_bands,    &B.piece_ptr[4]};
    static const spw_idx wrong[] = {5, 0, 7, 0, 2, 3, 0, 3, 9};
    for (int k = 0; k < 9; k++) {
        const spw_idx right = *places[k];
        *places[k] = wrong[k];
        if (spw_bands_validate(&B) != SPW_ERR_ARG) fail_msg("mistake %d was not found", k);
        *places[k] = right;
        assert_int_equal(spw_bands_validate(&B), SPW_OK);
    }
    spw_bands_destroy(&B);
}

static void bad_input_is_refused_with_its_values(void **state)
{
    (void)state;
    static const spw_bands none;
    spw_bands B;
    assert_int_equal(spw_bands_from_csr(&small, 0, &B), SPW_ERR_ARG);
    assert_string_equal(spw_message(), "bands: a width of 0 columns, must be at least 1");
    assert_memory_equal(&B, &none, sizeof B);
}

static void a_failed_allocation_is_a_status_and_leaves_zero(void **state)
{
    (void)state;
    static const spw_bands none;
    static const spw_csr no_csr;
    for (int n = 0; n < 9; n++) {
        spw_bands B;
        spw_csr A;
        spw_memory_fail_after(n);
        const spw_status status = spw_bands_from_csr(&small, 2, &B);
        spw_memory_fail_after(-1);
        assert_int_equal(status, n < 7 ? SPW_ERR_MEMORY : SPW_OK);
        if (status) {
            assert_memory_equal(&B, &none, sizeof B);
            continue;
        }
        for (int m = 0; m < 5; m++) {
            spw_memory_fail_after(m);
            const spw_status back = spw_csr_from_bands(&B, &A);
            spw_memory_fail_after(-1);
            assert_int_equal(back, m < 4 ? SPW_ERR_MEMORY : SPW_OK);
            if (back) assert_memory_equal(&A, &no_csr, sizeof A);
            spw_csr_destroy(&A);
        }
        spw_bands_destroy(&B);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_in_the_header_holds),
        cmocka_unit_test(every_case_comes_back_unchanged),
        cmocka_unit_test(validate_finds_what_is_broken),
        cmocka_unit_test(bad_input_is_refused_with_its_values),
        cmocka_unit_test(a_failed_allocation_is_a_status_and_leaves_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

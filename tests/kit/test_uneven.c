/* kit/uneven.h: a valid matrix, always the same, with rows of all lengths side by side. */
#include "kit/uneven.h"

#include "base/memory.h"
#include "base/threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void rows_have_1_to_15_entries(void **state)
{
    (void)state;
    static const spw_idx sizes[] = {30, 31, 97, 20000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        spw_csr A;
        assert_int_equal(spw_csr_uneven(sizes[s], &A), SPW_OK);
        assert_int_equal(spw_csr_validate(&A), SPW_OK);
        assert_int_equal(A.n_rows, sizes[s]);
        assert_int_equal(A.n_cols, sizes[s]);
        int64_t of_length[16] = {0};
        for (spw_idx i = 0; i < A.n_rows; i++) {
            assert_in_range(A.row_ptr[i + 1] - A.row_ptr[i], 1, 15);
            of_length[A.row_ptr[i + 1] - A.row_ptr[i]]++;
        }
        for (int l = 1; s == 3 && l <= 15; l++) assert_in_range(of_length[l], 1200, 1467);
        spw_csr_destroy(&A);
    }
}

static void it_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    spw_csr A, B;
    spw_set_threads(1);
    assert_int_equal(spw_csr_uneven(5000, &A), SPW_OK);
    spw_set_threads(3);
    assert_int_equal(spw_csr_uneven(5000, &B), SPW_OK);
    assert_int_equal(A.nnz, B.nnz);
    assert_memory_equal(A.row_ptr, B.row_ptr, 5001 * sizeof *A.row_ptr);
    assert_memory_equal(A.col_idx, B.col_idx, (size_t)A.nnz * sizeof *A.col_idx);
    assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
    spw_csr_destroy(&A);
    spw_csr_destroy(&B);
}

static void what_cannot_be_made_leaves_zero(void **state)
{
    (void)state;
    static const spw_csr zero;
    spw_csr A;
    memset(&A, 1, sizeof A);
    assert_int_equal(spw_csr_uneven(29, &A), SPW_ERR_ARG);
    assert_non_null(strstr(spw_message(), "29"));
    assert_memory_equal(&A, &zero, sizeof A);
    for (int n = 0; n < 3; n++) {
        memset(&A, 1, sizeof A);
        spw_memory_fail_after(n);
        assert_int_equal(spw_csr_uneven(100, &A), SPW_ERR_MEMORY);
        spw_memory_fail_after(-1);
        assert_memory_equal(&A, &zero, sizeof A);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_1_to_15_entries),
        cmocka_unit_test(it_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(what_cannot_be_made_leaves_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* kernels/partition.h and kernels/placement.h: shares cover the matrix once, are even, and keep short
 * rows whole; a placed matrix is the matrix. */
#include "kernels/partition.h"
#include "kernels/placement.h"

#include "base/memory.h"
#include "base/threads.h"
#include "task/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const int parts[] = {1, 2, 3, 7, 64, 1000};
enum { PARTS = sizeof parts / sizeof *parts };

static spw_csr make(int c)
{
    spw_csr A;
    assert_int_equal(spw_csr_case(spw_csr_case_name(c), 1, &A), SPW_OK);
    return A;
}

static int64_t work(spw_csr_cut cut)
{
    return (int64_t)cut.row + cut.entry;
}

/* The example of the header. */
static void example_is_cut_at_row_2(void **state)
{
    (void)state;
    spw_idx row_ptr[] = {0, 3, 4, 4, 5, 7};
    const spw_csr A = {.n_rows = 5, .n_cols = 3, .nnz = 7, .row_ptr = row_ptr};
    const spw_csr_cut cut = spw_csr_cut_at(&A, 1, 2);
    assert_int_equal(cut.row, 2);
    assert_int_equal(cut.entry, 4);
}

static void shares_begin_at_the_start_and_end_at_the_end(void **state)
{
    (void)state;
    for (int c = 0; c < spw_csr_case_count(); c++) {
        spw_csr A = make(c);
        for (int p = 0; p < PARTS; p++) {
            const spw_csr_cut first = spw_csr_cut_at(&A, 0, parts[p]);
            const spw_csr_cut last = spw_csr_cut_at(&A, parts[p], parts[p]);
            assert_true(first.row == 0 && first.entry == 0);
            assert_true(last.row == A.n_rows && last.entry == A.nnz);
        }
        spw_csr_destroy(&A);
    }
}

static void cuts_ascend_and_lie_inside_their_row(void **state)
{
    (void)state;
    for (int c = 0; c < spw_csr_case_count(); c++) {
        spw_csr A = make(c);
        for (int p = 0; p < PARTS; p++) {
            int64_t before = 0;
            for (int t = 0; t <= parts[p]; t++) {
                const spw_csr_cut cut = spw_csr_cut_at(&A, t, parts[p]);
                assert_true(work(cut) >= before);
                before = work(cut);
                assert_in_range(cut.row, 0, A.n_rows);
                if (cut.row == A.n_rows) {
                    assert_int_equal(cut.entry, A.nnz);
                    continue;
                }
                const spw_idx begin = A.row_ptr[cut.row], end = A.row_ptr[cut.row + 1];
                assert_true(cut.entry == begin || (cut.entry > begin && cut.entry < end));
                if (cut.entry > begin) assert_true(end - begin >= SPW_SHARE_FROM);
            }
        }
        spw_csr_destroy(&A);
    }
}

static void shares_differ_by_less_than_a_short_row(void **state)
{
    (void)state;
    for (int c = 0; c < spw_csr_case_count(); c++) {
        spw_csr A = make(c);
        for (int p = 0; p < PARTS; p++)
            for (int t = 0; t <= parts[p]; t++) {
                const double even = (double)(A.nnz + (int64_t)A.n_rows) * t / parts[p];
                const double off = (double)work(spw_csr_cut_at(&A, t, parts[p])) - even;
                assert_true(off <= SPW_SHARE_FROM / 2 + 1 && off >= -SPW_SHARE_FROM / 2 - 1);
            }
        spw_csr_destroy(&A);
    }
}

static void a_long_row_is_shared(void **state)
{
    (void)state;
    spw_csr A;
    assert_int_equal(spw_csr_case("long-row", 1, &A), SPW_OK);
    for (int t = 1; t < 7; t++) {
        const spw_csr_cut cut = spw_csr_cut_at(&A, t, 7);
        assert_int_equal(cut.row, 1);
        assert_true(cut.entry > A.row_ptr[1]);
    }
    spw_csr_destroy(&A);
}

/* row_ptr[i] + i and part * total are beyond 32 bits here; nothing is allocated for the entries. */
static void sizes_near_the_limit_do_not_overflow(void **state)
{
    (void)state;
    spw_idx row_ptr[] = {0, SPW_IDX_MAX - 5, SPW_IDX_MAX};
    const spw_csr A = {.n_rows = 2, .n_cols = SPW_IDX_MAX, .nnz = SPW_IDX_MAX, .row_ptr = row_ptr};
    const spw_csr_cut cut = spw_csr_cut_at(&A, 999, 1000);
    assert_int_equal(cut.row, 0);
    assert_true(cut.entry > SPW_IDX_MAX / 1000 * 998);
}

static void a_placed_matrix_is_the_matrix(void **state)
{
    (void)state;
    for (int c = 0; c < spw_csr_case_count(); c++) {
        for (int threads = 1; threads <= 7; threads += 3) {
            spw_set_threads(threads);
            spw_csr A = make(c), B;
            double *y;
            assert_int_equal(spw_csr_place(&A, &B), SPW_OK);
            assert_int_equal(spw_csr_validate(&B), SPW_OK);
            assert_true(A.n_rows == B.n_rows && A.n_cols == B.n_cols && A.nnz == B.nnz);
            assert_memory_equal(A.row_ptr, B.row_ptr, ((size_t)A.n_rows + 1) * sizeof *A.row_ptr);
            if (A.nnz) {
                assert_memory_equal(A.col_idx, B.col_idx, (size_t)A.nnz * sizeof *A.col_idx);
                assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
            }
            assert_int_equal(spw_csr_place_rows(&A, &y), SPW_OK);
            for (spw_idx i = 0; i < A.n_rows; i++) assert_true(y[i] == 0);
            spw_free(y);
            spw_csr_destroy(&A);
            spw_csr_destroy(&B);
        }
    }
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    spw_csr A = make(0), B;
    spw_status status = SPW_ERR_MEMORY;
    for (int n = 0; status; n++) {
        assert_in_range(n, 0, 10);
        spw_memory_fail_after(n);
        status = spw_csr_place(&A, &B);
        spw_memory_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, SPW_ERR_MEMORY);
        assert_true(!B.row_ptr && !B.col_idx && !B.val && B.nnz == 0);
    }
    spw_csr_destroy(&B);

    double *y;
    spw_memory_fail_after(0);
    status = spw_csr_place_rows(&A, &y);
    spw_memory_fail_after(-1);
    assert_int_equal(status, SPW_ERR_MEMORY);
    assert_null(y);
    spw_csr_destroy(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_is_cut_at_row_2),
        cmocka_unit_test(shares_begin_at_the_start_and_end_at_the_end),
        cmocka_unit_test(cuts_ascend_and_lie_inside_their_row),
        cmocka_unit_test(shares_differ_by_less_than_a_short_row),
        cmocka_unit_test(a_long_row_is_shared),
        cmocka_unit_test(sizes_near_the_limit_do_not_overflow),
        cmocka_unit_test(a_placed_matrix_is_the_matrix),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

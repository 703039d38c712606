/* kernels/multivector.h: blocks of either layout, their copies, checked SpMM and all that it refuses. */
#include "kernels/multivector.h"

#include "base/memory.h"
#include "kit/cases.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* 2 x 3: | 5 1 . | and | . . 4 |. */
static spw_idx row_ptr[] = {0, 2, 3}, col_idx[] = {0, 1, 2};
static double val[] = {5, 1, 4};
static const spw_csr A = {2, 3, 3, row_ptr, col_idx, val};

static double *at(const spw_multivector *B, int64_t i, int64_t v)
{
    return B->layout == SPW_ROW_MAJOR ? B->val + i * B->ld + v : B->val + v * B->ld + i;
}

static spw_multivector block(spw_idx n, spw_idx nv, spw_major layout, double first)
{
    spw_multivector B;
    assert_int_equal(spw_multivector_create(n, nv, layout, &B), SPW_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t v = 0; v < nv; v++) *at(&B, i, v) = first + (double)(100 * v + i);
    return B;
}

static void blocks_are_created_in_both_layouts(void **state)
{
    (void)state;
    spw_multivector B;
    assert_int_equal(spw_multivector_create(5, 3, SPW_ROW_MAJOR, &B), SPW_OK);
    assert_true(B.n == 5 && B.nv == 3 && B.ld == 3 && B.val);
    spw_multivector_destroy(&B);
    assert_true(!B.val && !B.n);
    assert_int_equal(spw_multivector_create(5, 9, SPW_ROW_MAJOR, &B), SPW_OK);
    assert_int_equal(B.ld, 16);
    spw_multivector_destroy(&B);
    assert_int_equal(spw_multivector_create(5, 9, SPW_COLUMN_MAJOR, &B), SPW_OK);
    assert_int_equal(B.ld, 5);
    spw_multivector_destroy(&B);
    assert_int_equal(spw_multivector_create(0, 1, SPW_COLUMN_MAJOR, &B), SPW_OK);
    spw_multivector_destroy(&B);
    spw_multivector_destroy(NULL);
    memset(&B, 0xff, sizeof B);
    assert_int_equal(spw_multivector_create(5, 0, SPW_ROW_MAJOR, &B), SPW_ERR_ARG);
    assert_true(!B.val && !B.nv);
    assert_int_equal(spw_multivector_create(-1, 1, SPW_ROW_MAJOR, &B), SPW_ERR_ARG);
    assert_int_equal(spw_multivector_create(1 << 30, 1 << 30, SPW_ROW_MAJOR, &B), SPW_ERR_MEMORY);
    assert_null(B.val);
}

static void copies_have_the_same_elements_in_any_layout(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        spw_multivector from = block(13, 10, k % 2 ? SPW_ROW_MAJOR : SPW_COLUMN_MAJOR, 1);
        spw_multivector to = block(13, 10, k / 2 ? SPW_ROW_MAJOR : SPW_COLUMN_MAJOR, -1e9);
        assert_int_equal(spw_multivector_copy(&from, &to), SPW_OK);
        for (int i = 0; i < 13; i++)
            for (int v = 0; v < 10; v++) assert_true(*at(&to, i, v) == 1 + 100 * v + i);
        to.nv = 9;
        assert_int_equal(spw_multivector_copy(&from, &to), SPW_ERR_ARG);
        to.nv = 10;
        to.ld = 9;
        assert_int_equal(spw_multivector_copy(&from, &to), SPW_ERR_ARG);
        assert_int_equal(spw_multivector_copy(&from, &from), SPW_ERR_ARG);
        spw_multivector_destroy(&from);
        spw_multivector_destroy(&to);
    }
}

/* Row 0 is 5 (first + 100 v) + first + 100 v + 1, row 1 is 4 (first + 100 v + 2). */
static void blocks_are_multiplied_in_any_layout(void **state)
{
    (void)state;
    spw_sellp S;
    assert_int_equal(spw_sellp_from_csr(&A, 8, 4, &S), SPW_OK);
    for (int k = 0; k < 8; k++) {
        spw_multivector X = block(3, 11, k & 1 ? SPW_ROW_MAJOR : SPW_COLUMN_MAJOR, 1);
        spw_multivector Y = block(2, 11, k & 2 ? SPW_ROW_MAJOR : SPW_COLUMN_MAJOR, NAN);
        assert_int_equal(k & 4 ? spw_spmm_sellp(&S, &X, &Y) : spw_spmm_csr(&A, &X, &Y), SPW_OK);
        for (int v = 0; v < 11; v++) {
            assert_true(*at(&Y, 0, v) == 6 * (1 + 100 * v) + 1);
            assert_true(*at(&Y, 1, v) == 4 * (1 + 100 * v + 2));
        }
        spw_multivector_destroy(&X);
        spw_multivector_destroy(&Y);
    }
    spw_sellp_destroy(&S);
}

/* Y of 38 MB takes the kernel that streams. */
static void large_results_are_right_too(void **state)
{
    (void)state;
    enum { N = 300000, NV = 16 };
    spw_csr I;
    assert_int_equal(spw_csr_create(N, N, N, &I), SPW_OK);
    for (spw_idx i = 0; i < N; i++) {
        I.row_ptr[i] = I.col_idx[i] = i;
        I.val[i] = 2;
    }
    I.row_ptr[N] = N;
    spw_multivector X = block(N, NV, SPW_ROW_MAJOR, 1), Y = block(N, NV, SPW_ROW_MAJOR, NAN);
    assert_int_equal(spw_spmm_csr(&I, &X, &Y), SPW_OK);
    for (int64_t k = 0; k < N * Y.ld; k++) assert_true(Y.val[k] == 2 * X.val[k]);
    spw_multivector_destroy(&X);
    spw_multivector_destroy(&Y);
    spw_csr_destroy(&I);
}

static void refused(const spw_multivector *X, spw_multivector *Y, int is_zero, const char *text)
{
    for (int64_t k = 0; k < Y->ld * 2 && is_zero; k++) Y->val[k] = 7;
    assert_int_equal(spw_spmm_csr(&A, X, Y), SPW_ERR_ARG);
    assert_non_null(strstr(spw_message(), text));
    for (int64_t i = 0; i < Y->n && is_zero; i++)
        for (int64_t v = 0; v < Y->nv; v++) assert_true(*at(Y, i, v) == 0);
}

static void bad_blocks_are_refused_with_their_values(void **state)
{
    (void)state;
    const spw_multivector X = block(3, 2, SPW_ROW_MAJOR, 1);
    spw_multivector Y = block(2, 2, SPW_ROW_MAJOR, 1), bad = X;
    bad.nv = 0;
    refused(&bad, &Y, 1, "nv = 0");
    bad = X;
    bad.n = 2;
    refused(&bad, &Y, 1, "X has 2 rows, A has 3 columns");
    bad = X;
    bad.nv = 1;
    refused(&bad, &Y, 1, "X has 1 vectors, Y has 2");
    bad = X;
    bad.ld = 1;
    refused(&bad, &Y, 1, "X has leading dimension 1, row-major needs 2");
    bad = X;
    bad.val = NULL;
    refused(&bad, &Y, 1, "X has no array");
    spw_multivector few = Y;
    few.n = 1;
    refused(&X, &few, 1, "Y has 1 rows, A has 2");
    few = Y;
    few.nv = -1;
    refused(&X, &few, 0, "nv = -1");
    few = Y;
    few.layout = SPW_COLUMN_MAJOR;
    few.ld = 1;
    refused(&X, &few, 0, "column-major needs 2");

    spw_multivector over = {2, 2, SPW_ROW_MAJOR, 2, X.val + 4};
    refused(&X, &over, 0, "Y overlaps X: 2 x 2 and 3 x 2");
    assert_true(X.val[4] == 3 && X.val[5] == 103); /* X is as it was */
    spw_multivector all = X;
    spw_multivector_destroy(&all);
    spw_multivector_destroy(&Y);
}

static void without_scratch_memory_the_result_is_zero(void **state)
{
    (void)state;
    spw_multivector X = block(3, 2, SPW_COLUMN_MAJOR, 1), Y = block(2, 2, SPW_COLUMN_MAJOR, 1);
    for (int n = 0; n < 2; n++) {
        for (int k = 0; k < 4; k++) Y.val[k] = 7;
        spw_memory_fail_after(n);
        const spw_status status = spw_spmm_csr(&A, &X, &Y);
        spw_memory_fail_after(-1);
        assert_int_equal(status, SPW_ERR_MEMORY);
        for (int k = 0; k < 4; k++) assert_true(Y.val[k] == 0);
    }
    assert_int_equal(spw_spmm_csr(&A, &X, &Y), SPW_OK);
    spw_multivector_destroy(&X);
    spw_multivector_destroy(&Y);
    spw_multivector B;
    spw_memory_fail_after(0);
    assert_int_equal(spw_multivector_create(5, 3, SPW_ROW_MAJOR, &B), SPW_ERR_MEMORY);
    spw_memory_fail_after(-1);
    assert_null(B.val);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_created_in_both_layouts),
        cmocka_unit_test(copies_have_the_same_elements_in_any_layout),
        cmocka_unit_test(blocks_are_multiplied_in_any_layout),
        cmocka_unit_test(large_results_are_right_too),
        cmocka_unit_test(bad_blocks_are_refused_with_their_values),
        cmocka_unit_test(without_scratch_memory_the_result_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
